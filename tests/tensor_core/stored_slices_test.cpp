// Simulated sums whose slices' sums are stored in F16 or BF16 on the way: each is permitted (rule 2f).
//
// Slices are chains or random trees of F32 or F64 additions, fused or not, in the host's arithmetic; or steps of a
// tensor core. The library's own sums and conversions have no part in them, but in the encoding of the result.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/screen.hpp>

#include "../screen_of.hpp"
#include "one_element.hpp"
#include "stepper.hpp"
#include "stored.hpp"

namespace negzero::tensor_core::stored_slices {
namespace {

using base::Random;
using contract::Contract;
using contract::TensorCore;
using number::FormatId;

/// What magnitudes a case has.
enum class Kind : std::uint8_t { Normal, Whole, Underflowing, Overflowing, Cancelling, Spread, Ties, Specials };
constexpr std::uint64_t kKinds = 8;

struct Drawn {
  Kind kind = Kind::Normal;
  FormatId factors = FormatId::F32, stored = FormatId::BF16;
  std::vector<double> a, b;
  double c = 0;
  bool reads_c = false, flushes = false, is_wide = false, steps = false;
};

const Shape& shape_of(FormatId id) { return id == FormatId::F16 ? kF16 : id == FormatId::BF16 ? kBf16 : kF32; }

double draw_value(Random& random, Kind kind, const Shape& shape, const Shape& narrow) {
  const double sign = random.below(2) == 0 ? 1 : -1;
  const double significand = 1 + std::ldexp(static_cast<double>(random.below(1u << std::min(shape.fraction_bits, 20))),
                                            -std::min(shape.fraction_bits, 20));
  const auto at = [&](std::int64_t low, std::int64_t high) {
    const std::int64_t exponent =
        std::clamp<std::int64_t>(random.between(low, high), shape.least_exponent, shape.greatest_exponent - 1);
    return sign * std::ldexp(significand, static_cast<int>(exponent));
  };
  if (random.below(16) == 0) return 0 * sign;
  switch (kind) {
    case Kind::Whole:
      return sign * static_cast<double>(random.below(9));
    case Kind::Underflowing: {
      // Around the square root of the narrow format's last place, so that products are near it.
      const int half = (narrow.least_exponent - narrow.fraction_bits) / 2;
      return at(half - 3, half + 2);
    }
    case Kind::Overflowing: {
      const int half = narrow.greatest_exponent / 2;
      return random.below(3) == 0 ? at(half - 6, half - 3) : at(half - 2, half + (random.below(8) == 0 ? 1 : 0));
    }
    case Kind::Spread:
      return at(-12, 12);
    case Kind::Ties:
      return sign * std::ldexp(1.0, -static_cast<int>(random.below(static_cast<std::uint64_t>(narrow.fraction_bits))));
    case Kind::Specials:
      if (random.below(12) == 0) return random.below(4) == 0 ? std::nan("") : sign * HUGE_VAL;
      return draw_value(random, random.below(2) == 0 ? Kind::Overflowing : Kind::Normal, shape, narrow);
    case Kind::Normal:
    case Kind::Cancelling:
      break;
  }
  return at(-4, 1);
}

Drawn draw(Random& random) {
  Drawn drawn;
  drawn.kind = static_cast<Kind>(random.below(kKinds));
  drawn.stored = random.below(2) == 0 ? FormatId::F16 : FormatId::BF16;
  constexpr FormatId kFactors[] = {FormatId::F32, FormatId::F16, FormatId::BF16};
  drawn.factors = kFactors[random.below(3)];
  drawn.steps = drawn.factors != FormatId::F32 && random.below(2) == 0;
  drawn.is_wide = !drawn.steps && random.below(4) == 0;
  drawn.flushes = random.below(5) == 0;
  const auto length = random.below(8);
  const auto k = static_cast<std::size_t>(length == 0  ? random.between(1, 3)
                                          : length < 7 ? random.between(2, 40)
                                                       : random.between(40, 300));
  const Shape &shape = shape_of(drawn.factors), &narrow = shape_of(drawn.stored);
  for (std::size_t i = 0; i < k; ++i) {
    drawn.a.push_back(draw_value(random, drawn.kind, shape, narrow));
    drawn.b.push_back(random.below(6) == 0 ? 1.0 : draw_value(random, drawn.kind, shape, narrow));
  }
  if (drawn.kind == Kind::Cancelling) {
    for (std::size_t i = k / 2; i < k; ++i) {
      drawn.a[i] = drawn.a[i - k / 2];
      drawn.b[i] = -drawn.b[i - k / 2];
    }
  }
  drawn.reads_c = random.below(3) == 0;
  if (drawn.reads_c) drawn.c = draw_value(random, drawn.kind, kF32, narrow);
  return drawn;
}

/// The arithmetic of one accumulator, in the host's.
template <class Value>
struct Accumulator {
  Random& random;
  bool flushes;

  Value flushed(Value x) const {
    const bool is_subnormal = x != 0 && std::fabs(x) < std::numeric_limits<Value>::min();
    return flushes && is_subnormal && random.below(2) == 0 ? std::copysign(Value{0}, x) : x;
  }
  Value add(Value x, Value y) const { return flushed(x + y); }
  Value multiply(double a, double b) const { return flushed(static_cast<Value>(a) * static_cast<Value>(b)); }
  Value join(double a, double b, Value x) const {
    if (random.below(2) == 0) return add(multiply(a, b), x);
    return flushed(std::fma(static_cast<Value>(a), static_cast<Value>(b), x));
  }
  /// The values in any tree.
  Value tree(std::vector<Value> values) const {
    while (values.size() > 1) {
      const std::size_t i = random.below(values.size());
      std::swap(values[i], values.back());
      const Value x = values.back();
      values.pop_back();
      Value& y = values[random.below(values.size())];
      y = add(x, y);
    }
    return values.front();
  }
};

/// How many numbers a store changed, went to zero or to an infinity.
struct Seen {
  std::uint64_t sums = 0, rounded = 0, vanished = 0, overflown = 0, vacuous = 0, special = 0;
};

template <class Value>
double simulated(Random& random, const Drawn& drawn, std::size_t slices, Seen& seen) {
  const Accumulator<Value> sum{random, drawn.flushes};
  std::vector<std::size_t> order(drawn.a.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<std::size_t> cuts{0, order.size()};
  for (std::size_t i = 1; i < slices; ++i) cuts.push_back(random.below(order.size() + 1));
  std::ranges::sort(cuts);
  const Shape& narrow = shape_of(drawn.stored);
  const auto stores = random.below(3);  // none, all, some of them
  bool c_waits = drawn.reads_c;
  std::vector<Value> sums;
  const Machine machine{25, 24, false, -133, static_cast<std::size_t>(random.below(2) == 0 ? 16 : 8)};
  for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
    if (cuts[s] == cuts[s + 1]) continue;
    const bool starts_at_c = c_waits && random.below(3) == 0;
    if (starts_at_c) c_waits = false;
    Value value;
    if (drawn.steps) {
      std::vector<double> a, b;
      for (std::size_t i = cuts[s]; i < cuts[s + 1]; ++i) {
        a.push_back(drawn.a[order[i]]);
        b.push_back(drawn.b[order[i]]);
      }
      const Shape& shape = shape_of(drawn.factors);
      value = static_cast<Value>(slice(machine, a, shape, b, shape, starts_at_c ? drawn.c : 0));
    } else if (random.below(2) == 0) {
      std::size_t i = cuts[s];
      value = starts_at_c            ? static_cast<Value>(drawn.c)
              : random.below(2) == 0 ? Value{0}
                                     : sum.multiply(drawn.a[order[i]], drawn.b[order[i]]);
      if (!starts_at_c && !(value == 0 && !std::signbit(value) && random.below(2) == 0)) {
        // Either the first product, or +0 that it is joined to.
        value = random.below(2) == 0 ? sum.multiply(drawn.a[order[i]], drawn.b[order[i]])
                                     : sum.join(drawn.a[order[i]], drawn.b[order[i]], 0);
        ++i;
      }
      for (; i < cuts[s + 1]; ++i) value = sum.join(drawn.a[order[i]], drawn.b[order[i]], value);
    } else {
      std::vector<Value> leaves;
      for (std::size_t i = cuts[s]; i < cuts[s + 1]; ++i) {
        leaves.push_back(sum.multiply(drawn.a[order[i]], drawn.b[order[i]]));
      }
      if (starts_at_c) leaves.push_back(static_cast<Value>(drawn.c));
      value = sum.tree(std::move(leaves));
    }
    if (stores == 1 || (stores == 2 && random.below(2) == 0)) {
      double kept = stored(static_cast<double>(value), narrow);
      if (drawn.flushes && std::fabs(kept) < std::ldexp(1.0, narrow.least_exponent) && random.below(2) == 0) {
        kept = std::copysign(0.0, kept);
      }
      seen.rounded += kept != static_cast<double>(value) ? 1 : 0;
      seen.vanished += kept == 0 && value != 0 ? 1 : 0;
      seen.overflown += std::isinf(kept) && std::isfinite(value) ? 1 : 0;
      value = static_cast<Value>(kept);
    }
    sums.push_back(value);
  }
  if (c_waits) sums.push_back(static_cast<Value>(drawn.c));
  return static_cast<double>(sum.tree(std::move(sums)));
}

Contract contract_of(const Drawn& drawn, std::int64_t slices) {
  Contract contract;
  contract.accumulate = drawn.is_wide ? FormatId::F64 : FormatId::F32;
  contract.wider = false;
  contract.slice_format = drawn.stored;
  contract.slices = slices;
  contract.zero_sign = contract::ZeroSign::Ieee;
  if (drawn.steps) contract.tensor_core = TensorCore::Only;
  if (drawn.flushes) contract.subnormal_results = contract::Subnormals::Either;
  return contract;
}

operation::Case case_of(const Drawn& drawn) {
  operation::Gemm gemm;
  gemm.a = gemm.b = drawn.factors;
  gemm.d = drawn.is_wide ? FormatId::F64 : FormatId::F32;
  if (drawn.reads_c) gemm.beta = gemm.alpha;
  return one_element(gemm, drawn.a, drawn.b, drawn.c);
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(StoredSlices, EverySumIsPermitted) {
  const Random all(setting("NEGZERO_TENSOR_CORE_SEED", 1));
  Seen seen;
  std::uint64_t passed = 0;
  for (std::uint64_t n = 0; n < setting("NEGZERO_TENSOR_CORE_SUMS", 20000); ++n) {
    Random random = all.split(n);
    const Drawn drawn = draw(random);
    const operation::Case value = case_of(drawn);
    const auto parts = static_cast<std::size_t>(random.between(1, 5));
    const Contract limited = contract_of(drawn, static_cast<std::int64_t>(parts));
    std::vector<Contract> free{contract_of(drawn, 0)};
    if (drawn.steps) free.emplace_back(free.front()).tensor_core = TensorCore::May;
    if (!drawn.is_wide) free.emplace_back(free.front()).wider = true;
    const auto own = oracle::Oracle::make(value, limited);
    ASSERT_TRUE(own.ok()) << own.error().message;
    const oracle::Permitted own_set = own->permitted(0);
    const auto own_screen = screen_of(value, limited);
    seen.vacuous += own_set.vacuous ? 1 : 0;
    seen.special += own_set.plus_infinity || own_set.minus_infinity || own_set.nan ? 1 : 0;
    std::vector<oracle::Permitted> free_sets;
    for (const Contract& contract : free) free_sets.push_back(oracle::Oracle::make(value, contract)->permitted(0));
    const number::Format& output = number::format(drawn.is_wide ? FormatId::F64 : FormatId::F32);
    for (int run = 0; run < 12; ++run, ++seen.sums) {
      const bool declared = run < 6;
      const std::size_t slices = declared ? parts : 1 + random.below(drawn.a.size() + 2);
      const double result = drawn.is_wide ? simulated<double>(random, drawn, slices, seen)
                                          : simulated<float>(random, drawn, slices, seen);
      const std::uint64_t word = number::from_double(output, result);
      const auto about = [&] {
        return std::to_string(n) + " run " + std::to_string(run) + ", " + std::to_string(slices) +
               " slices: " + std::to_string(result) + "\n" + contract::to_json(limited) + "\n" + own->explain(0);
      };
      if (declared) {
        ASSERT_TRUE(own_set.contains(word)) << about();
        passed += own_screen != nullptr && own_screen->settle(0, word).passes ? 1 : 0;
      }
      for (const oracle::Permitted& set : free_sets) ASSERT_TRUE(set.contains(word)) << about() << set.to_string();
    }
  }
  std::cout << "           " << seen.sums << " sums permitted, " << passed << " passed the screen; stores that rounded "
            << seen.rounded << ", went to zero " << seen.vanished << ", overflowed " << seen.overflown << "; sets with "
            << "infinities or NaN " << seen.special << ", vacuous " << seen.vacuous << "\n";
  EXPECT_GT(seen.rounded, seen.sums / 4);
  EXPECT_GT(seen.vanished, seen.sums / 100);
  EXPECT_GT(seen.overflown, seen.sums / 100);
}

}  // namespace
}  // namespace negzero::tensor_core::stored_slices
