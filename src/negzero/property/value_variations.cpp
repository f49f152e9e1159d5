// Changes of the values: scaled, negated, padded with zeros, a NaN planted, selections permuted and repeated.

#include <algorithm>
#include <bit>
#include <climits>
#include <numeric>
#include <string>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/property/tensor_map.hpp>
#include <negzero/property/variations.hpp>

namespace negzero::property {

namespace {

using contract::Contract;
using contract::Determinism;
using notation::Signature;
using number::Format;
using operation::Case;
using operation::Kind;
using tensor::Tensor;

bool is_sum(const operation::Operation& operation) {
  const auto kind = operation::kind_of(operation.signature());
  return operation.signature().combine == notation::Combine::Sum && kind && kind != Kind::Update;
}

bool is_selection(const operation::Operation& operation) {
  const auto combine = operation.signature().combine;
  return combine && notation::selects(*combine) && !notation::gives_index(*combine);
}

/// Whether two runs add the same terms in the same order: then a symmetric change of the inputs changes every step
/// alike. A deterministic kernel of declared order `any` has an order too, fixed by the shape.
bool order_is_fixed(const Contract& contract) { return contract.determinism != Determinism::NotGuaranteed; }

std::uint64_t negated(const Format& format, std::uint64_t word) {
  return number::is_nan(format, word) ? word : word ^ format.sign_mask();
}

/// Exponents of a tensor's finite nonzero values. `plain` is false when there is a NaN, an Inf or a subnormal.
struct Span {
  bool plain = true;
  int lowest_bit = INT_MAX;  ///< every value is a multiple of 2^lowest_bit
  int highest = INT_MIN;     ///< every |value| < 2^highest
  [[nodiscard]] bool empty() const { return highest == INT_MIN; }
};

Span span_of(const Tensor& tensor) {
  Span span;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const number::Decoded d = number::decode(tensor.format(), tensor.get(i));
    if (d.kind == number::Class::Zero) continue;
    if (d.kind != number::Class::Normal) span.plain = false;
    if (!d.is_finite()) continue;
    span.lowest_bit = std::min(span.lowest_bit, d.exponent + std::countr_zero(d.significand));
    span.highest = std::max(span.highest, d.exponent + static_cast<int>(std::bit_width(d.significand)));
  }
  return span;
}

bool is_one_or_zero(const operation::Scalar& scalar, bool zero_allowed) {
  const Format& format = number::format(scalar.format);
  if (number::is_zero(format, scalar.bits)) return zero_allowed;
  return (scalar.bits & ~format.sign_mask()) == number::one(format);
}

/// Whether every nonzero term, partial sum and result lies in the normal range of `format` before and after a scaling
/// by 2^shift: terms are multiples of 2^low and the sum of their magnitudes stays below 2^high.
bool stays_normal(const Format& format, int low, int high, int shift) {
  return std::min(low, low + shift) >= format.min_normal_exponent() &&
         std::max(high, high + shift) <= format.max_exponent();
}

Tensor scaled(const Tensor& tensor, int shift) {
  return map_words(tensor, [&](std::uint64_t word) {
    const number::Decoded d = number::decode(tensor.format(), word);
    if (d.kind != number::Class::Normal) return word;
    return number::encode(tensor.format(), d.negative, d.significand, d.exponent + shift, false, {});
  });
}

/// Replaces a tensor by one that was made of it element by element: it stays where it lies, and elements that shared an
/// address still agree. A kernel may well take another way through memory that lies otherwise.
void put_in_place(Case& value, const std::string& name, Tensor tensor) {
  value.tensors.insert_or_assign(name, std::move(tensor));
}

/// Replaces a tensor and packs its layout.
void put(Case& value, const std::string& name, Tensor tensor) {
  value.layouts[name] = tensor::Layout::packed(tensor.shape());
  value.tensors.insert_or_assign(name, std::move(tensor));
}

/// Whether the scalars that multiply terms are 1 or -1, and those of what is added are that or 0.
bool has_plain_scalars(const operation::Operation& operation) {
  const auto& scalars = operation.signature().scalars;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if (!is_one_or_zero(operation.scalars()[i], scalars[i].is_addend)) return false;
  }
  return true;
}

std::optional<Variation> scale_sum(const Case& value, const Contract& contract, const Tensor& output, int shift) {
  const Signature& signature = value.operation.signature();
  if (!order_is_fixed(contract) || !is_sum(value.operation) || signature.has_counts()) return std::nullopt;
  if (!has_plain_scalars(value.operation)) return std::nullopt;
  Span terms{.lowest_bit = 0, .highest = 0};
  for (std::size_t which = 0; which < signature.factors.size(); ++which) {
    const Span span = span_of(operation::factor(value, which));
    if (!span.plain || span.empty()) return std::nullopt;
    terms.lowest_bit += span.lowest_bit;
    terms.highest += span.highest;
  }
  Variation result{value, output};
  // Terms have two factors at most, of which one is scaled.
  const Tensor& scaled_factor = operation::factor(value);
  const Span own = span_of(scaled_factor);
  if (!stays_normal(scaled_factor.format(), own.lowest_bit, own.highest, shift)) return std::nullopt;
  put_in_place(result.value, operation::factor_name(signature), scaled(scaled_factor, shift));
  std::int64_t count = value.operation.extents()[*signature.reduced];
  if (signature.addend) {
    ++count;
    const std::string& name = signature.tensors[*signature.addend].name;
    const Tensor& c = operation::addend(value);
    const Span added = operation::when_unread(value.operation, name, {}).empty() ? span_of(c) : Span{};
    if (!added.plain) return std::nullopt;
    if (!added.empty()) {
      if (!stays_normal(c.format(), added.lowest_bit, added.highest, shift)) return std::nullopt;
      terms.lowest_bit = std::min(terms.lowest_bit, added.lowest_bit);
      terms.highest = std::max(terms.highest, added.highest);
      put_in_place(result.value, name, scaled(c, shift));
    }
  }
  // One binade for the count's rounding up and one for the rounding of partial sums (k u < 1 where the bound holds).
  const int high = terms.highest + std::bit_width(static_cast<std::uint64_t>(count)) + 1;
  for (const Format& format : {number::format(contract.accumulate), output.format()}) {
    if (!stays_normal(format, terms.lowest_bit, high, shift)) return std::nullopt;
  }
  for (const contract::RoundingStep& step : contract.intermediate) {
    if (!stays_normal(number::format(step.format), terms.lowest_bit, high, shift)) return std::nullopt;
  }
  result.only().values = scaled(output, shift);
  return result;
}

/// The names of what is combined and of what it is added to, where there is that.
std::vector<std::string> summands(const Signature& signature) {
  std::vector<std::string> names{operation::factor_name(signature)};
  if (signature.addend) names.push_back(signature.tensors[*signature.addend].name);
  return names;
}

std::optional<Variation> scale_selection(const Case& value, const Tensor& output, int shift) {
  Variation result{value, output};
  for (const std::string& name : summands(value.operation.signature())) {
    const Tensor& from = value.tensors.at(name);
    const Span span = span_of(from);
    if (!span.plain || (!span.empty() && !stays_normal(output.format(), span.lowest_bit, span.highest, shift))) {
      return std::nullopt;
    }
    put_in_place(result.value, name, scaled(from, shift));
  }
  const Span seen = span_of(output);
  if (!seen.plain) return std::nullopt;
  result.only().values = scaled(output, shift);
  return result;
}

/// Changes the extent that is reduced, and every input that has it: index i of it becomes index origin[i] of the old
/// one, or nothing but zeros for kNoOrigin.
void change_terms(const Case& value, const std::vector<std::int64_t>& origin, Case& changed) {
  const Signature& signature = value.operation.signature();
  const std::size_t reduced = *signature.reduced;
  changed.operation.extents()[reduced] = static_cast<std::int64_t>(origin.size());
  for (const notation::TensorSignature& tensor : signature.tensors) {
    const auto given = value.tensors.find(tensor.name);
    const auto dimension = operation::dimension_of(tensor, reduced);
    if (given == value.tensors.end() || !dimension) continue;
    put(changed, tensor.name, map_lines(given->second, *dimension, 0, origin));
  }
}

}  // namespace

NEGZERO_VARIATION(scale) {
  const Tensor& output = outputs.front();
  (void)kernel;
  const int shift = static_cast<int>(random.between(1, 4)) * (random.one_in(2) ? 1 : -1);
  if (is_selection(value.operation)) return scale_selection(value, output, shift);
  if (output.format().is_integer()) return std::nullopt;  // They wrap, or are clamped.
  return scale_sum(value, contract, output, shift);
}

NEGZERO_VARIATION(negate) {
  const Tensor& output = outputs.front();
  (void)kernel;
  (void)random;
  using number::Rounding;
  const bool directed = contract.output_rounding == Rounding::Up || contract.output_rounding == Rounding::Down;
  if (directed || !order_is_fixed(contract) || !is_sum(value.operation)) return std::nullopt;
  // The range of integers is not symmetric: its lowest number has no negative, and clamps differ by one.
  if (output.format().is_integer()) return std::nullopt;
  Variation result{value, output};
  const auto flip = [](const Tensor& t) {
    return map_words(t, [&](std::uint64_t word) { return negated(t.format(), word); });
  };
  for (const std::string& name : summands(value.operation.signature())) {
    put_in_place(result.value, name, flip(value.tensors.at(name)));
  }
  result.only().values = flip(output);
  result.zero_signs_exempt = true;
  return result;
}

NEGZERO_VARIATION(pad_k) {
  const Tensor& output = outputs.front();
  (void)kernel;
  const Signature& signature = value.operation.signature();
  if (contract.order != contract::Order::Ascending || contract.compensated || !is_sum(value.operation) ||
      contract.determinism == Determinism::NotGuaranteed || signature.has_counts() ||
      signature.reach != notation::Reach::All) {
    return std::nullopt;
  }
  const std::int64_t extra = random.between(1, 9);
  // Without terms alpha is not used; with a zero term it is, and may be NaN.
  const std::int64_t old = value.operation.extents()[*signature.reduced];
  if (old == 0) return std::nullopt;
  std::vector<std::int64_t> origin(static_cast<std::size_t>(old + extra), kNoOrigin);
  std::iota(origin.begin(), origin.begin() + static_cast<std::ptrdiff_t>(old), 0);
  Variation result{value, output};
  result.zero_signs_exempt = true;
  change_terms(value, origin, result.value);
  return result;
}

NEGZERO_VARIATION(nan_row) {
  if (value.operation.signature().is_declared) return nan_in_one(value, kernel, contract, outputs, random);
  const Tensor& output = outputs.front();
  (void)kernel;
  if (contract.determinism == Determinism::NotGuaranteed) return std::nullopt;
  const Signature& signature = value.operation.signature();
  const auto kind = operation::kind_of(signature);
  if ((kind != Kind::Products && kind != Kind::Reduction) || signature.outputs.size() > 1) return std::nullopt;
  const std::string& name = operation::factor_name(signature);
  const Tensor& from = operation::factor(value);
  if (from.element_count() == 0) return std::nullopt;
  // Broadcast rows share memory, so that a NaN in one of them is a NaN in all.
  if (value.layouts.at(name).overlaps()) return std::nullopt;
  const std::int64_t at = random.between(0, from.element_count() - 1);
  Variation result{value, output};
  result.value.tensors.at(name).set(at, number::canonical_nan(from.format()));
  // It is a term of those elements of the output that have its indices, as far as both have an index.
  const std::vector<std::int64_t> place = tensor::coordinates_of(from.shape(), at);
  const notation::TensorSignature& own = signature.tensors[signature.factors.front()];
  const notation::TensorSignature& written = signature.tensors[signature.outputs.front().tensor];
  result.only().exempt.assign(static_cast<std::size_t>(output.element_count()), true);
  std::int64_t below = 1;
  for (std::size_t d = written.extents.size(); d-- > 0;) {
    const std::int64_t extent = output.shape()[d];
    const auto dimension = operation::dimension_of(own, written.extents[d]);
    for (std::int64_t i = 0; dimension && i < output.element_count(); ++i) {
      if (i / below % extent != place[*dimension]) result.only().exempt[static_cast<std::size_t>(i)] = false;
    }
    below *= extent;
  }
  return result;
}

NEGZERO_VARIATION(select_again) {
  const Tensor& output = outputs.front();
  (void)kernel;
  const Signature& signature = value.operation.signature();
  const auto kind = operation::kind_of(signature);
  if (!is_selection(value.operation) || contract.zero_sign == contract::ZeroSign::Any ||
      (kind != Kind::Reduction && kind != Kind::Update)) {
    return std::nullopt;
  }
  Variation result{value, output};
  const std::int64_t old = value.operation.extents()[*signature.reduced];
  if (old == 0) return std::nullopt;
  // What is selected from becomes its own elements in a drawn order, and a few of them once more.
  const std::int64_t count = old + random.between(0, 3);
  std::vector<std::int64_t> origin(static_cast<std::size_t>(count));
  for (std::int64_t j = 0; j < count; ++j) {
    origin[static_cast<std::size_t>(j)] = j < old ? j : random.between(0, old - 1);
  }
  for (std::size_t i = origin.size(); i > 1; --i) std::swap(origin[i - 1], origin[random.below(i)]);
  change_terms(value, origin, result.value);
  return result;
}

}  // namespace negzero::property
