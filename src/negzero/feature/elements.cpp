// Features of elements: classes of encodings and ranges of exponents.

#include <algorithm>
#include <bit>
#include <limits>

#include <negzero/feature/kinds.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::feature {
namespace {

using number::Format;

constexpr std::uint32_t bit(ElementClass one) { return std::uint32_t{1} << one; }

std::uint32_t classes_of_integer(const Format& format, std::uint64_t word) {
  const std::int64_t value = number::ordinal(format, word);
  if (value == 0) return bit(kPlusZero);
  std::uint32_t classes = value > 0 ? bit(kPositiveNormal) : bit(kNegativeNormal);
  if (value == 1 || value == -1) classes |= bit(kOne);
  if (word == number::max_finite(format) || word == number::max_finite(format, true)) classes |= bit(kLargestFinite);
  return classes;
}

void gather_tensor(std::size_t number, const tensor::Tensor& tensor, Gathered& to) {
  for (std::uint32_t classes = classes_in(tensor); classes != 0; classes &= classes - 1) {
    to.add(Kind::Element, value_of(number, static_cast<std::uint32_t>(std::countr_zero(classes))));
  }
  to.add(Kind::Spread, value_of(number, spread_of(tensor)));
}

}  // namespace

std::uint32_t classes_of(const Format& format, std::uint64_t word) noexcept {
  if (format.is_integer()) return classes_of_integer(format, word);
  const number::Decoded d = number::decode(format, word);
  const std::uint64_t magnitude = word & format.word_mask() & ~format.sign_mask();
  switch (d.kind) {
    case number::Class::Zero:
      return bit(d.negative ? kMinusZero : kPlusZero);
    case number::Class::Infinity:
      return bit(d.negative ? kMinusInfinity : kPlusInfinity);
    case number::Class::Nan: {
      const bool is_quiet = format.nan_codes == number::NanCodes::AllOnes ||
                            (word >> (format.unused_bits + format.fraction_bits - 1) & 1) != 0;
      return bit(is_quiet ? kQuietNan : kSignallingNan);
    }
    case number::Class::Subnormal: {
      std::uint32_t classes = bit(d.negative ? kNegativeSubnormal : kPositiveSubnormal);
      if (magnitude == number::min_subnormal(format)) classes |= bit(kSmallestSubnormal);
      if (magnitude == number::max_subnormal(format)) classes |= bit(kLargestSubnormal);
      return classes;
    }
    case number::Class::Normal:
      break;
  }
  std::uint32_t classes = bit(d.negative ? kNegativeNormal : kPositiveNormal);
  if (magnitude == number::min_normal(format)) classes |= bit(kSmallestNormal);
  if (magnitude == number::max_finite(format)) classes |= bit(kLargestFinite);
  if (magnitude == number::one(format)) classes |= bit(kOne);
  if (std::has_single_bit(d.significand)) classes |= bit(kPowerOfTwo);
  return classes;
}

std::uint32_t classes_in(const tensor::Tensor& tensor) noexcept {
  const Format& format = tensor.format();
  std::uint32_t classes = 0;
  std::uint64_t before = 0;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const std::uint64_t word = tensor.get(i);
    classes |= classes_of(format, word);
    if (i > 0 && word == before) classes |= bit(kEqualNeighbours);
    const std::uint64_t negative =
        format.is_integer() ? (0 - before) & format.word_mask() : before ^ format.sign_mask();
    if (i > 0 && word == negative && word != before) classes |= bit(kOppositeNeighbours);
    before = word;
  }
  return classes;
}

std::uint32_t spread_of(const tensor::Tensor& tensor) noexcept {
  const Format& format = tensor.format();
  int least = std::numeric_limits<int>::max(), greatest = std::numeric_limits<int>::min();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const number::Decoded d = number::decode(format, tensor.get(i));
    if (!d.is_finite() || d.significand == 0) continue;
    const int exponent = d.exponent + std::bit_width(d.significand);
    least = std::min(least, exponent);
    greatest = std::max(greatest, exponent);
  }
  return greatest < least ? 0 : static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(greatest - least)));
}

void gather_elements(const Run& run, Gathered& to) {
  std::size_t number = 0;
  for (const operation::TensorSpec& spec : operation::input_specs(run.value.operation)) {
    gather_tensor(number++, run.value.tensors.at(spec.name), to);
  }
  for (const tensor::Tensor& output : run.outputs) gather_tensor(number++, output, to);
}

}  // namespace negzero::feature
