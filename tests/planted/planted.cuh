// What planted kernels share: views of operands, problems as plain values, and the registration of a fault with its
// twin.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::kernels {
namespace {  // Anonymous: the host object and the nvcc object of one kernel file are linked into the same program.

using number::FormatId;
using operation::ExtentLimit;
using operation::LayoutOrder;
using operation::ScalarLimit;
using std::int64_t;

/// The most blocks along y or z of a grid.
constexpr int64_t kMostBlocks = 65535;

__host__ __device__ constexpr int64_t pieces(int64_t length, int64_t piece) { return (length + piece - 1) / piece; }

/// A tensor of up to three dimensions with strides in elements.
template <typename T>
struct View {
  T* data;
  int64_t outer, middle, inner;

  __device__ T& at(int64_t i) const { return data[i * outer]; }
  __device__ T& at(int64_t i, int64_t j) const { return data[i * outer + j * middle]; }
  __device__ T& at(int64_t i, int64_t j, int64_t k) const { return data[i * outer + j * middle + k * inner]; }
};

template <typename T>
View<T> view_of(const kernel::Args& args, const char* name) {
  const kernel::Operand& operand = args.operand(name);
  return {operand.as<T>(), operand.strides[0], operand.strides[1], operand.strides[2]};
}

/// D = A B for each batch, and C where a kernel takes one.
struct Gemm {
  int64_t batch, m, n, k;
  View<const float> a, b, c;
  View<float> d;
};

inline Gemm gemm_of(const kernel::Args& args) {
  return {args.extent("batch"),
          args.extent("m"),
          args.extent("n"),
          args.extent("k"),
          view_of<const float>(args, "a"),
          view_of<const float>(args, "b"),
          view_of<const float>(args, "c"),
          view_of<float>(args, "d")};
}

/// One element of A B.
__device__ inline float product_at(const Gemm& gemm, int64_t batch, int64_t i, int64_t j) {
  float sum = 0.0f;
  for (int64_t k = 0; k < gemm.k; ++k) sum = fmaf(gemm.a.at(batch, i, k), gemm.b.at(batch, k, j), sum);
  return sum;
}

/// The threads of a block whose threads share the elements of a tile.
constexpr unsigned kThreads = 64;

/// The elements of D in the tile whose first element is (row, column), as far as there are any. All threads of a block
/// of kThreads call it.
template <int kTile>
__device__ void multiply_tile(const Gemm& gemm, int64_t batch, int64_t row, int64_t column) {
  for (int at = static_cast<int>(threadIdx.x); at < kTile * kTile; at += static_cast<int>(kThreads)) {
    const int64_t i = row + at / kTile, j = column + at % kTile;
    if (i < gemm.m && j < gemm.n) gemm.d.at(batch, i, j) = product_at(gemm, batch, i, j);
  }
}

/// Rows of x, and of y where an operation has them.
struct Rows {
  int64_t rows, columns;
  View<const float> x;
  View<float> y;
};

inline Rows rows_of(const kernel::Args& args) {
  return {args.extent("rows"), args.extent("columns"), view_of<const float>(args, "x"), view_of<float>(args, "y")};
}

inline bool is_empty(const Gemm& gemm) { return gemm.batch == 0 || gemm.m == 0 || gemm.n == 0; }
inline bool is_empty(const Rows& rows) { return rows.rows == 0 || rows.columns == 0; }

/// What a GEMM without alpha and beta declares.
inline contract::Contract gemm_contract() { return {.scalar_format = FormatId::F32}; }
inline operation::Limits gemm_limits(operation::ExtentLimits extents) {
  return {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}},
          .extents = std::move(extents),
          .alpha = ScalarLimit::One,
          .beta = ScalarLimit::Zero};
}

using Launch = kernel::LaunchResult (*)(const kernel::Args&, kernel::Workspace&, engine::Stream&);

/// A kernel with a fault, and the same source without it.
struct Pair {
  std::string name;  ///< kind.constant: the kernels are planted.<name> and right.<name>
  std::string operation;
  std::string about;  ///< what is wrong
  contract::Contract contract{};
  operation::Limits limits{};
  kernel::Reference reference{};
  Launch wrong, right;
};

inline bool plant(Pair pair, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  kernel::Kernel kernel{.name = "planted." + pair.name,
                        .operation = std::move(pair.operation),
                        .about = std::move(pair.about),
                        .contract = std::move(pair.contract),
                        .limits = std::move(pair.limits),
                        .reference = std::move(pair.reference),
                        .launch = pair.wrong};
  kernel::Kernel twin = kernel;
  twin.name = "right." + pair.name;
  twin.about = "the same without the fault";
  twin.launch = pair.right;
  return kernel::registry().add(std::move(kernel), file, line) && kernel::registry().add(std::move(twin), file, line);
}

inline bool plant_gemm(std::string name, std::string about, operation::Limits limits, Launch wrong, Launch right,
                       const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return plant({.name = std::move(name),
                .operation = "gemm",
                .about = std::move(about),
                .contract = gemm_contract(),
                .limits = std::move(limits),
                .wrong = wrong,
                .right = right},
               file, line);
}

/// Of rows in F32 by one of the operations that ship.
inline bool plant_rows(std::string name, std::string operation, std::string about, operation::Limits limits,
                       Launch wrong, Launch right, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  limits.formats = {{FormatId::F32, FormatId::F32}};
  return plant({.name = std::move(name),
                .operation = std::move(operation),
                .about = std::move(about),
                .limits = std::move(limits),
                .wrong = wrong,
                .right = right},
               file, line);
}

}  // namespace
}  // namespace negzero::kernels
