// The contracts and sums that faults are planted in.

#pragma once

#include <cstddef>
#include <span>

#include <negzero/base/random.hpp>

#include "every.hpp"

namespace negzero::oracle_faults {

struct Setting {
  const char* contract;
  number::FormatId factors, c, out;
  enum class C : std::uint8_t { None, Leaf, Behind } at = C::None;
};
[[nodiscard]] std::span<const Setting> settings();
[[nodiscard]] contract::Contract contract_of(const Setting& setting);

/// A sum of `terms` products, or one product less and C, none zero. Factors of few bits and of many, within a few
/// binades: nothing overflows or underflows.
[[nodiscard]] Question drawn_question(const Setting& setting, std::size_t terms, base::Random& random);

}  // namespace negzero::oracle_faults
