// What a launch may do wrong besides its values: one row each with its rule and class.

#include <algorithm>

#include <negzero/protocol/fault.hpp>

namespace negzero::protocol {

using verdict::FailureClass;

std::span<const FaultRow> faults() noexcept {
  static constexpr FaultRow kRows[] = {
      {Fault::BadLaunch, "bad_launch", "run.launch", FailureClass::Crash},
      {Fault::Refused, "refused", "run.refused", FailureClass::RefusedLegalRequest},
      {Fault::Barrier, "barrier", "run.barrier", FailureClass::DivergentBarrier},
      {Fault::Hang, "hang", "run.hang", FailureClass::Hang},
      {Fault::SharedOverrun, "shared_overrun", "run.shared", FailureClass::OutOfBoundsAccess},
      {Fault::Guard, "guard", "run.guard", FailureClass::OutOfBoundsAccess},
      {Fault::Bounds, "bounds", "run.bounds", FailureClass::OutOfBoundsAccess},
      {Fault::Uninitialised, "uninitialised", "run.uninitialised", FailureClass::UninitialisedRead},
      {Fault::ForbiddenRead, "forbidden_read", "run.forbidden_read", FailureClass::ForbiddenRead},
      {Fault::Race, "race", "run.race", FailureClass::DataRace},
      {Fault::EqualStores, "equal_stores", "run.equal_stores", FailureClass::DataRace},
      {Fault::Misaligned, "misaligned", "run.misaligned", FailureClass::Crash},
      {Fault::Crash, "crash", "run.crash", FailureClass::Crash},
      {Fault::Environment, "environment", "run.environment", FailureClass::ChangedEnvironment},
      {Fault::HostAccess, "host_access", "run.host_access", FailureClass::HostAccess},
      {Fault::Raised, "raised", "run.raised", FailureClass::Crash},
      {Fault::Changed, "changed", "run.guard", FailureClass::OutOfBoundsAccess},
  };
  static_assert(std::ranges::is_sorted(kRows, {}, &FaultRow::fault));
  return kRows;
}

std::optional<Fault> fault_named(std::string_view word) noexcept {
  const auto found = std::ranges::find(faults(), word, &FaultRow::word);
  return found == faults().end() ? std::nullopt : std::optional(found->fault);
}

}  // namespace negzero::protocol
