// Extents that follow from others, and relations that known ones break.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/operation/inferred.hpp>

namespace negzero::operation {
namespace {

using Given = std::vector<std::pair<const char*, std::int64_t>>;

struct Inferred {
  notation::Signature signature;
  KnownExtents extents;
  std::optional<Broken> broken;

  [[nodiscard]] std::int64_t of(std::string_view name) const {
    return extents[*signature.find_extent(name)].value_or(-1);
  }
};

Inferred inferred(std::string_view line, const Given& given, const std::vector<std::string>& more = {}) {
  Inferred result{*notation::parse_signature(line), {}, {}};
  result.extents.resize(result.signature.extents.size());
  for (const auto& [name, value] : given) result.extents[*result.signature.find_extent(name)] = value;
  std::vector<notation::Relation> relations;
  for (const std::string& text : more) relations.push_back(*notation::parse_relation(text));
  infer(result.extents, result.signature, relations);
  result.broken = first_broken(result.extents, result.signature, relations);
  return result;
}

constexpr const char* kConv = "conv: y[o] <- x[n], w[k] with o = (n + 2 * pad - k) / stride + 1, k <= n + 2 * pad";

TEST(Inferred, AnExtentThatIsASideOfAnEquation) {
  const Inferred conv = inferred(kConv, {{"n", 7}, {"k", 3}, {"pad", 1}, {"stride", 2}});
  EXPECT_EQ(conv.of("o"), 4);
  EXPECT_FALSE(conv.broken);
  EXPECT_EQ(inferred("f: y[n] <- x[tokens, 2, n]", {{"n", 3}, {"tokens", 1}}).of("x_1"), 2) << "a number in brackets";
  const Inferred chain = inferred("f: y[c] <- x[a] with c = b + 1, b = a + 1", {{"a", 1}});
  EXPECT_EQ(chain.of("b"), 2);
  EXPECT_EQ(chain.of("c"), 3) << "through another one";
}

TEST(Inferred, AnExtentInWhichAnEquationIsLinear) {
  EXPECT_EQ(inferred("csr: y[rows] <- ends[rows + 1] <= n ascending, v[n]", {{"ends_0", 5}, {"n", 9}}).of("rows"), 4);
  EXPECT_EQ(inferred("f: y[o] <- x[o + k - 1], w[k]", {{"x_0", 9}, {"k", 3}}).of("o"), 7);
  EXPECT_EQ(inferred("f: y[n] <- x[3 * n + 1]", {{"x_0", 10}}).of("n"), 3);
  EXPECT_EQ(inferred("f: y[n] <- x[3 * n + 1]", {{"x_0", 11}}).of("n"), -1) << "no whole number";
  EXPECT_EQ(inferred("f: y[n] <- x[n / 2]", {{"x_0", 4}}).of("n"), -1) << "8 and 9 do as well";
  EXPECT_EQ(inferred("f: y[n] <- x[n + 1]", {{"x_0", 0}}).of("n"), -1) << "-1 is no extent";
  EXPECT_EQ(inferred(kConv, {{"n", 7}, {"k", 3}, {"o", 4}}).of("pad"), -1) << "two are not known";
}

TEST(Inferred, BrokenRelationsAreNamed) {
  const auto why = [](const Inferred& result) { return result.broken ? result.broken->text : "none"; };
  const Inferred small = inferred(kConv, {{"n", 2}, {"k", 5}, {"pad", 1}, {"stride", 2}});
  EXPECT_EQ(why(small), "k = 5, n = 2, pad = 1: k <= n + 2 * pad does not hold");
  EXPECT_EQ(why(inferred(kConv, {{"n", 7}, {"k", 3}, {"pad", 1}, {"stride", 2}, {"o", 5}})),
            "o = 5, n = 7, pad = 1, k = 3, stride = 2: o = (n + 2 * pad - k) / stride + 1 does not hold");
  EXPECT_EQ(why(inferred(kConv, {{"n", 7}, {"k", 3}})), "none") << "too little is known";
  EXPECT_EQ(why(inferred(kConv, {{"n", 7}, {"k", 3}, {"pad", 0}, {"stride", 0}, {"o", 1}})),
            "o = 1, n = 7, pad = 0, k = 3, stride = 0: o = (n + 2 * pad - k) / stride + 1 has no value");
  EXPECT_EQ(why(inferred("f: y[o] <- x[n], w[k] with o = n - k", {{"n", 1}, {"k", 3}})),
            "n = 1, k = 3: o = n - k makes o -2");
}

TEST(Inferred, RelationsOfLimitsCountToo) {
  const Inferred tied = inferred("f: y[n] <- x[n], w[k]", {{"n", 3}}, {"k = n + 2", "n >= 4"});
  EXPECT_EQ(tied.of("k"), 5);
  ASSERT_TRUE(tied.broken);
  EXPECT_EQ(tied.broken->relation.to_string(), "n >= 4");
}

}  // namespace
}  // namespace negzero::operation
