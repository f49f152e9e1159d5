// What exact, sparse, cancel, tie and extreme mean where the result is one of the inputs.

#include <algorithm>
#include <array>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

/// A finite ordinal of the format around which a case plays, `room` steps from either end and from zero.
std::int64_t draw_base(const number::Format& format, std::int64_t room, base::Random& random) {
  const std::int64_t last = number::ordinal(format, number::max_finite(format)) - room;
  const std::int64_t one = number::ordinal(format, number::one(format));
  const bool anywhere = random.below(2) == 0;
  const std::int64_t drawn = anywhere ? random.between(std::min(room, last), last) : one;
  return random.below(2) == 0 ? -drawn : drawn;
}

template <typename WordAt>
void fill_values_and_init(Work& work, WordAt&& word_at) {
  const base::Random terms = work.random.split(1), initial = work.random.split(2);
  fill(work.left(), [&](std::int64_t i) { return word_at(terms.at(static_cast<std::uint64_t>(i))); });
  if (tensor::Tensor* const init = work.addend()) {
    fill(*init, [&](std::int64_t i) { return word_at(initial.at(static_cast<std::uint64_t>(i))); });
  }
}

/// What loses against everything drawn around `base`: an infinity, the largest number of that sign, or less extreme.
std::uint64_t losing_word(const number::Format& format, bool greatest, std::int64_t base, base::Random& random) {
  switch (random.below(3)) {
    case 0:
      return number::infinity(format, greatest);
    case 1:
      return number::max_finite(format, greatest);
    default:
      return number::from_ordinal(format, greatest ? base - 9 : base + 9);
  }
}

/// A background that loses, and at places where kernels err `copies` of the winner. Zero on both sides where `zeros`.
void place_winners(Work& work, std::uint64_t copies, bool zeros) {
  base::Random& random = work.random;
  const Rows rows = work.rows();
  const number::Format format = rows.terms->format();
  const bool greatest = selects_greatest(work.plan.operation);
  const std::int64_t base = draw_base(format, 16, random);
  const std::uint64_t loser =
      zeros ? number::from_ordinal(format, greatest ? -9 : 9) : losing_word(format, greatest, base, random);
  const base::Random losers = random.split(1);
  const bool one_loser = random.below(2) == 0;
  fill(*rows.terms, [&](std::int64_t i) {
    if (one_loser) return loser;
    const auto step = static_cast<std::int64_t>(losers.at(static_cast<std::uint64_t>(i)) & 7);
    return number::from_ordinal(format, (zeros ? 0 : base) + (greatest ? -1 - step : 1 + step));
  });
  base::Random places = random.split(2);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const std::int64_t length = rows.length(row);
    for (std::uint64_t copy = 0; copy < copies && length != 0; ++copy) {
      const std::int64_t at = work.adversarial_position(length, places);
      const bool minus = zeros && places.below(2) == 0;
      rows.row(row).set(at, zeros ? number::zero(format, minus) : number::from_ordinal(format, base));
    }
  }
  if (tensor::Tensor* const init = work.addend()) {
    const base::Random initial = random.split(3);
    const std::uint64_t identity = number::infinity(format, greatest);
    fill(*init, [&](std::int64_t i) {
      const std::uint64_t drawn = initial.at(static_cast<std::uint64_t>(i));
      if ((drawn & 1) == 0) return identity;
      return (drawn & 2) == 0 ? loser : number::from_ordinal(format, base);
    });
  }
}

}  // namespace

void select_exact(Work& work) {
  // Neighbours that differ in their last bits: whoever compares in fewer bits takes them for equal.
  const number::Format format = work.left().format();
  const std::int64_t base = draw_base(format, 64, work.random);
  const std::uint64_t steps = std::uint64_t{2} << work.random.below(5);
  fill_values_and_init(work, [&](std::uint64_t random) {
    const auto step = static_cast<std::int64_t>(static_cast<unsigned __int128>(random) * steps >> 64);
    return number::from_ordinal(format, base + step);
  });
}

void select_sparse(Work& work) { place_winners(work, 1, false); }

void select_cancel(Work& work) {
  // Nearly equal magnitudes of both signs: a comparison of integers or magnitudes orders them wrongly.
  const number::Format format = work.left().format();
  const std::int64_t base = draw_base(format, 16, work.random);
  const bool only_negative = work.random.below(3) == 0;
  fill_values_and_init(work, [&](std::uint64_t random) {
    const std::int64_t value = (base < 0 ? -base : base) + static_cast<std::int64_t>(random >> 62);
    return number::from_ordinal(format, only_negative || (random & 1) != 0 ? -value : value);
  });
}

void select_tie(Work& work) {
  const bool zeros = work.random.below(3) == 0;
  const std::uint64_t copies = 2 + work.random.below(3);
  place_winners(work, copies, zeros);
}

void select_extreme(Work& work) {
  const number::Format format = work.left().format();
  // One to three of the ends of the range, so that rows of one value occur.
  std::array<std::uint64_t, 3> words{};
  for (std::uint64_t& word : words) {
    const bool negative = work.random.below(2) == 0;
    switch (work.random.below(5)) {
      case 0:
        word = number::infinity(format, negative);
        break;
      case 1:
        word = number::max_finite(format, negative);
        break;
      case 2:
        word = number::min_normal(format, negative);
        break;
      case 3:
        word = number::max_subnormal(format, negative);
        break;
      default:
        word = number::min_subnormal(format, negative);
    }
  }
  const std::uint64_t size = 1 + work.random.below(3);
  fill_values_and_init(work, [&](std::uint64_t random) {
    return words[static_cast<std::size_t>(static_cast<unsigned __int128>(random) * size >> 64)];
  });
}

}  // namespace negzero::generate
