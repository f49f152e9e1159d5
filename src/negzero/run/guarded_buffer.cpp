// Memory of one buffer between two guard zones, all of it poisoned before a launch and compared after it.

#include <algorithm>
#include <cstring>

#include <negzero/number/encoding.hpp>
#include <negzero/run/guarded_buffer.hpp>

namespace negzero::run {

namespace {

constexpr std::size_t kAlignment = 256;

void fill(std::byte* begin, std::byte* end, std::uint64_t word, std::size_t element_bytes) {
  // Eight bytes hold a whole number of elements of every format, and a guard zone a whole number of eight bytes.
  std::uint64_t pattern = 0;
  for (std::size_t i = 0; i < 8; i += element_bytes) pattern |= word << (8 * i);
  const std::size_t bytes = static_cast<std::size_t>(end - begin);
  for (std::size_t i = 0; i + 8 <= bytes; i += 8) std::memcpy(begin + i, &pattern, 8);
  std::memcpy(begin + bytes / 8 * 8, &pattern, bytes % 8);
}

std::optional<std::ptrdiff_t> first_difference(const std::byte* a, const std::byte* b, std::size_t bytes) {
  if (bytes == 0 || std::memcmp(a, b, bytes) == 0) return std::nullopt;
  return std::mismatch(a, a + bytes, b).first - a;
}

}  // namespace

std::uint64_t poison_word(operation::Poison poison, const number::Format& format) noexcept {
  if (poison == operation::Poison::Nan) return format.word_mask();
  return number::max_finite(format);
}

void GuardedBuffer::reset(std::size_t size_bytes, const number::Format& format, operation::Poison poison) {
  size_ = size_bytes;
  element_bytes_ = static_cast<std::size_t>(format.bits) / 8;
  poison_ = poison_word(poison, format);
  const std::size_t needed = size_bytes + 2 * kGuardBytes + kAlignment + 8;
  if (storage_.size() < needed) storage_.resize(needed + needed / 2);
  const auto base = reinterpret_cast<std::uintptr_t>(storage_.data());
  const std::uintptr_t aligned = (base + kGuardBytes + kAlignment - 1) / kAlignment * kAlignment;
  start_ = storage_.data() + (aligned - base);
  fill(start_ - kGuardBytes, start_ + size_ + kGuardBytes, poison_, element_bytes_);
}

void GuardedBuffer::snapshot() { snapshot_.assign(start_, start_ + size_); }

std::optional<std::ptrdiff_t> GuardedBuffer::guard_damage() const noexcept {
  std::byte clean[kGuardBytes + 8];
  fill(clean, clean + sizeof clean, poison_, element_bytes_);
  if (const auto at = first_difference(start_ - kGuardBytes, clean, kGuardBytes)) {
    return *at - static_cast<std::ptrdiff_t>(kGuardBytes);
  }
  // The pattern goes on from the front guard, so behind the data it starts in the phase that the data's size leaves.
  if (const auto at = first_difference(start_ + size_, clean + size_ % 8, kGuardBytes)) {
    return *at + static_cast<std::ptrdiff_t>(size_);
  }
  return std::nullopt;
}

std::optional<std::ptrdiff_t> GuardedBuffer::difference() const noexcept {
  return first_difference(start_, snapshot_.data(), size_);
}

}  // namespace negzero::run
