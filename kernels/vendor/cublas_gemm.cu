// cuBLAS's GEMM: cublasGemmEx() and cublasGemmStridedBatchedEx(), one kernel a compute type, and cublasGemmBatchedEx(),
// which takes arrays of pointers.
//
// What the contracts say is what its documentation does (docs.nvidia.com/cuda/cublas, and cublas_api.h):
//
//  * cublasComputeType_t: "default types [...] guarantee internal storage precision with at least the same precision
//    and range; _PEDANTIC types ensure standard arithmetic and exact specified internal storage format; _FAST types
//    allow for some loss of precision". FAST_TF32 allows tensor cores with TF32 for matrices of F32, where a conversion
//    is not named, nor is it promised that there is one.
//  * Tensor cores are used wherever possible for F16 and BF16 (cublasMath_t): the order of a sum is not named, nor are
//    its roundings.
//  * CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION: a "flag to force any reductions to use the accumulator type and
//    not output type in case of mixed precision routines with lower size output type". Without it,
//    reductions may be held in the output's format.
//  * Where beta = 0, "C does not have to be a valid input". Of alpha = 0 and K = 0 no more is said than that it is an
//    implementation of the BLAS.
//  * Pointers in arrays "must be properly aligned to avoid misaligned memory access errors" where tensor cores may be
//    used, ideally to 16 bytes (cublas<t>gemmBatched()): those of F16 and BF16 are.
//  * Results are the same bits run to run, where each stream has a workspace of its own (Results reproducibility).

#include <numeric>
#include <utility>
#include <vector>

#include <negzero/cuda/cuda.hpp>

#include "cublas.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// What a kernel asks of cuBLAS.
struct Call {
  FormatId factors, output, scalars;
  cublasComputeType_t compute;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  bool takes_pointers = false;
};

template <typename Scalar>
kernel::LaunchResult run(const Call& call, const kernel::GemmArgs& gemm, kernel::Workspace& workspace,
                         engine::Stream& stream) {
  const Blas& blas = Blas::get();
  if (!blas.library.problem().empty()) return kernel::LaunchResult::refuse(blas.library.problem());
  if (blas.made != CUBLAS_STATUS_SUCCESS) return blas_answer(blas, blas.made, "cublasCreate", stream);
  if (!stream.begin_launch()) return kernel::LaunchResult::launched();
  const cublasHandle_t handle = blas.handle;
  // In this order: setting the stream resets the workspace to the handle's own.
  cublasStatus_t status = blas.set_stream(handle, cuda_stream(stream));
  if (status == CUBLAS_STATUS_SUCCESS) {
    status = blas.set_workspace(handle, workspace.allocate(kBlasWorkspace), kBlasWorkspace);
  }
  if (status == CUBLAS_STATUS_SUCCESS) status = blas.set_math_mode(handle, call.math);
  if (status != CUBLAS_STATUS_SUCCESS) return blas_answer(blas, status, "setting the stream of cuBLAS", stream);

  // cuBLAS knows column-major matrices: it takes a row-major D as its transpose, which is B' A'.
  const BlasMatrices d = blas_matrices(gemm.d, gemm.m, gemm.n);
  BlasMatrices first = blas_matrices(gemm.a, gemm.m, gemm.k), second = blas_matrices(gemm.b, gemm.k, gemm.n);
  int64_t rows = gemm.m, columns = gemm.n;
  if (d.is_row_major) {
    std::swap(first, second);
    std::swap(rows, columns);
  }
  const auto operation = [&](const BlasMatrices& factor) {
    return factor.is_row_major == d.is_row_major ? CUBLAS_OP_N : CUBLAS_OP_T;
  };
  const Scalar alpha = gemm.alpha.as<Scalar>(), beta = gemm.beta.as<Scalar>();
  const cudaDataType factors = blas_type(call.factors), output = blas_type(call.output);
  if (call.takes_pointers) {
    std::vector<int64_t> all(static_cast<std::size_t>(gemm.batch));
    std::iota(all.begin(), all.end(), int64_t{0});
    const auto addresses = [&](const BlasMatrices& matrices, FormatId format) {
      return addresses_of(matrices, format, all, workspace, stream);
    };
    status = blas.gemm_batched(
        handle, operation(first), operation(second), rows, columns, gemm.k, &alpha, addresses(first, call.factors),
        factors, first.leading_dimension, addresses(second, call.factors), factors, second.leading_dimension, &beta,
        addresses(d, call.output), output, d.leading_dimension, gemm.batch, call.compute, CUBLAS_GEMM_DEFAULT);
    return blas_answer(blas, status, "cublasGemmBatchedEx", stream);
  }
  if (gemm.batch == 1) {
    status = blas.gemm(handle, operation(first), operation(second), rows, columns, gemm.k, &alpha, first.data, factors,
                       first.leading_dimension, second.data, factors, second.leading_dimension, &beta, d.data, output,
                       d.leading_dimension, call.compute, CUBLAS_GEMM_DEFAULT);
    return blas_answer(blas, status, "cublasGemmEx", stream);
  }
  status = blas.gemm_strided(handle, operation(first), operation(second), rows, columns, gemm.k, &alpha, first.data,
                             factors, first.leading_dimension, first.batch_stride, second.data, factors,
                             second.leading_dimension, second.batch_stride, &beta, d.data, output, d.leading_dimension,
                             d.batch_stride, gemm.batch, call.compute, CUBLAS_GEMM_DEFAULT);
  return blas_answer(blas, status, "cublasGemmStridedBatchedEx", stream);
}

/// Output and Scalar are the C++ types of the call's formats.
template <typename Output, typename Scalar>
bool add(const char* name, const char* about, const Call& call, contract::Contract contract) {
  contract.scalar_format = call.scalars;
  contract.determinism = contract::Determinism::RunToRun;
  const int64_t multiple = call.takes_pointers && sizeof(Output) == 2 ? 8 : 1;
  const operation::LayoutLimit output{.order = operation::LayoutOrder::RowOrColumnMajor,
                                      .offset_multiple = multiple,
                                      .stride_multiple = multiple,
                                      .alignment = multiple};
  operation::LayoutLimit factors = output;
  factors.broadcast = false;
  return kernel::registry().add({
      .name = name,
      .operation = "gemm",
      .about = about,
      .contract = std::move(contract),
      .limits = {.formats = {{call.factors, call.factors, call.output}}, .inputs = factors, .output = output},
      .launch =
          [call](const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
            const kernel::GemmArgs gemm = kernel::gemm_args(args);
            if (gemm.batch == 0 || gemm.m == 0 || gemm.n == 0) return kernel::LaunchResult::launched();
            if (!is_zero<Scalar>(gemm.beta)) copy_c<Output>(gemm, stream);
            return run<Scalar>(call, gemm, workspace, stream);
          },
  });
}

constexpr auto kF64 = FormatId::F64, kF32 = FormatId::F32, kF16 = FormatId::F16, kBf16 = FormatId::BF16;
constexpr cublasMath_t kWhole = CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
const contract::Contract kCores{.tensor_core = contract::TensorCore::May};

/// Reductions may be held in BF16. The bound for additions in BF16 is above that of tensor cores, whose steps lose less
/// than one such addition does (docs/explanation/numerics.md 2c, 2e), and has no need of their name.
const contract::Contract kReducedToBf16{.accumulate = kBf16};
/// Reductions may be held in F16.
const contract::Contract kReducedToF16{.accumulate = kF16, .tensor_core = contract::TensorCore::May};

const bool registered[] = {
    add<double, double>("cublas.gemm.f64", "cuBLAS, CUBLAS_COMPUTE_64F", {kF64, kF64, kF64, CUBLAS_COMPUTE_64F},
                        {.accumulate = kF64}),
    add<float, float>("cublas.gemm.f32", "cuBLAS, CUBLAS_COMPUTE_32F: TF32 is off",
                      {kF32, kF32, kF32, CUBLAS_COMPUTE_32F}, {}),
    add<float, float>("cublas.gemm.f32_pedantic", "cuBLAS, CUBLAS_COMPUTE_32F_PEDANTIC",
                      {kF32, kF32, kF32, CUBLAS_COMPUTE_32F_PEDANTIC}, {.wider = false}),
    add<float, float>("cublas.gemm.tf32", "cuBLAS, CUBLAS_COMPUTE_32F_FAST_TF32: TF32 is on",
                      {kF32, kF32, kF32, CUBLAS_COMPUTE_32F_FAST_TF32},
                      {.multiplicand = contract::Multiplicand::Tf32OrExact, .tensor_core = contract::TensorCore::May}),
    add<__half, float>("cublas.gemm.f16_acc_f32", "cuBLAS, CUBLAS_COMPUTE_32F of F16, reductions perhaps in F16",
                       {kF16, kF16, kF32, CUBLAS_COMPUTE_32F}, kReducedToF16),
    add<__half, float>("cublas.gemm.f16_acc_f32_whole", "cuBLAS, CUBLAS_COMPUTE_32F of F16, reductions in F32 alone",
                       {kF16, kF16, kF32, CUBLAS_COMPUTE_32F, kWhole}, kCores),
    add<float, float>("cublas.gemm.f16_to_f32", "cuBLAS, CUBLAS_COMPUTE_32F of F16, results in F32",
                      {kF16, kF32, kF32, CUBLAS_COMPUTE_32F}, kCores),
    add<__nv_bfloat16, float>("cublas.gemm.bf16_acc_f32",
                              "cuBLAS, CUBLAS_COMPUTE_32F of BF16, reductions perhaps in BF16",
                              {kBf16, kBf16, kF32, CUBLAS_COMPUTE_32F}, kReducedToBf16),
    add<__nv_bfloat16, float>("cublas.gemm.bf16_acc_f32_whole",
                              "cuBLAS, CUBLAS_COMPUTE_32F of BF16, reductions in F32 alone",
                              {kBf16, kBf16, kF32, CUBLAS_COMPUTE_32F, kWhole}, kCores),
    add<float, float>("cublas.gemm.bf16_to_f32", "cuBLAS, CUBLAS_COMPUTE_32F of BF16, results in F32",
                      {kBf16, kF32, kF32, CUBLAS_COMPUTE_32F}, kCores),
    add<__half, __half>("cublas.gemm.f16_acc_f16", "cuBLAS, CUBLAS_COMPUTE_16F", {kF16, kF16, kF16, CUBLAS_COMPUTE_16F},
                        kReducedToF16),
    add<double, double>("cublas.gemm.pointers.f64", "cuBLAS, CUBLAS_COMPUTE_64F, arrays of pointers",
                        {kF64, kF64, kF64, CUBLAS_COMPUTE_64F, CUBLAS_DEFAULT_MATH, true}, {.accumulate = kF64}),
    add<float, float>("cublas.gemm.pointers.f32", "cuBLAS, CUBLAS_COMPUTE_32F, arrays of pointers",
                      {kF32, kF32, kF32, CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH, true}, {}),
    add<__half, float>("cublas.gemm.pointers.f16_acc_f32", "cuBLAS, CUBLAS_COMPUTE_32F of F16, arrays of pointers",
                       {kF16, kF16, kF32, CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH, true}, kReducedToF16),
    add<__nv_bfloat16, float>("cublas.gemm.pointers.bf16_acc_f32",
                              "cuBLAS, CUBLAS_COMPUTE_32F of BF16, arrays of pointers",
                              {kBf16, kBf16, kF32, CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH, true}, kReducedToBf16),
    add<__half, __half>("cublas.gemm.pointers.f16_acc_f16", "cuBLAS, CUBLAS_COMPUTE_16F, arrays of pointers",
                        {kF16, kF16, kF16, CUBLAS_COMPUTE_16F, CUBLAS_DEFAULT_MATH, true}, kReducedToF16),
};

}  // namespace
}  // namespace negzero::kernels
