// What the kernel files of this folder share: sums of rows, right and wrong, and the registration of an attack beside
// its honest twin.

#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include <sys/prctl.h>

#include <negzero/cuda/cuda.hpp>

#include "../../kernels/common/reduce.cuh"

namespace negzero::attacks {
namespace {  // Anonymous, as in every kernel file: the builds of one file are linked into one program.

using kernels::Rows;
using number::FormatId;
using Problem = Rows<float, float>;
using Launch = kernel::LaunchResult (*)(const kernel::Args&, kernel::Workspace&, engine::Stream&);

/// One thread a row, columns ascending.
__global__ void right_kernel(Problem problem) {
  for (int64_t row = kernels::first_piece(); row < problem.rows; row += kernels::piece_stride()) {
    float sum = 0.0f;
    for (int64_t column = 0; column < problem.columns; ++column) sum = __fadd_rn(sum, problem.at(row, column));
    problem.y[row * problem.y_stride] = sum;
  }
}

/// Writes a number that is no sum of anything.
__global__ void wrong_kernel(Problem problem) {
  for (int64_t row = kernels::first_piece(); row < problem.rows; row += kernels::piece_stride()) {
    problem.y[row * problem.y_stride] = -7250.5f;
  }
}

inline Problem problem_of(const kernel::Args& args) { return kernels::rows_of<float, float>(args); }

template <typename Kernel>
kernel::LaunchResult run(Kernel* kernel, const kernel::Args& args, engine::Stream& stream) {
  const Problem problem = problem_of(args);
  if (problem.rows > 0) launch(stream, kernel, kernels::blocks_for<int64_t>(problem.rows, 64), 64, 0, problem);
  return kernel::LaunchResult::launched();
}
inline kernel::LaunchResult right(const kernel::Args& args, engine::Stream& stream) {
  return run(right_kernel, args, stream);
}
inline kernel::LaunchResult wrong(const kernel::Args& args, engine::Stream& stream) {
  return run(wrong_kernel, args, stream);
}

/// What host code would have to write. Reads device memory: allowed only where an attack has opened it.
inline void compute_on_host(const Problem& problem, float* y) {
  for (int64_t row = 0; row < problem.rows; ++row) {
    float sum = 0.0f;
    for (int64_t column = 0; column < problem.columns; ++column) sum += problem.at(row, column);
    y[row * problem.y_stride] = sum;
  }
}

/// Where the memory that is shared with the parent is mapped: from the first of its mappings to the end of the last.
struct SharedImage {
  std::uintptr_t begin = 0, end = 0;
  [[nodiscard]] unsigned char* data() const { return reinterpret_cast<unsigned char*>(begin); }
  [[nodiscard]] std::size_t size() const { return end - begin; }
};
inline SharedImage shared_image() {
  SharedImage image;
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return image;
  char line[512];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    if (std::strstr(line, "negzero-image") == nullptr || std::sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
    if (image.begin == 0) image.begin = begin;
    image.end = end;
  }
  std::fclose(maps);
  return image;
}

/// Whether system calls are filtered (PR_GET_SECCOMP: 2). Where they are not, nothing may try what would end the
/// user's other processes.
inline bool is_confined() { return ::prctl(PR_GET_SECCOMP) == 2; }

inline bool add_sum(std::string name, std::string about, Launch how) {
  return kernel::registry().add({.name = std::move(name),
                                 .operation = "reduce.sum",
                                 .about = std::move(about),
                                 .contract = {.wider = false, .zero_sign = contract::ZeroSign::Ieee},
                                 .limits = {.formats = {{FormatId::F32, FormatId::F32}}},
                                 .launch = how});
}

/// Registers attack.SLUG and honest.SLUG.
inline bool add_pair(const std::string& slug, const std::string& about, Launch attack, Launch honest) {
  return add_sum("attack." + slug, about, attack) && add_sum("honest." + slug, "has the shape of that attack", honest);
}

/// The same with one trick for both: garbage follows it, or the right sums.
template <auto kTrick>
bool add_trick(const std::string& slug, const std::string& about) {
  return add_pair(
      slug, about,
      [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
        kTrick(args);
        return wrong(args, stream);
      },
      [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
        kTrick(args);
        return right(args, stream);
      });
}

}  // namespace
}  // namespace negzero::attacks
