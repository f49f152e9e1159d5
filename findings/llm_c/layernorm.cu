// Layernorm of llm.c: writes behind the output, and a variance that cancels.

#define main published_main
#include "layernorm_forward.cu"
#undef main

#include "../shown.cuh"

using Launch = void (*)(float* out, float* mean, float* rstd, const float* inp, const float* weight, const float* bias,
                        int batch, int tokens, int channels, int block_size);

void show_behind(const char* name, Launch launch) {
  shown::Elements<float> x({1}), weight({1}), bias({0}), y({}), mean({}), rstd({});
  launch(y, mean, rstd, x, weight, bias, 1, 1, 1, 256);
  shown::wait();
  char gave[64];
  std::snprintf(gave, sizeof gave, "wrote %d elements behind y", y.written_from(1));
  shown::line(name, "[1]", gave, "none", y.written_from(1) > 0);
}

void show_rstd(const char* name, Launch launch) {
  const float second = 0.99975586f;
  shown::Elements<float> x({1, second}), weight({1, 1}), bias({0, 0}), y({}), mean({}), rstd({});
  launch(y, mean, rstd, x, weight, bias, 1, 1, 2, 256);
  shown::wait();
  const double half = (1.0 - second) / 2, right = 1 / std::sqrt(half * half + static_cast<double>(1e-5f));
  char gave[64], wanted[32];
  std::snprintf(gave, sizeof gave, "has rstd %.6f", rstd[0]);
  std::snprintf(wanted, sizeof wanted, "%.6f", right);
  shown::line(name, "[1, 0.99975586]", gave, wanted, std::abs(rstd[0] / right - 1) > 1e-4);
}

int main() {
  setup_main();
  show_behind("layernorm_forward2", layernorm_forward2);
  show_rstd("layernorm_forward4", layernorm_forward4);
  show_rstd("layernorm_forward5", layernorm_forward5);
  return shown::end();
}
