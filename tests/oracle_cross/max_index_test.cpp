// A value and its index together: every short row against all that kernels which carry both along can give.

#include <cmath>
#include <cstdint>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/oracle/oracle.hpp>

#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using contract::AllNan;
using contract::NanPolicy;
using contract::Subnormals;
using contract::Ties;
using contract::ZeroSign;
using number::FormatId;

const number::Format& f16() { return number::format(FormatId::F16); }

/// NaN, both infinities, numbers, subnormals and zeros of either sign.
const std::vector<std::uint64_t>& words() {
  static const std::vector<std::uint64_t> all{0x7fff, 0x7c00, 0xfc00, 0x3c00, 0xbc00, 0x0000, 0x8000, 0x0001, 0x8002};
  return all;
}

double value(std::uint64_t word) { return number::to_double(f16(), word); }
bool is_subnormal(std::uint64_t word) { return number::classify(f16(), word) == number::Class::Subnormal; }

/// A value and the place that a kernel gives with it; of any NaN the canonical one.
using Pair = std::pair<std::uint64_t, std::uint64_t>;

/// What can come of a row in which each element is as it was read.
void add_pairs(const std::vector<std::uint64_t>& row, const contract::Contract& contract, std::set<Pair>& pairs) {
  const std::uint64_t nan = number::canonical_nan(f16());
  std::vector<std::uint64_t> winners;
  bool any_tie = false;
  const auto take = [&](std::uint64_t of) {
    if (!any_tie && contract.ties == Ties::First) winners.resize(1);
    if (!any_tie && contract.ties == Ties::Last) winners.erase(winners.begin(), winners.end() - 1);
    for (const std::uint64_t place : winners) pairs.emplace(of, place);
    winners.clear();
  };
  bool all_nan = true, any_nan = false;
  for (const std::uint64_t word : row) (std::isnan(value(word)) ? any_nan : all_nan) = std::isnan(value(word));
  if (all_nan || (any_nan && contract.nan == NanPolicy::Propagate)) {
    const bool ignored = contract.nan == NanPolicy::Ignore;
    for (const std::uint64_t result : {nan, number::infinity(f16(), true)}) {
      const bool is_identity = result != nan;
      if (is_identity && (!ignored || contract.all_nan == AllNan::Nan)) continue;
      if (!is_identity && ignored && contract.all_nan == AllNan::Identity) continue;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (std::isnan(value(row[i]))) winners.push_back(i);
      }
      // Of NaN that do not count none is the first.
      if (ignored) any_tie = true;
      take(result);
    }
    return;
  }
  const bool tells_zeros = contract.zero_sign == ZeroSign::Ieee;
  const auto is_below = [&](std::uint64_t a, std::uint64_t b, bool by_sign) {
    if (value(a) != value(b)) return value(a) < value(b);
    return by_sign && value(a) == 0 && std::signbit(value(a)) && !std::signbit(value(b));
  };
  std::uint64_t best = nan, place_best = nan;
  for (const std::uint64_t word : row) {
    if (std::isnan(value(word))) continue;
    if (best == nan || is_below(best, word, true)) best = word;
    if (place_best == nan || is_below(place_best, word, tells_zeros)) place_best = word;
  }
  std::vector<std::uint64_t> results{best};
  if (value(best) == 0 && contract.zero_sign == ZeroSign::Any) results = {0x0000, 0x8000};
  for (const std::uint64_t result : results) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_best = !std::isnan(value(row[i])) && !is_below(row[i], place_best, tells_zeros);
      if (is_best) winners.push_back(i);
    }
    take(result);
  }
}

/// Over all ways in which subnormals may be taken for zero. Where that is left open, a comparison may take one for zero
/// and another, or what moves the value, may not: each value goes with each index at which it may stand.
std::set<Pair> reachable(const std::vector<std::uint64_t>& row, const contract::Contract& contract) {
  std::set<Pair> pairs;
  const Subnormals policy = contract.subnormal_inputs;
  for (unsigned flushed = 0; flushed < 1u << row.size(); ++flushed) {
    std::vector<std::uint64_t> read = row;
    bool is_possible = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool flushes = (flushed >> i & 1u) != 0;
      if (flushes && (policy == Subnormals::Keep || !is_subnormal(row[i]))) is_possible = false;
      if (!flushes && policy == Subnormals::Flush && is_subnormal(row[i])) is_possible = false;
      if (flushes) read[i] = number::zero(f16(), number::is_negative(f16(), row[i]));
    }
    if (is_possible) add_pairs(read, contract, pairs);
  }
  if (policy != Subnormals::Either) return pairs;
  std::set<Pair> mixed;
  for (const auto& [result, unused] : pairs) {
    for (const auto& [other, place] : pairs) {
      const bool is_flushed = value(result) == 0 && is_subnormal(row[place]);
      if (other == result || row[place] == result || is_flushed) mixed.emplace(result, place);
    }
  }
  return mixed;
}

std::vector<contract::Contract> contracts() {
  std::vector<contract::Contract> all;
  for (const NanPolicy nan : {NanPolicy::Propagate, NanPolicy::Ignore}) {
    for (const AllNan all_nan : {AllNan::Nan, AllNan::Identity, AllNan::Any}) {
      for (const ZeroSign zeros : {ZeroSign::Default, ZeroSign::Ieee, ZeroSign::Any}) {
        for (const Ties ties : {Ties::First, Ties::Last, Ties::Any}) {
          for (const Subnormals subnormals : {Subnormals::Keep, Subnormals::Flush, Subnormals::Either}) {
            contract::Contract contract;
            contract.nan = nan;
            contract.all_nan = all_nan;
            contract.zero_sign = zeros;
            contract.ties = ties;
            contract.subnormal_inputs = subnormals;
            all.push_back(contract);
          }
        }
      }
    }
  }
  return all;
}

/// All rows of that length, one after the other.
operation::Case all_rows(std::int64_t columns) {
  const auto choices = static_cast<std::int64_t>(words().size());
  std::int64_t rows = 1;
  for (std::int64_t j = 0; j < columns; ++j) rows *= choices;
  operation::Case value;
  value.operation = *operation::operation_named("reduce.max_index");
  value.operation.extent("rows") = rows;
  value.operation.extent("columns") = columns;
  value.operation.formats()[0] = value.operation.formats()[1] = FormatId::F16;
  tensor::Tensor x(FormatId::F16, {rows, columns});
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0, rest = i; j < columns; ++j, rest /= choices) {
      x.set(i * columns + j, words()[static_cast<std::size_t>(rest % choices)]);
    }
  }
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}

/// The pairs; with `free_zeros` a zero of either sign counts as +0: of a subnormal that may be flushed it has any.
std::set<Pair> told_apart(const std::set<Pair>& pairs, bool free_zeros) {
  std::set<Pair> result;
  for (const auto& [word, place] : pairs) result.emplace(free_zeros && word == 0x8000 ? 0 : word, place);
  return result;
}

TEST(MaxIndex, EveryPairOfValueAndIndexThatGoTogetherIsPermittedAndNoOther) {
  std::uint64_t compared = 0;
  for (const std::int64_t columns : {1, 2, 3}) {
    const operation::Case value = all_rows(columns);
    const std::int64_t rows = value.operation.extent("rows");
    for (const contract::Contract& contract : contracts()) {
      const auto oracle = oracle::Oracle::make(value, contract);
      ASSERT_TRUE(oracle) << oracle.error().message;
      for (std::int64_t row = 0; row < rows; ++row, ++compared) {
        std::vector<std::uint64_t> read;
        for (std::int64_t j = 0; j < columns; ++j) read.push_back(value.tensors.at("x").get(row * columns + j));
        const std::set<Pair> wanted = reachable(read, contract);
        const oracle::Permitted values = oracle->permitted(row);
        std::set<Pair> permitted;
        tensor::Tensor given(FormatId::F16, {rows});
        for (const std::uint64_t word : words()) {
          if (!values.contains(word)) continue;
          given.set(row, word);
          const oracle::Permitted places = oracle->permitted(row, 1, {&given, 1});
          for (std::uint64_t j = 0; j <= static_cast<std::uint64_t>(columns); ++j) {
            if (places.contains(j)) permitted.emplace(word, j);
          }
          EXPECT_FALSE(places.contains(0xffffffff));
        }
        const bool free_zeros = contract.subnormal_inputs == Subnormals::Either;
        ASSERT_EQ(told_apart(permitted, free_zeros), told_apart(wanted, free_zeros))
            << "row " << row << " of " << columns << " " << contract::to_json(contract);
      }
    }
  }
  std::cout << "rows compared: " << compared << "\n";
}

TEST(MaxIndex, AnIndexIsOfTheValueBesideIt) {
  operation::Case value = all_rows(2);
  value.tensors.at("x").set(0, 0x3c00);
  value.tensors.at("x").set(1, 0x3c00);
  const auto oracle = oracle::Oracle::make(value, {.nan = NanPolicy::Propagate, .ties = Ties::Any});
  ASSERT_TRUE(oracle);
  tensor::Tensor given(FormatId::F16, {value.operation.extent("rows")});
  given.set(0, 0x3c00);
  EXPECT_TRUE(oracle->permitted(0, 1, {&given, 1}).contains(0));
  EXPECT_TRUE(oracle->permitted(0, 1, {&given, 1}).contains(1));
  given.set(0, 0x4000);
  EXPECT_TRUE(oracle->permitted(0, 1, {&given, 1}).contains(1)) << "a wrong value says nothing of the index";
}

}  // namespace
}  // namespace negzero::oracle_cross
