// Words behind a bound, and clauses of what is read and written: as they are printed, and what is wrong with others.

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/notation/signature.hpp>

namespace negzero::notation {
namespace {

using testing::HasSubstr;

/// The line as it is printed; what is wrong with it where it is none.
std::string printed(const std::string& line) {
  const auto signature = parse_signature(line);
  return signature ? signature->identity() : signature.error().message;
}

TEST(IndexWords, ALineIsPrintedAsItIsRead) {
  const std::string lines[] = {
      "f: y[g] <- x[rows], offsets[g + 1] <= rows ascending from 0",
      "f: y[g] <- x[rows], offsets[g + 1] <= rows ascending from 0 to rows",
      "f: y[g] <- x[rows], ends[g] <= rows ascending to rows",
      "f: y[n], order[n] < n permutation <- x[n]",
      "f: v[rows, k], at[rows, k] < columns distinct <- x[rows, columns]",
      "f: y[n] <- x[n], place[t] < n distinct none=-1, table?[b, p] < n all distinct none=-1, more[t] < n none=-1",
      "f: y[n] <- columns[t] < n ascending from 0 distinct",
      "f: y[n] <- x[n] reads x[i] for i < n - 1",
      "f: y[b, d] <- c[pages, page, d], t[b, m] < pages none=-1, len[b] <= n each b with n <= m * page reads "
      "c[t[b, i / page], i % page, d] for b, i < len[b], d",
      "f: y[rows] <- x[rows], o[g + 1] <= rows ascending reads x[i] for g, o[g] <= i < o[g + 1] writes y[(i + 1) * 2 - "
      "(3 - i)] for i < g reads x[0]",
      "f: y[n] <- reads[n], writes",
      "f: y[n] <- reads, none, all[n], ascending",
  };
  for (const std::string& line : lines) EXPECT_EQ(printed(line), line);
  EXPECT_EQ(printed("f:y[n]<-at[t]<n none=-1   all distinct"), "f: y[n] <- at[t] < n all distinct none=-1");
  EXPECT_EQ(printed("f: y[n] <- x[n] reads x[(i*2)/(3)%4] for i<n"),
            "f: y[n] <- x[n] reads x[i * 2 / 3 % 4] for i < n");
}

TEST(IndexWords, AMistakeHasAColumnAndACure) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"f: y[n] <- at[t] < n sorted", "column 22: 'sorted' is written 'ascending', which permits equal neighbours"},
      {"f: y[n] <- at[t] < n unique", "column 22: 'unique' is written 'distinct'"},
      {"f: y[n] <- at[t] <= n from 0", "column 23: 'from' is written 'ascending from 0'"},
      {"f: y[n] <- at[t] <= n ascending from 1", "column 38: expected 0 behind 'from'"},
      {"f: y[n] <- at[t] < n ascending to n", "at is below n, so that it never is n; write '<= n'"},
      {"f: y[n] <- at[t] <= n ascending to m", "at goes to n, its bound; write 'to n'"},
      {"f: y[n] <- at[t] < n all", "expected 'distinct' behind 'all'"},
      {"f: y[n] <- at[t] < n distinct distinct", "column 31: distinct is said twice of at"},
      {"f: y[n] <- at[t] < n none=-2", "-1 alone says that there is no index; write none=-1"},
      {"f: y[n] <- at[t] < n none=-12", "write none=-1"},
      {"f: y[n] <- at[t] < n none", "write none=-1"},
      {"f: y[n] <- at[t] < n permutation", "write at[t] < t permutation"},
      {"f: y[n] <- at[b, n] < b permutation", "write at[..., n] < n permutation"},
      {"f: y[n] <- at[n] < n permutation distinct", "column 22: at is distinct and permutation"},
      {"f: y[n] <- at[n] < n permutation none=-1", "write 'distinct none=-1'"},
      {"f: y[n] <- at[n] < n permutation ascending", "0, 1, 2 ... alone"},
      {"f: y[n] <- at[t] < n ascending none=-1", "-1 is below all others"},
      {"f: y[n] <- at[t] <= n distinct", "at holds counts, of which 'ascending' alone is said; of indices write '< n'"},
      {"f: y[n] < m ascending <- x[n]", "an output may be in any order"},
      {"f: y[n] <- x[n] reads z[i] for i < n", "column 23: reads z: it is no input of the line"},
      {"f: y[n] <- x[n] writes x[i] for i < n", "writes x: it is no output of the line"},
      {"f: y[n] <- x[n], at[t] < n reads at[i] for i < t", "leave 'reads at' out"},
      {"f: y[n] <- x[n] reads x[i, i] for i < n", "column 24: x has 1 dimensions, and here are 2 places"},
      {"f: y[n] <- x[n] reads x[i]", "column 25: i is no extent and no index; write 'for i < ...'"},
      {"f: y[n] <- x[n] reads x[n]", "n is an extent, which no place in it is; write 'for n' for all places"},
      {"f: y[n] <- x[n] reads x[i] for i", "i is no extent; say how far it goes, as in 'i < n'"},
      {"f: y[n] <- x[n] reads x[n] for n < 3", "n is an extent; give the index another name"},
      {"f: y[n] <- x[n] reads x[i] for i < j, j < n", "column 36: the index j comes later"},
      {"f: y[n] <- x[n] reads x[i] for i < n, i < n", "the index i is there twice"},
      {"f: y[n] <- x[n] reads x[x[i]] for i < n", "x is no input of indices or counts"},
      {"f: y[n] <- x[n] reads x[9999999999999999999]", "expected a whole number below 2^53"},
      {"f: y[n] <- x[n] reads x[((((((((((((((((1))))))))))))))))]", "more than 16 positions within each other"},
      {"f: y[n] <- x[n] reads x[i] for i < n, writes y[0]", "writes"},
  };
  for (const auto& [line, what] : mistakes) EXPECT_THAT(printed(line), HasSubstr(what)) << line;
}

TEST(IndexWords, WhatTheyWantOfExtentsIsARelationOfTheSignature) {
  const auto relation = [](const std::string& line) {
    const auto signature = parse_signature(line);
    return signature && !signature->relations.empty() ? signature->relations.back().to_string() : "none";
  };
  EXPECT_EQ(relation("f: y[n] <- at[t] < n distinct"), "t <= n");
  EXPECT_EQ(relation("f: y[n] <- at[b, t] < n all distinct"), "b * t <= n");
  EXPECT_EQ(relation("f: y[n] <- at[t] < n distinct none=-1"), "none");
  EXPECT_EQ(relation("f: y[n] <- at[n] < n permutation"), "none");
  EXPECT_EQ(relation("f: y[n] <- o[g] <= n ascending from 0"), "none");
  EXPECT_EQ(relation("f: y[n] <- o[g] <= n ascending from 0 to n"), "n <= n * min(1, g - 1)");
}

TEST(IndexWords, AVariantLosesWhatIsReachedByWayOfATensorThatItLacks) {
  const auto family = parse_signature(
      "f: y[n] <- x[n], z[n], at?[t] < n reads x[at[i]] for i < t reads x[0] reads z[1] writes y[n - 1]");
  ASSERT_TRUE(family.ok()) << family.error().message;
  const std::string absent[] = {"at"};
  const Signature variant = variant_of(*family, absent);
  ASSERT_EQ(variant.accesses.size(), 2u);
  EXPECT_EQ(variant.accesses[0].tensor, "z");
  EXPECT_EQ(variant.accesses[1].tensor, "y");
}

}  // namespace
}  // namespace negzero::notation
