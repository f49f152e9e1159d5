// Counts of padded tensors: none, all there is room for, one that has everything, ends of tiles, anything between.

#include <algorithm>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

/// What one count is drawn from.
struct CountRoom {
  std::int64_t most;
  const std::vector<std::int64_t>& tiles;  ///< hints of the kernel

  [[nodiscard]] std::int64_t anything(base::Random& random) const { return random.between(0, most); }
  /// The end of a tile, or one more or less.
  [[nodiscard]] std::int64_t around_tile(base::Random& random) const {
    std::int64_t tile = std::int64_t{8} << random.below(6);
    if (!tiles.empty() && random.below(4) != 0) tile = std::max<std::int64_t>(1, tiles[random.below(tiles.size())]);
    const std::int64_t end = tile * random.between(1, std::max<std::int64_t>(1, most / tile));
    return std::clamp<std::int64_t>(end + random.between(-1, 1), 0, most);
  }
  /// A count at which kernels err.
  [[nodiscard]] std::int64_t adversarial(base::Random& random) const {
    switch (random.below(8)) {
      case 0:
      case 1:
        return 0;
      case 2:
        return std::min<std::int64_t>(1, most);
      case 3:
        return most;
      case 4:
        return std::max<std::int64_t>(0, most - 1);
      case 5:
        return anything(random);
      default:
        return around_tile(random);
    }
  }
};

void draw_counts(tensor::Tensor& counts, const CountRoom& room, base::Random random) {
  const std::int64_t groups = counts.element_count();
  const auto each = [&](auto&& count_of) {
    fill(counts, [&](std::int64_t i) { return static_cast<std::uint64_t>(count_of(i)); });
  };
  const std::uint64_t kind = random.below(32);
  if (kind == 0) return each([](std::int64_t) { return 0; });
  if (kind < 4) return each([&](std::int64_t) { return room.most; });
  if (kind < 8) {  // One has everything.
    const std::int64_t which = random.between(0, groups - 1);
    return each([&](std::int64_t i) { return i == which ? room.most : 0; });
  }
  if (kind < 12) {
    const std::int64_t all = room.adversarial(random);
    return each([&](std::int64_t) { return all; });
  }
  if (kind < 16) return each([&](std::int64_t) { return room.anything(random); });
  each([&](std::int64_t) { return room.adversarial(random); });
}

}  // namespace

void fill_counts(Work& work) {
  for (std::size_t place = 0; place < work.signature().tensors.size(); ++place) {
    const notation::TensorSignature& counts = work.signature().tensors[place];
    if (!counts.counts_of || counts.words.any() || work.tensor(place).element_count() == 0) continue;
    const CountRoom room{work.plan.operation.extents()[*counts.counts_of],
                         work.request.limits.extents[work.signature().extents[*counts.counts_of]].tiles};
    draw_counts(work.tensor(place), room, work.random.split(65 + place));
  }
}

}  // namespace negzero::generate
