// A finding of a watched launch in words.

#include <algorithm>

#include <negzero/simt/symbol.hpp>
#include <negzero/simt/watch_state.hpp>

namespace negzero::simt {

namespace {

std::string bytes(std::size_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

const char* words(AccessKind kind) {
  switch (kind) {
    case AccessKind::Read:
      return "read";
    case AccessKind::Write:
      return "write";
    case AccessKind::AtomicRead:
      return "atomic or volatile read";
    case AccessKind::AtomicStore:
      return "atomic or volatile write";
    case AccessKind::AtomicUpdate:
    case AccessKind::AtomicCompare:
    case AccessKind::AtomicExchange:
      return "atomic";
  }
  return "access";
}

/// Farther away than this an address says nothing about a buffer.
constexpr std::size_t kNear = 1 << 16;

}  // namespace

const char* to_string(FindingKind kind) noexcept {
  switch (kind) {
    case FindingKind::OutOfBounds:
      return "out_of_bounds";
    case FindingKind::Uninitialised:
      return "uninitialised";
    case FindingKind::Forbidden:
      return "forbidden";
    case FindingKind::Race:
      return "race";
    case FindingKind::Misaligned:
      return "misaligned";
  }
  return "unknown";
}

std::string WatchState::where(std::uintptr_t address, std::size_t size_bytes) const {
  struct Named {
    std::string name;
    std::uintptr_t begin;
    std::size_t size_bytes;
    const WatchedRegion* region;
  };
  std::vector<Named> spans;
  for (std::size_t i = 0; i < used; ++i) {
    const Region& region = *regions[i];
    spans.push_back({region.what.name, region.shadow.begin, region.shadow.size_bytes, &region.what});
  }
  const std::uintptr_t dynamic = reinterpret_cast<std::uintptr_t>(current.shared->dynamic);
  unsigned statics = 0;
  for (const BlockWatch::Array& array : block_->arrays) {
    const std::uintptr_t begin = block_->shared.begin + array.first;
    spans.push_back({begin == dynamic ? std::string("dynamic shared memory")
                                      : "shared array " + std::to_string(statics++),
                     begin, array.size_bytes, nullptr});
  }
  const Named* nearest = nullptr;
  std::size_t distance = kNear;
  for (const Named& span : spans) {
    const std::uintptr_t end = span.begin + span.size_bytes;
    const std::size_t away = address < span.begin ? span.begin - address : address >= end ? address - end + 1 : 0;
    if (away < distance) {
      distance = away;
      nearest = &span;
    }
  }
  if (nearest == nullptr) {
    return address < 4096 ? "address " + std::to_string(address) + ", next to the null pointer"
                          : "an address in no buffer";
  }
  const std::string whole = nearest->name + " (" + bytes(nearest->size_bytes) + ")";
  const std::size_t element = nearest->region != nullptr ? nearest->region->element_bytes : 1;
  if (address < nearest->begin) {
    const std::size_t before = nearest->begin - address;
    if (element == 1 || before % element != 0) return bytes(before) + " before " + whole;
    return "element -" + std::to_string(before / element) + " of " + whole + ", before its start";
  }
  const std::size_t byte = address - nearest->begin;
  if (byte >= nearest->size_bytes) {
    const std::string number = std::to_string(byte / element);
    return (element == 1 || byte % element != 0 ? "byte " + std::to_string(byte) : "element " + number) + " of " + whole +
           ", past its end";
  }
  std::string text;
  if (nearest->region != nullptr && nearest->region->describe) {
    text = nearest->region->describe(byte);
  } else if (nearest->region != nullptr && nearest->region->element_bytes > 1) {
    text = "element " + std::to_string(byte / nearest->region->element_bytes) + " of " + whole;
  } else {
    text = "byte " + std::to_string(byte) + " of " + whole;
  }
  if (byte + size_bytes > nearest->size_bytes) {
    text += ", and on past its end by " + bytes(byte + size_bytes - nearest->size_bytes);
  }
  return text;
}

WatchedAccess WatchState::access_of(const Stamp& stamp, unsigned size_bytes) const {
  WatchedAccess access;
  access.what = words(stamp.kind());
  access.place = place_of(stamp.address());
  const std::uint64_t block = stamp.actor >> 10;
  const std::uint32_t thread = stamp.actor & 1023;
  const auto split = [](std::uint64_t linear, Coordinates extents) {
    return Coordinates{static_cast<std::uint32_t>(linear % extents.x),
                       static_cast<std::uint32_t>(linear / extents.x % extents.y),
                       static_cast<std::uint32_t>(linear / extents.x / extents.y)};
  };
  access.block = split(block, grid_blocks_);
  access.thread = split(thread, block_threads_);
  access.size_bytes = size_bytes;
  return access;
}

WatchFinding WatchState::describe(const Raw& found) const {
  WatchFinding result;
  result.kind = found.kind;
  result.where = found.where;
  result.access = access_of(found.access, found.size_bytes);
  const auto who = [](const WatchedAccess& access) {
    return access.what + " of " + bytes(access.size_bytes) + " at " + access.place + " by thread " +
           to_string(access.thread) + " of block " + to_string(access.block);
  };
  const std::string first = who(result.access);
  switch (found.kind) {
    case FindingKind::OutOfBounds:
      result.message = "out of bounds: " + first + " touches " + found.where;
      break;
    case FindingKind::Uninitialised:
      result.message = "uninitialised: " + first + " reads " + found.where;
      break;
    case FindingKind::Forbidden:
      result.message = "forbidden read: " + first + " reads " + found.where;
      break;
    case FindingKind::Misaligned:
      result.message = "misaligned: " + first + " of " + found.where;
      break;
    case FindingKind::Race:
      result.other = access_of(*found.other, found.other->size_bytes());
      result.message = "data race on " + found.where + ": " + first + ", and before it, not ordered by anything, " +
                       who(*result.other);
      break;
  }
  if (!found.detail.empty()) result.message += ": " + found.detail;
  return result;
}

}  // namespace negzero::simt
