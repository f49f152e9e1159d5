// Draws trials and makes GEMMs of them.

#include "trial.hpp"

#include <algorithm>
#include <cmath>

#include <negzero/number/encoding.hpp>

#include "one_element.hpp"

namespace negzero::tensor_core {

double fl(FormatId id, double value) {
  return number::to_double(number::format(id), number::from_double(number::format(id), value));
}

FormatId factor_format(const Kernel& kernel) {
  return kernel.multiplicand == Multiplicand::Tf32NearestEven ? FormatId::TF32 : kernel.factors;
}

namespace {

double draw_element(Random& random, FormatId id, int center, int spread, int bits) {
  const number::Format& format = number::format(id);
  const double sign = random.below(2) == 0 ? 1 : -1;
  if (random.below(16) == 0) return sign * 0.0;
  if (random.below(24) == 0) return sign * std::ldexp(static_cast<double>(random.between(1, 7)), format.eta_exponent());
  const double significand = 1 + std::ldexp(static_cast<double>(random.below(1u << bits)), -bits);
  number::EncodeOptions options;
  options.overflow = number::Overflow::Saturate;
  const double value =
      std::ldexp(significand, center - static_cast<int>(random.below(static_cast<std::uint64_t>(spread))));
  return number::to_double(format, number::from_double(format, sign * value, options));
}

}  // namespace

Trial draw_trial(Random& random, const Kernel& kernel) {
  Trial drawn;
  const auto k = random.below(4) == 0 ? random.between(1, 4) : random.between(5, 70);
  const FormatId id = factor_format(kernel);
  const number::Format& format = number::format(id);
  const auto tensor = [&] {
    std::vector<double> values;
    constexpr int kSpreads[] = {1, 2, 6, 14};
    const int spread = kSpreads[random.below(4)], bits = random.below(3) == 0 ? 1 : kernel.shape.fraction_bits;
    const auto place = random.below(8);
    int center = static_cast<int>(random.between(-1, 2));
    if (place == 0) center = format.min_normal_exponent() + 3;
    if (place == 1) center = std::min(format.max_exponent(), 62);
    if (place == 2) center = std::max(format.min_normal_exponent(), -62);
    for (std::int64_t i = 0; i < k; ++i) values.push_back(draw_element(random, id, center, spread, bits));
    return values;
  };
  drawn.a = tensor();
  drawn.b = tensor();
  if (random.below(3) == 0) {
    for (std::size_t i = drawn.a.size() / 2; i < drawn.a.size(); ++i) {
      drawn.a[i] = drawn.a[i - drawn.a.size() / 2];
      drawn.b[i] = -drawn.b[i - drawn.a.size() / 2];
    }
  }
  constexpr FormatId kOutputs[] = {FormatId::F32, FormatId::F32, FormatId::F16, FormatId::BF16, FormatId::F8_E4M3};
  drawn.output = kOutputs[random.below(std::size(kOutputs))];
  drawn.scalars = kernel.declared;
  constexpr double kScalars[] = {1, -1, 2, 0.3, -1.7, 0x1p-12, 300, 0x1.fp-14};
  if (random.below(2) == 0) drawn.alpha = fl(drawn.scalars, kScalars[random.below(std::size(kScalars))]);
  if (random.below(2) == 0) drawn.beta = fl(drawn.scalars, kScalars[random.below(std::size(kScalars))]);
  const auto center = random.below(3) == 0 ? number::format(drawn.output).min_normal_exponent() : 0;
  drawn.c = draw_element(random, drawn.output, center, 6, 12);
  contract::Contract& contract = drawn.contract;
  contract.tensor_core = random.below(2) == 0 ? contract::TensorCore::Only : contract::TensorCore::May;
  contract.unit = random.below(2) == 0 ? kernel.unit : contract::Unit::Any;
  contract.multiplicand = kernel.multiplicand;
  contract.accumulate = kernel.declared;
  contract.wider = kernel.held != kernel.declared;
  if (random.below(4) == 0) contract.subnormal_results = contract::Subnormals::Either;
  if (random.below(4) == 0) contract.subnormal_inputs = contract::Subnormals::Either;
  if (random.below(2) == 0) contract.zero_sign = contract::ZeroSign::Ieee;
  contract.slices = static_cast<std::int64_t>(random.below(4));
  return drawn;
}

operation::Case case_of_trial(const Kernel& kernel, const Trial& drawn) {
  operation::Gemm gemm;
  gemm.a = gemm.b = kernel.factors;
  gemm.d = drawn.output;
  const auto scalar = [&](double x) {
    return operation::Scalar{drawn.scalars, number::from_double(number::format(drawn.scalars), x)};
  };
  gemm.alpha = scalar(drawn.alpha);
  gemm.beta = scalar(drawn.beta);
  return one_element(gemm, drawn.a, drawn.b, drawn.c);
}

}  // namespace negzero::tensor_core
