// The stream of a launch, as libraries of CUDA take it.

#pragma once

#include <negzero/cuda/cuda.hpp>

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

inline cudaStream_t cuda_stream(const engine::Stream& stream) { return static_cast<cudaStream_t>(stream.handle()); }

}  // namespace
}  // namespace negzero::kernels
