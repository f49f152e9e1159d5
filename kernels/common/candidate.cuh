// An element of a row with its place: what a selection of the first maximum carries along.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>

#include "select.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

constexpr std::int32_t kNowhere = -1;

/// An element and where it stands. A candidate that stands nowhere loses against every other: no value can serve as a
/// sentinel, because a row may consist of it.
struct Candidate {
  float value;
  std::int32_t index;
};

/// A NaN beats every number; zeros of both signs are equal, and so are all NaNs; of equals the first wins.
template <Side kSide>
__device__ Candidate better(Candidate a, Candidate b) {
  if (a.index == kNowhere) return b;
  if (b.index == kNowhere) return a;
  const bool a_is_nan = a.value != a.value, b_is_nan = b.value != b.value;
  if (a_is_nan != b_is_nan) return a_is_nan ? a : b;
  if (!a_is_nan && a.value != b.value) return (a.value > b.value) == (kSide == Side::Max) ? a : b;
  return a.index < b.index ? a : b;
}

}  // namespace
}  // namespace negzero::kernels
