// A failing case as code: what the command `export` writes, and what is shown below a finding.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <negzero/as_code/finding.hpp>
#include <negzero/base/result.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::cli {

enum class CodeFormat : std::uint8_t { Cuda, Python, GoogleTest };

/// What a word of --format means; of an empty one CUDA where the kernel is in CUDA, else Python.
[[nodiscard]] CodeFormat code_format(const std::string& word, const kernel::Kernel* kernel);

/// The case with what is permitted, by the oracle or by what the kernel's reference gives, which runs once. `known`:
/// how it fails, where that is known. nullptr: no program here has the kernel. Usage errors: no contract, a case of
/// another operation than the kernel's; others are those of the run.
[[nodiscard]] base::Result<as_code::Finding> finding_of(const operation::Case& value, const std::string& kernel_name,
                                                        const kernel::Kernel* kernel,
                                                        const std::optional<operation::Expectation>& known,
                                                        const std::optional<contract::Contract>& contract,
                                                        const campaign::EvaluationOptions& evaluation);

/// The code. `call` as of as_code::numpy_file(). Errors are those of as_code.
[[nodiscard]] base::Result<std::string> code_of(const as_code::Finding& finding, const kernel::Kernel* kernel,
                                                CodeFormat format, const std::string& call, const Common& common);

/// Most lines of code that are shown below a finding.
inline constexpr std::ptrdiff_t kMostShownLines = 40;

/// The code of a shrunk failure of a file of CUDA, to be shown below it. Empty where it is longer than that, or where
/// the failure is no wrong value, of whose code nothing is ever so short.
[[nodiscard]] std::string short_code(const operation::Case& value, const std::string& kernel,
                                     const verdict::Failure& failure, const campaign::EvaluationOptions& evaluation,
                                     const Common& common);

}  // namespace negzero::cli
