// Memory of one buffer between two guard zones, all of it poisoned before a launch and compared after it.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <negzero/operation/poison.hpp>
#include <negzero/protocol/guarded_buffer.hpp>

namespace negzero::protocol {

namespace {

/// The pattern as it lies `phase` bytes further on.
std::uint64_t shifted(std::uint64_t pattern, std::size_t phase) {
  return std::rotr(pattern, static_cast<int>(8 * (phase % 8)));
}

/// Offset of the first byte of a guard zone that is not the pattern's.
std::optional<std::ptrdiff_t> first_change(const std::byte* guard, std::uint64_t pattern) {
  const auto clean = std::bit_cast<std::array<std::byte, sizeof pattern>>(pattern);
  // A zone that begins with the pattern and equals itself eight bytes further on is the pattern over and over.
  if (std::memcmp(guard, clean.data(), clean.size()) == 0 &&
      std::memcmp(guard, guard + clean.size(), kGuardBytes - clean.size()) == 0) {
    return std::nullopt;
  }
  std::size_t at = 0;
  while (guard[at] == clean[at % clean.size()]) ++at;
  return static_cast<std::ptrdiff_t>(at);
}

/// Eight bytes hold a whole number of elements of every format, and a guard zone a whole number of eight bytes.
std::uint64_t repeated(std::uint64_t word, const number::Format& format) {
  std::uint64_t pattern = 0;
  const int step = format.is_half_byte() ? format.bits : 8 * format.bytes();
  for (int bit = 0; bit < 64; bit += step) pattern |= word << bit;
  return pattern;
}

}  // namespace

std::uint64_t poison_pattern(operation::Poison poison, const number::Format& format) noexcept {
  return repeated(poison_word(poison, format), format);
}

std::uint64_t input_poison_pattern(operation::Poison poison, const number::Format& format) noexcept {
  return repeated(operation::input_poison_word(poison, format), format);
}

// Doubling lets memcpy do it at the width of this machine's vectors.
void fill_pattern(std::span<std::byte> memory, std::uint64_t pattern) noexcept {
  std::memcpy(memory.data(), &pattern, sizeof pattern);
  for (std::size_t done = sizeof pattern; done < memory.size();) {
    const std::size_t more = std::min(done, memory.size() - done);
    std::memcpy(memory.data() + done, memory.data(), more);
    done += more;
  }
}

void GuardedRegion::poison() noexcept { fill_pattern({start_ - kGuardBytes, guarded_bytes(size_)}, pattern_); }

std::optional<std::ptrdiff_t> GuardedRegion::guard_damage() const noexcept {
  if (const auto at = first_change(start_ - kGuardBytes, pattern_))
    return *at - static_cast<std::ptrdiff_t>(kGuardBytes);
  if (const auto at = first_change(start_ + size_, shifted(pattern_, size_))) {
    return *at + static_cast<std::ptrdiff_t>(size_);
  }
  return std::nullopt;
}

std::optional<std::ptrdiff_t> GuardedRegion::difference(const std::byte* before) const noexcept {
  if (size_ == 0 || std::memcmp(start_, before, size_) == 0) return std::nullopt;
  return std::mismatch(start_, start_ + size_, before).first - start_;
}

}  // namespace negzero::protocol
