// `negzero compare`.

#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <negzero/campaign/compare.hpp>
#include <negzero/campaign/compare_list.hpp>
#include <negzero/campaign/compare_names.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/making_cases.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document.hpp>

namespace negzero::cli {

namespace {

/// What the words for executors come to on this machine, each found out once.
class Executors {
 public:
  explicit Executors(const Running& running) : running_(running) {}

  base::Result<campaign::EvaluationOptions> at(const std::string& word) {
    const auto known = known_.find(word);
    if (known != known_.end()) return known->second;
    Running running = running_;
    running.executor = word;
    return known_.emplace(word, evaluation_options(running)).first->second;
  }
  base::Result<campaign::EvaluationOptions> at(kernel::Place place) { return at(std::string(kernel::name(place))); }

  /// campaign::WhereOf: what is named without an executor runs where --executor says.
  base::Result<kernel::Where> where(const std::optional<std::string>& word) {
    const auto named = word ? kernel::where_named(*word) : std::nullopt;
    if (word && !named) return base::usage_error("the executor after @ is host, watched or cuda");
    const auto options = named ? at(named->place) : at(running_.executor);
    if (!options) return options.error();
    return named.value_or(options->place);
  }

 private:
  const Running& running_;
  std::map<std::string, base::Result<campaign::EvaluationOptions>> known_;
};

/// Options of every pair, but for where it runs. `pairs`: for which extents must make sense.
base::Result<campaign::CompareOptions> options_of(const CompareFlags& flags,
                                                  const std::vector<campaign::KernelPair>& pairs) {
  campaign::CompareOptions options;
  options.cases = flags.cases;
  options.time_ms = flags.time_ms;
  options.bitwise = flags.bitwise;
  options.first_finding = flags.first_finding;
  options.seed = seed_or_another(flags.making.seed);
  options.save_dir = flags.save;
  std::vector<const kernel::Kernel*> kernels;
  for (const campaign::KernelPair& pair : pairs) kernels.insert(kernels.end(), {pair.first, pair.second});
  const auto mix = mix_of(flags.making, kernels);
  if (!mix) return mix.error();
  options.mix = *mix;
  options.evaluation.observe = draws_matrices(flags.reports);
  if (const auto writable = check_reports(flags.reports); !writable) return writable.error();
  return options;
}

/// Adds what one pair came to.
void add(const campaign::CompareReport& report, bool bitwise, Outcome& outcome) {
  outcome.finding = outcome.finding || report.wrong() || (bitwise && report.differing() > 0);
  outcome.infrastructure = outcome.infrastructure || report.error > 0 || !report.errors.empty();
  outcome.undecided = outcome.undecided || !report.decided();
  for (const base::Error& error : report.errors) complain(error);
}

int compare_two(const CompareFlags& flags, const Common& common, Executors& executors) {
  const campaign::WhereOf where_of = [&](const auto& word) { return executors.where(word); };
  campaign::KernelPair pair;
  for (const auto& [text, kernel] : {std::pair(&flags.kernels[0], &pair.first), {&flags.kernels[1], &pair.second}}) {
    const auto found = campaign::kernel_to_compare(*text, where_of);
    if (!found) return fail(found.error(), common);
    *kernel = *found;
  }
  auto options = options_of(flags, {pair});
  if (!options) return fail(options.error(), common);
  const auto evaluation = executors.at(pair.place());
  if (!evaluation) return fail(evaluation.error(), common);
  const bool observe = options->evaluation.observe;
  options->evaluation = *evaluation;
  options->evaluation.observe = observe;
  Progress progress;
  const std::function<bool()> stop = watch_interrupts();
  const auto report = campaign::compare(
      *pair.first, *pair.second, *options,
      [&] { tell(fmt::format("negzero compare: {} cases, seed {}\n", options->cases, options->seed)); },
      [&](std::uint64_t done) {
        if (progress.is_due()) progress.show(fmt::format("{} of {} cases", done, options->cases));
      },
      stop);
  progress.clear();
  if (!report) return fail(report.error(), common);
  Outcome outcome;
  outcome.interrupted = report->interrupted;
  add(*report, flags.bitwise, outcome);
  return finish(report::document_of(*report, invocation_of(common, options->seed), flags.bitwise), flags.reports,
                common, outcome);
}

int compare_pairs(const CompareFlags& flags, const Common& common, Executors& executors) {
  const auto list = campaign::read_pairs(flags.list, [&](const auto& word) { return executors.where(word); });
  if (!list) return fail(list.error(), common);
  const auto options = options_of(flags, list->pairs);
  if (!options) return fail(options.error(), common);
  Outcome outcome;
  Progress progress;
  const std::function<bool()> stop = watch_interrupts();
  const std::size_t pairs = list->pairs.size();
  const campaign::CompareListListener listener{
      .on_start =
          [&] {
            tell(fmt::format("negzero compare: {} pairs, {} cases each, seed {}\n", pairs, options->cases,
                             options->seed));
          },
      .on_progress =
          [&](std::size_t pair, std::uint64_t done) {
            if (!progress.is_due()) return;
            progress.show(fmt::format("pair {} of {}: {} of {} cases", pair + 1, pairs, done, options->cases));
          },
      .on_pair =
          [&](const campaign::ComparedPair& pair) {
            progress.clear();
            if (pair.error) complain(*pair.error);
            if (common.json) return;
            if (!print_text(report::pair_line(pair, flags.bitwise))) outcome.infrastructure = true;
          }};
  const auto report = campaign::compare_list(
      *list, *options, [&](kernel::Place place) { return executors.at(place); }, listener, stop);
  progress.clear();
  if (!report) return fail(report.error(), common);
  outcome.interrupted = report->interrupted;
  for (const campaign::ComparedPair& pair : report->pairs) {
    if (pair.error) {
      outcome.add(pair.error->kind);
    } else {
      add(pair.report, flags.bitwise, outcome);
    }
  }
  return finish(report::document_of(*report, invocation_of(common, options->seed), flags.bitwise), flags.reports,
                common, outcome);
}

}  // namespace

int compare(const CompareFlags& flags, const Common& common) {
  if (flags.running.watch != "auto") {
    return fail(base::usage_error("--watch does not apply to compare: name the side to be watched KERNEL@watched"),
                common);
  }
  Executors executors(flags.running);
  if (!flags.list.empty()) return compare_pairs(flags, common, executors);
  if (flags.kernels.empty()) {
    return fail(base::usage_error("compare: name two kernels, or a file of pairs by --list; `negzero compare --help` "
                                  "says more"),
                common);
  }
  return compare_two(flags, common, executors);
}

}  // namespace negzero::cli
