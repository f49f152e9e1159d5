// CUDA's atomics with a scope, on the host: those of the whole system. The watch does not notice a scope that is too
// narrow.

#pragma once

#include <type_traits>

#include <negzero/cuda/atomic.hpp>

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

#define NEGZERO_SCOPED_ATOMIC(function)                                                   \
  template <typename T>                                                                   \
  NEGZERO_INLINE auto function##_block(T* address, const std::type_identity_t<T>& value)  \
      ->decltype(function(address, value)) {                                              \
    return function(address, value);                                                      \
  }                                                                                       \
  template <typename T>                                                                   \
  NEGZERO_INLINE auto function##_system(T* address, const std::type_identity_t<T>& value) \
      ->decltype(function(address, value)) {                                              \
    return function(address, value);                                                      \
  }
NEGZERO_SCOPED_ATOMIC(atomicAdd)
NEGZERO_SCOPED_ATOMIC(atomicSub)
NEGZERO_SCOPED_ATOMIC(atomicExch)
NEGZERO_SCOPED_ATOMIC(atomicMin)
NEGZERO_SCOPED_ATOMIC(atomicMax)
NEGZERO_SCOPED_ATOMIC(atomicInc)
NEGZERO_SCOPED_ATOMIC(atomicDec)
NEGZERO_SCOPED_ATOMIC(atomicAnd)
NEGZERO_SCOPED_ATOMIC(atomicOr)
NEGZERO_SCOPED_ATOMIC(atomicXor)
#undef NEGZERO_SCOPED_ATOMIC

template <typename T>
NEGZERO_INLINE T atomicCAS_block(T* address, std::type_identity_t<T> compare, std::type_identity_t<T> value) {
  return atomicCAS(address, compare, value);
}
template <typename T>
NEGZERO_INLINE T atomicCAS_system(T* address, std::type_identity_t<T> compare, std::type_identity_t<T> value) {
  return atomicCAS(address, compare, value);
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global
