// Exit codes of the program, and which one wins where several hold.

#pragma once

#include <string>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::cli {

enum ExitCode : int {
  kClean = 0,
  kFinding = 1,
  kUsage = 2,
  kInfrastructure = 3,
  kUndecided = 4,      ///< nothing was decided: no kernel matched, all skipped, all vacuous, no values judged, findings
                       ///< that rest on guesses alone; never a pass
  kUnavailable = 77,   ///< cannot run here: no GPU
  kInterrupted = 130,  ///< interrupted, state saved
};

/// The exit code of an error of ours.
[[nodiscard]] constexpr ExitCode exit_code(base::ErrorKind kind) {
  switch (kind) {
    case base::ErrorKind::Usage:
      return kUsage;
    case base::ErrorKind::Infrastructure:
      return kInfrastructure;
    case base::ErrorKind::Unavailable:
      return kUnavailable;
    case base::ErrorKind::Undecided:
      return kUndecided;
    case base::ErrorKind::Interrupted:
      return kInterrupted;
  }
  return kInfrastructure;
}

/// Whether cases of declared operations ran clean, whose values were not judged.
[[nodiscard]] bool has_not_judged(const auto& kernels) {
  for (const auto& kernel : kernels) {
    if (kernel.not_judged > 0) return true;
  }
  return false;
}

/// What a run saw; code() picks 2, 130, 1, 3, 4 in that order.
struct Outcome {
  bool usage = false, interrupted = false, finding = false, infrastructure = false, undecided = false;
  bool guessed = false;  ///< a finding of a kernel whose declaration rests on a guess (kernel::Kernel::guessed)

  /// A finding of that kernel.
  void add_finding_of(const std::string& kernel) {
    const kernel::Kernel* const known = kernel::registry().find_anywhere(kernel);
    (known != nullptr && !known->guessed.empty() ? guessed : finding) = true;
  }

  void add(base::ErrorKind kind) {
    using base::ErrorKind;
    (kind == ErrorKind::Usage         ? usage
     : kind == ErrorKind::Undecided   ? undecided
     : kind == ErrorKind::Interrupted ? interrupted
                                      : infrastructure) = true;
  }
  [[nodiscard]] constexpr ExitCode code() const {
    if (usage) return kUsage;
    if (interrupted) return kInterrupted;
    if (finding) return kFinding;
    if (infrastructure) return kInfrastructure;
    return undecided || guessed ? kUndecided : kClean;
  }
};

}  // namespace negzero::cli
