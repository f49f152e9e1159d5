// Transposes of LeetCUDA in one dimension: the grid is rounded down. The file does not compile as it is, for `< < <` of
// lines 367 and 368; README.md has the command that makes mat_transpose.joined.cu of it.

#include "mat_transpose.joined.cu"
#include "shown.cuh"

void show(const char* name, void (*transpose)(torch::Tensor, torch::Tensor)) {
  constexpr int kRows = 32, kColumns = 40;
  const torch::Tensor x({kRows, kColumns}, torch::kFloat32, {}, 1),
      y({kColumns, kRows}, torch::kFloat32, {}, shown::kFill);
  transpose(x, y);
  shown::wait();
  const int missing = kRows * kColumns - shown::written(y, 0, kRows * kColumns);
  char gave[64];
  std::snprintf(gave, sizeof gave, "%d of %d numbers not written", missing, kRows * kColumns);
  shown::line(name, "32 by 40", gave, "all written", missing > 0);
}

int main() {
  show("mat_transpose_f32x4_col2row", mat_transpose_f32x4_col2row);
  show("mat_transpose_f32x4_row2col", mat_transpose_f32x4_row2col);
  return shown::end();
}
