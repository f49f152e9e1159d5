// The terms of each element are those whose other indices are the element's own, in ascending order.

#include <algorithm>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/operation/lines.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::operation {
namespace {

using Extents = std::vector<std::int64_t>;

struct Drawn {
  std::vector<notation::Signature> signature;  // one, in memory of its own: operations point into it
  Operation operation;

  Drawn(std::string_view line, const Extents& extents)
      : signature{*notation::parse_signature(line)}, operation(signature.front()) {
    std::ranges::copy(extents, operation.extents().begin());
  }
};

constexpr const char* kMiddle = "z: y[o<outer, i<inner] = sum(j<columns: x[o,j,i])";
constexpr const char* kBatch = "z: y[i<rows, j<columns] = sum(b<batch: x[b,i,j])";
constexpr const char* kRows = "z: y[i<rows] = sum(j<columns: x[i,j])";

Line line_of(const char* line, const Extents& extents, std::int64_t element) {
  const Drawn drawn(line, extents);
  return Lines(drawn.operation).of(element);
}

TEST(Lines, OfTheMiddleDimension) {
  // x is 2 x 5 x 3: y[1, 2] has x[1, j, 2].
  EXPECT_EQ(line_of(kMiddle, {2, 3, 5}, 0), (Line{0, 3, 5}));
  EXPECT_EQ(line_of(kMiddle, {2, 3, 5}, 2), (Line{2, 3, 5}));
  EXPECT_EQ(line_of(kMiddle, {2, 3, 5}, 3), (Line{15, 3, 5}));
  EXPECT_EQ(line_of(kMiddle, {2, 3, 5}, 5), (Line{17, 3, 5}));
}

TEST(Lines, OfTheFirstAndOfTheLastDimension) {
  EXPECT_EQ(line_of(kBatch, {2, 3, 5}, 4), (Line{4, 6, 5}));
  EXPECT_EQ(line_of(kRows, {2, 5}, 1), (Line{5, 1, 5}));
}

TEST(Lines, WhereExtentsAreOneOrZero) {
  EXPECT_EQ(line_of(kMiddle, {2, 1, 5}, 1), (Line{5, 1, 5}));
  EXPECT_EQ(line_of(kMiddle, {1, 3, 1}, 2), (Line{2, 3, 1}));
  EXPECT_EQ(line_of(kMiddle, {2, 3, 0}, 4).count, 0);
  EXPECT_EQ(line_of(kRows, {3, 0}, 2), (Line{0, 1, 0}));
  for (const Extents& empty : {Extents{0, 3, 5}, Extents{2, 0, 5}, Extents{0, 0, 0}}) {
    const Drawn drawn(kMiddle, empty);
    EXPECT_EQ(Lines(drawn.operation).outputs(), 0);
    EXPECT_EQ(Lines(drawn.operation).longest(), empty[2]);
  }
}

TEST(Lines, OfAScanEndAtTheElementOrBeforeIt) {
  const char* const through = "z: y[i<rows, k<columns] = sum(j<=k: x[i,j])";
  const char* const before = "z: y[i<rows, k<columns] = sum(j<k: x[i,j])";
  EXPECT_EQ(line_of(through, {2, 4}, 0), (Line{0, 1, 1}));
  EXPECT_EQ(line_of(through, {2, 4}, 7), (Line{4, 1, 4}));
  EXPECT_EQ(line_of(before, {2, 4}, 4), (Line{4, 1, 0}));
  EXPECT_EQ(line_of(before, {2, 4}, 7), (Line{4, 1, 3}));
  EXPECT_EQ(line_of("z: y[o<m, k<n, i<l] = sum(j<=k: x[o,j,i])", {2, 3, 4}, 23), (Line{15, 4, 3}));
}

/// Every line against coordinates: whatever the order of the dimensions, the element's index of each extent is that of
/// all its terms.
TEST(Lines, HoldTheElementsOwnIndices) {
  for (const char* const line : {kMiddle, kBatch, "z: y[i<inner, o<outer] = sum(j<columns: x[o,j,i])",
                                 "z: y[i<m, c<copies] = sum(j<n: x[j,i])", "z: y[i<m, j<n] = sum(k: x[i,j,k])"}) {
    const Drawn drawn(line, {2, 3, 4});
    const notation::Signature& signature = drawn.signature.front();
    const std::vector<std::size_t>& output = signature.tensors[signature.outputs.front().tensor].extents;
    const std::vector<std::size_t>& factor = signature.tensors[signature.factors.front()].extents;
    const Lines lines(drawn.operation);
    for (std::int64_t element = 0; element < lines.outputs(); ++element) {
      const auto own = tensor::coordinates_of(drawn.operation.shape_of(signature.outputs.front().tensor), element);
      const Line terms = lines.of(element);
      EXPECT_EQ(terms.count, drawn.operation.extents()[*signature.reduced]);
      for (std::int64_t t = 0; t < terms.count; ++t) {
        const auto at = tensor::coordinates_of(drawn.operation.shape_of(signature.factors.front()), terms.at(t));
        for (std::size_t d = 0; d < factor.size(); ++d) {
          const auto same = std::ranges::find(output, factor[d]);
          const std::int64_t wanted =
              factor[d] == signature.reduced ? t : own[static_cast<std::size_t>(same - output.begin())];
          EXPECT_EQ(at[d], wanted) << line << ", element " << element << ", term " << t << ", dimension " << d;
        }
      }
    }
  }
}

TEST(Lines, OfAScanTakeTurnsInTheOutput) {
  const Drawn middle("z: y[o<m, k<n, i<l] = sum(j<=k: x[o,j,i])", {2, 3, 4});
  const Lines lines(middle.operation);
  EXPECT_EQ(lines.abreast(), 4);
  EXPECT_EQ(lines.before(3), -1) << "the first of its line";
  EXPECT_EQ(lines.before(4), 0);
  EXPECT_EQ(lines.before(11), 7);
  EXPECT_EQ(lines.before(12), -1) << "the next o";
  for (std::int64_t element = 0; element < lines.outputs(); ++element) {
    if (lines.before(element) < 0) continue;
    Line shorter = lines.of(element);
    --shorter.count;
    EXPECT_EQ(lines.of(lines.before(element)), shorter) << element;
  }
  const Drawn rows(kRows, {2, 5});
  EXPECT_EQ(Lines(rows.operation).before(1), -1) << "no scan";
}

}  // namespace
}  // namespace negzero::operation
