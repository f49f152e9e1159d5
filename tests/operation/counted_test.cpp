// Which elements of padded tensors count, from every position of the dimension that is padded.

#include <vector>

#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/counted.hpp>

namespace negzero::operation {
namespace {

/// A case of the line's operation, zeros throughout, with these extents in the line's order.
Case case_of(const notation::Signature& signature, const std::vector<std::int64_t>& extents) {
  Case value;
  value.operation = Operation(signature);
  std::ranges::copy(extents, value.operation.extents().begin());
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  return value;
}

std::vector<std::int64_t> counted_in(const Case& value, std::string_view tensor, std::int64_t elements) {
  const Counted counted(value, tensor);
  EXPECT_FALSE(counted.all());
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < elements; ++i) {
    if (counted.holds(i)) result.push_back(i);
  }
  return result;
}

using Elements = std::vector<std::int64_t>;

TEST(Counted, OfAGroupedGemm) {
  Case value = case_of(*find_signature("gemm.grouped"), {3, 2, 2, 1});
  tensor::Tensor& rows = value.tensors.at("rows");
  rows.set(0, 1);
  rows.set(2, 2);
  EXPECT_EQ(counted_in(value, "a", 6), (Elements{0, 4, 5}));
  EXPECT_EQ(counted_in(value, "d", 12), (Elements{0, 1, 8, 9, 10, 11}));
  EXPECT_TRUE(Counted(value, "b").all());
  EXPECT_TRUE(Counted(value, "rows").all());
  tensor::Tensor a(number::FormatId::F32, {3, 2, 1});
  set_padding(value, "a", a, 7);
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(a.get(i), i == 0 || i >= 4 ? 0u : 7u) << i;
}

TEST(Counted, WhereTheCountsHaveTheirPlacesInAnotherOrder) {
  const auto line = notation::parse_signature("g: y[g<p, h<q, i<rows[h,g]<=m] = x[i,g,h] * z[i]");
  ASSERT_TRUE(line) << line.error().message;
  Case value = case_of(*line, {1, 2, 3});
  // rows[h=0, g=0] = 1, rows[h=1, g=0] = 3.
  value.tensors.at("rows").set(0, 1);
  value.tensors.at("rows").set(1, 3);
  EXPECT_EQ(counted_in(value, "y", 6), (Elements{0, 3, 4, 5}));
  EXPECT_EQ(counted_in(value, "x", 6), (Elements{0, 1, 3, 5}));
  EXPECT_TRUE(Counted(value, "z").all()) << "which group an element belongs to is not said";
}

TEST(Counted, EveryOperationWithoutCountsHasNoPadding) {
  for (const notation::Signature& signature : signatures()) {
    if (signature.has_counts()) continue;
    const Case value = case_of(signature, std::vector<std::int64_t>(signature.extents.size(), 2));
    for (const notation::TensorSignature& tensor : signature.tensors) EXPECT_TRUE(Counted(value, tensor.name).all());
  }
}

}  // namespace
}  // namespace negzero::operation
