// Recorded results of a case, judged with no kernel.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::judgement {

struct Options {
  bool all = true;          ///< judge every element, else a sample
  double seconds = 2;       ///< of a sample: about how long it may take
  std::size_t threads = 1;  ///< that judge at once; none outlives the call
  std::uint64_t seed = 1;   ///< of a sample's random elements, and of those that `blind` is estimated on
  std::size_t worst = 8;    ///< most elements that are described; of 0 no hint is looked for either
  std::string exact{};      ///< force a method of exact by name
  /// Microseconds since some moment; empty: those that go by. A sample looks at it between its parts.
  std::function<std::uint64_t()> clock{};
};

enum class Kind : std::uint8_t {
  Pass,
  Fail,
  Vacuous,    ///< the contract permits so much for every judged element that garbage would pass too
  Undecided,  ///< nothing could be judged
};
[[nodiscard]] std::string_view name(Kind kind) noexcept;  ///< "pass", "fail", "vacuous", "undecided"

struct Judgement {
  Kind kind = Kind::Undecided;
  std::string reason{};                          ///< of vacuous and undecided: why, in one line
  std::int64_t judged = 0, of = 0, failing = 0;  ///< elements of all outputs that count
  std::int64_t open = 0;                         ///< of the judged ones, those that the screen left to the exact oracle
  /// The share of the terms of judged elements whose loss would pass (blind.hpp), estimated on `blind_of` elements;
  /// nothing where the operation adds nothing, or no element has a sum to lose a term of.
  std::optional<double> blind{};
  std::int64_t blind_of = 0;
  std::vector<oracle::Miss> worst{};             ///< special values first, then the farthest from what is permitted
  std::vector<verdict::Hint> permitted_under{};  ///< Failure::permitted_under
};

/// Judges outputs of a case, in the order, formats and shapes of its output_specs(), packed.
///
/// A sample takes about `seconds`: corners, the largest, smallest and special observed elements, whole rows and
/// columns, elements beside the borders of tiles, and random ones, until the time is over. It is the same for a seed
/// but for how much of it fits. Where all elements fit, all are judged. A verdict on an element is always that of the
/// whole case.
///
/// Usage errors: outputs that do not fit, and the oracle's own. A hardware model that is not known is Undecided.
[[nodiscard]] base::Result<Judgement> judge(const operation::Case& value, const contract::Contract& contract,
                                            std::span<const tensor::Tensor> outputs, const Options& options = {});

}  // namespace negzero::judgement
