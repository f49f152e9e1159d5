// What kernels gave for given cases, as files that `negzero judge` reads.

#pragma once

#include <map>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/outcome.hpp>

namespace negzero::campaign {

/// Runs the case once more, unwatched unless `kernel` is a watched build, behind its history where it has one.
[[nodiscard]] base::Result<run::Outcome> outcome_of(const operation::Case& value, const kernel::Kernel& kernel,
                                                    const contract::Contract& contract,
                                                    const EvaluationOptions& options);

/// Why a run has no output to show; empty where it has.
[[nodiscard]] std::string why_nothing(const run::Outcome& outcome);

/// A folder of what kernels gave.
class OutputFiles {
 public:
  explicit OutputFiles(std::string directory) : directory_(std::move(directory)) {}

  /// Runs the case and writes DIR/CASE.KERNEL.outputs.safetensors, where CASE is the name of its file without
  /// ".case.safetensors" or ".safetensors": each output by its name, packed, and as metadata "kernel", "contract",
  /// by which the case is decided, and "contract_version". Returns the path, empty where the run has no output (a
  /// crash, a refusal). Errors: a place that cannot be written, two cases of one name.
  [[nodiscard]] base::Result<std::string> save(const std::string& path, const operation::Case& value,
                                               const kernel::Kernel& kernel, const EvaluationOptions& options);

 private:
  std::string directory_;
  std::map<std::string, std::string> written_{};  ///< of each file the case
};

}  // namespace negzero::campaign
