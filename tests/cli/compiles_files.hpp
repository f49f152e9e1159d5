// Tests of files that the program compiles: a folder each, with a cache of its own.

#pragma once

#include <cstdlib>

#include <gtest/gtest.h>

#include "program.hpp"

namespace negzero::cli_test {

class CompilesFiles : public ::testing::Test {
 protected:
  CompilesFiles() { ::setenv("NEGZERO_CACHE", (directory_ / "cache").c_str(), 1); }
  ~CompilesFiles() override { ::unsetenv("NEGZERO_CACHE"); }
  void SetUp() override {
#if defined(NEGZERO_SANITIZE) || defined(NEGZERO_FUZZ)
    GTEST_SKIP() << "a build with instrumentation compiles no files";
#endif
  }

  Directory directory_;
};

}  // namespace negzero::cli_test
