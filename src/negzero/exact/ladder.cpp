// The method for windows of at most 154 bits: two or three doubles hold each sum, every one a rung with a preset ulp.
//
// A rung that starts at 1.5 * 2^52 ulps keeps that ulp while it sums: adding a product rounds it to a multiple of the
// ulp, what was added is exact, and so is the rest, which goes to the next rung. The last rung adds rests exactly.
//
//   window    highest ................................................................ lowest
//   rung 1    |sums of multiples of U1, below 2^51 U1   |
//   rung 2                                  |sums of multiples of U2, below 2^51 U2   |
//   last                                                                |multiples of 2^lowest, to 2^53 of them|
//
// With n = 2^k terms between two readings: n 2^highest <= 2^50 U1, n U1 <= 2^50 U2 and n U_last-1 / 2 <= 2^53 2^lowest,
// so that w bits of window need w <= 53 - k, 104 - 2k or 154 - 3k with one, two or three rungs. No order of additions
// within the n matters: all of them are exact.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include <negzero/exact/methods.hpp>
#include <negzero/exact/wide.hpp>

// Vectors are passed to functions that are always inlined: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace negzero::exact {
namespace {

constexpr std::size_t kLanes = 8;
using Doubles [[gnu::vector_size(kLanes * 8)]] = double;
using Words [[gnu::vector_size(kLanes * 8)]] = std::int64_t;
using Places [[gnu::vector_size(kLanes * 4)]] = std::int32_t;
using Exponents [[gnu::vector_size(kLanes * 4)]] = std::uint32_t;

constexpr int kMaxRungs = 3;
// A product is one double, and its factors are made doubles by an addition that holds 51 bits of one.
constexpr int kMostProductBits = 51;
constexpr std::uint64_t kMostTerms = std::uint64_t{1} << 32;
// Terms between two readings of the rungs: few enough readings to cost nothing, and as few as leave room for the
// window.
constexpr int kFewLog2 = 7, kManyLog2 = 12;
// 2^lowest is this power of two within the rungs: no exponent that a product may have, with the zeros at the end of its
// significand, is then that of a subnormal or of an infinity.
constexpr int kUnitExponent = -900;
constexpr std::int64_t kBias = 1023;

/// How a window is climbed. Without rungs it is out of reach.
struct Plan {
  int rungs = 0;
  int terms_log2 = 0;                         ///< terms between two readings
  std::array<int, kMaxRungs> ulp_exponent{};  ///< of each rung, over that of the window's lowest bit
};

Plan plan_of(const Window& window) {
  const int terms_bits = window.terms <= 1 ? 0 : std::bit_width(window.terms - 1);
  const std::int64_t width = static_cast<std::int64_t>(window.highest) - window.lowest;
  if (window.significand_bits > kMostProductBits || window.terms > kMostTerms || width < 0 || width > 154) return {};
  const int bits = static_cast<int>(width);
  for (int rungs = 1; rungs <= kMaxRungs; ++rungs) {
    const int room = rungs == 1 ? 53 : rungs == 2 ? 104 : 154;
    const int most = (room - bits) / rungs;
    if (room < bits || most < std::min(terms_bits, kFewLog2)) continue;
    Plan plan{rungs, std::min({most, terms_bits, kManyLog2}), {}};
    for (int i = rungs - 2, ulp = 54 - plan.terms_log2; i >= 0; --i, ulp += 50 - plan.terms_log2) {
      plan.ulp_exponent[static_cast<std::size_t>(i)] = ulp;
    }
    return plan;
  }
  return {};
}

/// What is found of some terms: each sum as multiples of each rung's ulp.
struct Climbed {
  std::array<double, kMaxRungs> sum{}, magnitude{};
  std::int64_t nonzero = 0;
  int lowest = kNoPlace;  ///< the lowest exponent of a product
  bool even = false;      ///< a nonzero product is even: `lowest` is not g
};

double power_of_two(int exponent) { return std::bit_cast<double>((exponent + kBias) << 52); }

[[gnu::always_inline]] inline double total(const Doubles& lanes) {
  double sum = 0;
  for (std::size_t i = 0; i < kLanes; ++i) sum += lanes[i];
  return sum;
}

template <typename Vector, typename Value>
[[gnu::always_inline]] inline Vector load(const Value* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

/// The integers as doubles. Requires magnitudes below 2^51.
[[gnu::always_inline]] inline Doubles to_doubles(const Words& integers) {
  constexpr double kHold = 0x1.8p52;
  Words held = integers + std::bit_cast<std::int64_t>(kHold);
  Doubles doubles;
  std::memcpy(&doubles, &held, sizeof held);
  return doubles - kHold;
}

template <int kRungs>
struct Rungs {
  Doubles rung[kRungs];

  [[gnu::always_inline]] explicit Rungs(const double* holds) {
    for (int i = 0; i < kRungs; ++i) rung[i] = Doubles{} + holds[i];
  }
  [[gnu::always_inline]] void add(const Doubles& product) {
    Doubles term = product;
    for (int i = 0; i + 1 < kRungs; ++i) {
      const Doubles next = rung[i] + term;
      term -= next - rung[i];
      rung[i] = next;
    }
    rung[kRungs - 1] += term;
  }
};

/// The sums of both kinds on their rungs, and the facts beside them, while the terms run.
template <int kRungs>
struct Climb {
  Rungs<kRungs> sums, magnitudes;

  [[gnu::always_inline]] explicit Climb(const double* holds) : sums(holds), magnitudes(holds) {}
  [[gnu::always_inline]] void add(const Doubles& product) {
    Words bits;
    std::memcpy(&bits, &product, sizeof bits);
    bits &= std::numeric_limits<std::int64_t>::max();
    Doubles magnitude;
    std::memcpy(&magnitude, &bits, sizeof bits);
    sums.add(product);
    magnitudes.add(magnitude);
  }
  [[gnu::always_inline]] Climbed found(const double* holds) const {
    Climbed result;
    for (int i = 0; i < kRungs; ++i) {
      result.sum[static_cast<std::size_t>(i)] = total(sums.rung[i] - holds[i]);
      result.magnitude[static_cast<std::size_t>(i)] = total(magnitudes.rung[i] - holds[i]);
    }
    return result;
  }
};

/// Requires as many terms as a plan permits between two readings.
template <int kRungs>
[[gnu::always_inline]] inline Climbed climb(Factors x, Factors y, std::uint32_t to_field, const double* holds) {
  Climb<kRungs> run(holds);
  Words zeros{}, lowest = Words{} + std::numeric_limits<std::int64_t>::max(), odd = Words{} - 1;
  const auto step = [&](const Words& a, const Words& b, const Exponents& exponents) __attribute__((always_inline)) {
    // A zero may have any exponent: without its top bits the field is never that of an infinity.
    const Words field = __builtin_convertvector((exponents + to_field) & 0x3ffu, Words);
    const Words scale_bits = field << 52;
    Doubles scale;
    std::memcpy(&scale, &scale_bits, sizeof scale);
    const Doubles product = to_doubles(a) * to_doubles(b) * scale;
    const Words is_zero = product == 0;
    zeros += is_zero;
    odd &= (a & b) | is_zero;
    const Words candidate = field | (is_zero & std::numeric_limits<std::int64_t>::max());
    lowest = candidate < lowest ? candidate : lowest;
    run.add(product);
  };
  const std::size_t whole = x.count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    step(load<Words>(x.significand + i), load<Words>(y.significand + i),
         load<Exponents>(x.exponent + i) + load<Exponents>(y.exponent + i));
  }
  if (const std::size_t rest = x.count - whole; rest != 0) {
    Words a{}, b{};
    Exponents a_exponent{}, b_exponent{};
    std::memcpy(&a, x.significand + whole, rest * sizeof *x.significand);
    std::memcpy(&b, y.significand + whole, rest * sizeof *y.significand);
    std::memcpy(&a_exponent, x.exponent + whole, rest * sizeof *x.exponent);
    std::memcpy(&b_exponent, y.exponent + whole, rest * sizeof *y.exponent);
    step(a, b, a_exponent + b_exponent);
  }
  Climbed found = run.found(holds);
  std::int64_t all_odd = 1, lowest_field = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < kLanes; ++i) {
    found.nonzero += zeros[i];
    lowest_field = std::min<std::int64_t>(lowest_field, lowest[i]);
    all_odd &= odd[i];
  }
  found.nonzero += static_cast<std::int64_t>((x.count + kLanes - 1) / kLanes * kLanes);
  found.even = all_odd == 0;
  if (found.nonzero != 0) found.lowest = static_cast<int>(lowest_field - static_cast<std::int32_t>(to_field));
  return found;
}

/// climb() where prepare() has made doubles of the factors.
template <int kRungs>
[[gnu::always_inline]] inline Climbed climb_prepared(Factors x, Factors y, std::uint32_t, const double* holds) {
  Climb<kRungs> run(holds);
  Places lowest = Places{} + kNoPlace, nonzero{};
  const auto step = [&](const Doubles& a, const Doubles& b, const Places& places) __attribute__((always_inline)) {
    nonzero += places < kNoPlace / 2;
    lowest = places < lowest ? places : lowest;
    run.add(a * b);
  };
  const std::size_t whole = x.count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    step(load<Doubles>(x.value + i), load<Doubles>(y.value + i), load<Places>(x.place + i) + load<Places>(y.place + i));
  }
  if (const std::size_t rest = x.count - whole; rest != 0) {
    Doubles a{}, b{};
    Places a_place = Places{} + kNoPlace, b_place = a_place;
    std::memcpy(&a, x.value + whole, rest * sizeof *x.value);
    std::memcpy(&b, y.value + whole, rest * sizeof *y.value);
    std::memcpy(&a_place, x.place + whole, rest * sizeof *x.place);
    std::memcpy(&b_place, y.place + whole, rest * sizeof *y.place);
    step(a, b, a_place + b_place);
  }
  Climbed found = run.found(holds);
  for (std::size_t i = 0; i < kLanes; ++i) {
    found.nonzero -= nonzero[i];
    found.lowest = std::min<int>(found.lowest, lowest[i]);
  }
  return found;
}

// Whether additions round to nearest: in another mode what is left of a product may not fit a double.
bool rounds_to_nearest() {
  volatile double one = 1, less = 0x1p-60;
  return one + less == 1 && one - less == 1 && -one - less == -1;
}

class Ladder final : public Method {
 public:
  explicit Ladder(Level level) : level_(level) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "ladder"; }

  [[nodiscard]] bool accepts(const Window& window) const noexcept override { return plan_of(window).rungs != 0; }

  void sum(const Factors& a, const Factors& b, const Window& window, ProductSum& result) const override {
    if (!rounds_to_nearest()) return bins(level_).sum(a, b, window, result);
    const Plan plan = plan_of(window);
    // Products of doubles as they are, where none can be subnormal.
    const bool prepared =
        a.value != nullptr && b.value != nullptr && window.lowest >= kUnitExponent && window.highest <= -kUnitExponent;
    const int unit = prepared ? window.lowest : kUnitExponent;
    const auto to_field = static_cast<std::uint32_t>(kUnitExponent + kBias - window.lowest);
    std::array<double, kMaxRungs> holds{};
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(plan.rungs); ++i) {
      holds[i] = 1.5 * power_of_two(plan.ulp_exponent[i] + unit + 52);
    }
    const std::size_t most = std::size_t{1} << plan.terms_log2;
    std::array<__int128, kMaxRungs> sum{}, magnitude{};
    Climbed all;
    for (std::size_t begin = 0; begin < a.count; begin += most) {
      const std::size_t count = std::min(most, a.count - begin);
      const Climbed found =
          climb_at(plan.rungs, part(a, begin, count), part(b, begin, count), prepared, to_field, holds.data());
      for (std::size_t i = 0; i < static_cast<std::size_t>(plan.rungs); ++i) {
        const double units = power_of_two(-unit - plan.ulp_exponent[i]);
        sum[i] += static_cast<std::int64_t>(found.sum[i] * units);
        magnitude[i] += static_cast<std::int64_t>(found.magnitude[i] * units);
      }
      all.nonzero += found.nonzero;
      all.lowest = std::min(all.lowest, found.lowest);
      all.even |= found.even;
    }
    result.nonzero = static_cast<std::uint64_t>(all.nonzero);
    result.lowest_bit = all.nonzero == 0 ? 0 : all.even ? lowest_bit_of(a, b) : all.lowest;
    hold(plan, window, sum, magnitude, result);
  }

 private:
  static Factors part(const Factors& all, std::size_t begin, std::size_t count) {
    Factors result{all.significand + begin, all.exponent + begin, count};
    if (all.value != nullptr) {
      result.value = all.value + begin;
      result.place = all.place + begin;
    }
    return result;
  }

  [[nodiscard]] Climbed climb_at(int rungs, const Factors& a, const Factors& b, bool prepared, std::uint32_t to_field,
                                 const double* holds) const {
    const auto run = [&]<int kRungs>() {
      return prepared ? run_at<climb_prepared<kRungs>>(level_, a, b, to_field, holds)
                      : run_at<climb<kRungs>>(level_, a, b, to_field, holds);
    };
    if (rungs == 1) return run.template operator()<1>();
    return rungs == 2 ? run.template operator()<2>() : run.template operator()<3>();
  }

  // P = (S + s) / 2 and N = (S - s) / 2.
  static void hold(const Plan& plan, const Window& window, const std::array<__int128, kMaxRungs>& sum,
                   const std::array<__int128, kMaxRungs>& magnitude, ProductSum& result) {
    const auto each = static_cast<std::size_t>(plan.rungs);
    // Twice P is below 2^127.
    if (window.highest - window.lowest + std::bit_width(window.terms) <= 125) {
      __int128 s = 0, all = 0;
      for (std::size_t i = 0; i < each; ++i) {
        s += sum[i] * (static_cast<__int128>(1) << plan.ulp_exponent[i]);
        all += magnitude[i] * (static_cast<__int128>(1) << plan.ulp_exponent[i]);
      }
      result.positive = to_dyadic((all + s) / 2, window.lowest);
      result.negative = to_dyadic((all - s) / 2, window.lowest);
      return;
    }
    Dyadic s, all;
    for (std::size_t i = 0; i < each; ++i) {
      s += to_dyadic(sum[i], window.lowest + plan.ulp_exponent[i]);
      all += to_dyadic(magnitude[i], window.lowest + plan.ulp_exponent[i]);
    }
    result.positive = (all + s).scaled(-1);
    result.negative = (all - s).scaled(-1);
  }

  static Dyadic to_dyadic(__int128 value, int exponent) {
    const Wide magnitude = value < 0 ? -static_cast<Wide>(value) : static_cast<Wide>(value);
    return Dyadic::from_words(value < 0, static_cast<std::uint64_t>(magnitude >> kLimbBits),
                              static_cast<std::uint64_t>(magnitude), exponent);
  }

  Level level_;
};

}  // namespace

const Method& ladder(Level level) noexcept {
  static const std::array<Ladder, 3> by_level = {Ladder(Level::Plain), Ladder(Level::Avx2), Ladder(Level::Avx512)};
  return by_level[static_cast<std::size_t>(level)];
}

}  // namespace negzero::exact
