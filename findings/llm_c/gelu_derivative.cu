// The derivative of GELU of llm.c: eight elements at once without a tail.

#define main published_main
#include "gelu_backward.cu"
#undef main

#include "../shown.cuh"

int main() {
  setup_main();
  shown::Elements<floatX> x({1}, 1), dy({1}, 1), dx({});
  gelu_backward2(dx, x, dy, 1, 256);
  shown::wait();
  char gave[64];
  std::snprintf(gave, sizeof gave, "wrote %d elements behind dx", dx.written_from(1));
  shown::line("gelu_backward2", "one element", gave, "none", dx.written_from(1) > 0);
  return shown::end();
}
