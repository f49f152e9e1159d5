// Compiles an exported program for the fake of CUDA, and runs it.

#pragma once

#include <cstdlib>
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "program.hpp"

namespace negzero::cli_test {

/// What a shell makes of a line: its exit code, and all that it printed.
struct Said {
  int code = -1;
  std::string text;
};
inline Said shell(const std::string& line, const Directory& folder) {
  const std::string out = folder / "shell.out";
  const int status = std::system((line + " > " + out + " 2>&1").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out)};
}

/// What the exported program says, on the fake of CUDA.
inline Said run_on_fake(const std::string& code, const Directory& folder) {
  static const std::regex kLaunch(R"((\w+)<<<(.*), (\d+)>>>\((.*)\);)");
  const std::string source = folder / "fake.cpp", program = folder / "fake";
  static const std::regex kInTree(R"((kernel)<<<(.*), dynamic_shared_bytes>>>\((.*)\);)");
  const std::string launched = std::regex_replace(code, kInTree, "fake_launch($2, [&] { $1($3); });");
  write(source, std::regex_replace(launched, kLaunch, "fake_launch($2, $3, [&] { $1($4); });"));
  for (const char* header : {"cuda_fp16.h", "cuda_bf16.h"}) write(folder / header, "");
  const Said compiled =
      shell("c++ -std=c++20 -w -ffp-contract=off -I" + folder.path() + " -include " + std::string(NEGZERO_SOURCE_DIR) +
                "/tests/cli/fake_cuda.hpp -o " + program + " " + source,
            folder);
  EXPECT_EQ(compiled.code, 0) << compiled.text << code;
  return shell(program, folder);
}

}  // namespace negzero::cli_test
