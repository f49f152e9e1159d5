// How many cases came to which verdict.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

struct Counts {
  std::uint64_t cases = 0, pass = 0, vacuous = 0, fail = 0, refused = 0, error = 0;
  std::uint64_t not_judged = 0;  ///< cases of a declared operation that ran clean
  std::uint64_t watched = 0;     ///< cases that ran watched to their end
  std::uint64_t too_large = 0;   ///< cases that were to be watched, and were too large for it

  void add(verdict::VerdictKind kind, bool was_watched, bool was_too_large);
  /// Whether anything was decided: a pass or a fail.
  [[nodiscard]] bool decided() const { return pass + fail > 0; }
};

/// One of them, with its name in documents and files.
struct Count {
  const char* name;
  std::uint64_t Counts::*member;
};
/// All of them.
inline constexpr Count kCounts[] = {
    {"cases", &Counts::cases},     {"pass", &Counts::pass},           {"vacuous", &Counts::vacuous},
    {"fail", &Counts::fail},       {"refused", &Counts::refused},     {"error", &Counts::error},
    {"watched", &Counts::watched}, {"too_large", &Counts::too_large}, {"not_judged", &Counts::not_judged}};

inline void Counts::add(verdict::VerdictKind kind, bool was_watched, bool was_too_large) {
  ++cases;
  watched += was_watched ? 1 : 0;
  too_large += was_too_large ? 1 : 0;
  constexpr std::uint64_t Counts::*kOfKind[] = {&Counts::pass,    &Counts::fail,  &Counts::vacuous,
                                                &Counts::refused, &Counts::error, &Counts::not_judged};
  ++(this->*kOfKind[static_cast<std::size_t>(kind)]);
}

}  // namespace negzero::campaign
