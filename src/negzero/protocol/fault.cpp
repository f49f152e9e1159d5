// What a launch may do wrong besides its values: one row each with its rule.

#include <algorithm>

#include <negzero/protocol/fault.hpp>

namespace negzero::protocol {

std::span<const FaultRow> faults() noexcept {
  static constexpr FaultRow kRows[] = {
      {Fault::BadLaunch, "bad_launch", "run.launch"},
      {Fault::Refused, "refused", "run.refused"},
      {Fault::Barrier, "barrier", "run.barrier"},
      {Fault::Hang, "hang", "run.hang"},
      {Fault::SharedOverrun, "shared_overrun", "run.shared"},
      {Fault::Guard, "guard", "run.guard"},
      {Fault::Bounds, "bounds", "run.bounds"},
      {Fault::Uninitialised, "uninitialised", "run.uninitialised"},
      {Fault::ForbiddenRead, "forbidden_read", "run.forbidden_read"},
      {Fault::Race, "race", "run.race"},
      {Fault::EqualStores, "equal_stores", "run.equal_stores"},
      {Fault::Misaligned, "misaligned", "run.misaligned"},
      {Fault::Crash, "crash", "run.crash"},
      {Fault::Environment, "environment", "run.environment"},
      {Fault::HostAccess, "host_access", "run.host_access"},
      {Fault::Raised, "raised", "run.raised"},
      {Fault::Changed, "changed", "run.guard"},
  };
  static_assert(std::ranges::is_sorted(kRows, {}, &FaultRow::fault));
  return kRows;
}

std::optional<Fault> fault_named(std::string_view word) noexcept {
  const auto found = std::ranges::find(faults(), word, &FaultRow::word);
  return found == faults().end() ? std::nullopt : std::optional(found->fault);
}

}  // namespace negzero::protocol
