// main() of test programs that register kernels of their own: they serve as their own examiner and worker.

#include <gtest/gtest.h>

#include <negzero/campaign/examiner.hpp>

int main(int argc, char** argv) {
  if (const auto status = negzero::campaign::serve_if_called(argc, argv)) return *status;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
