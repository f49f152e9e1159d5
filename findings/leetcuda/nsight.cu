// Files of LeetCUDA's nvidia-nsight: vectors without a tail, shown with one block.

#include <string>

#define main elementwise_main
#include "nvidia-nsight/elementwise.cu"
#undef main
#define main relu_main
#include "nvidia-nsight/relu.cu"
#undef main
#include "shown.cuh"

int main() {
  const torch::Tensor x({1}, torch::kFloat32, {}, 1), h({1}, torch::kHalf, {}, 1);
  float* const a = x.data_ptr<float>();
  half* const b = h.data_ptr<half>();
  const auto f32 = [](torch::Tensor y) { return y.data_ptr<float>(); };
  const auto f16 = [](torch::Tensor y) { return y.data_ptr<half>(); };
  shown::tail("relu_f32x4", torch::kFloat32, [&](torch::Tensor y) { relu_f32x4_kernel<<<1, 256>>>(a, f32(y), 1); });
  shown::tail("relu_f16x8", torch::kHalf, [&](torch::Tensor y) { relu_f16x8_kernel<<<1, 128>>>(b, f16(y), 1); });
  shown::tail("relu_f16x8_pack", torch::kHalf,
              [&](torch::Tensor y) { relu_f16x8_pack_kernel<<<1, 128>>>(b, f16(y), 1); });
  shown::tail("elementwise_add_f32x4", torch::kFloat32,
              [&](torch::Tensor y) { elementwise_add_f32x4_kernel<<<1, 256>>>(a, a, f32(y), 1); });
  shown::tail("elementwise_add_f16x8", torch::kHalf,
              [&](torch::Tensor y) { elementwise_add_f16x8_kernel<<<1, 128>>>(b, b, f16(y), 1); });
  shown::tail("elementwise_add_f16x8_pack", torch::kHalf,
              [&](torch::Tensor y) { elementwise_add_f16x8_pack_kernel<<<1, 128>>>(b, b, f16(y), 1); });
  return shown::end();
}
