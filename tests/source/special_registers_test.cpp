// Reads of %laneid and %lanemask_*, and assembly that stays.

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <negzero/source/special_registers.hpp>

namespace negzero::source {
namespace {

std::string after(std::string_view text) { return edited(text, special_register_edits(text, tokens_of(text)).edits); }

TEST(SpecialRegisters, OfLanesAreCalls) {
  for (const auto& [before, expected] : {
           std::pair(R"(void f() { asm("mov.u32 %0, %%laneid;" : "=r"(x)); })",
                     "void f() { (x) = ::negzero::special_register_laneid(); }"),
           {R"(void f() { asm volatile ( "mov.u32 %0, %lanemask_lt;" : "=r" (a[i](1)) ); })",
            "void f() { (a[i](1))  = ::negzero::special_register_lanemask_lt(); }"},
           {R"(void f() { __asm__ __volatile__("mov.u32  %0,%%lanemask_ge ; " : "=r"(x)); })",
            "void f() { (x) = ::negzero::special_register_lanemask_ge(); }"},
       }) {
    EXPECT_EQ(after(before), expected);
  }
}

TEST(SpecialRegisters, OtherAssemblyStays) {
  for (const char* text : {
           R"(void f() { asm("mov.u32 %0, %%smid;" : "=r"(x)); })",
           R"(void f() { asm("mov.u64 %0, %%laneid;" : "=l"(x)); })",
           R"(void f() { asm("mov.u32 %0, %%laneid; add.u32 %0, %0, 1;" : "=r"(x)); })",
           R"(void f() { asm("mov.u32 %0, %%laneid;" : "=r"(x) : "r"(y)); })",
           R"(void f() { asm("mov.u32 %0, %%laneid;" : "=r"(x)",
           R"(void f() { asm("mov.u32 %0, %%laneid; })",
           "void f() { asm(\"mov.u32 %0, %%laneid;\"\n : \"=r\"(x)); }",
           R"(// asm("mov.u32 %0, %%laneid;" : "=r"(x));)",
       }) {
    EXPECT_EQ(after(text), text);
  }
}

}  // namespace
}  // namespace negzero::source
