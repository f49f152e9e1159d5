// GEMMs that take the wrong element of an operand: of another batch, along another dimension, along the other side of
// C.

#include <string>
#include <utility>

#include "planted.cuh"

namespace negzero::kernels {
namespace {

/// The operand of which something is lost, as the batch's index.
enum class Lost : std::uint8_t { Nothing, OfA, OfB, OfC, OfD };

/// A block a tile of kTile x kTile, a batch along z.
template <int kTile, Lost kLost>
__global__ void batched_kernel(Gemm gemm, bool reads_c) {
  const int64_t batch = blockIdx.z, batch_a = kLost == Lost::OfA ? 0 : batch, batch_b = kLost == Lost::OfB ? 0 : batch;
  const int64_t row = int64_t{blockIdx.y} * kTile, column = int64_t{blockIdx.x} * kTile;
  for (int at = static_cast<int>(threadIdx.x); at < kTile * kTile; at += static_cast<int>(kThreads)) {
    const int64_t i = row + at / kTile, j = column + at % kTile;
    if (i >= gemm.m || j >= gemm.n) continue;
    float sum = 0.0f;
    for (int64_t k = 0; k < gemm.k; ++k) sum = fmaf(gemm.a.at(batch_a, i, k), gemm.b.at(batch_b, k, j), sum);
    if (reads_c) sum += gemm.c.at(kLost == Lost::OfC ? 0 : batch, i, j);
    gemm.d.at(batch, i, j) = sum;
  }
}

/// Whether C is added is beta, which is 0 or 1.
bool reads_c(const kernel::Args& args) { return args.scalar("beta").as<float>() != 0.0f; }

template <int kTile, Lost kLost>
kernel::LaunchResult launch_batched(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const dim3 grid(static_cast<unsigned>(pieces(gemm.n, kTile)), static_cast<unsigned>(pieces(gemm.m, kTile)),
                  static_cast<unsigned>(gemm.batch));
  launch(stream, batched_kernel<kTile, kLost>, grid, kThreads, 0, gemm, reads_c(args));
  return kernel::LaunchResult::launched();
}

/// A thread an element, any number of blocks.
__global__ void element_kernel(Gemm gemm, bool reads_c) {
  const int64_t at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= gemm.batch * gemm.m * gemm.n) return;
  const int64_t batch = at / (gemm.m * gemm.n), i = at / gemm.n % gemm.m, j = at % gemm.n;
  const float sum = product_at(gemm, batch, i, j);
  gemm.d.at(batch, i, j) = reads_c ? sum + gemm.c.at(batch, i, j) : sum;
}

kernel::LaunchResult launch_elements(const Gemm& gemm, bool reads_c, engine::Stream& stream) {
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const auto blocks = static_cast<unsigned>(pieces(gemm.batch * gemm.m * gemm.n, kThreads));
  launch(stream, element_kernel, blocks, kThreads, 0, gemm, reads_c);
  return kernel::LaunchResult::launched();
}

/// A path of its own for one row. With the fault all batches of one operand lie at stride 0 there.
template <Lost kLost>
kernel::LaunchResult launch_vector(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  Gemm gemm = gemm_of(args);
  if (gemm.m == 1 && kLost == Lost::OfA) gemm.a.outer = 0;
  if (gemm.m == 1 && kLost == Lost::OfB) gemm.b.outer = 0;
  return launch_elements(gemm, reads_c(args), stream);
}

/// Packed matrices, whose batches lie one behind the other. The fault steps from one to the next by another's size.
template <Lost kLost, bool kFault>
kernel::LaunchResult launch_packed(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  Gemm gemm = gemm_of(args);
  gemm.a.outer = kFault && kLost == Lost::OfA ? gemm.n * gemm.k : gemm.m * gemm.k;
  gemm.b.outer = kFault && kLost == Lost::OfB ? gemm.m * gemm.k : gemm.k * gemm.n;
  gemm.a.middle = gemm.k, gemm.b.middle = gemm.n;
  gemm.a.inner = gemm.b.inner = 1;
  return launch_elements(gemm, false, stream);
}

/// How a wrapper sees whether a matrix is row-major.
enum class Seen : std::uint8_t { Rightly, ByColumns, ByRows };

/// A matrix as the BLAS have it: element (i, j) at i * ld + j, or at i + j * ld where it is transposed. The stride of
/// one column, or of one row, says nothing; the faults believe it.
template <Seen kSeen, typename T>
void take_leading_dimension(View<T>& matrix, int64_t columns) {
  bool is_row_major = matrix.inner == 1 || columns <= 1;
  if (kSeen == Seen::ByColumns) is_row_major = matrix.inner == 1;
  if (kSeen == Seen::ByRows) is_row_major = matrix.middle != 1;
  (is_row_major ? matrix.inner : matrix.middle) = 1;
}

template <Lost kOf, Seen kSeen>
kernel::LaunchResult launch_leading(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  Gemm gemm = gemm_of(args);
  take_leading_dimension<kOf == Lost::OfA ? kSeen : Seen::Rightly>(gemm.a, gemm.k);
  take_leading_dimension<kOf == Lost::OfB ? kSeen : Seen::Rightly>(gemm.b, gemm.n);
  take_leading_dimension<kOf == Lost::OfD ? kSeen : Seen::Rightly>(gemm.d, gemm.n);
  return launch_elements(gemm, false, stream);
}

/// C may be a vector along one side, with stride 0 along the other. The fault takes the side from its length.
template <bool kFault>
kernel::LaunchResult launch_bias(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  Gemm gemm = gemm_of(args);
  if (gemm.c.middle == 0 || gemm.c.inner == 0) {
    const int64_t length = gemm.c.middle == 0 ? gemm.n : gemm.m, stride = std::max(gemm.c.middle, gemm.c.inner);
    const bool is_of_rows = kFault ? length == gemm.m : gemm.c.inner == 0;
    gemm.c.middle = is_of_rows ? stride : 0;
    gemm.c.inner = is_of_rows ? 0 : stride;
  }
  return launch_elements(gemm, reads_c(args), stream);
}

operation::Limits with_addend(operation::Limits limits) {
  limits.beta = ScalarLimit::ZeroOrOne;
  return limits;
}
operation::Limits with_order(LayoutOrder order) {
  operation::Limits limits = gemm_limits({});
  limits.inputs = {.order = order};
  if (order == LayoutOrder::RowOrColumnMajor) limits.output = {.order = order};
  return limits;
}

/// Limits of the grid of batched_kernel.
operation::ExtentLimits grid_extents(int64_t tile, int64_t multiple, int64_t multiple_of_k) {
  return {{"batch", {.max = kMostBlocks}},
          {"m", {.max = kMostBlocks * tile, .multiple = multiple}},
          {"n", {.multiple = multiple}},
          {"k", {.multiple = multiple_of_k}}};
}

template <int kTile, Lost kLost>
bool plant_batch(const std::string& constant, operation::Limits limits) {
  return plant_gemm("batch_lost." + constant, "every batch reads an operand of the first one",
                    with_addend(std::move(limits)), launch_batched<kTile, kLost>, launch_batched<kTile, Lost::Nothing>);
}
template <Lost kOf, Seen kSeen>
bool plant_leading(const std::string& constant) {
  return plant_gemm("leading." + constant, "the stride along an extent of 1 is believed",
                    with_order(LayoutOrder::RowOrColumnMajor), launch_leading<kOf, kSeen>,
                    launch_leading<kOf, Seen::Rightly>);
}
operation::Limits hinted() {
  operation::Limits limits = gemm_limits(grid_extents(64, 1, 1));
  limits.extents["m"].tiles = limits.extents["n"].tiles = {64};
  return limits;
}

const bool planted[] = {
    plant_batch<16, Lost::OfA>("a", gemm_limits(grid_extents(16, 1, 1))),
    plant_batch<64, Lost::OfB>("b_hinted", hinted()),
    plant_batch<128, Lost::OfA>("a_whole", gemm_limits(grid_extents(128, 128, 32))),
    plant_batch<128, Lost::OfB>("b_whole", gemm_limits(grid_extents(128, 128, 32))),
    plant_batch<16, Lost::OfC>("c", gemm_limits(grid_extents(16, 1, 1))),
    plant_gemm("vector_batch.a", "the path of one row takes all batches of A at one place", gemm_limits({}),
               launch_vector<Lost::OfA>, launch_vector<Lost::Nothing>),
    plant_gemm("vector_batch.b", "the path of one row takes all batches of B at one place", gemm_limits({}),
               launch_vector<Lost::OfB>, launch_vector<Lost::Nothing>),
    plant_gemm("batch_stride.a", "batches of A lie as far apart as those of B", with_order(LayoutOrder::Packed),
               launch_packed<Lost::OfA, true>, launch_packed<Lost::OfA, false>),
    plant_gemm("batch_stride.b", "batches of B lie as far apart as those of A", with_order(LayoutOrder::Packed),
               launch_packed<Lost::OfB, true>, launch_packed<Lost::OfB, false>),
    plant_leading<Lost::OfA, Seen::ByColumns>("a_of_one_column"),
    plant_leading<Lost::OfA, Seen::ByRows>("a_of_one_row"),
    plant_leading<Lost::OfB, Seen::ByColumns>("b_of_one_column"),
    plant_leading<Lost::OfB, Seen::ByRows>("b_of_one_row"),
    plant_leading<Lost::OfD, Seen::ByColumns>("d_of_one_column"),
    plant_leading<Lost::OfD, Seen::ByRows>("d_of_one_row"),
    plant_gemm("bias_side.square", "a vector as long as both sides is added along the rows",
               with_addend(gemm_limits({})), launch_bias<true>, launch_bias<false>),
};

}  // namespace
}  // namespace negzero::kernels
