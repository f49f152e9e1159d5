// What a launch may do wrong besides its values: one row each with its rule and class.

#include <algorithm>

#include <negzero/protocol/fault.hpp>

namespace negzero::protocol {

using verdict::FailureClass;

std::span<const FaultRow> faults() noexcept {
  static constexpr FaultRow kRows[] = {
      {Fault::BadLaunch, "run.launch", FailureClass::Crash, false},
      {Fault::Refused, "run.refused", FailureClass::RefusedLegalRequest, false},
      {Fault::Barrier, "run.barrier", FailureClass::DivergentBarrier, false},
      {Fault::Hang, "run.hang", FailureClass::Hang, false},
      {Fault::SharedOverrun, "run.shared", FailureClass::OutOfBoundsAccess, false},
      {Fault::Guard, "run.guard", FailureClass::OutOfBoundsAccess, false},
      {Fault::Bounds, "run.bounds", FailureClass::OutOfBoundsAccess, true},
      {Fault::Uninitialised, "run.uninitialised", FailureClass::UninitialisedRead, true},
      {Fault::ForbiddenRead, "run.forbidden_read", FailureClass::ForbiddenRead, true},
      {Fault::Race, "run.race", FailureClass::DataRace, true},
      {Fault::Misaligned, "run.misaligned", FailureClass::Crash, true},
      {Fault::Crash, "run.crash", FailureClass::Crash, false},
      {Fault::Environment, "run.environment", FailureClass::ChangedEnvironment, false},
      {Fault::HostAccess, "run.host_access", FailureClass::HostAccess, false},
      {Fault::Raised, "run.raised", FailureClass::Crash, false},
      {Fault::Changed, "run.guard", FailureClass::OutOfBoundsAccess, false},
  };
  static_assert(std::ranges::is_sorted(kRows, {}, &FaultRow::fault));
  return kRows;
}

bool is_watch_rule(std::string_view rule) noexcept {
  return std::ranges::any_of(faults(), [&](const FaultRow& row) { return row.only_watched && row.rule == rule; });
}

}  // namespace negzero::protocol
