// Reads a suspended thread's stack as one number.

#include <cstring>

#include <negzero/base/random.hpp>
#include <negzero/engine/waiting.hpp>

namespace negzero::engine {

std::uint64_t state_of(const void* context, const void* top) noexcept {
  const auto* at = static_cast<const std::byte*>(context);
  const auto* const end = static_cast<const std::byte*>(top);
  // Two sums, so that the multiplications overlap. Threads differ in where their stacks begin, but one is compared with
  // itself only.
  std::uint64_t a = 0, b = 0, word = 0;
  for (; end - at >= 16; at += 16) {
    std::memcpy(&word, at, 8);
    a = (a ^ word) * 0x9e3779b97f4a7c15u;
    a ^= a >> 32;
    std::memcpy(&word, at + 8, 8);
    b = (b ^ word) * 0xd6e8feb86659fd93u;
    b ^= b >> 32;
  }
  if (end - at >= 8) {
    std::memcpy(&word, at, 8);
    a = (a ^ word) * 0x9e3779b97f4a7c15u;
  }
  return base::mix64(a ^ base::mix64(b));
}

}  // namespace negzero::engine
