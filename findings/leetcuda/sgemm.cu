// A product of LeetCUDA in two buffers: the last tile of k is always read from buffer 1, which is wrong for odd numbers
// of tiles.

#include "sgemm/sgemm.cu"
#include "shown.cuh"

int main() {
  constexpr int kSide = 128, kTile = 8;
  for (int tiles : {2, 3}) {
    const int k = tiles * kTile;
    std::vector<float> b;  // Tile t holds t + 1.
    for (int i = 0; i < k * kSide; ++i) b.push_back(static_cast<float>(i / (kTile * kSide) + 1));
    const torch::Tensor left({kSide, k}, torch::kFloat32, {}, 1), right({k, kSide}, torch::kFloat32, b, 0);
    const torch::Tensor c({kSide, kSide}, torch::kFloat32, {}, shown::kFill);
    sgemm_t_8x8_sliced_k_f32x4_bcf_dbuf(left, right, c);
    shown::wait();
    const float sum = static_cast<float>(kTile * tiles * (tiles + 1) / 2);
    std::printf("k = %d: every number is %g, right: %g\n", k, c.at(0), sum);
    if (tiles == 2) continue;
    char gave[32], wanted[32];
    std::snprintf(gave, sizeof gave, "%g", c.at(0));
    std::snprintf(wanted, sizeof wanted, "%g", sum);
    shown::line("sgemm_..._bcf_dbuf", "128 by 24 and 24 by 128", gave, wanted, c.at(0) != sum);
  }
  return shown::end();
}
