// A finding of a watched launch in words.

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>

#include <negzero/watch/state.hpp>
#include <negzero/watch/symbol.hpp>

namespace negzero::watch {

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

std::string who(const WatchedAccess& access) {
  return access.what + (access.size_bytes > 0 ? " of " + bytes(access.size_bytes) : "") + " at " + access.place +
         " by thread " + to_string(access.thread) + " of block " + to_string(access.block);
}

/// A stretch of memory that a finding can name.
struct Named {
  std::string name;
  std::uintptr_t begin;
  std::size_t size_bytes;
  std::size_t element_bytes;  ///< 0: unknown
  std::size_t extents[3];     ///< of an array's dimensions from the right, or all 0
  const std::function<std::string(std::size_t)>* describe;
};

/// "element 12" or "element [3][4]"
std::string element_of(const Named& named, std::size_t index) {
  if (named.extents[1] == 0) return "element " + std::to_string(index);
  std::string text;
  for (std::size_t i = 0; i < 3 && named.extents[i] != 0; ++i) {
    // What lies past the end belongs to the outermost dimension.
    const bool outermost = i == 2 || named.extents[i + 1] == 0;
    const std::size_t at = outermost ? index : index % named.extents[i];
    text = std::string("[").append(std::to_string(at)).append("]").append(text);
    index /= named.extents[i];
  }
  return "element " + text;
}

/// "element 12 of in (64 bytes)", "byte 80 of workspace 0 (80 bytes), past its end"
std::string place_in(const Named& named, std::uintptr_t address) {
  const std::string whole = named.name + " (" + bytes(named.size_bytes) + ")";
  const std::size_t element = std::max<std::size_t>(named.element_bytes, 1);
  if (address < named.begin) {
    const std::size_t before = named.begin - address;
    if (element == 1 || before % element != 0) return bytes(before) + " before " + whole;
    return "element -" + std::to_string(before / element) + " of " + whole + ", before its start";
  }
  const std::size_t byte = address - named.begin;
  if (byte < named.size_bytes && named.describe != nullptr) return (*named.describe)(byte);
  const std::string end = byte >= named.size_bytes ? ", past its end" : "";
  if (named.element_bytes == 0) return "byte " + std::to_string(byte) + " of " + whole + end;
  const std::string within = byte % element != 0 ? "byte " + std::to_string(byte % element) + " of " : "";
  return within + element_of(named, byte / element) + " of " + whole + end;
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
    case FindingKind::EqualStores:
      return "equal_stores";
    case FindingKind::Race:
      return "race";
    case FindingKind::Misaligned:
      return "misaligned";
  }
  return "unknown";
}

std::string WatchState::where(std::uintptr_t address, std::size_t size_bytes) const {
  std::vector<Named> spans;
  for (std::size_t i = 0; i < used; ++i) {
    const Region& region = *regions[i];
    spans.push_back({region.what.name,
                     region.shadow.begin,
                     region.shadow.size_bytes,
                     region.what.element_bytes,
                     {},
                     region.what.describe ? &region.what.describe : nullptr});
  }
  const engine::SharedTable& shared = *engine::current.shared;
  const auto dynamic = reinterpret_cast<std::uintptr_t>(shared.dynamic);
  for (const BlockWatch::Array& array : block_->arrays) {
    const std::uintptr_t begin = block_->shared.begin + array.first;
    if (begin == dynamic) spans.push_back({"dynamic shared memory", begin, array.size_bytes, 0, {}, nullptr});
  }
  for (std::size_t i = 0; i < shared.count; ++i) {
    const engine::SharedTable::Entry& entry = shared.entries[i];
    const engine::SharedTag& tag = *entry.tag;
    Named named{std::string("shared ") + (tag.extents[0] != 0 ? "array " : "variable ") + tag.name,
                reinterpret_cast<std::uintptr_t>(entry.address),
                entry.size_bytes,
                tag.element_bytes,
                {},
                nullptr};
    if (tag.extents[0] == 0) named.element_bytes = 0;
    std::copy(std::begin(tag.extents), std::end(tag.extents), std::begin(named.extents));
    spans.push_back(std::move(named));
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
  std::optional<Named> meant;
  for (const Nowhere& each : nowhere) {
    if (distance == 0 || address - each.begin >= each.size_bytes) continue;
    const WatchedRegion& buffer = each.buffer;
    meant = {buffer.name, reinterpret_cast<std::uintptr_t>(buffer.begin), buffer.size_bytes, buffer.element_bytes,
             {},          buffer.describe ? &buffer.describe : nullptr};
    nearest = &*meant;
    distance = 0;
  }
  if (nearest == nullptr) {
    return address < 4096 ? "address " + std::to_string(address) + ", next to the null pointer"
                          : "an address in no buffer";
  }
  // A region of program data is named by the variable in it, where one is known.
  std::optional<Named> variable;
  if (nearest->name == kProgramVariables) {
    if (const std::optional<Variable> found = variable_of(address)) {
      variable = {"variable " + found->name, found->begin, found->size_bytes, 0, {}, nullptr};
      nearest = &*variable;
    }
  }
  std::string text = place_in(*nearest, address);
  if (const std::uintptr_t end = nearest->begin + nearest->size_bytes; address < end && address + size_bytes > end) {
    text += ", and on past its end by " + bytes(address + size_bytes - end);
  }
  return text;
}

std::uintptr_t WatchState::shared_byte(std::uintptr_t address, std::size_t size_bytes, const Stamp& other) {
  Shadow* const shadow = find(address);
  const auto same = [&](const Stamp& stamp) {
    return stamp.actor == other.actor && stamp.time == other.time && stamp.site == other.site;
  };
  for (std::uintptr_t at = address; shadow != nullptr && at < address + size_bytes; ++at) {
    const Cell& cell = shadow->cells[(at - shadow->begin) >> shadow->shift];
    if (same(cell.write) || same(cell.other)) return at;
    if (cell.other.site != Cell::kCrowd || cell.other.time < shadow->since) continue;
    Crowd& crowd = crowds[cell.other.actor];
    crowd.expand();
    if (std::ranges::any_of(crowd.list, same)) return at;
  }
  return address;
}

WatchedAccess WatchState::access_of(const Stamp& stamp, unsigned size_bytes) const {
  WatchedAccess access;
  access.what = words(stamp.kind());
  access.place = place_of(stamp.address());
  const std::uint64_t block = stamp.actor >> 10;
  const std::uint32_t thread = stamp.actor & 1023;
  const auto split = [](std::uint64_t linear, engine::Coordinates extents) {
    return engine::Coordinates{static_cast<std::uint32_t>(linear % extents.x),
                               static_cast<std::uint32_t>(linear / extents.x % extents.y),
                               static_cast<std::uint32_t>(linear / extents.x / extents.y)};
  };
  access.block = split(block, grid_blocks_);
  access.thread = split(thread, block_threads_);
  access.size_bytes = size_bytes;
  return access;
}

void WatchState::index_outside(const char* file, unsigned line, const char* type, std::intptr_t index,
                               const void* site) {
  listening = nullptr;
  // Compilers write 'float [32]', and clang 'alias' (aka 'float[32]').
  std::string_view text = type;
  if (text.ends_with(')')) text.remove_suffix(1);
  if (text.ends_with('\'')) text.remove_suffix(1);
  text.remove_prefix(text.rfind('\'') + 1);
  stop({FindingKind::OutOfBounds,
        0,
        stamp(engine::current.linear_thread, 1, AccessKind::Read, site),
        0,
        {},
        "index " + std::to_string(index) + " of an array of type " + std::string(text),
        {},
        to_string(engine::CallSite{file, static_cast<int>(line), 0})});
}

std::vector<std::string> WatchState::describe_by_value() const {
  std::vector<std::string> texts;
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Raw& found : by_value) {
    const WatchedAccess access = access_of(found.access, found.size_bytes);
    const WatchedAccess other = access_of(*found.other, found.other->size_bytes());
    const std::pair<std::string, std::string> pair = std::minmax(access.place, other.place);
    if (std::ranges::find(pairs, pair) != pairs.end()) continue;
    pairs.push_back(pair);
    texts.push_back(std::string(kByValue) + who(access) + ", and before it " + who(other) + ", of " + found.where +
                    ": a warp function in between has made both lanes meet, and orders no memory (CUDA C++ Programming "
                    "Guide, Warp Shuffle Functions); put __syncwarp() between the two");
  }
  return texts;
}

WatchFinding WatchState::describe(const Raw& found) const {
  WatchFinding result;
  result.kind = found.kind;
  result.where = found.where;
  result.access = access_of(found.access, found.size_bytes);
  if (!found.place.empty()) {
    result.access.what = "array index";
    result.access.place = found.place;
  }
  const std::string first = who(result.access);
  switch (found.kind) {
    case FindingKind::OutOfBounds:
      result.message = "out of bounds: " + first + (found.place.empty() ? " touches " : " has ") + found.where;
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
    case FindingKind::EqualStores:
    case FindingKind::Race:
      result.other = access_of(*found.other, found.other->size_bytes());
      result.message = (found.kind == FindingKind::Race ? "data race on " : "data race of equal stores on ") +
                       found.where + ": " + first + ", and before it, not ordered by anything, " + who(*result.other);
      break;
  }
  if (!found.detail.empty()) result.message += ": " + found.detail;
  return result;
}

}  // namespace negzero::watch
