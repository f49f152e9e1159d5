// What goes through the socket between a worker and its parent. docs/reference/worker_protocol.md is the page for those
// who write a worker of their own.
//
//   worker -> parent   Ready     (nothing)                               once, before anything else
//                      Failed    text: why it cannot serve               instead of it; then the worker ends
//   parent -> worker   Memory    u64 bytes of shared memory, u64 place, u64 key
//                                                                        before the first Launch, and once it has grown
//   parent -> worker   Launch    u32 plans, each u32 bytes and a LaunchPlan; u8 watched
//   worker -> parent   Launched  u32 outcomes, each u32 bytes and a LaunchOutcome
//                                                                        fewer than plans: then the worker ends
//   worker -> parent   Kernels   text: its kernels as JSON               to `describe`, instead of all that
//
// Descriptor 3 is the socket. The shared memory is a page that holds a Progress, then the image. Its descriptor comes
// with the frame Memory (SCM_RIGHTS); the worker maps it at `place` (0: anywhere) and closes it, so that no kernel
// finds it open. `key` is the runtime's: see engine/runtime_calls.hpp. Behind an answer comes nothing until the next
// Launch: a worker that has said more has forged an answer.
//
// What only workers of this build need comes last (place, key, watched; in a plan everything behind its buffers), so
// that others can pass over it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/protocol/launch_plan.hpp>

namespace negzero::protocol {

enum class WorkerFrame : std::uint8_t { Ready = 1, Failed, Launch, Launched, Kernels, Memory };

/// Of the frames of workers and of what they declare (kernel::kDeclarationVersion). Goes up only where a worker that
/// was written for the version before would misread something.
inline constexpr std::uint8_t kWorkerVersion = 1;
/// Longest body of such a frame, either way.
inline constexpr std::uint32_t kMostWorkerFrameBytes = std::uint32_t{1} << 26;

/// The descriptor that a child has besides the standard ones.
inline constexpr int kChildSocket = 3;

/// Where the image begins in the shared memory.
inline constexpr std::size_t kImageAt = 4096;

/// Most plans of one request, and most bytes of one of them.
inline constexpr std::uint32_t kMostPlans = 4096, kMostPlanBytes = 16384;

/// The first argument of a program that is to be a worker; the next is `describe`, or the kernel's name, then `host`
/// or `cuda` and the GPU's number.
inline constexpr const char* kWorkerFlag = "--negzero-worker";

struct LaunchRequest {
  std::vector<LaunchPlan> plans{};
  bool watched = false;
};

/// The body of a frame Launch.
[[nodiscard]] std::string launch_body(std::span<const LaunchPlan> plans, bool watched);
/// Nothing where the bytes are none: see read_plan().
[[nodiscard]] std::optional<LaunchRequest> read_launch(std::string_view body, std::uint64_t image_bytes);

/// The body of a frame Launched.
[[nodiscard]] std::string launched_body(std::span<const LaunchOutcome> outcomes);
/// Nothing where the bytes are none, or say something of more than `plans` plans.
[[nodiscard]] std::optional<std::vector<LaunchOutcome>> read_launched(std::string_view body, std::size_t plans);

/// Says in one sentence what is wrong with frames of that version, and the cure.
[[nodiscard]] std::string other_version_text(std::uint8_t version);

}  // namespace negzero::protocol
