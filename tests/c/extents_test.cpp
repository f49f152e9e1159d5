// negzero_extents() and what negzero_describe() says of a line with parameters and whole scalars.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/c/negzero.h>

namespace negzero::c {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kConv = "conv: y[o] <- x[n], w[k] with o = (n + 2 * pad - k) / stride + 1, k <= n + 2 * pad";

struct Answer {
  std::int32_t status = -1;
  std::string text{};
};

template <typename Function>
Answer answer_of(Function function, const std::string& given) {
  negzero_block block{};
  Answer answer;
  answer.status = function({given.data(), given.size()}, &block);
  if (block.data != nullptr) answer.text.assign(static_cast<const char*>(block.data), block.size);
  negzero_free(block);
  return answer;
}

json extents(const json& options) {
  const Answer answer = answer_of(negzero_extents, options.dump());
  EXPECT_EQ(answer.status, NEGZERO_DONE) << answer.text;
  return json::parse(answer.text, nullptr, false);
}

TEST(LibraryExtents, SaysWhatFollows) {
  const json answer = extents({{"operation", kConv}, {"extents", {{"n", 7}, {"k", 3}, {"pad", 1}, {"stride", 2}}}});
  EXPECT_EQ(answer["extents"], json::parse(R"({"o": 4, "n": 7, "k": 3, "pad": 1, "stride": 2})"));
  EXPECT_TRUE(answer["broken"].is_null());
  EXPECT_EQ(extents({{"operation", kConv}})["extents"], json::object());
}

TEST(LibraryExtents, NamesWhatIsBroken) {
  const json own = extents({{"operation", kConv}, {"extents", {{"n", 1}, {"k", 3}, {"pad", 0}}}});
  EXPECT_EQ(own["broken"]["relation"], "k <= n + 2 * pad");
  EXPECT_EQ(own["broken"]["text"], "k = 3, n = 1, pad = 0: k <= n + 2 * pad does not hold");
  const json of_limits = extents({{"operation", "gemm"}, {"extents", {{"m", 4}, {"k", 9}}}, {"relations", {"k <= m"}}});
  EXPECT_EQ(of_limits["broken"]["relation"], "k <= m");
}

TEST(LibraryExtents, SaysWhatIsWrong) {
  const auto wrong = [](const json& options) {
    const Answer answer = answer_of(negzero_extents, options.dump());
    EXPECT_EQ(answer.status, NEGZERO_USAGE);
    return answer.text;
  };
  EXPECT_THAT(wrong(json::object()), HasSubstr("operation"));
  EXPECT_THAT(wrong({{"operation", kConv}, {"extents", {{"q", 1}}}}),
              HasSubstr("conv has no extent q; it has o, n, k, pad, stride"));
  EXPECT_THAT(wrong({{"operation", kConv}, {"extents", {{"n", -1}}}}), HasSubstr("n is \"-1\"; give an integer from 0"));
  EXPECT_THAT(wrong({{"operation", kConv}, {"extents", 3}}), HasSubstr("extents is \"3\"; give numbers by name"));
  EXPECT_THAT(wrong({{"operation", kConv}, {"relations", {"k <= q"}}}),
              HasSubstr("'k <= q', column 6: conv has no extent q"));
  EXPECT_THAT(wrong({{"operation", kConv}, {"relations", {"k <="}}}), HasSubstr("'k <=', column 5"));
  EXPECT_THAT(wrong({{"operation", kConv}, {"limits", 1}}), HasSubstr("limits"));
}

TEST(LibraryExtents, ALineSaysItsParametersRelationsAndKinds) {
  const auto row = [](const std::string& line) {
    const Answer answer = answer_of(negzero_describe, line);
    EXPECT_EQ(answer.status, NEGZERO_DONE) << answer.text;
    return json::parse(answer.text, nullptr, false);
  };
  const json conv = row(kConv);
  EXPECT_EQ(conv["parameters"], json::parse(R"(["pad", "stride"])"));
  EXPECT_EQ(conv["relations"], json::parse(R"(["o = (n + 2 * pad - k) / stride + 1", "k <= n + 2 * pad"])"));
  EXPECT_FALSE(conv.contains("kinds"));
  const json pick = row("pick: y[n] <- x[n], first int, largest bool, scale");
  EXPECT_EQ(pick["scalars"], json::parse(R"(["first", "largest", "scale"])"));
  EXPECT_EQ(pick["kinds"], json::parse(R"({"first": "int", "largest": "bool"})"));
  const json plain = row("norm: y[n] <- x[n], epsilon");
  for (const char* const key : {"kinds", "parameters", "relations"}) EXPECT_FALSE(plain.contains(key)) << key;
}

}  // namespace
}  // namespace negzero::c
