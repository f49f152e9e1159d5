// Which kernels a case file is replayed on, and what is expected of each.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/replay.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::campaign {

/// A case on one kernel, as it is reported: what it expects is there, what happened is not.
struct ReplayJob {
  ReplayItem item;
  const kernel::Kernel* kernel = nullptr;  ///< nullptr: nothing runs
  std::string unknown{};                   ///< why there is no such kernel, where that is so
};

/// A file that was read.
struct ReplayFile {
  std::string path;
  operation::Case value{};
  std::vector<ReplayJob> jobs{};
  std::optional<base::Error> problem{};  ///< why it has no job
  bool names_unknown = false;            ///< the problem is an unknown kernel, and does not name the file
};

/// Whether an expectation is about runs at that place.
[[nodiscard]] bool is_expected_at(const operation::Expectation& expected, kernel::Place place);

/// Reads a case file. `chosen`: the kernels that ReplayOptions::kernels names. Whatever is wrong with the file is its
/// `problem`.
[[nodiscard]] ReplayFile read_jobs(const std::string& path, const ReplayOptions& options,
                                   const std::vector<const kernel::Kernel*>& chosen);

}  // namespace negzero::campaign
