// The online softmax of LeetCUDA. Its first warp reads 32 elements of an array that has as many as the block has warps, here 8:
// an illegal memory access on an H100, after which nothing else runs. A row of -inf beside -inf would be NaN besides.

#include "shown.cuh"
#include "softmax/softmax.cu"

/// Whether the GPU can go on.
bool show(const char* name, void (*softmax)(torch::Tensor, torch::Tensor)) {
  constexpr int kColumns = 256;
  std::vector<float> row(kColumns, 0);
  for (int i = 0; i < 4; ++i) row[i] = -INFINITY;
  const torch::Tensor x({1, kColumns}, torch::kFloat32, row, 0), y({1, kColumns}, torch::kFloat32, {}, shown::kFill);
  softmax(x, y);
  const bool has_run = shown::wait();
  char gave[32] = "the error above";
  if (has_run) std::snprintf(gave, sizeof gave, "ends with %g", y.at(kColumns - 1));
  shown::line(name, "[-inf four times, 0 ...]", gave, "1 / 252", !has_run || std::isnan(y.at(kColumns - 1)));
  return has_run;
}

int main() {
  if (show("online_safe_softmax_f32x4", online_safe_softmax_f32x4_pack_per_token)) {
    show("online_safe_softmax_f32", online_safe_softmax_f32_per_token);
  }
  return shown::end();
}
