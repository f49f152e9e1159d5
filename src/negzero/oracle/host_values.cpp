// Decoding whole tensors into host numbers, one loop a format.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include <negzero/number/encoding.hpp>
#include <negzero/number/format_constant.hpp>
#include <negzero/oracle/host_values.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

namespace {

/// (Flattened, as a call of decode() for each element doubles the time.)
template <class Value, number::FormatId kId>
[[gnu::flatten]] void take_values(const std::byte* from, Values<Value>& values) {
  constexpr number::FormatId kOwn = std::is_same_v<Value, float> ? number::FormatId::F32 : number::FormatId::F64;
  constexpr const number::Format& kFormat = number::format(kId);
  constexpr std::size_t kBytes = kFormat.bits / 8;
  for (std::size_t i = 0; i < values.value.size(); ++i) {
    const std::uint64_t word = tensor::load_word(from + i * kBytes, kBytes);
    if constexpr (kId == kOwn) {
      std::memcpy(&values.value[i], &word, kBytes);
    } else {
      values.value[i] = static_cast<Value>(number::to_double(kFormat, word));
    }
    const number::Decoded d = number::decode(kFormat, word);
    if (d.is_finite() && d.significand != 0) values.lowest_bit[i] = d.exponent + std::countr_zero(d.significand);
  }
}

template <class Value>
void take_values(const tensor::Tensor& tensor, Values<Value>& values) {
  number::with_format(tensor.format_id(), [&]<number::FormatId kId>(number::FormatConstant<kId>) {
    take_values<Value, kId>(tensor.bytes().data(), values);
  });
}

}  // namespace

std::int32_t lowest_bit_of(double x) noexcept {
  if (x == 0 || !std::isfinite(x)) return kNoBit;
  const number::Decoded decoded =
      number::decode(number::format(number::FormatId::F64), std::bit_cast<std::uint64_t>(x));
  return decoded.exponent + std::countr_zero(decoded.significand);
}

template <class Value>
Values<Value> values_of(const tensor::Tensor& tensor, contract::Multiplicand multiplicand) {
  Values<Value> values;
  const auto count = static_cast<std::size_t>(tensor.element_count());
  values.value.resize(count);
  values.lowest_bit.assign(count, kNoBit);
  const auto rounded = multiplicand_rounding(multiplicand);
  if (!rounded) {
    take_values(tensor, values);
    return values;
  }
  tensor::Tensor narrow(rounded->format, tensor.shape());
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    narrow.set(i, number::convert(tensor.format(), tensor.get(i), narrow.format(), {.rounding = rounded->rounding}));
  }
  take_values(narrow, values);
  return values;
}

template Values<float> values_of<float>(const tensor::Tensor&, contract::Multiplicand);
template Values<double> values_of<double>(const tensor::Tensor&, contract::Multiplicand);

}  // namespace negzero::oracle
