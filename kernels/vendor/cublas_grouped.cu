// cuBLAS's grouped GEMM: cublasGemmGroupedBatchedEx(), a group a matrix.
//
// What the contracts say is what its documentation does (docs.nvidia.com/cuda/cublas): the compute types are those of
// cublasGemmEx() (cublas_gemm.cu), and each group has extents of its own, of which those of rows may be 0.

#include <utility>
#include <vector>

#include <negzero/cuda/cuda.hpp>

#include "../common/grouped.cuh"
#include "cublas.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

template <typename T>
std::vector<T> of_each(int64_t groups, T value) {
  return std::vector<T>(static_cast<std::size_t>(groups), value);
}

/// Addresses of a batch's matrices, in memory of the device.
void** addresses_of(const kernel::Operand& operand, std::size_t size_bytes, int64_t groups, kernel::Workspace& workspace,
                    engine::Stream& stream) {
  std::vector<void*> addresses;
  for (int64_t group = 0; group < groups; ++group) {
    addresses.push_back(static_cast<char*>(operand.data) +
                        group * operand.strides[0] * static_cast<int64_t>(size_bytes));
  }
  const std::size_t bytes = addresses.size() * sizeof(void*);
  auto* const own = static_cast<void**>(workspace.allocate(bytes));
  const cudaError_t error = cudaMemcpy(own, addresses.data(), bytes, cudaMemcpyHostToDevice);
  if (error != cudaSuccess) stream.record_device_error(error, cudaGetErrorString(error));
  return own;
}

/// How many rows of each group count, read from the device.
std::vector<int64_t> rows_of_each(const kernel::Operand& rows, int64_t groups, engine::Stream& stream) {
  const int64_t step = groups > 1 ? rows.strides[0] : 1;
  std::vector<std::int32_t> read(static_cast<std::size_t>(groups));
  const cudaError_t error = cudaMemcpy2D(read.data(), sizeof(std::int32_t), rows.data, step * sizeof(std::int32_t),
                                         sizeof(std::int32_t), read.size(), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) stream.record_device_error(error, cudaGetErrorString(error));
  return {read.begin(), read.end()};
}

template <class Number, typename Scalar>
kernel::LaunchResult launch_grouped(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream,
                                    FormatId element, cublasComputeType_t compute) {
  const Blas& blas = Blas::get();
  if (!blas.library.problem().empty()) return kernel::LaunchResult::refuse(blas.library.problem());
  if (blas.made != CUBLAS_STATUS_SUCCESS) return blas_answer(blas, blas.made, "cublasCreate", stream);
  const auto problem = grouped_problem<Number>(args);
  const int64_t groups = problem.groups;
  if (problem.most_outputs() == 0 || !stream.begin_launch()) return kernel::LaunchResult::launched();
  cublasStatus_t status = blas.set_stream(blas.handle, static_cast<cudaStream_t>(stream.handle()));
  if (status == CUBLAS_STATUS_SUCCESS) {
    status = blas.set_workspace(blas.handle, workspace.allocate(kBlasWorkspace), kBlasWorkspace);
  }
  if (status != CUBLAS_STATUS_SUCCESS) return blas_answer(blas, status, "setting the stream of cuBLAS", stream);

  // Row-major D is D' = B' A' of column-major matrices.
  const kernel::Operand &a = args.operand("a"), &b = args.operand("b"), &d = args.operand("d");
  const BlasMatrices left = blas_matrices(b, problem.k, problem.n), right = blas_matrices(a, problem.capacity, problem.k);
  const BlasMatrices result = blas_matrices(d, problem.capacity, problem.n);
  const auto turned = [&](const BlasMatrices& matrices) {
    return of_each(groups, matrices.is_row_major ? CUBLAS_OP_N : CUBLAS_OP_T);
  };
  const auto operations = std::pair{turned(left), turned(right)};
  const auto m = of_each(groups, problem.n), n = rows_of_each(args.operand("rows"), groups, stream);
  const auto k = of_each(groups, problem.k), sizes = of_each<int64_t>(groups, 1);
  const auto left_lines = of_each(groups, left.leading_dimension), right_lines = of_each(groups, right.leading_dimension);
  const auto result_lines = of_each(groups, result.leading_dimension);
  const auto alpha = of_each(groups, Scalar(1)), beta = of_each(groups, Scalar(0));
  const std::size_t size_bytes = sizeof(typename Number::Element);
  const cudaDataType type = blas_type(element);
  status = blas.gemm_grouped(blas.handle, operations.first.data(), operations.second.data(), m.data(), n.data(), k.data(),
                             alpha.data(), addresses_of(b, size_bytes, groups, workspace, stream), type,
                             left_lines.data(), addresses_of(a, size_bytes, groups, workspace, stream), type,
                             right_lines.data(), beta.data(), addresses_of(d, size_bytes, groups, workspace, stream),
                             type, result_lines.data(), groups, sizes.data(), compute);
  return blas_answer(blas, status, "cublasGemmGroupedBatchedEx", stream);
}

template <class Number, typename Scalar>
bool add(const char* name, FormatId element, cublasComputeType_t compute, contract::Contract contract) {
  contract.determinism = contract::Determinism::RunToRun;
  return kernel::registry().add({
      .name = name,
      .operation = "gemm.grouped",
      .about = "cuBLAS, cublasGemmGroupedBatchedEx",
      .contract = std::move(contract),
      .limits = {.formats = {{element, element, element}},
                 .inputs = {.order = operation::LayoutOrder::RowOrColumnMajor, .broadcast = false},
                 .output = {.order = operation::LayoutOrder::RowMajor}},
      .launch =
          [element, compute](const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
            return launch_grouped<Number, Scalar>(args, workspace, stream, element, compute);
          },
  });
}

const contract::Contract kReducedToF16{.tensor_core = contract::TensorCore::May, .slice_format = FormatId::F16};

const bool registered[] = {
    add<F64, double>("cublas.grouped.f64", FormatId::F64, CUBLAS_COMPUTE_64F, {.accumulate = FormatId::F64}),
    add<F32, float>("cublas.grouped.f32", FormatId::F32, CUBLAS_COMPUTE_32F, {}),
    add<F16AccF32, float>("cublas.grouped.f16_acc_f32", FormatId::F16, CUBLAS_COMPUTE_32F, kReducedToF16),
};

}  // namespace
}  // namespace negzero::kernels
