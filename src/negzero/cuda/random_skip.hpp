// Steps of XORWOW's shift register that are taken at once.
//
// A step is linear over the 160 bits of the register, so that n steps are the n-th power of its matrix. Powers of two
// are squares of squares; no table of them is here.

#pragma once

#include <cstdint>
#include <cstring>

#include <negzero/engine/build.hpp>

namespace negzero::cuda_on_host {
inline namespace NEGZERO_BUILD {

/// What each of the 160 bits becomes.
struct XorwowMatrix {
  static constexpr int kBits = 160, kWords = 5;
  std::uint32_t images[kBits][kWords];

  NEGZERO_INLINE void apply(std::uint32_t (&bits)[kWords]) const {
    std::uint32_t result[kWords] = {};
    for (int i = 0; i < kBits; ++i) {
      const std::uint32_t wanted = 0u - (bits[i / 32] >> (i % 32) & 1);
      for (int word = 0; word < kWords; ++word) result[word] ^= images[i][word] & wanted;
    }
    std::memcpy(bits, result, sizeof(bits));
  }
};

/// The matrices of 2^i steps, i < 131: sequences are 2^67 steps apart, and 64 bits count them.
struct XorwowPowers {
  static constexpr int kCount = 67 + 64;
  XorwowMatrix powers[kCount];

  // Tables of the host, which no watch has to see.
  __attribute__((noinline, no_sanitize("thread", "address", "undefined"))) XorwowPowers() noexcept {
    for (int i = 0; i < XorwowMatrix::kBits; ++i) {
      std::uint32_t v[XorwowMatrix::kWords] = {};
      v[i / 32] = 1u << (i % 32);
      const std::uint32_t mixed = v[0] ^ (v[0] >> 2);
      for (int word = 0; word < 4; ++word) powers[0].images[i][word] = v[word + 1];
      powers[0].images[i][4] = (v[4] ^ (v[4] << 4)) ^ (mixed ^ (mixed << 1));
    }
    for (int power = 1; power < kCount; ++power) {
      powers[power] = powers[power - 1];
      for (auto& image : powers[power].images) powers[power - 1].apply(image);
    }
  }
};

/// Takes count * 2^shift steps. Requires: shift is 0 or 67.
inline void skip_xorwow(std::uint32_t (&bits)[XorwowMatrix::kWords], std::uint64_t count, int shift) {
  if (count == 0) return;
  static const XorwowPowers all;
  for (int i = 0; i < 64; ++i) {
    if ((count >> i & 1) != 0) all.powers[shift + i].apply(bits);
  }
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host
