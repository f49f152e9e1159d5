// Looks along one extent at a time, in ways that double and then halve.

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <negzero/operation/line_descent.hpp>

namespace negzero::operation {
namespace {

/// What a relation without a value counts for: more than any difference that moving by one could remove.
constexpr std::int64_t kNoValue = std::int64_t{1} << 48;
/// Moves of a descent. Each removes all that one extent can; lines have few relations.
constexpr int kMostMoves = 64;
/// Leaps, each over what no single move mends: a few for each extent that another one divides.
constexpr int kMostLeaps = 16;

/// How far a value is from what a limit accepts.
std::int64_t outside_by(const ExtentLimit& limit, std::int64_t value) {
  if (limit.accepts(value)) return 0;
  const auto below = limit.at_most(value), above = limit.at_least(value);
  if (!below && !above) return kNoValue;
  const std::int64_t down = below ? value - *below : kNoValue, up = above ? *above - value : kNoValue;
  return std::min(down, up);
}

}  // namespace

std::int64_t Descent::settle(std::span<std::int64_t> extents) const {
  const formula::Lookup lookup = lookup_in(signature_, extents);
  std::int64_t broken = 0;
  const auto add = [&](std::int64_t more) { broken = std::min(2 * kNoValue, broken + std::min(more, kNoValue)); };
  for (const auto& [extent, formula] : order_.definitions) {
    const auto value = formula->value(lookup);
    const bool is_extent = value && *value >= 0 && *value <= tensor::kMaxElements;
    if (is_extent) extents[extent] = *value;
    add(!value ? kNoValue : outside_by(limits_.extents[signature_.extents[extent]], *value));
  }
  for (const notation::Relation* const relation : order_.others) {
    const auto by = relation->broken_by(lookup);
    add(by ? *by : kNoValue);
  }
  for (const EqualExtents& group : equal_) {
    for (const std::size_t e : group) add(std::abs(extents[e] - extents[group.front()]));
  }
  for (const ProductLimit& product : limits_.products) {
    add(std::max<std::int64_t>(0, product_of(product, signature_, extents) - product.max));
  }
  return broken;
}

bool Descent::run(Values& extents, std::optional<std::size_t> frozen) const {
  std::int64_t broken = descend(extents, frozen, frozen);
  for (int leaps = 0; broken > 0 && leaps < kMostLeaps; ++leaps) {
    const std::int64_t left = leap(extents, frozen, broken);
    if (left == broken) return false;
    broken = left;
  }
  return broken == 0;
}

std::int64_t Descent::descend(Values& extents, std::optional<std::size_t> frozen,
                              std::optional<std::size_t> held) const {
  const bool has_leapt = held != frozen;
  std::int64_t broken = settle(extents);
  for (int moves = 0; broken > 0 && moves < kMostMoves; ++moves) {
    Values best;
    std::int64_t least = broken, shortest = 0;
    const auto keep = [&](Values moved, std::size_t e, std::int64_t left) {
      std::int64_t way = std::abs(moved[e] - extents[e]);
      // Behind a leap 0 is a multiple of everything, and a case of nothing.
      if (has_leapt && moved[e] == 0 && way > 0) way += tensor::kMaxElements;
      if (left > least || way == 0 || (left == least && (best.empty() || way >= shortest))) return;
      least = left;
      shortest = way;
      best = std::move(moved);
    };
    // Smaller extents first: a case costs less.
    for (const int direction : {-1, 1}) {
      for (std::size_t e = 0; e < extents.size(); ++e) {
        if (e == frozen || e == held || order_.defines(e)) continue;
        Values moved = extents;
        const std::int64_t left = move(moved, e, direction, broken);
        keep(std::move(moved), e, left);
      }
    }
    for (std::size_t e = 0; has_leapt && e < extents.size(); ++e) {
      if (e == frozen || e == held || order_.defines(e)) continue;
      for (const std::int64_t value : multiples_near(extents, e)) {
        Values moved = extents;
        set(moved, e, value);
        const std::int64_t left = settle(moved);
        keep(std::move(moved), e, left);
      }
    }
    if (best.empty()) break;
    extents = std::move(best);
    broken = least;
  }
  return broken;
}

std::int64_t Descent::leap(Values& extents, std::optional<std::size_t> frozen, std::int64_t broken) const {
  Values best;
  std::int64_t least = broken;
  for (std::size_t e = 0; e < extents.size() && least > 0; ++e) {
    if (e == frozen || order_.defines(e)) continue;
    for (const std::int64_t value : multiples_near(extents, e)) {
      Values moved = extents;
      set(moved, e, value);
      const std::int64_t left = descend(moved, frozen, e);
      if (left >= least) continue;
      least = left;
      best = std::move(moved);
    }
  }
  if (!best.empty()) extents = std::move(best);
  return least;
}

std::vector<std::int64_t> Descent::multiples_near(const Values& extents, std::size_t extent) const {
  const ExtentLimit& limit = limits_.extents[signature_.extents[extent]];
  const std::int64_t from = extents[extent];
  std::vector<std::int64_t> near;
  const auto add = [&](std::int64_t of) {
    if (of < 2 || of > tensor::kMaxElements) return;
    for (const std::int64_t value : {from / of * of, (from / of + 1) * of}) {
      if (value != from && value > 0 && limit.accepts(value)) near.push_back(value);
    }
  };
  for (const std::int64_t number : order_.numbers) add(number);
  for (std::size_t other = 0; other < extents.size(); ++other) {
    if (other != extent) add(extents[other]);
  }
  std::ranges::sort(near, {}, [from](std::int64_t value) { return std::pair(std::abs(value - from), value); });
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

void Descent::set(Values& extents, std::size_t extent, std::int64_t value) const {
  extents[extent] = value;
  for (const EqualExtents& group : equal_) {
    if (std::ranges::find(group, extent) == group.end()) continue;
    for (const std::size_t e : group) extents[e] = value;
  }
}

std::int64_t Descent::move(Values& extents, std::size_t extent, int direction, std::int64_t broken) const {
  const std::int64_t from = extents[extent];
  const ExtentLimit& limit = limits_.extents[signature_.extents[extent]];
  const auto at = [&](std::int64_t way) -> std::optional<Values> {
    const auto value = direction < 0 ? limit.at_most(from - way) : limit.at_least(from + way);
    if (!value) return std::nullopt;
    Values moved = extents;
    set(moved, extent, *value);
    return moved;
  };
  std::int64_t least = broken, enough = 0;
  const auto look = [&](std::int64_t way) {
    std::optional<Values> moved = way > 0 ? at(way) : std::nullopt;
    const std::int64_t left = moved ? settle(*moved) : broken;
    if (left > least || (left == least && way >= enough)) return moved.has_value();
    least = left;
    enough = way;
    return true;
  };
  for (std::int64_t way = 1; way <= tensor::kMaxElements && least > 0; way *= 2) {
    if (!look(way)) break;
  }
  if (enough == 0) return broken;
  // A shorter way to as little, or one to less between two that were looked at.
  for (std::int64_t step = enough; step > 0; step /= 2) {
    look(enough - step);
    look(enough + step);
  }
  extents = *at(enough);
  return settle(extents);
}

}  // namespace negzero::operation
