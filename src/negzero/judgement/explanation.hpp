// Why an element is permitted or not: the paths of its contract, and the words that would permit it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::judgement {

/// A path at the element.
struct ExplainedPath {
  oracle::Reached reached;
  bool holds = false;                    ///< the observed bits
  std::optional<std::uint64_t> steps{};  ///< else how many numbers of the format away it is, where it is a number
};
/// A word of the contract that would permit the observed bits; or words of one field, which permit as much.
struct PermittingWord {
  std::string text;         ///< `accumulate "F32"`, `accumulate "F64" or accumulate "F32"`
  std::string meaning;      ///< of its field
  double permits = 0;       ///< how many encodings of the output's format are permitted then
  bool is_vacuous = false;  ///< so many that garbage would pass too
  bool in_run = false;      ///< only with poison in inputs that may not be read, as a run has them
};

struct Explanation {
  oracle::OutputElement place;
  std::string name;  ///< "d[0,3]"
  std::optional<std::uint64_t> observed{};
  bool is_permitted = false;  ///< the observed bits
  std::string facts;          ///< Oracle::explain()
  std::vector<ExplainedPath> paths{};
  /// Where they are not: what rejects garbage before what does not, fewest words, usual arithmetic before other, then
  /// the least that is permitted besides. None of a case of more work than hints.hpp tries (kMostHinted).
  std::vector<PermittingWord> words{};
  bool is_too_large = false;  ///< for `words`
};

/// An element by its name, "y[0,3]", or "[0,3]" of the only output. Usage errors name what is there.
[[nodiscard]] base::Result<oracle::OutputElement> element_named(const operation::Case& value, std::string_view name);

/// Explains one element. `observed`: all outputs, packed, or none. Without `place` it is the worst failing element of
/// those that were observed, or else the first element. Usage errors: the oracle's own.
[[nodiscard]] base::Result<Explanation> explain(const operation::Case& value, const contract::Contract& contract,
                                                std::optional<oracle::OutputElement> place,
                                                std::span<const tensor::Tensor> observed);

/// Several lines for people, each with its newline. `contract`: that of explain().
[[nodiscard]] std::string text_of(const Explanation& explanation, const operation::Case& value,
                                  const contract::Contract& contract);
/// What negzero_explain() gives (c/negzero.h), without "version".
[[nodiscard]] nlohmann::ordered_json json_of(const Explanation& explanation, const operation::Case& value,
                                             const contract::Contract& contract);

}  // namespace negzero::judgement
