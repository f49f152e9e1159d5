// What kernels of cuBLAS share: the library, loaded at the first launch, its words for formats, its errors as answers
// of a launch, and how matrices lie.
//
// Rejected: linking it. Then every worker, of the host's kernels too, loads 600 MB and 0.3 s of relocations at its
// start; and one that is confined for the host, or that only describes its kernels, may not read where the library
// lies.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include <cublas_v2.h>
#include <dlfcn.h>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "../common/gemm.cuh"
#include "stream.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

using std::int64_t;

/// Bytes of workspace of a launch: what a handle has by itself on GPUs before Hopper (cuBLAS, cublasSetWorkspace()).
/// With a workspace of its own each call gives the same bits run to run, whatever runs on other streams (cuBLAS,
/// Results reproducibility).
constexpr std::size_t kBlasWorkspace = std::size_t{1} << 22;

constexpr int kCopyThreads = 128;

inline cudaDataType blas_type(number::FormatId format) {
  switch (format) {
    case number::FormatId::F64:
      return CUDA_R_64F;
    case number::FormatId::F16:
      return CUDA_R_16F;
    case number::FormatId::BF16:
      return CUDA_R_16BF;
    case number::FormatId::F8_E4M3:
      return CUDA_R_8F_E4M3;
    case number::FormatId::F8_E5M2:
      return CUDA_R_8F_E5M2;
    default:
      return CUDA_R_32F;
  }
}

/// A shared library of CUDA's, such as "libcublas.so.13".
class Library {
 public:
  explicit Library(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) note_problem();
  }
  /// Sets the function of that name, or problem().
  template <typename Function>
  void find(Function& function, const char* name) {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr) note_problem();
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }  ///< the first; empty: none

 private:
  void note_problem() {
    const char* const text = dlerror();
    if (problem_.empty()) problem_ = text != nullptr ? text : "it lacks a function";
  }

  void* handle_;
  std::string problem_;
};

#define NEGZERO_TEXT_OF(x) #x
#define NEGZERO_LIBRARY(name, major) name ".so." NEGZERO_TEXT_OF(major)

/// What is used of cuBLAS. Loaded once a process and never closed, with the handle of the process, which has one GPU.
struct Blas {
  Library library{NEGZERO_LIBRARY("libcublas", CUBLAS_VER_MAJOR)};
  decltype(&cublasCreate) create;
  decltype(&cublasSetStream) set_stream;
  decltype(&cublasSetWorkspace) set_workspace;
  decltype(&cublasSetMathMode) set_math_mode;
  decltype(&cublasGetStatusName) status_name;
  decltype(&cublasGemmEx_64) gemm;
  decltype(&cublasGemmStridedBatchedEx_64) gemm_strided;
  decltype(&cublasGemmBatchedEx_64) gemm_batched;
  decltype(&cublasGemmGroupedBatchedEx_64) gemm_grouped;
  cublasHandle_t handle = nullptr;
  cublasStatus_t made = CUBLAS_STATUS_NOT_INITIALIZED;

  /// Made at the first call.
  static const Blas& get() {
    static const Blas* const instance = new Blas;
    return *instance;
  }

 private:
  Blas() {
    library.find(create, "cublasCreate_v2");
    library.find(set_stream, "cublasSetStream_v2");
    library.find(set_workspace, "cublasSetWorkspace_v2");
    library.find(set_math_mode, "cublasSetMathMode");
    library.find(status_name, "cublasGetStatusName");
    library.find(gemm, "cublasGemmEx_64");
    library.find(gemm_strided, "cublasGemmStridedBatchedEx_64");
    library.find(gemm_batched, "cublasGemmBatchedEx_64");
    library.find(gemm_grouped, "cublasGemmGroupedBatchedEx_64");
    if (library.problem().empty()) made = create(&handle);
  }
};

/// What a status means for the launch. No memory is no fault of the library: throws std::bad_alloc. What a kernel did
/// that ran before is the stream's to say. The rest is a case that cuBLAS does not take.
template <class Used>
kernel::LaunchResult blas_answer(const Used& blas, cublasStatus_t status, const char* call, engine::Stream& stream) {
  if (status == CUBLAS_STATUS_SUCCESS) return kernel::LaunchResult::launched();
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw std::bad_alloc();
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    stream.record_device_error(error, cudaGetErrorString(error));
    return kernel::LaunchResult::launched();
  }
  return kernel::LaunchResult::refuse(std::string(call) + " returned " + blas.status_name(status));
}

/// A batch of matrices as the BLAS see it.
struct BlasMatrices {
  void* data;
  bool is_row_major;  ///< else column-major
  int64_t leading_dimension, batch_stride;
};

/// Requires stride 1 along rows or along columns (operation::LayoutOrder::RowOrColumnMajor). A stride of an extent
/// below 2 means nothing, and neither does one of a matrix without elements: the leading dimension is at least what the
/// BLAS ask for.
inline BlasMatrices blas_matrices(const kernel::Operand& operand, int64_t rows, int64_t columns) {
  const int64_t row_stride = operand.strides[1], column_stride = operand.strides[2];
  const bool is_row_major = columns <= 1 || column_stride == 1;
  const int64_t least = std::max<int64_t>(is_row_major ? columns : rows, 1);
  const int64_t lines = is_row_major ? rows : columns, stride = is_row_major ? row_stride : column_stride;
  return {operand.data, is_row_major, lines > 1 ? std::max(stride, least) : least, operand.strides[0]};
}

inline void note(cudaError_t error, engine::Stream& stream) {
  if (error != cudaSuccess) stream.record_device_error(error, cudaGetErrorString(error));
}

/// Addresses of these of the matrices, in memory of the device. On the launch's stream, behind what fills that memory.
inline void** addresses_of(const BlasMatrices& matrices, number::FormatId format, const std::vector<int64_t>& which,
                           kernel::Workspace& workspace, engine::Stream& stream) {
  const int64_t stride_bytes = matrices.batch_stride * number::format(format).bits / 8;
  std::vector<void*> addresses;
  for (const int64_t matrix : which) addresses.push_back(static_cast<char*>(matrices.data) + matrix * stride_bytes);
  const std::size_t bytes = addresses.size() * sizeof(void*);
  auto* const own = static_cast<void**>(workspace.allocate(bytes));
  note(cudaMemcpyAsync(own, addresses.data(), bytes, cudaMemcpyHostToDevice, cuda_stream(stream)), stream);
  return own;
}

/// Elements of C where those of D stand, where a library updates C in place.
template <typename T>
__global__ void copy_kernel(Matrices<const T> from, Matrices<T> to, int64_t outputs, int64_t m, int64_t n) {
  for (int64_t index = first_piece(); index < outputs; index += piece_stride()) {
    const int64_t batch = index / (m * n), row = index % (m * n) / n, column = index % n;
    to.at(batch, row, column) = from.at(batch, row, column);
  }
}

template <typename T>
void copy_c(const kernel::GemmArgs& gemm, engine::Stream& stream) {
  const int64_t outputs = gemm.batch * gemm.m * gemm.n;
  launch(stream, copy_kernel<T>, blocks_for<int64_t>(outputs, kCopyThreads), kCopyThreads, 0,
         matrices_of<const T>(gemm.c), matrices_of<T>(gemm.d), outputs, gemm.m, gemm.n);
}

}  // namespace
}  // namespace negzero::kernels
