// `negzero shrink`.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/campaign/replay.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

namespace {

/// The kernel a case is to be shrunk on.
base::Result<const kernel::Kernel*> kernel_for(const operation::Case& value, const ShrinkFlags& flags,
                                               kernel::Executor executor) {
  const std::string name = flags.kernel.empty() ? value.kernel : flags.kernel;
  if (name.empty()) {
    return base::usage_error(fmt::format("{}: the case names no kernel; say which with --kernel NAME", flags.path));
  }
  const auto kernel = campaign::kernel_named(name, executor);
  if (!kernel) return kernel.error();
  if ((*kernel)->operation != operation::name(value.operation)) {
    return base::usage_error(fmt::format("{}: the case is a {}, kernel {} implements {}; --kernel names another",
                                         flags.path, operation::name(value.operation), name, (*kernel)->operation));
  }
  return kernel;
}

}  // namespace

int shrink(const ShrinkFlags& flags, const Common& common) {
  const auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error(), common);
  auto value = operation::load_case(flags.path);
  if (!value) return fail(value.error(), common);
  const auto kernel = kernel_for(*value, flags, evaluation->executor);
  if (!kernel) return fail(kernel.error(), common);

  const std::function<bool()> stop = watch_interrupts();
  campaign::Evaluator evaluator(*evaluation);
  const auto verdicts = evaluator.evaluate({&*value, 1}, **kernel, stop);
  if (!verdicts) return fail(verdicts.error(), common);
  const operation::Verdict& first = verdicts->front();
  if (first.kind == operation::VerdictKind::Error) return fail(base::infrastructure_error(first.reason), common);
  if (first.kind != operation::VerdictKind::Fail) {
    fail(base::usage_error(
             fmt::format("{}: the verdict on {} is {}, so there is nothing to shrink; --kernel names another",
                         flags.path, (*kernel)->name, operation::name(first.kind))),
         common);
    return kUndecided;
  }
  const auto shrunk = evaluator.shrink(*value, first, **kernel, stop);
  if (!shrunk) return fail(shrunk.error(), common);
  if (const auto saved = operation::save_case(flags.output, shrunk->value); !saved) return fail(saved.error(), common);
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
    const std::string named = (*kernel)->name == shrunk->value.kernel ? "" : (*kernel)->name;
    text = property::counterexample(**kernel, shrunk->value, failure,
                                    campaign::replay_line(common.command, flags.output, named));
  }
  Outcome outcome;
  outcome.finding = true;
  outcome.interrupted = stop();
  outcome.infrastructure = !(common.json ? print_document(text) : print_text(text));
  return outcome.code();
}

}  // namespace negzero::cli
