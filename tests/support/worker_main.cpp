// main() of test programs below `campaign` that register kernels of their own: they serve as their own worker.

#include <gtest/gtest.h>

#include <negzero/worker/worker_program.hpp>

int main(int argc, char** argv) {
  if (const auto status = negzero::worker::worker_if_called(argc, argv)) return *status;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
