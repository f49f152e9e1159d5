// Waits of the threads of one block, and their completion.

#include <cstring>

#include <negzero/simt/block.hpp>
#include <negzero/simt/warp.hpp>

namespace negzero::simt {

namespace {

bool same(Place a, Place b) { return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0); }

}  // namespace

int ThreadSet::at_or_after(unsigned from) const noexcept {
  unsigned w = from / 64;
  if (w >= words_.size()) return -1;
  std::uint64_t word = words_[w] & (~std::uint64_t{0} << (from % 64));
  while (word == 0) {
    if (++w == words_.size()) return -1;
    word = words_[w];
  }
  return static_cast<int>(w * 64) + std::countr_zero(word);
}

int ThreadSet::at_or_before(int from) const noexcept {
  if (from < 0) return -1;
  int w = from / 64;
  std::uint64_t word = words_[static_cast<unsigned>(w)] & (~std::uint64_t{0} >> (63 - from % 64));
  while (word == 0) {
    if (--w < 0) return -1;
    word = words_[static_cast<unsigned>(w)];
  }
  return w * 64 + 63 - std::countl_zero(word);
}

int ThreadSet::select(unsigned rank) const noexcept {
  unsigned w = 0;
  for (;; ++w) {
    const auto count = static_cast<unsigned>(std::popcount(words_[w]));
    if (rank < count) break;
    rank -= count;
  }
  std::uint64_t word = words_[w];
  for (; rank > 0; --rank) word &= word - 1;
  return static_cast<int>(w * 64) + std::countr_zero(word);
}

void Block::prepare(Coordinates extents, Notes& notes) {
  notes_ = &notes;
  if (extents == extents_ && live_ == 0) return;
  extents_ = extents;
  lanes_.assign(std::size_t{extents.x} * extents.y * extents.z, Lane{});
  Coordinates index;
  for (std::uint32_t id = 0; id < lanes_.size(); ++id) {
    lanes_[id].id = id;
    lanes_[id].index = index;
    if (++index.x == extents.x) {
      index.x = 0;
      if (++index.y == extents.y) {
        index.y = 0;
        ++index.z;
      }
    }
  }
}

void Block::begin(Coordinates index, std::uint64_t linear, const Settings& settings, std::size_t dynamic_bytes) {
  index_ = index;
  linear_ = linear;
  order_ = settings.schedule.order;
  poison_ = settings.poison;
  random_ = base::Random(settings.schedule.seed).split(linear);
  live_ = threads();
  ready_.fill(live_);
  alive_ = ready_;
  at_barrier_.clear();
  at_warp_operation_.fill(0);
  arrived_ = predicates_ = waiting_lanes_ = 0;
  places_differ_ = false;
  restart_order(0, live_);
  shared_.begin_block(dynamic_bytes, settings.poison);
}

void Block::restart_order(unsigned first, unsigned count) noexcept {
  cursor_ = order_ == Order::Backward ? static_cast<int>(first + count) : static_cast<int>(first) - 1;
}

Lane* Block::choose() noexcept {
  int id = -1;
  switch (order_) {
    case Order::Forward:
      id = ready_.at_or_after(static_cast<unsigned>(cursor_ + 1));
      if (id < 0) id = ready_.at_or_after(0);
      break;
    case Order::Backward:
      id = ready_.at_or_before(cursor_ - 1);
      if (id < 0) id = ready_.at_or_before(static_cast<int>(threads()) - 1);
      break;
    case Order::Random: {
      const unsigned size = ready_.size();
      if (size > 0) id = ready_.select(static_cast<unsigned>(random_.below(size)));
      break;
    }
  }
  return id < 0 ? nullptr : &lanes_[static_cast<unsigned>(id)];
}

bool Block::starts_round(const Lane& self, const Lane& next) noexcept {
  switch (order_) {
    case Order::Forward:
      return next.id <= self.id;
    case Order::Backward:
      return next.id >= self.id;
    case Order::Random:
      break;
  }
  return random_.one_in(ready_.size());
}

void Block::arrive(Lane& lane, BarrierKind kind, bool predicate, Place place) {
  lane.request = nullptr;
  lane.barrier = kind;
  lane.place = place;
  ready_.remove(lane.id);
  at_barrier_.insert(lane.id);
  if (arrived_++ == 0) {
    first_arrival_ = &lane;
  } else if (first_arrival_->barrier != kind || !same(first_arrival_->place, place)) {
    places_differ_ = true;
  }
  predicates_ += predicate ? 1 : 0;
  release_barrier_if_complete();
}

void Block::release_barrier_if_complete() {
  if (arrived_ == 0 || arrived_ != live_ || places_differ_) return;
  switch (first_arrival_->barrier) {
    case BarrierKind::Sync:
      barrier_value_ = 0;
      break;
    case BarrierKind::Count:
      barrier_value_ = static_cast<int>(predicates_);
      break;
    // An exited thread has no predicate, so it decides neither: PTX bar.red counts the threads that execute it.
    case BarrierKind::And:
      barrier_value_ = predicates_ == arrived_ ? 1 : 0;
      break;
    case BarrierKind::Or:
      barrier_value_ = predicates_ > 0 ? 1 : 0;
      break;
  }
  if (live_ < threads()) notes_->exited_at_barrier(first_arrival_->place, threads() - live_);
  ready_.take_all(at_barrier_);
  arrived_ = predicates_ = 0;
  restart_order(0, threads());
}

void Block::arrive(Lane& lane, WarpRequest& request, Place place) {
  const unsigned warp = lane.id / kWarpSize;
  const unsigned bit = lane.id % kWarpSize;
  lane.request = &request;
  lane.place = place;
  if ((request.mask >> bit & 1) == 0) {
    // Undefined in PTX. The lane goes on alone, without a value.
    notes_->lane_without_value(place, request.kind, request.mask, bit, -1);
    request.value = 0x0101010101010101u * poison_;
    lane.request = nullptr;
    return;
  }
  ready_.remove(lane.id);
  at_warp_operation_[warp] |= 1u << bit;
  ++waiting_lanes_;
  complete_warp_group(warp, request);
}

void Block::complete_warp_group(unsigned warp, const WarpRequest& request) {
  const std::uint32_t group = request.mask & alive_.warp(warp);
  if ((at_warp_operation_[warp] & group) != group) return;
  std::array<WarpRequest*, 32> requests{};
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(rest));
    WarpRequest* other = lanes_[warp * kWarpSize + bit].request;
    if (other->kind != request.kind || other->mask != request.mask) return;
    requests[bit] = other;
  }
  const Place place = lanes_[warp * kWarpSize + static_cast<unsigned>(std::countr_zero(group))].place;
  const WarpKind kind = request.kind;
  const std::uint32_t mask = request.mask;
  for (std::uint32_t rest = resolve(requests, group, poison_); rest != 0; rest &= rest - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(rest));
    const WarpRequest& own = *requests[bit];
    notes_->lane_without_value(place, kind, mask, bit,
                               static_cast<int>(shuffle_source(kind, bit, own.operand, own.segment)));
  }
  at_warp_operation_[warp] &= ~group;
  waiting_lanes_ -= static_cast<unsigned>(std::popcount(group));
  ready_.insert_warp(warp, group);
  restart_order(warp * kWarpSize, kWarpSize);
}

void Block::retire(Lane& lane) {
  ready_.remove(lane.id);
  alive_.remove(lane.id);
  lane.context = nullptr;
  lane.spent = 0;
  --live_;
  release_barrier_if_complete();
  if (waiting_lanes_ == 0) return;
  const unsigned warp = lane.id / kWarpSize;
  std::uint32_t rest = at_warp_operation_[warp];
  while (rest != 0) {
    const auto bit = static_cast<unsigned>(std::countr_zero(rest));
    rest &= rest - 1;
    complete_warp_group(warp, *lanes_[warp * kWarpSize + bit].request);
    rest &= at_warp_operation_[warp];
  }
}

}  // namespace negzero::simt
