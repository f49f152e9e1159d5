// GEMMs that count in too few bits, cut k into slices of which one is lost, or clip a grid.

#include <string>
#include <utility>

#include "planted.cuh"

namespace negzero::kernels {
namespace {

/// A block a tile of kTile x kTile, a batch along y; k in steps that `Counter` numbers.
template <int kTile, int kDepth, typename Counter>
__global__ void stepping_kernel(Gemm gemm, Counter steps) {
  const int64_t across = pieces(gemm.n, kTile), row = blockIdx.x / across * kTile, column = blockIdx.x % across * kTile;
  for (int at = static_cast<int>(threadIdx.x); at < kTile * kTile; at += static_cast<int>(kThreads)) {
    const int64_t i = row + at / kTile, j = column + at % kTile;
    if (i >= gemm.m || j >= gemm.n) continue;
    float sum = 0.0f;
    for (Counter step = 0; step < steps; ++step) {
      const int64_t begin = int64_t{step} * kDepth, end = begin + kDepth < gemm.k ? begin + kDepth : gemm.k;
      for (int64_t k = begin; k < end; ++k) sum = fmaf(gemm.a.at(blockIdx.y, i, k), gemm.b.at(blockIdx.y, k, j), sum);
    }
    gemm.d.at(blockIdx.y, i, j) = sum;
  }
}

template <int kTile, int kDepth, typename Counter>
kernel::LaunchResult launch_stepping(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const dim3 grid(static_cast<unsigned>(pieces(gemm.m, kTile) * pieces(gemm.n, kTile)),
                  static_cast<unsigned>(gemm.batch));
  launch(stream, stepping_kernel<kTile, kDepth, Counter>, grid, kThreads, 0, gemm,
         static_cast<Counter>(pieces(gemm.k, kDepth)));
  return kernel::LaunchResult::launched();
}

/// A thread an element of D; the numbers of a batch, a row and a column, as a kernel unpacks them from one index.
template <typename Batch, typename Row, typename Column>
__global__ void unpacking_kernel(Gemm gemm) {
  const int64_t at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= gemm.batch * gemm.m * gemm.n) return;
  const auto batch = static_cast<Batch>(at / (gemm.m * gemm.n));
  const auto i = static_cast<Row>(at / gemm.n % gemm.m);
  const auto j = static_cast<Column>(at % gemm.n);
  gemm.d.at(batch, i, j) = product_at(gemm, batch, i, j);
}

template <typename Batch, typename Row, typename Column>
kernel::LaunchResult launch_unpacking(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const auto blocks = static_cast<unsigned>(pieces(gemm.batch * gemm.m * gemm.n, kThreads));
  launch(stream, unpacking_kernel<Batch, Row, Column>, blocks, kThreads, 0, gemm);
  return kernel::LaunchResult::launched();
}

/// partial[slice][batch][i][j], slices of whole steps of k.
template <int kDepth>
__global__ void slices_kernel(Gemm gemm, int64_t steps, float* partial) {
  const int64_t outputs = gemm.batch * gemm.m * gemm.n, at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= outputs) return;
  const int64_t batch = at / (gemm.m * gemm.n), i = at / gemm.n % gemm.m, j = at % gemm.n;
  const int64_t begin = blockIdx.y * steps * kDepth;
  const int64_t end = begin + steps * kDepth < gemm.k ? begin + steps * kDepth : gemm.k;
  float sum = 0.0f;
  for (int64_t k = begin; k < end; ++k) sum = fmaf(gemm.a.at(batch, i, k), gemm.b.at(batch, k, j), sum);
  partial[blockIdx.y * outputs + at] = sum;
}

__global__ void join_kernel(Gemm gemm, int slices, const float* partial) {
  const int64_t outputs = gemm.batch * gemm.m * gemm.n, at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= outputs) return;
  float sum = 0.0f;
  for (int slice = 0; slice < slices; ++slice) sum += partial[slice * outputs + at];
  gemm.d.at(at / (gemm.m * gemm.n), at / gemm.n % gemm.m, at % gemm.n) = sum;
}

/// k in kSlices slices where each has a step at least. The fault rounds their length down.
template <int kDepth, int kSlices, bool kFault>
kernel::LaunchResult launch_slices(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const int64_t outputs = gemm.batch * gemm.m * gemm.n, steps = pieces(gemm.k, kDepth);
  const int slices = steps < kSlices ? 1 : kSlices;
  auto* const partial =
      static_cast<float*>(workspace.allocate(static_cast<std::size_t>(slices * outputs) * sizeof(float)));
  const auto blocks = static_cast<unsigned>(pieces(outputs, kThreads));
  launch(stream, slices_kernel<kDepth>, dim3(blocks, static_cast<unsigned>(slices)), kThreads, 0, gemm,
         kFault ? steps / slices : pieces(steps, slices), partial);
  launch(stream, join_kernel, blocks, kThreads, 0, gemm, slices, partial);
  return kernel::LaunchResult::launched();
}

/// A block a row of D in kBlocks at most along y, which the fault takes for all there are; a batch along z.
template <bool kFault>
__global__ void row_kernel(Gemm gemm) {
  const int64_t j = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (j >= gemm.n) return;
  for (int64_t batch = blockIdx.z; batch < gemm.batch; batch += gridDim.z) {
    for (int64_t i = blockIdx.y; i < gemm.m; i += gridDim.y) {
      gemm.d.at(batch, i, j) = product_at(gemm, batch, i, j);
      if (kFault) break;
    }
    if (kFault) break;
  }
}

template <bool kFault>
kernel::LaunchResult launch_rows_of_d(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const dim3 grid(static_cast<unsigned>(pieces(gemm.n, kThreads)), static_cast<unsigned>(std::min(gemm.m, kMostBlocks)),
                  static_cast<unsigned>(std::min(gemm.batch, kMostBlocks)));
  launch(stream, row_kernel<kFault>, grid, kThreads, 0, gemm);
  return kernel::LaunchResult::launched();
}

template <int kTile, int kDepth, typename Counter>
bool plant_steps(const std::string& constant) {
  return plant_gemm("steps_counted." + constant, "steps of k are counted in too few bits",
                    gemm_limits({{"batch", {.max = kMostBlocks}}}), launch_stepping<kTile, kDepth, Counter>,
                    launch_stepping<kTile, kDepth, int64_t>);
}
template <typename Batch, typename Row, typename Column>
bool plant_numbers(const std::string& constant) {
  return plant_gemm("counted." + constant, "the number of a batch, a row or a column is kept in too few bits",
                    gemm_limits({}), launch_unpacking<Batch, Row, Column>, launch_unpacking<int64_t, int64_t, int64_t>);
}
template <int kDepth, int kSlices>
bool plant_slices(const std::string& constant) {
  return plant_gemm("split_k." + constant, "steps of k that the slices do not share alike are left out",
                    gemm_limits({}), launch_slices<kDepth, kSlices, true>, launch_slices<kDepth, kSlices, false>);
}

using std::uint16_t, std::uint8_t;

const bool planted[] = {
    plant_steps<16, 16, uint8_t>("8_bits_of_16"),
    plant_steps<16, 32, uint8_t>("8_bits_of_32"),
    plant_steps<16, 8, uint8_t>("8_bits_of_8"),
    plant_steps<16, 1, uint16_t>("16_bits_of_1"),
    plant_numbers<int64_t, uint8_t, int64_t>("row_8_bits"),
    plant_numbers<int64_t, int64_t, uint8_t>("column_8_bits"),
    plant_numbers<uint8_t, int64_t, int64_t>("batch_8_bits"),
    plant_numbers<int64_t, uint16_t, int64_t>("row_16_bits"),
    plant_numbers<int64_t, int64_t, uint16_t>("column_16_bits"),
    plant_numbers<uint16_t, int64_t, int64_t>("batch_16_bits"),
    plant_slices<16, 2>("16_by_2"),
    plant_slices<32, 2>("32_by_2"),
    plant_slices<64, 2>("64_by_2"),
    plant_slices<32, 4>("32_by_4"),
    plant_gemm("grid_clipped.y_and_z", "rows and batches past 65,535 are no blocks", gemm_limits({}),
               launch_rows_of_d<true>, launch_rows_of_d<false>),
};

}  // namespace
}  // namespace negzero::kernels
