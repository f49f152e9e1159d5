// Optional inputs of declared lines: what is read, printed and refused, and what a variant without some of them has.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/notation/signature.hpp>

namespace negzero::notation::optional_test {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kNorm =
    "norm: y[rows, columns], mean[rows] <- x[rows, columns], gain?[columns], bias?[wide]";

Signature declared(std::string_view line) {
  auto signature = parse_signature(line);
  EXPECT_TRUE(signature) << signature.error().message;
  return signature ? *signature : Signature{};
}

/// What is wrong with a line, behind its text.
std::string mistake(const std::string& line) {
  const auto signature = parse_signature(line);
  return signature ? "none" : signature.error().message.substr(("operation '" + line + "', ").size());
}

Names names_of(const Signature& signature) {
  Names names;
  for (const TensorSignature& tensor : signature.tensors) names.push_back(tensor.name);
  return names;
}

TEST(Optional, InputsAreReadAndPrinted) {
  const Signature norm = declared(kNorm);
  EXPECT_EQ(norm.name + ": " + norm.definition, kNorm);
  for (const TensorSignature& tensor : norm.tensors) {
    EXPECT_EQ(tensor.is_optional, tensor.name == "gain" || tensor.name == "bias") << tensor.name;
  }
  EXPECT_EQ(declared("f: y[n] <- x[n], bias ? [ n ]").definition, "y[n] <- x[n], bias?[n]");
  EXPECT_EQ(declared("f: y[n] <- x?[n]").definition, "y[n] <- x?[n]") << "also the only input";
  const Signature bounded =
      declared("f: y[b, n] <- x[b, n], lengths?[b] <= n, at?[b] < n, ends?[b + 1] <= n ascending each b");
  EXPECT_EQ(bounded.definition, "y[b, n] <- x[b, n], lengths?[b] <= n, at?[b] < n, ends?[b + 1] <= n ascending each b");
  EXPECT_TRUE(bounded.tensors[3].is_optional && bounded.tensors[3].is_ascending);
  EXPECT_EQ(declared("f: y[n] <- x[n], with?[n] with n > 1").definition, "y[n] <- x[n], with?[n] with n > 1");
}

TEST(Optional, MistakesHaveTheirColumn) {
  EXPECT_EQ(mistake("f: y?[n] <- x[n]"),
            "column 5: only an input may be missing; write y without '?', at '?[n] <- x[n]'");
  EXPECT_EQ(mistake("f: y[n] <- x[n], t?"),
            "column 19: t is a scalar, and only a tensor may be missing; write t?[...], or t");
  EXPECT_EQ(mistake("f: y[n] <- x[n]?"), "column 16: expected ',' at '?'");
  EXPECT_EQ(mistake("f: y[n] <- ?x[n]"), "column 12: expected a tensor or a scalar at '?x[n]'");
  EXPECT_EQ(mistake("f: y[n] <- x??[n]"),
            "column 13: x is a scalar, and only a tensor may be missing; write x?[...], or x");
  std::string many = "f: y[n] <- x[n]";
  for (std::size_t i = 0; i < kMostOptional; ++i) many += ", a" + std::to_string(i) + "?[n]";
  EXPECT_EQ(mistake(many), "none");
  many += ", b?[n]";
  EXPECT_EQ(mistake(many), "column " + std::to_string(many.size() - 3) +
                               ": 9 optional inputs, and at most 8 are allowed; write b without '?'");
  EXPECT_NE(mistake("f: y[i<n] = x?[i]"), "none") << "shipped operations have no such";
}

TEST(Optional, AVariantLacksTheAbsentTensorsAlone) {
  const Signature norm = declared(kNorm);
  const Signature variant = variant_of(norm, Names{"gain"});
  EXPECT_EQ(names_of(variant), (Names{"x", "bias", "y", "mean"}));
  EXPECT_EQ(&variant.family(), &norm);
  EXPECT_EQ(&norm.family(), &norm);
  EXPECT_EQ(variant.identity(), norm.identity());
  EXPECT_EQ(variant.extents, norm.extents);
  EXPECT_EQ(variant.formats, norm.formats);
  EXPECT_EQ(variant.tensors[1].format, norm.tensors[2].format);
  ASSERT_EQ(variant.outputs.size(), 2u);
  EXPECT_EQ(variant.tensors[variant.outputs[0].tensor].name, "y");
  EXPECT_EQ(variant.tensors[variant.outputs[1].tensor].name, "mean");
  for (const OutputSignature& output : variant.outputs) {
    Names operands;
    for (const Expression& leaf : output.result.operands) operands.push_back(variant.tensors[leaf.which].name);
    EXPECT_EQ(operands, (Names{"x", "bias"}));
  }
  EXPECT_EQ(names_of(variant_of(norm, Names{"gain", "bias"})), (Names{"x", "y", "mean"}));
}

TEST(Optional, AVariantSaysOfExtentsAndSlotsWhatItsFamilySays) {
  const Signature line = declared("f: y[b, n] <- x[b, n], bias?[wide], lengths?[b] <= n, at?[b] < deep, t with n = k");
  const Signature none = variant_of(line, Names{"bias", "lengths", "at"});
  for (std::size_t e = 0; e < line.extents.size(); ++e) {
    EXPECT_EQ(none.is_parameter(e), line.is_parameter(e)) << line.extents[e];
  }
  EXPECT_TRUE(none.is_parameter(*none.find_extent("k")));
  EXPECT_FALSE(none.is_parameter(*none.find_extent("wide")) || none.is_parameter(*none.find_extent("deep")));
  for (std::size_t slot = 0; slot < line.formats.size(); ++slot) {
    EXPECT_EQ(none.holds_indices(slot), line.holds_indices(slot)) << line.formats[slot];
  }
  EXPECT_TRUE(line.has_counts());
  EXPECT_FALSE(none.has_counts()) << "nothing is padded then";
}

}  // namespace
}  // namespace negzero::notation::optional_test
