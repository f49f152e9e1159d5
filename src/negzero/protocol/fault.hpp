// What a launch may do wrong besides its values: one row each with its rule.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <negzero/verdict/verdict.hpp>

namespace negzero::protocol {

/// What a launch may do wrong.
enum class Fault : std::uint8_t {
  BadLaunch,      ///< a launch configuration that CUDA rejects, a wrapper that throws
  Refused,        ///< a request inside the kernel's limits was refused
  Barrier,        ///< threads of a block wait at different barriers
  Hang,           ///< threads wait in vain, or work without end
  SharedOverrun,  ///< a guard zone beside a shared array was written
  Guard,          ///< a guard zone, padding or an input was written
  Bounds,         ///< watched: an access outside every buffer, a write to an input or to padding
  Uninitialised,  ///< watched: a read of what was never written (shared memory, workspace, an output)
  ForbiddenRead,  ///< watched: a read of padding, or of an input that the contract says is not read
  Race,           ///< watched: two accesses that nothing orders
  EqualStores,    ///< watched: two plain stores of one same value that nothing orders
  Misaligned,     ///< watched: an access that is an error on a GPU
  Crash,          ///< the process or the GPU's context ended
  Environment,    ///< rounding, flushing of subnormals or traps of the host thread were changed
  HostAccess,     ///< host code of the launch wrapper touched device memory outside a copy or a launch
  Raised,         ///< a function raised an exception
  Changed,        ///< a function changed an input of which it had a copy
};

struct FaultRow {
  Fault fault;
  std::string_view word;  ///< in a worker's answer
  verdict::Rule rule;     ///< one that has a class
  [[nodiscard]] constexpr verdict::FailureClass kind() const { return rule.kind().value(); }
};

/// All of them, in the order of Fault.
[[nodiscard]] std::span<const FaultRow> faults() noexcept;
[[nodiscard]] inline const FaultRow& row(Fault fault) noexcept { return faults()[static_cast<std::size_t>(fault)]; }

/// The fault of a word, or nothing.
[[nodiscard]] std::optional<Fault> fault_named(std::string_view word) noexcept;

}  // namespace negzero::protocol
