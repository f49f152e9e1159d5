// The loop behind `compare --list`.

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/printable.hpp>
#include <negzero/campaign/compare_list.hpp>
#include <negzero/campaign/finding_files.hpp>
#include <negzero/campaign/stop_condition.hpp>
#include <negzero/property/comparison.hpp>

namespace negzero::campaign {

namespace {

/// Whether all pairs can be compared and their findings be saved.
base::Status validate(const PairList& list, const CompareOptions& options) {
  for (const KernelPair& pair : list.pairs) {
    const auto can = comparable(*pair.first, *pair.second, options);
    if (can) continue;
    return base::Error{can.error().kind,
                       base::one_line(fmt::format("{}{} {}: {}", place_in_list(list.path, pair.line), pair.first->name,
                                                  pair.second->name, can.error().message))};
  }
  return FindingFiles(options.save_dir).open();
}

}  // namespace

ComparedPair::Outcome ComparedPair::outcome(bool bitwise) const {
  if (error) return Outcome::Error;
  if (!ran) return Outcome::NotRun;
  if (report.wrong() || (bitwise && report.differing() > 0)) return Outcome::Finding;
  if (report.error > 0 || !report.errors.empty()) return Outcome::Error;
  if (report.interrupted) return Outcome::Interrupted;
  if (!report.decided()) return Outcome::Undecided;
  return report.differing() > 0 ? Outcome::Permitted : Outcome::Identical;
}

std::string_view name(ComparedPair::Outcome outcome) noexcept {
  constexpr std::string_view kNames[] = {"identical", "permitted",   "finding", "error",
                                         "undecided", "interrupted", "not_run"};
  return kNames[static_cast<std::size_t>(outcome)];
}

base::Result<CompareListReport> compare_list(
    const PairList& list, const CompareOptions& options,
    const std::function<base::Result<EvaluationOptions>(kernel::Place)>& evaluation_at,
    const CompareListListener& listener, const std::function<bool()>& stop) {
  if (const auto valid = validate(list, options); !valid) return valid.error();
  CompareListReport report{.path = list.path, .seed = options.seed, .pairs = {}, .alone = list.alone};
  for (const KernelPair& pair : list.pairs) {
    ComparedPair& compared = report.pairs.emplace_back();
    compared.line = pair.line;
    compared.report.first = property::to_string(*pair.first);
    compared.report.second = property::to_string(*pair.second);
  }
  listener.on_start();
  const StopCondition time(stop);
  bool has_finding = false;
  for (std::size_t i = 0; i < list.pairs.size(); ++i) {
    if (stop() || (options.first_finding && has_finding)) break;
    const auto& [first, second, line] = list.pairs[i];
    ComparedPair& compared = report.pairs[i];
    CompareOptions own = options;
    const auto evaluation = evaluation_at(list.pairs[i].place());
    if (evaluation) {
      own.evaluation = *evaluation;
      own.evaluation.observe = options.evaluation.observe;
    }
    auto done = evaluation ? compare(
                                 *first, *second, own, [] {},
                                 [&](std::uint64_t cases) { listener.on_progress(i, cases); }, stop)
                           : base::Result<CompareReport>(evaluation.error());
    if (done) {
      compared.report = *std::move(done);
      compared.ran = compared.report.cases > 0 || !compared.report.interrupted;
    } else {
      compared.error = done.error();
    }
    has_finding = has_finding || compared.outcome(options.bitwise) == ComparedPair::Outcome::Finding;
    listener.on_pair(compared);
  }
  report.interrupted = stop();
  report.elapsed_ms = time.elapsed_ms();
  return report;
}

}  // namespace negzero::campaign
