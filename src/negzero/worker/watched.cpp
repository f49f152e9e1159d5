// What a watched kernel may do with the memory of one case, and a finding as the outcome of a launch.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/number/text.hpp>
#include <negzero/protocol/islands.hpp>
#include <negzero/tensor/placement.hpp>
#include <negzero/worker/watched.hpp>

namespace negzero::worker {

namespace {

using watch::FindingKind;
using watch::Permission;

/// "a[0,1,2]", or where in the memory of `a` the byte is when no element is there.
std::string describe(const std::string& name, const tensor::Layout& layout, std::size_t element_bytes,
                     std::size_t byte) {
  const auto address = static_cast<std::int64_t>(byte / element_bytes);
  const std::int64_t count = layout.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    if (layout.address(i) != address) continue;
    return fmt::format("{}[{}]", name, fmt::join(tensor::coordinates_of(layout.shape, i), ","));
  }
  return std::string(address < layout.offset ? "the memory before the offset" : "the padding") + " of " + name +
         ", at element " + std::to_string(address) + " of its memory";
}

/// "y[0,2] and y[0,3], which share a byte": the elements of half bytes that lie in one.
std::string describe_halves(const protocol::PlannedBuffer& buffer, std::size_t byte) {
  const std::int64_t at = static_cast<std::int64_t>(byte) - buffer.layout.offset;
  if (at < 0 || at >= buffer.layout.element_count()) return describe(buffer.name, buffer.layout, 1, byte);
  std::vector<std::int64_t> place = tensor::coordinates_of(buffer.layout.shape, at);
  if (place.empty()) return buffer.name + "[], whose other half byte is padding";
  const auto element = [&](std::int64_t last) {
    place.back() = last;
    return fmt::format("{}[{}]", buffer.name, fmt::join(place, ","));
  };
  const std::int64_t low = 2 * place.back();
  if (low + 1 == buffer.line) return element(low) + ", whose other half byte is padding";
  std::string text = element(low);
  return text + " and " + element(low + 1) + ", which share a byte";
}

/// Bytes [begin, end) of a buffer. It must outlive the region.
watch::WatchedRegion region_of(const protocol::PlannedBuffer& buffer, const std::byte* base, std::size_t begin,
                               std::size_t end) {
  watch::WatchedRegion region;
  region.begin = base + begin;
  region.size_bytes = end - begin;
  region.element_bytes = buffer.element_bytes();
  region.name = buffer.name;
  region.describe = [&buffer, begin](std::size_t byte) {
    if (number::format(buffer.format).is_half_byte()) return describe_halves(buffer, begin + byte);
    return describe(buffer.name, buffer.layout, buffer.element_bytes(), begin + byte);
  };
  region.value = [&buffer](const std::byte* element) {
    std::uint64_t word = 0;
    std::memcpy(&word, element, buffer.element_bytes());
    const number::Format& format = number::format(buffer.format);
    if (!format.is_half_byte()) return number::with_bits(format, word);
    return number::with_bits(format, word & 15) + " and " + number::with_bits(format, word >> 4);
  };
  return region;
}

}  // namespace

void WatchedCase::add(const protocol::PlannedBuffer& buffer, const std::byte* base, std::span<const std::byte> around) {
  if (!protocol::is_distant(buffer)) return add_piece(buffer, base, 0, buffer.size_bytes());
  // Islands end with whole pages, the buffer with its last element.
  for (const protocol::Piece& piece : protocol::pieces_of(buffer)) {
    add_piece(buffer, base, piece.begin, std::min(piece.begin + piece.size_bytes, buffer.size_bytes()));
  }
  watch_.add_nowhere(region_of(buffer, base, 0, buffer.size_bytes()), around);
}

/// Bytes [begin, end) of the buffer, which are memory.
void WatchedCase::add_piece(const protocol::PlannedBuffer& buffer, const std::byte* base, std::size_t begin,
                            std::size_t end) {
  const tensor::Layout& layout = buffer.layout;
  const std::size_t element_bytes = buffer.element_bytes();
  const Permission permission = buffer.use == protocol::BufferUse::UnreadInput ? Permission::None
                                : buffer.use == protocol::BufferUse::Input     ? Permission::Read
                                                                               : Permission::ReadWrite;
  const std::size_t number = watch_.add(region_of(buffer, base, begin, end), permission,
                                        buffer.use != protocol::BufferUse::Output || buffer.keeps_halves);
  if (buffer.use == protocol::BufferUse::UnreadInput) {
    watch_.set_reason(number, "the contract says that " + buffer.name + " is not read here");
    return;
  }
  watch_.set_reason(number, "no element lies there");
  if (layout.extent() == layout.element_count()) return;
  for (const tensor::Gap& gap : tensor::padding(layout)) {
    const std::size_t first = std::max(static_cast<std::size_t>(gap.begin) * element_bytes, begin);
    const std::size_t last = std::min(static_cast<std::size_t>(gap.end) * element_bytes, end);
    if (first < last) watch_.set(number, first - begin, last - first, Permission::None, false);
  }
}

void WatchedCase::add_workspace(std::size_t number, std::span<const std::byte> memory) {
  watch::WatchedRegion region;
  region.begin = memory.data();
  region.size_bytes = memory.size();
  region.element_bytes = 0;
  region.name = "workspace " + std::to_string(number);
  watch_.add(std::move(region), Permission::ReadWrite, false);
}

std::optional<protocol::LaunchOutcome> WatchedCase::equal_stores() const {
  const auto found = watch_.equal_stores();
  if (!found) return std::nullopt;
  return protocol::LaunchOutcome::failed(protocol::Fault::EqualStores, found->message);
}

protocol::LaunchOutcome WatchedCase::outcome() {
  const watch::WatchFinding& finding = *watch_.finding();
  const auto fault = [&] {
    switch (finding.kind) {
      case FindingKind::OutOfBounds:
        return protocol::Fault::Bounds;
      case FindingKind::Uninitialised:
        return protocol::Fault::Uninitialised;
      case FindingKind::Forbidden:
        return protocol::Fault::ForbiddenRead;
      case FindingKind::EqualStores:
        return protocol::Fault::EqualStores;
      case FindingKind::Race:
        return protocol::Fault::Race;
      case FindingKind::Misaligned:
        break;
    }
    return protocol::Fault::Misaligned;
  };
  return protocol::LaunchOutcome::failed(fault(), finding.message);
}

}  // namespace negzero::worker
