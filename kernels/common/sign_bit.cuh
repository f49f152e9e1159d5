// Atomic maximum and minimum of floats through integer atomics, told apart by a sign that the caller reads.

#pragma once

#include <negzero/cuda/cuda.hpp>

#include "select.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// *address = maximum or minimum of *address and `value`, NaN winning, -0 below +0.
///
/// The bits of two floats that are not negative compare like the floats, as signed integers; those of negative floats
/// compare the other way round, as unsigned integers; and both orders put the signs where they belong. `negative` must
/// be the sign bit of `value` for that to hold: -0 is 0x80000000, which as a signed integer is below everything.
template <Side kSide>
__device__ void atomic_select_by_sign(float* address, float value, bool negative) {
  auto* const as_signed = reinterpret_cast<int*>(address);
  auto* const as_unsigned = reinterpret_cast<unsigned*>(address);
  // The NaN that no later update displaces: the largest of all signed or of all unsigned integers.
  const unsigned lasting_nan = kSide == Side::Max ? 0x7fffffffu : 0xffffffffu;
  unsigned before;
  if (value != value) {
    before = atomicExch(as_unsigned, lasting_nan);
  } else if (kSide == Side::Max) {
    before = negative ? atomicMin(as_unsigned, __float_as_uint(value))
                      : static_cast<unsigned>(atomicMax(as_signed, __float_as_int(value)));
  } else {
    before = negative ? atomicMax(as_unsigned, __float_as_uint(value))
                      : static_cast<unsigned>(atomicMin(as_signed, __float_as_int(value)));
  }
  // A NaN of the other sign, which can only be an initial value, orders below every number and has just been displaced:
  // whoever displaced it puts a lasting one in its place.
  if ((before & 0x7fffffffu) > 0x7f800000u) atomicExch(as_unsigned, lasting_nan);
}

}  // namespace
}  // namespace negzero::kernels
