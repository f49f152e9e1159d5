// Extents that a line ties: what is computed, what is broken, and the shortest way back.

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/base/random.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits_json.hpp>
#include <negzero/operation/line_relations.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::operation {
namespace {

using ::testing::HasSubstr;
using Extents = std::vector<std::int64_t>;

// Extents in the order of the line: o, n, k.
const notation::Signature& conv() { return *find_signature("conv: y[o] <- x[n], w[k] with o = n - k + 1, k <= n"); }

Extents mended(Extents extents, const Limits& limits = {}, std::optional<std::size_t> leading = std::nullopt,
               const notation::Signature& signature = conv()) {
  keep_relations(extents, signature, limits, leading);
  return extents;
}

TEST(LineRelations, ComputeWhatTheyDefine) {
  Extents extents{0, 7, 3};
  EXPECT_TRUE(complete(extents, conv(), {}));
  EXPECT_EQ(extents, (Extents{5, 7, 3}));
  extents = {9, 3, 4};
  EXPECT_FALSE(complete(extents, conv(), {})) << "k <= n is broken";
  extents = {0, 7, 3};
  EXPECT_FALSE(complete(extents, conv(), {.extents = {{"o", {.max = 4}}}}));
  // Each from the ones before, whatever the order of the line.
  const notation::Signature& chain = *find_signature("f: y[a, b, c] <- x[n] with a = b + 1, b = c * 2, c = n / 3");
  Extents all{0, 0, 0, 10};
  EXPECT_TRUE(complete(all, chain, {}));
  EXPECT_EQ(all, (Extents{7, 6, 3, 10}));
  // One of two that define each other is a relation like the others.
  const notation::Signature& cycle = *find_signature("f: y[a] <- x[b] with a = b + 1, b = a - 1");
  Extents pair{0, 4};
  EXPECT_TRUE(complete(pair, cycle, {}));
  EXPECT_EQ(pair, (Extents{5, 4}));
}

TEST(LineRelations, LeapToMultiplesThatNoSingleMoveMends) {
  for (const char* const line : {
           "y: y[n, k] <- w[n, k / 2], s[n, k / g] with k % g = 0, g % 16 = 0",
           "y: y[o] <- x[n] with o = n / g, n % g = 0, g = 3 * h, h % 16 = 0",
           "y: y[m, n] <- a[m, k], b[k, n] with m % t = 0, n % t = 0, t % 16 = 0",
           "y: y[n, k] <- w[n, k], s[n, ceil_div(k, g)] with g % 32 = 0",
           "y: y[n, k] <- w[n, k], s[n, b] with k = g * b, g % 32 = 0",
           "y: y[m] <- x[p] with p = ceil_div(m, t) * t, t % 64 = 0",
           "y: y[n, k] <- x[n, k], s[n / g, k / h] with g % 32 = 0, n % g = 0, k % h = 0, h % 32 = 0",
           "y: y[n, k] <- w[n, k / 8], s[n, (k + group - 1) / group] with group % 8 = 0, k % group = 0",
           "y: y[n] <- x[n] with n * p = 12, p <= n, p >= 2",
       }) {
    const notation::Signature& signature = *find_signature(line);
    EXPECT_EQ(unmet_relation(signature, {}), std::nullopt) << line;
    base::Random random(5);
    for (int i = 0; i < 300; ++i) {
      Extents extents;
      for (std::size_t e = 0; e < signature.extents.size(); ++e) extents.push_back(random.between(0, i));
      EXPECT_TRUE(keep_line(extents, signature, {})) << line;
      EXPECT_EQ(breaks_line(extents, signature), std::nullopt) << line;
    }
  }
  const notation::Signature& tiles = *find_signature("y: y[m] <- a[m] with m % t = 0, t % 16 = 0");
  EXPECT_EQ(mended({40, 17}, {}, std::nullopt, tiles), (Extents{32, 16}));
  EXPECT_THAT(unmet_relation(tiles, {.extents = {{"t", {.min = 1, .max = 15}}}}).value_or(""), HasSubstr("t % 16 = 0"));
}

TEST(LineRelations, MoveAsLittleAsTheyCan) {
  EXPECT_EQ(mended({0, 7, 3}), (Extents{5, 7, 3}));
  EXPECT_EQ(mended({0, 4, 7}), (Extents{1, 4, 4})) << "less, where less is as good as more";
  EXPECT_EQ(mended({0, 4, 7}, {}, 2), (Extents{1, 7, 7})) << "the leading one stays";
  EXPECT_EQ(mended({6, 4, 2}, {}, 0), (Extents{6, 7, 2})) << "which may be one that is computed";
  EXPECT_EQ(mended({0, 4, 7}, {.extents = {{"k", {.min = 7, .max = 7}}}}), (Extents{1, 7, 7}));
  EXPECT_EQ(mended({0, 9, 3}, {.extents = {{"o", {.multiple = 4}}}}), (Extents{8, 9, 2}));
  EXPECT_EQ(mended({0, 9, 3}, {.equal = {{"o", "k"}}}), (Extents{5, 9, 5}));
  const notation::Signature& pool = *find_signature("pool: y[o] <- x[n] with o = (n - width) / stride + 1, width <= n");
  EXPECT_EQ(mended({0, 9, 3, 0}, {}, std::nullopt, pool), (Extents{7, 9, 3, 1})) << "a divisor is at least 1";
  const notation::Signature& packed = *find_signature("f: y[k] <- x[w] with w = k / 8, k % 8 = 0");
  EXPECT_EQ(mended({13, 0}, {}, std::nullopt, packed), (Extents{16, 2}));
}

TEST(LineRelations, ThatAreBrokenAreNamed) {
  EXPECT_EQ(breaks_line(Extents{5, 7, 3}, conv()), std::nullopt);
  EXPECT_EQ(breaks_line(Extents{4, 7, 3}, conv()), "o = 4, n = 7, k = 3: the line wants o = n - k + 1");
  EXPECT_EQ(breaks_line(Extents{0, 3, 4}, conv()), "k = 4, n = 3: the line wants k <= n");
  const notation::Signature& divided = *find_signature("f: y[a] <- x[b] with a = b / c");
  EXPECT_EQ(breaks_line(Extents{1, 4, 0}, divided),
            "a = 1, b = 4, c = 0: the line wants a = b / c, which has no value here");
  EXPECT_EQ(unmet_relation(conv(), {}), std::nullopt);
  const std::optional<std::string> unmet = unmet_relation(conv(), {.extents = {{"k", {.min = 9}}, {"n", {.max = 8}}}});
  ASSERT_TRUE(unmet);
  EXPECT_THAT(*unmet, HasSubstr("the line wants k <= n"));
  const base::Status limits = validate(Limits{.extents = {{"k", {.min = 9}}, {"n", {.max = 8}}}}, conv().identity());
  ASSERT_FALSE(limits.ok());
  EXPECT_THAT(limits.error().message, HasSubstr("no extents keep the relations: "));
}

// Extents of a gemm: batch, m, n, k.
TEST(LineRelations, OfLimitsAreKeptBesideThoseOfTheLine) {
  const auto relations = [](std::vector<std::string> texts) {
    Limits limits;
    for (const std::string& text : texts) limits.relations.push_back(*notation::parse_relation(text));
    return limits;
  };
  const notation::Signature& gemm = *find_signature("gemm");
  EXPECT_FALSE(has_relations(gemm, {}));
  const Limits tied = relations({"k <= n", "n = m + k - 1"});
  EXPECT_TRUE(has_relations(gemm, tied));
  EXPECT_EQ(mended({1, 4, 9, 3}, tied, std::nullopt, gemm), (Extents{1, 4, 6, 3}));
  EXPECT_EQ(defined_extents(gemm, tied), (std::vector<std::size_t>{2}));
  EXPECT_EQ(breaks_relation(Extents{1, 4, 6, 3}, gemm, tied), std::nullopt);
  EXPECT_EQ(breaks_relation(Extents{1, 4, 7, 3}, gemm, tied), "n = 7, m = 4, k = 3: the limits want n = m + k - 1");
  // The line defines o; the limits' o = 2 * k is one that others have to keep.
  EXPECT_EQ(mended({0, 9, 4}, relations({"o = 2 * k"})), (Extents{8, 11, 4}));
  EXPECT_EQ(breaks_relation(Extents{7, 9, 3}, conv(), relations({"o = 2 * k"})),
            "o = 7, k = 3: the limits want o = 2 * k");
  EXPECT_EQ(describe(relations({"k<=n", "o = 2*k"}), conv().identity()), "k <= n; o = 2 * k");
  const Limits read = limits_of(nlohmann::json::parse(limits_json(tied).dump()));
  EXPECT_EQ(read.relations, tied.relations);
  EXPECT_THROW(limits_of(nlohmann::json::parse(R"({"relations": "k <= n"})")), std::invalid_argument);
  EXPECT_FALSE(validate(relations({"k <= q"}), "gemm").ok());
  EXPECT_TRUE(validate(relations({"k <= n"}), "gemm").ok());
  EXPECT_FALSE(validate(relations({"k + 1 <= k"}), "gemm").ok());
}

TEST(LineRelations, ACaseThatBreaksThemIsInvalid) {
  Case value;
  value.operation = Operation(conv());
  const auto lay = [&](Extents extents) {
    std::ranges::copy(extents, value.operation.extents().begin());
    value.tensors.clear();
    value.layouts.clear();
    for (const TensorSpec& spec : input_specs(value.operation)) {
      value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
    }
    pack_missing_layouts(value);
    return validate(value);
  };
  EXPECT_TRUE(lay({5, 7, 3}).ok());
  const base::Status broken = lay({4, 7, 3});
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.error().message, HasSubstr("the line wants o = n - k + 1"));
}

}  // namespace
}  // namespace negzero::operation
