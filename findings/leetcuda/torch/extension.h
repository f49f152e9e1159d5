// The part of PyTorch's interface that bindings of LeetCUDA use, over memory that host and GPU see: their files compile
// without PyTorch, and a main() calls their own functions.

#pragma once

#include <cassert>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

namespace torch {

enum Type { kFloat32, kHalf, kBFloat16, kInt32, kInt8, kFloat8_e4m3fn, kFloat8_e5m2 };
enum Place { kCPU, kCUDA };

class TensorOptions {
 public:
  TensorOptions dtype(Type type) const {
    TensorOptions result = *this;
    result.type_ = type;
    return result;
  }
  Type dtype() const { return type_; }
  TensorOptions device(Place, int = 0) const { return *this; }

 private:
  Type type_ = kFloat32;
};

inline std::ostream& operator<<(std::ostream& out, const TensorOptions& options) { return out << options.dtype(); }

struct Scalar {
  double value;
  template <typename T>
  T to() const {
    return static_cast<T>(value);
  }
};

/// All numbers of a tensor, and as many behind it as kBehind, which hold `fill` as those do that `first` does not have.
class Tensor {
 public:
  static constexpr int kBehind = 1024;
  Tensor(std::vector<int> sizes, Type type, const std::vector<float>& first, float fill) : sizes_(sizes), type_(type) {
    for (int each : sizes) count_ *= each;
    void* data = nullptr;
    cudaMallocManaged(&data, (count_ + kBehind) * 4);
    data_ = std::shared_ptr<void>(data, cudaFree);
    for (int i = 0; i < count_ + kBehind; ++i) put(i, i < static_cast<int>(first.size()) ? first[i] : fill);
  }
  int dim() const { return static_cast<int>(sizes_.size()); }
  int size(int i) const { return sizes_[i]; }
  int count() const { return count_; }
  template <typename T = void>
  T* data_ptr() const {
    return static_cast<T*>(data_.get());
  }
  TensorOptions options() const { return TensorOptions().dtype(type_); }
  Tensor cpu() const { return *this; }
  Scalar item() const { return {at(0)}; }
  float at(int i) const {
    if (type_ == kHalf) return static_cast<const __half*>(data_ptr())[i];
    if (type_ == kInt32) return static_cast<float>(static_cast<const int*>(data_ptr())[i]);
    return static_cast<const float*>(data_ptr())[i];
  }

 private:
  void put(int i, float value) {
    if (type_ == kHalf) {
      static_cast<__half*>(data_ptr())[i] = value;
    } else if (type_ == kInt32) {
      static_cast<int*>(data_ptr())[i] = static_cast<int>(value);
    } else {
      static_cast<float*>(data_ptr())[i] = value;
    }
  }

  std::vector<int> sizes_;
  Type type_;
  int count_ = 1;
  std::shared_ptr<void> data_;
};

inline Tensor zeros(std::vector<int> sizes, TensorOptions options) { return Tensor(sizes, options.dtype(), {}, 0); }

inline std::tuple<Tensor, Tensor> max(const Tensor& x, int) {
  float most = x.at(0);
  for (int i = 1; i < x.count(); ++i) most = x.at(i) > most ? x.at(i) : most;
  const Tensor result({1}, x.options().dtype(), {most}, most);
  return {result, result};
}

}  // namespace torch

// What a module exports to Python is no part of a program.
#define TORCH_MODULE_JOIN(a, b) a##b
#define TORCH_MODULE_NAME(line) TORCH_MODULE_JOIN(python_module_, line)
#define PYBIND11_MODULE(name, m) \
  template <typename Module>     \
  void TORCH_MODULE_NAME(__COUNTER__)(Module & m)
