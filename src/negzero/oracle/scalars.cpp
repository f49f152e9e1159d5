// What may become of subnormal scalars.

#include <utility>

#include <fmt/format.h>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/flushing.hpp>
#include <negzero/oracle/scalars.hpp>

namespace negzero::oracle {

using contract::Subnormals;
using number::FormatId;

namespace {

/// What may become of a scalar in the accumulators that a contract allows.
Subnormals taken_scalar(const operation::Scalar& scalar, const Declared& contract) {
  const FormatId format = contract.products.scalar_format.value_or(scalar.format);
  const number::Format& own = number::format(scalar.format);
  const std::uint64_t word =
      format == scalar.format ? scalar.bits : number::convert(own, scalar.bits, number::format(format), {});
  if (own.is_integer() || !is_subnormal(number::format(format), word)) return Subnormals::Keep;
  const FormatId sum = contract.sums.promote ? contract.sums.promote->format : contract.sums.accumulate;
  return taken(format, sum, contract.subnormals.inputs);
}

}  // namespace

std::vector<Scalars> scalars_of(const Declared& contract, const operation::Scalar& alpha,
                                const operation::Scalar& beta) {
  std::vector<Scalars> choices{{alpha, beta, contract.products.reads_a_b, contract.products.reads_c}};
  for (const bool is_alpha : {true, false}) {
    const Subnormals policy = taken_scalar(is_alpha ? alpha : beta, contract);
    if (policy == Subnormals::Keep) continue;
    for (const Scalars& each : std::exchange(choices, {})) {
      const auto say = [&](Scalars& choice, std::string_view what) {
        choice.which += fmt::format("{}{}{}", choice.which.empty() ? "" : ", ", is_alpha ? "alpha" : "beta", what);
      };
      if (policy == Subnormals::Either) say(choices.emplace_back(each), " kept");
      for (const bool multiplies : {true, false}) {
        if (!multiplies && contract.products.is_formula) continue;
        Scalars zero = each;
        operation::Scalar& scalar = is_alpha ? zero.alpha : zero.beta;
        const number::Format& format = number::format(scalar.format);
        scalar.bits = number::zero(format, number::is_negative(format, scalar.bits));
        if (multiplies) (is_alpha ? zero.reads_a_b : zero.reads_c) = true;
        say(zero, multiplies ? " taken as 0" : " seen to be 0");
        choices.push_back(std::move(zero));
      }
    }
  }
  return choices;
}

Real scalar_of(const operation::Scalar& scalar, const Declared& contract) {
  const number::Format& own = number::format(scalar.format);
  if (!contract.products.scalar_format) return Real::from_encoding(own, scalar.bits);
  const number::Format& format = number::format(*contract.products.scalar_format);
  return Real::from_encoding(format, number::convert(own, scalar.bits, format, {}));
}

}  // namespace negzero::oracle
