// The campaign behind `fuzz`: a search that learns which cases are worth making, for hours, in a folder that it can be
// resumed from and that several such searches can share.
//
//   FOLDER/corpus/KERNEL/HASH.safetensors                    cases that showed something new (corpus.hpp)
//   FOLDER/findings/KERNEL.CLASS.SPECIALS.WHAT.safetensors   failures as met (original), shrunk (case, partial), or
//                                                            explained by another finding (same)
//   FOLDER/shards/I-of-N.json                                how far a shard is (shard_file.hpp)
//
// Every file appears at once, by a rename, and no shard writes another's: one that is killed loses what it had not told
// of yet, and nothing waits for it. What it left half written is removed by the next run.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/arms.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/option_counts.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::campaign {

/// One of several searches in a folder.
struct Shard {
  std::uint32_t number = 1, count = 1;          ///< 1 to `count`
  [[nodiscard]] std::string to_string() const;  ///< "2/4"
};

struct FuzzOptions {
  std::string folder;
  std::uint64_t cases = 0;    ///< for all kernels together, in this run; 0: no limit
  std::uint64_t time_ms = 0;  ///< for this run, shrinking included; 0: no limit
  std::uint64_t seed = 1;     ///< of a shard that begins; one that goes on keeps its own
  Shard shard{};
  generate::Mix mix{};         ///< its weights are those of strategies where nothing is known yet
  bool first_finding = false;  ///< CheckOptions::first_finding
  LedgerFile accepted{};       ///< CheckOptions::accepted
  std::size_t most = 0;        ///< of merge(): cases of a kernel that stay; 0: all that show something of their own
  EvaluationOptions evaluation{};
};

/// How far a campaign was at some time.
struct FuzzPoint {
  std::uint64_t elapsed_ms = 0, cases = 0, features = 0;
  std::uint64_t code_blocks = 0;  ///< of kernels, that watched runs covered
  std::uint64_t corpus = 0, findings = 0;
  friend bool operator==(const FuzzPoint&, const FuzzPoint&) = default;
};

/// What a kernel's cases came to, over all runs of this shard: what a later run goes on from.
struct KernelState : Counts {
  Arms arms;
  OptionCounts options;
};

struct FuzzedKernel : KernelState {
  std::string name;
  std::uint64_t features = 0, corpus = 0;  ///< known at the end
  std::uint64_t code_blocks = 0;           ///< that features are about; 0: it was searched by features of values only
  std::vector<Finding> findings;           ///< of this run
  Places places;                           ///< of all failing cases of this run
  std::vector<std::string> known;          ///< files of findings that the folder held when it began
  std::vector<std::pair<std::string, Acceptance>> known_accepted;  ///< those that are accepted
  std::string note;                                                ///< why no more cases of it run; the first error

  /// Whether it has a finding that is not accepted, of this run or from before.
  [[nodiscard]] bool has_new() const {
    return !known.empty() ||
           std::ranges::any_of(findings, [](const Finding& finding) { return !finding.accepted.has_value(); });
  }
};

struct FuzzReport {
  kernel::Place place = kernel::Place::Host;
  std::string folder;
  Shard shard{};
  std::uint64_t seed = 0;
  std::uint64_t elapsed_ms = 0;  ///< of all runs of this shard
  std::uint64_t run_ms = 0;      ///< of this one
  bool resumed = false, interrupted = false;
  std::vector<FuzzedKernel> kernels;
  LedgerOutcome ledger;
  std::vector<FuzzPoint> points;  ///< over all runs of this shard
  std::vector<base::Error> errors;
};

class FuzzListener {
 public:
  virtual ~FuzzListener() = default;
  /// Everything makes sense; the first case is about to run. `resumed`: the folder has a search of this shard.
  virtual void on_start(bool resumed) { (void)resumed; }
  virtual void on_progress(const FuzzPoint& now, std::uint64_t vacuous, const BeingShrunk& shrinking) = 0;
  virtual void on_failure(const std::string& kernel, const verdict::Failure& failure, const std::string& path) = 0;
  virtual void on_shrinking(const std::string& kernel, const verdict::Failure& failure) = 0;
  virtual void on_finding(const Finding& finding) = 0;
};

/// Searches until time or cases are spent, or `stop` is true. A finding is one cause (cause.hpp); it is shrunk when
/// met, and its cause is looked for no more. A kernel whose cases end or hang processes again and again is left after
/// some. Errors: weights that make no sense, limits that no case fits, a folder that cannot be made, read or written, a
/// shard file that is none, workers that cannot be started.
[[nodiscard]] base::Result<FuzzReport> fuzz(const std::vector<const kernel::Kernel*>& kernels,
                                            const FuzzOptions& options, FuzzListener& listener, const Stop& stop);

/// What minimising a corpus came to.
struct MergedKernel {
  std::string name;
  std::size_t before = 0, after = 0, features = 0;
  std::vector<std::string> failing;  ///< files of it that fail now, or are no cases: they stay
};
/// Runs every case of the folder's corpus whose run is not on record for this build, and removes those that show
/// nothing which others do not show, or all but the few that show most. No search may use the folder meanwhile. Errors
/// as fuzz().
[[nodiscard]] base::Result<std::vector<MergedKernel>> merge(const std::vector<const kernel::Kernel*>& kernels,
                                                            const FuzzOptions& options, const Stop& stop);

}  // namespace negzero::campaign
