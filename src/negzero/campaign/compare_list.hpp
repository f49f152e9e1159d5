// The loop behind `compare --list`: pairs of kernels, each compared as `compare` does it with two.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/compare.hpp>
#include <negzero/campaign/compare_names.hpp>

namespace negzero::campaign {

/// What became of one pair.
struct ComparedPair {
  CompareReport report;              ///< names of the kernels alone where the pair did not run
  std::optional<base::Error> error;  ///< why it could not run
  std::size_t line = 0;              ///< of the list
  bool ran = false;                  ///< false: an error, or the end came before its first case

  enum class Outcome : unsigned char {
    Identical,  ///< every result has the same bits
    Permitted,  ///< some results differ, and both contracts permit them
    Finding,
    Error,        ///< ours
    Undecided,    ///< nothing was compared: never a pass
    Interrupted,  ///< an end came before its last case, and until then nothing was found: never a pass
    NotRun,       ///< an end came before its first case: never a pass
  };
  /// `bitwise`: a difference that both contracts permit is a finding too.
  [[nodiscard]] Outcome outcome(bool bitwise) const;
};
[[nodiscard]] std::string_view name(ComparedPair::Outcome outcome) noexcept;  ///< "identical", "not_run", ...

struct CompareListReport {
  std::string path;  ///< of the list
  std::uint64_t seed = 0, elapsed_ms = 0;
  std::vector<ComparedPair> pairs;    ///< all of the list, in its order
  std::vector<WithoutPartner> alone;  ///< of its patterns
  bool interrupted = false;
};

/// Told what happens while it happens.
struct CompareListListener {
  std::function<void()> on_start;  ///< all that was asked for makes sense; the first case is about to run
  std::function<void(std::size_t pair, std::uint64_t done)> on_progress;  ///< cases of pair number `pair`, from 0
  std::function<void(const ComparedPair& pair)> on_pair;                  ///< the pair has ended
};

/// Compares each pair with the same options, those of `evaluation_at` its place. A pair that cannot run is an error of
/// that pair, and the others run. With CompareOptions::first_finding no pair begins behind the first finding, and none
/// does once `stop` is true; what was done by then is in the report. Errors, before anything runs: a pair that is not
/// comparable(), which the error names by file and line; a folder for findings that cannot be written.
[[nodiscard]] base::Result<CompareListReport> compare_list(
    const PairList& list, const CompareOptions& options,
    const std::function<base::Result<EvaluationOptions>(kernel::Place)>& evaluation_at,
    const CompareListListener& listener, const std::function<bool()>& stop);

}  // namespace negzero::campaign
