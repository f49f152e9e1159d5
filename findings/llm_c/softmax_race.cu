// softmax_forward4 of llm.c has no barrier between the last read of maxvals (line 268) and the write of sums into the same
// memory (288). `compute-sanitizer --tool racecheck` shows it; the numbers of a run are right, or by chance not.

#define main published_main
#include "softmax_forward.cu"
#undef main

#include "../shown.cuh"

int main() {
  setup_main();
  constexpr int kColumns = 1024;
  shown::Elements<float> x(std::vector<float>(kColumns, 0)), y({});
  softmax_forward4(y, x, 1, kColumns, 256);
  shown::wait();
  std::printf("softmax_forward4 of zeros gave %g, right: %g\n", y[0], 1.0 / kColumns);
  return 0;
}
