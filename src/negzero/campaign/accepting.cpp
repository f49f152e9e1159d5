// What a ledger of known findings means for the kernels of a campaign.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include <negzero/campaign/accepting.hpp>
#include <negzero/files/input_file.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/protocol/fault.hpp>

namespace negzero::campaign {

namespace {

using verdict::FailureClass;
using verdict::LedgerEntry;
using verdict::RunsAt;

constexpr std::uint64_t kMostLedgerBytes = 1 << 20;

RunsAt runs_at(kernel::Place place, bool watched = false) {
  constexpr kernel::AtPlace<RunsAt> kPlain{.host = RunsAt::Host, .device = RunsAt::Cuda};
  constexpr kernel::AtPlace<RunsAt> kWatched{.host = RunsAt::Watched, .device = RunsAt::Cuda};
  return (watched ? kWatched : kPlain)[place];
}

/// Where a failure was seen: some rules are those of watched runs.
RunsAt seen_at(kernel::Place place, verdict::Rule rule) { return runs_at(place, rule.only_watched()); }

}  // namespace

void LedgerFile::add(const LedgerFile& more) {
  if (more.ledger.entries().empty()) return;
  std::vector<LedgerEntry> entries = ledger.entries();
  entries.insert(entries.end(), more.ledger.entries().begin(), more.ledger.entries().end());
  ledger = verdict::Ledger(std::move(entries));
  path += (path.empty() ? "" : " or ") + more.path;
  if (!texts) texts = more.texts;
}

base::Result<LedgerFile> load_ledger(const std::string& path) {
  const auto text = files::read_text(path, kMostLedgerBytes);
  if (!text) return text.error();
  auto ledger = verdict::parse_ledger(*text, path);
  if (!ledger) return ledger.error();
  return LedgerFile{.path = path, .ledger = *std::move(ledger)};
}

std::string Acceptance::to_string() const { return fmt::format("accepted finding #{}: {} ({})", number, reason, link); }

Accepting::Accepting(const verdict::Ledger& ledger, const kernel::Kernel& kernel, const EvaluationOptions& options,
                     LineTexts texts)
    : kernel_(&kernel), texts_(std::move(texts)), place_(options.place), watch_(options.watch) {
  for (std::size_t i = 0; i < ledger.entries().size(); ++i) {
    const LedgerEntry& entry = ledger.entries()[i];
    const bool is_here = entry.is_about(kernel.name, runs_at(place_));
    if (!is_here && !entry.is_about(kernel.name, runs_at(place_, true))) continue;
    entries_.emplace_back(i, entry);
    names_lines_ = names_lines_ || !entry.at.empty();
  }
}

std::vector<std::string> Accepting::texts_in(std::string_view message) const {
  if (!names_lines_ || !texts_) return {};
  const std::vector<operation::SourceLine> lines = operation::source_lines_in(message);
  if (lines.empty()) return {};
  std::vector<std::string> texts = texts_(*kernel_, lines);
  std::ranges::sort(texts);
  return texts;
}

Occurrence Accepting::occurrence(const verdict::Failure& failure, std::string_view watched) const {
  return {failure.kind, failure.rule, texts_in(failure.message + "\n" + std::string(watched))};
}

Occurrence Accepting::occurrence(const Cause& cause, verdict::Rule rule) const {
  Occurrence result{cause.kind, rule};
  if (!cause.at) return result;
  for (const auto& [number, entry] : entries_) {
    if (!entry.at.empty()) result.lines.push_back(verdict::without_blanks(entry.at));
  }
  return result;
}

std::optional<std::size_t> Accepting::matching(const Occurrence& failure) const {
  if (entries_.empty()) return std::nullopt;
  const verdict::KnownBy known{kernel_->name, failure.kind, failure.rule, seen_at(place_, failure.rule), failure.lines};
  const auto found = std::ranges::find_if(entries_, [&](const auto& each) { return each.second.accepts(known); });
  if (found == entries_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - entries_.begin());
}

Acceptance Accepting::acceptance(std::size_t entry) const {
  const auto& [number, accepted] = entries_[entry];
  return {.number = number + 1, .reason = accepted.reason, .link = accepted.link};
}

std::optional<Acceptance> Accepting::of(const verdict::Failure& failure, std::string_view watched) const {
  const auto entry = matching(occurrence(failure, watched));
  return entry ? std::optional(acceptance(*entry)) : std::nullopt;
}

std::optional<Acceptance> Accepting::of(const Cause& cause, verdict::Rule rule) const {
  const auto entry = matching(occurrence(cause, rule));
  return entry ? std::optional(acceptance(*entry)) : std::nullopt;
}

bool Accepting::tells_apart(FailureClass kind, verdict::Rule rule) const {
  if (rule == kEqualStores) return true;
  return std::ranges::any_of(entries_, [&](const auto& each) {
    const LedgerEntry& entry = each.second;
    // A place tells rules apart too: some are those of watched runs.
    return entry.kind ? entry.kind == kind && entry.place == RunsAt::Watched : entry.rule.family() == rule.family();
  });
}

Cause Accepting::cause(FailureClass kind, Specials specials, verdict::Rule rule, std::string_view message) const {
  Cause result{kind, specials, tells_apart(kind, rule) ? rule : verdict::Rule()};
  const std::vector<std::string> lines = texts_in(message);
  if (lines.empty()) return result;
  const auto entry = matching({kind, rule, lines});
  result.at = entry && !entries_[*entry].second.at.empty();
  return result;
}

bool Accepting::may_shrink(const verdict::Failure& from, const verdict::Failure& to) const {
  if (from.kind != to.kind) return true;
  if (names_lines_ && of(from).has_value() != of(to).has_value()) return false;
  if (from.rule == to.rule) return true;
  if (!tells_apart(from.kind, from.rule) && !tells_apart(to.kind, to.rule)) return true;
  return from.rule.family() == to.rule.family() && to.rule.family() != "run";
}

std::optional<Acceptance> Accepting::not_run() const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const LedgerEntry& entry = entries_[i].second;
    if (entry.is_quarantine() && entry.is_about(kernel_->name, runs_at(place_, watch_ == Watch::Always))) {
      return acceptance(i);
    }
  }
  return std::nullopt;
}

std::optional<Acceptance> Accepting::not_watched() const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].second.is_quarantine()) return acceptance(i);
  }
  return std::nullopt;
}

std::vector<const kernel::Kernel*> without_quarantined(const std::vector<const kernel::Kernel*>& kernels,
                                                       const LedgerFile& file, const EvaluationOptions& options,
                                                       LedgerOutcome& outcome) {
  std::vector<const kernel::Kernel*> run;
  for (const kernel::Kernel* kernel : kernels) {
    const Accepting accepting(file.ledger, *kernel, options);
    const auto never = accepting.not_run(), unwatched = accepting.not_watched();
    if (never || (unwatched && options.watch != Watch::Never)) {
      outcome.not_run.push_back({kernel->name, !never, never ? *never : *unwatched});
    }
    if (!never) run.push_back(kernel);
  }
  return run;
}

std::vector<std::string> stale_entries(const LedgerFile& file, std::span<const KernelRun> runs, kernel::Place place) {
  std::vector<verdict::KnownBy> findings;
  std::vector<verdict::RanThere> ran;
  for (const KernelRun& run : runs) {
    ran.push_back({run.kernel, runs_at(place), run.whole});
    if (run.watched) ran.push_back({run.kernel, RunsAt::Watched, run.whole});
    for (const auto& [kind, rule, lines] : run.occurred) {
      findings.push_back({run.kernel, kind, rule, seen_at(place, rule), lines});
    }
  }
  std::vector<std::string> messages;
  for (const std::size_t i : file.ledger.stale(findings, ran)) {
    messages.push_back(fmt::format("accepted finding #{} ({}) did not occur: fixed? remove it from {}", i + 1,
                                   file.ledger.entries()[i].to_string(), file.path));
  }
  return messages;
}

}  // namespace negzero::campaign
