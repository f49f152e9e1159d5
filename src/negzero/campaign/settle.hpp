// What is done with a failure that a campaign has met: it is shrunk, saved, and looked at once more with the watch.

#pragma once

#include <optional>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/finding_files.hpp>

namespace negzero::campaign {

/// A failing case as it was met, with the names of its kernel and contract.
struct Met {
  operation::Case value;
  operation::Verdict verdict;
  std::string path;  ///< of its file; empty where it could not be saved
};

/// Shrinks it and saves what comes of that. A finding is told of, whatever goes wrong: `problem` is why it could not be
/// shrunk any more, if that is so.
[[nodiscard]] Finding settle(Met met, const kernel::Kernel& kernel, Evaluator& evaluator, FindingFiles& files,
                             const Stop& stop, std::optional<base::Error>& problem);

}  // namespace negzero::campaign
