// Tensors of one and two dimensions as kernels of declared operations see them: a pointer with strides in elements.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

using std::int64_t;

template <typename T>
struct VectorView {
  T* data;
  int64_t stride;
  __device__ T& at(int64_t i) const { return data[i * stride]; }
};

template <typename T>
struct MatrixView {
  T* data;
  int64_t row, column;
  __device__ T& at(int64_t i, int64_t j) const { return data[i * row + j * column]; }
};

template <typename T>
VectorView<T> vector_of(const kernel::Args& args, const char* name) {
  const kernel::Operand& operand = args.operand(name);
  return {operand.as<T>(), operand.strides[0]};
}
template <typename T>
MatrixView<T> matrix_of(const kernel::Args& args, const char* name) {
  const kernel::Operand& operand = args.operand(name);
  return {operand.as<T>(), operand.strides[0], operand.strides[1]};
}

}  // namespace
}  // namespace negzero::kernels
