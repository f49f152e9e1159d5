// A failing case with all that a file of code says of it.

#pragma once

#include <map>
#include <string>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/tensor/tensor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::as_code {

struct Finding {
  operation::Case value{};
  std::string kernel{};  ///< its name
  std::string about{};   ///< its own words; may be empty
  /// All options of the kernel; where no kernel is known, those that the case names.
  operation::Configuration configuration{};
  contract::Contract contract{};
  /// How it fails; nothing: its file does not say.
  std::optional<verdict::FailureClass> failure_class{};
  std::string rule{};
  bool only_watched = false;  ///< only the watch has seen it
  /// Of each output what is permitted, element by element; empty: nothing is known of values.
  std::vector<std::vector<oracle::Permitted>> permitted{};
  std::vector<tensor::Tensor> observed{};  ///< what the kernel gave, output by output; empty: not known
  std::string observed_from{};             ///< where that comes from, as "a run on the host"
  std::string from{};                      ///< the case's file
  bool has_other_values = false;           ///< give_values() has changed the case
};

/// A name that C++, Python and a file may have, of any text: "a_row_64x64" of "a.row 64x64".
[[nodiscard]] std::string identifier(std::string_view text);

/// The lines at the head of a file, each behind `mark`: kernel, class, claim, case.
[[nodiscard]] std::string heading(const Finding& finding, std::string_view mark);

/// Whether the failure is of that class.
[[nodiscard]] inline bool is(const Finding& finding, verdict::FailureClass kind) {
  return finding.failure_class == kind;
}

}  // namespace negzero::as_code
