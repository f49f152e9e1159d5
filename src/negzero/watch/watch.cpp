// Regions of a watch, and what happens at an access that is not the common one.

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <link.h>

#include <negzero/engine/allocations.hpp>
#include <negzero/watch/state.hpp>

namespace negzero::watch {

namespace {

constexpr std::uint8_t flags_of(Permission permission, bool initialised) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(permission) | (initialised ? Shadow::kInitialised : 0u));
}

/// Stamps that one cell keeps of accesses that nothing orders. The oldest make room: only a race with one of those, and
/// with none of the later ones, is missed.
constexpr std::size_t kMaxCrowd = 1024;

enum class Segment : std::uint8_t { None, ReadOnly, Writable };
struct Found {
  std::uintptr_t address;
  Segment segment = Segment::None;
  std::uintptr_t begin = 0;
  std::size_t size_bytes = 0;
};

/// The segment of the program or of a library that holds an address.
Found segment_of(std::uintptr_t address) {
  Found found{address};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        Found& result = *static_cast<Found*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
          if (header.p_type != PT_LOAD || result.address - begin >= header.p_memsz) continue;
          result.segment = (header.p_flags & PF_W) != 0 ? Segment::Writable : Segment::ReadOnly;
          result.begin = begin;
          result.size_bytes = header.p_memsz;
          return 1;
        }
        return 0;
      },
      &found);
  return found;
}

}  // namespace

Watch::Watch() : state_(std::make_unique<WatchState>()) {}
Watch::~Watch() = default;

void Watch::clear() {
  state_->used = 0;
  state_->nowhere.clear();
  state_->raw.reset();
  state_->equal_stores.reset();
  state_->by_value.clear();
  state_->warnings.clear();
  state_->warned.clear();
  state_->finding.reset();
}

std::size_t Watch::add(WatchedRegion region, Permission permission, bool initialised) {
  WatchState& state = *state_;
  if (state.used == state.regions.size()) state.regions.push_back(std::make_unique<WatchState::Region>());
  WatchState::Region& added = *state.regions[state.used];
  const unsigned shift = std::min<unsigned>(
      Shadow::kMaxShift,
      static_cast<unsigned>(std::countr_zero(region.element_bytes | std::size_t{1} << Shadow::kMaxShift)));
  added.shadow.reset(reinterpret_cast<std::uintptr_t>(region.begin), region.size_bytes, shift,
                     flags_of(permission, initialised),
                     (static_cast<unsigned>(permission) & static_cast<unsigned>(Permission::Write)) != 0);
  added.what = std::move(region);
  added.reason.clear();
  return state.used++;
}

void Watch::add_nowhere(WatchedRegion buffer, std::span<const std::byte> around) {
  state_->nowhere.push_back({std::move(buffer), reinterpret_cast<std::uintptr_t>(around.data()), around.size()});
}

void Watch::set(std::size_t region, std::size_t first, std::size_t count, Permission permission, bool initialised) {
  if (count == 0) return;
  Shadow& shadow = state_->regions[region]->shadow;
  if (!shadow.tracked && (static_cast<unsigned>(permission) & static_cast<unsigned>(Permission::Write)) != 0) {
    shadow.tracked = true;
    shadow.cells.resize(std::max(shadow.cells.size(), shadow.flags.size()));
  }
  shadow.refine(static_cast<unsigned>(std::countr_zero(first | count | std::size_t{1} << Shadow::kMaxShift)),
                state_->crowds, state_->launch_start());
  shadow.set(first, count, flags_of(permission, initialised));
}

void Watch::set_reason(std::size_t region, std::string reason) { state_->regions[region]->reason = std::move(reason); }

engine::Observer& Watch::observer() noexcept { return *state_; }

void WatchState::mark(Shadow& shadow, std::uintptr_t address, std::size_t size_bytes, std::uint8_t set,
                      std::uint8_t clear) {
  if (address - shadow.begin >= shadow.size_bytes) return;
  const std::size_t first = address - shadow.begin, end = std::min(first + size_bytes, shadow.size_bytes);
  shadow.refine(static_cast<unsigned>(std::countr_zero(first | end | std::size_t{1} << Shadow::kMaxShift)), crowds,
                launch_start_);
  for (std::size_t cell = first >> shadow.shift; cell < end >> shadow.shift; ++cell) {
    shadow.flags[cell] = static_cast<std::uint8_t>((shadow.flags[cell] & ~clear) | set);
  }
}

bool WatchState::may_copy(const void* to, const void* from, std::size_t size_bytes) {
  for (const auto& [address, does] : {std::pair{from, "reads"}, {to, "writes"}}) {
    for (std::size_t i = 0; i < used; ++i) {
      const Region& region = *regions[i];
      const std::size_t offset = reinterpret_cast<std::uintptr_t>(address) - region.shadow.begin;
      if (offset >= region.shadow.size_bytes || size_bytes <= region.shadow.size_bytes - offset) continue;
      WatchFinding& found = finding.emplace();
      found.where = "byte " + std::to_string(region.shadow.size_bytes) + " of memory of " + region.what.name +
                    ", which has as many";
      found.message = std::string("out of bounds: a ") + (from == nullptr ? "fill" : "copy") + " of " +
                      std::to_string(size_bytes) + " bytes by host code " + does + " " + found.where;
      return false;
    }
  }
  return true;
}

void WatchState::host_wrote(const void* to, std::size_t size_bytes) {
  for (std::size_t i = 0; i < used; ++i) {
    mark(regions[i]->shadow, reinterpret_cast<std::uintptr_t>(to), size_bytes, Shadow::kInitialised, 0);
  }
}

void WatchState::copy_began(std::uintptr_t address, std::size_t size_bytes) {
  const Paused paused;
  const auto begin = [&](Shadow& shadow) {
    mark(shadow, address, size_bytes, Shadow::kAwaited, Shadow::kInitialised | Shadow::kWrite);
  };
  begin(block_->shared);
  for (std::size_t i = 0; i < used; ++i) begin(regions[i]->shadow);
}

void WatchState::copy_lands(std::uintptr_t address, std::size_t size_bytes) {
  const Paused paused;
  const auto land = [&](Shadow& shadow) { mark(shadow, address, size_bytes, Shadow::kWrite, Shadow::kAwaited); };
  land(block_->shared);
  for (std::size_t i = 0; i < used; ++i) land(regions[i]->shadow);
}

const std::optional<WatchFinding>& WatchState::described() {
  if (!finding && raw) finding = describe(*raw);
  return finding;
}

std::string WatchState::reason() { return described()->message; }

const std::optional<WatchFinding>& Watch::finding() { return state_->described(); }

std::optional<WatchFinding> Watch::equal_stores() const {
  return state_->equal_stores ? std::optional(state_->describe(*state_->equal_stores)) : std::nullopt;
}

std::vector<std::string> Watch::by_value() const { return state_->describe_by_value(); }

const std::vector<std::string>& Watch::warnings() const noexcept { return state_->warnings; }

bool Watch::saw_variables() const noexcept {
  return std::any_of(state_->regions.begin(), state_->regions.begin() + static_cast<std::ptrdiff_t>(state_->used),
                     [](const auto& region) { return region->what.name == kProgramVariables; });
}

void WatchState::launch_began(const engine::Grid& grid, const engine::Schedule& schedule) {
  // Times go on rising, so that stamps of earlier launches are recognised as such and never have to be cleared.
  constexpr std::uint32_t kLatest = 1u << 31;
  if (latest_ > kLatest) {
    latest_ = 1;
    for (const auto& region : regions) std::ranges::fill(region->shadow.cells, Cell{});
    for (const auto& block : blocks_) *block = {};
  }
  launch_start_ = ++latest_;
  crowds.clear();
  messages_.clear();
  fences_used_ = false;
  store_.waits = false;
  countdown_ = schedule.preempt ? 1 : ~std::uint64_t{0};
  grid_blocks_ = grid.blocks;
  block_threads_ = grid.threads;
  arguments_ = reinterpret_cast<std::uintptr_t>(grid.arguments);
  arguments_bytes_ = grid.arguments_bytes;
  spans_.clear();
  buffers_.clear();
  for (std::size_t i = 0; i < used; ++i) {
    Shadow& shadow = regions[i]->shadow;
    shadow.since = launch_start_;
    spans_.push_back({shadow.begin, shadow.size_bytes, &shadow});
    if (regions[i]->what.name != kProgramVariables) buffers_.push_back(spans_.back());
  }
  on_duty = this;
}

void WatchState::launch_ended() noexcept { listening = on_duty = nullptr; }

void WatchState::block_began(std::size_t slot, std::uint64_t linear, unsigned threads, const engine::SharedTable& table,
                             std::size_t dynamic_bytes) {
  while (blocks_.size() <= slot) blocks_.push_back(std::make_unique<BlockWatch>());
  BlockWatch& block = *blocks_[slot];
  const std::uint32_t now = std::max(launch_start_, block.clocks.top() + 1);
  block.clocks.begin(static_cast<std::uint32_t>(linear), threads, now);
  block.unconfirmed.clear();
  block.overhangs.clear();
  block.unconfirmed_count = 0;
  block.shared.since = now;
  Shadow& shared = block.shared;
  if (shared.size_bytes != table.size_bytes) {
    shared.cells = {};
    shared.reset(table.begin, table.size_bytes, Shadow::kMaxShift, 0, true);
  } else {
    // Another arena of the same layout is as good: what was known about the last one is older than this block.
    shared.begin = table.begin;
    for (const BlockWatch::Array& array : block.arrays) shared.set(array.first, array.size_bytes, 0);
  }
  block.arrays.clear();
  if (dynamic_bytes > 0) add_array(block, table.dynamic, dynamic_bytes);
}

void WatchState::add_array(BlockWatch& block, const std::byte* address, std::size_t size_bytes) {
  const std::size_t first = reinterpret_cast<std::uintptr_t>(address) - block.shared.begin;
  block.shared.refine(static_cast<unsigned>(std::countr_zero(first | size_bytes | std::size_t{1} << Shadow::kMaxShift)),
                      crowds, launch_start_);
  block.shared.set(first, size_bytes, flags_of(Permission::ReadWrite, false));
  block.arrays.push_back({first, size_bytes});
}

Shadow* WatchState::other_memory(std::uintptr_t address, std::size_t size_bytes, AccessKind kind, const void* site) {
  if (address - arguments_ < arguments_bytes_ && !writes(kind)) return nullptr;
  const engine::Stack& stack = engine::current.engine->running_stack();
  if (address - reinterpret_cast<std::uintptr_t>(stack.bottom) < stack.size_bytes) return nullptr;
  const Paused paused;
  Found found = segment_of(address);
  if (found.segment == Segment::ReadOnly && !writes(kind)) return nullptr;
  const engine::Allocation allocated = engine::allocation_of(address);
  if (allocated.size_bytes > 0) found = {address, Segment::Writable, allocated.begin, allocated.size_bytes};
  if (found.segment != Segment::Writable) out_of_bounds(address, size_bytes, kind, site);
  // A variable of a kernel file at namespace scope, __device__ and __constant__ memory, or what cudaMalloc gave. Both
  // may have been written before.
  if (used == regions.size()) regions.push_back(std::make_unique<Region>());
  Region& added = *regions[used++];
  added.shadow.reset(found.begin, found.size_bytes, Shadow::kMaxShift, flags_of(Permission::ReadWrite, true), true);
  const char* const name = allocated.size_bytes > 0 ? "memory of the launcher" : kProgramVariables;
  added.what = {reinterpret_cast<const void*>(found.begin), found.size_bytes, 0, name, {}};
  added.reason.clear();
  added.shadow.since = launch_start_;
  spans_.push_back({added.shadow.begin, added.shadow.size_bytes, &added.shadow});
  return &added.shadow;
}

void WatchState::track_crowd(Cell& cell, const Stamp& self, unsigned thread, std::uintptr_t address,
                             std::size_t size_bytes) {
  const Paused paused;
  const AccessKind kind = self.kind();
  if (cell.other.site != Cell::kCrowd) {
    const Stamp first = cell.other;
    const std::uint32_t index = crowds.take();
    Crowd& crowd = crowds[index];
    cell.other = {index, first.time, Cell::kCrowd};
    if (Crowd::are_alike(first, self)) {
      // Both are reads and come after the same barrier: they do not conflict.
      crowd.begin_alike(first, block_->clocks.threads());
      static_cast<void>(crowd.add_if_alike(self));
      return;
    }
    crowd.begin_list(first);
  }
  Crowd& crowd = crowds[cell.other.actor];
  const bool simple = crowd.reads_only && !crowd.mixed && crowd.block == self.actor >> 10;
  if (simple && cell.other.time < block_->clocks.floor() && is_plain(kind)) {
    // All of them come before a barrier.
    crowds.give(cell.other.actor);
    if (kind == AccessKind::Write) {
      cell.write = self;
      cell.other.time = 0;
    } else {
      cell.other = self;
    }
    return;
  }
  if (crowd.atomics_only && !is_plain(kind)) {
    crowd.add_atomic(self, kMaxCrowd);
    crowd.mixed = crowd.mixed || crowd.block != self.actor >> 10;
    cell.other.time = std::max(cell.other.time, self.time);
    return;
  }
  crowd.expand();
  std::vector<Stamp>& stamps = crowd.list;
  // Readers of one kind and block only join; everything else is held against each.
  const bool joins = simple && kind == AccessKind::Read;
  if (!joins || crowd.is_full()) {
    const std::size_t observed = crowd.observed_by(self);
    std::size_t kept = 0;
    bool again = false;
    for (std::size_t i = 0; i < stamps.size(); ++i) {
      if (i == observed) continue;
      const Stamp stamp = stamps[i];
      const bool before = ordered(stamp, launch_start_, thread, self.actor);
      if (!before && conflict(stamp.kind(), kind)) unordered(cell, address, size_bytes, self, stamp);
      if (kind == AccessKind::AtomicCompare && confirms<AccessKind::AtomicCompare>(self, stamp)) continue;
      again = again || (stamp.actor == self.actor && stamp.time == self.time && stamp.site == self.site);
      // A write ends what was before it, but for what it is not ordered behind.
      const bool stays = kind == AccessKind::Write ? !before && block_->clocks.has_met(thread, stamp.actor, stamp.time)
                                                   : !before || !covers(kind, stamp.kind());
      if (stays) stamps[kept++] = stamp;
    }
    stamps.resize(kept);
    // A loop that reads and never compares, such as one that waits for a flag, ends here and not with the thread.
    if (again && kind == AccessKind::Read && block_->waits(thread, address)) settle(thread, 0, 0);
  }
  if (kind == AccessKind::Write) {
    cell.write = self;
    if (!stamps.empty()) return crowd.examine();
    crowds.give(cell.other.actor);
    cell.other.time = 0;
    return;
  }
  if (!stamps.empty() && stamps.back().actor == self.actor && stamps.back().kind() == kind) stamps.pop_back();
  if (stamps.size() >= kMaxCrowd) stamps.erase(stamps.begin());
  stamps.push_back(self);
  crowd.mixed = crowd.mixed || crowd.block != self.actor >> 10;
  crowd.reads_only = crowd.reads_only && kind == AccessKind::Read;
  if (!joins) crowd.examine();
  cell.other.time = std::max(cell.other.time, self.time);
}

void WatchState::synchronise(AccessKind kind, std::uintptr_t address, unsigned thread) {
  const Paused paused;
  BlockClocks& clocks = block_->clocks;
  if (kind != AccessKind::AtomicStore) messages_.receive(address, clocks, thread);
  if (writes(kind)) messages_.send(address, clocks, thread, kind == AccessKind::AtomicStore);
}

void WatchState::fence(engine::FenceScope scope) {
  const Paused paused;
  close_reads();
  fences_used_ = true;
  block_->clocks.fence(engine::current.linear_thread, scope);
}

void WatchState::preempt() {
  const Paused paused;
  if (store_.waits) {
    settle_store();
    if (--countdown_ != 0) return;
  }
  countdown_ = engine::current.engine->preempt();
}

void WatchState::refuse(const Shadow& shadow, std::size_t cell, std::uintptr_t address, std::size_t size_bytes,
                        AccessKind kind, const void* site) {
  listening = nullptr;
  const Stamp self = stamp(engine::current.linear_thread, size_bytes, kind, site);
  const std::uint8_t flags = shadow.flags[cell];
  std::string reason;
  for (std::size_t i = 0; i < used; ++i) {
    if (&regions[i]->shadow == &shadow) reason = regions[i]->reason;
  }
  const std::uintptr_t exact = std::max(address, shadow.begin + (cell << shadow.shift));
  const bool is_shared = &shadow == &block_->shared;
  if (writes(kind) && (flags & Shadow::kAwaited) != 0) {
    stop({FindingKind::Race, exact, self, static_cast<unsigned>(size_bytes), shadow.cells[cell].write, where(exact, 1),
          "that one is a copy which its thread has not waited for, and which may land now or later"});
  }
  if (writes(kind) && (flags & Shadow::kWrite) == 0) {
    const bool input = (flags & Shadow::kRead) != 0;
    stop({FindingKind::OutOfBounds,
          exact,
          self,
          static_cast<unsigned>(size_bytes),
          {},
          where(exact, size_bytes),
          input ? "nobody may write it" : reason});
  }
  if ((flags & Shadow::kRead) == 0) {
    stop({is_shared ? FindingKind::OutOfBounds : FindingKind::Forbidden,
          exact,
          self,
          static_cast<unsigned>(size_bytes),
          {},
          where(exact, size_bytes),
          reason});
  }
  stop({FindingKind::Uninitialised,
        exact,
        self,
        static_cast<unsigned>(size_bytes),
        {},
        where(exact, size_bytes),
        is_shared ? "no thread of this block has written it" : "nobody has written it"});
}

void WatchState::out_of_bounds(std::uintptr_t address, std::size_t size_bytes, AccessKind kind, const void* site) {
  listening = nullptr;
  const Stamp self = stamp(engine::current.linear_thread, size_bytes, kind, site);
  stop(
      {FindingKind::OutOfBounds, address, self, static_cast<unsigned>(size_bytes), {}, where(address, size_bytes), {}});
}

void WatchState::race(std::uintptr_t address, std::size_t size_bytes, const Stamp& self, const Stamp& other) {
  listening = nullptr;
  const std::uintptr_t exact = shared_byte(address, size_bytes, other);
  stop({FindingKind::Race, exact, self, static_cast<unsigned>(size_bytes), other, where(exact, 1), {}});
}

void WatchState::misaligned(std::uintptr_t address, AccessKind kind, std::size_t size_bytes, const void* site,
                            std::string detail) {
  listening = nullptr;
  stop({FindingKind::Misaligned,
        address,
        stamp(engine::current.linear_thread, size_bytes, kind, site),
        static_cast<unsigned>(size_bytes),
        {},
        where(address, size_bytes),
        std::move(detail)});
}

void WatchState::stop(Raw found) {
  raw = std::move(found);
  // Nothing on this stack is unwound.
  { const Raw gone = std::move(found); }
  engine::current.engine->end_launch();
}

}  // namespace negzero::watch
