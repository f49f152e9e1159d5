// Kernels that were to be watched and were not.

#pragma once

#include <string>

#include <negzero/campaign/check.hpp>

namespace negzero::report {

/// Why `--watch always` watched none of the cases of a kernel that ended, as one sentence; empty where it was not asked
/// for, or watched one. Such a run says nothing of races and bad accesses, and would look as if it did.
[[nodiscard]] std::string why_unwatched(const campaign::CheckReport& report, const campaign::KernelReport& kernel);

}  // namespace negzero::report
