// Waits of the threads of one block: what happens when one begins or is over.

#include <bit>

#include <negzero/simt/block.hpp>
#include <negzero/simt/warp.hpp>
#include <negzero/simt/watch_state.hpp>

namespace negzero::simt {

namespace {

constexpr std::uint64_t in_every_byte(std::uint8_t byte) { return 0x0101010101010101u * byte; }

}  // namespace

void Block::prepare(Coordinates extents, Notes& notes) {
  notes_ = &notes;
  if (extents == extents_ && live_ == 0) return;
  extents_ = extents;
  live_ = 0;
  lanes_.assign(std::size_t{extents.x} * extents.y * extents.z, Lane{});
  waiting_.assign(lanes_.size(), Waiting{});
  Coordinates index;
  for (std::uint32_t id = 0; id < lanes_.size(); ++id) {
    lanes_[id].id = static_cast<std::uint16_t>(id);
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
  ++era_;
  order_ = settings.schedule.order;
  poison_ = settings.poison;
  random_ = base::Random(settings.schedule.seed).split(linear);
  live_ = threads();
  ready_.fill(live_);
  alive_ = ready_;
  at_barrier_.clear();
  turns_.begin(order_ == Order::Backward ? static_cast<int>(live_) : -1);
  at_warp_operation_.fill(0);
  arrived_ = predicates_ = waiting_lanes_ = 0;
  places_differ_ = any_suspended_ = false;
  last_turn_ = Turn::Works;
  restart_order(0, live_);
  shared_.begin_block(dynamic_bytes, settings.poison);
}

void Block::release_barrier() {
  if (places_differ_) return;
  switch (first_arrival_->barrier) {
    case BarrierKind::Sync:
      barrier_value_ = 0;
      break;
    case BarrierKind::Count:
      barrier_value_ = static_cast<int>(predicates_);
      break;
    // An exited thread has no predicate and decides neither.
    case BarrierKind::And:
      barrier_value_ = predicates_ == arrived_ ? 1 : 0;
      break;
    case BarrierKind::Or:
      barrier_value_ = predicates_ > 0 ? 1 : 0;
      break;
  }
  if (live_ < threads()) {
    notes_->exited_at_barrier(first_arrival_->wait_place, threads() - live_);
  }
  if (watch_ != nullptr) watch_->clocks.barrier();
  ready_.take_all(at_barrier_);
  arrived_ = predicates_ = 0;
  restart_order(0, threads());
}

bool Block::arrive(Lane& lane, WarpRequest& request, Place place) {
  const unsigned warp = lane.id / kWarpSize;
  const unsigned bit = lane.id % kWarpSize;
  if ((request.mask >> bit & 1) == 0) {
    // Undefined in PTX. The lane goes on alone, without a value.
    notes_->lane_without_value(place, request.kind, request.mask, bit, -1);
    request.value = in_every_byte(poison_);
    return false;
  }
  lane.request = &request;
  lane.wait_place = place;
  ready_.remove(lane.id);
  at_warp_operation_[warp] |= 1u << bit;
  ++waiting_lanes_;
  complete_warp_group(warp, request);
  return true;
}

void Block::complete_warp(unsigned warp) {
  std::uint32_t rest = at_warp_operation_[warp];
  while (rest != 0) {
    const auto bit = static_cast<unsigned>(std::countr_zero(rest));
    rest &= rest - 1;
    complete_warp_group(warp, *lanes_[warp * kWarpSize + bit].request);
    rest &= at_warp_operation_[warp];
  }
}

void Block::complete_warp_group(unsigned warp, const WarpRequest& request) {
  const std::uint32_t group = request.mask & alive_.warp(warp);
  if ((at_warp_operation_[warp] & group) != group) return;
  std::array<WarpRequest*, kWarpSize> requests{};
  unsigned members = 0;
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(rest));
    WarpRequest* other = lanes_[warp * kWarpSize + bit].request;
    if (other->kind != request.kind || other->mask != request.mask) return;
    requests[bit] = other;
    ++members;
  }
  for (std::uint32_t rest = resolve(requests, group, poison_); rest != 0; rest &= rest - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(rest));
    const Lane& lane = lanes_[warp * kWarpSize + bit];
    notes_->lane_without_value(
        lane.wait_place, request.kind, request.mask, bit,
        static_cast<int>(shuffle_source(request.kind, bit, requests[bit]->operand, requests[bit]->segment)));
  }
  // Shuffles, votes, matches and reductions order no memory (CUDA C++ Programming Guide, warp vote, match, reduce and
  // shuffle functions: "do not imply a memory barrier"); __syncwarp does, among the threads that take part.
  if (watch_ != nullptr && request.kind == WarpKind::Sync) watch_->clocks.sync_warp(warp, group);
  at_warp_operation_[warp] &= ~group;
  waiting_lanes_ -= members;
  ready_.insert_warp(warp, group);
  restart_order(warp * kWarpSize, kWarpSize);
}

}  // namespace negzero::simt
