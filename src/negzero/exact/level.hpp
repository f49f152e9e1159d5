// One loop compiled for several vector extensions of one build, the best that the machine has being chosen at run time.

#pragma once

#include <array>
#include <cstdint>
#include <span>

#if defined(__x86_64__) && defined(__GNUC__)
#define NEGZERO_X86_LEVELS 1
#endif

namespace negzero::exact {

/// Vector extensions. Every loop gives the same bits at every level.
enum class Level : std::uint8_t { Plain, Avx2, Avx512 };

namespace detail {

// A target attribute on a wrapper, not a compiler flag on a source file: with flags, inline functions of the standard
// library would be compiled for the extension too, and the linker might keep that copy for the whole program.
template <auto Body, typename... Arguments>
auto run_plain(Arguments... arguments) {
  return Body(arguments...);
}

#ifdef NEGZERO_X86_LEVELS
template <auto Body, typename... Arguments>
[[gnu::target("avx2,bmi,bmi2")]] auto run_avx2(Arguments... arguments) {
  return Body(arguments...);
}

template <auto Body, typename... Arguments>
[[gnu::target("avx2,bmi,bmi2,avx512f,avx512dq,avx512vl,avx512bw")]] auto run_avx512(Arguments... arguments) {
  return Body(arguments...);
}
#endif

}  // namespace detail

/// The levels that this machine can run, lowest first; Plain is always among them.
[[nodiscard]] inline std::span<const Level> available_levels() noexcept {
  static constexpr std::array<Level, 3> all = {Level::Plain, Level::Avx2, Level::Avx512};
#ifdef NEGZERO_X86_LEVELS
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return std::span(all).first(avx512 ? 3 : avx2 ? 2 : 1);
#else
  return std::span(all).first(1);
#endif
}

/// Calls Body, a function declared always_inline, as compiled for `level`. Requires an available level.
template <auto Body, typename... Arguments>
auto run_at(Level level, Arguments... arguments) {
#ifdef NEGZERO_X86_LEVELS
  if (level == Level::Avx512) return detail::run_avx512<Body>(arguments...);
  if (level == Level::Avx2) return detail::run_avx2<Body>(arguments...);
#endif
  static_cast<void>(level);
  return detail::run_plain<Body>(arguments...);
}

}  // namespace negzero::exact
