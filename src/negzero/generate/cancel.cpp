// `cancel`: dot products of a chosen condition number, after Ogita, Rump & Oishi, "Accurate sum and dot product",
// SIAM J. Sci. Comput. 26 (2005), algorithm 6.1, in integers.
//
// The first half of the products has exponents all over the condition's range; each of the others is chosen so that
// the exact sum so far shrinks to a smaller and smaller target. Rows of one factor are made so against one line of
// the other, whose lines differ by sign only: then all results of the case cancel.

#include <algorithm>
#include <bit>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

using Wide = __int128;

Wide magnitude(Wide value) { return value < 0 ? -value : value; }

int bit_length(Wide value) {
  const auto bits = static_cast<unsigned __int128>(magnitude(value));
  const auto high = static_cast<std::uint64_t>(bits >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(bits));
}

/// An integer of `bits` significant bits (at most) times 2^shift.
struct Scaled {
  std::int64_t significand = 0;
  int shift = 0;
  [[nodiscard]] Wide value() const { return static_cast<Wide>(significand) << shift; }
};

/// value / by, rounded towards zero. Most quotients are of numbers of 64 bits, where the processor divides.
Wide quotient(Wide value, Wide by) {
  const auto is_narrow = [](Wide x) { return (x < 0 ? -x : x) >> 62 == 0; };
  if (!is_narrow(value) || !is_narrow(by)) return value / by;
  return static_cast<std::int64_t>(value) / static_cast<std::int64_t>(by);
}

/// The `bits` leading bits of a value.
Scaled truncated(Wide value, int bits) {
  const int shift = std::max(0, bit_length(value) - bits);
  const auto kept = static_cast<std::int64_t>(magnitude(value) >> shift);
  return {value < 0 ? -kept : kept, shift};
}

/// A random integer of exactly `bits` bits and random sign, cut to `kept` significant bits. Requires 1 <= bits <= 126.
Scaled random_of_length(int bits, int kept, base::Random& random) {
  const int significant = std::clamp(std::min(bits, kept), 1, 62);
  const std::uint64_t word = random.next();
  const auto leading = std::uint64_t{1} << (significant - 1);
  const auto value = static_cast<std::int64_t>(leading | ((word >> 1) & (leading - 1)));
  return {negated_if((word & 1) != 0, value), bits - significant};
}

/// Sizes of a case in bits: products below 2^top, factors of the other side below 2^(factor_bits + factor_spread).
struct CancelRecipe {
  int top = 0;
  int left_top = 0;       ///< left integers stay below 2^left_top
  int factor_bits = 0;    ///< significant bits of the other side; 0 where there is none
  int factor_spread = 0;  ///< by how many binades it falls towards the end
  Scale scale{};
};

CancelRecipe choose_recipe(const Aim& aim, std::int64_t length, base::Random& random) {
  CancelRecipe recipe;
  const int growth = std::bit_width(static_cast<std::uint64_t>(length));
  const bool has_factor = aim.right_bits != 0;
  // A sum keeps about factor_bits bits, which do not cancel, so few of them are used where 126 bits are too few.
  const int most = 2 * aim.precision;
  int condition = static_cast<int>(random.between(std::max(2, aim.precision / 2), most));
  for (; condition >= 1; condition = condition * 7 / 8) {
    const int room = 125 - growth - condition;
    recipe.factor_bits = has_factor ? std::clamp(std::min(aim.right_bits, room), 1, 24) : 0;
    recipe.top = std::min(condition + recipe.factor_bits + 1, 125 - growth);
    recipe.factor_spread = has_factor && length >= 8 ? condition / 2 : 0;
    recipe.left_top = std::max(1, recipe.top - recipe.factor_bits - recipe.factor_spread + 3);
    const std::optional<Scale> scale =
        choose_scale(aim, recipe.left_top, recipe.factor_bits + recipe.factor_spread, recipe.top + growth, random);
    if (scale) {
      recipe.scale = *scale;
      return recipe;
    }
  }
  recipe = {.top = 1, .left_top = 1, .factor_bits = has_factor ? 1 : 0, .factor_spread = 0, .scale = {}};
  recipe.scale = choose_scale(aim, 1, 1, 2, random).value_or(Scale{});
  return recipe;
}

/// Chooses one row against `factors`, in the order `places`.
void make_row(const CancelRecipe& recipe, const Aim& aim, const std::vector<Scaled>& factors,
              const std::vector<std::int64_t>& places, base::Random& random, std::vector<Scaled>& row) {
  const auto length = static_cast<std::int64_t>(row.size());
  const std::int64_t free = (length + 1) / 2;
  const Wide limit = (static_cast<Wide>(1) << recipe.left_top) - 1;
  Wide sum = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    const auto at = static_cast<std::size_t>(places[static_cast<std::size_t>(i)]);
    const Wide factor = factors[at].value();
    Scaled term;
    if (i < free) {
      const int factor_length = bit_length(factor);
      // The first product is the largest, so that the condition number is the chosen one.
      const int bits = i == 0 ? recipe.top : static_cast<int>(random.between(1, recipe.top));
      term = random_of_length(std::clamp(bits - factor_length + 1, 1, recipe.left_top), aim.left_bits, random);
    } else {
      const std::int64_t ahead = length - 1 - i;
      const auto bits = static_cast<int>((recipe.top - 1) * ahead / std::max<std::int64_t>(1, length - free));
      const Wide target = random_of_length(std::max(bits, 1), 53, random).value();
      term = truncated(std::clamp<Wide>(quotient(target - sum, factor), -limit, limit), aim.left_bits);
      // A sum of zero has no condition number, and hides a result that is always zero.
      if (ahead == 0 && sum + term.value() * factor == 0 && term.shift == 0) {
        const std::int64_t step = term.significand > 0 ? -1 : 1;
        term.significand += step;
      }
    }
    row[at] = term;
    sum += term.value() * factor;
  }
}

/// The order in which products are chosen, random so that size does not follow k.
std::vector<std::int64_t> shuffled(std::int64_t length, base::Random& random) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(length));
  for (std::int64_t i = 0; i < length; ++i) places[static_cast<std::size_t>(i)] = i;
  for (std::size_t i = places.size(); i > 1; --i) {
    std::swap(places[i - 1], places[static_cast<std::size_t>(random.below(i))]);
  }
  return places;
}

}  // namespace

void fill_cancel(Work& work) {
  if (is_selection(work.plan.operation)) return select_cancel(work);
  base::Random& random = work.random;
  const bool has_factor = work.right() != nullptr;
  const bool swapped = has_factor && random.below(2) == 0;
  Aim aim = work.aim;
  if (swapped) swap_sides(aim);
  const Rows rows = work.rows(swapped);
  const std::int64_t longest = rows.longest();
  const CancelRecipe recipe = choose_recipe(aim, std::max<std::int64_t>(1, longest), random);
  std::vector<std::int64_t> places = shuffled(longest, random);
  std::vector<Scaled> factors(static_cast<std::size_t>(longest), Scaled{1, 0});
  if (has_factor) {
    // The largest product needs the largest factor; later factors shrink with the targets, so that products can too.
    base::Random stream = random.split(1);
    for (std::int64_t i = 0; i < longest; ++i) {
      const std::int64_t free = (longest + 1) / 2;
      Scaled factor = random_of_length(recipe.factor_bits, aim.right_bits, stream);
      if (i == 0) {
        factor.shift += recipe.factor_spread;
      } else if (i < free) {
        factor.shift += static_cast<int>(stream.between(0, recipe.factor_spread));
      } else {
        factor.shift +=
            static_cast<int>(recipe.factor_spread * (longest - 1 - i) / std::max<std::int64_t>(1, longest - 1 - free));
      }
      factors[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])] = factor;
    }
    const Rows lines = work.factors(swapped);
    for (std::int64_t line = 0; line < lines.count; ++line) {
      const Row to = lines.row(line);
      const bool negative = stream.below(2) == 0;
      for (std::int64_t k = 0; k < longest; ++k) {
        const Scaled& factor = factors[static_cast<std::size_t>(k)];
        to.set(k, encode_integer(aim.right, negative ? -factor.significand : factor.significand,
                                 factor.shift + recipe.scale.right));
      }
    }
  }
  base::Random stream = random.split(2);
  std::vector<Scaled> row;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const std::int64_t length = rows.length(r);
    row.assign(static_cast<std::size_t>(length), Scaled{});
    if (length != longest || rows.first.size() > 1) places = shuffled(length, stream);
    make_row(recipe, aim, factors, places, stream, row);
    const Row to = rows.row(r);
    for (std::int64_t k = 0; k < length; ++k) {
      const Scaled& term = row[static_cast<std::size_t>(k)];
      to.set(k, encode_integer(aim.left, term.significand, term.shift + recipe.scale.left));
    }
  }
  if (tensor::Tensor* const addend = work.addend()) {
    // As large as what is left, or zero: a large addend would hide the cancellation.
    const bool zero = random.below(2) == 0;
    base::Random values = random.split(3);
    const int unit = recipe.scale.left + recipe.scale.right;
    fill(*addend, [&](std::int64_t) {
      const Scaled value = random_of_length(recipe.factor_bits + 1, aim.addend.precision(), values);
      return zero ? number::zero(aim.addend) : encode_integer(aim.addend, value.significand, value.shift + unit);
    });
  }
}

}  // namespace negzero::generate
