// Cases of lines with words behind bounds: what breaks one is named, and repaired; and elements that a line reaches.

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/operation/case.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/operation/index_words.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/operation/part.hpp>

namespace negzero::operation {
namespace {

using Indices = std::vector<std::int64_t>;

/// A case of the line with these extents, in the order of the line, and these indices; numbers are zeros.
Case case_of(std::string_view line, const Indices& extents, const std::map<std::string, Indices>& indices) {
  const auto signature = signature_of(line);
  EXPECT_TRUE(signature.ok()) << (signature.ok() ? "" : signature.error().message);
  Case value;
  value.operation = Operation(**signature);
  std::ranges::copy(extents, value.operation.extents().begin());
  for (const TensorSpec& spec : input_specs(value.operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    const auto given = indices.find(spec.name);
    for (std::int64_t i = 0; given != indices.end() && i < tensor.element_count(); ++i) {
      tensor.set(i, static_cast<std::uint64_t>(given->second.at(static_cast<std::size_t>(i))) & 0xffffffffu);
    }
    value.tensors.emplace(spec.name, std::move(tensor));
  }
  pack_missing_layouts(value);
  return value;
}

std::string status_of(const Case& value) {
  const base::Status status = validate(value);
  return status ? "valid" : status.error().message;
}

Indices elements(const Case& value, const std::string& name) {
  Indices result;
  const tensor::Tensor& tensor = value.tensors.at(name);
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    result.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(tensor.get(i))));
  }
  return result;
}

struct Mended {
  const char* line;
  Indices extents, indices;
  const char* why;
  Indices kept;
};

TEST(IndexWords, WhatBreaksOneIsNamedAndRepaired) {
  const Mended all[] = {
      {"f: y[n] <- at[b, t] < n distinct",
       {5, 2, 3},
       {0, 1, 2, 4, 3, 4},
       "at[1, 2] = 4 is at[1, 0] too, and at is "
       "distinct; give another index below 5",
       {0, 1, 2, 4, 3, 0}},
      {"f: y[n] <- at[b, t] < n all distinct", {6, 2, 2}, {5, 1, 1, 5}, "at[1, 0] = 1 is at[0, 1] too", {5, 1, 0, 2}},
      {"f: y[n] <- at[t] < n distinct none=-1", {2, 4}, {-1, 1, -1, 1}, "at[3] = 1 is at[1] too", {-1, 1, -1, 0}},
      {"f: y[n] <- at[t] < n distinct none=-1", {1, 3}, {0, 0, 0}, "at[1] = 0 is at[0] too", {0, -1, -1}},
      {"f: y[n] <- at[t] < n none=-1",
       {2, 2},
       {-1, -2},
       "at[1] = -2 is outside [0, 2), and is not -1, which is no "
       "index",
       {-1, 0}},
      {"f: y[n] <- at[t] < n", {2, 2}, {0, -1}, "at[1] = -1 is outside [0, 2)", {}},
      {"f: y[n] <- at[n] < n permutation",
       {4},
       {3, 3, 0, 1},
       "at[1] = 3 is at[0] too, and at is a permutation; give "
       "each of 0 to 3 once",
       {3, 2, 0, 1}},
      {"f: y[n] <- o[g] <= n ascending from 0",
       {9, 3},
       {2, 3, 3},
       "o[0] = 2 is no 0, and o is ascending from 0; give "
       "0",
       {0, 3, 3}},
      {"f: y[n] <- o[g] <= n ascending from 0 to n",
       {9, 3},
       {0, 8, 8},
       "o[2] = 8 is not n = 9, and o is ascending to "
       "n; give 9",
       {0, 8, 9}},
      {"f: y[n] <- o[g] <= n ascending from 0 to n",
       {9, 1},
       {0},
       "n = 9, g = 1: the line wants n <= n * min(1, g - 1)",
       {}},
      {"f: y[n] <- at[t] < n distinct", {2, 3}, {0, 1, 1}, "t = 3, n = 2: the line wants t <= n", {}},
      {"f: y[n] <- at[t] < n ascending distinct", {9, 3}, {4, 4, 7}, "at[1] = 4 is at[0] too", {0, 4, 7}},
  };
  for (const Mended& each : all) {
    SCOPED_TRACE(each.line);
    const std::string name = std::string(each.line).find("o[") != std::string::npos ? "o" : "at";
    Case value = case_of(each.line, each.extents, {{name, each.indices}});
    EXPECT_THAT(status_of(value), testing::HasSubstr(each.why));
    if (each.kept.empty()) continue;
    keep_order(value);
    EXPECT_EQ(elements(value, name), each.kept);
    EXPECT_EQ(status_of(value), "valid");
    const Case before = value;
    keep_order(value);
    EXPECT_EQ(value, before);
  }
}

TEST(IndexWords, APartKeepsThem) {
  Kept kept;
  kept[0] = Indices{0, 2, 3};
  Case order = case_of("f: y[n] <- at[n] < n permutation", {5}, {{"at", {4, 0, 3, 1, 2}}});
  EXPECT_EQ(elements(part_of(order, kept), "at"), (Indices{2, 1, 0})) << "what is left of 4, 3, 1";
  Case table = case_of("f: y[n] <- at[t] < n distinct none=-1", {5, 4}, {{"at", {3, -1, 1, 0}}});
  EXPECT_EQ(elements(part_of(table, kept), "at"), (Indices{2, -1, 1, 0})) << "-1 stays";
  Case offsets = case_of("f: y[n] <- o[g] <= n ascending from 0 to n", {5, 3}, {{"o", {0, 3, 5}}});
  EXPECT_EQ(elements(part_of(offsets, kept), "o"), (Indices{0, 2, 3}));
  for (const Case& value : {part_of(order, kept), part_of(table, kept), part_of(offsets, kept)}) {
    EXPECT_EQ(status_of(value), "valid");
  }
}

/// Places of a tensor that count.
Indices counted(const Case& value, const std::string& tensor) {
  EXPECT_EQ(status_of(value), "valid");
  const auto& signature = value.operation.signature();
  const Counted all(value, tensor);
  Indices places;
  const auto shape = value.operation.shape_of(*signature.find_tensor(tensor));
  for (std::int64_t i = 0; i < tensor::count_elements(shape); ++i) {
    if (all.holds(i)) places.push_back(i);
  }
  return places;
}

TEST(Reached, PagesOfASequenceUpToItsLength) {
  const Case value = case_of(
      "gather: y[b, n] <- cache[pages, page], table[b, m] < pages all distinct none=-1, lengths[b] <= n with n <= m * "
      "page reads cache[table[b, i / page], i % page] for b, i < lengths[b]",
      {2, 4, 5, 2, 2}, {{"table", {3, 0, 4, -1}}, {"lengths", {3, 1}}});
  EXPECT_EQ(counted(value, "cache"), (Indices{0, 6, 7, 8})) << "page 3, half of page 0, half of page 4";
  EXPECT_EQ(counted(value, "y"), (Indices{0, 1, 2, 4})) << "lengths pad y, as ever";
}

TEST(Reached, OneTokenOfEachSequenceIsAppended) {
  const Case value = case_of(
      "append: out[pages, page, d] <- cache[pages, page, d], k[b, d], table[b, m] < pages all distinct none=-1, at[b] "
      "< "
      "n with n <= m * page writes out[table[b, at[b] / page], at[b] % page, d] for b, d",
      {3, 2, 2, 2, 1, 2}, {{"table", {2, -1}}, {"at", {1, 0}}});
  EXPECT_EQ(counted(value, "out"), (Indices{10, 11})) << "page 2, place 1; the other sequence has no page";
  const Counted out(value, "out");
  EXPECT_TRUE(out.stays(0));
  EXPECT_FALSE(out.stays(10));
  EXPECT_TRUE(Counted(value, "cache").all());
}

TEST(Reached, RowsOfGroupsAndOfAPermutation) {
  const Case ragged = case_of(
      "ragged: y[rows, d] <- x[rows, d], o[g + 1] <= rows ascending from 0 reads x[i, d] for g, o[g] <= i < o[g + 1], "
      "d",
      {4, 2, 3, 2}, {{"o", {0, 2, 3}}});
  EXPECT_EQ(counted(ragged, "x"), (Indices{0, 1, 2, 3, 4, 5})) << "the last row is of no group";
  const Case moe = case_of(
      "moe: y[slots, d] <- x[tokens, d], place[tokens] < slots distinct none=-1 writes y[place[i], d] for i < tokens, "
      "d",
      {4, 1, 3}, {{"place", {3, -1, 0}}});
  EXPECT_EQ(counted(moe, "y"), (Indices{0, 3}));
  const Case lookup = case_of(
      "lookup: y[tokens, d] <- table[vocab, d], token[tokens] < vocab reads table[token[i], d] for i < tokens, d",
      {3, 1, 4}, {{"token", {2, 2, 0}}});
  EXPECT_EQ(counted(lookup, "table"), (Indices{0, 2}));
}

TEST(Reached, PlacesOutsideAndDivisionsByNothingAreNoElements) {
  const auto of = [](const std::string& access) {
    return counted(case_of("f: y[n] <- x[n], z[m] " + access, {4, 0}, {}), "x");
  };
  EXPECT_EQ(of("reads x[i * 2] for i < 9"), (Indices{0, 2}));
  EXPECT_EQ(of("reads x[i - 1] for i < n"), (Indices{0, 1, 2}));
  EXPECT_EQ(of("reads x[i / m] for i < n"), (Indices{}));
  EXPECT_EQ(of("reads x[(i - 5) / 2 + 3] for i < 3"), (Indices{0, 1})) << "rounded down: -3, -2, -2";
  EXPECT_EQ(of("reads x[(0 - i) % 4] for i < 2"), (Indices{0, 3}));
  EXPECT_EQ(of("reads x[1] reads x[3]"), (Indices{1, 3}));
  EXPECT_EQ(of("reads x[n] for n"), (Indices{0, 1, 2, 3}));
  EXPECT_THAT(status_of(case_of("f: y[n] <- x[n] reads x[i] for i < n * 99999999 * 99999999", {4}, {})),
              testing::HasSubstr("reads x: its loops take more than 268435456 steps"));
}

}  // namespace
}  // namespace negzero::operation
