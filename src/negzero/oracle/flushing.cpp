// Flushing by formats.

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/oracle/flushing.hpp>

namespace negzero::oracle {

using contract::Contract;
using contract::Subnormals;
using exact::Dyadic;
using number::Format;
using number::FormatId;

namespace {

/// What may become of a scalar in the accumulators that a contract allows.
Subnormals taken_scalar(const operation::Scalar& scalar, const Contract& contract) {
  const FormatId format = contract.scalar_format.value_or(scalar.format);
  const Format& own = number::format(scalar.format);
  const std::uint64_t word =
      format == scalar.format ? scalar.bits : number::convert(own, scalar.bits, number::format(format), {});
  if (own.is_integer() || !is_subnormal(number::format(format), word)) {
    return Subnormals::Keep;
  }
  const FormatId sum = contract.promote ? contract.promote->format : contract.accumulate;
  return taken(format, sum, contract.subnormal_inputs);
}

}  // namespace

Set flushed(const Set& set, const Format& format, Subnormals policy) {
  if (policy == Subnormals::Keep || !set.finite) return set;
  const int least = format.min_normal_exponent();
  const Dyadic smallest = Dyadic::power_of_two(least);
  Set result = set;
  const auto end = [&](const Dyadic& x, bool upward) {
    const bool is_subnormal = !x.is_zero() && x.floor_log2() < least;
    const bool away = policy == Subnormals::Either && upward != (x.sign() < 0);
    return is_subnormal && !away ? Dyadic() : x;
  };
  result.low = end(set.low, false);
  result.high = end(set.high, true);
  if (set.high.sign() > 0 && set.low < smallest) result.plus_zero = true;
  if (set.low.sign() < 0 && -smallest < set.high) result.minus_zero = true;
  return result;
}

ConversionFlushing conversion_flushing(const Format& from, const Format& to, Subnormals inputs, Subnormals results) {
  const bool leaves_f32 = has_exponents_of_f32(from), gives_f32 = has_exponents_of_f32(to);
  const bool from_f64 = from.id == FormatId::F64, to_f64 = to.id == FormatId::F64;
  ConversionFlushing flushing{Subnormals::Keep, Subnormals::Keep};
  if (leaves_f32 || (from_f64 && to_f64)) flushing.source = contract::opened(inputs);
  if (from.id == FormatId::F32 && to_f64) flushing.source = inputs;
  if ((gives_f32 && (leaves_f32 || from_f64)) || (from_f64 && to_f64)) {
    flushing.result = contract::opened(results);
  }
  if (from_f64 && to.id == FormatId::F32) flushing.result = results;
  return flushing;
}

std::vector<Rewritten> scalar_choices(const operation::Case& value, const Contract& contract) {
  const auto gemm = operation::view_if<operation::Gemm>(value.operation);
  if (!gemm || contract.subnormal_inputs == Subnormals::Keep) return {};
  const std::array policies{taken_scalar(gemm->alpha, contract), taken_scalar(gemm->beta, contract)};
  if (std::ranges::count(policies, Subnormals::Keep) == 2) return {};
  std::vector<Rewritten> choices{{value, contract}};
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (policies[i] == Subnormals::Keep) continue;
    const std::vector<Rewritten> before = std::exchange(choices, {});
    const std::string name = i == 0 ? "alpha" : "beta";
    const auto say = [&](Rewritten& choice, const std::string& what) {
      choice.which += (choice.which.empty() ? "" : ", ") + name + what;
    };
    for (const Rewritten& each : before) {
      if (policies[i] == Subnormals::Either) say(choices.emplace_back(each), " kept");
      for (const bool multiplies : {true, false}) {
        Rewritten zero = each;
        operation::Scalar& scalar = zero.value.operation.scalars()[i];
        const Format& format = number::format(scalar.format);
        scalar.bits = number::zero(format, number::is_negative(format, scalar.bits));
        if (multiplies) {
          (i == 0 ? zero.contract.reads_a_b_at_alpha_zero : zero.contract.reads_c_at_beta_zero) = true;
        } else if (contract.scalars == contract::Scalars::Formula) {
          continue;
        }
        say(zero, multiplies ? " taken as 0" : " seen to be 0");
        choices.push_back(std::move(zero));
      }
    }
  }
  return choices;
}

}  // namespace negzero::oracle
