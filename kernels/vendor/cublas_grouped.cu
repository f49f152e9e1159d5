// cuBLAS's grouped GEMM: cublasGemmGroupedBatchedEx(), a group a matrix.
//
// What the contracts say is what its documentation does (docs.nvidia.com/cuda/cublas): the compute types are those of
// cublasGemmEx() (cublas_gemm.cu), and each group has extents of its own. Of those below 0 it says that they are
// errors, and of 0 nothing: the option `empty_groups` says whether groups without rows are in the call (1), or left out
// (0). Pointers of F16 are aligned, as cublas_gemm.cu says of them.

#include <utility>
#include <vector>

#include <negzero/cuda/cuda.hpp>

#include "../common/grouped.cuh"
#include "cublas.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// How many rows of each group count, read from the device, where they lie one behind the other.
std::vector<int64_t> rows_of_each(const kernel::Operand& rows, int64_t groups, engine::Stream& stream) {
  std::vector<std::int32_t> read(static_cast<std::size_t>(groups));
  note(cudaMemcpyAsync(read.data(), rows.data, read.size() * sizeof(std::int32_t), cudaMemcpyDeviceToHost,
                       cuda_stream(stream)),
       stream);
  note(cudaStreamSynchronize(cuda_stream(stream)), stream);
  return {read.begin(), read.end()};
}

template <class Number, typename Scalar>
kernel::LaunchResult launch_grouped(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream,
                                    FormatId element, cublasComputeType_t compute) {
  const Blas& blas = Blas::get();
  if (!blas.library.problem().empty()) return kernel::LaunchResult::refuse(blas.library.problem());
  if (blas.made != CUBLAS_STATUS_SUCCESS) return blas_answer(blas, blas.made, "cublasCreate", stream);
  const auto problem = grouped_problem<Number>(args);
  if (problem.most_outputs() == 0 || !stream.begin_launch()) return kernel::LaunchResult::launched();
  std::vector<int64_t> groups, n;
  const auto rows = rows_of_each(args.operand("rows"), problem.groups, stream);
  for (int64_t group = 0; group < problem.groups; ++group) {
    const int64_t count = rows[static_cast<std::size_t>(group)];
    if (count == 0 && args.option("empty_groups") == 0) continue;
    groups.push_back(group);
    n.push_back(count);
  }
  if (groups.empty()) return kernel::LaunchResult::launched();
  cublasStatus_t status = blas.set_stream(blas.handle, cuda_stream(stream));
  if (status == CUBLAS_STATUS_SUCCESS) {
    status = blas.set_workspace(blas.handle, workspace.allocate(kBlasWorkspace), kBlasWorkspace);
  }
  if (status != CUBLAS_STATUS_SUCCESS) return blas_answer(blas, status, "setting the stream of cuBLAS", stream);

  // Row-major D is D' = B' A' of column-major matrices.
  const kernel::Operand &a = args.operand("a"), &b = args.operand("b"), &d = args.operand("d");
  const BlasMatrices first = blas_matrices(b, problem.k, problem.n),
                     second = blas_matrices(a, problem.capacity, problem.k);
  const BlasMatrices result = blas_matrices(d, problem.capacity, problem.n);
  const auto count = static_cast<int64_t>(groups.size());
  const auto of_all = [count](auto value) { return std::vector(static_cast<std::size_t>(count), value); };
  const auto turned = [&](const BlasMatrices& matrices) {
    return of_all(matrices.is_row_major ? CUBLAS_OP_N : CUBLAS_OP_T);
  };
  const auto lines = [&](const BlasMatrices& matrices) { return of_all(matrices.leading_dimension); };
  const auto addresses = [&](const BlasMatrices& matrices) {
    return addresses_of(matrices, element, groups, workspace, stream);
  };
  const cudaDataType type = blas_type(element);
  status =
      blas.gemm_grouped(blas.handle, turned(first).data(), turned(second).data(), of_all(problem.n).data(), n.data(),
                        of_all(problem.k).data(), of_all(Scalar(1)).data(), addresses(first), type, lines(first).data(),
                        addresses(second), type, lines(second).data(), of_all(Scalar(0)).data(), addresses(result),
                        type, lines(result).data(), count, of_all(int64_t{1}).data(), compute);
  return blas_answer(blas, status, "cublasGemmGroupedBatchedEx", stream);
}

/// `multiple`: elements at which each row of each matrix must begin.
template <class Number, typename Scalar>
bool add(const char* name, FormatId element, cublasComputeType_t compute, contract::Contract contract,
         int64_t multiple = 1) {
  using operation::LayoutOrder;
  operation::LayoutLimit factors{.order = LayoutOrder::RowOrColumnMajor,
                                 .broadcast = false,
                                 .offset_multiple = multiple,
                                 .stride_multiple = multiple,
                                 .alignment = multiple};
  operation::LayoutLimit results = factors;
  results.order = LayoutOrder::RowMajor;
  contract.determinism = contract::Determinism::RunToRun;
  return kernel::registry().add({
      .name = name,
      .operation = "gemm.grouped",
      .about = "cuBLAS, cublasGemmGroupedBatchedEx",
      .contract = std::move(contract),
      .limits = {.formats = {{element, element, element}},
                 .output = std::move(results),
                 .tensors = {{"a", factors}, {"b", factors}, {"rows", {.order = LayoutOrder::Packed}}},
                 .configuration = {{"empty_groups", {0, 1}}}},
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
    add<F16AccF32, float>("cublas.grouped.f16_acc_f32", FormatId::F16, CUBLAS_COMPUTE_32F, kReducedToF16, 8),
};

}  // namespace
}  // namespace negzero::kernels
