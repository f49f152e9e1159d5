// `extreme`: results at both ends of the range, and sums that leave it on the way to a finite result.

#include <algorithm>
#include <bit>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

/// significand * 2^exponent, a product of the row.
struct Product {
  std::int64_t significand = 0;
  int exponent = 0;
};

/// What one row aims at; each row draws its own.
enum class Ending : std::uint8_t {
  Swing,        ///< +x +x -x: two of them overflow, all three do not
  Top,          ///< the largest finite output and its neighbours
  MinNormal,    ///< the smallest normal output and its neighbours
  Subnormal,    ///< any subnormal output
  FallsToTiny,  ///< two normal numbers whose difference is subnormal
  BroughtBack,  ///< overflows the output unless alpha brings it back
  Equal,        ///< one large value throughout: the sum overflows, the mean does not
  Ordinary,
};

struct Ends {
  int top = 0;     ///< 2^top: what overflows when doubled
  int factor = 0;  ///< the other side is 2^factor or minus that
  number::Format output;
};

std::vector<Product> make_products(Ending ending, const Ends& ends, const Aim& aim, base::Random& random) {
  const number::Format& output = ends.output;
  const int eta = output.eta_exponent();
  const int fraction = output.precision() - 1;
  const auto below = [&](int bits) {
    return static_cast<std::int64_t>(random.below(std::uint64_t{1} << std::clamp(bits, 0, 61)));
  };
  switch (ending) {
    case Ending::Swing: {
      const int bits = std::min(aim.left_bits, 8);
      const std::int64_t lead = std::int64_t{1} << (bits - 1);
      const std::int64_t x = std::min(lead | below(bits - 1), 2 * lead - 2);
      const int exponent = ends.top - bits + 1;
      return {{x, exponent}, {x, exponent}, {-x, exponent}};
    }
    case Ending::Top: {
      const number::Decoded last = number::decode(output, number::max_finite(output));
      return {{static_cast<std::int64_t>(last.significand) - below(2), last.exponent}};
    }
    case Ending::MinNormal: {
      const std::int64_t smallest = std::int64_t{1} << fraction;
      return {{smallest - 2 + below(2), eta}};
    }
    case Ending::Subnormal: {
      const int bits = static_cast<int>(random.between(0, fraction));
      return {{1 + below(bits), eta}};
    }
    case Ending::FallsToTiny: {
      const std::int64_t x = (std::int64_t{1} << fraction) | below(fraction);
      const std::int64_t y = (std::int64_t{1} << fraction) | below(fraction);
      return {{x, eta}, {-y, eta}};
    }
    case Ending::BroughtBack: {
      const int bits = std::min(aim.left_bits, 8);
      return {{(std::int64_t{1} << (bits - 1)) | below(bits - 1), output.max_exponent() - bits + 2}};
    }
    case Ending::Equal:
    case Ending::Ordinary:
      break;
  }
  return {{1 + below(3), 0}, {1 + below(3), 0}};
}

/// Cuts products into terms that the left format holds; nothing where one is out of its range.
std::vector<Product> cut(const std::vector<Product>& products, const Ends& ends, const Aim& aim) {
  std::vector<Product> terms;
  for (const Product& product : products) {
    std::int64_t rest = product.significand < 0 ? -product.significand : product.significand;
    while (rest != 0) {
      const int length = std::bit_width(static_cast<std::uint64_t>(rest));
      const int shift = std::max(0, length - aim.left_bits);
      const std::int64_t kept = rest >> shift;
      rest -= kept << shift;
      const int exponent = product.exponent + shift - ends.factor;
      const int width = std::bit_width(static_cast<std::uint64_t>(kept));
      if (exponent + std::countr_zero(static_cast<std::uint64_t>(kept)) < aim.left_powers.low) return {};
      if (exponent + width - 1 > aim.left_powers.high) return {};
      terms.push_back({product.significand < 0 ? -kept : kept, exponent});
    }
  }
  return terms;
}

Ending draw_ending(const Work& work, base::Random& random) {
  if (work.signature().combine == notation::Combine::Mean && random.below(3) == 0) return Ending::Equal;
  if (const auto gemm = work.gemm()) {
    const double alpha = number::to_double(number::format(gemm->alpha.format), gemm->alpha.bits);
    if (alpha > -1 && alpha < 1 && random.below(3) == 0) return Ending::BroughtBack;
  }
  constexpr Ending kEndings[] = {Ending::Swing,     Ending::Swing,     Ending::Top,         Ending::MinNormal,
                                 Ending::Subnormal, Ending::Subnormal, Ending::FallsToTiny, Ending::Ordinary};
  return kEndings[random.below(8)];
}

/// Integers at the ends of their formats, all along a line or one end here and there: their products are those that a
/// sum in fewer bits does not hold.
void fill_ends(const Rows& rows, const number::Format& format, base::Random random) {
  for (std::int64_t line = 0; line < rows.count; ++line) {
    const Row to = rows.row(line);
    const std::uint64_t kind = random.below(4);
    for (std::int64_t k = 0; k < rows.longest(); ++k) {
      const bool is_low = kind == 0 || (kind > 1 && random.below(2) == 0);
      to.set(k, number::max_finite(format, is_low && format.is_signed()));
    }
  }
}

}  // namespace

void fill_extreme(Work& work) {
  if (is_selection(work.plan.operation)) return select_extreme(work);
  if (work.right() != nullptr && work.aim.left.is_integer() && work.random.below(2) == 0) {
    fill_ends(work.rows(false), work.aim.left, work.random.split(3));
    fill_ends(work.factors(false), work.aim.right, work.random.split(4));
    return fill_plain_addend(work);
  }
  base::Random& random = work.random;
  const bool has_factor = work.right() != nullptr;
  const bool swapped = has_factor && random.below(2) == 0;
  Aim aim = work.aim;
  if (swapped) swap_sides(aim);
  // Subnormal terms are wanted even where the contract flushes them: that is what shows whether a kernel does.
  const contract::Multiplicands converted = contract::conversions(work.request.contract).back();
  if ((swapped ? converted.b : converted.a) == contract::Multiplicand::Exact) {
    aim.left_powers.low = aim.left.eta_exponent();
  }
  const Rows rows = work.rows(swapped);
  Ends ends;
  ends.output = aim.output;
  const int high = std::min(aim.right_powers.high, 16), low = std::min(high, std::max(aim.right_powers.low, -16));
  if (has_factor) {
    const std::uint64_t choice = random.below(4);
    ends.factor = choice == 0   ? low
                  : choice == 1 ? high
                  : choice == 2 ? std::clamp(0, low, high)
                                : static_cast<int>(random.between(low, high));
  }
  // The accumulator's range where products reach it, else the output's: an accumulator of the output's format fails.
  const int reach = aim.left_powers.high + ends.factor;
  ends.top =
      reach >= aim.accumulator_powers.high ? aim.accumulator_powers.high : std::min(reach, aim.output.max_exponent());
  const number::Format format = aim.left;
  fill(*rows.terms, [&](std::int64_t) { return number::zero(format); });
  if (has_factor) {
    const Rows factors = work.factors(swapped);
    base::Random signs = random.split(1);
    for (std::int64_t line = 0; line < factors.count; ++line) {
      const Row to = factors.row(line);
      const std::uint64_t one = encode_integer(aim.right, signs.below(2) == 0 ? -1 : 1, ends.factor);
      for (std::int64_t k = 0; k < rows.longest(); ++k) to.set(k, one);
    }
  }
  fill_plain_addend(work);
  base::Random stream = random.split(2);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const std::int64_t length = rows.length(row);
    const Row to = rows.row(row);
    const Ending ending = draw_ending(work, stream);
    const bool negative = stream.below(2) == 0;
    if (ending == Ending::Equal) {
      const std::uint64_t word = word_in_binade(format, ends.top, negative ? 1 : 0);
      for (std::int64_t k = 0; k < length; ++k) to.set(k, word);
      continue;
    }
    std::vector<Product> terms = cut(make_products(ending, ends, aim, stream), ends, aim);
    if (terms.empty()) terms = cut(make_products(Ending::Swing, ends, aim, stream), ends, aim);
    if (terms.empty()) terms = cut(make_products(Ending::Ordinary, ends, aim, stream), ends, aim);
    if (length < static_cast<std::int64_t>(terms.size())) terms.resize(static_cast<std::size_t>(length));
    std::vector<std::int64_t> taken;
    for (const Product& term : terms) {
      std::int64_t at = work.adversarial_position(length, stream);
      while (std::find(taken.begin(), taken.end(), at) != taken.end()) at = (at + 1) % length;
      taken.push_back(at);
      const std::int64_t significand = negative ? -term.significand : term.significand;
      to.set(at, encode_integer(format, significand, term.exponent));
    }
  }
}

}  // namespace negzero::generate
