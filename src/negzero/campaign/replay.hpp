// The loop behind `replay`: case files against what they expect.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/verdict.hpp>

namespace negzero::campaign {

struct ReplayOptions {
  EvaluationOptions evaluation{};
  std::vector<std::string> kernels{};  ///< globs; empty: what the case expects, or names
  bool record = false;                 ///< write what happened into the case's file as its `expect`
};

/// One case on one kernel.
struct ReplayItem {
  std::string path;
  std::string operation;
  std::string kernel;
  std::optional<operation::Expectation> expected;  ///< nothing: a pass is expected
  operation::Verdict verdict;
  std::string counterexample;  ///< text, when the verdict is a fail
  std::string skipped;         ///< why nothing ran, else empty
  /// Whether the verdict is the expected one, class and rule included.
  [[nodiscard]] bool as_expected() const;
  /// "expected fail (hang), got pass"; empty when as expected.
  [[nodiscard]] std::string difference() const;
};

struct ReplayReport {
  std::vector<ReplayItem> items;
  std::vector<base::Error> errors;  ///< files that could not be read, kernels that are not known
  bool interrupted = false;
};

/// The case files named by the paths; a directory stands for every *.safetensors below it, in the order of their names.
/// A path that does not exist and a directory without a case are usage errors.
[[nodiscard]] base::Result<std::vector<std::string>> case_files(const std::vector<std::string>& paths);

/// Replays the files. A file that cannot be read is an error of the report, and the others still run.
[[nodiscard]] base::Result<ReplayReport> replay(const std::vector<std::string>& files, const ReplayOptions& options,
                                                const std::function<void(const ReplayItem&)>& on_item,
                                                const std::function<bool()>& stop);

}  // namespace negzero::campaign
