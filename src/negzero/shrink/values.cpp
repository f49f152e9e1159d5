// Passes over the values of a case.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/index_words.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/shrink/passes.hpp>

namespace negzero::shrink {

namespace {

using number::Decoded;
using number::Format;
using operation::Case;
using verdict::Failure;

/// Re-encodes a magnitude that has at most as many bits as the original: exact unless an exponent moved too far.
std::uint64_t encode_exactly(const Format& format, bool negative, std::uint64_t significand, int exponent) {
  return number::encode(format, negative, significand, exponent, false, {.rounding = number::Rounding::TowardZero});
}

bool is_plain(const Format& format, std::uint64_t word) {
  const Decoded d = number::decode(format, word);
  return d.is_finite() && d.significand != 0;
}

// The simplifications, most drastic first. Each returns the word itself where it does not apply.
std::uint64_t to_zero(const Format& format, std::uint64_t) { return number::zero(format); }
std::uint64_t to_one(const Format& format, std::uint64_t) { return number::one(format); }
std::uint64_t to_canonical(const Format& format, std::uint64_t word) {
  return number::is_nan(format, word) ? number::canonical_nan(format) : word;
}
std::uint64_t to_positive(const Format& format, std::uint64_t word) {
  return format.is_integer() || number::is_nan(format, word) ? word : word & ~format.sign_mask();
}
std::uint64_t to_unit_exponent(const Format& format, std::uint64_t word) {
  if (!is_plain(format, word)) return word;
  const Decoded d = number::decode(format, word);
  return encode_exactly(format, d.negative, d.significand, 1 - static_cast<int>(std::bit_width(d.significand)));
}
std::uint64_t to_power_of_two(const Format& format, std::uint64_t word) {
  if (!is_plain(format, word)) return word;
  const Decoded d = number::decode(format, word);
  return encode_exactly(format, d.negative, std::bit_floor(d.significand), d.exponent);
}
std::uint64_t to_next_power_of_two(const Format& format, std::uint64_t word) {
  if (!is_plain(format, word)) return word;
  const Decoded d = number::decode(format, word);
  return encode_exactly(format, d.negative, 1, d.exponent + static_cast<int>(std::bit_width(d.significand)));
}
/// The leading bit and the lowest one: what a lost low bit needs.
std::uint64_t to_two_bits(const Format& format, std::uint64_t word) {
  if (!is_plain(format, word)) return word;
  const Decoded d = number::decode(format, word);
  return encode_exactly(format, d.negative, std::bit_floor(d.significand) | (d.significand & (~d.significand + 1)),
                        d.exponent);
}
std::uint64_t to_half_the_bits(const Format& format, std::uint64_t word) {
  if (!is_plain(format, word)) return word;
  const Decoded d = number::decode(format, word);
  const int low = std::countr_zero(d.significand), width = std::bit_width(d.significand) - low;
  const int dropped = low + width / 2;
  return encode_exactly(format, d.negative, d.significand >> dropped << dropped, d.exponent);
}
std::uint64_t without_lowest_bit(const Format& format, std::uint64_t word) {
  if (!is_plain(format, word)) return word;
  const Decoded d = number::decode(format, word);
  return encode_exactly(format, d.negative, d.significand & (d.significand - 1), d.exponent);
}
std::uint64_t with_higher_low_bit(const Format& format, std::uint64_t word) {
  if (!is_plain(format, word)) return word;
  const Decoded d = number::decode(format, word);
  const std::uint64_t low = d.significand & (~d.significand + 1);
  return encode_exactly(format, d.negative, (d.significand & ~low) | (low << 1), d.exponent);
}
template <int kNumerator>
std::uint64_t to_smaller_exponent(const Format& format, std::uint64_t word) {
  if (!is_plain(format, word)) return word;
  const Decoded d = number::decode(format, word);
  const int leading = d.exponent + std::bit_width(d.significand) - 1;
  const int wanted = kNumerator == 0 ? leading - (leading > 0 ? 1 : -1) : leading * kNumerator / 4;
  return encode_exactly(format, d.negative, d.significand, d.exponent + (wanted - leading));
}
using Simplify = std::uint64_t (*)(const Format&, std::uint64_t);
constexpr std::array<Simplify, 14> kSimplifications = {to_zero,
                                                       to_one,
                                                       to_canonical,
                                                       to_positive,
                                                       to_power_of_two,
                                                       to_next_power_of_two,
                                                       to_unit_exponent,
                                                       to_two_bits,
                                                       to_half_the_bits,
                                                       without_lowest_bit,
                                                       with_higher_low_bit,
                                                       to_smaller_exponent<2>,
                                                       to_smaller_exponent<3>,
                                                       to_smaller_exponent<0>};

/// Chunks below this share of a tensor are not tried one by one: a tensor that is still large keeps most of its values.
constexpr std::int64_t kMostChunks = 256;

/// Applies one simplification to chunks of one tensor; what leaves the limits' values goes to the nearest of them.
bool simplify(const Case& value, const std::string& name, const operation::Limits& limits, Simplify simplification,
              const Emit& emit) {
  const tensor::Tensor& tensor = value.tensors.at(name);
  const auto range = operation::values_of(limits, name, tensor.format_id());
  const std::int64_t count = tensor.element_count();
  const std::int64_t smallest = std::max<std::int64_t>(1, count / kMostChunks);
  for (std::int64_t chunk = count; chunk >= smallest; chunk = chunk == 1 ? 0 : (chunk + 1) / 2) {
    for (std::int64_t begin = 0; begin < count; begin += chunk) {
      tensor::Tensor changed = tensor;
      bool any = false;
      for (std::int64_t i = begin; i < std::min(count, begin + chunk); ++i) {
        const std::uint64_t word = tensor.get(i), wanted = simplification(tensor.format(), word);
        const std::uint64_t simpler = range ? range->nearest(wanted) : wanted;
        if (complexity(tensor.format(), simpler) >= complexity(tensor.format(), word)) continue;
        changed.set(i, simpler);
        any = true;
      }
      if (!any) continue;
      Case candidate = value;
      candidate.tensors.at(name) = std::move(changed);
      // Elements of a broadcast layout are one number in memory: they change together or the case is not valid.
      operation::unify_shared_elements(candidate);
      if (!emit(std::move(candidate))) return false;
    }
  }
  return true;
}

/// Scales two tensors against each other, so that a product keeps its value while its factors come nearer to 1.
bool balance(const Case& value, const Emit& emit) {
  const notation::Signature& signature = value.operation.signature();
  if (signature.factors.size() != 2) return true;
  for (const int shift : {64, 16, 4, 1, -1, -4, -16, -64}) {
    Case candidate = value;
    for (const auto& [factor, sign] : {std::pair{signature.factors[0], 1}, std::pair{signature.factors[1], -1}}) {
      tensor::Tensor& tensor = candidate.tensors.at(signature.tensors[factor].name);
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
        const std::uint64_t word = tensor.get(i);
        if (!is_plain(tensor.format(), word)) continue;
        const Decoded d = number::decode(tensor.format(), word);
        tensor.set(i, encode_exactly(tensor.format(), d.negative, d.significand, d.exponent + sign * shift));
      }
    }
    operation::unify_shared_elements(candidate);
    if (!emit(std::move(candidate))) return false;
  }
  return true;
}

}  // namespace

std::uint64_t complexity(const Format& format, std::uint64_t word) {
  const Decoded d = number::decode(format, word);
  if (d.kind == number::Class::Nan) return word == number::canonical_nan(format) ? 400 : 401;
  if (d.kind == number::Class::Infinity) return 300 + (d.negative ? 1 : 0);
  if (d.significand == 0) return d.negative ? 1 : 0;
  // Set bits weigh most, then how far they spread, then how far the number is from 1.
  const int low = std::countr_zero(d.significand), width = std::bit_width(d.significand) - low;
  const int leading = d.exponent + std::bit_width(d.significand) - 1;
  return 4 + 8 * static_cast<std::uint64_t>(std::popcount(d.significand) - 1) +
         2 * static_cast<std::uint64_t>(width - 1) + static_cast<std::uint64_t>(std::abs(leading)) / 4 +
         (leading != 0 ? 2 : 0) + (d.negative ? 1 : 0);
}

bool is_index(const operation::Operation& operation, std::string_view name) {
  const notation::Signature& signature = operation.signature();
  return signature.tensors[*signature.find_tensor(name)].role == notation::Role::Index;
}

bool shrinks_indices(const notation::Signature& signature, const notation::TensorSignature& tensor) {
  return tensor.role == notation::Role::Index && (tensor.counts_of || signature.is_declared);
}

std::uint64_t weight_of_indices(const notation::TensorSignature& signature, const tensor::Tensor& indices) {
  std::uint64_t weight = 0;
  const std::int64_t row = indices.shape().empty() ? 1 : indices.shape().back();
  for (std::int64_t i = 0; i < indices.element_count(); ++i) {
    const std::uint64_t word = indices.get(i);
    if (signature.words.is_permutation) {
      weight += static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(word) - i % row));
    } else if (signature.words.has_none) {
      const bool is_none = number::ordinal(indices.format(), word) == operation::kNoIndex;
      weight += is_none ? 1 : 2 * word;
    } else {
      weight += word;
    }
  }
  return weight;
}

void shrink_values(const Case& value, const Failure&, const operation::Limits& limits, const Emit& emit) {
  for (const Simplify simplification : kSimplifications) {
    for (const auto& [name, tensor] : value.tensors) {
      if (is_index(value.operation, name)) continue;
      if (!simplify(value, name, limits, simplification, emit)) return;
    }
  }
  balance(value, emit);
}

}  // namespace negzero::shrink
