// The end of a GEMM: alpha * sum + beta * c, contracted or not, and C on its way into that.

#pragma once

#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/set.hpp>
#include <negzero/oracle/steps.hpp>

namespace negzero::oracle {

/// C as it is read: zero where it is a subnormal that is always flushed, as `flushing` says, and of the class Subnormal
/// only where it may be.
[[nodiscard]] Real read_c(const number::Format& format, std::uint64_t word, contract::Subnormals flushing);
/// Whether `c` may be flushed, or may not.
[[nodiscard]] inline bool is_optional(const Real& c) { return c.kind == number::Class::Subnormal; }
/// Whether `c` is the same number once it is loaded into `arithmetic` and an operand there.
[[nodiscard]] bool loads_exactly(const Arithmetic& arithmetic, const Real& c);
/// What else a leaf may be made of than C as memory has it: C as it is loaded into `arithmetic` and an operand
/// there, where that is another number. Several values stand for all between them.
[[nodiscard]] std::vector<Real> loaded_leaves(const Arithmetic& arithmetic, const Real& c);

/// fl(beta * c), or C itself where beta is one.
[[nodiscard]] Set addend(const Arithmetic& arithmetic, const Real& beta, const Real& c);
/// alpha * x + beta * c for every x in the set.
[[nodiscard]] Set add_c(const AddC& step, const Set& x, const Real& c);

}  // namespace negzero::oracle
