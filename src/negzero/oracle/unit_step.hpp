// One step of a matrix unit: rule 2e of numerics.md.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <negzero/exact/dyadic.hpp>
#include <negzero/number/format.hpp>
#include <negzero/oracle/unit.hpp>

namespace negzero::oracle {

/// What a step takes: significand * 2^last, aligned by an exponent that need not be its own.
struct Taken {
  std::int64_t significand = 0;
  int last = 0, exponent = 0;
};

/// The steps of one unit into one accumulator.
class UnitStep {
 public:
  UnitStep(const Unit& unit, const number::Format& accumulator) : unit_(unit), format_(accumulator) {}

  /// Of `held`, a number of the accumulator, and those of `products` whose bits `group` has. Products are not zero and
  /// have at most 53 significant bits.
  [[nodiscard]] exact::Dyadic operator()(const exact::Dyadic& held, std::span<const Taken> products,
                                         std::size_t group) const;

 private:
  [[nodiscard]] exact::Dyadic rounded(std::int64_t sum, int last) const;

  Unit unit_;
  const number::Format& format_;
};

}  // namespace negzero::oracle
