// Relations between extents, behind `with` and in brackets: what is read, printed and refused, and when they hold.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/notation/relation.hpp>
#include <negzero/notation/signature.hpp>

namespace negzero::notation {
namespace {

using Names = std::vector<std::string>;

Signature declared(std::string_view line) {
  auto signature = parse_signature(line);
  EXPECT_TRUE(signature) << signature.error().message;
  return signature ? *signature : Signature{};
}

Names relations(const Signature& signature) {
  Names texts;
  for (const Relation& relation : signature.relations) texts.push_back(relation.to_string());
  return texts;
}

/// What is wrong with a line, behind its text.
std::string mistake(const std::string& line) {
  const auto signature = parse_signature(line);
  return signature ? "none" : signature.error().message.substr(("operation '" + line + "', ").size());
}

TEST(Relation, IsBehindWith) {
  const Signature conv = declared("conv: y[rows, o] <- x[rows, n], w[k] with o=n-k+1,k<=n");
  EXPECT_EQ(conv.definition, "y[rows, o] <- x[rows, n], w[k] with o = n - k + 1, k <= n");
  EXPECT_EQ(conv.extents, (Names{"rows", "o", "n", "k"}));
  EXPECT_EQ(relations(conv), (Names{"o = n - k + 1", "k <= n"}));
  const Signature both = declared("top: y[rows, k] <- x[rows, n] each rows with k < n");
  EXPECT_EQ(both.definition, "y[rows, k] <- x[rows, n] each rows with k < n");
  EXPECT_EQ(both.each, std::vector<std::size_t>{0});
  for (const char* const sign : {"=", "<=", "<", ">=", ">"}) {
    const Signature signature = declared(std::string("f: y[n] <- x[m] with n ") + sign + " (m + 1) / 2 % 3 * 1");
    EXPECT_EQ(relations(signature), Names{std::string("n ") + sign + " (m + 1) / 2 % 3 * 1"});
  }
}

TEST(Relation, InBracketsIsAnExtentOfItsOwn) {
  const Signature csr = declared("csr: y[rows] <- v[nonzeros], ends[rows+1] <= nonzeros ascending, again[ rows + 1 ]");
  EXPECT_EQ(csr.definition, "y[rows] <- v[nonzeros], ends[rows + 1] <= nonzeros ascending, again[rows + 1]");
  EXPECT_EQ(csr.extents, (Names{"rows", "nonzeros", "ends_0"}));
  EXPECT_EQ(csr.tensors[1].extents, std::vector<std::size_t>{2});
  EXPECT_EQ(csr.tensors[2].extents, std::vector<std::size_t>{2}) << "one formula is one extent";
  EXPECT_EQ(relations(csr), Names{"ends_0 = rows + 1"});
  const Signature scaled = declared("f: y[n, k] <- x[n, k], scales[n, ceil_div(k, 32)] with k >= 32");
  EXPECT_EQ(scaled.definition, "y[n, k] <- x[n, k], scales[n, ceil_div(k, 32)] with k >= 32");
  EXPECT_EQ(relations(scaled), (Names{"scales_1 = ceil_div(k, 32)", "k >= 32"}));
  EXPECT_EQ(declared("f: y[o] <- x[o + k - 1], w[k]").definition, "y[o] <- x[o + k - 1], w[k]");
}

TEST(Relation, ANameOfNoTensorIsAParameter) {
  const Signature pool = declared("pool: y[o] <- x[n] with o = (n - width) / stride + 1, width <= n");
  EXPECT_EQ(pool.extents, (Names{"o", "n", "width", "stride"}));
  for (std::size_t e = 0; e < 4; ++e) EXPECT_EQ(pool.is_parameter(e), e >= 2) << pool.extents[e];
  const Signature bounded = declared("f: y[n] <- at[n] < m with m > n");
  EXPECT_FALSE(bounded.is_parameter(*bounded.find_extent("m"))) << "indices are below it";
}

TEST(Relation, AnyLineIsWhatItsDefinitionSays) {
  for (const char* const line :
       {"f: y[o] <- x[n], w[k] with o = n - k + 1, k <= n", "f: y[n+1] <- x[n]", "f: y[2*n, m] <- x[n, m, (n+7)/8]",
        "f: y[n] <- x[n], s each n with n>3", "f: y[a] <- x[max(a,b),min(a, 3, b)]"}) {
    const Signature first = declared(line), second = declared("f: " + first.definition);
    EXPECT_EQ(first.definition, second.definition);
    EXPECT_EQ(first.extents, second.extents);
    EXPECT_EQ(first.relations, second.relations);
  }
}

TEST(Relation, OldLinesKeepTheirMeaning) {
  // `with` is a word only where operands or `each` end.
  EXPECT_EQ(declared("f: y[n] <- with").scalars.front().name, "with");
  EXPECT_EQ(declared("f: y[n] <- with, x[n]").scalars.front().name, "with");
  EXPECT_EQ(declared("f: y[n] <- with[n]").tensors.front().name, "with");
  EXPECT_EQ(declared("f: y[n] <- x[n], with").scalars.front().name, "with");
  EXPECT_EQ(declared("f: with[max] <- min[max], each").extents, Names{"max"});
  EXPECT_EQ(declared("f: y[with] <- x[with] each with").each.size(), 1u);
}

TEST(Relation, AMistakeIsNamedWithItsColumn) {
  EXPECT_EQ(mistake("f: y[n] <- x[n] with"), "column 21: expected a number, a name, a function or ( at ''");
  EXPECT_EQ(mistake("f: y[n] <- x[n] with n"), "column 23: expected =, <=, <, >= or > at ''");
  EXPECT_EQ(mistake("f: y[n] <- x[n] with n == 3"), "column 25: expected a number, a name, a function or ( at '= 3'");
  EXPECT_EQ(mistake("f: y[n] <- x[n] with n = 3k"), "column 26: a name begins with a letter at '3k'");
  EXPECT_EQ(mistake("f: y[n] <- x[n] with n = _k"), "column 26: _k: a name begins with a letter");
  EXPECT_EQ(mistake("f: y[n] <- x[n] with n = log(m)"),
            "column 26: log is no function; there are ceil_div, ceil_log2, min and max at 'log(m)'");
  EXPECT_EQ(mistake("f: y[n] <- x[n] with 3 < 4"), "column 22: 3 < 4 is no relation of extents");
  EXPECT_EQ(mistake("f: y[n] <- x[n] with n = 3 each n"), "column 28: unexpected text at 'each n'");
  EXPECT_EQ(mistake("f: y[n] <- x[n] with n = 3 m"), "column 28: unexpected text at 'm'");
  EXPECT_EQ(mistake("f: y[n + ] <- x[n]"), "column 10: expected a number, a name, a function or ( at '] <- x[n]'");
  EXPECT_EQ(mistake("f: y[2 * 3] <- x[n]"), "column 6: expected an extent, not 2 * 3");
  EXPECT_EQ(mistake("f: y[0] <- x[n]"), "column 6: expected an extent, not 0");
  EXPECT_EQ(mistake("f: y[1] <- x[n]"), "none");
  EXPECT_EQ(mistake("f: y[n] <- x[n], window int with window <= n"),
            "column 18: window is a scalar, and relations are between extents; give one of them another name");
  EXPECT_EQ(mistake("f: y[n - s] <- x[n], s int"),
            "column 22: s is a scalar, and relations are between extents; give one of them another name");
  EXPECT_EQ(mistake("f: y[n] <- x[n] with x <= n"),
            "column 12: x is a tensor, and relations are between extents; give one of them another name");
  EXPECT_EQ(mistake("f: y[n] <- x[n, y_0], y_0[n + 1], z[y_0_0]"), "none");
  EXPECT_EQ(mistake("f: z[x_0] <- x[n + 1]"), "column 16: x_0 is also the name of n + 1");
  EXPECT_EQ(mistake("f: y[n] <- a_tensor_whose_name_has_39_letters_in_i[n + 1]"),
            "column 52: 41 letters in extent a_tensor_whose_name_has_39_letters_in_i_0, and at most 40 are allowed");
}

TEST(Relation, IsBrokenByTheDifference) {
  const auto broken_by = [](const std::string& relation, std::int64_t n, std::int64_t k) {
    const Signature signature = declared("f: y[n] <- x[k] with " + relation);
    const auto amount = signature.relations.front().broken_by([&](std::string_view name) {
      return name == "n" ? std::optional(n) : name == "k" ? std::optional(k) : std::nullopt;
    });
    return amount ? std::to_string(*amount) : amount.error().message;
  };
  EXPECT_EQ(broken_by("n = k", 3, 3), "0");
  EXPECT_EQ(broken_by("n = k", 3, 5), "2");
  EXPECT_EQ(broken_by("n = k", 5, 3), "2");
  EXPECT_EQ(broken_by("n <= k", 5, 5), "0");
  EXPECT_EQ(broken_by("n <= k", 6, 5), "1");
  EXPECT_EQ(broken_by("n < k", 4, 5), "0");
  EXPECT_EQ(broken_by("n < k", 5, 5), "1");
  EXPECT_EQ(broken_by("n < k", 7, 5), "3");
  EXPECT_EQ(broken_by("n >= k", 5, 5), "0");
  EXPECT_EQ(broken_by("n >= k", 4, 5), "1");
  EXPECT_EQ(broken_by("n > k", 6, 5), "0");
  EXPECT_EQ(broken_by("n > k", 5, 5), "1");
  EXPECT_EQ(broken_by("n % 2 = k / 0", 5, 5), "k / 0: division by 0");
  EXPECT_EQ(broken_by("n - k < m", 5, 5), "m: m has no value here");
}

}  // namespace
}  // namespace negzero::notation
