// The nvcc half of cuda.hpp: CUDA's headers and negzero's three spellings in nvcc's words.

#pragma once

#include <cstddef>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <negzero/engine/stream.hpp>

#define NEGZERO_EXECUTOR cuda

#define NEGZERO_SHARED(type, name, ...) __shared__ type name __VA_ARGS__

// One untyped declaration for all element types: nvcc rejects two extern __shared__ arrays of one name and two types.
#define NEGZERO_DYNAMIC_SHARED(type, name)                                        \
  extern __shared__ __align__(1024) unsigned char negzero_dynamic_shared_bytes[]; \
  type* const name = reinterpret_cast<type*>(negzero_dynamic_shared_bytes)

namespace negzero {
inline namespace cuda_half {

/// Launches `kernel` on the device stream of `stream`. Errors of the launch itself are recorded there; errors of the
/// running kernel appear at the next synchronisation. More than 48 KiB of dynamic shared memory is opted into.
template <typename... Parameters, typename... Arguments>
void launch(engine::Stream& stream, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            std::size_t dynamic_shared_bytes, Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "launch: one argument for each parameter of the kernel");
  if (!stream.begin_launch()) return;
  if (!stream.is_device()) {
    stream.fail(engine::LaunchStatus::InvalidLaunch, "a kernel built by nvcc cannot run on a host stream");
    return;
  }
  cudaError_t error = cudaSuccess;
  if (dynamic_shared_bytes > 48u * 1024u) {
    error = cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(dynamic_shared_bytes));
  }
  if (error == cudaSuccess) {
    kernel<<<grid, block, dynamic_shared_bytes, static_cast<cudaStream_t>(stream.handle())>>>(
        static_cast<Parameters>(arguments)...);
    error = cudaGetLastError();
  }
  if (error != cudaSuccess) stream.record_device_error(error, cudaGetErrorString(error));
}

/// Copies bytes between host and device, either way or within one, after all launches before it. Host memory is
/// ordinary (not page-locked) memory: the CUDA runtime returns when it may be used (API synchronization behavior,
/// cudaMemcpyAsync). Device memory cannot be touched by host code otherwise.
inline void device_copy(engine::Stream& stream, void* to, const void* from, std::size_t size_bytes) {
  if (!stream.may_be_used() || size_bytes == 0) return;
  const cudaError_t error =
      cudaMemcpyAsync(to, from, size_bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(stream.handle()));
  if (error != cudaSuccess) stream.record_device_error(error, cudaGetErrorString(error));
}

/// Sets bytes of device memory, after all launches before it.
inline void device_fill(engine::Stream& stream, void* to, int byte, std::size_t size_bytes) {
  if (!stream.may_be_used() || size_bytes == 0) return;
  const cudaError_t error = cudaMemsetAsync(to, byte, size_bytes, static_cast<cudaStream_t>(stream.handle()));
  if (error != cudaSuccess) stream.record_device_error(error, cudaGetErrorString(error));
}

}  // namespace cuda_half
}  // namespace negzero
