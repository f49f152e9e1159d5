// Elementwise functions of LeetCUDA: vectors without a tail, and numbers that clamps and overflow make wrong.

#include "elementwise/elementwise.cu"
#include "gelu/gelu.cu"
#include "relu/relu.cu"
#include "sigmoid/sigmoid.cu"
#include "swish/swish.cu"
#undef CHECK_TORCH_TENSOR_DTYPE
#include "elu/elu.cu"
#include "hardshrink/hardshrink.cu"
#include "hardswish/hardswish.cu"
#include "shown.cuh"

/// Bindings f32x4, f16x2, f16x8 and f16x8_pack of a function.
#define TAILS(NAME)                                                                                              \
  shown::tail(#NAME "_f32x4", torch::kFloat32, [&](torch::Tensor y) { NAME##_f32x4(ONE(torch::kFloat32), y); }); \
  shown::tail(#NAME "_f16x2", torch::kHalf, [&](torch::Tensor y) { NAME##_f16x2(ONE(torch::kHalf), y); });       \
  shown::tail(#NAME "_f16x8", torch::kHalf, [&](torch::Tensor y) { NAME##_f16x8(ONE(torch::kHalf), y); });       \
  shown::tail(#NAME "_f16x8_pack", torch::kHalf, [&](torch::Tensor y) { NAME##_f16x8_pack(ONE(torch::kHalf), y); })

int main() {
#define ONE(type) torch::Tensor({1}, type, {}, 1)
  TAILS(elu);
  TAILS(gelu);
  TAILS(hardshrink);
  TAILS(hardswish);
  TAILS(relu);
  TAILS(sigmoid);
  TAILS(swish);
#undef ONE
  // Of two inputs.
#define ONE(type) torch::Tensor({1}, type, {}, 1), torch::Tensor({1}, type, {}, 1)
  TAILS(elementwise_add);
#undef ONE
  shown::at("gelu_f16", torch::kHalf, 5, gelu_f16, "5", [](float y) { return std::isnan(y); });
  shown::at("gelu_f32", torch::kFloat32, 100, gelu_f32, "100", [](float y) { return y < 100; });
  shown::at("sigmoid_f16", torch::kHalf, -12, sigmoid_f16, "6.1e-06", [](float y) { return y > 5e-5f; });
  shown::at("sigmoid_f32", torch::kFloat32, NAN, sigmoid_f32, "nan", [](float y) { return !std::isnan(y); });
  shown::at("swish_f32", torch::kFloat32, -89, swish_f32, "-1.98e-37", [](float y) { return y == 0; });
  return shown::end();
}
