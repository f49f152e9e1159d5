// What a contract permits, as a list: every way from an element's operands to memory.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/steps.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

// What becomes of terms before they are added.

/// Each is turned around: alpha = -1, which no operation of its own multiplies by.
struct Turned {
  friend bool operator==(const Turned&, const Turned&) = default;
};
/// alpha is folded into one of the two factors (folding.hpp).
struct FoldedInto {
  bool b;
  Arithmetic arithmetic;
  Real alpha;
  contract::Subnormals inputs{};      ///< what becomes of subnormal elements that are scaled
  contract::Multiplicand rounding{};  ///< of what is scaled
  friend bool operator==(const FoldedInto&, const FoldedInto&) = default;
};
/// alpha multiplies partial sums, each at one point on its way to the root (scaling.hpp).
struct Anywhere {
  Real alpha{};
  friend bool operator==(const Anywhere&, const Anywhere&) = default;
};
/// Each is divided by `count`, or multiplied by fl(1 / count), which the addition behind it may fuse: as memory has it,
/// or as the accumulator holds it.
struct Averaged {
  bool divides;
  bool loads;
  Arithmetic arithmetic;
  std::int64_t count;
  friend bool operator==(const Averaged&, const Averaged&) = default;
};
/// beta * C, the last term: of C as memory has it, or as it is loaded, where that is another number.
struct LeafC {
  Real beta{};
  bool is_loaded = false;
  friend bool operator==(const LeafC&, const LeafC&) = default;
};

/// What the terms of a sum are made of.
struct TermsOf {
  contract::Multiplicands converted{};
  FactorFlushing a{}, b{};  ///< of values: a
  std::variant<std::monostate, Turned, FoldedInto, Anywhere, Averaged> scaled{};
  std::optional<LeafC> c{};
  friend bool operator==(const TermsOf&, const TermsOf&) = default;
};
/// "as they are", "alpha 2 folded into a, C a term": all that differs from factors as they are.
[[nodiscard]] std::string to_string(const TermsOf& terms);

/// One way to a result, with what may become of its sum. Nothing is summed where K is zero, or alpha, and A and B do
/// not count all the same.
struct Path {
  int member = 0;
  TermsOf terms{};
  std::optional<Sum> sum{};
  std::vector<Ending> endings{};
  friend bool operator==(const Path&, const Path&) = default;
};
/// Its terms, its sum, and each ending behind "-> ", on lines of their own.
[[nodiscard]] std::string to_string(const Path& path);

/// One of the choices that a contract leaves open, which each element takes for itself: how factors are converted, what
/// becomes of a scalar.
struct Member {
  std::string which{};     ///< in a few words
  bool multiplies = true;  ///< A and B count
  Real alpha{}, beta{};    ///< as they are taken
  bool reads_c = false;
  contract::Subnormals c_flushing{};  ///< what becomes of a subnormal C
};

/// Paths of one member join to the hull of what they give; members are united with their gaps. Each member's first path
/// says what is known of an element, and whether its set is vacuous.
struct Paths {
  std::vector<Path> list;
  std::vector<Member> members;
  bool tells_zeros = false;    ///< the sign of a zero counts (zero_sign = ieee)
  bool touches_terms = false;  ///< of values: arithmetic on some path flushes subnormal ones, or may
};

/// The mean of `count` terms.
struct Mean {
  std::int64_t count = 1;
};
/// What an operation says of sums of its elements, besides the contract.
struct SumShape {
  number::FormatId input, output;
  number::FormatId accumulate;  ///< the declared accumulator; of an update, the format in memory
  CAt c = CAt::None;            ///< Start: in a chain; Leaf where the contract has no chain
  std::optional<Mean> mean{};
  int hull_terms = 4;
};
/// What a GEMM says of its sums. `c`: C's format.
struct ProductShape {
  number::FormatId a, b, c, d;
  operation::Scalar alpha, beta;
  std::int64_t k = 1;
  int hull_terms = 4;
  bool has_subnormal_factors = false;
};
/// The paths of sums whose values go to memory, or of the means that are made of them; the declared accumulator first.
[[nodiscard]] Paths paths_of(const Declared& contract, const SumShape& shape);
/// The paths of products: tensor cores first, which permit the most, then the declared accumulator.
[[nodiscard]] Paths paths_of(const Declared& contract, const ProductShape& shape);

/// The unit that sums products of these formats where the contract has tensor cores; nothing where none is known that
/// takes them.
[[nodiscard]] std::optional<Stepping> stepping_of(number::FormatId a, number::FormatId b,
                                                  const contract::Multiplicands& converted,
                                                  const Declared::Units& units, number::FormatId accumulate);

}  // namespace negzero::oracle
