// What became of one case on one kernel, compared with what was expected.

#include <fmt/format.h>

#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/replay.hpp>

namespace negzero::campaign {

namespace {

using verdict::VerdictKind;

}  // namespace

std::string_view name(ReplayStatus status) noexcept {
  constexpr std::string_view kNames[] = {"as_expected", "different", "undecided", "error", "skipped"};
  return kNames[static_cast<std::size_t>(status)];
}

ReplayStatus ReplayItem::status() const {
  if (!skipped.empty()) return ReplayStatus::Skipped;
  if (verdict.kind == VerdictKind::Error) return ReplayStatus::Error;
  if (difference().empty()) return ReplayStatus::AsExpected;
  const bool nothing = verdict.kind == VerdictKind::Vacuous || verdict.kind == VerdictKind::Refused ||
                       verdict.kind == VerdictKind::NotJudged;
  return nothing && !expected ? ReplayStatus::Undecided : ReplayStatus::Different;
}

std::string ReplayItem::difference() const {
  if (!skipped.empty()) return "";
  const VerdictKind wanted = expected ? expected->verdict : VerdictKind::Pass;
  const auto& failure = verdict.failure;
  const bool same = verdict.kind == wanted &&
                    (!expected || !expected->failure_class || (failure && failure->kind == *expected->failure_class)) &&
                    (!expected || expected->rule.empty() || (failure && failure->rule.id() == expected->rule));
  if (same) return "";
  std::string text = fmt::format("expected {}, got {}", expected ? describe(*expected) : std::string("pass"),
                                 describe(seen(kernel, kernel::Place::Host, verdict)));
  if (failure) text += ": " + failure->message;
  if (!verdict.reason.empty()) text += ": " + verdict.reason;
  return text;
}

}  // namespace negzero::campaign
