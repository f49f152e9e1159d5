// How far a process that launches kernels has come, as its parent sees it while it waits.

#pragma once

#include <cstdint>

#include <negzero/engine/distant_memory.hpp>

namespace negzero::protocol {

/// What a process that launches kernels shows while it does, in the first bytes of the memory that it shares with its
/// parent: little-endian 64-bit numbers.
struct Progress {
  std::uint64_t beats = 0;          ///< goes up whenever a launch gets on (engine::Settings::progress)
  std::uint64_t plan = 0;           ///< the plan that is being launched, counted from the start of the request
  std::uint64_t where = 0;          ///< a Whereabouts
  std::uint64_t in_kernel = 0;      ///< 1 while a launch on the host runs (engine::Settings::running)
  std::uint64_t out_of_memory = 0;  ///< 1 once the process ends itself because the system gives it no more
  engine::DistantFault
      fault{};  ///< where a kernel has come that ends the process: the reservation is a buffer's place in the plan
};
enum class Whereabouts : std::uint64_t {
  Between,
  InWrapper,
  InKernel,
  InFunction,  ///< the function of a worker that shows values only
};

}  // namespace negzero::protocol
