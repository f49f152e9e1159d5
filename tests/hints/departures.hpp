// Results of right kernels whose contract departs from a plain one in one thing.

#pragma once

#include <string>
#include <vector>

#include <negzero/operation/case.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::hints {

struct Departure {
  std::string plain;  ///< the contract that the results are judged under, as JSON
  std::string truth;  ///< the one that they keep
  std::string words;  ///< what the hint must name: a field and its value
  operation::Case value;
  std::vector<tensor::Tensor> outputs;
};

/// Sums of products: multiplicands, accumulators, rounding points, orders, scalars, tensor cores, slices.
[[nodiscard]] std::vector<Departure> departures_of_products();
/// Reductions, conversions and scatters: NaN, ties, zeros, subnormals, means, overflow, roundings of the output.
[[nodiscard]] std::vector<Departure> departures_of_others();

}  // namespace negzero::hints
