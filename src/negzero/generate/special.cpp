// `special`: the grid of special encodings, few at a time and at the places where kernels treat elements apart.

#include <algorithm>
#include <array>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

std::vector<std::uint64_t> make_grid(const number::Format& format) {
  std::vector<std::uint64_t> grid;
  for (const bool negative : {false, true}) {
    const std::uint64_t one = number::one(format, negative);
    for (const std::uint64_t word : {number::zero(format, negative), number::min_subnormal(format, negative),
                                     number::max_subnormal(format, negative), number::min_normal(format, negative), one,
                                     number::next_up(format, one), number::next_down(format, one),
                                     number::max_finite(format, negative), number::infinity(format, negative)}) {
      grid.push_back(word);
    }
    if (format.nan_codes == number::NanCodes::Ieee) {
      const std::uint64_t infinity = number::infinity(format, negative);
      const std::uint64_t quiet = std::uint64_t{1} << (format.fraction_bits - 1);
      // Quiet: plain, lowest and full payload. Signalling: lowest payload (Inf to whoever drops low bits), highest.
      for (const std::uint64_t payload : {quiet, quiet | 1, 2 * quiet - 1, std::uint64_t{1}, quiet - 1}) {
        grid.push_back(infinity | payload);
      }
    } else if (format.nan_codes == number::NanCodes::AllOnes) {
      grid.push_back(number::canonical_nan(format) | (negative ? format.sign_mask() : 0));
    }
  }
  // Zero points of codes of 4 bits, and the least and the greatest of signed ones.
  if (format.is_integer() && format.is_half_byte()) grid.insert(grid.end(), {7, 8});
  // A format may lack a value (Inf of F8_E4M3) or have one under two names.
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

/// A few encodings that a case or a row is made of: what finds a fault is seldom all specials at once.
struct Palette {
  std::array<std::uint64_t, 4> words{};
  std::uint64_t size = 1;

  [[nodiscard]] std::uint64_t pick(std::uint64_t random) const {
    return words[static_cast<std::size_t>(static_cast<unsigned __int128>(random) * size >> 64)];
  }
};

Palette draw_palette(const number::Format& format, base::Random& random) {
  const std::vector<std::uint64_t>& grid = special_grid(format);
  Palette palette;
  palette.size = 1 + random.below(4);
  const std::uint64_t kind = random.below(8);
  for (std::uint64_t i = 0; i < palette.size; ++i) {
    std::uint64_t word = grid[static_cast<std::size_t>(random.below(grid.size()))];
    // A NaN hides the rest, so half of the palettes are finite; some are of zeros or of infinities alone.
    for (int again = 0; kind < 4 && again < 4 && number::classify(format, word) > number::Class::Normal; ++again) {
      word = grid[static_cast<std::size_t>(random.below(grid.size()))];
    }
    if (kind == 0) word = number::zero(format, random.below(2) == 0);
    if (kind == 7) word = number::infinity(format, random.below(2) == 0);
    palette.words[static_cast<std::size_t>(i)] = word;
  }
  return palette;
}

/// Ordinary values between the specials: small integers, ones, zeros of either sign or fractions.
[[gnu::always_inline]] inline std::uint64_t background_word(const number::Format& format, unsigned kind,
                                                            std::uint64_t random) {
  switch (kind) {
    case 0:
      return number::zero(format, (random & 1) != 0);
    case 1:
      return number::one(format, (random & 1) != 0);
    case 2:
      return number::one(format, true);
    case 3:
      return uniform_word(format, random, 1, true);
    default: {
      const auto value = static_cast<std::int64_t>(1 + (random >> 62));
      return encode_integer(format, (random & 1) != 0 ? -value : value, 0);
    }
  }
}

/// Each row is its own small experiment: one special at one place, a few, one value throughout, or a mix.
void fill_rows(const Work& work, const Rows& rows, unsigned background, base::Random& random) {
  const number::Format format = rows.terms->format();
  const auto walk = static_cast<std::int64_t>(random.below(4096));
  Palette palette = draw_palette(format, random);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    if (random.below(2) == 0) palette = draw_palette(format, random);
    const std::int64_t length = rows.length(row);
    if (length == 0) continue;
    const std::uint64_t mode = random.below(8);
    const base::Random words = random.split(static_cast<std::uint64_t>(row));
    const Row to = rows.row(row);
    const auto set_all = [&](auto&& word_from) {
      for (std::int64_t k = 0; k < length; ++k) to.set(k, word_from(words.at(static_cast<std::uint64_t>(k))));
    };
    if (mode == 0) {
      set_all([&](std::uint64_t) { return palette.words[0]; });
    } else if (mode == 1) {
      set_all([&](std::uint64_t drawn) { return palette.pick(drawn); });
    } else {
      set_all([&](std::uint64_t drawn) {
        const bool special = mode == 2 && (drawn >> 60) == 0;
        return special ? palette.pick(drawn << 4) : background_word(format, background, drawn);
      });
    }
    if (mode < 3) continue;
    // One special that walks through all positions as rows go by; in some rows a second one anywhere.
    std::int64_t at = mode < 5 ? (row + walk) % length : work.adversarial_position(length, random);
    to.set(at, palette.words[0]);
    if (mode < 6) continue;
    at = work.adversarial_position(length, random);
    to.set(at, palette.pick(random.next()));
  }
}

void fill_background(tensor::Tensor& tensor, unsigned kind, const base::Random& random) {
  fill_encoded(tensor, [&](auto format, std::int64_t i) {
    return background_word(format, kind, random.at(static_cast<std::uint64_t>(i)));
  });
}

void fill_everywhere(tensor::Tensor& tensor, const Palette& palette, const base::Random& random) {
  fill(tensor, [&](std::int64_t i) { return palette.pick(random.at(static_cast<std::uint64_t>(i))); });
}

/// Specials on an ordinary background: single elements, one row, one column, or everywhere.
void fill_matrix(const Work& work, tensor::Tensor& tensor, std::int64_t columns, base::Random& random) {
  const number::Format format = tensor.format();
  const Palette palette = draw_palette(format, random);
  const std::int64_t count = tensor.element_count();
  if (count == 0) return;
  const std::uint64_t place = random.below(8);
  if (place == 0) return fill_everywhere(tensor, palette, random.split(1));
  fill_background(tensor, static_cast<unsigned>(random.below(6)), random.split(2));
  const std::int64_t rows = count / columns;
  if (place == 1) {
    const auto row = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows)));
    for (std::int64_t j = 0; j < columns; ++j) tensor.set(row * columns + j, palette.pick(random.next()));
    return;
  }
  if (place == 2) {
    const std::int64_t column = work.adversarial_position(columns, random);
    for (std::int64_t i = 0; i < rows; ++i) tensor.set(i * columns + column, palette.pick(random.next()));
    return;
  }
  const std::uint64_t specials = place < 6 ? 1 : 1 + random.below(8);
  for (std::uint64_t i = 0; i < specials; ++i) {
    const auto row = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows)));
    const std::int64_t column = work.adversarial_position(columns, random);
    tensor.set(row * columns + column, palette.pick(random.next()));
  }
}

/// Zeros of either sign in one factor against infinities and NaNs in the other, in up to four products: 0 * Inf is NaN,
/// and so is 0 * NaN, which a kernel that skips zeros does not see.
void place_zeros_against_specials(Work& work, base::Random random) {
  const operation::Gemm gemm = *work.gemm();
  if (gemm.batch == 0 || gemm.m == 0 || gemm.n == 0 || gemm.k == 0) return;
  const auto any = [&](std::int64_t extent) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(extent)));
  };
  const std::uint64_t products = 1 + random.below(4);
  const bool left_first = random.below(2) == 0;
  // A special of a makes its row NaN and one of b its column, where the next product could not be seen.
  const bool alternate = std::min(gemm.m, gemm.n) >= 8;
  for (std::uint64_t i = 0; i < products; ++i) {
    const std::int64_t batch = any(gemm.batch), row = any(gemm.m), column = any(gemm.n);
    const std::int64_t k = work.adversarial_position(gemm.k, random);
    const bool zero_on_left = left_first != (alternate && i % 2 != 0);
    tensor::Tensor &a = work.left(), &b = *work.right();
    tensor::Tensor &zero = zero_on_left ? a : b, &other = zero_on_left ? b : a;
    const std::int64_t at_a = (batch * gemm.m + row) * gemm.k + k, at_b = (batch * gemm.k + k) * gemm.n + column;
    const number::Format& format = other.format();
    const bool negative = random.below(2) == 0;
    const bool infinite = format.has_infinity && random.below(2) == 0;
    const std::uint64_t sign = random.below(2) == 0 ? format.sign_mask() : 0;
    const std::uint64_t word = (infinite ? number::infinity(format) : number::canonical_nan(format)) ^ sign;
    zero.set(zero_on_left ? at_a : at_b, number::zero(zero.format(), negative));
    other.set(zero_on_left ? at_b : at_a, word);
  }
}

}  // namespace

const std::vector<std::uint64_t>& special_grid(const number::Format& format) {
  static const std::array<std::vector<std::uint64_t>, number::kFormats.size()> grids = [] {
    std::array<std::vector<std::uint64_t>, number::kFormats.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = make_grid(number::kFormats[i]);
    return all;
  }();
  return grids[static_cast<std::size_t>(format.id)];
}

void fill_special(Work& work) {
  base::Random& random = work.random;
  if (const auto gemm = work.gemm()) {
    // Which of a (1), b (2) and c (4) carry specials: mostly one, so that what it does is not hidden by another.
    constexpr std::array<unsigned, 8> kCarriers{1, 1, 1, 2, 2, 3, 4, 5};
    const bool zeros_meet_specials = random.split(7).below(8) < 3;
    const unsigned drawn = kCarriers[static_cast<std::size_t>(random.below(8))];
    // Other specials would hide what these products do.
    const unsigned carriers = zeros_meet_specials ? 0 : drawn;
    const auto background = static_cast<unsigned>(1 + random.below(5));
    fill_background(work.left(), background, random.split(1));
    fill_background(*work.right(), background, random.split(2));
    if (work.addend() != nullptr) fill_background(*work.addend(), background, random.split(3));
    if ((carriers & 1) != 0) fill_matrix(work, work.left(), std::max<std::int64_t>(1, gemm->k), random);
    if ((carriers & 2) != 0) fill_matrix(work, *work.right(), std::max<std::int64_t>(1, gemm->n), random);
    if ((carriers & 4) != 0 && work.addend() != nullptr) {
      fill_matrix(work, *work.addend(), std::max<std::int64_t>(1, gemm->n), random);
    }
    if (zeros_meet_specials) place_zeros_against_specials(work, random.split(8));
    return;
  }
  base::Random terms = random.split(4);
  const auto terms_background = static_cast<unsigned>(random.below(6));
  fill_rows(work, work.rows(), terms_background, terms);
  if (tensor::Tensor* const init = work.addend()) {
    const number::Format format = init->format();
    const std::vector<std::uint64_t>& grid = special_grid(format);
    // Half of the time as the terms are, so that a destination may hold nothing but negative numbers and a -0.
    const std::uint64_t other = random.below(12);
    const unsigned background = other < 6 ? terms_background : static_cast<unsigned>(other - 6);
    const base::Random words = random.split(5), places = random.split(6);
    fill(*init, [&](std::int64_t i) {
      const std::uint64_t drawn = words.at(static_cast<std::uint64_t>(i));
      const std::uint64_t place = places.at(static_cast<std::uint64_t>(i));
      if ((place & 1) == 0) return background_word(format, background, drawn);
      return grid[static_cast<std::size_t>(static_cast<unsigned __int128>(drawn) * grid.size() >> 64)];
    });
  }
}

}  // namespace negzero::generate
