// The one conversion of PTX that is a call, and assembly that stays.

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <negzero/source/conversions.hpp>

namespace negzero::source {
namespace {

std::string after(std::string_view text) { return edited(text, conversion_edits(text, tokens_of(text)).edits); }

TEST(Conversions, OfFloatsToBytesAreCalls) {
  for (const auto& [before, expected] : {
           std::pair(R"(void f() { asm volatile("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(d) : "f"(x)); })",
                     "void f() { (d) = ::negzero::cvt_rni_sat_s8_f32(x); }"),
           {R"(void f() { asm("cvt.rni.sat.s8.f32  %0,%1;\n" : "=h" (d[i]) : "f" ( g(x) ) ); })",
            "void f() { (d[i]) = ::negzero::cvt_rni_sat_s8_f32( g(x) ) ; }"},
       }) {
    EXPECT_EQ(after(before), expected);
  }
}

TEST(Conversions, OtherAssemblyStays) {
  for (const char* text : {
           R"(void f() { asm("cvt.rni.sat.u8.f32 %0, %1;" : "=r"(d) : "f"(x)); })",
           R"(void f() { asm("cvt.rni.sat.s8.f32 %0, %1;" : "=l"(d) : "f"(x)); })",
           R"(void f() { asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(d) : "d"(x)); })",
           R"(void f() { asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(d) : "f"(x), "f"(y)); })",
           R"(void f() { asm("cvt.rni.sat.s8.f32 %0, %1; add.s32 %0, %0, 1;" : "=r"(d) : "f"(x)); })",
           R"(void f() { asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(d) : "f"(x) : "memory"); })",
           R"(void f() { asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(d)",
           "void f() { asm(\"cvt.rni.sat.s8.f32 %0, %1;\"\n : \"=r\"(d) : \"f\"(x)); }",
       }) {
    EXPECT_EQ(after(text), text);
  }
}

}  // namespace
}  // namespace negzero::source
