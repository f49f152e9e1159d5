// All edits of a file together.

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/source/prepared.hpp>

namespace negzero::source {
namespace {

TEST(Prepared, HasTheEditsOfAllParts) {
  const std::string_view text =
      "__global__ void k(float* x) {\n"
      "  __shared__ float tile[32];\n"
      "  tile[threadIdx.x] = x[0];\n"
      "}\n"
      "void run(dim3 gridDim) { k<<<gridDim, 32>>>(0); }\n";
  const Prepared found = host_edits(text);
  EXPECT_THAT(found.notes, ::testing::IsEmpty());
  EXPECT_EQ(edited(text, found.edits),
            "__global__ void k(float* x) {\n"
            "  typedef float negzero_type_tile[32]; NEGZERO_SHARED_NAME(tile);\n"
            "  tile[::negzero::thread_index().x] = x[0];\n"
            "}\n"
            "void run(dim3 gridDim) { ::negzero::launch_of([=](auto... nz_a) { k(nz_a...); }, gridDim, 32)(0); }\n");
}

TEST(Prepared, WhatCannotBeReadIsNotedAndStays) {
  const std::string_view text = "#if A\n__shared__ int n = 3;\nk<<<1>>>;\n#endif\nvoid f() { k<<<1, blockDim>>>(x); }";
  const Prepared found = host_edits(text);
  EXPECT_THAT(found.notes, ::testing::ElementsAre("line 2, column 18: shared memory cannot have an initialiser",
                                                  "line 3, column 6: '>>>' has no arguments in parentheses behind it"));
  EXPECT_EQ(edited(text, found.edits),
            "#if A\n__shared__ int n = 3;\nk<<<1>>>;\n#endif\n"
            "void f() { ::negzero::launch_of([=](auto... nz_a) { k(nz_a...); }, 1, ::negzero::block_dim())(x); }");
}

TEST(Prepared, EditsAtOnePlaceAndInOneWord) {
  const auto changed = [](std::string_view text) { return edited(text, host_edits(text).edits); };
  EXPECT_EQ(changed("void f() { __shared__ int n;k<<<1, 1>>>(); }"),
            "void f() { typedef int negzero_type_n; NEGZERO_SHARED_NAME(n);::negzero::launch_of([=](auto... nz_a) { "
            "k(nz_a...); }, 1, 1)(); }");
  EXPECT_EQ(changed("__shared__ K k;\nvoid f() { k<<<1, 1>>>(); }"),
            "typedef K negzero_type_k; NEGZERO_SHARED_TAG(k);\nvoid f() { ::negzero::launch_of([=](auto... nz_a) { "
            "NEGZERO_SHARED_OF(k)(nz_a...); }, 1, 1)(); }");
}

}  // namespace
}  // namespace negzero::source
