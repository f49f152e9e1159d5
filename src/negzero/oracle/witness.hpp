// What is accumulated for every output at once, in hardware: the two chains in ascending k, and s, S, g, m.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/host_arithmetic.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::oracle {

/// Lowest bit of a zero, and of what is not finite: never the minimum.
inline constexpr std::int32_t kNoBit = 1 << 20;

/// The elements of a tensor after multiplicand rounding, and the weight of each one's lowest set bit.
template <class Value>
struct Values {
  std::vector<Value> value;
  std::vector<std::int32_t> lowest_bit;
};
/// Requires a format whose numbers are all of type Value.
template <class Value>
[[nodiscard]] Values<Value> values_of(const tensor::Tensor& tensor, contract::Multiplicand multiplicand);

/// Which chains to follow; the other one stays +0.
enum class Chains : std::uint8_t { Fused, Separate, Both };

/// One entry an output.
template <class Arithmetic>
struct Sums {
  Sums(std::size_t count, Chains which)
      : chains(which),
        fused(count),
        separate(count),
        sum(count),
        magnitude(count),
        lowest_bit(count, kNoBit),
        terms(count) {}

  Chains chains;
  std::vector<typename Arithmetic::Value> fused, separate;  ///< fl(a b + acc) and fl(fl(a b) + acc), from +0
  /// s and S in F64. Where products are exact there they err by less than m 2^-53 S (Rump, BIT 52, 2012).
  std::vector<double> sum, magnitude;
  std::vector<std::int32_t> lowest_bit;  ///< g = 2^lowest_bit
  std::vector<std::int32_t> terms;       ///< m

  /// Sets the outputs from `first` on to the product of a matrix of `rows` x `depth` and one of `depth` x `columns`.
  void add_products(const Values<typename Arithmetic::Value>& a, std::size_t a_begin, std::size_t rows,
                    std::size_t depth, const Values<typename Arithmetic::Value>& b, std::size_t b_begin,
                    std::size_t columns, std::size_t first);
  /// Adds `count` values, which no product makes, to one output.
  void add_values(const Values<typename Arithmetic::Value>& x, std::size_t begin, std::size_t count,
                  std::size_t output);
};

/// Products of one output, cut into slices of `length` values of k, the last one shorter.
struct Slices {
  std::size_t stride;  ///< between the factors from b; those from a follow each other
  std::size_t depth, length;
  bool fused;  ///< a slice is a chain of fl(a b + acc), else of fl(fl(a b) + acc)
};
/// Each slice's chain in ascending k from +0, then their sum in ascending order from +0: what split-K kernels and tiles
/// with sums of their own give.
template <class Arithmetic>
[[nodiscard]] typename Arithmetic::Value sliced_sum(const typename Arithmetic::Value* a,
                                                    const typename Arithmetic::Value* b, const Slices& slices);

}  // namespace negzero::oracle
