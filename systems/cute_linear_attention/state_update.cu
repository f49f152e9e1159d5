// The state update of linear attention, D = C + K^T V over chunks of the sequence, by CuTe (cutlass#2214).
//
// A is K^T, B is V and C is the state before the chunks: a gemm with alpha = beta = 1. The four implementations differ
// in where they round, and in nothing else. Which of them is right is not in the code: a contract says it.
//
//  * rounded: tensor cores sum a chunk in F32. The fragment is rounded to F16 and added to the F32 state, as PyTorch
//    does where torch.matmul() gives F16 and the state is F32.
//  * straight: the F32 fragment is added to the F32 state as it is.
//  * f16_fragment: tensor cores sum a chunk in F16, which is added to the F32 state.
//  * f16_state: the accumulator of the F16 tensor cores is the state itself.
//
// The contracts declare tensor cores whose steps are not named (docs/explanation/numerics.md 2e), as one source runs on every unit
// since Ampere. One chunk is one slice. A longer sequence has a rounding for each chunk. `intermediate` declares one,
// and `slice_format` allows any number: so the limits of the first two kernels end at one chunk, and the kernels named
// `_sequence` have a contract that allows more.

#include <cstdint>
#include <string>
#include <utility>

#include <cute/tensor.hpp>

#include <negzero/cuda/cuda.hpp>

#include "../../kernels/common/gemm.cuh"

namespace negzero::kernels {
namespace {

using cute::_;
using cute::_1;
using cute::_2;
using cute::_4;
using cute::half_t;
using cute::Int;
using cute::Layout;
using cute::Shape;
using number::FormatId;

/// Where an implementation rounds.
enum class Rounds { FragmentToF16, Nothing, F16Fragment, F16State };

constexpr int kRows = 32, kColumns = 32, kChunk = 64, kWarps = 4;

template <Rounds kRounds>
using Atom = std::conditional_t<kRounds == Rounds::F16Fragment || kRounds == Rounds::F16State,
                                cute::SM80_16x8x16_F16F16F16F16_TN, cute::SM80_16x8x16_F32F16F16F32_TN>;

/// Two warps along m by two along n: 32 x 16 outputs of an atom each, twice along n.
template <Rounds kRounds>
using Mma = decltype(cute::make_tiled_mma(cute::MMA_Atom<Atom<kRounds>>{}, Layout<Shape<_2, _2, _1>>{},
                                          cute::Tile<Int<kRows>, Int<kColumns>, Int<16>>{}));

/// The tensor of a matrix of the batch, whatever its strides.
template <typename T>
__device__ auto global_matrix(const Matrices<T>& matrices, int64_t batch, int64_t rows, int64_t columns) {
  return cute::make_tensor(cute::make_gmem_ptr(matrices.data + batch * matrices.batch_stride),
                           cute::make_layout(cute::make_shape(rows, columns),
                                             cute::make_stride(matrices.row_stride, matrices.column_stride)));
}

/// Copies a tile to shared memory: +0 where `at` lies outside of `extents`.
template <typename Source, typename Places, typename Extents, typename Target>
__device__ void load_tile(const Source& source, const Places& at, const Extents& extents, Target&& target) {
  for (int i = 0; i < cute::size(target); ++i) {
    target(i) = cute::elem_less(at(i), extents) ? half_t(source(i)) : half_t(0.0f);
  }
}

/// Adds what a chunk gave to the state.
template <Rounds kRounds>
__device__ float join(float state, float fragment) {
  return __fadd_rn(state, kRounds == Rounds::FragmentToF16 ? __half2float(__float2half_rn(fragment)) : fragment);
}
template <Rounds kRounds>
__device__ float join(float state, half_t fragment) {
  return __fadd_rn(state, static_cast<float>(fragment));
}

template <Rounds kRounds>
__global__ void __launch_bounds__(32 * kWarps) state_update_kernel(GemmProblem<F16ToF32> problem) {
  using cute::make_coord;
  using cute::make_shape;
  __shared__ half_t shared_a[kRows * kChunk], shared_b[kColumns * kChunk];
  const auto tile_a = make_shape(Int<kRows>{}, Int<kChunk>{}), tile_b = make_shape(Int<kColumns>{}, Int<kChunk>{});
  const auto tile_d = make_shape(Int<kRows>{}, Int<kColumns>{});
  auto sA = cute::make_tensor(cute::make_smem_ptr(shared_a), tile_a);
  auto sB = cute::make_tensor(cute::make_smem_ptr(shared_b), tile_b);
  const auto threads = cute::make_layout(make_shape(Int<32>{}, Int<kWarps>{}));
  const auto mma = Mma<kRounds>{}.get_thread_slice(threadIdx.x);
  const auto tCsA = mma.partition_A(sA);
  const auto tCsB = mma.partition_B(sB);
  auto tCrA = mma.make_fragment_A(tCsA);
  auto tCrB = mma.make_fragment_B(tCsB);

  const int64_t tiles_m = (problem.m + kRows - 1) / kRows, tiles_n = (problem.n + kColumns - 1) / kColumns;
  const int64_t chunks = (problem.k + kChunk - 1) / kChunk;
  for (int64_t tile = blockIdx.x; tile < problem.batch * tiles_m * tiles_n; tile += gridDim.x) {
    const int64_t batch = tile / (tiles_m * tiles_n), row = tile / tiles_n % tiles_m, column = tile % tiles_n;
    // CuTe's B is n x k.
    const auto mA = global_matrix(problem.a, batch, problem.m, problem.k);
    const auto kB = global_matrix(problem.b, batch, problem.k, problem.n);
    const auto mB = cute::make_tensor(kB.data(), cute::select<1, 0>(kB.layout()));
    const auto mC = global_matrix(problem.c, batch, problem.m, problem.n);
    const auto mD = global_matrix(problem.d, batch, problem.m, problem.n);
    const auto gC = cute::local_tile(mC, tile_d, make_coord(row, column));
    const auto gD = cute::local_tile(mD, tile_d, make_coord(row, column));
    const auto gA = cute::local_tile(mA, tile_a, make_coord(row, _));
    const auto gB = cute::local_tile(mB, tile_b, make_coord(column, _));
    // Coordinates of the same elements, for the predicates.
    const auto cA = cute::local_tile(cute::make_identity_tensor(mA.shape()), tile_a, make_coord(row, _));
    const auto cB = cute::local_tile(cute::make_identity_tensor(mB.shape()), tile_b, make_coord(column, _));
    const auto cD = cute::local_tile(cute::make_identity_tensor(mD.shape()), tile_d, make_coord(row, column));
    const auto tCgC = mma.partition_C(gC);
    const auto tCcD = mma.partition_C(cD);
    auto tCgD = mma.partition_C(gD);

    auto fragment = mma.make_fragment_C(tCgC);
    auto state = cute::make_tensor<float>(cute::shape(fragment));
    for (int i = 0; i < cute::size(state); ++i) state(i) = cute::elem_less(tCcD(i), mD.shape()) ? tCgC(i) : 0.0f;
    if constexpr (kRounds == Rounds::F16State) {
      for (int i = 0; i < cute::size(state); ++i) fragment(i) = half_t(state(i));
    }

    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      load_tile(cute::local_partition(gA(_, _, chunk), threads, threadIdx.x),
                cute::local_partition(cA(_, _, chunk), threads, threadIdx.x), mA.shape(),
                cute::local_partition(sA, threads, threadIdx.x));
      load_tile(cute::local_partition(gB(_, _, chunk), threads, threadIdx.x),
                cute::local_partition(cB(_, _, chunk), threads, threadIdx.x), mB.shape(),
                cute::local_partition(sB, threads, threadIdx.x));
      __syncthreads();
      cute::copy(tCsA, tCrA);
      cute::copy(tCsB, tCrB);
      __syncthreads();
      if constexpr (kRounds != Rounds::F16State) cute::clear(fragment);
      CUTE_UNROLL
      for (int step = 0; step < cute::size<2>(tCrA); ++step) {
        cute::gemm(mma, tCrA(_, _, step), tCrB(_, _, step), fragment);
      }
      if constexpr (kRounds != Rounds::F16State) {
        for (int i = 0; i < cute::size(state); ++i) state(i) = join<kRounds>(state(i), fragment(i));
      }
    }
    for (int i = 0; i < cute::size(state); ++i) {
      if constexpr (kRounds == Rounds::F16State) state(i) = static_cast<float>(fragment(i));
      if (cute::elem_less(tCcD(i), mD.shape())) tCgD(i) = state(i);
    }
  }
}

/// Of the device in use; 0 where there is none.
int compute_capability_major() {
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  return major;
}

template <Rounds kRounds>
kernel::LaunchResult launch_state_update(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  if (const int major = compute_capability_major(); major < 8) {
    return kernel::LaunchResult::refuse("a GPU of compute capability " + std::to_string(major) +
                                        ".x: CuTe's SM80 atoms need 8.0 or later");
  }
  const auto problem = gemm_problem<F16ToF32>(args);
  const int64_t tiles = problem.batch * ((problem.m + kRows - 1) / kRows) * ((problem.n + kColumns - 1) / kColumns);
  if (tiles > 0) {
    launch(stream, state_update_kernel<kRounds>, blocks_for<int64_t>(tiles, 1), 32 * kWarps, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

/// One chunk: the state joins last, by one addition in F32.
contract::Contract straight() {
  return {.wider = false,
          .tensor_core = contract::TensorCore::Only,
          .slices = 1,
          .alpha = contract::AlphaPlace::Epilogue,
          .beta = contract::BetaPlace::Epilogue,
          .scalar_format = FormatId::F32,
          .zero_sign = contract::ZeroSign::Ieee,
          .determinism = contract::Determinism::RunToRun};
}

contract::Contract rounded() {
  contract::Contract contract = straight();
  contract.intermediate = {{.format = FormatId::F16}};
  contract.intermediate_at = contract::IntermediateAt::Sum;
  return contract;
}

/// Many chunks: the state is where the sums of slices meet.
contract::Contract straight_sequence() {
  contract::Contract contract = straight();
  contract.slices = 0;
  contract.beta = contract::BetaPlace::Leaf;
  return contract;
}

contract::Contract rounded_sequence() {
  contract::Contract contract = straight_sequence();
  contract.slice_format = FormatId::F16;
  return contract;
}

template <Rounds kRounds>
bool add(std::string name, std::string about, contract::Contract contract) {
  const bool is_one_chunk = contract.slices == 1;
  operation::ExtentLimit k{.tiles = {16, kChunk}};
  if (is_one_chunk) k.max = kChunk;
  return kernel::registry().add({
      .name = std::move(name),
      .operation = "gemm",
      .about = std::move(about),
      .contract = std::move(contract),
      .limits = {.formats = {{FormatId::F16, FormatId::F16, FormatId::F32}},
                 .extents = {{"m", {.tiles = {kRows}}}, {"n", {.tiles = {kColumns}}}, {"k", k}},
                 .alpha = operation::ScalarLimit::One,
                 .beta = operation::ScalarLimit::One},
      .launch = launch_state_update<kRounds>,
  });
}

const bool registered[] = {
    add<Rounds::FragmentToF16>("cute.state_update.rounded", "CuTe, K^T V in F32, rounded to F16, added to an F32 state",
                               rounded()),
    add<Rounds::Nothing>("cute.state_update.straight", "CuTe, K^T V in F32, added to an F32 state", straight()),
    add<Rounds::FragmentToF16>("cute.state_update.rounded_sequence", "CuTe, any number of chunks, each rounded to F16",
                               rounded_sequence()),
    add<Rounds::Nothing>("cute.state_update.straight_sequence", "CuTe, any number of chunks, none rounded",
                         straight_sequence()),
    // The same code, held to what it does not do (cutlass#2214).
    add<Rounds::Nothing>("faulty.cute.straight_declared_rounded", "adds the F32 fragment where F16 is declared",
                         rounded()),
    add<Rounds::FragmentToF16>("faulty.cute.rounded_declared_straight", "rounds the fragment to F16, undeclared",
                               straight()),
    add<Rounds::F16Fragment>("faulty.cute.f16_fragment_declared_rounded",
                             "sums a chunk in F16 where its F32 sum is to be rounded once", rounded()),
    add<Rounds::F16Fragment>("faulty.cute.f16_fragment_declared_straight", "sums a chunk in F16, undeclared",
                             straight()),
    add<Rounds::F16State>("faulty.cute.f16_state_declared_rounded", "keeps the F32 state in an F16 accumulator",
                          rounded()),
    add<Rounds::F16State>("faulty.cute.f16_state_declared_straight", "keeps the F32 state in an F16 accumulator",
                          straight()),
};

}  // namespace
}  // namespace negzero::kernels
