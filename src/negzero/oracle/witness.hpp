// Sums in hardware, for many outputs at once: the two chains in ascending k, and s, S, g, m.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <negzero/operation/lines.hpp>
#include <negzero/oracle/gemm_shape.hpp>
#include <negzero/oracle/host_arithmetic.hpp>
#include <negzero/oracle/host_values.hpp>

namespace negzero::oracle {

/// The factors of a GEMM.
template <class Value>
struct GemmFactors {
  std::int64_t batch = 0;
  GemmShape shape{};
  Values<Value> a, b;
};

/// Which chains to follow; the other one stays +0.
enum class ChainKinds : std::uint8_t { Fused, Separate, Both };

/// The chains in ascending k from +0, one entry an output.
template <class Arithmetic>
struct Chains {
  std::vector<typename Arithmetic::Value> fused, separate;  ///< fl(a b + acc) and fl(fl(a b) + acc)
};
template <class Arithmetic>
[[nodiscard]] Chains<Arithmetic> chains_of(const GemmFactors<typename Arithmetic::Value>& factors, ChainKinds kinds);

/// s, S, m and g of one output. s and S are sums in F64: where products are exact there they err by less than m 2^-53 S
/// (Rump, BIT 52, 2012).
struct Known {
  double sum = 0, magnitude = 0;
  std::int32_t terms = 0, lowest_bit = kNoBit;  ///< g = 2^lowest_bit
};
/// Of one output element, and of all of them in less time than one by one.
template <class Value>
[[nodiscard]] Known known_of(const GemmFactors<Value>& factors, std::int64_t element);
template <class Value>
[[nodiscard]] std::vector<Known> known_of(const GemmFactors<Value>& factors);

/// A sum of values that no product makes: the chain from +0, and what is known of it.
template <class Arithmetic>
struct LineSum {
  typename Arithmetic::Value chain = 0;
  Known known{};

  /// One value more, whose lowest bit has that weight.
  void add(typename Arithmetic::Value value, std::int32_t lowest_bit) {
    chain = Arithmetic::add(value, chain);
    known.sum += static_cast<double>(value);
    known.magnitude += std::fabs(static_cast<double>(value));
    known.lowest_bit = std::min(known.lowest_bit, lowest_bit);
    known.terms += lowest_bit < kNoBit / 2 ? 1 : 0;
  }
};
/// Of each line's values. A line that is the one before it in a scan and a value more goes on from its sum.
template <class Arithmetic>
[[nodiscard]] std::vector<LineSum<Arithmetic>> sums_of_lines(const Values<typename Arithmetic::Value>& x,
                                                             const operation::Lines& lines);
/// Of each destination's initial value and the values that the list sends to it, in the list's order; their chain
/// starts from the initial value.
template <class Arithmetic>
[[nodiscard]] std::vector<LineSum<Arithmetic>> sums_of_updates(const Values<typename Arithmetic::Value>& initial,
                                                               const Values<typename Arithmetic::Value>& x,
                                                               const std::vector<std::uint64_t>& destinations);

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
