// Features of exact sums: how a result is made of its terms, and what rounding did to it.

#include <algorithm>
#include <bit>

#include <negzero/feature/kinds.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::feature {
namespace {

using exact::Dyadic;
using number::Format;
using number::Rounding;

Dyadic largest(const Format& format) { return Dyadic::from_encoding(format, number::max_finite(format)); }

/// Binades from the magnitude of a sum to the sum itself.
std::uint32_t cancellation_of(const Dyadic& sum, const Dyadic& magnitude) {
  if (magnitude.is_zero()) return 0;
  if (sum.is_zero()) return kCompleteCancellation;
  const int depth = magnitude.floor_log2() - sum.floor_log2();
  return std::min(static_cast<std::uint32_t>(depth), kCompleteCancellation - 1);
}

void gather_result(const Format& format, std::uint64_t observed, const Dyadic& result, Gathered& to) {
  const Dyadic size = result.abs();
  if (size > largest(format)) {
    const std::uint64_t nearest = result.round_to(format);
    const bool goes_beyond = number::is_infinity(format, nearest) || number::is_nan(format, nearest);
    to.add(Kind::Overflow, !goes_beyond ? 2u : result.sign() < 0 ? 1u : 0u);
    return;
  }
  const std::uint32_t rounding = rounding_of(format, result, observed);
  to.add(Kind::Rounding, rounding);
  if (result.is_zero() || size >= Dyadic::from_encoding(format, number::min_normal(format))) return;
  const bool is_lost = size < Dyadic::from_encoding(format, number::min_subnormal(format)).scaled(-1);
  to.add(Kind::Underflow, is_lost ? 2u : rounding / 4 == 0 ? 0u : 1u);
}

}  // namespace

std::uint32_t rounding_of(const Format& format, const Dyadic& result, std::uint64_t observed) {
  const std::uint64_t low = result.round_to(format, {.rounding = Rounding::Down});
  const std::uint64_t high = result.round_to(format, {.rounding = Rounding::Up});
  const Dyadic below = Dyadic::from_encoding(format, low), above = Dyadic::from_encoding(format, high);
  std::uint32_t seen = 0;
  if (number::classify(format, observed) < number::Class::Infinity) {
    const Dyadic value = Dyadic::from_encoding(format, observed);
    seen = value == below ? 1 : value == above ? 2 : 0;
  }
  if (below == above) return seen;
  const auto place = result + result <=> below + above;
  return 4 * (place < 0 ? 1u : place == 0 ? 2u : 3u) + seen;
}

void gather_sum(const Format& format, std::uint64_t observed, const contract::Contract& contract,
                const oracle::ElementFacts& facts, Gathered& to) {
  to.add(Kind::Rule, rule_number(facts.rule));
  if (!facts.result) return;
  if (facts.sum) {
    to.add(Kind::Terms, static_cast<std::uint32_t>(std::bit_width(facts.terms)));
    to.add(Kind::Cancellation, cancellation_of(*facts.sum, *facts.magnitude));
    const Format& accumulator = number::format(contract.accumulate);
    if (!accumulator.is_integer() && *facts.magnitude > largest(accumulator) &&
        facts.sum->abs() <= largest(accumulator)) {
      to.add(Kind::Overflow, 3);
    }
  }
  if (!format.is_integer()) gather_result(format, observed, *facts.result, to);
}

void gather_sums(const Run& run, Gathered& to) {
  if (run.outputs.empty() || run.contract == nullptr || run.verdict.kind == verdict::VerdictKind::Error) return;
  if (run.value.operation.signature().is_declared) return;
  const auto oracle = oracle::Oracle::make(run.value, *run.contract);
  if (!oracle) return;
  const std::vector<operation::TensorSpec> specs = operation::output_specs(run.value.operation);
  for (std::size_t o = 0; o < run.outputs.size(); ++o) {
    const tensor::Tensor& output = run.outputs[o];
    const std::int64_t count = output.element_count(), looked_at = std::min(count, kMostSums);
    const auto gather = [&](std::int64_t element) {
      gather_sum(output.format(), output.get(element), *run.contract, oracle->facts(element, o), to);
    };
    for (std::int64_t i = 0; i < looked_at; ++i) gather(looked_at == 1 ? 0 : i * (count - 1) / (looked_at - 1));
    const auto& failure = run.verdict.failure;
    if (failure && failure->element >= 0 && failure->output == specs[o].name) gather(failure->element);
  }
}

}  // namespace negzero::feature
