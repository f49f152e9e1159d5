// Declared operations with a reference in F64: packed weights, merges of parts, a running maximum, a bias of a square.

#include <string>
#include <utility>
#include <vector>

#include "planted.cuh"

namespace negzero::kernels {
namespace {

/// y[batch, out] = sum over k of scale[out, k / kGroup] w[out, k] x[batch, k], in tiles of kTile of k, where w has four
/// bits of an int and is 0 to 15. y_scale is the sum of the magnitudes, times the roundings of a term's way, and
/// what products below the normal numbers lose.
constexpr const char* kPacked =
    "planted.packed: y[batch, out] <- x[batch, tiles, inside], w[out, tiles, words], scale[out, tiles, groups]";
constexpr const char* kPackedReference =
    "planted.packed.reference: y[batch, out], y_scale[batch, out] <- x[batch, tiles, inside], w[out, tiles, words], "
    "scale[out, tiles, groups]";

template <typename T>
struct Packed {
  int64_t batch, out, tiles, inside, words, groups;
  const T* x;
  const unsigned* w;
  const T* scale;
  T *y, *y_scale;

  __device__ T term(int64_t of_batch, int64_t to, int64_t k) const {
    const unsigned word = w[to * tiles * words + k / 8];
    const T weight = static_cast<T>(word >> k % 8 * 4 & 15);
    return scale[to * tiles * groups + k / (inside / groups)] * weight * x[of_batch * tiles * inside + k];
  }
};

template <typename T>
Packed<T> packed_of(const kernel::Args& args, T* y_scale) {
  return {args.extent("batch"),
          args.extent("out"),
          args.extent("tiles"),
          args.extent("inside"),
          args.extent("words"),
          args.extent("groups"),
          args.operand("x").as<const T>(),
          args.operand("w").as<const unsigned>(),
          args.operand("scale").as<const T>(),
          args.operand("y").as<T>(),
          y_scale};
}

/// Which index is lost.
enum class Lost : std::uint8_t { Nothing, BatchOfX, RowOfScale };

/// A warp for each of kRows outputs, a batch along x.
template <int kRows, Lost kLost>
__global__ void packed_kernel(Packed<float> all) {
  const int64_t batch = blockIdx.x, to = int64_t{blockIdx.y} * kRows + threadIdx.y;
  Packed<float> seen = all;
  if (kLost == Lost::RowOfScale) seen.scale -= to * all.tiles * all.groups;
  float sum = 0.0f;
  for (int64_t k = threadIdx.x; k < all.tiles * all.inside; k += 32) {
    sum += seen.term(kLost == Lost::BatchOfX ? 0 : batch, to, k);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) all.y[batch * all.out + to] = sum;
}

template <int kRows, Lost kLost>
kernel::LaunchResult launch_packed(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto all = packed_of<float>(args, nullptr);
  const dim3 grid(static_cast<unsigned>(all.batch), static_cast<unsigned>(all.out / kRows));
  launch(stream, packed_kernel<kRows, kLost>, grid, dim3(32, kRows), 0, all);
  return kernel::LaunchResult::launched();
}

__global__ void packed_reference_kernel(Packed<double> all) {
  const int64_t at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= all.batch * all.out) return;
  double sum = 0, magnitude = 0;
  for (int64_t k = 0; k < all.tiles * all.inside; ++k) {
    const double term = all.term(at / all.out, at % all.out, k);
    sum += term, magnitude += fabs(term);
  }
  all.y[at] = sum;
  all.y_scale[at] = magnitude * static_cast<double>(pieces(all.tiles * all.inside, 32) + 8) + 0x1p-100;
}

kernel::LaunchResult launch_packed_reference(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto all = packed_of<double>(args, args.operand("y_scale").as<double>());
  if (all.batch * all.out == 0) return kernel::LaunchResult::launched();
  const auto blocks = static_cast<unsigned>(pieces(all.batch * all.out, kThreads));
  launch(stream, packed_reference_kernel, blocks, kThreads, 0, all);
  return kernel::LaunchResult::launched();
}

/// Two parts of an attention's rows, each with its logarithm of summed exponentials, which of an empty part is -inf.
constexpr const char* kMerge =
    "planted.merge: o[rows, columns] <- first[rows, columns], second[rows, columns], p[rows], q[rows] each rows";
constexpr const char* kMergeReference =
    "planted.merge.reference: o[rows, columns], o_scale[rows, columns] <- first[rows, columns], second[rows, columns], "
    "p[rows], q[rows] each rows";

template <typename T>
struct Merge {
  int64_t rows, columns;
  View<const T> first, second, p, q;
  View<T> o;
};
template <typename T>
Merge<T> merge_of(const kernel::Args& args) {
  return {args.extent("rows"),
          args.extent("columns"),
          view_of<const T>(args, "first"),
          view_of<const T>(args, "second"),
          view_of<const T>(args, "p"),
          view_of<const T>(args, "q"),
          view_of<T>(args, "o")};
}

/// The fault knows that one part may be empty, and not that both may.
template <bool kFault>
__global__ void merge_kernel(Merge<float> all) {
  const int64_t at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= all.rows * all.columns) return;
  const int64_t row = at / all.columns, column = at % all.columns;
  const float p = all.p.at(row), q = all.q.at(row), greatest = fmaxf(p, q);
  const bool is_empty = !kFault && greatest == -INFINITY;
  const float of_p = is_empty ? 0.0f : expf(p - greatest), of_q = is_empty ? 0.0f : expf(q - greatest);
  const float sum = is_empty ? 1.0f : of_p + of_q;
  all.o.at(row, column) = (of_p / sum) * all.first.at(row, column) + (of_q / sum) * all.second.at(row, column);
}

/// exp(x) errs by |x| 2^-24 times itself where x is rounded, and by 2 ulp of its own.
__global__ void merge_reference_kernel(Merge<double> all, View<double> scale) {
  const int64_t at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= all.rows * all.columns) return;
  const int64_t row = at / all.columns, column = at % all.columns;
  const double p = all.p.at(row), q = all.q.at(row), greatest = fmax(p, q);
  const bool is_empty = greatest == -INFINITY;
  const double of_p = is_empty ? 0 : exp(p - greatest), of_q = is_empty ? 0 : exp(q - greatest);
  const double sum = is_empty ? 1 : of_p + of_q;
  const double first = of_p / sum * all.first.at(row, column), second = of_q / sum * all.second.at(row, column);
  all.o.at(row, column) = first + second;
  const double apart = is_empty || of_p == 0 || of_q == 0 ? 0 : fabs(p - q);
  scale.at(row, column) = (fabs(first) + fabs(second)) * (2 * apart + 24) + 0x1p-100;
}

template <bool kFault>
kernel::LaunchResult launch_merge(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto all = merge_of<float>(args);
  if (all.rows * all.columns == 0) return kernel::LaunchResult::launched();
  const auto blocks = static_cast<unsigned>(pieces(all.rows * all.columns, kThreads));
  launch(stream, merge_kernel<kFault>, blocks, kThreads, 0, all);
  return kernel::LaunchResult::launched();
}
kernel::LaunchResult launch_merge_reference(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto all = merge_of<double>(args);
  if (all.rows * all.columns == 0) return kernel::LaunchResult::launched();
  const auto blocks = static_cast<unsigned>(pieces(all.rows * all.columns, kThreads));
  launch(stream, merge_reference_kernel, blocks, kThreads, 0, all, view_of<double>(args, "o_scale"));
  return kernel::LaunchResult::launched();
}

template <int kRows, int kInside, int kGroup, Lost kLost>
bool plant_packed(const std::string& constant) {
  const FormatId f32 = FormatId::F32;
  return plant({.name = "packed." + constant,
                .operation = kPacked,
                .about = "every batch reads the first one's x, or every output the first one's scales",
                .limits = {.formats = {{f32, FormatId::I32, f32, f32}},
                           .extents = {{"batch", {.min = 1, .max = 1 << 30}},
                                       {"out", {.min = kRows, .max = kMostBlocks * kRows, .multiple = kRows}},
                                       {"tiles", {.min = 1}},
                                       {"inside", {.min = kInside, .max = kInside}},
                                       {"words", {.min = kInside / 8, .max = kInside / 8}},
                                       {"groups", {.min = kInside / kGroup, .max = kInside / kGroup}}},
                           .values = {{"x", {-1e4, 1e4}}, {"scale", {-1e4, 1e4}}},
                           .inputs = {.order = LayoutOrder::Packed},
                           .output = {.order = LayoutOrder::Packed}},
                .reference = {.kernel = "reference.packed", .errors = {{"y", {.ulps = 1, .relative = 0x1p-23}}}},
                .wrong = launch_packed<kRows, kLost>,
                .right = launch_packed<kRows, Lost::Nothing>});
}

const FormatId f64 = FormatId::F64;
const bool planted[] = {
    kernel::registry().add({.name = "reference.packed",
                            .operation = kPackedReference,
                            .about = "what products with packed weights are held to",
                            .contract = {.accumulate = f64},
                            .limits = {.formats = {{f64, FormatId::I32, f64, f64, f64}},
                                       .inputs = {.order = LayoutOrder::Packed},
                                       .output = {.order = LayoutOrder::Packed}},
                            .launch = launch_packed_reference}),
    kernel::registry().add({.name = "reference.merge",
                            .operation = kMergeReference,
                            .about = "what merges of two parts are held to",
                            .contract = {.accumulate = f64},
                            .limits = {.formats = {std::vector(6, f64)}},
                            .launch = launch_merge_reference}),
    plant_packed<2, 256, 32, Lost::BatchOfX>("x_256_by_32"),
    plant_packed<8, 512, 64, Lost::BatchOfX>("x_512_by_64"),
    plant_packed<4, 2048, 128, Lost::BatchOfX>("x_2048_by_128"),
    plant_packed<4, 512, 128, Lost::RowOfScale>("scale_512_by_128"),
    plant({.name = "merge.both_empty",
           .operation = kMerge,
           .about = "two empty parts give NaN",
           .limits = {.formats = {std::vector(5, FormatId::F32)},
                      .values = {{"first", {-1e4, 1e4}},
                                 {"second", {-1e4, 1e4}},
                                 {"p", {-1e4, 1e4, operation::Infinities::Negative}},
                                 {"q", {-1e4, 1e4, operation::Infinities::Negative}}}},
           .reference = {.kernel = "reference.merge", .errors = {{"o", {.relative = 0x1p-23}}}},
           .wrong = launch_merge<true>,
           .right = launch_merge<false>}),
};

}  // namespace
}  // namespace negzero::kernels
