// Plain stores of one same value that nothing orders: a race to the memory model, and kept apart from those that change
// what is there.

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <negzero/number/format.hpp>
#include <negzero/number/text.hpp>
#include <negzero/watch/state.hpp>

namespace negzero::watch {

namespace {

std::string text_of(const std::byte* bytes, std::string_view format) {
  const number::Format& of = number::format(*number::parse_format(format));
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, static_cast<std::size_t>(of.bits) / 8);
  return number::with_bits(of, word);
}

/// "0x40600000": the bytes as one number, the first byte the lowest; of more than 8, nothing.
std::string text_of(const std::byte* bytes, std::size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (count > 8) return "the same bytes";
  std::string text = "0x";
  for (std::size_t i = count; i-- > 0;) {
    const auto byte = std::to_integer<unsigned>(bytes[i]);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

}  // namespace

void WatchState::store_again(std::uintptr_t address, std::size_t size_bytes, const Stamp& self, const Stamp& other) {
  if (store_.waits && store_.address == address) return;
  if (other.kind() != AccessKind::Write || size_bytes > sizeof store_.before) race(address, size_bytes, self, other);
  const Paused paused;
  store_.address = address;
  store_.begin = shared_byte(address, size_bytes, other);
  store_.size_bytes = std::min<std::size_t>(address + size_bytes - store_.begin, other.size_bytes());
  store_.access = self;
  store_.other = other;
  store_.waits = true;
  store_.countdown = std::exchange(countdown_, 1);
  std::memcpy(store_.before, reinterpret_cast<const void*>(store_.begin), store_.size_bytes);
}

void WatchState::settle_store() {
  store_.waits = false;
  countdown_ = store_.countdown;
  const auto* const now = reinterpret_cast<const std::byte*>(store_.begin);
  const bool is_equal = std::memcmp(store_.before, now, store_.size_bytes) == 0;
  if (is_equal && equal_stores) return;
  Raw found{is_equal ? FindingKind::EqualStores : FindingKind::Race,
            store_.begin,
            store_.access,
            store_.access.size_bytes(),
            store_.other,
            where(store_.begin, 1),
            {}};
  if (!is_equal) {
    listening = nullptr;
    stop(std::move(found));
  }
  const Paused paused;
  found.detail = "both stored " + value_at(store_.begin, store_.size_bytes);
  equal_stores = std::move(found);
}

std::string WatchState::value_at(std::uintptr_t address, std::size_t size_bytes) const {
  const auto* const bytes = reinterpret_cast<const std::byte*>(address);
  for (std::size_t i = 0; i < used; ++i) {
    const Region& region = *regions[i];
    if (address - region.shadow.begin >= region.shadow.size_bytes) continue;
    if (region.what.value && size_bytes == region.what.element_bytes) return region.what.value(bytes);
  }
  const engine::SharedTable& shared = *engine::current.shared;
  for (const engine::SharedTable::Entry& entry : std::span(shared.entries, shared.count)) {
    const std::size_t byte = address - reinterpret_cast<std::uintptr_t>(entry.address);
    const engine::SharedTag& tag = *entry.tag;
    if (byte >= entry.size_bytes || tag.format == nullptr || size_bytes != tag.element_bytes) continue;
    if (byte % tag.element_bytes == 0) return text_of(bytes, tag.format);
  }
  return text_of(bytes, size_bytes);
}

}  // namespace negzero::watch
