// How selections read and give subnormals: numerics.md section 2, Flushing.

#pragma once

#include <vector>

#include "flushing.hpp"

namespace negzero::oracle_cross {

/// A selection among elements of one format, compared in the arithmetic of another or the same.
struct Selecting {
  SmallFormat own;
  SmallFormat arithmetic;
  contract::Subnormals inputs;
  contract::Subnormals results;

  [[nodiscard]] bool touches(Code code) const { return is_touched(own, code, arithmetic); }

  /// What a comparison may take the element for. Of F32 nothing is left open; of the others it is.
  [[nodiscard]] Codes read(Code code) const {
    if (inputs == contract::Subnormals::Keep || !touches(code)) return {code};
    if (is_forced(inputs)) return {code & kSignBit};
    return {code, code & kSignBit};
  }

  /// What the winner may be in memory: `setp` and `selp` move bits, `max.ftz` gives what it read.
  [[nodiscard]] Codes given(Code code, Code as_read) const {
    if (!touches(code)) return {code};
    Codes codes;
    if (!is_forced(results)) codes.push_back(code);
    if (results != contract::Subnormals::Keep || as_read != code) codes.push_back(code & kSignBit);
    return codes;
  }

  /// All that a row may be read as: one choice for each element.
  [[nodiscard]] std::vector<Codes> readings(const Codes& row) const {
    std::vector<Codes> all{{}};
    for (const Code code : row) {
      std::vector<Codes> longer;
      for (const Codes& begun : all) {
        for (const Code each : read(code)) {
          longer.push_back(begun);
          longer.back().push_back(each);
        }
      }
      all = longer;
    }
    return all;
  }

 private:
  [[nodiscard]] bool is_forced(contract::Subnormals policy) const {
    return policy == contract::Subnormals::Flush && has_exponents_of_f32(own) && must_flush(own);
  }
};

[[nodiscard]] inline Selecting selecting(const contract::Contract& contract, const SmallFormat& own,
                                         const SmallFormat& arithmetic) {
  return {own, arithmetic, contract.subnormal_inputs, contract.subnormal_results};
}

}  // namespace negzero::oracle_cross
