// Kernels of cudaLaunchKernel and its kin, which keep their type.

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <negzero/source/launch_calls.hpp>

namespace negzero::source {
namespace {

std::string after(std::string_view text) { return edited(text, launch_call_edits(text, tokens_of(text)).edits); }

TEST(LaunchCalls, LoseTheCastOfTheKernel) {
  for (const auto& [before, expected] : {
           std::pair("void f() { cudaLaunchKernel((void*)k, g, b, a); }", "void f() { cudaLaunchKernel(k, g, b, a); }"),
           {"void f() { cudaLaunchKernel((const void *)k<int, 3>, g); }",
            "void f() { cudaLaunchKernel(k<int, 3>, g); }"},
           {"void f() { cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&k), g); }",
            "void f() { cudaLaunchCooperativeKernel((&k), g); }"},
           {"void f() { cudaLaunchKernelExC(&c, (void const*)k, a); }", "void f() { cudaLaunchKernelExC(&c, k, a); }"},
           {"#define GO(k) cudaLaunchKernel((void*)k, 1, 1, a)\n", "#define GO(k) cudaLaunchKernel(k, 1, 1, a)\n"},
       }) {
    EXPECT_EQ(after(before), expected);
  }
}

TEST(LaunchCalls, LeaveOtherCastsAndCallsThatDoNotEnd) {
  for (const char* text : {
           "void f() { cudaLaunchKernel(k, g, b, (void**)a); }",
           "void f() { other((void*)k, g, b, a); }",
           "void f() { cudaLaunchKernel((void**)k, g); }",
           "void f() { cudaLaunchKernel((k), g); }",
           "void f() { cudaLaunchKernelExC((void*)c, k, a); }",
           "void f() { cudaLaunchKernel((void*",
       }) {
    EXPECT_EQ(after(text), text);
  }
}

}  // namespace
}  // namespace negzero::source
