// Asks a program which kernels it holds.

#pragma once

#include <string>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::run {

/// Starts the program by the word `describe` and returns its declarations as JSON (see kernel::declarations()). What it
/// prints meanwhile is in the error, and nowhere else. Infrastructure errors: it cannot be started, or says nothing
/// that is a declaration's frame within start_limit_ms(). A module of Python says itself why it has none, and is not
/// started again while it declares the same (declaration_cache.hpp).
[[nodiscard]] base::Result<std::string> describe_kernels(const std::vector<std::string>& program);

}  // namespace negzero::run
