// Conversions: every encoding that the declared roundings, overflow and treatment of subnormals can make of an element.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/oracle/families.hpp>
#include <negzero/oracle/flushing.hpp>

namespace negzero::oracle {
namespace {

using number::Format;

/// Whether something is flushed: no, yes, or both.
std::span<const bool> flushes(contract::Subnormals subnormals) {
  static constexpr bool kChoices[] = {false, true};
  if (subnormals == contract::Subnormals::Either) return kChoices;
  return std::span(kChoices).subspan(subnormals == contract::Subnormals::Flush ? 1 : 0, 1);
}

using Words = std::vector<std::uint64_t>;

void add_word(Words& words, std::uint64_t word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

/// What is too large becomes; an integer wraps modulo 2^32 by Ieee (number::encode).
std::vector<number::Overflow> overflows(const Declared& contract, const Format& to) {
  using enum number::Overflow;
  switch (to.is_integer() ? contract.roundings.to_integer : contract.roundings.overflow) {
    case contract::OverflowPolicy::Default:
    case contract::OverflowPolicy::Ieee:
      return {Ieee};
    case contract::OverflowPolicy::Saturate:
      return {Saturate};
    case contract::OverflowPolicy::Nan:
      return {Nan};
    case contract::OverflowPolicy::Either:
      break;
  }
  return {Ieee, Saturate, Nan};
}

class Conversion final : public Problem {
 public:
  Conversion(const tensor::Tensor& x, number::FormatId to, const Declared& contract)
      : Problem(x.element_count(), to),
        x_(x),
        contract_(contract),
        overflows_(overflows(contract, number::format(to))) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override {
    const std::uint64_t word = x_.get(element);
    Answer answer;
    Permitted& permitted = answer.permitted;
    permitted.format = output_format().id;
    const Format* from = &x_.format();
    Words words{word};
    for (const contract::RoundingStep& step : contract_.roundings.before) {
      const Format& to = number::format(step.format);
      words = converted(words, *from, to, {.rounding = step.rounding});
      from = &to;
    }
    for (const number::Overflow overflow : overflows_) {
      const number::EncodeOptions last{.rounding = contract_.roundings.last, .overflow = overflow};
      for (const std::uint64_t each : words) {
        const bool is_nan = number::is_nan(*from, each);
        for (const std::uint64_t to : converted({each}, *from, output_format(), last)) add(permitted, is_nan, to);
      }
    }
    if (number::classify(x_.format(), word) >= number::Class::Infinity) {
      permitted.rule = "convert.special";
      return answer;
    }
    const auto special = [&](std::uint64_t to) {
      return number::classify(output_format(), to) >= number::Class::Infinity;
    };
    permitted.rule = permitted.nan || std::ranges::any_of(permitted.only, special) ? verdict::Rule("output.overflow")
                                                                                   : verdict::Rule("convert.rounded");
    if (!output_format().is_integer()) answer.exact = exact::Dyadic::from_encoding(x_.format(), word);
    return answer;
  }

 private:
  /// What one conversion makes of each of several encodings.
  [[nodiscard]] Words converted(const Words& words, const Format& from, const Format& to,
                                number::EncodeOptions options) const {
    const ConversionFlushing flushing =
        conversion_flushing(from, to, contract_.subnormals.inputs, contract_.subnormals.results);
    Words results;
    for (const std::uint64_t word : words) {
      const bool is_subnormal = oracle::is_subnormal(from, word);
      for (const bool flushes_source : flushes(is_subnormal ? flushing.source : contract::Subnormals::Keep)) {
        const std::uint64_t taken = flushes_source ? number::zero(from, number::is_negative(from, word)) : word;
        for (const bool flushes_result : flushes(flushing.result)) {
          options.flush_subnormals = flushes_result;
          add_word(results, number::convert(from, taken, to, options));
        }
      }
    }
    return results;
  }

  /// `of_nan`: what it was before the last conversion.
  void add(Permitted& permitted, bool of_nan, std::uint64_t word) const {
    const Format& format = output_format();
    if (number::is_nan(format, word)) {
      permitted.nan = true;
      return;
    }
    add_word(permitted.only, word);
    if (format.is_integer() && of_nan) add_word(permitted.only, format.sign_mask());
    const bool any_sign = contract_.selections.zero_sign == contract::ZeroSign::Any && !format.is_integer();
    if (any_sign && number::is_zero(format, word)) add_word(permitted.only, word ^ format.sign_mask());
  }

  const tensor::Tensor& x_;
  const Declared& contract_;
  std::vector<number::Overflow> overflows_;
};

}  // namespace

base::Result<std::unique_ptr<Problem>> make_convert(const operation::Case& value, const Declared& contract,
                                                    const Options& /*options*/, std::size_t /*output*/) {
  const number::FormatId to = operation::output_specs(value.operation).front().format;
  return std::unique_ptr<Problem>(std::make_unique<Conversion>(operation::factor(value), to, contract));
}

}  // namespace negzero::oracle
