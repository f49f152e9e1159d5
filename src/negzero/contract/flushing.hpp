// What arithmetic in each format does to subnormal numbers: the table of numerics.md section 2, Flushing.

#pragma once

#include <cstdint>

#include <negzero/contract/contract.hpp>
#include <negzero/number/format.hpp>

namespace negzero::contract {

[[nodiscard]] bool is_subnormal(const number::Format& format, std::uint64_t word);

/// Whether a format has the exponents of F32, so that its subnormals are F32's too: F32, BF16 and TF32.
[[nodiscard]] bool has_exponents_of_f32(const number::Format& format);

/// What a declared flushing does to results of arithmetic in `format`, and to its operands that are subnormal there.
/// Only F32 (and formats of 8 bits, which no unit adds in) flushes always: elsewhere `flush` is `either`.
[[nodiscard]] Subnormals acts_in(number::FormatId format, Subnormals declared);

/// What becomes of a subnormal number of format `of` that arithmetic in `in` takes. Keep where it is normal there.
[[nodiscard]] Subnormals taken(number::FormatId of, number::FormatId in, Subnormals declared);

/// What a policy says where an instruction that flushes and one that does not are both right: `flush` is `either`.
[[nodiscard]] Subnormals opened(Subnormals policy);

/// What becomes of a number where one of two things does, not known which.
[[nodiscard]] Subnormals joined(Subnormals a, Subnormals b);

}  // namespace negzero::contract
