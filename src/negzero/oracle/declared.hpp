// A contract as the oracle reads it: its fields, by what they are about.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/sum.hpp>

namespace negzero::oracle {

/// What a contract declares. Nothing else in the oracle reads the fields of a contract, but the screen, and
/// Oracle::make() where it refuses a hardware model; a field that is not handled here does not compile.
struct Declared {
  /// How terms are added.
  struct Sums {
    number::FormatId accumulate;
    contract::AccumulateRounding rounding;
    bool wider, compensated, ascending;
    contract::Contraction contraction;
    contract::Start start;
    std::optional<contract::Promote> promote;
    std::optional<Stores> stores;
    bool tells_zeros;  ///< the sign of a zero counts
    /// The most additions of two numbers other than zero that a term meets: what `depth` comes to for a case, which
    /// additions_of() finds (depth.hpp). Nothing: as many as there are.
    std::optional<std::int64_t> additions{};
  };
  /// Whether matrix units add products, and which.
  struct Units {
    contract::TensorCore use;
    contract::Unit unit;
    std::int64_t slices;  ///< most parts of k that are summed by themselves; 0: any number
  };
  /// What becomes of factors, and where alpha and C act.
  struct Products {
    std::vector<contract::Multiplicands> conversions;  ///< of which one holds for an element
    contract::AlphaPlace alpha;
    contract::BetaPlace beta;
    std::optional<number::FormatId> scalar_format;
    bool is_formula;          ///< alpha * sum + beta * c whatever they are
    bool reads_a_b, reads_c;  ///< although the scalar is zero
  };
  /// The way from the accumulator to memory.
  struct Roundings {
    std::vector<contract::RoundingStep> before;  ///< the last one
    bool of_sum;                                 ///< they stand between the sum and C
    number::Rounding last;
    contract::OverflowPolicy overflow;    ///< of a float; never Default
    contract::OverflowPolicy to_integer;  ///< the same of a conversion to an integer
  };
  struct Flushing {
    contract::Subnormals inputs, results;
  };
  struct Selections {
    contract::NanPolicy nan;
    contract::AllNan all_nan;
    contract::ZeroSign zero_sign;
    contract::Ties ties;
  };
  struct Means {
    contract::MeanForm form;
    bool may_overflow;
  };

  Sums sums;
  Units units;
  Products products;
  Roundings roundings;
  Flushing subnormals;
  Selections selections;
  Means means;
  std::optional<std::uint64_t> empty;  ///< what nothing gives
  bool integers_wrap;
};

[[nodiscard]] Declared declared(const contract::Contract& contract);

/// The same contract of a product without scalars and C: alpha = 1 and beta = 0, which change no sum.
[[nodiscard]] contract::Contract without_scalars(contract::Contract contract);

}  // namespace negzero::oracle
