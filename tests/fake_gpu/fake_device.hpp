// A GPU that is host memory: copies happen at once, kernels are functions of the host, errors come on demand.

#pragma once

#include <cstdint>
#include <vector>

namespace negzero::fake_gpu {

/// The next question whether a stream is done is answered with this error, and every call after it too when it is
/// sticky. For the whole process, as on a GPU.
void fail_with(int code);
/// While it is set, no stream is ever done: a kernel that never ends.
void stall(bool forever);
/// How many copies to the device were enqueued.
std::uint64_t uploads();
/// What was enqueued on streams since the last call, in order. A kernel tells of its launch.
struct Step {
  enum class Kind : std::uint8_t { Upload, Launch, Wait, Download, End } kind;
  const void* stream;
  const void* other = nullptr;  ///< that a Wait waits for
};
std::vector<Step> take_steps();
void tell_launch(const void* stream);
/// Memory that is pinned now.
std::uint64_t pinned();
/// Bytes of memory that the GPU has from now on.
void set_memory(std::uint64_t bytes);
/// Whether the GPU has virtual memory, from now on.
void let_map(bool can);
/// Pages of 2 MiB that are mapped now.
std::uint64_t mapped_pages();
/// Forgets all errors.
void reset();

}  // namespace negzero::fake_gpu
