// The headers of CUDA that an extension of PyTorch finds included: the toolkit's for nvcc, negzero's for the host.

#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
