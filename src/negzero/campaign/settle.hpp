// What is done with a failure that a campaign has met: it is shrunk, saved, and looked at once more with the watch.

#pragma once

#include <optional>
#include <set>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/campaign/accepting.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/finding_files.hpp>

namespace negzero::campaign {

/// A failing case as it was met, with the names of its kernel and contract.
struct Met {
  operation::Case value;
  verdict::Verdict verdict;
  Specials specials = kFinite;  ///< of the case
  std::string path{};           ///< of its file; empty where it could not be saved
};

/// What came of one failure. It is reported even if shrinking failed: `problem` says why.
struct Settled {
  Finding finding{};
  Cause cause{};                 ///< as it was shrunk
  std::optional<Cause> known{};  ///< that explains it: then there is no finding
  std::optional<base::Error> problem{};
};

/// Shrinks it and saves what comes of that, unless one of the causes that were `told`, as shrunk, explains it. Nothing
/// that is accepted explains what is not.
[[nodiscard]] Settled settle(Met met, const std::set<Cause>& told, const kernel::Kernel& kernel,
                             const Accepting& accepting, Evaluator& evaluator, FindingFiles& files, const Stop& stop);

}  // namespace negzero::campaign
