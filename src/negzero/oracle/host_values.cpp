// Decoding whole tensors into host numbers, one loop a format.

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/host_values.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

using number::FormatId;

namespace {

/// Decodes elements of one format, whose fields are constants here.
template <class Value, FormatId kId>
void take_values(const tensor::Tensor& tensor, Values<Value>& values) {
  constexpr number::Format kFormat = number::format(kId);
  using Word =
      std::conditional_t<kFormat.bits == 64, std::uint64_t,
                         std::conditional_t<kFormat.bits == 32, std::uint32_t,
                                            std::conditional_t<kFormat.bits == 16, std::uint16_t, std::uint8_t>>>;
  const std::byte* const from = tensor.bytes().data();
  for (std::size_t i = 0; i < values.value.size(); ++i) {
    Word word;
    std::memcpy(&word, from + i * sizeof word, sizeof word);
    if constexpr (sizeof(Word) == sizeof(Value) && (kId == FormatId::F32 || kId == FormatId::F64)) {
      values.value[i] = std::bit_cast<Value>(word);
    } else {
      values.value[i] = static_cast<Value>(number::to_double(kFormat, word));
    }
    const number::Decoded d = number::decode(kFormat, word);
    if (d.is_finite() && d.significand != 0) values.lowest_bit[i] = d.exponent + std::countr_zero(d.significand);
  }
}

template <class Value>
void take_values(const tensor::Tensor& tensor, Values<Value>& values) {
  switch (tensor.format_id()) {
    case FormatId::F64:
      return take_values<Value, FormatId::F64>(tensor, values);
    case FormatId::F32:
      return take_values<Value, FormatId::F32>(tensor, values);
    case FormatId::TF32:
      return take_values<Value, FormatId::TF32>(tensor, values);
    case FormatId::F16:
      return take_values<Value, FormatId::F16>(tensor, values);
    case FormatId::BF16:
      return take_values<Value, FormatId::BF16>(tensor, values);
    case FormatId::F8_E4M3:
      return take_values<Value, FormatId::F8_E4M3>(tensor, values);
    case FormatId::F8_E5M2:
      return take_values<Value, FormatId::F8_E5M2>(tensor, values);
    case FormatId::I32:
      return take_values<Value, FormatId::I32>(tensor, values);
  }
}

}  // namespace

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
