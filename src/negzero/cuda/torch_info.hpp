// at::cuda::detail::TensorInfo, and accessors of tensors: the ways in which kernels of extensions get sizes and
// strides.

#pragma once

#include <cstdint>
#include <limits>

#include <negzero/cuda/torch_tensor.hpp>

namespace at {

template <typename T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <typename T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};

/// A view of one element, or of what is behind N indices.
template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
          typename index_t = std::int64_t>
class TensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;
  __host__ __device__ TensorAccessor(PtrType data, const index_t* sizes, const index_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  [[nodiscard]] __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
  [[nodiscard]] __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
  [[nodiscard]] __host__ __device__ PtrType data() const { return data_; }
  [[nodiscard]] __host__ __device__ decltype(auto) operator[](index_t i) const {
    if constexpr (N == 1) {
      return (data_[strides_[0] * i]);
    } else {
      return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }

 private:
  PtrType data_;
  const index_t *sizes_, *strides_;
};

/// The same with sizes and strides of its own, for an argument of a kernel.
template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
          typename index_t = std::int64_t>
class PackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;
  template <typename Index>
  __host__ __device__ PackedTensorAccessor(PtrType data, const Index* sizes, const Index* strides) : data_(data) {
    for (std::size_t i = 0; i < N; ++i) {
      sizes_[i] = static_cast<index_t>(sizes[i]);
      strides_[i] = static_cast<index_t>(strides[i]);
    }
  }
  [[nodiscard]] __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
  [[nodiscard]] __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
  [[nodiscard]] __host__ __device__ PtrType data() const { return data_; }
  [[nodiscard]] __host__ __device__ decltype(auto) operator[](index_t i) const {
    return TensorAccessor<T, N, PtrTraits, index_t>(data_, sizes_, strides_)[i];
  }

 private:
  PtrType data_;
  index_t sizes_[N], strides_[N];
};
template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = PackedTensorAccessor<T, N, PtrTraits, std::int32_t>;
template <typename T, std::size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = PackedTensorAccessor<T, N, PtrTraits, std::int64_t>;

template <typename T, std::size_t N, template <typename> class PtrTraits, typename index_t>
PackedTensorAccessor<T, N, PtrTraits, index_t> Tensor::generic_packed_accessor() const {
  TORCH_CHECK(dim() == static_cast<std::int64_t>(N), "an accessor of ", N, " dimensions of ", sizes());
  return {data_ptr<T>(), sizes().data(), strides().data()};
}

namespace cuda::detail {

constexpr int kMostDimensions = 25;  // as PyTorch has it

template <typename T, typename IndexType>
struct TensorInfo {
  TensorInfo() = default;
  TensorInfo(T* memory, int count, const IndexType* all_sizes, const IndexType* all_strides)
      : data(memory), dims(count) {
    for (int i = 0; i < count; ++i) sizes[i] = all_sizes[i], strides[i] = all_strides[i];
  }
  T* data = nullptr;
  IndexType sizes[kMostDimensions]{}, strides[kMostDimensions]{};
  int dims = 0;
};

/// Where the element with that number is, counted in elements. Dims is known, or -1.
template <typename T, typename IndexType, int Dims>
struct IndexToOffset {
  static __host__ __device__ IndexType get(IndexType number, const TensorInfo<T, IndexType>& info) {
    IndexType offset = 0;
    for (int i = (Dims >= 0 ? Dims : info.dims) - 1; i > 0; --i) {
      offset += number % info.sizes[i] * info.strides[i];
      number /= info.sizes[i];
    }
    return offset + number * info.strides[0];
  }
};

template <typename T, typename IndexType>
TensorInfo<T, IndexType> getTensorInfo(const Tensor& tensor) {
  TensorInfo<T, IndexType> info;
  info.data = tensor.data_ptr<T>();
  info.dims = static_cast<int>(tensor.dim());
  const std::vector<std::int64_t> strides = tensor.strides();
  for (int i = 0; i < info.dims; ++i) {
    info.sizes[i] = static_cast<IndexType>(tensor.size(i));
    info.strides[i] = static_cast<IndexType>(strides[static_cast<std::size_t>(i)]);
  }
  return info;
}

/// Whether 32-bit indices reach every element.
inline bool canUse32BitIndexMath(const Tensor& tensor, std::int64_t most = std::numeric_limits<std::int32_t>::max()) {
  return tensor.numel() <= most;
}

}  // namespace cuda::detail
}  // namespace at
