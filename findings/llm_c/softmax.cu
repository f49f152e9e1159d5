// Softmax of llm.c: NaN of rows without a NaN, and a row that is never written.

#define main published_main
#include "softmax_forward.cu"
#undef main

#include "../shown.cuh"

using Launch = void (*)(float* out, const float* inp, int rows, int columns, int block_size);

void show(const char* name, Launch launch, const char* of, std::vector<float> row, int rows, const char* right) {
  const int columns = static_cast<int>(row.size()) / rows, last = rows * columns - 1;
  shown::Elements<float> x(row), y({});
  launch(y, x, rows, columns, 256);
  shown::wait();
  char gave[64];
  std::snprintf(gave, sizeof gave, "ends with %g%s", y[last], y[last] == shown::kFill ? ", which it has not written" : "");
  shown::line(name, of, gave, right, std::isnan(y[last]) || y[last] == shown::kFill);
}

int main() {
  setup_main();
  show("softmax_forward_online1", softmax_forward_online1, "[-inf, 0]", {-INFINITY, 0}, 1, "1");
  show("softmax_forward_online2", softmax_forward_online2, "[0]", {0}, 1, "1");
  show("softmax_forward7", softmax_forward7, "[-512]", {-512}, 1, "1");
  show("softmax_forward_online8", softmax_forward_online8, "[0] and [0]", {0, 0}, 2, "1");
  return shown::end();
}
