// Changes of the values: scaled, negated, padded with zeros, a NaN planted, selections permuted and repeated.

#include <algorithm>
#include <bit>
#include <climits>
#include <string>

#include <negzero/number/encoding.hpp>
#include <negzero/property/tensor_map.hpp>
#include <negzero/property/variations.hpp>

namespace negzero::property {

namespace {

using contract::Contract;
using contract::Determinism;
using number::Format;
using operation::Case;
using operation::Gemm;
using operation::Reduce;
using operation::Scatter;
using tensor::Tensor;

bool is_sum(const operation::Operation& operation) {
  const operation::Signature& signature = operation.signature();
  return signature.combine == operation::Combine::Sum && !signature.is_update;
}

/// Whether it is a sum of products that is no plain GEMM.
bool has_other_products(const operation::Operation& operation) {
  return operation.signature().factors.size() > 1 && !view_if<Gemm>(operation);
}

bool is_selection(const operation::Operation& operation) {
  const auto combine = operation.signature().combine;
  return combine && operation::selects(*combine) && !operation::gives_index(*combine);
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

std::optional<Variation> scale_sum(const Case& value, const Contract& contract, const Tensor& output, int shift) {
  if (!order_is_fixed(contract) || !is_sum(value.operation) || has_other_products(value.operation)) return std::nullopt;
  const auto gemm = view_if<Gemm>(value.operation);
  Span terms;
  std::int64_t count = 0;
  Variation result{value, output};
  if (gemm) {
    if (!is_one_or_zero(gemm->alpha, false) || !is_one_or_zero(gemm->beta, true)) return std::nullopt;
    const Span a = span_of(value.tensors.at("a")), b = span_of(value.tensors.at("b"));
    Span c = span_of(value.tensors.at("c"));
    if (number::is_zero(number::format(gemm->beta.format), gemm->beta.bits)) c = {};
    if (!a.plain || !b.plain || !c.plain || a.empty() || b.empty()) return std::nullopt;
    terms.lowest_bit = std::min(a.lowest_bit + b.lowest_bit, c.lowest_bit);
    terms.highest = std::max(a.highest + b.highest, c.highest);
    count = gemm->k + 1;
    const Format& from = value.tensors.at("a").format();
    if (!stays_normal(from, a.lowest_bit, a.highest, shift)) return std::nullopt;
    if (!c.empty() && !stays_normal(value.tensors.at("c").format(), c.lowest_bit, c.highest, shift)) {
      return std::nullopt;
    }
    put_in_place(result.value, "a", scaled(value.tensors.at("a"), shift));
    if (!c.empty()) put_in_place(result.value, "c", scaled(value.tensors.at("c"), shift));
  } else {
    terms = span_of(value.tensors.at("x"));
    if (!terms.plain || terms.empty()) return std::nullopt;
    count = value.operation.extent("columns");
    if (!stays_normal(value.tensors.at("x").format(), terms.lowest_bit, terms.highest, shift)) return std::nullopt;
    put_in_place(result.value, "x", scaled(value.tensors.at("x"), shift));
  }
  // One binade for the count's rounding up and one for the rounding of partial sums (k u < 1 where the bound holds).
  const int high = terms.highest + std::bit_width(static_cast<std::uint64_t>(count)) + 1;
  for (const Format& format : {number::format(contract.accumulate), output.format()}) {
    if (!stays_normal(format, terms.lowest_bit, high, shift)) return std::nullopt;
  }
  for (const contract::RoundingStep& step : contract.intermediate) {
    if (!stays_normal(number::format(step.format), terms.lowest_bit, high, shift)) return std::nullopt;
  }
  result.predicted = scaled(output, shift);
  return result;
}

std::optional<Variation> scale_selection(const Case& value, const Tensor& output, int shift) {
  Variation result{value, output};
  for (const char* name : {"x", "init"}) {
    const auto tensor = value.tensors.find(name);
    if (tensor == value.tensors.end()) continue;
    const Span span = span_of(tensor->second);
    if (!span.plain || (!span.empty() && !stays_normal(output.format(), span.lowest_bit, span.highest, shift))) {
      return std::nullopt;
    }
    put_in_place(result.value, name, scaled(tensor->second, shift));
  }
  const Span seen = span_of(output);
  if (!seen.plain) return std::nullopt;
  result.predicted = scaled(output, shift);
  return result;
}

}  // namespace

NEGZERO_VARIATION(scale) {
  (void)kernel;
  const int shift = static_cast<int>(random.between(1, 4)) * (random.one_in(2) ? 1 : -1);
  if (is_selection(value.operation)) return scale_selection(value, output, shift);
  return scale_sum(value, contract, output, shift);
}

NEGZERO_VARIATION(negate) {
  (void)kernel;
  (void)random;
  using number::Rounding;
  const bool directed = contract.output_rounding == Rounding::Up || contract.output_rounding == Rounding::Down;
  if (directed || !order_is_fixed(contract) || !is_sum(value.operation)) return std::nullopt;
  Variation result{value, output};
  const auto flip = [](const Tensor& t) {
    return map_words(t, [&](std::uint64_t word) { return negated(t.format(), word); });
  };
  for (const char* name : {"a", "c", "x"}) {
    const auto tensor = value.tensors.find(name);
    if (tensor != value.tensors.end()) put_in_place(result.value, name, flip(tensor->second));
  }
  result.predicted = flip(output);
  result.zero_signs_exempt = true;
  return result;
}

NEGZERO_VARIATION(pad_k) {
  (void)kernel;
  if (contract.order != contract::Order::Ascending || contract.compensated || !is_sum(value.operation) ||
      contract.determinism == Determinism::NotGuaranteed || has_other_products(value.operation) ||
      value.operation.signature().reach != operation::Reach::All) {
    return std::nullopt;
  }
  const std::int64_t extra = random.between(1, 9);
  Variation result{value, output};
  result.zero_signs_exempt = true;
  if (const auto gemm = view_if<Gemm>(value.operation)) {
    // At K = 0 alpha is not used; with a zero term it is, and may be NaN.
    if (gemm->k == 0) return std::nullopt;
    Gemm longer = *gemm;
    longer.k += extra;
    const auto padded = [&](const Tensor& from, std::vector<std::int64_t> shape, std::int64_t rows,
                            std::int64_t columns) {
      return map_tensor(from, std::move(shape), 0, [&](std::int64_t b, std::int64_t i, std::int64_t j) {
        return i < rows && j < columns ? (b * rows + i) * columns + j : kNoOrigin;
      });
    };
    result.value.operation = longer;
    put(result.value, "a", padded(value.tensors.at("a"), {gemm->batch, gemm->m, longer.k}, gemm->m, gemm->k));
    put(result.value, "b", padded(value.tensors.at("b"), {gemm->batch, longer.k, gemm->n}, gemm->k, gemm->n));
    return result;
  }
  auto reduce = view<Reduce>(value.operation);
  if (reduce.columns == 0) return std::nullopt;
  const std::int64_t old = reduce.columns;
  reduce.columns += extra;
  result.value.operation = reduce;
  Tensor x(reduce.x, {reduce.rows, reduce.columns});
  for (std::int64_t i = 0; i < reduce.rows; ++i) {
    for (std::int64_t j = 0; j < old; ++j) x.set(i * reduce.columns + j, value.tensors.at("x").get(i * old + j));
  }
  put(result.value, "x", std::move(x));
  return result;
}

NEGZERO_VARIATION(nan_row) {
  (void)kernel;
  if (contract.determinism == Determinism::NotGuaranteed) return std::nullopt;
  const auto gemm = view_if<Gemm>(value.operation);
  const auto reduce = view_if<Reduce>(value.operation);
  if (!gemm && !reduce) return std::nullopt;
  const std::string name = gemm ? "a" : "x";
  const std::int64_t width = gemm ? gemm->k : reduce->columns;
  const Tensor& from = value.tensors.at(name);
  if (from.element_count() == 0) return std::nullopt;
  // Broadcast rows share memory, so that a NaN in one of them is a NaN in all.
  if (value.layouts.at(name).overlaps()) return std::nullopt;
  const std::int64_t at = random.between(0, from.element_count() - 1);
  Variation result{value, output};
  result.value.tensors.at(name).set(at, number::canonical_nan(from.format()));
  const std::int64_t outputs_per_row = gemm ? gemm->n : 1;
  result.exempt.assign(static_cast<std::size_t>(output.element_count()), false);
  for (std::int64_t j = 0; j < outputs_per_row; ++j) {
    result.exempt[static_cast<std::size_t>(at / width * outputs_per_row + j)] = true;
  }
  return result;
}

NEGZERO_VARIATION(select_again) {
  (void)kernel;
  if (!is_selection(value.operation) || contract.zero_sign == contract::ZeroSign::Any) return std::nullopt;
  Variation result{value, output};
  const Tensor& x = value.tensors.at("x");
  const auto reduce = view_if<Reduce>(value.operation);
  const std::int64_t rows = reduce ? reduce->rows : 1, old = reduce ? reduce->columns : x.element_count();
  if (old == 0) return std::nullopt;
  // Each row becomes its own elements in a drawn order, and a few of them once more.
  const std::int64_t columns = old + random.between(0, 3);
  std::vector<std::int64_t> origin(static_cast<std::size_t>(columns));
  for (std::int64_t j = 0; j < columns; ++j)
    origin[static_cast<std::size_t>(j)] = j < old ? j : random.between(0, old - 1);
  for (std::size_t i = origin.size(); i > 1; --i) std::swap(origin[i - 1], origin[random.below(i)]);
  const auto reordered = [&](const Tensor& from) {
    Tensor to(from.format().id, reduce ? std::vector<std::int64_t>{rows, columns} : std::vector<std::int64_t>{columns});
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        to.set(i * columns + j, from.get(i * old + origin[static_cast<std::size_t>(j)]));
      }
    }
    return to;
  };
  if (reduce) {
    Reduce longer = *reduce;
    longer.columns = columns;
    result.value.operation = longer;
  } else {
    Scatter longer = view<Scatter>(value.operation);
    longer.updates = columns;
    result.value.operation = longer;
    put(result.value, "index", reordered(value.tensors.at("index")));
  }
  put(result.value, "x", reordered(x));
  return result;
}

}  // namespace negzero::property
