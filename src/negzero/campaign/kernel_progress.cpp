// One kernel while it is being checked: which cases come next, and what became of those that ran.

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <negzero/campaign/kernel_progress.hpp>
#include <negzero/operation/source_line.hpp>
#include <negzero/run/outcome.hpp>
#include <negzero/watch/watch.hpp>

namespace negzero::campaign {

namespace {

using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

constexpr std::uint64_t kMostCrashes = 5;
/// On a GPU one costs 20 s and more: its time limit twice, and the end of a context whose kernel runs.
constexpr kernel::AtPlace<std::uint64_t> kMostHangs{.host = 5, .device = 2};
/// Lines of source that are warned of in one report.
constexpr std::size_t kMostWarnings = 16;

/// What is the same in warnings of one place: the words up to the first line of source, as "barrier at gemm.cu:41", and
/// of a race that a shuffle's value orders both of its lines. What follows differs from case to case.
std::string place_of(const std::string& warning) {
  std::vector<operation::SourceLine> lines = operation::source_lines_in(warning);
  if (lines.empty()) return warning.substr(0, warning.find_first_of("0123456789"));
  const std::string first = lines.front().to_string();
  if (!run::is_by_value(warning)) return warning.substr(0, warning.find(first) + first.size());
  std::ranges::sort(lines);
  std::string place(watch::kByValue);
  for (const operation::SourceLine& line : lines) place += line.to_string() + " ";
  return place;
}

}  // namespace

KernelProgress::KernelProgress(GeneratedCases source, Accepting accepting)
    : source_(std::move(source)), accepting_(std::move(accepting)) {
  report_.name = kernel().name;
}

Cause KernelProgress::cause_of(const Reply& result) const {
  const verdict::Failure& failure = *result.verdict.failure;
  return located(accepting_.cause(failure, result.specials), failure);
}

void KernelProgress::give_up(std::string why) {
  given_up_ = true;
  report_.note = std::move(why);
}

std::optional<GeneratedRange> KernelProgress::next(std::uint64_t most) {
  if (given_up_) return std::nullopt;
  return source_.next(most);
}

void KernelProgress::add(const Reply& result) {
  if (given_up_) return;
  waiting_.emplace(result.index, result);
  while (!given_up_ && !waiting_.empty() && waiting_.begin()->first == counted_) {
    ++counted_;
    count(std::move(waiting_.extract(waiting_.begin()).mapped()));
  }
  if (given_up_) waiting_.clear();
}

void KernelProgress::finish() {
  for (auto& [index, result] : waiting_) {
    if (!given_up_) count(std::move(result));
  }
  waiting_.clear();
}

void KernelProgress::count(Reply result) {
  const std::uint64_t index = result.index;
  ++report_.strategies[result.strategy];
  campaign::count(result.configuration, result.verdict.kind == VerdictKind::Fail, report_.options);
  count_margin(result);
  // Limits in which no case fits are found where the first one is made.
  if (report_.shapes.cases() == 0) report_.shapes = generate::ShapeCounts(source_.request());
  if (result.drawn.extents.size() == report_.shapes.extents().size()) report_.shapes.add(result.drawn);
  report_.add(result.verdict.kind, result.watched, result.too_large);
  Verdict& verdict = result.verdict;
  if (verdict.kind == VerdictKind::Fail) {
    hangs_ += verdict.failure->kind == FailureClass::Hang ? 1 : 0;
    // Of crashes, those that cost a process.
    crashes_ += result.ended || verdict.failure->rule == "run.crash" ? 1 : 0;
  }
  if (report_.printed.empty()) report_.printed = result.printed;
  report_.warnings += verdict.warnings.empty() ? 0 : 1;
  for (const std::string& warning : verdict.warnings) warn(index, warning);
  if (verdict.blind) report_.blind[result.strategy].add({*verdict.blind, 1});
  if (verdict.kind == VerdictKind::Pass && verdict.random_errors) report_.random_errors.add(*verdict.random_errors);
  if (verdict.kind == VerdictKind::Pass) report_.worst_margin = std::max(report_.worst_margin, verdict.margin);
  if (verdict.kind == VerdictKind::Error && report_.note.empty()) {
    report_.note = fmt::format("case {}: {}", index, verdict.reason);
  }
  if (verdict.kind == VerdictKind::Fail) count_failure(result);
  if (crashes_ >= kMostCrashes || hangs_ >= kMostHangs[kernel().place]) {
    give_up(
        fmt::format("given up after {} cases: {} crashes and {} hangs are enough", report_.cases, crashes_, hangs_));
  }
}

void KernelProgress::warn(std::uint64_t index, const std::string& warning) {
  if (warned_.size() >= kMostWarnings || !warned_.insert(place_of(warning)).second) return;
  // Those that a shuffle's value orders come last.
  std::vector<std::string>& all = report_.warned;
  all.push_back(fmt::format("case {}: {}", index, warning));
  std::ranges::stable_partition(all, [](const std::string& each) { return !run::is_by_value(each); });
}

void KernelProgress::count_margin(const Reply& result) {
  const auto size = std::ranges::lower_bound(kSizes, result.elements) - kSizes.begin();
  WorstMargin& worst = report_.margins[result.strategy][static_cast<std::size_t>(size)];
  ++worst.cases;
  worst.fail += result.verdict.kind == VerdictKind::Fail ? 1 : 0;
  if (result.verdict.kind != VerdictKind::Pass) return;
  if (!worst.shape.empty() && result.verdict.margin <= worst.margin) return;
  worst.margin = result.verdict.margin;
  worst.index = result.index;
  worst.shape = result.shape;
}

void KernelProgress::count_failure(const Reply& result) {
  const verdict::Failure& failure = *result.verdict.failure;
  report_.places.add(failure);
  occurred_.insert(accepting_.occurrence(failure));
  const auto [at, is_new] = failures_.try_emplace(
      cause_of(result), Candidate{result.index, result.history, result.launch, result.verdict, 0});
  ++at->second.count;
  for (auto& [cause, candidate] : failures_) {
    if (cause.kind != failure.kind) continue;
    candidate.verdict.failure->keep_permitted_under(failure);
    at->second.verdict.failure->keep_permitted_under(*candidate.verdict.failure);
  }
}

std::vector<std::pair<Cause, const Candidate*>> KernelProgress::by_telling() const {
  using enum FailureClass;
  constexpr FailureClass kOrder[] = {
      Stateful, HostAccess,       DataRace, OutOfBoundsAccess,  UninitialisedRead, ForbiddenRead,
      Crash,    DivergentBarrier, Hang,     ChangedEnvironment, UnwrittenOutput,   RefusedLegalRequest};
  // Behind these, of each kind of specials: wrong values, and other bits in a second run; then stores of equal values.
  const auto place = [&](const auto& failure) {
    const Cause& cause = failure.first;
    const bool is_of_values = std::ranges::find(kOrder, cause.kind) == std::end(kOrder);
    return std::tuple(cause.rule == kEqualStores, std::ranges::find(kOrder, cause.kind) - std::begin(kOrder),
                      is_of_values ? cause.specials : 0, cause.kind, cause.specials, cause.rule, cause.output,
                      cause.lines);
  };
  std::vector<std::pair<Cause, const Candidate*>> result;
  for (const auto& [cause, candidate] : failures_) result.emplace_back(cause, &candidate);
  std::ranges::sort(result, {}, place);
  return result;
}

}  // namespace negzero::campaign
