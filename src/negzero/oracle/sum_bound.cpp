// Rules a and c. Every bound holds for any tree: fused chains, slices and pairwise sums are trees.
//
// Nearest, relative form: m u S + nu eta/2 by induction over the tree (Jeannerod & Rump, SIAM J. Matrix Anal. Appl. 34,
// 2013, for products rounded apart). For a fused join fl(x^ + p) the induction needs
// |error| <= u S_x + (m_x + 1) u |p|. If |p| <= u S_x the error is at most |p|, the distance to x^; otherwise
// u/(1+u) |x^ + p| <= u (S_x + |p|) + m_x u^2 S_x, and u S_x < |p|. Terms that the accumulator holds save one rounding:
// (m-1) u S (Rump 2012).
//
// Nearest, ulp form: each of the m - 1 joins errs by at most half an ulp of a number whose magnitude no partial sum of
// the terms of one sign exceeds: with the terms of the other sign taken for zeros every join gives that much or more,
// as roundings are monotone. So it errs by half an ulp of max(P', N') at most, and each leaf that is rounded by half an
// ulp of itself. A fused join replaces a leaf's rounding by none, so the form covers fused trees of any shape: a slice
// of one product still rounds it, which is why m ulp(S')/2 (true for one chain) is not used.
//
// Nearest, where a term meets at most h roundings: by induction over the tree y^ is the sum of each term times h
// factors 1 + d at most, |d| <= u, and of what underflows or is flushed, times as many (Higham, Accuracy and Stability
// of Numerical Algorithms, 2nd ed., section 4.2). So |y^ - s| <= ((1 + u)^h - 1) S + (1 + u)^h (nu eta/2 + lost).

#include <algorithm>
#include <bit>

#include <negzero/oracle/sum_bound.hpp>

namespace negzero::oracle {

using contract::AccumulateRounding;
using contract::Subnormals;
using exact::Dyadic;

namespace {

__extension__ using Wide = unsigned __int128;

int bit_width(Wide x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(x));
}
int trailing_zeros(Wide x) {
  const auto low = static_cast<std::uint64_t>(x);
  return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(x >> 64));
}
std::uint64_t magnitude(std::int64_t x) {
  return x < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
}

/// significand * 2^exponent, 2^63 <= significand < 2^64.
struct Rounded64 {
  std::uint64_t significand;
  int exponent;
};

/// a * b rounded up.
Rounded64 rounded_up(const Rounded64& a, const Rounded64& b) {
  const Wide product = Wide{a.significand} * b.significand;
  const int drop = bit_width(product) - 64;
  const Rounded64 down{static_cast<std::uint64_t>(product >> drop), a.exponent + b.exponent + drop};
  if (trailing_zeros(product) >= drop) return down;
  if (down.significand + 1 != 0) return {down.significand + 1, down.exponent};
  return {std::uint64_t{1} << 63, down.exponent + 1};
}

}  // namespace

void LeafCount::count(const LeafCount& more) noexcept {
  nonzero += more.nonzero;
  inexact += more.inexact;
  underflowing += more.underflowing;
  below_eta += more.below_eta;
  subnormal += more.subnormal;
}

LeafCount Leaves::all() const {
  LeafCount both = positive;
  both.count(negative);
  both.ulps += negative.ulps;
  return both;
}

void PowerSum::add(int exponent) {
  // 2^40 terms at the window's upper end still fit.
  if (sum_ == 0 || exponent < base_ || exponent > base_ + 86) {
    rest_ = value();
    base_ = exponent - 43;
    sum_ = 0;
  }
  sum_ += Wide{1} << (exponent - base_);
}

Dyadic PowerSum::value() const {
  const auto high = static_cast<std::uint64_t>(sum_ >> 64), low = static_cast<std::uint64_t>(sum_);
  return rest_ + Dyadic::from_words(false, high, low, base_);
}

LeafCounter::LeafCounter(const Arithmetic& arithmetic)
    : precision_(arithmetic.precision()),
      eta_(arithmetic.eta_exponent()),
      min_normal_(arithmetic.format().min_normal_exponent()),
      inputs_flush_(arithmetic.inputs() != Subnormals::Keep),
      results_flush_(arithmetic.results() != Subnormals::Keep),
      flushes_loads_(arithmetic.may_flush_loads()) {}

void LeafCounter::add(const Terms& terms, std::size_t begin, std::size_t end) {
  const exact::Factors a = terms.a(), b = terms.b();
  Leaves more;
  for (std::size_t i = begin; i < end; ++i) {
    if (terms.is_zero(i)) continue;
    const Wide product = Wide{magnitude(a.significand[i])} * magnitude(b.significand[i]);
    const int exponent = a.exponent[i] + b.exponent[i];
    const int top = bit_width(product) - 1 + exponent, lowest = trailing_zeros(product) + exponent;
    const bool negative = (a.significand[i] < 0) != (b.significand[i] < 0);
    LeafCount& count = negative ? more.negative : more.positive;
    ++count.nonzero;
    const bool held = top - lowest < precision_ && lowest >= eta_;
    const bool stays = held && (terms.flags(i) & kLoaded) != 0;
    if (top < min_normal_ && (inputs_flush_ || (stays ? flushes_loads_ : results_flush_))) ++count.subnormal;
    count.below_eta += lowest < eta_ ? 1 : 0;
    if (held) continue;
    ++count.inexact;
    count.underflowing += top < min_normal_ ? 1 : 0;
    (negative ? negative_ulps_ : positive_ulps_).add(std::max(top - precision_ + 1, eta_));
  }
  counts_.positive.count(more.positive);
  counts_.negative.count(more.negative);
}

Leaves LeafCounter::leaves() const {
  Leaves leaves = counts_;
  leaves.positive.ulps = positive_ulps_.value();
  leaves.negative.ulps = negative_ulps_.value();
  return leaves;
}

Leaves inspect(const Arithmetic& arithmetic, const Terms& terms) {
  LeafCounter counter(arithmetic);
  counter.add(terms, 0, terms.size());
  return counter.leaves();
}

bool needs_no_rounding(const Arithmetic& arithmetic, const Facts& facts) {
  if (facts.nonzero == 0) return true;
  const int floor = arithmetic.floor_exponent();
  return facts.lowest_bit >= floor &&
         facts.magnitude() <= Dyadic::power_of_two(facts.lowest_bit + arithmetic.precision());
}

Dyadic compound_growth(int exponent, std::uint64_t k) {
  constexpr Rounded64 kOne{std::uint64_t{1} << 63, -63};
  Rounded64 power = kOne, base = kOne;
  if (exponent == 0) {
    ++base.exponent;
  } else {
    base.significand |= std::uint64_t{1} << (63 + exponent);
  }
  for (std::uint64_t rest = k; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) power = rounded_up(power, base);
    base = rounded_up(base, base);
  }
  return Dyadic::from_words(false, 0, power.significand, power.exponent) - Dyadic(1);
}

namespace {

/// A value in the tree is lost at most once, as a result or as an operand: leaves and joins count alike.
Dyadic lost_by_flushing(const Arithmetic& arithmetic, const LeafCount& leaves, std::uint64_t joins) {
  if (!arithmetic.may_flush()) return {};
  return Dyadic(static_cast<std::int64_t>(leaves.subnormal + joins), arithmetic.format().min_normal_exponent());
}

}  // namespace

Dyadic sum_bound(const Arithmetic& arithmetic, const Signed& terms, const LeafCount& leaves, const Trees& trees) {
  if (leaves.nonzero == 0) return {};
  const int p = arithmetic.precision();
  const auto m = static_cast<std::int64_t>(leaves.nonzero);
  const auto nu = static_cast<std::int64_t>(leaves.underflowing);
  const std::int64_t leaf = leaves.inexact != 0 ? 1 : 0, k = m - 1 + leaf;
  const Dyadic total = terms.magnitude(), eta = Dyadic::power_of_two(arithmetic.eta_exponent());
  const Dyadic lost = lost_by_flushing(arithmetic, leaves, trees.joins_flush ? leaves.nonzero - 1 : 0);
  switch (arithmetic.rounding()) {
    case AccumulateRounding::Nearest: {
      const Dyadic underflow = Dyadic(nu) * eta.scaled(-1);
      const auto relative = [&](const Dyadic& sum) { return Dyadic(k, -p) * sum + underflow; };
      const Dyadic& larger = std::max(terms.positive, terms.negative);
      const Dyadic stepwise =
          leaves.ulps.scaled(-1) + Dyadic(m - 1, -1) * ulp(arithmetic.format(), larger + relative(larger));
      const Dyadic bound = std::min(relative(total), stepwise) + lost;
      if (trees.additions >= leaves.nonzero - 1) return bound;
      const Dyadic growth = compound_growth(-p, trees.additions + static_cast<std::uint64_t>(leaf));
      return std::min(bound, growth * (total + underflow + lost) + underflow + lost);
    }
    case AccumulateRounding::TowardZero: {
      const Dyadic relative = Dyadic(k, 1 - p) * total + Dyadic(nu) * eta;
      return std::min(relative, Dyadic(m - 1) * ulp(arithmetic.format(), total) + leaves.ulps) + lost;
    }
    case AccumulateRounding::Faithful:
      break;
  }
  return compound_growth(1 - p, static_cast<std::uint64_t>(k)) * total + Dyadic(nu) * eta + lost;
}

Dyadic mixed_bound(std::span<const Arithmetic> widths, const Signed& terms, std::span<const LeafCount> leaves,
                   const Trees& trees) {
  const LeafCount& narrowest = leaves.front();
  if (narrowest.nonzero == 0) return {};
  const auto m = static_cast<std::int64_t>(narrowest.nonzero);
  const std::uint64_t k = std::min(trees.additions, narrowest.nonzero - 1) + (narrowest.inexact != 0 ? 1 : 0);
  bool is_nearest = true;
  Dyadic grown(1), tiny, lost;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const Arithmetic& each = widths[i];
    const bool nearest = each.rounding() == AccumulateRounding::Nearest;
    is_nearest &= nearest;
    grown = grown + grown * compound_growth((nearest ? 0 : 1) - each.precision(), k);
    tiny += Dyadic(static_cast<std::int64_t>(leaves[i].underflowing), each.eta_exponent());
    lost += lost_by_flushing(each, leaves[i], trees.joins_flush ? leaves[i].nonzero - 1 : 0);
  }
  const auto relative = [&](const Dyadic& sum) { return (grown - Dyadic(1)) * sum + grown * tiny; };
  const Dyadic bound = relative(terms.magnitude());
  if (trees.additions < narrowest.nonzero - 1) lost = grown * lost;
  if (!is_nearest) return bound + lost;
  const Dyadic& larger = std::max(terms.positive, terms.negative);
  Dyadic stepwise;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    stepwise += (leaves[i].ulps + Dyadic(m - 1) * ulp(widths[i].format(), larger + relative(larger))).scaled(-1);
  }
  return std::min(bound, stepwise) + lost;
}

Dyadic compensated_bound(const Arithmetic& arithmetic, const Dyadic& total, const LeafCount& leaves, std::size_t terms,
                         bool joins_flush) {
  if (leaves.nonzero == 0) return {};
  const std::uint64_t joins = leaves.nonzero > 1 ? leaves.nonzero : 0;
  const std::uint64_t k = joins + (leaves.inexact != 0 ? 1 : 0);
  const Dyadic lost(static_cast<std::int64_t>(leaves.below_eta), arithmetic.eta_exponent() - 1);
  return Dyadic(static_cast<std::int64_t>(k), -arithmetic.precision()) * (total + lost) + lost +
         Dyadic(joins_flush && arithmetic.may_flush() ? static_cast<std::int64_t>(10 * terms) : 0,
                arithmetic.format().min_normal_exponent());
}

Dyadic reach(const Arithmetic& arithmetic, const Dyadic& one_sign, const LeafCount& leaves, bool no_rounding,
             std::uint64_t additions) {
  if (no_rounding || arithmetic.rounding() == AccumulateRounding::TowardZero) return one_sign;
  return one_sign + sum_bound(arithmetic, {one_sign, {}}, leaves, {false, additions});
}

}  // namespace negzero::oracle
