// torch::Tensor over memory of the CUDA runtime, and the functions that make one (torch.hpp).

#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include <negzero/cuda/torch_types.hpp>

namespace at {

using namespace c10;

namespace detail {

/// A float that is no type of C++'s own goes by way of float, which holds each of its values.
template <typename Into, typename From>
Into converted(const From& from) {
  if constexpr (std::is_arithmetic_v<From> && std::is_arithmetic_v<Into>) {
    return static_cast<Into>(from);
  } else if constexpr (std::is_arithmetic_v<Into>) {
    return static_cast<Into>(static_cast<float>(from));
  } else {
    return Into(static_cast<float>(from));
  }
}

/// Calls work(element) with an element of C++'s type for `type`.
template <typename Work>
void with_element(ScalarType type, const Work& work) {
#define NEGZERO_ELEMENT(element, name, python) \
  case ScalarType::name:                       \
    return work(element{});
  switch (type) { NEGZERO_SCALAR_TYPES(NEGZERO_ELEMENT) }
#undef NEGZERO_ELEMENT
}

}  // namespace detail

class Tensor;
template <typename T, std::size_t N, template <typename> class PtrTraits, typename index_t>
class PackedTensorAccessor;
template <typename T>
struct DefaultPtrTraits;
Tensor empty(IntArrayRef sizes, TensorOptions options = {});

class Tensor {
 public:
  Tensor() = default;
  /// A view of memory that something else owns.
  Tensor(void* memory, IntArrayRef sizes, ScalarType type) : Tensor({memory, [](void*) {}}, std::move(sizes), type) {}

  [[nodiscard]] bool defined() const { return memory_ != nullptr; }
  [[nodiscard]] std::int64_t dim() const { return static_cast<std::int64_t>(sizes_.size()); }
  [[nodiscard]] std::int64_t ndimension() const { return dim(); }
  [[nodiscard]] const IntArrayRef& sizes() const { return sizes_; }
  [[nodiscard]] std::int64_t size(std::int64_t i) const { return sizes_[axis(i)]; }
  [[nodiscard]] std::vector<std::int64_t> strides() const {
    std::vector<std::int64_t> result(sizes_.size(), 1);
    for (std::size_t i = result.size(); i-- > 1;) result[i - 1] = result[i] * sizes_[i];
    return result;
  }
  [[nodiscard]] std::int64_t stride(std::int64_t i) const { return strides()[axis(i)]; }
  [[nodiscard]] std::int64_t numel() const { return count(sizes_); }
  [[nodiscard]] std::int64_t element_size() const { return static_cast<std::int64_t>(elementSize(type_)); }
  [[nodiscard]] std::int64_t itemsize() const { return element_size(); }
  [[nodiscard]] std::size_t nbytes() const { return static_cast<std::size_t>(numel() * element_size()); }
  [[nodiscard]] ScalarType scalar_type() const { return type_; }
  [[nodiscard]] ScalarType dtype() const { return type_; }
  [[nodiscard]] TensorOptions options() const { return type_; }
  [[nodiscard]] Device device() const { return {}; }
  [[nodiscard]] int get_device() const { return 0; }
  [[nodiscard]] bool is_cuda() const { return true; }
  [[nodiscard]] bool is_cpu() const { return false; }
  [[nodiscard]] bool is_contiguous() const { return true; }
  [[nodiscard]] Tensor contiguous() const { return *this; }
  [[nodiscard]] Tensor cuda() const { return *this; }
  [[nodiscard]] Tensor detach() const { return *this; }
  [[nodiscard]] bool is_same(const Tensor& other) const { return memory_ == other.memory_; }

  /// What AT_DISPATCH was given before scalar_type() was there.
  struct Type {
    ScalarType type;
    operator ScalarType() const { return type; }
    [[nodiscard]] ScalarType scalarType() const { return type; }
    [[nodiscard]] bool is_cuda() const { return true; }
  };
  [[nodiscard]] Type type() const { return {type_}; }

  [[nodiscard]] void* data_ptr() const { return memory_.get(); }
  template <typename T>
  [[nodiscard]] T* data_ptr() const {
    using Element = std::remove_const_t<T>;
    TORCH_CHECK(CppTypeToScalarType<Element>::value == type_, "expected ", CppTypeToScalarType<Element>::value,
                ", found ", type_);
    return static_cast<T*>(data_ptr());
  }
  template <typename T>
  [[nodiscard]] T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  template <typename T>
  [[nodiscard]] const T* const_data_ptr() const {
    return data_ptr<T>();
  }
  template <typename T>
  [[nodiscard]] T* data() const {
    return data_ptr<T>();
  }

  // Of kernels' arguments (torch_info.hpp).
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
            typename index_t = std::int64_t>
  [[nodiscard]] PackedTensorAccessor<T, N, PtrTraits, index_t> generic_packed_accessor() const;
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
  [[nodiscard]] PackedTensorAccessor<T, N, PtrTraits, std::int32_t> packed_accessor32() const {
    return generic_packed_accessor<T, N, PtrTraits, std::int32_t>();
  }
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
  [[nodiscard]] PackedTensorAccessor<T, N, PtrTraits, std::int64_t> packed_accessor64() const {
    return generic_packed_accessor<T, N, PtrTraits, std::int64_t>();
  }
  template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
            typename index_t = std::int64_t>
  [[nodiscard]] PackedTensorAccessor<T, N, PtrTraits, index_t> packed_accessor() const {
    return generic_packed_accessor<T, N, PtrTraits, index_t>();
  }

  /// The tensor itself where it has the type, else one whose elements are converted as C++ converts them.
  [[nodiscard]] Tensor to(ScalarType type) const;
  [[nodiscard]] Tensor to(Device) const { return *this; }
  [[nodiscard]] Tensor to(DeviceType) const { return *this; }
  [[nodiscard]] Tensor to(Device, ScalarType type) const { return to(type); }
  [[nodiscard]] Tensor to(const TensorOptions& options) const { return to(options.dtype()); }
  [[nodiscard]] Tensor toType(ScalarType type) const { return to(type); }
  [[nodiscard]] Tensor type_as(const Tensor& other) const { return to(other.type_); }
  [[nodiscard]] Tensor half() const { return to(ScalarType::Half); }
  [[nodiscard]] Tensor bfloat16() const { return to(ScalarType::BFloat16); }

  /// One of the sizes may be -1: what is left.
  [[nodiscard]] Tensor view(IntArrayRef sizes) const {
    std::vector<std::int64_t> all = sizes.vec();
    const auto open = std::find(all.begin(), all.end(), -1);
    if (open != all.end()) {
      *open = 1;
      const std::int64_t known = count(all);
      *open = known == 0 ? 0 : numel() / known;
    }
    Tensor result = *this;
    result.sizes_ = all;
    TORCH_CHECK(result.numel() == numel(), "shape ", sizes, " is invalid for ", sizes_);
    return result;
  }
  [[nodiscard]] Tensor reshape(IntArrayRef sizes) const { return view(std::move(sizes)); }
  [[nodiscard]] Tensor view_as(const Tensor& other) const { return view(other.sizes()); }
  [[nodiscard]] Tensor flatten() const { return view(numel()); }
  [[nodiscard]] Tensor unsqueeze(std::int64_t i) const {
    std::vector<std::int64_t> all = sizes_.vec();
    all.insert(all.begin() + (i < 0 ? i + dim() + 1 : i), 1);
    return view(all);
  }
  [[nodiscard]] Tensor squeeze(std::int64_t i) const {
    std::vector<std::int64_t> all = sizes_.vec();
    if (all.at(axis(i)) == 1) all.erase(all.begin() + static_cast<std::ptrdiff_t>(axis(i)));
    return view(all);
  }
  [[nodiscard]] Tensor clone() const { return empty(sizes_, type_).copy_(*this); }
  Tensor copy_(const Tensor& from) const {
    TORCH_CHECK(from.numel() == numel() && from.type_ == type_, "copy_ from ", from.sizes_, " of ", from.type_, " to ",
                sizes_, " of ", type_);
    C10_CUDA_CHECK(cudaMemcpy(data_ptr(), from.data_ptr(), nbytes(), cudaMemcpyDeviceToDevice));
    return *this;
  }
  Tensor zero_() const {
    C10_CUDA_CHECK(cudaMemset(data_ptr(), 0, nbytes()));
    return *this;
  }
  Tensor fill_(double value) const;
  template <typename T>
  [[nodiscard]] T item() const {
    T result{};
    TORCH_CHECK(numel() == 1, "item() of ", sizes_);
    C10_CUDA_CHECK(cudaMemcpy(&result, data_ptr<T>(), sizeof(T), cudaMemcpyDeviceToHost));
    return result;
  }

 private:
  template <typename Sizes>
  [[nodiscard]] static std::int64_t count(const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  }
  friend Tensor empty(IntArrayRef, TensorOptions);
  Tensor(std::shared_ptr<void> memory, IntArrayRef sizes, ScalarType type)
      : memory_(std::move(memory)), sizes_(std::move(sizes)), type_(type) {}

  [[nodiscard]] std::size_t axis(std::int64_t i) const {
    TORCH_CHECK(-dim() <= i && i < dim(), "dimension ", i, " of ", sizes_);
    return static_cast<std::size_t>(i < 0 ? i + dim() : i);
  }

  std::shared_ptr<void> memory_{};
  IntArrayRef sizes_{};
  ScalarType type_ = ScalarType::Float;
};

inline Tensor empty(IntArrayRef sizes, TensorOptions options) {
  // An empty tensor is one, so it has memory.
  Tensor result(nullptr, std::move(sizes), options.dtype());
  for (const std::int64_t size : result.sizes()) TORCH_CHECK(size >= 0, "negative size in ", result.sizes());
  void* memory = nullptr;
  const std::size_t size_bytes = std::max<std::size_t>(result.nbytes(), 1);
  C10_CUDA_CHECK(cudaMalloc(&memory, size_bytes));
  result.memory_ = {memory, [](void* old) { static_cast<void>(cudaFree(old)); }};
  C10_CUDA_CHECK(cudaMemset(memory, 0xff, size_bytes));
  return result;
}

inline Tensor Tensor::fill_(double value) const {
  const auto as = [&](auto element) {
    const std::vector<decltype(element)> all(static_cast<std::size_t>(numel()), element);
    C10_CUDA_CHECK(cudaMemcpy(data_ptr(), all.data(), nbytes(), cudaMemcpyHostToDevice));
  };
  switch (type_) {
    case ScalarType::Bool:
      as(static_cast<char>(value != 0));
      break;
#define NEGZERO_FILL(name, element) \
  case ScalarType::name:            \
    as(element);                    \
    break;
      NEGZERO_FILL(Byte, static_cast<std::uint8_t>(value))
      NEGZERO_FILL(Char, static_cast<std::int8_t>(value))
      NEGZERO_FILL(Short, static_cast<std::int16_t>(value))
      NEGZERO_FILL(Int, static_cast<int>(value))
      NEGZERO_FILL(Long, static_cast<std::int64_t>(value))
      NEGZERO_FILL(Half, Half(__double2half(value)))
      NEGZERO_FILL(Float, static_cast<float>(value))
      NEGZERO_FILL(Double, value)
      NEGZERO_FILL(BFloat16, BFloat16(__double2bfloat16(value)))
      NEGZERO_FILL(Float8_e5m2, Float8_e5m2(value))
      NEGZERO_FILL(Float8_e4m3fn, Float8_e4m3fn(value))
#undef NEGZERO_FILL
  }
  return *this;
}

inline Tensor Tensor::to(ScalarType type) const {
  if (type == type_) return *this;
  Tensor result = empty(sizes_, type);
  const auto count = static_cast<std::size_t>(numel());
  const auto convert = [&](auto from, auto into) {
    using From = decltype(from);
    using Into = decltype(into);
    const auto all = std::make_unique<From[]>(count);
    const auto converted = std::make_unique<Into[]>(count);
    C10_CUDA_CHECK(cudaMemcpy(all.get(), data_ptr(), nbytes(), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < count; ++i) converted[i] = detail::converted<Into>(all[i]);
    C10_CUDA_CHECK(cudaMemcpy(result.data_ptr(), converted.get(), result.nbytes(), cudaMemcpyHostToDevice));
  };
  detail::with_element(type_, [&](auto from) { detail::with_element(type, [&](auto into) { convert(from, into); }); });
  return result;
}

inline Tensor full(IntArrayRef sizes, double value, TensorOptions options = {}) {
  return empty(std::move(sizes), options).fill_(value);
}
inline Tensor zeros(IntArrayRef sizes, TensorOptions options = {}) { return empty(std::move(sizes), options).zero_(); }
inline Tensor ones(IntArrayRef sizes, TensorOptions options = {}) { return full(std::move(sizes), 1, options); }
inline Tensor empty_like(const Tensor& like) { return empty(like.sizes(), like.options()); }
inline Tensor empty_like(const Tensor& like, TensorOptions options) { return empty(like.sizes(), options); }
inline Tensor zeros_like(const Tensor& like) { return zeros(like.sizes(), like.options()); }
inline Tensor zeros_like(const Tensor& like, TensorOptions options) { return zeros(like.sizes(), options); }
inline Tensor ones_like(const Tensor& like) { return ones(like.sizes(), like.options()); }
inline Tensor full_like(const Tensor& like, double value, TensorOptions options) {
  return full(like.sizes(), value, options);
}
inline Tensor full_like(const Tensor& like, double value) { return full(like.sizes(), value, like.options()); }

}  // namespace at
