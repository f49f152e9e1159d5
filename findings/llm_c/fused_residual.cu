// Residual sum and layernorm of llm.c in one: a row behind the last one is written (idx > N for idx >= N).

#define main published_main
#include "fused_residual_forward.cu"
#undef main

#include "../shown.cuh"

using Launch = void (*)(floatX* residual, floatX* normed, floatX* mean, floatX* rstd, const floatX* a, const floatX* b,
                        const floatX* weight, const floatX* bias, int rows, int columns, int block_size);

void show(const char* name, Launch launch) {
  const int columns = 8;
  shown::Elements<floatX> a({}), b({}), weight({}), bias({}), total({}), y({}), mean({}), rstd({});
  launch(total, y, mean, rstd, a, b, weight, bias, 1, columns, 256);
  shown::wait();
  char gave[64];
  std::snprintf(gave, sizeof gave, "wrote %d elements behind the sums", total.written_from(columns));
  shown::line(name, "one row of eight", gave, "none", total.written_from(columns) > 0);
}

int main() {
  setup_main();
  show("fused_residual_forward2", fused_residual_forward2);
  show("fused_residual_forward3", fused_residual_forward3);
  show("fused_residual_forward4", fused_residual_forward4);
  show("fused_residual_forward5", fused_residual_forward5);
  return shown::end();
}
