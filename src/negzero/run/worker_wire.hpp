// What goes through the socket between a worker and its parent.
//
//   worker -> parent   Ready     (nothing)                                        once, before anything else
//                      Failed    text: why it cannot serve                        instead of it; then the worker ends
//   parent -> worker   Launch    u64 bytes of shared memory, u8 watched, u32 plans, each a LaunchPlan
//   worker -> parent   Launched  u32 outcomes, each a LaunchOutcome               fewer than plans: then the worker
//   ends worker -> parent   Kernels   text: declarations of its kernels as JSON        to `describe`, instead of all
//   that
//
// Descriptor 3 is the socket, 4 the shared memory: a page that holds a Progress, then the image.

#pragma once

#include <cstddef>
#include <cstdint>

namespace negzero::run {

enum class WorkerFrame : std::uint8_t { Ready = 1, Failed, Launch, Launched, Kernels };

/// Where the image begins in the shared memory.
inline constexpr std::size_t kImageAt = 4096;

/// Most plans of one request.
inline constexpr std::uint32_t kMostPlans = 4096;

/// The first argument of a program that is to be a worker; the next is `describe`, or the kernel's name, then `host`,
/// or `cuda`, the GPU's number and `graph` or `single`.
inline constexpr const char* kWorkerFlag = "--negzero-worker";

}  // namespace negzero::run
