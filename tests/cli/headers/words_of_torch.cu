// at::Half under `launch`, accessors, TensorInfo, conversions of tensors.

#include <ATen/cuda/detail/IndexUtils.cuh>
#include <ATen/cuda/detail/TensorInfo.cuh>
#include <torch/extension.h>

#include "expect.cuh"

/// Authors overload for both, and convert between them.
__device__ inline int which(at::Half) { return 1; }
__device__ inline int which(__half) { return 2; }

__global__ void halves(at::Half* out) {
  const at::Half third = at::Half(1.0f) / at::Half(3.0f);
  out[0] = third * 3;
  out[1] = third * 3.0f == 0.99975586f ? 7 : 0;
  out[2] = which(third) + 10 * which(third.operator __half());
  out[3] = third < 0.5 && third > __float2half(0.25f) ? 1 : 0;
  out[3] += at::Half(2);
  out[4] = std::numeric_limits<at::Half>::max();
  out[5] = -third;
}

using Rows = torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits>;

__global__ void columns(const Rows in, float* out, const at::cuda::detail::TensorInfo<float, int> info) {
  float sum = 0;
  for (int i = 0; i < in.size(0); ++i) sum += in[i][threadIdx.x];
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) out[in.size(1)] = info.data[at::cuda::detail::IndexToOffset<float, int, -1>::get(7, info)];
}

void run(const float* t, float* x, int n) {
  copy<<<1, 32>>>(t, x, n);
  const auto out = torch::zeros({6}, torch::kHalf);
  halves<<<1, 1>>>(out.data_ptr<at::Half>());
  const auto all = out.to(torch::kFloat32);
  std::vector<float> got(6);
  cudaMemcpy(got.data(), all.data_ptr<float>(), 6 * sizeof(float), cudaMemcpyDeviceToHost);
  expect("a product of halves", got[0], 1.0f);
  expect("a product in float", got[1], 7.0f);
  expect("overloads", got[2], 21.0f);
  expect("comparisons", got[3], 3.0f);
  expect("the largest one", got[4], 65504.0f);
  expect("a negative one", got[5], -0.33325195f);

  std::vector<float> numbers(12);
  for (int i = 0; i < 12; ++i) numbers[i] = i + 0.25f;
  const auto rows = torch::empty({3, 4});
  cudaMemcpy(rows.data_ptr<float>(), numbers.data(), 12 * sizeof(float), cudaMemcpyHostToDevice);
  float* sums = zeros<float>(5);
  columns<<<1, 4>>>(rows.packed_accessor32<float, 2, torch::RestrictPtrTraits>(), sums,
                    at::cuda::detail::getTensorInfo<float, int>(rows));
  const std::vector<float> found = taken(sums, 5);
  for (int i = 0; i < 4; ++i) expect("a column", found[i], 3 * i + 12.75f);
  expect("TensorInfo", found[4], 7.25f);
  const auto whole = rows.to(torch::kInt64).to(rows.options().dtype(torch::kInt32));
  expect("to(kInt64)", whole.view({12}).sizes()[0] == 12 ? 1 : 0, 1);
  std::vector<int> integers(12);
  cudaMemcpy(integers.data(), whole.data_ptr<int>(), 12 * sizeof(int), cudaMemcpyDeviceToHost);
  expect("a converted number", integers[11], 11);
}
