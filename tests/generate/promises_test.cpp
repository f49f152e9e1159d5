// What each strategy promises of sums, held by exact arithmetic.

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>

#include "requests.hpp"
#include "sums.hpp"

namespace negzero::generate {
namespace {

using exact::Dyadic;
using number::Format;
using number::FormatId;

constexpr int kCasesEach = 150;
constexpr std::int64_t kOutputs = 16;

/// Requests whose operation is a sum in one known combination of formats.
std::vector<Request> sum_requests() {
  std::vector<Request> all;
  for (Request& request : all_requests()) {
    const bool sums = request.operation == "gemm" || request.operation.starts_with("reduce.sum") ||
                      request.operation == "scatter.add";
    if (sums && !request.limits.formats.empty()) all.push_back(std::move(request));
  }
  return all;
}

const Format& accumulator(const Request& request) { return number::format(request.contract.accumulate); }
const Format& output(const operation::Case& value) {
  return number::format(operation::output_specs(value.operation).front().format);
}
bool is_scatter(const operation::Case& value) {
  return operation::view_if<operation::Scatter>(value.operation).has_value();
}

/// Cases of one strategy whose scalars read a and b: those that promise something of their sums.
std::vector<operation::Case> cases_of(Request request, const std::string& strategy) {
  request.mix.weights = {{strategy, 1.0}};
  std::vector<operation::Case> cases;
  for (std::uint64_t index = 0; index < kCasesEach; ++index) {
    operation::Case value = make_case(request, 21, index);
    if (const auto gemm = operation::view_if<operation::Gemm>(value.operation)) {
      const number::Decoded alpha = number::decode(number::format(gemm->alpha.format), gemm->alpha.bits);
      if (!alpha.is_finite() || alpha.significand == 0) continue;
    }
    cases.push_back(std::move(value));
  }
  EXPECT_GE(cases.size(), kCasesEach * 3 / 4u) << strategy;
  return cases;
}

/// The terms with the addend where it is one more of them.
std::vector<Term> all_terms(const operation::Case& value, const Sum& sum) {
  std::vector<Term> terms = sum.terms;
  if (is_scatter(value) && sum.addend) terms.insert(terms.begin(), Term{*sum.addend});
  return terms;
}

Dyadic total(const std::vector<Term>& terms) {
  Dyadic sum;
  for (const Term& term : terms) sum += term.value;
  return sum;
}

// --- exact ---

TEST(Exact, EveryOrderIsExactInTheDeclaredAccumulator) {
  for (const Request& request : sum_requests()) {
    const Format& held = accumulator(request);
    for (const operation::Case& value : cases_of(request, "exact")) {
      for (const Sum& sum : sums_of(value, kOutputs)) {
        ASSERT_TRUE(sum.finite);
        const std::vector<Term> terms = all_terms(value, sum);
        Dyadic magnitude;
        int lowest = held.max_exponent();
        for (const Term& term : terms) {
          if (term.value.is_zero()) continue;
          magnitude += term.value.abs();
          lowest = std::min(lowest, term.value.lowest_bit());
        }
        if (magnitude.is_zero()) continue;
        // Rule a of numerics.md section 2.
        EXPECT_LE(magnitude, Dyadic::power_of_two(held.precision() + lowest)) << value.index;
        EXPECT_GE(lowest, held.eta_exponent());
        EXPECT_LE(magnitude, Dyadic::from_encoding(held, number::max_finite(held)));
        EXPECT_LE(magnitude.floor_log2(), output(value).max_exponent());
      }
    }
  }
}

TEST(Exact, ScalarsKeepItExact) {
  // alpha s + beta c is exact too: both are multiples of a unit of which 2^p cover the sum of their magnitudes.
  for (const Request& request : {gemm_request(FormatId::F32, FormatId::F32, FormatId::F32),
                                 gemm_request(FormatId::F16, FormatId::F16, FormatId::F16)}) {
    const Format& held = accumulator(request);
    int scaled = 0;
    for (const operation::Case& value : cases_of(request, "exact")) {
      const auto& gemm = operation::view<operation::Gemm>(value.operation);
      const auto scalar = [](const operation::Scalar& s) {
        const number::Decoded part = number::decode(number::format(s.format), s.bits);
        return part.is_finite() ? Dyadic::from_encoding(number::format(s.format), s.bits) : Dyadic();
      };
      const Dyadic alpha = scalar(gemm.alpha), beta = scalar(gemm.beta);
      if (gemm.k == 0 || beta.is_zero()) continue;
      for (const Sum& sum : sums_of(value, kOutputs)) {
        const Dyadic left = alpha * sum.total(), right = beta * sum.addend.value();
        if (left.is_zero() || right.is_zero()) continue;
        ++scaled;
        const int lowest = std::min(left.lowest_bit(), right.lowest_bit());
        EXPECT_LE(left.abs() + right.abs(), Dyadic::power_of_two(held.precision() + lowest)) << value.index;
      }
    }
    EXPECT_GT(scaled, 100);
  }
}

TEST(Exact, NeedsEveryBitAndFailsInTheNextNarrowerAccumulator) {
  const std::map<FormatId, FormatId> narrower{{FormatId::F64, FormatId::F32},
                                              {FormatId::F32, FormatId::F16},
                                              {FormatId::F16, FormatId::BF16},
                                              {FormatId::BF16, FormatId::F8_E4M3}};
  for (const Request& request :
       {gemm_request(FormatId::F32, FormatId::F32, FormatId::F32),
        gemm_request(FormatId::F64, FormatId::F64, FormatId::F64),
        gemm_request(FormatId::F16, FormatId::F32, FormatId::F16),
        gemm_request(FormatId::F16, FormatId::F16, FormatId::F16),
        gemm_request(FormatId::BF16, FormatId::F32, FormatId::BF16),
        reduce_request("reduce.sum", FormatId::F32, FormatId::F32, FormatId::F32),
        scatter_request("scatter.add", FormatId::F32), scatter_request("scatter.add", FormatId::BF16)}) {
    const Format& held = accumulator(request);
    const Format& narrow = number::format(narrower.at(held.id));
    int cases = 0, wrong = 0, full = 0;
    for (const operation::Case& value : cases_of(request, "exact")) {
      bool any = false, differs = false, needs_all = false;
      for (const Sum& sum : sums_of(value, kOutputs)) {
        if (sum.nonzero() == 0) continue;
        any = true;
        const std::vector<Term> terms = all_terms(value, sum);
        const std::uint64_t want = total(terms).round_to(output(value));
        const auto got = accumulate_in(narrow, terms);
        differs = differs || !got || got->round_to(output(value)) != want;
        Sum whole = sum;
        whole.terms = terms;
        needs_all = needs_all || whole.magnitude().floor_log2() - whole.lowest_bit() >= held.precision() - 1;
      }
      cases += any ? 1 : 0;
      wrong += differs ? 1 : 0;
      full += needs_all ? 1 : 0;
    }
    SCOPED_TRACE(request.operation + " in " + std::string(held.name));
    // An accumulator of the next format gives a wrong output in three cases of four at least.
    EXPECT_GE(wrong, cases * 3 / 4) << "of " << cases;
    // Scalars and a C take bits of their own; without them the sum takes all of the accumulator's, if products can.
    EXPECT_GE(full, cases / 4) << "of " << cases;
  }
}

TEST(Exact, HalfIsExactWhereSumsOfSlicesAreStored) {
  for (const FormatId stored : {FormatId::F16, FormatId::BF16}) {
    Request request = reduce_request("reduce.sum", FormatId::F32, FormatId::F32, FormatId::F32);
    request.contract.slice_format = stored;
    const Format& held = number::format(stored);
    int cases = 0, exact = 0;
    for (const operation::Case& value : cases_of(request, "exact")) {
      bool any = false, all = true;
      for (const Sum& sum : sums_of(value, kOutputs)) {
        if (sum.nonzero() == 0) continue;
        any = true;
        all = all && sum.magnitude() <= Dyadic::power_of_two(held.precision() + sum.lowest_bit()) &&
              sum.lowest_bit() >= held.eta_exponent();
      }
      cases += any ? 1 : 0;
      exact += any && all ? 1 : 0;
    }
    EXPECT_GT(exact, cases / 3) << "of " << cases;
    EXPECT_LT(exact, cases * 3 / 4) << "of " << cases;
  }
}

TEST(Exact, ShowsMultiplicandsRoundedToTf32OrBf16) {
  const Request request = gemm_request(FormatId::F32, FormatId::F32, FormatId::F32);
  const Format& f32 = number::format(FormatId::F32);
  for (const FormatId rounded : {FormatId::TF32, FormatId::BF16}) {
    const Format& format = number::format(rounded);
    int cases = 0, wrong = 0;
    for (const operation::Case& value : cases_of(request, "exact")) {
      bool differs = false;
      const std::vector<Sum> sums = sums_of(value, kOutputs);
      for (const Sum& sum : sums) {
        Dyadic other;
        for (const Term& term : sum.terms) {
          other += Dyadic::from_encoding(format, number::convert(f32, term.left, format, {})) *
                   Dyadic::from_encoding(format, number::convert(f32, term.right, format, {}));
        }
        differs = differs || other.round_to(f32) != sum.total().round_to(f32);
      }
      cases += sums.empty() ? 0 : 1;
      wrong += differs ? 1 : 0;
    }
    EXPECT_GE(wrong, cases / 2) << format.name << " of " << cases;
  }
}

// --- sparse ---

TEST(Sparse, HasAtMostThreeProductsAtPlacesThatMatter) {
  for (const Request& request : sum_requests()) {
    int first = 0, last = 0, cases = 0;
    for (const operation::Case& value : cases_of(request, "sparse")) {
      bool at_first = false, at_last = false;
      const std::vector<Sum> sums = sums_of(value, kOutputs);
      for (const Sum& sum : sums) {
        EXPECT_LE(sum.nonzero(), 3);
        if (sum.terms.empty()) continue;
        at_first = at_first || !sum.terms.front().value.is_zero();
        at_last = at_last || !sum.terms.back().value.is_zero();
      }
      cases += sums.empty() ? 0 : 1;
      first += at_first ? 1 : 0;
      last += at_last ? 1 : 0;
    }
    EXPECT_GE(first, cases / 4) << request.operation;
    EXPECT_GE(last, cases / 3) << request.operation;
  }
}

// --- cancel ---

TEST(Cancel, ReachesConditionNumbersUpToTwiceThePrecision) {
  for (const Request& request : sum_requests()) {
    std::vector<int> conditions;
    for (const operation::Case& value : cases_of(request, "cancel")) {
      for (const Sum& sum : sums_of(value, kOutputs)) {
        ASSERT_TRUE(sum.finite);
        const Dyadic total = sum.total();
        if (sum.nonzero() < 4 || total.is_zero()) continue;
        conditions.push_back(sum.magnitude().floor_log2() - total.floor_log2());
      }
    }
    std::sort(conditions.begin(), conditions.end());
    ASSERT_GT(conditions.size(), 100u);
    const auto& operation = make_case(request, 0, 0).operation;
    const Format& left = number::format(operation::input_specs(operation)[0].format);
    // Narrow formats cannot span 2^(2p) of a wide accumulator: both factors together, or x alone, have a range.
    const int factors = request.operation == "gemm" ? 2 : 1;
    const int range = factors * (left.max_exponent() - left.eta_exponent());
    const int reachable = std::min(2 * accumulator(request).precision(), range - 12);
    SCOPED_TRACE(request.operation + " of " + std::string(left.name) + " in " + std::string(accumulator(request).name));
    EXPECT_GE(conditions.back(), reachable * 2 / 3);
    EXPECT_GE(conditions[conditions.size() / 2], reachable * 3 / 8);
  }
}

// --- tie ---

TEST(Tie, LiesHalfWayOrAUnitFarBelowBesideIt) {
  for (const Request& request : sum_requests()) {
    int ties = 0, beside = 0, results = 0;
    for (const operation::Case& value : cases_of(request, "tie")) {
      const Format& point = request.contract.intermediate.empty()
                                ? output(value)
                                : number::format(request.contract.intermediate[0].format);
      for (const Sum& sum : sums_of(value, kOutputs)) {
        ASSERT_TRUE(sum.finite);
        const Dyadic exact_total = total(all_terms(value, sum));
        if (sum.nonzero() == 0 || exact_total.is_zero()) continue;
        ++results;
        const std::uint64_t down = exact_total.round_to(point, {.rounding = number::Rounding::Down});
        const std::uint64_t up = exact_total.round_to(point, {.rounding = number::Rounding::Up});
        if (down == up || !number::decode(point, down).is_finite() || !number::decode(point, up).is_finite()) continue;
        const Dyadic low = Dyadic::from_encoding(point, down), high = Dyadic::from_encoding(point, up);
        const Dyadic off = exact_total - (low + high).scaled(-1);
        if (off.is_zero()) {
          ++ties;
        } else if (off.abs() <= (high - low).scaled(-3)) {
          ++beside;
        }
      }
    }
    SCOPED_TRACE(request.operation + " in " + std::string(accumulator(request).name));
    // Where a contract rounds twice, half of the cases tie in the other format.
    EXPECT_GE(ties + beside, results * (request.contract.intermediate.empty() ? 5 : 3) / 10) << "of " << results;
    EXPECT_GE(ties, results / 8) << "of " << results;
    const int room = accumulator(request).precision() - output(make_case(request, 0, 0)).precision();
    if (room > 3) {
      EXPECT_GE(beside, results / 5) << "of " << results;
    }
  }
}

// --- extreme ---

TEST(Extreme, OverflowsOnTheWayToAFiniteResult) {
  for (const Request& request : sum_requests()) {
    const operation::Operation operation = make_case(request, 0, 0).operation;
    const Format& left = number::format(operation::input_specs(operation)[0].format);
    // Products of F16 cannot leave the range of an F32 output, nor sums of F8 that of BF16.
    if (left.max_exponent() < output(make_case(request, 0, 0)).max_exponent()) continue;
    int swings = 0, subnormal = 0, largest = 0, cases = 0;
    for (const operation::Case& value : cases_of(request, "extreme")) {
      const Format& out = output(value);
      const Dyadic limit = Dyadic::from_encoding(out, number::max_finite(out));
      bool swing = false, tiny = false, top = false;
      const std::vector<Sum> sums = sums_of(value, kOutputs);
      for (const Sum& sum : sums) {
        ASSERT_TRUE(sum.finite);
        const Dyadic exact_total = sum.total();
        Dyadic positive;
        for (const Term& term : sum.terms) {
          if (term.value.sign() > 0) positive += term.value;
        }
        const Dyadic most = std::max(positive, positive - exact_total);
        swing = swing || (most > limit && exact_total.abs() <= limit);
        const std::uint64_t word = exact_total.round_to(out);
        tiny = tiny || number::classify(out, word) == number::Class::Subnormal;
        top = top || (!exact_total.is_zero() && exact_total.floor_log2() == out.max_exponent());
      }
      cases += sums.empty() ? 0 : 1;
      swings += swing ? 1 : 0;
      subnormal += tiny ? 1 : 0;
      largest += top ? 1 : 0;
    }
    SCOPED_TRACE(request.operation + " of " + std::string(left.name) + " to " +
                 std::string(output(make_case(request, 0, 0)).name));
    EXPECT_GE(swings, cases / 4) << "of " << cases;
    EXPECT_GE(largest, cases / 4) << "of " << cases;
    if (request.contract.multiplicand == contract::Multiplicand::Exact) {
      EXPECT_GE(subnormal, cases / 4) << "of " << cases;
    }
  }
}

// --- what holds for every strategy ---

TEST(EveryStrategy, KeepsTheNumberOfTermsWhereABoundSaysSomething) {
  // numerics.md section 2: with m terms of a nearest accumulator the bound reaches S / 2 at m = 2^(p - 1).
  for (const Request& request :
       {gemm_request(FormatId::F16, FormatId::F16, FormatId::F16),
        gemm_request(FormatId::BF16, FormatId::BF16, FormatId::BF16), scatter_request("scatter.add", FormatId::BF16)}) {
    const int precision = accumulator(request).precision();
    int vacuous = 0;
    constexpr int kMany = 600;
    for (std::uint64_t index = 0; index < kMany; ++index) {
      const operation::Case value = make_case(request, 4, index);
      bool decided = false;
      const std::vector<Sum> sums = sums_of(value, 8);
      for (const Sum& sum : sums) {
        const std::vector<Term> terms = all_terms(value, sum);
        Dyadic magnitude;
        int lowest = 10000, nonzero = 0;
        for (const Term& term : terms) {
          if (term.value.is_zero()) continue;
          magnitude += term.value.abs();
          lowest = std::min(lowest, term.value.lowest_bit());
          ++nonzero;
        }
        const bool is_exact = nonzero == 0 || magnitude <= Dyadic::power_of_two(precision + lowest);
        decided = decided || is_exact || !sum.finite || nonzero < (1 << (precision - 1));
      }
      vacuous += decided || sums.empty() ? 0 : 1;
    }
    EXPECT_LE(vacuous, kMany / 50) << request.operation;
  }
}

}  // namespace
}  // namespace negzero::generate
