// The floating-point environment of a host thread: rounding mode, flushing of subnormals, traps; and which way its
// string operations go.

#pragma once

#include <cfenv>
#include <cstdint>
#include <string>
#include <string_view>

namespace negzero::base {

/// Which way results of arithmetic are rounded.
enum class Rounding : std::uint8_t { Nearest, Downward, Upward };

/// What decides how a thread rounds. Exception flags are no part of it: arithmetic itself raises them.
///
/// A change in any of it changes bits: a library built with -ffast-math, for one, switches flush-to-zero on while it is
/// loaded, for the thread that loads it and all threads that this thread starts.
struct FloatEnvironment {
  std::uint32_t control = 0;  ///< MXCSR (x86-64), FPCR (AArch64), fegetround() elsewhere; without flags
  std::uint32_t x87 = 0;      ///< x86-64: the x87 control word, which `long double` obeys
  bool backwards = false;     ///< x86-64: the direction flag, with which memcpy() copies what it should not
  friend bool operator==(const FloatEnvironment&, const FloatEnvironment&) = default;

  /// Returns the environment of the calling thread.
  [[nodiscard]] static FloatEnvironment current() noexcept;
  /// Returns the environment in which a GPU computes, and every thread of a program starts: round to nearest, ties to
  /// even; subnormals are numbers; no exception traps.
  [[nodiscard]] static constexpr FloatEnvironment cuda_default() noexcept;
  /// cuda_default() with arithmetic rounded so.
  [[nodiscard]] static FloatEnvironment rounding(Rounding rounding) noexcept;
  /// Makes it the calling thread's own and clears that thread's exception flags.
  void set() const noexcept;
  /// Returns what became other since `before`, joined by commas: "flush-to-zero was switched on, rounding was switched
  /// upward". Empty where they are equal.
  [[nodiscard]] std::string changes_since(const FloatEnvironment& before) const;
};

namespace detail {

/// One bit of a control register; `switched` tells its meaning when set.
struct FloatEnvironmentBit {
  std::uint32_t mask;
  std::string_view name;
  std::string_view when_set, when_clear;
};

inline void add_change(std::string& text, std::string_view change) {
  if (!text.empty()) text += ", ";
  text += change;
}

#if defined(__x86_64__)
// Intel SDM volume 1, figures 10-3 (MXCSR) and 8-6 (x87 control word).
inline constexpr std::uint32_t kControlMask = 0xffc0;
inline constexpr std::uint32_t kControlDefault = 0x1f80;
inline constexpr std::uint32_t kX87Mask = 0x0f3f;
inline constexpr std::uint32_t kX87Default = 0x033f;
inline constexpr int kRoundingShift = 13;
inline constexpr std::string_view kRoundingNames[] = {"to nearest", "downward", "upward", "toward zero"};
inline constexpr FloatEnvironmentBit kControlBits[] = {
    {1u << 15, "flush-to-zero", "switched on", "switched off"},
    {1u << 6, "denormals-are-zero", "switched on", "switched off"},
    {1u << 7, "the trap of invalid operations", "switched off", "switched on"},
    {1u << 8, "the trap of subnormal operands", "switched off", "switched on"},
    {1u << 9, "the trap of divisions by zero", "switched off", "switched on"},
    {1u << 10, "the trap of overflows", "switched off", "switched on"},
    {1u << 11, "the trap of underflows", "switched off", "switched on"},
    {1u << 12, "the trap of inexact results", "switched off", "switched on"},
};
#elif defined(__aarch64__)
// Arm Architecture Reference Manual, FPCR.
inline constexpr std::uint32_t kControlMask = 0x07c89f07;
inline constexpr std::uint32_t kControlDefault = 0;
inline constexpr std::uint32_t kX87Default = 0;
inline constexpr int kRoundingShift = 22;
inline constexpr std::string_view kRoundingNames[] = {"to nearest", "upward", "downward", "toward zero"};
inline constexpr FloatEnvironmentBit kControlBits[] = {
    {1u << 24, "flush-to-zero", "switched on", "switched off"},
    {1u << 19, "flush-to-zero of half precision", "switched on", "switched off"},
    {1u << 0, "flushing of subnormal inputs", "switched on", "switched off"},
    {1u << 25, "the default NaN", "switched on", "switched off"},
    {1u << 26, "the alternative half precision", "switched on", "switched off"},
    {1u << 1, "alternate handling", "switched on", "switched off"},
    {1u << 2, "merging of upper elements", "switched on", "switched off"},
    {1u << 8, "the trap of invalid operations", "switched on", "switched off"},
    {1u << 9, "the trap of divisions by zero", "switched on", "switched off"},
    {1u << 10, "the trap of overflows", "switched on", "switched off"},
    {1u << 11, "the trap of underflows", "switched on", "switched off"},
    {1u << 12, "the trap of inexact results", "switched on", "switched off"},
    {1u << 15, "the trap of subnormal operands", "switched on", "switched off"},
};
#endif

}  // namespace detail

#if defined(__x86_64__)

// Assembly that claims to touch memory, so that the compiler moves no arithmetic on memory across it.
inline FloatEnvironment FloatEnvironment::current() noexcept {
  std::uint32_t mxcsr = 0;
  std::uint16_t word = 0;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(word) : : "memory");
  constexpr std::uint64_t kDirection = 0x400;
  const bool backwards = (__builtin_ia32_readeflags_u64() & kDirection) != 0;
  return {mxcsr & detail::kControlMask, word & detail::kX87Mask, backwards};
}

inline void FloatEnvironment::set() const noexcept {
  const auto word = static_cast<std::uint16_t>(x87 | 0x40);  // A reserved bit that processors keep set.
  // Flags first: one that is raised would trap at once where a mask is taken away.
  asm volatile("fnclex\n\tldmxcsr %0\n\tfldcw %1" : : "m"(control), "m"(word) : "memory");
  // Never set: what the compiler emits relies on that.
  asm volatile("cld" : : : "cc");
}

#elif defined(__aarch64__)

inline FloatEnvironment FloatEnvironment::current() noexcept {
  std::uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr) : : "memory");
  return {static_cast<std::uint32_t>(fpcr) & detail::kControlMask, 0, false};
}

inline void FloatEnvironment::set() const noexcept {
  asm volatile("msr fpsr, xzr\n\tmsr fpcr, %0" : : "r"(std::uint64_t{control}) : "memory");
}

#else

inline FloatEnvironment FloatEnvironment::current() noexcept {
  return {static_cast<std::uint32_t>(std::fegetround()), 0, false};
}

inline void FloatEnvironment::set() const noexcept {
  std::fesetround(static_cast<int>(control));
  std::feclearexcept(FE_ALL_EXCEPT);
}

#endif

constexpr FloatEnvironment FloatEnvironment::cuda_default() noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
  return {detail::kControlDefault, detail::kX87Default, false};
#else
  return {static_cast<std::uint32_t>(FE_TONEAREST), 0, false};
#endif
}

inline FloatEnvironment FloatEnvironment::rounding(Rounding rounding) noexcept {
  FloatEnvironment result = cuda_default();
#if defined(__x86_64__)
  // Intel SDM volume 1, table 4-8: 1 is down, 2 is up; MXCSR bits 13 and 14, x87 control word bits 10 and 11.
  result.control |= static_cast<std::uint32_t>(rounding) << detail::kRoundingShift;
  result.x87 |= static_cast<std::uint32_t>(rounding) << 10;
#elif defined(__aarch64__)
  // FPCR.RMode: 1 is up, 2 is down.
  const std::uint32_t mode = rounding == Rounding::Nearest ? 0 : rounding == Rounding::Upward ? 1 : 2;
  result.control |= mode << detail::kRoundingShift;
#else
  if (rounding != Rounding::Nearest) {
    result.control = static_cast<std::uint32_t>(rounding == Rounding::Upward ? FE_UPWARD : FE_DOWNWARD);
  }
#endif
  return result;
}

inline std::string FloatEnvironment::changes_since(const FloatEnvironment& before) const {
  std::string text;
#if defined(__x86_64__) || defined(__aarch64__)
  const std::uint32_t changed = control ^ before.control;
  for (const detail::FloatEnvironmentBit& bit : detail::kControlBits) {
    if ((changed & bit.mask) == 0) continue;
    const std::string_view how = (control & bit.mask) != 0 ? bit.when_set : bit.when_clear;
    detail::add_change(text, std::string(bit.name) + " was " + std::string(how));
  }
  if ((changed >> detail::kRoundingShift & 3) != 0) {
    const std::string_view mode = detail::kRoundingNames[control >> detail::kRoundingShift & 3];
    detail::add_change(text, "rounding was switched " + std::string(mode));
  }
#endif
  if (backwards != before.backwards) {
    detail::add_change(text, std::string("the direction flag was ") + (backwards ? "set" : "cleared"));
  }
  // fesetround() changes both: once is enough.
  if (text.empty() && x87 != before.x87) text = "the x87 control word was changed";
  if (text.empty() && *this != before) text = "the rounding mode was changed";
  return text;
}

/// While it lives the calling thread computes as a GPU does (cuda_default()); then it has its own environment back, to
/// the last flag. For code that is called by threads of others.
class FloatScope {
 public:
  FloatScope() noexcept {
    std::fegetenv(&before_);
    FloatEnvironment::cuda_default().set();
  }
  ~FloatScope() { std::fesetenv(&before_); }
  FloatScope(const FloatScope&) = delete;
  FloatScope& operator=(const FloatScope&) = delete;

 private:
  std::fenv_t before_{};
};

}  // namespace negzero::base
