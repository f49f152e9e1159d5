// What a tensor of PyTorch's C++ interface is made of: formats of elements, sizes, devices, options, errors.
//
// Names are those of https://docs.pytorch.org/cppdocs. An extension that a user checks finds them in place of PyTorch;
// both the host's compilers and nvcc read this.

#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <negzero/cuda/torch_half.hpp>

namespace c10 {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace detail {

template <typename... Parts>
std::string text_of(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

}  // namespace detail

using Float8_e4m3fn = __nv_fp8_e4m3;
using Float8_e5m2 = __nv_fp8_e5m2;

enum class ScalarType : std::int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  Bool,
  BFloat16,
  Float8_e5m2,
  Float8_e4m3fn
};

/// The scalar type of a type of C++.
template <typename T>
struct CppTypeToScalarType;

// Every type of elements that a tensor may have: the type of C++, the scalar type, its name in Python.
#define NEGZERO_SCALAR_TYPES(_)                                                                           \
  _(std::uint8_t, Byte, "uint8")                                                                          \
  _(std::int8_t, Char, "int8")                                                                            \
  _(std::int16_t, Short, "int16")                                                                         \
  _(int, Int, "int32") _(std::int64_t, Long, "int64") _(Half, Half, "float16") _(float, Float, "float32") \
      _(double, Double, "float64") _(bool, Bool, "bool") _(BFloat16, BFloat16, "bfloat16")                \
          _(Float8_e5m2, Float8_e5m2, "float8_e5m2") _(Float8_e4m3fn, Float8_e4m3fn, "float8_e4m3fn")

#define NEGZERO_SCALAR(type, name, python) \
  template <>                              \
  struct CppTypeToScalarType<type> : std::integral_constant<ScalarType, ScalarType::name> {};
NEGZERO_SCALAR_TYPES(NEGZERO_SCALAR)
#undef NEGZERO_SCALAR
// Elements of these types of CUDA are those of PyTorch's.
template <>
struct CppTypeToScalarType<__half> : std::integral_constant<ScalarType, ScalarType::Half> {};
template <>
struct CppTypeToScalarType<__nv_bfloat16> : std::integral_constant<ScalarType, ScalarType::BFloat16> {};

#define NEGZERO_SCALAR(type, name, python) \
  case ScalarType::name:                   \
    return sizeof(type);
inline std::size_t elementSize(ScalarType type) {
  switch (type) { NEGZERO_SCALAR_TYPES(NEGZERO_SCALAR) }
  return 0;
}
#undef NEGZERO_SCALAR

#define NEGZERO_SCALAR(type, name, python) \
  case ScalarType::name:                   \
    return python;
inline const char* toString(ScalarType type) {
  switch (type) { NEGZERO_SCALAR_TYPES(NEGZERO_SCALAR) }
  return "";
}
#undef NEGZERO_SCALAR
inline std::ostream& operator<<(std::ostream& out, ScalarType type) { return out << toString(type); }

/// Sizes and strides: a copy, where PyTorch refers to elements of a tensor.
template <typename T>
class ArrayRef {
 public:
  ArrayRef() = default;
  ArrayRef(std::initializer_list<T> all) : all_(all) {}
  template <typename U>
  ArrayRef(const std::vector<U>& all) : all_(all.begin(), all.end()) {}
  ArrayRef(const T& one) : all_{one} {}

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const T& operator[](std::size_t i) const { return all_.at(i); }
  [[nodiscard]] const T& back() const { return all_.back(); }
  [[nodiscard]] const T* data() const { return all_.data(); }
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }
  [[nodiscard]] std::vector<T> vec() const { return all_; }
  friend bool operator==(const ArrayRef&, const ArrayRef&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ArrayRef& ref) {
    out << '[';
    for (std::size_t i = 0; i < ref.size(); ++i) out << (i == 0 ? "" : ", ") << ref[i];
    return out << ']';
  }

 private:
  std::vector<T> all_;
};
using IntArrayRef = ArrayRef<std::int64_t>;

enum class DeviceType : std::int8_t { CPU, CUDA };
struct Device {
  Device(DeviceType type = DeviceType::CUDA, int = 0) : type_(type) {}
  [[nodiscard]] DeviceType type() const { return type_; }
  [[nodiscard]] int index() const { return 0; }
  [[nodiscard]] bool is_cuda() const { return type_ == DeviceType::CUDA; }
  [[nodiscard]] bool is_cpu() const { return type_ == DeviceType::CPU; }
  friend bool operator==(const Device&, const Device&) = default;

 private:
  DeviceType type_;
};

class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType type) : type_(type) {}
  TensorOptions(Device) {}
  TensorOptions(DeviceType) {}
  [[nodiscard]] TensorOptions dtype(ScalarType type) const { return type; }
  template <typename... Device>
  [[nodiscard]] TensorOptions device(const Device&... device) const requires(sizeof...(Device) > 0) {
    return *this;
  }
  [[nodiscard]] TensorOptions requires_grad(bool) const { return *this; }
  [[nodiscard]] ScalarType dtype() const { return type_; }
  [[nodiscard]] Device device() const { return {}; }

 private:
  ScalarType type_ = ScalarType::Float;
};

}  // namespace c10

#define TORCH_CHECK(condition, ...) \
  (static_cast<bool>(condition)     \
       ? static_cast<void>(0)       \
       : throw ::c10::Error(::c10::detail::text_of("TORCH_CHECK(" #condition ") fails: " __VA_OPT__(, ) __VA_ARGS__)))
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define AT_ASSERTM TORCH_CHECK
#define AT_ASSERT TORCH_CHECK
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b))
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b))
#define AT_ERROR(...) throw ::c10::Error(::c10::detail::text_of(__VA_ARGS__))
#define C10_CUDA_CHECK(call)                                                                         \
  do {                                                                                               \
    if (const cudaError_t negzero_error = (call); negzero_error != cudaSuccess)                      \
      throw ::c10::Error(::c10::detail::text_of("CUDA error: ", cudaGetErrorString(negzero_error))); \
  } while (false)
#define AT_CUDA_CHECK C10_CUDA_CHECK
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define C10_RESTRICT __restrict__
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_LAUNCH_BOUNDS_1 __launch_bounds__
#define C10_LAUNCH_BOUNDS_2 __launch_bounds__
