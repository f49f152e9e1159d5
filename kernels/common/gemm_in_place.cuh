// A GEMM that updates C where D is: beta * C first, then the sum of one slice of k after the other.

#pragma once

#include <algorithm>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "gemm_chain.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

constexpr int64_t kSlice = 32;

/// `kBetaEachSlice`: what is wrong with it, as soon as there are two.
template <bool kBetaEachSlice>
__global__ void gemm_in_place_kernel(GemmProblem<F32> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    float& d = problem.d.at(at.batch, at.row, at.column);
    d = problem.reads_c ? multiply(problem.beta, problem.c.at(at.batch, at.row, at.column)) : 0.0f;
    for (int64_t first = 0; problem.reads_a_b && first < problem.k; first += kSlice) {
      float sum = 0.0f;
      for (int64_t k = first; k < min(first + kSlice, problem.k); ++k) {
        sum = multiply_add(problem.a.at(at.batch, at.row, k), problem.b.at(at.batch, k, at.column), sum);
      }
      if (kBetaEachSlice && first > 0 && problem.reads_c) d = multiply(problem.beta, d);
      d = multiply_add(problem.alpha, sum, d);
    }
  }
}

template <bool kBetaEachSlice>
kernel::LaunchResult launch_gemm_in_place(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_outputs<F32>(gemm_in_place_kernel<kBetaEachSlice>, args, stream);
}

inline contract::Contract gemm_in_place_contract() {
  return {.wider = false,
          .alpha = contract::AlphaPlace::Partial,
          .beta = contract::BetaPlace::Any,
          .scalar_format = number::FormatId::F32,
          .determinism = contract::Determinism::GpuToGpu,
          .position_invariant = true};
}

inline operation::Limits gemm_in_place_limits() {
  using number::FormatId;
  return {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}},
          .extents = {{"k", {.tiles = {kSlice}}}},
          .in_place = {.input = "c", .always = true}};
}

}  // namespace
}  // namespace negzero::kernels
