// How a case is looked at: everything that is done with it, decided before anything runs.
//
//   generated, host   one case in twenty watched (Watch::Auto), and the first in a thousand of each shape at which
//                     kernels err, one tile of 128 x 128 x 32 among them; the others plainly, and one in twenty of
//                     those twice; behind the first 8 a launch like it, and one in a hundred among 4 to 50 launches, to
//                     look for state (property/state_looks.hpp); where features of code are asked for, every case of at
//                     most 2^12 products, elements or updates watched, but for those among other launches, and twice as
//                     the others
//   whole, host       plainly, and watched where that passes (Watch::Auto); twice where the request says so
//   device            plainly; twice and for state likewise
//
// A run is watched where the kernel has such a build, and the case is small enough or given alone.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include <negzero/campaign/wire.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/history.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// What there is of a kernel at a place, beside its plain build.
struct Builds {
  kernel::Place place = kernel::Place::Host;
  bool watched = false;
  const operation::Limits* limits =
      nullptr;  ///< of the kernel: what a large case is depends on the least one; may lack
};
/// The builds of the registry.
[[nodiscard]] Builds builds_of(const std::string& kernel, kernel::Place place);

/// The plan of what is done with one case.
struct Looks {
  struct Run {
    bool watched = false;
    property::Repeat repeat = property::Repeat::Never;
    friend bool operator==(const Run&, const Run&) = default;
  };
  /// A run in the other build, after the first one. Of the two verdicts the plain run's counts, unless the watched run
  /// fails by more than the time that it takes.
  struct Second {
    enum class When : unsigned char {
      Passes,  ///< the first run passes, or is vacuous
      Hangs,   ///< the watched run does: it takes ten times as long, and then the case is too large for it
    };
    When when = When::Passes;
    Run run{};
    friend bool operator==(const Second&, const Second&) = default;
  };
  /// Why the case is watched, or is to be as far as it is small enough.
  enum class Why : unsigned char {
    Never,     ///< it is not
    Asked,     ///< by the request
    ByRisk,    ///< the first in a thousand of each shape at which kernels err (generate::is_risky)
    ByChance,  ///< one in twenty
    ForCode,   ///< to see which code it covers
  };
  /// What is done with a case that passes where its process ended in a batch, and not again with one case alone.
  enum class Blame : unsigned char {
    Nothing,
    Launches,            ///< it runs three times in a row; fifty times where the process ended at it
    WatchedAndLaunches,  ///< the same after a watched run that does not fail
  };

  Run first{};
  std::optional<Second> second{};
  Why why = Why::Never;
  bool too_large = false;         ///< to be watched: the first run is plain, or the second one is left out
  operation::History launches{};  ///< with which state is looked for where the case passes; empty: it is not
  Blame blame = Blame::Nothing;

  /// "watched(never), hangs: plain(some), why risk", "plain(some), launches 2, blame watched".
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const Looks&, const Looks&) = default;
  friend std::ostream& operator<<(std::ostream& to, const Looks& looks);
};
[[nodiscard]] std::string_view name(Looks::Why why) noexcept;            ///< "never", "asked", "risk", "chance", "code"
[[nodiscard]] std::string_view name(Looks::Second::When when) noexcept;  ///< "passes", "hangs"
[[nodiscard]] std::string_view name(Looks::Blame blame) noexcept;  ///< "nothing", "launches", "watched_and_launches"

/// Plans the looks at a case of a request: the same ones for the same arguments. `drawn_for`: what the request's cases
/// are drawn for (RequestedCases::drawn_for()); nullptr where they are not drawn. `index`: of the case in its stream; a
/// whole case's does not matter.
[[nodiscard]] Looks looks_of(const Request& request, const Builds& builds, const generate::Request* drawn_for,
                             std::uint64_t index, const operation::Operation& operation);

/// How given cases are to be looked at, besides what the options of an evaluation say.
struct Asking {
  Watch watch = Watch::Auto;
  property::Repeat repeat = property::Repeat::Always;
  bool fresh = false;            ///< each in a process of its own
  std::uint64_t timeout_ms = 0;  ///< 0: that of the options
};
/// Returns how to look so that such a failure is seen again: watched when only the watch sees it, twice when the second
/// run may be the one that shows it.
[[nodiscard]] Asking asking_for(const verdict::Failure& failure);
/// The request for whole cases on a kernel, which has none yet: its other parts are those of the options.
[[nodiscard]] Request request_of(const kernel::Kernel& kernel, const Asking& how, const EvaluationOptions& options);
/// Returns how to look whether a case fails by its values alone: plainly.
[[nodiscard]] constexpr Asking asking_for_values(bool fresh) { return {.watch = Watch::Never, .fresh = fresh}; }
/// How to look at a case of two sides: the executor of a side watches it, and nothing else does.
inline constexpr Asking kToCompare{.watch = Watch::Never};
/// How to look at what a case shows behind other launches.
inline constexpr Asking kBehindLaunches{.watch = Watch::Never, .repeat = property::Repeat::Never};
/// How to look for the place in source of a failure that may_explain().
inline constexpr Asking kToExplain{.watch = Watch::Always};

/// What `--watch` says: "always", "never"; Watch::Auto otherwise.
[[nodiscard]] constexpr Watch watch_named(std::string_view word) noexcept {
  return word == "always" ? Watch::Always : word == "never" ? Watch::Never : Watch::Auto;
}
/// Returns how to watch the cases of a kernel of which an accepted crash keeps watched runs away, or does not
/// (Accepting::not_watched()), where `asked` is asked for.
[[nodiscard]] constexpr Watch watch_unless(bool is_kept_away, Watch asked) {
  return is_kept_away ? Watch::Never : asked;
}
/// Returns how to watch a case of which a file expects that, where `asked` is asked for. What was seen watched is
/// watched in any case; what is to fail unwatched runs so first, because the watch would often see another rule broken
/// before.
[[nodiscard]] Watch watch_for(const std::optional<operation::Expectation>& expected, Watch asked);
/// Returns how to watch a case that is known to fail so. With Watch::Auto a failure that was seen watched is looked for
/// watched, and plainly where the watch sees none: a plain run would often see another failure of the same cause first.
[[nodiscard]] Watch watch_for_known(const std::optional<operation::Expectation>& known, Watch asked);
/// Whether a watched run may name the place in source of a failure that a plain run of the case saw without it: a stray
/// write, output that was not written, a crash, a hang.
[[nodiscard]] bool may_explain(const verdict::Failure& failure, Watch asked, const Builds& builds,
                               const operation::Operation& operation);

}  // namespace negzero::campaign
