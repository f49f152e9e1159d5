// `tie`: results exactly half way between two outputs, and one unit far below to either side of that.
//
// A result is an integer V = (2 m + 1) 2^z + {-1, 0, 1} cut into terms; in exact arithmetic 2 m + 1 has one bit more
// than the output holds. Where the accumulator is wider than the output, V fits it and only the last rounding is left;
// where it is not, V is two or three terms, and the accumulator's own rounding is the one that is tested.

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

struct Recipe {
  int kept = 0;             ///< bits of m: the precision of the format that ties
  int below = 0;            ///< z at most: room for the sticky unit under the half
  int top = 0;              ///< V < 2^top
  int chunk = 0;            ///< bits of one term
  bool half_apart = false;  ///< the half is a term of its own
  Scale scale{};
};

int needed_terms(const Recipe& recipe) {
  const int bits = recipe.half_apart ? recipe.kept : recipe.kept + 1 + recipe.below;
  return (bits + recipe.chunk - 1) / recipe.chunk + (recipe.half_apart ? 1 : 0);
}

/// Sizes for ties with `kept` bits in rows of `length` terms; fewer bits where the terms are too few for them.
Recipe sized(const Aim& aim, int kept, std::int64_t length, base::Random& random) {
  const int room = std::min(62, aim.precision - aim.reserve_bits);
  Recipe recipe;
  recipe.kept = kept;
  recipe.half_apart = kept + 1 > room;
  recipe.below = recipe.half_apart ? 0 : static_cast<int>(random.between(0, room - kept - 1));
  // Terms come from one side, with ones on the other: that many bits a term.
  recipe.chunk = aim.left_bits;
  while (needed_terms(recipe) > length && recipe.below > 0) --recipe.below;
  while (needed_terms(recipe) > length && recipe.kept > 1) --recipe.kept;
  recipe.top = std::min(62, recipe.kept + 1 + recipe.below);
  return recipe;
}

/// Exponents whose sum is exactly `unit`, within the ranges of both factors and of the accumulator.
std::optional<Scale> scale_at(const Aim& aim, int unit, int top, base::Random& random) {
  const int low = std::max(aim.left_powers.low, unit - aim.right_powers.high);
  const int high = std::min(aim.left_powers.high - top + 1, unit - aim.right_powers.low);
  const Powers& held = aim.accumulator_powers;
  if (low > high || unit < held.low || unit + top + aim.reserve_bits > held.high) return std::nullopt;
  const auto left = static_cast<int>(random.between(low, high));
  return Scale{left, unit - left};
}

Recipe choose_tie(const Aim& aim, std::int64_t length, base::Random& random) {
  const number::Format& point = aim.rounding_point;
  const int precision = std::min(point.precision(), aim.precision);
  const std::uint64_t place = random.below(8);
  if (place == 0) {  // Between subnormals, where fewer bits are kept: the half is half of the smallest subnormal.
    Recipe tiny = sized(aim, static_cast<int>(random.between(1, std::max(1, precision - 1))), length, random);
    if (const auto scale = scale_at(aim, point.eta_exponent() - 1 - tiny.below, tiny.top, random)) {
      tiny.scale = *scale;
      return tiny;
    }
  }
  Recipe recipe = sized(aim, precision, length, random);
  if (place == 1) {  // In the last binade: all ones tie with the overflow threshold.
    const int unit = std::min(point.max_exponent(), aim.output.max_exponent()) + 1 - recipe.top;
    if (const auto scale = scale_at(aim, unit, recipe.top, random)) {
      recipe.scale = *scale;
      return recipe;
    }
  }
  for (; recipe.top > 0; --recipe.top) {
    if (const auto scale = choose_scale(aim, recipe.top, 0, recipe.top, random)) {
      recipe.scale = *scale;
      break;
    }
    if (recipe.below > 0) {
      --recipe.below;
    } else if (recipe.kept > 1) {
      --recipe.kept;
    }
  }
  return recipe;
}

/// The terms of one row, largest first, in units: a tie or its neighbour.
std::vector<std::int64_t> make_terms(const Recipe& recipe, base::Random& random) {
  const std::int64_t lead = std::int64_t{1} << (recipe.kept - 1);
  std::int64_t m = lead | static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(lead)));
  const std::uint64_t kind = random.below(8);
  if (kind == 0) m = lead;          // On either side of a power of two the spacing changes.
  if (kind == 1) m = 2 * lead - 1;  // Rounding up carries into the next binade, or overflows.
  std::int64_t value = 2 * m;
  if (!recipe.half_apart) {
    // The half stands `below` above the unit in every row, so that rows share their scale; sticky is anywhere under it.
    value = (2 * m + 1) << recipe.below;
    const std::uint64_t side = random.below(3);
    const std::uint64_t place = random.below(3);
    const int under = place == 0 ? recipe.below : place == 1 ? 1 : (recipe.below + 1) / 2;
    const std::int64_t sticky = recipe.below == 0 ? 0 : std::int64_t{1} << (recipe.below - under);
    if (side == 1) value += sticky;
    if (side == 2) value -= sticky;
  }
  std::vector<std::int64_t> terms;
  while (value != 0) {
    const int shift = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) - recipe.chunk);
    const std::int64_t term = value >> shift << shift;
    terms.push_back(term);
    value -= term;
  }
  if (recipe.half_apart) terms.push_back(1);
  return terms;
}

/// Bits of an odd factor whose product with an odd number of left_bits has one bit more than the output keeps.
int product_factor_bits(const Aim& aim) {
  return std::max(2, aim.rounding_point.precision() + 1 - std::min(aim.left_bits, aim.rounding_point.precision()));
}

/// Products that tie by themselves, odd times odd, all at one k. A factor of some bits more lands beside a tie.
void fill_products(const Work& work, const Rows& rows, const Rows& factors, const Aim& aim, base::Random& random) {
  const int bits = std::min(aim.left_bits, aim.rounding_point.precision());
  const int factor_bits = product_factor_bits(aim);
  const Scale scale = choose_scale(aim, bits, factor_bits + 2, bits + factor_bits + 2, random).value_or(Scale{});
  const std::int64_t length = rows.uniform_length;
  const std::int64_t at = work.adversarial_position(length, random);
  const auto odd = [&random](int size) {
    const std::uint64_t lead = std::uint64_t{1} << (size - 1);
    return static_cast<std::int64_t>(lead | 1 | random.below(lead));
  };
  for (std::int64_t line = 0; line < factors.count; ++line) {
    const Row to = factors.row(line);
    for (std::int64_t k = 0; k < length; ++k) {
      const bool beside = random.below(4) == 0;
      const std::int64_t factor = odd(std::min(factor_bits + (beside ? 2 : 0), aim.right_bits));
      to.set(k, encode_integer(aim.right, negated_if(random.below(2) == 0, factor), scale.right));
    }
  }
  for (std::int64_t row = 0; row < rows.count; ++row) {
    rows.row(row).set(at, encode_integer(aim.left, odd(bits), scale.left));
  }
}

}  // namespace

void fill_tie(Work& work) {
  if (is_selection(work.plan.operation)) return select_tie(work);
  // What converts to a format of as many bits has no ties.
  const bool is_exact = work.aim.left_bits <= work.aim.rounding_point.precision();
  if (!work.signature().combine && is_exact) return fill_extreme(work);
  base::Random& random = work.random;
  const bool has_factor = work.right() != nullptr;
  const bool swapped = has_factor && random.below(2) == 0;
  Aim aim = work.aim;
  if (swapped) swap_sides(aim);
  const Rows rows = work.rows(swapped);
  const std::int64_t longest = rows.longest();
  const number::Format format = aim.left;
  fill(*rows.terms, [&](std::int64_t) { return number::zero(format); });
  fill_plain_addend(work);
  const bool products_tie = has_factor && product_factor_bits(aim) <= aim.right_bits;
  if (products_tie && longest > 0 && (longest == 1 || random.below(4) == 0)) {
    base::Random stream = random.split(1);
    return fill_products(work, rows, work.factors(swapped), aim, stream);
  }
  // The largest term may come from the addend: then its addition is what rounds.
  tensor::Tensor* const addend = work.addend();
  const bool from_addend = work.signature().is_update && random.below(4) != 0;
  const Recipe recipe = choose_tie(aim, std::max<std::int64_t>(1, longest) + (from_addend ? 1 : 0), random);
  const int unit = recipe.scale.left + recipe.scale.right;
  if (has_factor) {
    const Rows factors = work.factors(swapped);
    base::Random signs = random.split(2);
    for (std::int64_t line = 0; line < factors.count; ++line) {
      const Row to = factors.row(line);
      const std::uint64_t one = encode_integer(aim.right, signs.below(2) == 0 ? -1 : 1, recipe.scale.right);
      for (std::int64_t k = 0; k < longest; ++k) to.set(k, one);
    }
  }
  if (addend != nullptr) fill(*addend, [&](std::int64_t) { return number::zero(aim.addend); });
  base::Random stream = random.split(3);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const std::int64_t length = rows.length(row);
    const bool negative = stream.below(2) == 0;
    std::vector<std::int64_t> terms = make_terms(recipe, stream);
    if (from_addend) {
      addend->set(row, encode_integer(aim.addend, negative ? -terms[0] : terms[0], unit));
      terms.erase(terms.begin());
    }
    if (length < static_cast<std::int64_t>(terms.size())) continue;
    std::vector<std::int64_t> taken;
    for (const std::int64_t term : terms) {
      std::int64_t at = work.adversarial_position(length, stream);
      while (std::find(taken.begin(), taken.end(), at) != taken.end()) at = (at + 1) % length;
      taken.push_back(at);
      rows.row(row).set(at, encode_integer(aim.left, negative ? -term : term, recipe.scale.left));
    }
  }
}

}  // namespace negzero::generate
