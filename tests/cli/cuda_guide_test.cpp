// docs/reference/cuda_files.md, "What of CUDA is there": what its table has compiles as it is, and what it has not is
// an error in one line at the place of its use.

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct GuideRow {
  std::string section, example, there;
};

/// The rows "| section | `example` | there |" of the page.
std::vector<GuideRow> guide_rows() {
  std::vector<GuideRow> rows;
  std::istringstream page(contents(std::string(NEGZERO_SOURCE_DIR) + "/docs/reference/cuda_files.md"));
  bool is_in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) is_in_table = line == "## What of CUDA is there";
    const std::size_t first = line.find(" | `"), last = line.rfind("` | ");
    if (!is_in_table || !line.starts_with("| ") || first == std::string::npos || last == std::string::npos) continue;
    rows.push_back({line.substr(2, first - 2), line.substr(first + 4, last - first - 4), line.substr(last + 4)});
  }
  return rows;
}

/// Code of a kernel, unless the example declares something itself.
std::string code_of(const GuideRow& row, std::size_t number) {
  constexpr const char* kDeclared[] = {"__global__", "__constant__", "__host__", "void "};
  for (const char* word : kDeclared) {
    if (row.example.starts_with(word)) return "namespace row_" + std::to_string(number) + " { " + row.example + " }\n";
  }
  return "__global__ void row_" + std::to_string(number) + "(float* x, int n) { " + row.example + " }\n";
}

constexpr const char* kHead =
    "#include <cooperative_groups.h>\n#include <cub/cub.cuh>\n#include <cuComplex.h>\n#include <cuda.h>\n"
    "#include <cuda/atomic>\n#include <cuda/barrier>\n#include <cuda/std/limits>\n#include <cuda_fp4.h>\n"
    "#include <cuda_fp6.h>\n#include <curand_kernel.h>\n"
    "#include <cuda/pipeline>\n#include <cuda/ptx>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
    "#include <cuda_fp8.h>\n#include <cuda_pipeline.h>\n#include <mma.h>\n#include <cassert>\n#include <cstdio>\n"
    "__global__ void k(float* x) { x[0] = 1; }\n";
constexpr int kHeadLines = 20;

class CudaGuide : public CompilesFiles {
 protected:
  Ran list(const std::string& code) {
    write(directory_ / "words.cu", kHead + code);
    write(directory_ / "words.nz", "kernel words\noperation words: x[n] <- t each n\nlaunch k<<<1, 1>>>(x);\n");
    return run({"list", "kernels", "--kernels", directory_ / "words.cu"});
  }
};

TEST_F(CudaGuide, WhatIsThereCompiles) {
  std::string code;
  std::size_t number = 0;
  for (const GuideRow& row : guide_rows()) {
    if (row.there.starts_with("yes")) code += code_of(row, ++number);
  }
  EXPECT_GE(number, 35u);
  const Ran ran = list(code);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("left out")));
}

TEST_F(CudaGuide, WhatIsNotThereIsAnErrorAtItsPlace) {
  std::size_t number = 0;
  for (const GuideRow& row : guide_rows()) {
    if (!row.there.starts_with("no")) continue;
    const Ran ran = list(code_of(row, ++number));
    EXPECT_EQ(ran.code, 2) << row.section << "\n" << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("words.cu:" + std::to_string(kHeadLines + 1) + ":")) << row.section;
  }
  EXPECT_GE(number, 5u);
}

}  // namespace
}  // namespace negzero::cli_test
