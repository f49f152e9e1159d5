// Splittable, counter-based random streams: the same numbers from the same key on every platform.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace negzero::base {

/// Mixes 64 bits (the finaliser of SplitMix64: Steele, Lea & Flood, OOPSLA 2014). A bijection.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Mixes bytes into `hash`, one after the other: (ab, c) and (a, bc) come to the same. Files on disk are named by its
/// values, which therefore stay.
[[nodiscard]] constexpr std::uint64_t mix_bytes(std::span<const std::byte> bytes, std::uint64_t hash = 0) noexcept {
  for (const std::byte byte : bytes) hash = mix64(hash ^ static_cast<std::uint64_t>(byte));
  return hash;
}

/// Whether case `index` of stream `seed` is among the one in `n` that are chosen, the same ones for a seed and a
/// purpose, which `salt` names. Requires n > 0.
[[nodiscard]] constexpr bool is_one_in(std::uint64_t n, std::uint64_t seed, std::uint64_t index,
                                       std::uint64_t salt = 0) noexcept {
  return mix64(seed ^ salt ^ mix64(index)) % n == 0;
}

/// A stream of random words. Word i depends only on the key and i, so elements can be expanded in bulk, in any order.
class Random {
 public:
  constexpr explicit Random(std::uint64_t seed) noexcept : key_(mix64(seed)) {}

  /// An independent stream named by `label`. Does not advance this one.
  [[nodiscard]] constexpr Random split(std::uint64_t label) const noexcept { return Random(key_ ^ mix64(~label)); }
  /// Word `i` of this stream, without advancing it.
  [[nodiscard]] constexpr std::uint64_t at(std::uint64_t i) const noexcept {
    return mix64(key_ + i * 0x9e3779b97f4a7c15u);
  }
  constexpr std::uint64_t next() noexcept { return at(counter_++); }
  /// Uniform in [0, bound), without bias worth measuring (multiply-shift; bias below bound / 2^64). Requires bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  /// Uniform in [low, high], both included. Requires low <= high.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// True once in `n` calls on average. Requires n > 0.
  constexpr bool one_in(std::uint64_t n) noexcept { return below(n) == 0; }
  /// Uniform in [0, 1), a multiple of 2^-53.
  constexpr double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace negzero::base
