// `negzero replay`, `negzero show` and `negzero shrink`: what is done with case files.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/campaign/replay.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/json.hpp>
#include <negzero/report/junit.hpp>
#include <negzero/tensor/safetensors.hpp>

namespace negzero::cli {

namespace {

/// The kernel a case is to be shrunk on.
base::Result<const kernel::Kernel*> kernel_for(const operation::Case& value, const ShrinkFlags& flags) {
  const std::string name = flags.kernel.empty() ? value.kernel : flags.kernel;
  if (name.empty()) {
    return base::usage_error(fmt::format("{}: the case names no kernel; say which with --kernel NAME", flags.path));
  }
  const kernel::Kernel* kernel = kernel::registry().find(name, kernel::Executor::Host);
  if (kernel == nullptr) {
    std::string closest;
    for (const std::string& near : kernel::registry().closest(name, kernel::Executor::Host)) closest += " " + near;
    return base::usage_error(fmt::format("kernel {} is not known; the closest are:{}", name, closest));
  }
  if (kernel->operation != operation::name(value.operation)) {
    return base::usage_error(fmt::format("{}: the case is a {}, kernel {} implements {}", flags.path,
                                         operation::name(value.operation), name, kernel->operation));
  }
  return kernel;
}

nlohmann::ordered_json tensor_json(const tensor::Tensor& tensor) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    values.push_back(
        {number::to_decimal(tensor.format(), tensor.get(i)), number::to_hex(tensor.format(), tensor.get(i))});
  }
  return {{"dtype", tensor.format().name}, {"shape", tensor.shape()}, {"values", values}};
}

}  // namespace

int replay(const ReplayFlags& flags, const Common& common) {
  campaign::ReplayOptions options;
  const auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error());
  options.evaluation = *evaluation;
  options.kernels = flags.kernels;
  options.record = flags.record;
  const auto files = campaign::case_files(flags.paths);
  if (!files) return fail(files.error());

  Outcome outcome;
  const auto on_item = [&](const campaign::ReplayItem& item) {
    if (!common.json && !print(report::item_text(item))) outcome.infrastructure = true;
  };
  const auto report = campaign::replay(*files, options, on_item, watch_interrupts());
  if (!report) return fail(report.error());
  for (const base::Error& error : report->errors) {
    fail(error);
    outcome.add(error.kind);
  }
  std::size_t decided = 0;
  for (const campaign::ReplayItem& item : report->items) {
    if (!item.skipped.empty()) continue;
    const operation::VerdictKind kind = item.verdict.kind;
    if (kind == operation::VerdictKind::Error) {
      outcome.infrastructure = true;
    } else if (!item.as_expected()) {
      // A vacuous or refused case decides nothing unless that was expected; anything else is a finding.
      const bool nothing = kind == operation::VerdictKind::Vacuous || kind == operation::VerdictKind::Refused;
      (nothing && !item.expected ? outcome.undecided : outcome.finding) = true;
    }
    ++decided;
  }
  outcome.interrupted = report->interrupted;
  outcome.undecided = outcome.undecided || decided == 0;
  if (!flags.junit.empty()) {
    const std::string xml = report::junit(*report);
    const auto saved = tensor::write_file_atomically(flags.junit, std::as_bytes(std::span(xml.data(), xml.size())));
    if (!saved) {
      fail(saved.error());
      outcome.infrastructure = true;
    }
  }
  if (!print(common.json ? report::replay_json(*report) : report::replay_text(*report))) outcome.infrastructure = true;
  return outcome.code();
}

int show(const ShowFlags& flags, const Common& common) {
  const auto value = operation::load_case(flags.path);
  if (!value) return fail(value.error());
  if (!common.json) {
    std::string text = property::describe(*value, "") + "\n";
    if (!value->kernel.empty()) text += fmt::format("kernel {}\n", value->kernel);
    if (!value->contract.empty()) text += fmt::format("contract {}\n", value->contract);
    for (const operation::Expectation& expected : value->expect) {
      text +=
          fmt::format("expects {} on {}: {}", expected.kernel, expected.executor, operation::name(expected.verdict));
      if (expected.failure_class) text += fmt::format(" ({})", operation::name(*expected.failure_class));
      text += expected.rule.empty() ? "\n" : fmt::format(" by {}\n", expected.rule);
    }
    return print(text) ? kClean : kInfrastructure;
  }
  nlohmann::ordered_json tensors, layouts;
  for (const auto& [name, tensor] : value->tensors) tensors[name] = tensor_json(tensor);
  for (const auto& [name, layout] : value->layouts) {
    layouts[name] = {{"shape", layout.shape}, {"strides", layout.strides}, {"offset", layout.offset}};
  }
  const nlohmann::ordered_json document{{"version", report::kJsonVersion},
                                        {"operation", operation::name(value->operation)},
                                        {"description", property::describe(value->operation)},
                                        {"kernel", value->kernel},
                                        {"contract", value->contract},
                                        {"strategy", value->strategy},
                                        {"seed", value->seed},
                                        {"index", value->index},
                                        {"tensors", tensors},
                                        {"layouts", layouts}};
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  return print(document.dump(2, ' ', false, replace) + "\n") ? kClean : kInfrastructure;
}

int shrink(const ShrinkFlags& flags, const Common& common) {
  const auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error());
  auto value = operation::load_case(flags.path);
  if (!value) return fail(value.error());
  const auto kernel = kernel_for(*value, flags);
  if (!kernel) return fail(kernel.error());

  const std::function<bool()> stop = watch_interrupts();
  campaign::Evaluator evaluator(*evaluation);
  const auto verdicts = evaluator.evaluate({&*value, 1}, **kernel, stop);
  if (!verdicts) return fail(verdicts.error());
  const operation::Verdict& first = verdicts->front();
  if (first.kind == operation::VerdictKind::Error) return fail(base::infrastructure_error(first.reason));
  if (first.kind != operation::VerdictKind::Fail) {
    fmt::print(stderr, "negzero: {}: the verdict on {} is {}, so there is nothing to shrink\n", flags.path,
               (*kernel)->name, operation::name(first.kind));
    return kUndecided;
  }
  const auto shrunk = evaluator.shrink(*value, first, **kernel, stop);
  if (!shrunk) return fail(shrunk.error());
  if (const auto saved = operation::save_case(flags.output, shrunk->value); !saved) return fail(saved.error());
  const operation::Failure& failure = *shrunk->verdict.failure;
  std::string text;
  if (common.json) {
    text = nlohmann::ordered_json{{"version", report::kJsonVersion},
                                  {"kernel", (*kernel)->name},
                                  {"case", flags.output},
                                  {"original", flags.path},
                                  {"class", operation::name(failure.kind)},
                                  {"rule", failure.rule},
                                  {"message", failure.message},
                                  {"evaluations", shrunk->evaluations},
                                  {"hit_rate", shrunk->hit_rate},
                                  {"interrupted", stop()}}
               .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
           "\n";
  } else {
    text = property::counterexample(**kernel, shrunk->value, failure,
                                    fmt::format("./negzero.sh replay '{}'", flags.output));
  }
  Outcome outcome;
  outcome.finding = true;
  outcome.interrupted = stop();
  outcome.infrastructure = !print(text);
  return outcome.code();
}

}  // namespace negzero::cli
