// Free extents move, defined ones follow: a descent on how much is broken, one extent at a time.

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/operation/line_relations.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::operation {
namespace {

using notation::Relation;
using notation::Signature;

/// What a relation without a value counts for: more than any difference that moving by one could remove.
constexpr std::int64_t kNoValue = std::int64_t{1} << 48;
/// Moves of a descent. Each removes all that one extent can; lines have few relations.
constexpr int kMostMoves = 64;

using Values = std::vector<std::int64_t>;

/// An extent and the formula that it is computed by.
struct Definition {
  std::size_t extent = 0;
  const formula::Formula* formula = nullptr;
};

/// The definitions of a line, each behind those of the extents that it is computed from, and its other relations.
struct Order {
  std::vector<Definition> definitions{};
  std::vector<const Relation*> others{};

  explicit Order(const Signature& signature) {
    std::vector<Definition> found;
    std::array<unsigned, notation::kMostExtents> uses{};  ///< extents that a defined one is computed from, a bit each
    const auto defines = [&](const formula::Formula& side, const formula::Formula& other) {
      const auto name = side.name();
      const std::size_t extent = name ? *signature.find_extent(*name) : 0;
      if (!name || std::ranges::find(found, extent, &Definition::extent) != found.end()) return false;
      unsigned used = 0;
      for (const std::string& each : other.names()) {
        const std::size_t place = *signature.find_extent(each);
        used |= 1u << place | uses[place];
      }
      if ((used >> extent & 1) != 0) return false;
      uses[extent] = used;
      for (unsigned& each : uses) each |= (each >> extent & 1) != 0 ? used : 0;
      found.push_back({extent, &other});
      return true;
    };
    for (const Relation& relation : signature.relations) {
      const bool is_equation = relation.comparison == notation::Comparison::Equal;
      if (is_equation && (defines(relation.left, relation.right) || defines(relation.right, relation.left))) continue;
      others.push_back(&relation);
    }
    // No cycles, so one of those that are left needs none of the others.
    while (!found.empty()) {
      const auto is_ready = [&](const Definition& each) {
        return std::ranges::none_of(
            found, [&](const Definition& other) { return (uses[each.extent] >> other.extent & 1) != 0; });
      };
      const auto next = std::ranges::find_if(found, is_ready);
      definitions.push_back(*next);
      found.erase(next);
    }
  }

  [[nodiscard]] bool defines(std::size_t extent) const {
    return std::ranges::find(definitions, extent, &Definition::extent) != definitions.end();
  }
};

formula::Lookup values_of(const Signature& signature, std::span<const std::int64_t> extents) {
  return [&signature, extents](std::string_view name) -> std::optional<std::int64_t> {
    const auto place = signature.find_extent(name);
    return place ? std::optional(extents[*place]) : std::nullopt;
  };
}

/// How far a value is from what a limit accepts.
std::int64_t outside_by(const ExtentLimit& limit, std::int64_t value) {
  if (limit.accepts(value)) return 0;
  const auto below = limit.at_most(value), above = limit.at_least(value);
  if (!below && !above) return kNoValue;
  const std::int64_t down = below ? value - *below : kNoValue, up = above ? *above - value : kNoValue;
  return std::min(down, up);
}

class Descent {
 public:
  Descent(const Signature& signature, const Limits& limits)
      : signature_(signature), limits_(limits), order_(signature), equal_(equal_extents(limits, signature)) {}

  [[nodiscard]] const Order& order() const { return order_; }

  /// Computes what is defined, and returns how much is broken.
  std::int64_t settle(std::span<std::int64_t> extents) const {
    const formula::Lookup lookup = values_of(signature_, extents);
    std::int64_t broken = 0;
    const auto add = [&](std::int64_t more) { broken = std::min(2 * kNoValue, broken + std::min(more, kNoValue)); };
    for (const auto& [extent, formula] : order_.definitions) {
      const auto value = formula->value(lookup);
      const bool is_extent = value && *value >= 0 && *value <= tensor::kMaxElements;
      if (is_extent) extents[extent] = *value;
      add(!value ? kNoValue : outside_by(limits_.extents[signature_.extents[extent]], *value));
    }
    for (const Relation* const relation : order_.others) {
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

  /// Moves free extents but `frozen` until nothing is broken. Returns whether that is so.
  bool run(Values& extents, std::optional<std::size_t> frozen) const {
    std::int64_t broken = settle(extents);
    for (int moves = 0; broken > 0 && moves < kMostMoves; ++moves) {
      Values best;
      std::int64_t least = broken, shortest = 0;
      // Smaller extents first: a case costs less.
      for (const int direction : {-1, 1}) {
        for (std::size_t e = 0; e < extents.size(); ++e) {
          if (e == frozen || order_.defines(e)) continue;
          Values moved = extents;
          const std::int64_t left = move(moved, e, direction, broken), way = std::abs(moved[e] - extents[e]);
          if (left > least || way == 0 || (left == least && (best.empty() || way >= shortest))) continue;
          least = left;
          shortest = way;
          best = std::move(moved);
        }
      }
      if (best.empty()) return false;
      extents = std::move(best);
      broken = least;
    }
    return broken == 0;
  }

 private:
  /// Moves one extent, and those that are equal to it, in one direction as far as that mends anything, and no further.
  std::int64_t move(Values& extents, std::size_t extent, int direction, std::int64_t broken) const {
    const std::int64_t from = extents[extent];
    const ExtentLimit& limit = limits_.extents[signature_.extents[extent]];
    const auto at = [&](std::int64_t way) -> std::optional<Values> {
      const auto value = direction < 0 ? limit.at_most(from - way) : limit.at_least(from + way);
      if (!value) return std::nullopt;
      Values moved = extents;
      moved[extent] = *value;
      for (const EqualExtents& group : equal_) {
        if (std::ranges::find(group, extent) == group.end()) continue;
        for (const std::size_t e : group) moved[e] = *value;
      }
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

  const Signature& signature_;
  const Limits& limits_;
  Order order_;
  std::vector<EqualExtents> equal_;
};

}  // namespace

bool complete(std::span<std::int64_t> extents, const Signature& signature, const Limits& limits) {
  return signature.relations.empty() || Descent(signature, limits).settle(extents) == 0;
}

std::vector<std::size_t> defined_extents(const Signature& signature) {
  std::vector<std::size_t> extents;
  if (signature.relations.empty()) return extents;
  for (const Definition& each : Order(signature).definitions) extents.push_back(each.extent);
  return extents;
}

bool keep_line(std::span<std::int64_t> extents, const Signature& signature, const Limits& limits,
               std::optional<std::size_t> leading) {
  if (signature.relations.empty()) return true;
  Values values(extents.begin(), extents.end());
  if (leading) {
    Limits held = limits;
    ExtentLimit& limit = held.extents[signature.extents[*leading]];
    limit.min = limit.max = extents[*leading];
    const Descent descent(signature, held);
    if (descent.run(values, leading)) {
      std::ranges::copy(values, extents.begin());
      return true;
    }
    values.assign(extents.begin(), extents.end());
  }
  const Descent descent(signature, limits);
  const bool is_kept = descent.run(values, std::nullopt);
  std::ranges::copy(values, extents.begin());
  return is_kept;
}

namespace {

/// Why a relation is broken; nothing where it holds.
std::optional<std::string> broken_text(const Relation& relation, const formula::Lookup& lookup) {
  const auto broken = relation.broken_by(lookup);
  if (broken && *broken == 0) return std::nullopt;
  std::vector<std::string> values;
  for (const std::string& name : relation.names()) values.push_back(fmt::format("{} = {}", name, *lookup(name)));
  return fmt::format("{}: the line wants {}{}", fmt::join(values, ", "), relation.to_string(),
                     broken ? "" : ", which has no value here");
}

}  // namespace

std::optional<std::string> breaks_line(std::span<const std::int64_t> extents, const Signature& signature) {
  const formula::Lookup lookup = values_of(signature, extents);
  for (const Relation& relation : signature.relations) {
    if (auto text = broken_text(relation, lookup)) return text;
  }
  return std::nullopt;
}

std::optional<std::string> unmet_relation(const Signature& signature, const Limits& limits) {
  if (signature.relations.empty()) return std::nullopt;
  std::optional<std::string> why;
  for (const std::int64_t wanted : {1, 16, 100, 1000, 0}) {
    Values extents;
    for (const std::string& name : signature.extents) {
      const ExtentLimit& limit = limits.extents[name];
      extents.push_back(limit.at_least(wanted).value_or(limit.at_most(wanted).value_or(0)));
    }
    if (keep_line(extents, signature, limits)) return std::nullopt;
    // An extent that could not be computed may break its definition because another relation is broken.
    std::optional<std::string> broken;
    for (const Relation* const relation : Order(signature).others) {
      if (!broken) broken = broken_text(*relation, values_of(signature, extents));
    }
    if (!broken) broken = breaks_line(extents, signature);
    // All hold, so what is computed lies outside.
    for (const Relation& relation : signature.relations) {
      for (const auto& name : {relation.left.name(), relation.right.name()}) {
        const std::int64_t value = name ? extents[*signature.find_extent(*name)] : 0;
        if (broken || !name || limits.extents[*name].accepts(value)) continue;
        broken = fmt::format("the line wants {}, and {} = {} is outside the limits or what is asked for",
                             relation.to_string(), *name, value);
      }
    }
    if (!why) why = broken;
  }
  return why.value_or("the relations of the line and the limits contradict each other");
}

}  // namespace negzero::operation
