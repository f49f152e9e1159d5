// What the files of this folder hold their kernels to: numbers that a launcher computes without the header's words.

#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

/// So that the case has an outcome: the operation copies.
__global__ void copy(const float* t, float* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = t[i];
}

/// Device memory of `count` numbers, all zero.
template <typename T>
T* zeros(int count) {
  T* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(T));
  cudaMemset(memory, 0, count * sizeof(T));
  return memory;
}

template <typename T>
std::vector<T> taken(T* memory, int count) {
  std::vector<T> result(count);
  cudaMemcpy(result.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(memory);
  return result;
}

/// Throws where `got` is not `wanted`, which NEGZERO_WRONG changes: a test that this cannot fail would not be one.
template <typename T>
void expect(const std::string& what, T got, T wanted) {
#ifdef NEGZERO_WRONG
  wanted = wanted + T(1);
#endif
  if (got == wanted) return;
  char text[200];
  std::snprintf(text, sizeof(text), ": %.9g, not %.9g", double(got), double(wanted));
  throw std::runtime_error(what + text);
}
