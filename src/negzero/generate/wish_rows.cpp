// Long rows, several of them: scans, reductions and row operations of several levels.

#include <algorithm>
#include <vector>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/wish_list.hpp>

namespace negzero::generate {
namespace {

/// So many rows of some length; nothing where the limits have no such.
std::optional<Wish> rows_of(const WishList& list, std::int64_t length, std::int64_t rows, base::Random& random) {
  std::vector<std::size_t> others;
  Wish wish{.is_rare = length > 65536};
  for (std::size_t e = 0; e < list.extents(); ++e) {
    if (e != list.inner()) others.push_back(e);
    wish.extents[e] = list.least(e, e == list.inner() ? length : 1);
  }
  if (!others.empty()) {
    const std::size_t e = others[static_cast<std::size_t>(random.below(others.size()))];
    wish.extents[e] = list.least(e, rows);
  }
  if (!list.admits(wish) || wish.extents[list.inner()] < length || list.work(wish) > most_work(list.signature()))
    return std::nullopt;
  return wish;
}

}  // namespace

void wish_for_long_rows(WishList& list) {
  if (list.signature().factors.size() == 2 || list.signature().is_update || list.extents() < 2) return;
  const operation::ExtentLimit& limit = list.limit(list.inner());
  const std::int64_t tile = limit.tiles.empty() ? 256 : std::ranges::max(limit.tiles);
  list.offer(16, [&](std::uint64_t, base::Random& random) {
    return rows_of(list, random.between(257, 1100), random.between(2, 8), random);
  });
  // Eight to 32 tiles: a scan looks back past those that warps or blocks hold.
  list.offer(6, [&](std::uint64_t turn, base::Random& random) {
    const std::int64_t ragged = random.below(2) == 0 ? 0 : random.between(1 - tile, 0);
    return rows_of(list, random.between(turn % 2 == 0 ? 17 : 8, 32) * tile + ragged, random.between(2, 3), random);
  });
  list.offer(3, [&](std::uint64_t, base::Random& random) {
    return rows_of(list, random.between(1025, 2100), random.between(9, 32), random);
  });
  list.offer(4, [&](std::uint64_t turn, base::Random& random) {
    return rows_of(list, turn == 0 ? 4096 : random.between(4097, 5000), random.between(2, 3), random);
  });
  list.offer(1, [&](std::uint64_t, base::Random& random) {
    return rows_of(list, random.between(16385, 20000), random.between(2, 3), random);
  });
  for (const std::int64_t length : {65537, 131072}) {
    list.offer(1, [&, length](std::uint64_t, base::Random& random) { return rows_of(list, length, 2, random); });
  }
}

}  // namespace negzero::generate
