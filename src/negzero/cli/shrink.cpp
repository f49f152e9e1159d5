// `negzero shrink`.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/base/duration.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/shrinking.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/files/writable.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

namespace {

/// The kernel a case is to be shrunk on.
base::Result<const kernel::Kernel*> kernel_for(const operation::Case& value, const ShrinkFlags& flags,
                                               kernel::Place place) {
  const std::string name = flags.kernel.empty() ? value.kernel : flags.kernel;
  if (name.empty()) {
    return base::usage_error(fmt::format("{}: the case names no kernel; say which with --kernel NAME", flags.path));
  }
  const auto kernel = campaign::kernel_named(name, place);
  if (!kernel) return kernel.error();
  if (!operation::is_of(value.operation, (*kernel)->operation)) {
    return base::usage_error(fmt::format("{}: the case is {}, which kernel {} implements; --kernel names another",
                                         flags.path, operation::unlike(value.operation, (*kernel)->operation), name));
  }
  return kernel;
}

}  // namespace

int shrink(const ShrinkFlags& flags, const Common& common) {
  const auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error(), common);
  auto value = campaign::load_case(flags.path);
  if (!value) return fail(value.error(), common);
  const auto kernel = kernel_for(*value, flags, evaluation->place);
  if (!kernel) return fail(kernel.error(), common);

  const std::function<bool()> stop = watch_interrupts();
  if (const auto writable = files::check_writable_file(flags.output); !writable) {
    return fail(base::infrastructure_error("--output " + writable.error().message), common);
  }
  tell_line(fmt::format("negzero shrink: {} on {}; a run without progress for {} is a hang", flags.path,
                        (*kernel)->name, base::duration_text(evaluation->timeout_ms)));
  campaign::Evaluator evaluator(*evaluation);
  const auto known = campaign::known_failure(*value, (*kernel)->name, evaluation->place);
  const auto verdict = campaign::look_for(known, evaluator, *value, **kernel, evaluation->watch, stop);
  if (!verdict) return fail(verdict.error(), common);
  const verdict::Verdict& first = *verdict;
  if (stop()) {
    const std::string what = flags.path + ": interrupted before it was seen to fail; nothing was written";
    return fail({base::ErrorKind::Interrupted, what}, common);
  }
  if (first.kind == verdict::VerdictKind::Error) return fail(base::infrastructure_error(first.reason), common);
  if (first.kind != verdict::VerdictKind::Fail) {
    return fail(base::undecided_error(
                    fmt::format("{}: the verdict on {} is {}, so there is nothing to shrink; --kernel names another",
                                flags.path, (*kernel)->name, verdict::name(first.kind))),
                common);
  }
  const verdict::FailureClass kind = first.failure->kind;
  if (known && known->failure_class && *known->failure_class != kind) {
    tell_line(fmt::format("the file knows it to {}; what this run shows is another failure, and is shrunk instead",
                          campaign::describe(*known)));
  }
  tell_line(fmt::format("shrinking {} ({}), {}; Ctrl-C keeps the smallest so far", (*kernel)->name, verdict::name(kind),
                        campaign::shrinking_takes(*evaluation, kind)));
  auto shrunk = campaign::shrink(evaluator, *value, first, **kernel, stop);
  if (!shrunk) return fail(shrunk.error(), common);
  shrunk->value.found = campaign::seen((*kernel)->name, evaluation->place, shrunk->verdict);
  const std::string path = shrunk->interrupted ? campaign::partial_path(flags.output) : flags.output;
  const verdict::Failure& failure = *shrunk->verdict.failure;
  const std::string& name = (*kernel)->name;
  const bool is_another = name != shrunk->value.kernel;
  Outcome outcome;
  outcome.finding = true;
  outcome.interrupted = stop();
  // A disk that filled up meanwhile must not cost the result: it is printed all the same.
  const auto saved = case_file::save(path, shrunk->value);
  if (!saved) {
    complain(saved.error());
    outcome.infrastructure = true;
  } else if (!shrunk->cut.empty()) {
    tell_line(fmt::format("{}: {} can perhaps be made smaller; `{}` goes on", shrunk->cut, path,
                          campaign::shrink_line(common.command, path, name, is_another)));
  }
  std::string text;
  if (common.json) {
    text = nlohmann::ordered_json{{"version", report::kJsonVersion},
                                  {"kernel", (*kernel)->name},
                                  {"case", saved ? path : ""},
                                  {"original", flags.path},
                                  {"class", verdict::name(failure.kind)},
                                  {"rule", failure.rule},
                                  {"message", failure.message},
                                  {"evaluations", shrunk->evaluations},
                                  {"hit_rate", report::hit_rate_json(shrunk->hit_rate)},
                                  {"interrupted", shrunk->interrupted},
                                  {"cut", shrunk->cut}}
               .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
           "\n";
  } else {
    text = property::counterexample(**kernel, shrunk->value, failure,
                                    saved ? campaign::replay_line(common.command, path, name, is_another) : "");
    const std::string watched =
        campaign::watched_message(evaluator, shrunk->value, **kernel, failure, evaluation->watch, stop);
    if (!watched.empty()) text += fmt::format("  watched    {}\n", watched);
    const report::Sources sources = invocation_of(common, std::nullopt).sources;
    text += report::place_lines(report::failure_entry(name, failure, watched, sources));
  }
  const bool written = common.json ? print_document(text) : print_text(text);
  outcome.infrastructure = outcome.infrastructure || !written;
  return outcome.code();
}

}  // namespace negzero::cli
