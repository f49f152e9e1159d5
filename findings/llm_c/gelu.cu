// GELU of llm.c: eight elements at once without a tail.

#define main published_main
#include "gelu_forward.cu"
#undef main

#include "../shown.cuh"

int main() {
  setup_main();
  shown::Elements<floatX> x({1}, 1), y({});
  gelu_forward2(y, x, 1, 256);
  shown::wait();
  char gave[64];
  std::snprintf(gave, sizeof gave, "wrote %d elements behind y", y.written_from(1));
  shown::line("gelu_forward2", "one element", gave, "none", y.written_from(1) > 0);
  return shown::end();
}
