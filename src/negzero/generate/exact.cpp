// `exact`: sums that every order of the declared accumulator holds exactly, and no narrower one does.
//
// All terms are integers in units of one power of two, and the sum of their magnitudes is at most 2^p (rule a of
// numerics.md section 2), so a single value is right. It comes close to 2^p and is odd where the signs agree, so an
// accumulator of p - 1 bits must lose something.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

enum class Form {
  Dense,    ///< all terms of one size
  Peak,     ///< one term of half the total, the rest far below it
  Opposed,  ///< two terms of a quarter of the total that cancel, the rest far below them: what is lost shows in any
            ///< output
};

/// Integers of a case: magnitudes below the tops, and where the peaks stand.
struct ExactRecipe {
  Form form = Form::Dense;
  int total_bits = 0;  ///< sum of magnitudes <= 2^total_bits
  int peak_left = 0, peak_right = 0;
  std::int64_t rest_right = 1;                ///< greatest right magnitude outside the peaks
  std::array<std::int64_t, 2> peaks{-1, -1};  ///< positions shared by all rows, where the right factor takes part
  unsigned signs = 0;                         ///< 0 all plus, 1 one sign a row, 2 left at random, 3 both at random
  Scale scale{};
  bool narrow = false;  ///< left magnitudes of one bit: what is added to a peak is as small as can be
};

int ceil_log2(std::int64_t value) { return value <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(value - 1)); }
int floor_log2(std::int64_t value) { return std::bit_width(static_cast<std::uint64_t>(value)) - 1; }

int peaks_of(Form form) { return form == Form::Dense ? 0 : form == Form::Peak ? 1 : 2; }

/// What the terms outside the peaks may add up to.
std::int64_t rest_total(const ExactRecipe& recipe) {
  return std::int64_t{1} << (recipe.form == Form::Dense ? recipe.total_bits : recipe.total_bits - 1);
}

/// The greatest left magnitude of a row of `length` terms; 0: not even ones fit everywhere.
std::int64_t rest_left(const ExactRecipe& recipe, const Aim& aim, std::int64_t length) {
  const std::int64_t rest = std::max<std::int64_t>(1, length - peaks_of(recipe.form));
  const std::int64_t bound = rest_total(recipe) / rest / recipe.rest_right;
  return std::min(recipe.narrow ? std::min<std::int64_t>(bound, 1) : bound, std::int64_t{1} << aim.left_bits);
}

/// Chooses form, sizes and scale for rows of at most `longest` terms; the total shrinks until the formats can hold it.
ExactRecipe choose_recipe(const Aim& aim, std::int64_t shortest, std::int64_t longest, base::Random& random) {
  ExactRecipe recipe;
  const std::uint64_t form = random.below(4);
  recipe.form = form < 2 || longest < 2 ? Form::Dense : form == 2 || longest < 3 ? Form::Peak : Form::Opposed;
  // Results that the output cannot hold exactly hide what was lost, unless most of the sum cancels.
  if (aim.output.precision() < aim.precision && longest >= 3 && random.below(3) != 0) recipe.form = Form::Opposed;
  recipe.signs = static_cast<unsigned>(random.below(4));
  recipe.narrow = recipe.form != Form::Dense && random.below(3) == 0;
  const std::uint64_t split = random.below(3);
  for (recipe.total_bits = std::min(62, aim.precision - aim.reserve_bits); recipe.total_bits >= 2;
       --recipe.total_bits) {
    const std::int64_t rest = std::max<std::int64_t>(1, longest - peaks_of(recipe.form));
    const int product_bits = floor_log2(std::max<std::int64_t>(1, rest_total(recipe) / rest));
    const int most = std::min(aim.right_bits, product_bits);
    const int least = std::clamp(product_bits - aim.left_bits, 0, most);
    const int right_bits = split == 0 ? least : split == 1 ? most : static_cast<int>(random.between(least, most));
    recipe.rest_right = std::int64_t{1} << (recipe.narrow ? 0 : right_bits);
    int left_top = ceil_log2(std::max<std::int64_t>(1, rest_left(recipe, aim, std::max<std::int64_t>(1, shortest))));
    int right_top = ceil_log2(recipe.rest_right);
    if (recipe.form != Form::Dense) {
      const int peak = recipe.total_bits - (recipe.form == Form::Peak ? 1 : 2);
      recipe.peak_right = aim.right_bits == 0 ? 0 : static_cast<int>(random.between(0, peak));
      recipe.peak_left = peak - recipe.peak_right;
      left_top = std::max(left_top, recipe.peak_left);
      right_top = std::max(right_top, recipe.peak_right);
    }
    const std::optional<Scale> scale = choose_scale(aim, left_top, right_top, recipe.total_bits, random);
    if (scale) {
      recipe.scale = *scale;
      return recipe;
    }
  }
  recipe.form = Form::Dense;
  recipe.total_bits = 0;
  recipe.rest_right = 1;
  recipe.scale = choose_scale(aim, 0, 0, 0, random).value_or(Scale{});
  return recipe;
}

/// Three quarters of `top` up to all of it, or anything from 1, so that sums come close to the total. The low three
/// bits of `random` are not part of the size; the third may serve as a sign.
std::int64_t magnitude(std::int64_t top, std::uint64_t random) {
  const std::int64_t low = (random & 3) != 0 ? top - top / 4 : 1;
  const auto span = static_cast<unsigned __int128>(top - low + 1);
  return low + static_cast<std::int64_t>((random & ~std::uint64_t{7}) * span >> 64);
}

/// The integers of one row, in term order; `right` are the factors that its terms meet (ones where there are none).
void make_row(const ExactRecipe& recipe, const Aim& aim, const std::vector<std::int64_t>& right, base::Random& random,
              std::vector<std::int64_t>& row) {
  const auto length = static_cast<std::int64_t>(row.size());
  const ExactRecipe* used = &recipe;
  ExactRecipe plain;
  std::array<std::int64_t, 2> peaks = recipe.peaks;
  const int wanted = peaks_of(recipe.form);
  if (length < wanted + 1 && wanted != 0) {
    plain = recipe;
    plain.form = Form::Dense;
    plain.total_bits = recipe.total_bits - 1;
    plain.narrow = true;
    used = &plain;
    peaks = {-1, -1};
  } else if (aim.right_bits == 0) {
    for (int peak = 0; peak < wanted; ++peak) {
      peaks[static_cast<std::size_t>(peak)] =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(length - peak)));
    }
    if (wanted == 2 && peaks[1] >= peaks[0]) ++peaks[1];
  }
  const std::int64_t top = rest_left(*used, aim, length);
  // Where there are more terms than units, most are zero.
  const auto budget = static_cast<std::uint64_t>(std::max<std::int64_t>(1, rest_total(*used) / used->rest_right));
  std::uint64_t spent = 0;
  const bool row_negative = recipe.signs == 1 && random.below(2) == 0;
  for (std::int64_t k = 0; k < length; ++k) {
    std::int64_t value = 0;
    const std::uint64_t drawn = random.next();
    if (top > 0) {
      value = magnitude(top, drawn);
    } else if (spent < budget && random.below(static_cast<std::uint64_t>(length)) < budget) {
      value = 1;
      ++spent;
    }
    const bool negative = row_negative != (recipe.signs >= 2 && (drawn & 4) != 0);
    row[static_cast<std::size_t>(k)] = negated_if(negative, value);
  }
  for (int peak = 0; peak < 2; ++peak) {
    const std::int64_t at = peaks[static_cast<std::size_t>(peak)];
    if (at < 0) continue;
    const std::int64_t value = std::int64_t{1} << recipe.peak_left;
    row[static_cast<std::size_t>(at)] = (peak == 1) != row_negative ? -value : value;
  }
  // An even sum would fit one bit less. Only the low bit of a term outside the peaks is touched, towards zero.
  std::uint64_t parity = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    parity ^= static_cast<std::uint64_t>(row[k]) & static_cast<std::uint64_t>(right[k]);
  }
  if ((parity & 1) != 0 || length == 0) return;
  const auto start = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(length)));
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t k = (start + i) % length;
    std::int64_t& value = row[static_cast<std::size_t>(k)];
    if (k == peaks[0] || k == peaks[1] || value == 0 || (right[static_cast<std::size_t>(k)] & 1) == 0) continue;
    value += value > 0 ? -1 : 1;
    return;
  }
}

}  // namespace

void fill_exact(Work& work) {
  if (is_selection(work.plan.operation)) return select_exact(work);
  base::Random& random = work.random;
  const bool has_factor = work.right() != nullptr;
  const bool swapped = has_factor && random.below(2) == 0;
  Aim aim = work.aim;
  if (swapped) swap_sides(aim);
  const Rows rows = work.rows(swapped);
  const std::int64_t longest = rows.longest();
  std::int64_t shortest = longest;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    if (rows.length(row) > 0) shortest = std::min(shortest, rows.length(row));
  }
  ExactRecipe recipe = choose_recipe(aim, shortest, longest, random);
  std::vector<std::int64_t> right(static_cast<std::size_t>(longest), 1);
  if (has_factor) {
    const int wanted = peaks_of(recipe.form);
    if (wanted >= 1) recipe.peaks[0] = work.adversarial_position(longest, random);
    if (wanted == 2) {
      recipe.peaks[1] = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(longest - 1)));
      if (recipe.peaks[1] >= recipe.peaks[0]) ++recipe.peaks[1];
    }
    const Rows factors = work.factors(swapped);
    base::Random stream = random.split(1);
    for (std::int64_t line = 0; line < factors.count; ++line) {
      const Row to = factors.row(line);
      for (std::int64_t k = 0; k < longest; ++k) {
        const std::uint64_t drawn = stream.next();
        std::int64_t value = magnitude(recipe.rest_right, drawn);
        if (k == recipe.peaks[0] || k == recipe.peaks[1]) value = std::int64_t{1} << recipe.peak_right;
        value = negated_if(recipe.signs == 3 && recipe.form == Form::Dense && (drawn & 4) != 0, value);
        if (line == 0) right[static_cast<std::size_t>(k)] = value;
        to.set(k, encode_integer(aim.right, value, recipe.scale.right));
      }
    }
  }
  base::Random stream = random.split(2);
  std::vector<std::int64_t> row;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    row.resize(static_cast<std::size_t>(rows.length(r)));
    make_row(recipe, aim, right, stream, row);
    const Row to = rows.row(r);
    for (std::int64_t k = 0; k < rows.length(r); ++k) {
      to.set(k, encode_integer(aim.left, row[static_cast<std::size_t>(k)], recipe.scale.left));
    }
  }
  tensor::Tensor* const addend = work.addend();
  if (addend == nullptr) return;
  // beta = 0.5 halves the addend and 3 triples it: even numbers below a quarter of what is left keep beta c exact.
  const int addend_bits =
      std::max(0, std::min({recipe.total_bits, aim.output.precision(), aim.addend.precision()}) - 2);
  const bool peak = work.signature().is_update && random.below(2) == 0;
  base::Random addends = random.split(3);
  const int unit = recipe.scale.left + recipe.scale.right;
  fill(*addend, [&](std::int64_t) {
    std::int64_t value = std::int64_t{1} << recipe.total_bits;
    if (!peak) value = 2 * addends.between(0, (std::int64_t{1} << addend_bits) - 1);
    return encode_integer(aim.addend, negated_if(addends.below(2) == 0, value), unit);
  });
}

}  // namespace negzero::generate
