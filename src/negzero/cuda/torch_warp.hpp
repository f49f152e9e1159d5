// Functions of ATen/cuda/DeviceUtils.cuh: those of CUDA over a whole warp, for every type that CUDA shuffles.

#pragma once

#include <negzero/cuda/torch_types.hpp>

#define C10_WARP_SIZE 32

#define NEGZERO_WARP_FUNCTION(name, function, type, argument)                                             \
  template <typename T>                                                                                   \
  __device__ __forceinline__ T name(T value, type argument, int width = 32, unsigned mask = 0xffffffff) { \
    return function(mask, value, argument, width);                                                        \
  }
NEGZERO_WARP_FUNCTION(WARP_SHFL, __shfl_sync, int, lane)
NEGZERO_WARP_FUNCTION(WARP_SHFL_XOR, __shfl_xor_sync, int, lanes)
NEGZERO_WARP_FUNCTION(WARP_SHFL_UP, __shfl_up_sync, unsigned, distance)
NEGZERO_WARP_FUNCTION(WARP_SHFL_DOWN, __shfl_down_sync, unsigned, distance)
#undef NEGZERO_WARP_FUNCTION

__device__ __forceinline__ unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) {
  return __ballot_sync(mask, predicate);
}
__device__ __forceinline__ void WARP_SYNC(unsigned mask = 0xffffffff) { __syncwarp(mask); }
