// What flushing makes of sets, conversions and scalars (contract/flushing.hpp has the formats).

#pragma once

#include <vector>

#include <negzero/contract/flushing.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/families.hpp>
#include <negzero/oracle/set.hpp>

namespace negzero::oracle {

using contract::acts_in;
using contract::has_exponents_of_f32;
using contract::is_subnormal;
using contract::joined;
using contract::taken;

/// Whether some element is subnormal in the tensor's format.
[[nodiscard]] bool is_subnormal_among(const tensor::Tensor& tensor);

/// `set` in `format` after its subnormal numbers became zeros of their signs, or may have.
[[nodiscard]] Set flushed(const Set& set, const number::Format& format, contract::Subnormals policy);

/// What a conversion between two formats does to subnormal numbers that it takes and to those that it gives.
struct ConversionFlushing {
  contract::Subnormals source, result;
};
[[nodiscard]] ConversionFlushing conversion_flushing(const number::Format& from, const number::Format& to,
                                                     contract::Subnormals inputs, contract::Subnormals results);

}  // namespace negzero::oracle
