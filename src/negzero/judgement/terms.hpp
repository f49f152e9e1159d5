// The terms of one element of a sum, as a case holds them.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::judgement {

/// Whether the operation's results are sums, of which a term can be lost.
[[nodiscard]] bool adds(const operation::Operation& operation);

/// A number as memory holds it.
struct Stored {
  number::Class kind = number::Class::Zero;
  double value = 0;  ///< exact but for I64 of more than 53 bits

  [[nodiscard]] static Stored of(const number::Format& format, std::uint64_t word) {
    return {number::classify(format, word), number::to_double(format, word)};
  }
  [[nodiscard]] bool is_finite() const { return kind < number::Class::Infinity; }
};

/// Calls `visit` with the factors of each term of an element of the first output, in ascending order of the extent that
/// is reduced. Requires adds(). Takes time for every update where the operation is one.
void each_term(const operation::Case& value, std::int64_t element,
               const std::function<void(std::span<const Stored>)>& visit);

/// What is added to the sum of an element of the first output before any scalar: of C or of initial values. Nothing
/// where the operation adds no tensor.
[[nodiscard]] std::optional<Stored> addend_of(const operation::Case& value, std::int64_t element);

}  // namespace negzero::judgement
