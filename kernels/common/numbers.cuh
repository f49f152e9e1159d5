// The number systems that GEMM and sum kernels compute in: how elements become values and how values are combined.

#pragma once

#include <negzero/cuda/cuda.hpp>

namespace negzero::kernels {
// Anonymous although this is a header: the host object and the nvcc object of one kernel file are linked into the same
// program, and a function with a name that both know would be merged into one of the two.
namespace {

// Every rounding is spelled, so that neither compiler may fuse or split an operation.
__device__ inline float multiply(float a, float b) { return __fmul_rn(a, b); }
__device__ inline float add(float a, float b) { return __fadd_rn(a, b); }
__device__ inline float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }

__device__ inline double multiply(double a, double b) { return __dmul_rn(a, b); }
__device__ inline double multiply_add(double a, double b, double c) { return fma(a, b, c); }

__device__ inline __half multiply(__half a, __half b) { return __hmul_rn(a, b); }
__device__ inline __half multiply_add(__half a, __half b, __half c) { return __hfma(a, b, c); }

// Integers wrap, which signed ones may not do by themselves.
__device__ inline int multiply(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) * static_cast<unsigned>(b));
}
__device__ inline int add(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
__device__ inline int multiply_add(int a, int b, int c) { return add(multiply(a, b), c); }

/// F32 in memory and in the accumulator.
struct F32 {
  using Element = float;  // of a, b and x
  using Output = float;   // of d and y, and of c where there is no Addend
  using Value = float;    // in registers
  __device__ static Value widen(float element) { return element; }
  __device__ static Output narrow(Value value) { return value; }
};

/// F64 in memory and in the accumulator.
struct F64 {
  using Element = double;
  using Output = double;
  using Value = double;
  __device__ static Value widen(double element) { return element; }
  __device__ static Output narrow(Value value) { return value; }
};

/// F16 in memory, F32 in the accumulator.
struct F16AccF32 {
  using Element = __half;
  using Output = __half;
  using Value = float;
  __device__ static Value widen(__half element) { return __half2float(element); }
  __device__ static Output narrow(Value value) { return __float2half_rn(value); }
};

/// F16 in memory and in the accumulator.
struct F16AccF16 {
  using Element = __half;
  using Output = __half;
  using Value = __half;
  __device__ static Value widen(__half element) { return element; }
  __device__ static Output narrow(Value value) { return value; }
};

/// BF16 in memory, F32 in the accumulator.
struct Bf16AccF32 {
  using Element = __nv_bfloat16;
  using Output = __nv_bfloat16;
  using Value = float;
  __device__ static Value widen(__nv_bfloat16 element) { return __bfloat162float(element); }
  __device__ static Output narrow(Value value) { return __float2bfloat16_rn(value); }
};

/// F16 factors and results, F32 accumulator and C.
struct F16WithF32Addend : F16AccF32 {
  using Addend = float;
  using F16AccF32::widen;
  __device__ static Value widen(float element) { return element; }
};

/// F16 factors, F32 accumulator and results.
struct F16ToF32 {
  using Element = __half;
  using Output = float;
  using Value = float;
  __device__ static Value widen(__half element) { return __half2float(element); }
  __device__ static Value widen(float element) { return element; }
  __device__ static Output narrow(Value value) { return value; }
};

/// Integers of type A, and of type B on the right, in sums of I32 that are the results.
template <typename A, typename B = A>
struct Integers {
  using Element = A;
  using Right = B;
  using Output = int;
  using Value = int;
  __device__ static Value widen(int element) { return element; }
  __device__ static Output narrow(Value value) { return value; }
};

}  // namespace
}  // namespace negzero::kernels
