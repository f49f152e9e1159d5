// What a line says of the indices and counts that a tensor holds: whether they keep it, and the way back.

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/index_words.hpp>

namespace negzero::operation {
namespace {

using base::Ok;
using base::Status;
using base::usage_error;
using DistinctIn = notation::IndexWords::DistinctIn;

std::int64_t value_at(const tensor::Tensor& indices, std::int64_t i) {
  return number::ordinal(indices.format(), indices.get(i));
}

/// How many elements one row has, of which the words speak.
std::int64_t row_length(const TensorSpec& spec, const tensor::Tensor& indices) {
  return spec.words.distinct == DistinctIn::Tensor ? indices.element_count() : spec.shape.back();
}

bool wants_distinct(const TensorSpec& spec) {
  return spec.words.distinct != DistinctIn::Nothing || spec.words.is_permutation;
}

/// "at[1, 2]"
std::string place_text(const TensorSpec& spec, std::int64_t element) {
  return fmt::format("{}[{}]", spec.name, fmt::join(tensor::coordinates_of(spec.shape, element), ", "));
}

std::optional<BrokenWord> first_equal(const TensorSpec& spec, const tensor::Tensor& indices) {
  if (!wants_distinct(spec)) return std::nullopt;
  const std::int64_t row = row_length(spec, indices);
  std::unordered_map<std::int64_t, std::int64_t> seen;
  for (std::int64_t i = 0; i < indices.element_count(); ++i) {
    if (i % row == 0) seen.clear();
    const std::int64_t value = value_at(indices, i);
    if (value == kNoIndex && spec.words.has_none) continue;
    const auto [other, is_new] = seen.try_emplace(value, i);
    if (is_new) continue;
    const bool permutes = spec.words.is_permutation;
    return BrokenWord{i,
                      fmt::format("is {} too, and {} is {}", place_text(spec, other->second), spec.name,
                                  permutes ? "a permutation" : "distinct"),
                      permutes ? fmt::format("give each of 0 to {} once", row - 1)
                               : fmt::format("give another index below {}", *spec.index_below)};
  }
  return std::nullopt;
}

std::optional<BrokenWord> wrong_end(const TensorSpec& spec, const tensor::Tensor& indices) {
  const std::int64_t row = spec.shape.empty() ? 0 : spec.shape.back();
  for (std::int64_t first = 0; row > 0 && first < indices.element_count(); first += row) {
    if (spec.words.starts_at_zero && value_at(indices, first) != 0) {
      return BrokenWord{first, fmt::format("is no 0, and {} is ascending from 0", spec.name), "give 0"};
    }
    const std::int64_t last = first + row - 1, end = *spec.index_below - 1;
    if (spec.words.ends_at_bound && value_at(indices, last) != end) {
      return BrokenWord{
          last, fmt::format("is not {} = {}, and {} is ascending to {}", spec.count_of, end, spec.name, spec.count_of),
          fmt::format("give {}", end)};
    }
  }
  return std::nullopt;
}

/// Gives each element that an earlier one of its row equals, or that is outside the bound, an index that is free.
void keep_distinct(const TensorSpec& spec, std::vector<std::int64_t>& row) {
  const auto is_index = [&](std::int64_t value) { return value >= 0 && value < *spec.index_below; };
  std::unordered_set<std::int64_t> seen;
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == kNoIndex && spec.words.has_none) continue;
    if (!is_index(row[i]) || !seen.insert(row[i]).second) again.push_back(i);
  }
  std::int64_t free = 0;
  for (const std::size_t i : again) {
    while (seen.contains(free)) ++free;
    if (free < *spec.index_below) {
      row[i] = free++;
    } else if (spec.words.has_none) {
      row[i] = kNoIndex;
    }
  }
}

}  // namespace

std::optional<BrokenWord> broken_word(const TensorSpec& spec, const tensor::Tensor& indices) {
  if (!spec.index_below || !spec.words.any()) return std::nullopt;
  if (auto broken = first_equal(spec, indices)) return broken;
  return wrong_end(spec, indices);
}

Status check_indices(const TensorSpec& spec, const tensor::Tensor& indices) {
  if (!spec.index_below) return Ok{};
  const std::int64_t line = spec.is_ascending ? spec.shape.back() : 1;
  for (std::int64_t i = 0; i < indices.element_count(); ++i) {
    const std::int64_t index = value_at(indices, i);
    if (i % line > 0 && index < value_at(indices, i - 1)) {
      return usage_error(fmt::format("{}[{}] = {} is less than the element before it, and {} is ascending", spec.name,
                                     i, index, spec.name));
    }
    if (index >= 0 && index < *spec.index_below) continue;
    if (index == kNoIndex && spec.words.has_none) continue;
    if (!spec.count_of.empty()) {
      return usage_error(fmt::format("{}[{}] = {} is outside [0, {}], which {} allows", spec.name, i, index,
                                     *spec.index_below - 1, spec.count_of));
    }
    return usage_error(fmt::format("{}[{}] = {} is outside [0, {}){}", spec.name, i, index, *spec.index_below,
                                   spec.words.has_none ? ", and is not -1, which is no index" : ""));
  }
  if (const auto broken = broken_word(spec, indices)) {
    return usage_error(fmt::format("{} = {} {}; {}", place_text(spec, broken->element),
                                   value_at(indices, broken->element), broken->what, broken->cure));
  }
  return Ok{};
}

void keep_words(const TensorSpec& spec, tensor::Tensor& indices) {
  const std::int64_t length = row_length(spec, indices);
  const std::uint64_t mask = indices.format().word_mask();
  const std::int64_t most = std::max<std::int64_t>(0, *spec.index_below - 1);
  std::vector<std::int64_t> row;
  for (std::int64_t first = 0; first < indices.element_count(); first += length) {
    row.clear();
    for (std::int64_t i = 0; i < length; ++i) row.push_back(value_at(indices, first + i));
    if (wants_distinct(spec)) keep_distinct(spec, row);
    for (std::int64_t& value : row) {
      if (value != kNoIndex || !spec.words.has_none) value = std::clamp<std::int64_t>(value, 0, most);
    }
    if (spec.is_ascending) {
      const std::int64_t line = spec.shape.back();  // Shorter than `row` where all of a tensor is distinct.
      for (auto part = row.begin(); part != row.end(); part += line) std::sort(part, part + line);
    }
    if (spec.words.starts_at_zero) row.front() = 0;
    if (spec.words.ends_at_bound) row.back() = most;
    for (std::int64_t i = 0; i < length; ++i) {
      indices.set(first + i, static_cast<std::uint64_t>(row[static_cast<std::size_t>(i)]) & mask);
    }
  }
}

}  // namespace negzero::operation
