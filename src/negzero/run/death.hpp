// How a process ended that launched kernels, in words and as an outcome.

#pragma once

#include <string>

#include <negzero/protocol/progress.hpp>
#include <negzero/run/outcome.hpp>

namespace negzero::run {

struct Death {
  enum class Kind : unsigned char {
    Signal,   ///< `code` is the signal
    Exit,     ///< the process ended by itself; `code` is its exit status
    Hang,     ///< no progress within the time limit; it was killed; `code` is that limit in milliseconds
    Memory,   ///< the system gave it no more, and it ended itself
    Garbage,  ///< what came through its socket was no answer, or it closed the socket and lived on
    Version,  ///< its frames are of another version of the worker protocol; `code` is that version
  };
  Kind kind = Kind::Signal;
  int code = 0;
  protocol::Whereabouts where = protocol::Whereabouts::Between;
  std::string printed{};  ///< the end of what it printed, any bytes
  bool is_start = false;  ///< it was not ready for the first case
  std::string touched{};  ///< the access that ended it, where that is known: "a write at element 12 of the memory of x"
  /// "killed by signal 11 (Segmentation fault) while the kernel ran; the last that it printed: \"...\"".
  [[nodiscard]] std::string to_string() const;
  /// Whether something else may have ended it: the out-of-memory killer, a limit, a person.
  [[nodiscard]] bool is_from_outside() const;
};

/// A failure of class crash or hang, rules run.crash and run.hang, wherever the process was: between launches nothing
/// runs in a fresh process but what the kernel left there.
[[nodiscard]] Outcome outcome_of(const Death& death);
/// The same of a death that came again; or ours, where a process may map too little memory to run kernels: the runtime
/// under them then dies in every way that a kernel can.
[[nodiscard]] Outcome told(const Death& death);

/// Ends of a process from outside that one case is given.
inline constexpr int kMostKills = 3;
/// Ours: every try ended from outside, the last one so.
[[nodiscard]] Outcome unsettled(const Death& death);

inline constexpr const char* kTooLittleMemory =
    "there was too little memory for the case; give the run more (ulimit -v and -f, the cgroup's limit) or fewer "
    "--jobs";

}  // namespace negzero::run
