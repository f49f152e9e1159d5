// Looks for a case in which a kernel breaks a claim, and for the smallest like it: one executor, in this thread.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/reference.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// Findings that are known, of a class or of a rule: they are counted, and the search goes on.
struct Known {
  std::optional<verdict::FailureClass> kind{};
  verdict::Rule rule{};
  [[nodiscard]] bool holds(const verdict::Failure& failure) const {
    return kind ? *kind == failure.kind : rule == failure.rule;
  }
};

struct SearchOptions {
  std::uint64_t seed = 1;
  std::uint64_t cases = 300;  ///< that are drawn
  /// Drawn shapes that all cases share, for kernels that are compiled for each; the smallest case may have one of as
  /// many others. 0: each case has a shape of its own.
  std::uint64_t shapes = 0;
  std::vector<std::string> claims{};  ///< names of metamorphic_properties(): each case is held to one more
  /// position_invariant is in the contract for those properties alone: no other one is looked at because of it.
  bool position_is_named = false;
  std::vector<operation::Case> first{};  ///< cases that are looked at before any is drawn
  std::vector<Known> known{};
  std::uint64_t shrink_ms = 20'000;  ///< most time that shrinking may take
  std::function<bool()> stop{};      ///< polled between cases
  std::optional<Referee> referee{};  ///< what runs the kernel's reference, where it has one
  /// Changes a drawn case, and each that shrinking tries, before anything runs on it; false: it cannot. Absent: none is
  /// changed. Cases of `first` are taken as they are.
  std::function<bool(operation::Case&)> prepare{};
  /// The contract of a case; absent: the kernel's own, for all. A case that has one itself is held to that.
  std::function<contract::Contract(const operation::Operation&)> contract{};
  std::function<void(std::uint64_t done)> progress{};  ///< called before a drawn case runs
  std::function<void()> shrinks{};                     ///< called where shrinking begins
};

/// A case that breaks a claim, as small as it got.
struct Found {
  operation::Case value;     ///< with its contract
  verdict::Verdict verdict;  ///< a Fail, of `value`
  std::string claim{};       ///< the metamorphic property that it breaks; empty: that its outcome is permitted
  std::int64_t evaluations = 0;
  int runs = 0, hits = 0;   ///< runs of `value` after shrinking, and how many of them failed the same way
  bool is_cut = false;      ///< time ran out, or `stop` said so: there may be smaller ones
  bool came_again = false;  ///< whether the case as it was found failed a second time; where not, it is not shrunk
};

/// What became of a search.
struct Searched {
  std::int64_t passed = 0, vacuous = 0, refused = 0, errors = 0;  ///< cases
  std::int64_t empty = 0;       ///< cases without an element of output: nothing was compared, so they are no `passed`
  std::int64_t not_judged = 0;  ///< cases of a declared operation that ran clean
  std::int64_t held = 0;        ///< cases that were held to a claim of `claims` whose precondition they meet
  std::int64_t unprepared = 0;  ///< drawn cases that could not be prepared: the search ends with the first
  std::string error{};          ///< the first reason among `errors`
  std::int64_t warnings = 0;    ///< cases with a warning
  std::string warning{};        ///< the first of them
  std::vector<std::int64_t> known{};  ///< cases that failed, for each of the known findings
  std::optional<Found> found{};
  bool is_stopped = false;
};

/// Looks at cases in turn until one fails by what is not known. Each runs twice where the contract promises
/// determinism. Usage errors: the request's (generate::validate) and claims that are none.
[[nodiscard]] base::Result<Searched> search(const generate::Request& request, const kernel::Kernel& kernel,
                                            run::Executor& executor, const SearchOptions& options);

}  // namespace negzero::property
