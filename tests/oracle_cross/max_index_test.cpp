// A value and its index together: every short row against all that kernels which carry both along can give.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/oracle/oracle.hpp>

#include "selecting.hpp"
#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using contract::AllNan;
using contract::NanPolicy;
using contract::Subnormals;
using contract::Ties;
using contract::ZeroSign;
using number::FormatId;

/// What elements are, and what they are compared in.
struct ComparedIn {
  FormatId own, arithmetic;
};
constexpr ComparedIn kComparedIn[] = {{FormatId::F16, FormatId::F32},   {FormatId::F16, FormatId::F16},
                                      {FormatId::F32, FormatId::F32},   {FormatId::BF16, FormatId::F32},
                                      {FormatId::BF16, FormatId::BF16}, {FormatId::F64, FormatId::F64}};

/// One row of words of a format, under one contract.
struct IndexRow {
  FormatId id;
  std::vector<std::uint64_t> words;

  [[nodiscard]] const number::Format& format() const { return number::format(id); }
  [[nodiscard]] double value(std::uint64_t word) const { return number::to_double(format(), word); }
};

/// NaN, both infinities, numbers, subnormals and zeros of either sign.
std::vector<std::uint64_t> words_of(FormatId id) {
  const number::Format& format = number::format(id);
  const std::uint64_t minus_zero = number::zero(format, true);
  return {number::canonical_nan(format),
          number::infinity(format),
          number::infinity(format, true),
          number::one(format),
          number::one(format, true),
          number::zero(format),
          minus_zero,
          1,
          minus_zero | 2};
}

/// A value and the place that a kernel gives with it; of any NaN the canonical one.
using Pair = std::pair<std::uint64_t, std::uint64_t>;

/// Values and places, apart from each other.
struct Apart {
  std::set<std::uint64_t> values{}, places{};
};

/// What can come of a row in which each element is as it was read: `best` are the places whose value is given.
void add_read(const IndexRow& row, const IndexRow& read, const contract::Contract& contract, const Selecting& flushing,
              Apart& apart) {
  const number::Format& format = row.format();
  const std::uint64_t nan = number::canonical_nan(format);
  const auto value = [&](std::uint64_t word) { return row.value(word); };
  const auto take_places = [&](std::vector<std::uint64_t> winners, bool any_tie) {
    if (!any_tie && contract.ties == Ties::First) winners.resize(1);
    if (!any_tie && contract.ties == Ties::Last) winners.erase(winners.begin(), winners.end() - 1);
    apart.places.insert(winners.begin(), winners.end());
  };
  const auto is_nan = [&](std::uint64_t word) { return std::isnan(value(word)); };
  const bool all_nan = std::ranges::all_of(read.words, is_nan), any_nan = std::ranges::any_of(read.words, is_nan);
  if (all_nan || (any_nan && contract.nan == NanPolicy::Propagate)) {
    const bool ignored = contract.nan == NanPolicy::Ignore;
    if (!ignored || contract.all_nan != AllNan::Identity) apart.values.insert(nan);
    if (ignored && contract.all_nan != AllNan::Nan) apart.values.insert(number::infinity(format, true));
    std::vector<std::uint64_t> winners;
    for (std::size_t i = 0; i < read.words.size(); ++i) {
      if (is_nan(read.words[i])) winners.push_back(i);
    }
    // Of NaN that do not count none is the first.
    take_places(winners, ignored);
    return;
  }
  const bool tells_zeros = contract.zero_sign == ZeroSign::Ieee;
  const auto is_below = [&](std::uint64_t a, std::uint64_t b, bool by_sign) {
    if (value(a) != value(b)) return value(a) < value(b);
    return by_sign && value(a) == 0 && std::signbit(value(a)) && !std::signbit(value(b));
  };
  const auto winners = [&](bool by_sign) {
    std::vector<std::uint64_t> found;
    for (std::size_t i = 0; i < read.words.size(); ++i) {
      const bool is_best = std::ranges::none_of(
          read.words, [&](std::uint64_t other) { return !is_nan(other) && is_below(read.words[i], other, by_sign); });
      if (is_best && !is_nan(read.words[i])) found.push_back(i);
    }
    return found;
  };
  take_places(winners(tells_zeros), false);
  for (const std::uint64_t i : winners(contract.zero_sign != ZeroSign::Any)) {
    const Code code = to_code(row.id, row.words[i]), as_read = to_code(row.id, read.words[i]);
    for (const Code given : flushing.given(code, as_read)) {
      apart.values.insert(to_word(row.id, given));
      if (contract.zero_sign != ZeroSign::Any || value(to_word(row.id, given)) != 0) continue;
      apart.values.insert({number::zero(format), number::zero(format, true)});
    }
  }
}

/// Each value with each index at which it may stand, as far as a permitted index is one (numerics.md section 5).
std::set<Pair> reachable(const IndexRow& row, const contract::Contract& contract, const Selecting& flushing) {
  Codes codes;
  for (const std::uint64_t word : row.words) codes.push_back(to_code(row.id, word));
  Apart apart;
  for (const Codes& reading : flushing.readings(codes)) {
    IndexRow read{row.id, {}};
    for (const Code code : reading) read.words.push_back(to_word(row.id, code));
    add_read(row, read, contract, flushing, apart);
  }
  // No comparison takes one element.
  if (codes.size() == 1 && flushing.touches(codes.front()) && may_flush(contract)) {
    apart.values = {row.words.front(),
                    number::zero(row.format(), number::is_negative(row.format(), row.words.front()))};
  }
  std::set<Pair> pairs;
  for (const std::uint64_t value : apart.values) {
    std::set<std::uint64_t> at, own;
    for (const std::uint64_t place : apart.places) {
      const double there = row.value(row.words[place]), given = row.value(value);
      const bool is_flushed = given == 0 && flushing.touches(codes[place]) && may_flush(contract);
      if (there == given || (std::isnan(there) && std::isnan(given)) || is_flushed) at.insert(place);
    }
    // What ties with others because it was flushed has its own place.
    for (std::size_t i = 0; at.empty() && i < codes.size(); ++i) {
      if (flushing.touches(codes[i]) && row.words[i] == value) own.insert(i);
    }
    for (const std::uint64_t place : !at.empty() ? at : !own.empty() ? own : apart.places) pairs.emplace(value, place);
  }
  return pairs;
}

std::vector<contract::Contract> contracts() {
  std::vector<contract::Contract> all;
  for (const NanPolicy nan : {NanPolicy::Propagate, NanPolicy::Ignore}) {
    for (const AllNan all_nan : {AllNan::Nan, AllNan::Identity, AllNan::Any}) {
      for (const ZeroSign zeros : {ZeroSign::Default, ZeroSign::Ieee, ZeroSign::Any}) {
        for (const Ties ties : {Ties::First, Ties::Last, Ties::Any}) {
          if (nan == NanPolicy::Propagate && all_nan != AllNan::Nan) continue;
          for (const Subnormals inputs : {Subnormals::Keep, Subnormals::Flush, Subnormals::Either}) {
            for (const Subnormals results : {Subnormals::Keep, Subnormals::Flush, Subnormals::Either}) {
              contract::Contract contract;
              contract.nan = nan;
              contract.all_nan = all_nan;
              contract.zero_sign = zeros;
              contract.ties = ties;
              contract.subnormal_inputs = inputs;
              contract.subnormal_results = results;
              all.push_back(contract);
            }
          }
        }
      }
    }
  }
  return all;
}

/// All rows of that length, one after the other.
operation::Case all_rows(FormatId id, std::int64_t columns) {
  const std::vector<std::uint64_t> words = words_of(id);
  const auto choices = static_cast<std::int64_t>(words.size());
  std::int64_t rows = 1;
  for (std::int64_t j = 0; j < columns; ++j) rows *= choices;
  operation::Case value;
  value.operation = *operation::operation_named("reduce.max_index");
  value.operation.extent("rows") = rows;
  value.operation.extent("columns") = columns;
  value.operation.formats()[0] = value.operation.formats()[1] = id;
  tensor::Tensor x(id, {rows, columns});
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0, rest = i; j < columns; ++j, rest /= choices) {
      x.set(i * columns + j, words[static_cast<std::size_t>(rest % choices)]);
    }
  }
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}

/// The pairs; with `free_zeros` a zero of either sign counts as +0: of a subnormal that may be flushed it has any.
std::set<Pair> told_apart(const number::Format& format, const std::set<Pair>& pairs, bool free_zeros) {
  std::set<Pair> result;
  for (const auto& [word, place] : pairs) {
    result.emplace(free_zeros && word == number::zero(format, true) ? 0 : word, place);
  }
  return result;
}

TEST(MaxIndex, EveryPairOfValueAndIndexThatGoTogetherIsPermittedAndNoOther) {
  std::uint64_t compared = 0;
  for (const ComparedIn& setting : kComparedIn) {
    const number::Format& format = number::format(setting.own);
    for (const std::int64_t columns : {1, 2, 3}) {
      const operation::Case value = all_rows(setting.own, columns);
      const std::int64_t rows = value.operation.extent("rows");
      for (contract::Contract contract : contracts()) {
        contract.accumulate = setting.arithmetic;
        const Selecting flushing = selecting(contract, small_format(setting.own), small_format(setting.arithmetic));
        const auto oracle = oracle::Oracle::make(value, contract);
        ASSERT_TRUE(oracle) << oracle.error().message;
        // Of three columns a part: a stride that has no factor in common with the number of rows.
        const std::int64_t stride = columns == 3 ? 7 : 1;
        for (std::int64_t row = 0; row < rows; row += stride, ++compared) {
          IndexRow read{setting.own, {}};
          for (std::int64_t j = 0; j < columns; ++j) read.words.push_back(value.tensors.at("x").get(row * columns + j));
          const std::set<Pair> wanted = reachable(read, contract, flushing);
          const oracle::Permitted values = oracle->permitted(row);
          std::set<Pair> permitted;
          tensor::Tensor given(setting.own, {rows});
          for (const std::uint64_t word : words_of(setting.own)) {
            if (!values.contains(word)) continue;
            given.set(row, word);
            const oracle::Permitted places = oracle->permitted(row, 1, {&given, 1});
            for (std::uint64_t j = 0; j <= static_cast<std::uint64_t>(columns); ++j) {
              if (places.contains(j)) permitted.emplace(word, j);
            }
            EXPECT_FALSE(places.contains(0xffffffff));
          }
          const bool free_zeros = may_flush(contract);
          std::string text;
          for (const std::uint64_t word : read.words) text += " " + number::to_hex(format, word);
          ASSERT_EQ(told_apart(format, permitted, free_zeros), told_apart(format, wanted, free_zeros))
              << format.name << text << " " << contract::to_json(contract);
        }
      }
    }
  }
  std::cout << "rows compared: " << compared << "\n";
}

TEST(MaxIndex, AnIndexIsOfTheValueBesideIt) {
  operation::Case value = all_rows(FormatId::F16, 2);
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
