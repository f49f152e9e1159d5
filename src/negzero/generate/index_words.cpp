// Indices and offsets that keep the words behind their bound.

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/operation/index_words.hpp>

namespace negzero::generate {
namespace {

using DistinctIn = notation::IndexWords::DistinctIn;
using Drawn = std::vector<std::int64_t>;

std::int64_t place_in(std::int64_t count, base::Random& random) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count)));
}

/// An index as words of a text have them: the i-th comes up in proportion to 1 / i, all powers of two equally often.
std::int64_t zipf(std::int64_t below, base::Random& random) {
  const auto levels = static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(below)));
  const std::int64_t first = std::int64_t{1} << random.below(levels);
  return std::min(below, first + place_in(first, random)) - 1;
}

void shuffle(Drawn& row, base::Random& random) {
  for (std::size_t i = row.size(); i > 1; --i) {
    std::swap(row[i - 1], row[static_cast<std::size_t>(random.below(i))]);
  }
}

Drawn draw_permutation(std::int64_t count, base::Random& random) {
  Drawn row(static_cast<std::size_t>(count));
  std::iota(row.begin(), row.end(), 0);
  switch (random.below(8)) {
    case 0:
      break;
    case 1:
      std::ranges::reverse(row);
      break;
    case 2:  // Two exchanged, neighbours mostly.
      if (count > 1) {
        const std::int64_t a = place_in(count - 1, random);
        const std::int64_t b = random.one_in(2) ? a + 1 : a + 1 + place_in(count - 1 - a, random);
        std::swap(row[static_cast<std::size_t>(a)], row[static_cast<std::size_t>(b)]);
      }
      break;
    case 3:
      if (count > 1) std::ranges::rotate(row, row.begin() + random.between(1, count - 1));
      break;
    default:
      shuffle(row, random);
  }
  return row;
}

/// `count` indices below `below`, which has at least as many: the first, the last, steps of them, any.
Drawn draw_distinct(std::int64_t count, std::int64_t below, base::Random& random) {
  const std::uint64_t kind = random.below(8);
  if (kind < 4 && count > 0) {
    const std::int64_t step = kind == 3 ? random.between(1, below / count) : 1;
    const std::int64_t first = kind == 0 ? 0 : kind == 1 ? below - count : place_in(below - (count - 1) * step, random);
    Drawn row;
    for (std::int64_t i = 0; i < count; ++i) row.push_back(first + i * step);
    if (random.one_in(2)) shuffle(row, random);
    return row;
  }
  // The first of a random order of all, of which only exchanged places are kept.
  std::unordered_map<std::int64_t, std::int64_t> moved;
  const auto at = [&](std::int64_t i) {
    const auto found = moved.find(i);
    return found == moved.end() ? i : found->second;
  };
  Drawn row;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t other = random.between(i, below - 1), here = at(i);
    row.push_back(at(other));
    moved[other] = here;
  }
  return row;
}

/// Where -1 is: nowhere, behind any length of each row, in one of two or eight, everywhere.
std::vector<bool> draw_none(std::int64_t rows, std::int64_t length, base::Random& random) {
  std::vector<bool> none(static_cast<std::size_t>(rows * length));
  const std::uint64_t kind = random.below(16);
  if (kind == 15) return std::vector<bool>(none.size(), true);
  for (std::int64_t r = 0; r < rows && kind > 3; ++r) {
    const std::int64_t kept = random.one_in(4) ? length * random.between(0, 1) : random.between(0, length);
    for (std::int64_t i = 0; i < length; ++i) {
      const bool is_end = i >= kept;
      none[static_cast<std::size_t>(r * length + i)] = kind < 11 ? is_end : random.one_in(kind < 13 ? 2 : 8);
    }
  }
  return none;
}

/// How many elements each group has; at most `room` together.
Drawn draw_groups(std::int64_t groups, std::int64_t room, const std::vector<std::int64_t>& tiles,
                  base::Random& random) {
  Drawn sizes(static_cast<std::size_t>(groups));
  std::int64_t left = room;
  const auto give = [&](std::int64_t group, std::int64_t size) {
    const std::int64_t given = std::clamp<std::int64_t>(size, 0, left);
    sizes[static_cast<std::size_t>(group)] += given;
    left -= given;
  };
  const auto scatter = [&](std::int64_t first, std::int64_t last) {  // Groups [first, last) get all, one by one.
    for (std::int64_t i = room; i > 0 && first < last; --i)
      ++sizes[static_cast<std::size_t>(random.between(first, last - 1))];
    if (first < last) left = 0;
  };
  switch (random.below(16)) {
    case 0:  // Equal ones, and the rest in the last.
    case 1:
      for (std::int64_t g = 0; g < groups; ++g) give(g, room / groups);
      break;
    case 2:  // One has everything: the first, the last or any.
    case 3: {
      const std::uint64_t which = random.below(3);
      give(which == 0 ? 0 : which == 1 ? groups - 1 : place_in(groups, random), room);
      break;
    }
    case 4:  // Empty ones first, and last.
      scatter(random.between(0, groups - 1), groups);
      break;
    case 5:
      scatter(0, random.between(1, groups));
      break;
    case 6:
    case 7: {  // Empty ones between.
      const std::int64_t step = random.between(2, 4), first = place_in(step, random);
      for (std::int64_t g = first; g < groups; g += step) give(g, std::max<std::int64_t>(1, room * step / groups));
      break;
    }
    case 8:  // As of words in a text.
    case 9:
      for (std::int64_t i = 0; i < room; ++i) ++sizes[static_cast<std::size_t>(zipf(groups, random))];
      left = 0;
      break;
    case 10:  // As long as a tile, one more or one less, now and then empty.
    case 11:
    case 12: {
      std::int64_t tile = std::int64_t{1} << random.below(8);
      if (!tiles.empty() && random.below(4) != 0) tile = tiles[random.below(tiles.size())];
      for (std::int64_t g = 0; g < groups; ++g)
        give(g, random.one_in(4) ? 0 : tile * random.between(1, 2) + random.between(-1, 1));
      break;
    }
    case 13:  // One each.
      for (std::int64_t g = 0; g < groups; ++g) give(g, 1);
      break;
    default:
      scatter(0, groups);
  }
  return sizes;
}

/// Offsets of one row.
Drawn draw_offsets(std::int64_t count, std::int64_t most, const operation::TensorSpec& spec,
                   const std::vector<std::int64_t>& tiles, base::Random& random) {
  const bool from_zero = spec.words.starts_at_zero;
  const std::int64_t groups = from_zero ? count - 1 : count;
  const bool leaves_room = !spec.words.ends_at_bound && random.one_in(4);
  const std::int64_t room = leaves_room ? random.between(0, most) : most;
  Drawn offsets;
  if (from_zero) offsets.push_back(0);
  if (groups == 0) return offsets;
  for (const std::int64_t size : draw_groups(groups, room, tiles, random)) {
    offsets.push_back((offsets.empty() ? 0 : offsets.back()) + size);
  }
  return offsets;
}

}  // namespace

void draw_words(const operation::TensorSpec& spec, tensor::Tensor& indices, const std::vector<std::int64_t>& tiles,
                base::Random random) {
  const std::int64_t count = indices.element_count(), below = *spec.index_below;
  if (count == 0) return;
  const bool is_whole = spec.words.distinct == DistinctIn::Tensor;
  const std::int64_t length = spec.shape.back(), row = is_whole ? count : length;
  Drawn all;
  const bool is_distinct = spec.words.distinct != DistinctIn::Nothing;
  if (below > 0 && !is_distinct && !spec.words.is_permutation && spec.count_of.empty()) {
    if (random.one_in(4)) {
      for (std::int64_t i = 0; i < count; ++i) all.push_back(zipf(below, random));
    } else {
      draw_indices(indices, below, random.split(2));
      for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<std::int64_t>(indices.get(i)));
    }
  }
  const std::vector<bool> none = spec.words.has_none ? draw_none(count / length, length, random)
                                                     : std::vector<bool>(static_cast<std::size_t>(count));
  while (below > 0 && std::ssize(all) < count) {
    if (spec.words.is_permutation) {
      const Drawn drawn = draw_permutation(row, random);
      all.insert(all.end(), drawn.begin(), drawn.end());
    } else if (is_distinct) {
      // Where there are too few indices for all places, -1 has the others.
      Drawn drawn = draw_distinct(std::min(row, below), below, random);
      drawn.resize(static_cast<std::size_t>(row), operation::kNoIndex);
      if (row > below && random.one_in(4)) shuffle(drawn, random);
      const bool begins_rows = row > length && random.one_in(2);  // Each row has some before one has more.
      for (std::int64_t i = 0; i < row; ++i) {
        const std::int64_t from = begins_rows ? i % length * (row / length) + i / length : i;
        all.push_back(drawn[static_cast<std::size_t>(from)]);
      }
    } else {
      const Drawn drawn = draw_offsets(row, below - 1, spec, tiles, random);
      all.insert(all.end(), drawn.begin(), drawn.end());
    }
  }
  all.resize(static_cast<std::size_t>(count), operation::kNoIndex);
  const std::uint64_t mask = indices.format().word_mask();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const std::int64_t index = none[place] ? operation::kNoIndex : all[place];
    indices.set(i, static_cast<std::uint64_t>(index) & mask);
  }
  operation::keep_words(spec, indices);
}

}  // namespace negzero::generate
