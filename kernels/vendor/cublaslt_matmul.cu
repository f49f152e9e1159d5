// cuBLASLt's cublasLtMatmul() with every algorithm that its heuristic proposes: the configuration says which, and how
// much workspace there is. By default it is the one that the heuristic puts first.
//
// What the contracts say is what cublas_gemm.cu says of compute types and tensor cores, and besides (cublasLt.h):
//
//  * Where k is split, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE stores "intermediate results [...] in compute type",
//    OUTPUT_TYPE "in output type", each once. INPLACE adds them in D itself, for which a contract has no word: no
//    kernel here allows it.
//  * C and D may be one matrix (in place), or two (out of place), each with a layout of its own: Cdesc and Ddesc.
//  * FP8: "intermediate results will [...] periodically be promoted to a higher precision" unless
//    CUBLASLT_MATMUL_DESC_FAST_ACCUM is set, which is off by default.
//  * An algorithm gives the same bits run to run, and the heuristic's choice follows from what it is asked.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <cublasLt.h>

#include <negzero/cuda/cuda.hpp>

#include "cublas.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// What is used of cuBLASLt, as struct Blas.
struct BlasLt {
  Library library{NEGZERO_LIBRARY("libcublasLt", CUBLAS_VER_MAJOR)};
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtGetStatusName) status_name;
  decltype(&cublasLtMatmulDescInit_internal) init_matmul;
  decltype(&cublasLtMatmulDescSetAttribute) set_matmul;
  decltype(&cublasLtMatrixLayoutInit_internal) init_layout;
  decltype(&cublasLtMatrixLayoutSetAttribute) set_layout;
  decltype(&cublasLtMatmulPreferenceInit_internal) init_preference;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmul) matmul;
  cublasLtHandle_t handle = nullptr;
  cublasStatus_t made = CUBLAS_STATUS_NOT_INITIALIZED;

  static const BlasLt& get() {
    static const BlasLt* const instance = new BlasLt;
    return *instance;
  }

 private:
  BlasLt() {
    library.find(create, "cublasLtCreate");
    library.find(status_name, "cublasLtGetStatusName");
    library.find(init_matmul, "cublasLtMatmulDescInit_internal");
    library.find(set_matmul, "cublasLtMatmulDescSetAttribute");
    library.find(init_layout, "cublasLtMatrixLayoutInit_internal");
    library.find(set_layout, "cublasLtMatrixLayoutSetAttribute");
    library.find(init_preference, "cublasLtMatmulPreferenceInit_internal");
    library.find(set_preference, "cublasLtMatmulPreferenceSetAttribute");
    library.find(heuristic, "cublasLtMatmulAlgoGetHeuristic");
    library.find(matmul, "cublasLtMatmul");
    if (library.problem().empty()) made = create(&handle);
  }
};

/// A batch is counted in 32 bits (CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT).
constexpr int64_t kMostBatch = 0x7fffffff;

/// What a kernel asks of cuBLASLt.
struct Call {
  FormatId factors, output;
  cublasComputeType_t compute;
  std::uint32_t reductions;  ///< a mask of schemes; 0 allows no split of k
  bool is_in_place = true;

  /// FP8 is taken along k alone: A row-major and B column-major, at multiples of 16 bytes.
  [[nodiscard]] bool is_along_k() const { return number::format(factors).bits == 8; }
};

/// The configuration of a launch.
struct Choice {
  std::int64_t algorithm;  ///< counted from the one that the heuristic puts first, as often round as there are fewer
  std::size_t workspace_bytes;
};

/// Most algorithms that are asked for: more than the heuristic of CUDA 13.0 gave for any case here.
constexpr int kMostAlgorithms = 32;

/// The largest power of two up to 256 that the address is a multiple of: what the heuristic takes for granted is 256.
std::uint32_t alignment_of(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  return static_cast<std::uint32_t>(std::min<std::uintptr_t>(address & (~address + 1), 256));
}

/// The first status that is no success; nothing is called after it.
class Steps {
 public:
  template <typename Function, typename... Arguments>
  void operator()(Function function, Arguments... arguments) {
    if (status == CUBLAS_STATUS_SUCCESS) status = function(arguments...);
  }
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
};

/// Calls cublasLtMatmul() for row-major matrices, which it takes as their transposes: D' = B' A'.
cublasStatus_t multiply(const BlasLt& lt, const Call& call, const kernel::GemmArgs& gemm, const Choice& choice,
                        void* workspace, engine::Stream& stream) {
  Steps step;
  cublasLtMatmulDescOpaque_t matmul{};
  step(lt.init_matmul, &matmul, sizeof matmul, call.compute, CUDA_R_32F);
  const cublasOperation_t transposed = call.is_along_k() ? CUBLAS_OP_T : CUBLAS_OP_N;
  step(lt.set_matmul, &matmul, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed);
  // A stride of a single row means nothing, and must not be below the width. `along`: the dimension of its rows.
  const auto describe = [&](cublasLtMatrixLayoutOpaque_t& layout, FormatId format, const kernel::Operand& operand,
                            int64_t rows, int64_t columns, int along = 1) {
    const int64_t leading = rows > 1 ? operand.strides[along] : columns, batch_stride = operand.strides[0];
    const auto batch = static_cast<std::int32_t>(gemm.batch);
    step(lt.init_layout, &layout, sizeof layout, blas_type(format), static_cast<std::uint64_t>(columns),
         static_cast<std::uint64_t>(rows), leading);
    step(lt.set_layout, &layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    step(lt.set_layout, &layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &batch_stride, sizeof batch_stride);
  };
  cublasLtMatrixLayoutOpaque_t a{}, b{}, c{}, d{};
  describe(a, call.factors, gemm.a, gemm.m, gemm.k);
  if (call.is_along_k()) {
    describe(b, call.factors, gemm.b, gemm.n, gemm.k, 2);
  } else {
    describe(b, call.factors, gemm.b, gemm.k, gemm.n);
  }
  const kernel::Operand& added = call.is_in_place ? gemm.d : gemm.c;
  describe(c, call.output, added, gemm.m, gemm.n);
  describe(d, call.output, gemm.d, gemm.m, gemm.n);

  cublasLtMatmulPreferenceOpaque_t preference{};
  step(lt.init_preference, &preference, sizeof preference);
  const std::uint64_t workspace_bytes = choice.workspace_bytes;
  step(lt.set_preference, &preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
       sizeof workspace_bytes);
  step(lt.set_preference, &preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &call.reductions,
       sizeof call.reductions);
  const auto align = [&](cublasLtMatmulPreferenceAttributes_t attribute, const void* data) {
    const std::uint32_t bytes = alignment_of(data);
    step(lt.set_preference, &preference, attribute, &bytes, sizeof bytes);
  };
  align(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, gemm.b.data);
  align(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, gemm.a.data);
  align(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, added.data);
  align(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, gemm.d.data);

  cublasLtMatmulHeuristicResult_t proposed[kMostAlgorithms]{};
  int found = 0;
  const int wanted = choice.algorithm == 0 ? 1 : kMostAlgorithms;
  step(lt.heuristic, lt.handle, &matmul, &b, &a, &c, &d, &preference, wanted, proposed, &found);
  if (step.status == CUBLAS_STATUS_SUCCESS && found == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  const cublasLtMatmulHeuristicResult_t& taken = proposed[found > 0 ? choice.algorithm % found : 0];
  const auto alpha = gemm.alpha.as<float>(), beta = gemm.beta.as<float>();
  step(lt.matmul, lt.handle, &matmul, &alpha, gemm.b.data, &b, gemm.a.data, &a, &beta, added.data, &c, gemm.d.data, &d,
       &taken.algo, workspace, choice.workspace_bytes, cuda_stream(stream));
  return step.status;
}

/// 0 to count - 1.
std::vector<std::int64_t> counted(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  return numbers;
}

/// Output is the C++ type of the call's.
template <typename Output>
bool add(const char* name, const char* about, const Call& call, contract::Contract contract) {
  using operation::LayoutOrder;
  const int64_t multiple = call.is_along_k() ? 16 : 1;
  const operation::ExtentLimit some{.min = multiple, .multiple = multiple};
  const operation::LayoutLimit rows{.order = LayoutOrder::RowMajor,
                                    .broadcast = false,
                                    .offset_multiple = multiple,
                                    .stride_multiple = multiple,
                                    .alignment = multiple};
  operation::LayoutLimit of_b = rows;
  if (call.is_along_k()) of_b.order = LayoutOrder::ColumnMajor;
  contract.scalar_format = FormatId::F32;
  contract.determinism = contract::Determinism::RunToRun;
  return kernel::registry().add({
      .name = name,
      .operation = "gemm",
      .about = about,
      .contract = std::move(contract),
      // It takes no matrix without elements.
      .limits = {.formats = {{call.factors, call.factors, call.output}},
                 .extents = {{"batch", {.min = 1, .max = kMostBatch}}, {"m", some}, {"n", some}, {"k", some}},
                 .inputs = rows,
                 .output = {.order = LayoutOrder::RowMajor,
                            .offset_multiple = multiple,
                            .stride_multiple = multiple,
                            .alignment = multiple},
                 .tensors = {{"b", of_b}},
                 .configuration = {{"algorithm", counted(kMostAlgorithms)},
                                   {"workspace", {std::int64_t{kBlasWorkspace}, 0, std::int64_t{1} << 25}}}},
      .launch =
          [call](const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
            const BlasLt& lt = BlasLt::get();
            if (!lt.library.problem().empty()) return kernel::LaunchResult::refuse(lt.library.problem());
            if (lt.made != CUBLAS_STATUS_SUCCESS) return blas_answer(lt, lt.made, "cublasLtCreate", stream);
            const kernel::GemmArgs gemm = kernel::gemm_args(args);
            if (call.is_in_place && !is_zero<float>(gemm.beta)) copy_c<Output>(gemm, stream);
            if (!stream.begin_launch()) return kernel::LaunchResult::launched();
            const Choice choice{args.option("algorithm"), static_cast<std::size_t>(args.option("workspace"))};
            void* const own = choice.workspace_bytes > 0 ? workspace.allocate(choice.workspace_bytes) : nullptr;
            return blas_answer(lt, multiply(lt, call, gemm, choice, own, stream), "cublasLtMatmul", stream);
          },
  });
}

constexpr auto kF32 = FormatId::F32, kF16 = FormatId::F16, kBf16 = FormatId::BF16;
constexpr std::uint32_t kWhole = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
constexpr std::uint32_t kStored = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;
const contract::Contract kCores{.tensor_core = contract::TensorCore::May};

/// Sums of slices may be stored in the output's format.
contract::Contract stored(FormatId format) {
  contract::Contract contract = kCores;
  contract.slice_format = format;
  return contract;
}

const bool registered[] = {
    add<float>("cublaslt.matmul.f32", "cuBLASLt, CUBLAS_COMPUTE_32F: TF32 is off",
               {kF32, kF32, CUBLAS_COMPUTE_32F, kWhole}, {}),
    add<float>("cublaslt.matmul.tf32", "cuBLASLt, CUBLAS_COMPUTE_32F_FAST_TF32: TF32 is on",
               {kF32, kF32, CUBLAS_COMPUTE_32F_FAST_TF32, kWhole},
               {.multiplicand = contract::Multiplicand::Tf32OrExact, .tensor_core = contract::TensorCore::May}),
    add<__half>("cublaslt.matmul.f16_acc_f32", "cuBLASLt, CUBLAS_COMPUTE_32F of F16, sums of slices perhaps in F16",
                {kF16, kF16, CUBLAS_COMPUTE_32F, kStored}, stored(kF16)),
    add<__half>("cublaslt.matmul.f16_acc_f32_whole", "cuBLASLt, CUBLAS_COMPUTE_32F of F16, reductions in F32 alone",
                {kF16, kF16, CUBLAS_COMPUTE_32F, kWhole}, kCores),
    add<__nv_bfloat16>("cublaslt.matmul.bf16_acc_f32",
                       "cuBLASLt, CUBLAS_COMPUTE_32F of BF16, sums of slices perhaps in BF16",
                       {kBf16, kBf16, CUBLAS_COMPUTE_32F, kStored}, stored(kBf16)),
    add<__nv_bfloat16>("cublaslt.matmul.bf16_acc_f32_whole",
                       "cuBLASLt, CUBLAS_COMPUTE_32F of BF16, reductions in F32 alone",
                       {kBf16, kBf16, CUBLAS_COMPUTE_32F, kWhole}, kCores),
    add<__half>("cublaslt.matmul.f16_acc_f32_out_of_place", "cuBLASLt, CUBLAS_COMPUTE_32F of F16, C and D two matrices",
                {kF16, kF16, CUBLAS_COMPUTE_32F, kStored, false}, stored(kF16)),
    add<float>("cublaslt.matmul.f8_e4m3_to_f32", "cuBLASLt, CUBLAS_COMPUTE_32F of FP8, fast accumulation off",
               {FormatId::F8_E4M3, kF32, CUBLAS_COMPUTE_32F, kWhole}, kCores),
};

}  // namespace
}  // namespace negzero::kernels
