// The scalars of a GEMM as a contract takes them.

#pragma once

#include <string>
#include <vector>

#include <negzero/operation/operation.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/operations.hpp>

namespace negzero::oracle {

/// One of the things that may become of alpha and beta.
struct Scalars {
  operation::Scalar alpha, beta;
  bool reads_a_b, reads_c;  ///< although the scalar is zero
  std::string which{};      ///< in a few words; empty where nothing else may
};
/// The scalars as they are; a subnormal one that is flushed as a zero that multiplies, and as one that is seen to be.
[[nodiscard]] std::vector<Scalars> scalars_of(const Declared& contract, const operation::Scalar& alpha,
                                              const operation::Scalar& beta);
/// A scalar in the format that the contract computes it in.
[[nodiscard]] Real scalar_of(const operation::Scalar& scalar, const Declared& contract);

}  // namespace negzero::oracle
