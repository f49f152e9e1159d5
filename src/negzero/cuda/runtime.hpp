// The CUDA runtime on the host, as far as launchers of kernels call it: memory, copies, streams, events, properties.
//
// Device memory of a launcher is ordinary memory that begins as poison. A launch that CUDA refuses is kept by the
// stream that the launch wrapper was given, and reported from there: cudaGetLastError() answers cudaSuccess, so that
// the author's check does not end the process before.

#pragma once

#include <cstddef>
#include <limits>

#include <negzero/cuda/types.hpp>
#include <negzero/engine/allocations.hpp>
#include <negzero/engine/host_code.hpp>

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600,
  cudaErrorNotSupported = 801,
  cudaErrorUnknown = 999,
};
using cudaError = cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventDisableTiming = 2 };
enum { cudaHostAllocDefault = 0, cudaMemAttachGlobal = 1 };

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
// Types alone, so that a class of the author may have members of them. No function that makes a graph is there.
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;
using cudaGraphNode_t = struct CUgraphNode_st*;
using cudaMemPool_t = struct CUmemPoolHandle_st*;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated
};

/// One GPU of compute capability 9.0 (CUDA C++ Programming Guide 13, table of compute capabilities; an H100 SXM has 132
/// multiprocessors).
struct cudaDeviceProp {
  char name[256] = "negzero host executor";
  std::size_t totalGlobalMem = std::size_t{1} << 33;
  std::size_t sharedMemPerBlock = 48 * 1024, sharedMemPerBlockOptin = 227 * 1024,
              sharedMemPerMultiprocessor = 228 * 1024;
  std::size_t totalConstMem = 64 * 1024;
  int regsPerBlock = 65536, regsPerMultiprocessor = 65536, warpSize = 32;
  int maxThreadsPerBlock = 1024, maxThreadsPerMultiProcessor = 2048, maxBlocksPerMultiProcessor = 32;
  int maxThreadsDim[3] = {1024, 1024, 64};
  int maxGridSize[3] = {std::numeric_limits<int>::max(), 65535, 65535};
  int major = 9, minor = 0, multiProcessorCount = 132, l2CacheSize = 50 << 20;
  int cooperativeLaunch = 0, concurrentKernels = 1, managedMemory = 1, unifiedAddressing = 1;
  int clockRate = 1980000, memoryClockRate = 2619000, memoryBusWidth = 5120, ECCEnabled = 1;
};

inline namespace NEGZERO_BUILD {

inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  return *properties = cudaDeviceProp{}, cudaSuccess;
}
inline const char* cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "an error"; }
inline const char* cudaGetErrorName(cudaError_t error) { return error == cudaSuccess ? "cudaSuccess" : "cudaError"; }

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const cudaDeviceProp properties;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return *value = properties.maxThreadsPerBlock, cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return *value = static_cast<int>(properties.sharedMemPerBlock), cudaSuccess;
    case cudaDevAttrWarpSize:
      return *value = properties.warpSize, cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      return *value = properties.multiProcessorCount, cudaSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return *value = properties.maxThreadsPerMultiProcessor, cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      return *value = properties.major, cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      return *value = properties.minor, cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return *value = static_cast<int>(properties.sharedMemPerMultiprocessor), cudaSuccess;
    case cudaDevAttrCooperativeLaunch:
      return *value = properties.cooperativeLaunch, cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return *value = static_cast<int>(properties.sharedMemPerBlockOptin), cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

// Memory.
template <typename T>
cudaError_t cudaMalloc(T** address, std::size_t size_bytes) {
  *address = static_cast<T*>(negzero::engine::allocate_device_memory(size_bytes));
  return *address == nullptr && size_bytes > 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}
template <typename T>
cudaError_t cudaMallocAsync(T** address, std::size_t size_bytes, cudaStream_t) {
  return cudaMalloc(address, size_bytes);
}
template <typename T>
cudaError_t cudaMallocManaged(T** address, std::size_t size_bytes, unsigned = cudaMemAttachGlobal) {
  return cudaMalloc(address, size_bytes);
}
template <typename T>
cudaError_t cudaMallocHost(T** address, std::size_t size_bytes, unsigned = cudaHostAllocDefault) {
  return cudaMalloc(address, size_bytes);
}
template <typename T>
cudaError_t cudaHostAlloc(T** address, std::size_t size_bytes, unsigned) {
  return cudaMalloc(address, size_bytes);
}
inline cudaError_t cudaFree(void* address) { return negzero::engine::free_device_memory(address), cudaSuccess; }
inline cudaError_t cudaFreeAsync(void* address, cudaStream_t) { return cudaFree(address); }
inline cudaError_t cudaFreeHost(void* address) { return cudaFree(address); }

inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind,
                                   cudaStream_t = nullptr) {
  if (auto* const stream = negzero::engine::Stream::of_wrapper()) {
    negzero::engine::copy_on_host(*stream, to, from, size_bytes);
  }
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, size_bytes, kind);
}
inline cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t size_bytes, cudaStream_t = nullptr) {
  if (auto* const stream = negzero::engine::Stream::of_wrapper()) {
    negzero::engine::fill_on_host(*stream, to, byte, size_bytes);
  }
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* to, int byte, std::size_t size_bytes) {
  return cudaMemsetAsync(to, byte, size_bytes);
}

// Variables of the device: `symbol` is the variable itself.
template <typename T>
void* address_of_symbol(const T& symbol) {
  return const_cast<void*>(static_cast<const volatile void*>(&symbol));
}
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t size_bytes, std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpy(static_cast<char*>(address_of_symbol(symbol)) + offset, from, size_bytes, kind);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t size_bytes, std::size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(symbol, from, size_bytes, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t size_bytes, std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpy(to, static_cast<const char*>(address_of_symbol(symbol)) + offset, size_bytes, kind);
}
template <typename T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return *address = address_of_symbol(symbol), cudaSuccess;
}

// Streams and events: the host runs everything in the order of its calls.
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return *stream = nullptr, cudaSuccess; }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return cudaStreamCreate(stream); }
/// No stream is captured here.
inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  return *status = cudaStreamCaptureStatusNone, cudaSuccess;
}
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                            unsigned long long* id = nullptr) {
  if (id != nullptr) *id = 0;
  return cudaStreamIsCapturing(stream, status);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned = cudaEventDefault) {
  return *event = nullptr, cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) { return *ms = 1.0f, cudaSuccess; }

// Functions. More dynamic shared memory than a block may have is refused, for which some launchers have another way;
// what a GPU would prefer means nothing here.
template <typename Function>
cudaError_t cudaFuncSetAttribute(Function, cudaFuncAttribute attribute, int value) {
  const bool is_size = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize;
  return is_size && value > static_cast<int>(cudaDeviceProp{}.sharedMemPerBlockOptin) ? cudaErrorInvalidValue
                                                                                      : cudaSuccess;
}
template <typename Function>
cudaError_t cudaFuncSetCacheConfig(Function, cudaFuncCache) {
  return cudaSuccess;
}
template <typename Function>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function, int threads, std::size_t) {
  return *blocks = threads > 0 ? 2048 / threads : 1, cudaSuccess;
}
template <typename Function>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Function, std::size_t = 0, int = 0) {
  return *grid = 132, *block = 1024, cudaSuccess;
}

}  // namespace NEGZERO_BUILD
