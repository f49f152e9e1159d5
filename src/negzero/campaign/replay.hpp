// The loop behind `replay`: case files against what they expect.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/observation.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

struct ReplayOptions {
  EvaluationOptions evaluation{};
  /// Globs; each kernel is then judged by the contract that it declares. Empty: the kernels that the case expects
  /// something of, or names, judged by the case's contract.
  std::vector<std::string> kernels{};
  std::string save_outputs{};       ///< a folder for what kernels gave (outputs.hpp); empty: it is not saved
  bool record = false;              ///< write what happened into the case's file, beside what it expects of others
  std::string command = "negzero";  ///< how the user calls this program: for the line that replays a counterexample
};

enum class ReplayStatus : std::uint8_t {
  AsExpected,  ///< verdict, class and rule are those of the expectation; without one, a pass
  Different,
  Undecided,  ///< vacuous or refused where nothing says that it should be: never a pass
  Error,      ///< ours
  Skipped,
};
[[nodiscard]] std::string_view name(ReplayStatus status) noexcept;  ///< "as_expected", "different" ...

/// One case on one kernel.
struct ReplayItem {
  std::string path;
  std::string operation;
  std::string kernel;  ///< empty where the case was skipped because no kernel that was asked for has its operation
  std::optional<operation::Expectation> expected;  ///< nothing: a pass is expected
  bool recorded = false;                           ///< what is expected is what happened now, and goes into the file
  verdict::Verdict verdict;
  std::string counterexample;               ///< text, when the verdict is a fail
  std::string watched;                      ///< what a watched run says about an unexpected failure; empty: nothing
  std::string skipped;                      ///< why nothing ran, else empty
  std::string outputs{};                    ///< path of what the kernel gave, where that was saved
  std::vector<Observation> observations{};  ///< of an unexpected failure, where EvaluationOptions::observe asks for it
  [[nodiscard]] ReplayStatus status() const;
  /// "expected fail (hang), got pass"; empty when as expected or skipped.
  [[nodiscard]] std::string difference() const;
};

/// An expectation that was written into a file.
struct Recorded {
  std::string path;
  operation::Expectation now;
};

struct ReplayReport {
  kernel::Place place = kernel::Place::Host;
  std::vector<ReplayItem> items;
  std::vector<Recorded> recorded;
  std::vector<base::Error> errors;  ///< files that could not be read or written, kernels that are not known
  bool interrupted = false;
};

/// Replays the files, on all examiners at once; items are told in the order of the files and their kernels. What is
/// wrong with one file (it cannot be read, it names an unknown kernel, what it expects cannot be recorded) is an error
/// of the report, and the others still run; a kernel that many files name and nobody knows is one error. Cases of other
/// operations than those of `kernels` are skipped. Errors: globs that match no kernel (kind Undecided), workers that
/// cannot be started.
[[nodiscard]] base::Result<ReplayReport> replay(const std::vector<std::string>& files, const ReplayOptions& options,
                                                const std::function<void(const ReplayItem&)>& on_item,
                                                const std::function<bool()>& stop);

}  // namespace negzero::campaign
