// Patterns of names.

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <negzero/base/glob.hpp>

namespace negzero::base {
namespace {

TEST(Glob, MatchesWholeNames) {
  EXPECT_TRUE(matches_glob("gemm.*", "gemm.naive.f32"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_TRUE(matches_glob("*.f?2", "gemm.naive.f32"));
  EXPECT_TRUE(matches_glob("*a*a*b", "aaaaab"));
  EXPECT_TRUE(matches_glob("**", "x"));
  EXPECT_FALSE(matches_glob("", "x"));
  EXPECT_FALSE(matches_glob("?", ""));
  EXPECT_FALSE(matches_glob("gemm", "gemm.naive"));
  EXPECT_FALSE(matches_glob("naive", "gemm.naive"));
  EXPECT_FALSE(matches_glob("*a*a*b", "aaaaa"));
  EXPECT_FALSE(matches_glob("g?mm", "gmm"));
}

/// The definition, letter by letter: exponential, so for short texts only.
bool matches_by_definition(std::string_view glob, std::string_view name) {
  if (glob.empty()) return name.empty();
  if (glob[0] == '*') {
    return matches_by_definition(glob.substr(1), name) ||
           (!name.empty() && matches_by_definition(glob, name.substr(1)));
  }
  return !name.empty() && (glob[0] == '?' || glob[0] == name[0]) &&
         matches_by_definition(glob.substr(1), name.substr(1));
}

TEST(Glob, AgreesWithItsDefinition) {
  EXPECT_TRUE(rc::check("matches_glob follows the recursive definition", [] {
    const auto glob = *rc::gen::resize(8, rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab*?"))));
    const auto name = *rc::gen::resize(10, rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab"))));
    RC_ASSERT(matches_glob(glob, name) == matches_by_definition(glob, name));
  }));
}

}  // namespace
}  // namespace negzero::base
