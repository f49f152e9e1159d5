// Scalars of lines: the words behind their names, what is printed back, and what is refused with its column.

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <negzero/notation/signature.hpp>

namespace negzero::notation {
namespace {

Signature signature_in(std::string_view line) {
  auto signature = parse_signature(line);
  EXPECT_TRUE(signature) << signature.error().message;
  return signature ? *signature : Signature{};
}

std::string mistake_in(const std::string& line) {
  const auto signature = parse_signature(line);
  return signature ? "none" : signature.error().message.substr(("operation '" + line + "', ").size());
}

TEST(Scalars, HaveAWordBehindTheirNames) {
  const Signature all = signature_in("f: y[n] <- x[n],first   int ,largest bool, epsilon");
  ASSERT_EQ(all.scalars.size(), 3u);
  EXPECT_EQ(all.scalars[0].kind, ScalarKind::Integer);
  EXPECT_EQ(all.scalars[1].kind, ScalarKind::Truth);
  EXPECT_EQ(all.scalars[2].kind, ScalarKind::Number);
  EXPECT_EQ(all.scalars[0].name, "first");
  EXPECT_EQ(all.definition, "y[n] <- x[n], first int, largest bool, epsilon");
  EXPECT_EQ(signature_in("f: " + all.definition).definition, all.definition);
  EXPECT_EQ(signature_in("f: y[n] <- first int each n with n > 3").definition, "y[n] <- first int each n with n > 3");
  EXPECT_EQ(signature_in("f: y[n] <- first int with n > 3").scalars.size(), 1u);
}

TEST(Scalars, MayHaveTheNamesOfWords) {
  const Signature both = signature_in("f: y[n] <- int, bool, x[n]");
  EXPECT_EQ(both.scalars[0].name, "int");
  EXPECT_EQ(both.scalars[0].kind, ScalarKind::Number);
  EXPECT_EQ(both.scalars[1].name, "bool");
  EXPECT_EQ(both.scalars[1].kind, ScalarKind::Number);
  EXPECT_EQ(both.definition, "y[n] <- int, bool, x[n]");
  const Signature twice = signature_in("f: y[n] <- int int, bool bool");
  EXPECT_EQ(twice.scalars[0].kind, ScalarKind::Integer);
  EXPECT_EQ(twice.scalars[1].kind, ScalarKind::Truth);
  EXPECT_EQ(twice.definition, "y[n] <- int int, bool bool");
  EXPECT_EQ(signature_in("f: y[n] <- int[n], bool[n]").tensors.front().name, "int");
  EXPECT_EQ(signature_in("f: y[n] <- intensity").scalars.front().name, "intensity");
}

TEST(Scalars, AMistakeIsNamedWithItsColumn) {
  EXPECT_EQ(mistake_in("f: y[n] <- s integer"), "column 14: expected ',' at 'integer'");
  EXPECT_EQ(mistake_in("f: y[n] <- s int bool"), "column 18: expected ',' at 'bool'");
  EXPECT_EQ(mistake_in("f: y[n] <- x[n] int"), "column 17: expected ',' at 'int'");
  EXPECT_EQ(mistake_in("f: y[n] <- s int[n]"), "column 17: expected ',' at '[n]'");
  EXPECT_EQ(mistake_in("f: y[n] <- s int, s"), "column 20: scalar s appears twice at ''");
  EXPECT_NE(mistake_in("f: y[i<n] = s int * x[i]"), "none") << "a definition has numbers alone";
}

}  // namespace
}  // namespace negzero::notation
