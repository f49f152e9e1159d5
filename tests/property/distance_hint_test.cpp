// A finding with elements past 2^31 says how a kernel that is not meant for such tensors is declared.

#include <gtest/gtest.h>

#include <negzero/property/distance_hint.hpp>

namespace negzero::property {
namespace {

operation::Case case_with(std::int64_t stride) {
  operation::Case value;
  value.operation = operation::Reduce{.rows = 5, .columns = 3};
  value.layouts["x"] = {{5, 3}, {stride, 1}, 7};
  value.layouts["y"] = tensor::Layout::packed({5});
  return value;
}

TEST(DistanceHint, NamesTheTensorAndTheWordsOfADeclaration) {
  const operation::Case far = case_with(std::int64_t{1} << 30);
  EXPECT_EQ(
      distance_hint(far, DeclaredBy::Registration),
      "an offset in 32 bits wraps here: elements of x lie up to 4294967298 apart; if tensors of this kernel never "
      "span 2^31 elements, declare it: .max_span = 1LL << 31");
  EXPECT_TRUE(distance_hint(far, DeclaredBy::Line)->ends_with("declare it: layout ORDER near"));
}

TEST(DistanceHint, IsOfDistantTensorsAlone) {
  EXPECT_EQ(distance_hint(case_with(3), DeclaredBy::Registration), std::nullopt);
  EXPECT_EQ(distance_hint(case_with(1 << 20), DeclaredBy::Registration), std::nullopt);
  EXPECT_EQ(distance_hint(operation::Case{}, DeclaredBy::Registration), std::nullopt);
}

}  // namespace
}  // namespace negzero::property
