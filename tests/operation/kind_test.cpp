// Kinds come from what a line says, whatever its names; a line that nothing can judge has none.

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <negzero/operation/kind.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::operation {
namespace {

std::optional<Kind> kind_of_line(std::string_view line) {
  const auto signature = notation::parse_signature(line);
  EXPECT_TRUE(signature) << signature.error().message;
  return signature ? kind_of(*signature) : std::nullopt;
}

TEST(Kind, EveryOperationHasOne) {
  for (const notation::Signature& signature : signatures()) EXPECT_TRUE(kind_of(signature)) << signature.name;
}

TEST(Kind, IsThatOfTheLineWhateverItsNames) {
  EXPECT_EQ(kind_of_line("z: out[p<all, q<each] = in[p,q]"), Kind::Elements);
  EXPECT_EQ(kind_of_line("z: out[p<all] = sum(t<each: in[p,t])"), Kind::Reduction);
  EXPECT_EQ(kind_of_line("z: out[to[u<all] < places] max= in[u]"), Kind::Update);
  EXPECT_EQ(kind_of_line("z: out[p<all, q<each] = sum(t<q: in[p,t])"), Kind::Scan);
  EXPECT_EQ(kind_of_line("z: o[g<x, p<y, q<z] = s * sum(t: l[g,p,t] * r[g,t,q]) + u * w[g,p,q]"), Kind::Products);
  EXPECT_EQ(kind_of_line("z: o[g<x, p<h[g]<=y, q<z] = sum(t: l[g,p,t] * r[g,t,q])"), Kind::GroupedProducts);
}

TEST(Kind, OfAReductionAlongAnyDimension) {
  EXPECT_EQ(kind_of_line("z: y[i<m, j<n] = max(b<batch: x[b,i,j])"), Kind::Reduction);
  EXPECT_EQ(kind_of_line("z: y[o<m, i<n] = mean(j<k: x[o,j,i])"), Kind::Reduction);
  EXPECT_EQ(kind_of_line("z: y[o<m, i<n], at[o,i] = min(j<k: x[o,j,i]), argmin(j: x[o,j,i])"), Kind::Reduction);
  EXPECT_EQ(kind_of_line("z: y[i<n, o<m] = sum(j<k: x[o,j,i])"), Kind::Reduction);
  EXPECT_EQ(kind_of_line("z: y[o<m, k<n, i<l] = sum(j<=k: x[o,j,i])"), Kind::Scan);
}

TEST(Kind, NoneWhereNothingCouldJudgeIt) {
  for (const char* const line : {
           "z: y[i<n] = sum(j<n: x[i,j])",                       // extents do not say which is reduced
           "z: y[i<m] = s * sum(j<n: x[i,j])",                   // scaled
           "z: y[i<m] = sum(j<n: x[i,j]) + t * c[i]",            // with an addend
           "z: y[i<m, k<n] = max(j<=k: x[i,j])",                 // no sum so far
           "z: y[i<m] = sum(j<n: x[i,j] * w[i,j])",              // no matrices
           "z: y[i<m, j<n] = x[j,i]",                            // in another order
           "z: o[g<x, p<y, q<z] = sum(t: l[g,p,t] * r[g,t,q])",  // no scalars, no counts
           "z: y[g<n, i<rows[g]<=m] = sum(j<k: x[g,i,j])",       // a reduction of padded rows
           "z: o[g<x, p<y, q<z] = s * sum(t: l[g,p,t] * r[g,q,t]) + u * w[g,p,q]",
       }) {
    EXPECT_FALSE(kind_of_line(line)) << line;
  }
}

}  // namespace
}  // namespace negzero::operation
