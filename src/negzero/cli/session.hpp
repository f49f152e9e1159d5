// What the commands that run kernels share: the executor, Ctrl-C, errors on standard error, output that is checked.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/cli/commands.hpp>

namespace negzero::cli {

/// Prints "negzero: message" on standard error and returns the error's exit code.
int fail(const base::Error& error);

/// Writes to standard output; false (after a message on standard error) when it cannot be written, as on a full disk.
[[nodiscard]] bool print(std::string_view text);

/// The options of Running, checked: an executor that is not here is Unavailable, an unknown --exact a usage error.
[[nodiscard]] base::Result<campaign::EvaluationOptions> evaluation_options(const Running& running);

/// Installs handlers for SIGINT and SIGTERM; the function returned says whether one came. A second signal ends the
/// program at once.
[[nodiscard]] std::function<bool()> watch_interrupts();

}  // namespace negzero::cli
