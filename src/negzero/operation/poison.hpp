// What memory around inputs holds: another pattern than around outputs, so that a copy of it is seen there.

#pragma once

#include <cstdint>

#include <negzero/number/format.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::operation {

/// The encoding that fills the memory of inputs where no element lies, and inputs that may not be read: another NaN
/// than poison_word() has, the second largest finite number, -2 of integers.
[[nodiscard]] std::uint64_t input_poison_word(Poison poison, const number::Format& format) noexcept;

}  // namespace negzero::operation
