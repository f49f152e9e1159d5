// What goes through the socket between a worker and its parent.
//
//   worker -> parent   Ready     (nothing)                               once, before anything else
//                      Failed    text: why it cannot serve               instead of it; then the worker ends
//   parent -> worker   Memory    u64 bytes of shared memory, u64 place, u64 key
//                                                                        before the first Launch, and once it has grown
//   parent -> worker   Launch    u8 watched, u32 plans, each a LaunchPlan
//   worker -> parent   Launched  u32 outcomes, each a LaunchOutcome      fewer than plans: then the worker ends
//   worker -> parent   Kernels   text: its kernels as JSON               to `describe`, instead of all that
//
// Descriptor 3 is the socket. The shared memory is a page that holds a Progress, then the image. Its descriptor comes
// with the frame Memory (SCM_RIGHTS); the worker maps it at `place` (0: anywhere) and closes it, so that no kernel
// finds it open. `key` is the runtime's: see engine/runtime_calls.hpp. Behind an answer comes nothing until the next
// Launch: a worker that has said more has forged an answer.

#pragma once

#include <cstddef>
#include <cstdint>

namespace negzero::protocol {

enum class WorkerFrame : std::uint8_t { Ready = 1, Failed, Launch, Launched, Kernels, Memory };

/// The descriptor that a child has besides the standard ones.
inline constexpr int kChildSocket = 3;

/// Where the image begins in the shared memory.
inline constexpr std::size_t kImageAt = 4096;

/// Most plans of one request.
inline constexpr std::uint32_t kMostPlans = 4096;

/// The first argument of a program that is to be a worker; the next is `describe`, or the kernel's name, then `host`
/// or `cuda` and the GPU's number.
inline constexpr const char* kWorkerFlag = "--negzero-worker";

}  // namespace negzero::protocol
