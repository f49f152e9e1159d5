// What a launch may do wrong besides its values: one row each with its rule and class.

#include <algorithm>

#include <negzero/protocol/fault.hpp>

namespace negzero::protocol {

using verdict::FailureClass;

std::span<const FaultRow> faults() noexcept {
  static constexpr FaultRow kRows[] = {
      {Fault::BadLaunch, "run.launch", FailureClass::Crash},
      {Fault::Refused, "run.refused", FailureClass::RefusedLegalRequest},
      {Fault::Barrier, "run.barrier", FailureClass::DivergentBarrier},
      {Fault::Hang, "run.hang", FailureClass::Hang},
      {Fault::SharedOverrun, "run.shared", FailureClass::OutOfBoundsAccess},
      {Fault::Guard, "run.guard", FailureClass::OutOfBoundsAccess},
      {Fault::Bounds, "run.bounds", FailureClass::OutOfBoundsAccess},
      {Fault::Uninitialised, "run.uninitialised", FailureClass::UninitialisedRead},
      {Fault::ForbiddenRead, "run.forbidden_read", FailureClass::ForbiddenRead},
      {Fault::Race, "run.race", FailureClass::DataRace},
      {Fault::Misaligned, "run.misaligned", FailureClass::Crash},
      {Fault::Crash, "run.crash", FailureClass::Crash},
      {Fault::Environment, "run.environment", FailureClass::ChangedEnvironment},
      {Fault::HostAccess, "run.host_access", FailureClass::HostAccess},
      {Fault::Raised, "run.raised", FailureClass::Crash},
      {Fault::Changed, "run.guard", FailureClass::OutOfBoundsAccess},
  };
  static_assert(std::ranges::is_sorted(kRows, {}, &FaultRow::fault));
  return kRows;
}

}  // namespace negzero::protocol
