// A program that holds kernels and launches one of them for another process: `negzero-worker`.

#include <cstdio>

#include <negzero/worker/worker_program.hpp>

int main(int argc, char** argv) {
  if (const auto status = negzero::worker::worker_if_called(argc, argv)) return *status;
  std::fputs("negzero-worker holds the kernels that `negzero` runs, and is started by it\n", stderr);
  return 2;
}
