// PyTorch's C++ interface as far as extensions that launch kernels of their own need it: torch::Tensor over memory of
// the CUDA runtime, its factories, AT_DISPATCH, TORCH_CHECK, bindings. No function that computes is here.
//
// Tensors are contiguous and on the GPU, memory of torch::empty() begins with every bit set, and every stream is the
// default one.

#pragma once

#include <negzero/cuda/torch_info.hpp>
#include <negzero/cuda/torch_macros.hpp>

namespace at {

inline std::optional<Device> device_of(const Tensor& tensor) { return tensor.device(); }

/// The type that PyTorch accumulates in on a GPU (ATen/AccumulateType.h).
template <typename T, bool is_cuda>
using acc_type = std::conditional_t<std::is_same_v<T, double>, double,
                                    std::conditional_t<std::is_integral_v<T>, std::int64_t, float>>;

/// The type that PyTorch computes in (ATen/OpMathType.h).
template <typename T>
using opmath_type = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

constexpr auto kByte = ScalarType::Byte, kUInt8 = kByte, kChar = ScalarType::Char, kInt8 = kChar,
               kShort = ScalarType::Short, kInt16 = kShort, kInt = ScalarType::Int, kInt32 = kInt,
               kLong = ScalarType::Long, kInt64 = kLong, kHalf = ScalarType::Half, kFloat16 = kHalf,
               kFloat = ScalarType::Float, kFloat32 = kFloat, kDouble = ScalarType::Double, kFloat64 = kDouble,
               kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16, kFloat8_e5m2 = ScalarType::Float8_e5m2,
               kFloat8_e4m3fn = ScalarType::Float8_e4m3fn;
constexpr auto kCUDA = DeviceType::CUDA, kCPU = DeviceType::CPU;

namespace cuda {

struct CUDAStream {
  operator cudaStream_t() const { return nullptr; }
  [[nodiscard]] cudaStream_t stream() const { return nullptr; }
};
inline CUDAStream getCurrentCUDAStream(int = 0) { return {}; }
inline CUDAStream getDefaultCUDAStream(int = 0) { return {}; }
inline cudaDeviceProp* getCurrentDeviceProperties() {
  static cudaDeviceProp properties = [] {
    cudaDeviceProp result;
    C10_CUDA_CHECK(cudaGetDeviceProperties(&result, 0));
    return result;
  }();
  return &properties;
}
struct CUDAGuard {
  template <typename Device>
  explicit CUDAGuard(const Device&) {}
};
using OptionalCUDAGuard = CUDAGuard;
/// There is one device.
inline void MaybeSetDevice(int) {}
inline int current_device() { return 0; }
inline int device_count() { return 1; }
inline void set_device(int) {}

}  // namespace cuda
}  // namespace at

namespace c10 {

template <typename T>
using optional = std::optional<T>;
using std::nullopt;
namespace cuda = ::at::cuda;

}  // namespace c10

namespace torch {

using namespace at;
using at::Tensor;
using DeviceGuard = at::cuda::CUDAGuard;
inline TensorOptions dtype(ScalarType type) { return type; }
template <typename... Place>
TensorOptions device(const Place&...) {
  return {};
}
struct NoGradGuard {};

}  // namespace torch

namespace pybind11 {

struct arg {
  explicit arg(const char*) {}
  template <typename T>
  arg& operator=(T&&) {
    return *this;
  }
};

}  // namespace pybind11
namespace py = pybind11;
