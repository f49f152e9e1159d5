// The options of kernels in a document: how often each value was drawn, and which values failed.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <negzero/report/document.hpp>

namespace negzero::report {

/// "algorithm 7 fails in all 31 cases, 3 fails in 2 of 60": of each option that matters the values that failed, the
/// largest share first. An option matters where its values differ more than chance lets them in one of a thousand
/// runs. "no value fails more often than others do" where none does; empty where no case with options failed.
[[nodiscard]] std::string failing_options_text(const campaign::OptionCounts& options);

/// Adds "options" (by option and value the cases), "options_failing" (those that failed, where some did) and
/// "options_cut" (of an option with more values than campaign::kMostCountedValues the cases of all others together) to
/// a kernel's JSON. Nothing for a kernel without options.
void put_options(nlohmann::ordered_json& json, const campaign::OptionCounts& options);

/// A row for each value of each option of each kernel.
[[nodiscard]] Table options_table(const std::vector<KernelEntry>& kernels);

}  // namespace negzero::report
