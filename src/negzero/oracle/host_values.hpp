// The elements of a tensor as numbers of the host, and the weight of each one's lowest bit.

#pragma once

#include <cstdint>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::oracle {

/// Lowest bit of a zero, and of what is not finite: never the minimum.
inline constexpr std::int32_t kNoBit = 1 << 20;

/// Weight of the lowest set bit; kNoBit for zero and for what is not finite.
[[nodiscard]] std::int32_t lowest_bit_of(double x) noexcept;

/// The elements of a tensor after multiplicand rounding, and the weight of each one's lowest set bit.
template <class Value>
struct Values {
  std::vector<Value> value;
  std::vector<std::int32_t> lowest_bit;
};
/// Requires a format whose numbers are all of type Value.
template <class Value>
[[nodiscard]] Values<Value> values_of(const tensor::Tensor& tensor, contract::Multiplicand multiplicand);

}  // namespace negzero::oracle
