// The maximum over the middle of three dimensions, its place, and both: a thread an output.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <negzero/cuda/cuda.hpp>

#include "../common/candidate.cuh"
#include "../common/lines.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Lines, and where the place of each maximum goes.
struct LinesWithPlaces {
  Lines<float, float> lines;
  std::int32_t* places;
  int64_t outer_stride, inner_stride;
};

/// The first of the greatest elements of a line, a NaN above all; nowhere, with the value that an empty line has.
template <typename Y>
__device__ Candidate best_of_line(const Lines<float, Y>& lines, int64_t o, int64_t i) {
  Candidate best{worst<Side::Max>(), kNowhere};
  for (int64_t term = 0; term < lines.terms; ++term) {
    best = better<Side::Max>(best, {lines.at(o, term, i), static_cast<std::int32_t>(term)});
  }
  return best;
}

__global__ void max_kernel(Lines<float, float> problem) {
  for (int64_t output = first_piece(); output < problem.outputs(); output += piece_stride()) {
    const int64_t o = output / problem.inner, i = output % problem.inner;
    float best = worst<Side::Max>();
    for (int64_t term = 0; term < problem.terms; ++term) best = select_nan<Side::Max>(best, problem.at(o, term, i));
    problem.give(o, i, best);
  }
}

__global__ void argmax_kernel(Lines<float, std::int32_t> problem) {
  for (int64_t output = first_piece(); output < problem.outputs(); output += piece_stride()) {
    const int64_t o = output / problem.inner, i = output % problem.inner;
    problem.give(o, i, best_of_line(problem, o, i).index);
  }
}

__global__ void max_index_kernel(LinesWithPlaces problem) {
  for (int64_t output = first_piece(); output < problem.lines.outputs(); output += piece_stride()) {
    const int64_t o = output / problem.lines.inner, i = output % problem.lines.inner;
    const Candidate best = best_of_line(problem.lines, o, i);
    problem.lines.give(o, i, best.value);
    problem.places[o * problem.outer_stride + i * problem.inner_stride] = best.index;
  }
}

kernel::LaunchResult launch_max(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = lines_of_middle<float, float>(args);
  return launch_outputs(max_kernel, problem, problem.outputs(), stream);
}
kernel::LaunchResult launch_argmax(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = lines_of_middle<float, std::int32_t>(args);
  return launch_outputs(argmax_kernel, problem, problem.outputs(), stream);
}
kernel::LaunchResult launch_max_index(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const kernel::Operand& at = args.operand("at");
  const LinesWithPlaces problem{lines_of_middle<float, float>(args), at.as<std::int32_t>(), at.strides[0],
                                at.strides[1]};
  return launch_outputs(max_index_kernel, problem, problem.lines.outputs(), stream);
}

using Launch = decltype(kernel::Kernel::launch);

bool add(const std::string& operation, std::string about, const contract::Contract& contract,
         std::vector<FormatId> formats, Launch launch) {
  return kernel::registry().add({
      .name = operation + ".f32",
      .operation = operation,
      .about = std::move(about),
      .contract = contract,
      .limits = {.formats = {std::move(formats)}, .extents = {{"inner", {.tiles = {kLineThreads}}}}},
      .launch = std::move(launch),
  });
}

/// What all three promise beyond what they make of zeros and ties.
contract::Contract promises(contract::Contract contract) {
  contract.determinism = contract::Determinism::GpuToGpu;
  contract.position_invariant = true;
  return contract;
}

const bool registered[] = {
    add("reduce.max_middle", "IEEE 754-2019 maximum over the middle dimension: any NaN wins",
        promises({.zero_sign = contract::ZeroSign::Ieee}), {FormatId::F32, FormatId::F32}, launch_max),
    add("reduce.argmax_middle", "first position of the maximum, NaN above all; -1 where there is nothing",
        promises({.ties = contract::Ties::First, .empty = static_cast<std::uint32_t>(kNowhere)}),
        {FormatId::F32, FormatId::I32}, launch_argmax),
    add("reduce.max_index_middle", "the maximum and its first place, NaN above all",
        promises({.zero_sign = contract::ZeroSign::Any, .ties = contract::Ties::First}),
        {FormatId::F32, FormatId::F32, FormatId::I32}, launch_max_index),
};

}  // namespace
}  // namespace negzero::kernels
