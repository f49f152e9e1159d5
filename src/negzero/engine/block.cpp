// Waits of the threads of one block: what happens when one begins or is over.

#include <bit>

#include <negzero/engine/block.hpp>
#include <negzero/engine/warp.hpp>

namespace negzero::engine {

namespace {

/// Whether coalesced_threads() divides the lanes that come together: under one schedule in eight.
constexpr bool divides_active(const Schedule& schedule) {
  constexpr std::uint64_t kSalt = 0x636f616c65736365;
  return base::is_one_in(8, schedule.seed, 0, kSalt);
}
static_assert(!divides_active(Schedule{}));

constexpr std::uint64_t in_every_byte(std::uint8_t byte) { return 0x0101010101010101u * byte; }

}  // namespace

void Block::prepare(Coordinates extents, Notes& notes) {
  notes_ = &notes;
  if (extents == extents_ && live_ == 0) return;
  extents_ = extents;
  live_ = 0;
  threads_.assign(std::size_t{extents.x} * extents.y * extents.z, Thread{});
  waiting_.assign(threads_.size(), Waiting{});
  Coordinates index;
  for (std::uint32_t id = 0; id < threads_.size(); ++id) {
    threads_[id].id = static_cast<std::uint16_t>(id);
    threads_[id].index = index;
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
  divides_active_ = divides_active(settings.schedule);
  random_ = base::Random(settings.schedule.seed).split(linear);
  live_ = threads();
  ready_.fill(live_);
  alive_ = ready_;
  at_barrier_.clear();
  turns_.begin(order_ == Order::Backward ? static_cast<int>(live_) : -1);
  at_warp_operation_.fill(0);
  arrived_ = predicates_ = waiting_lanes_ = 0;
  if (active_.is_used) active_ = {};
  active_lanes_ = 0;
  ++barriers_;
  sites_differ_ = any_suspended_ = false;
  last_turn_ = Turn::Works;
  restart_order(0, live_);
  late_copies_.clear();
  shared_.begin_block(dynamic_bytes, settings.poison);
}

void Block::release_barrier() {
  if (sites_differ_) return;
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
    notes_->exited_at_barrier(first_arrival_->wait_site, threads() - live_);
  }
  if (observer_ != nullptr) observer_->barrier_completed(number_);
  ready_.take_all(at_barrier_);
  arrived_ = predicates_ = 0;
  ++barriers_;
  restart_order(0, threads());
}

bool Block::arrive(Thread& thread, WarpRequest& request, CallSite site) {
  const unsigned warp = thread.id / kWarpSize;
  const unsigned bit = thread.id % kWarpSize;
  if ((request.mask >> bit & 1) == 0) {
    // Undefined in PTX. The lane goes on alone, without a value.
    notes_->lane_without_value(site, request.kind, request.mask, bit, -1);
    request.value = in_every_byte(poison_);
    return false;
  }
  thread.request = &request;
  thread.wait_site = site;
  ready_.remove(thread.id);
  if (gathers_active(request.kind)) {
    arrive_among_active(thread, request);
    return true;
  }
  at_warp_operation_[warp] |= 1u << bit;
  ++waiting_lanes_;
  complete_warp_group(warp, request);
  if (active_lanes_ > 0) [[unlikely]]
    complete_active(warp);
  return true;
}

void Block::complete_warp(unsigned warp) {
  std::uint32_t rest = at_warp_operation_[warp];
  while (rest != 0) {
    const auto bit = static_cast<unsigned>(std::countr_zero(rest));
    rest &= rest - 1;
    complete_warp_group(warp, *threads_[warp * kWarpSize + bit].request);
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
    WarpRequest* other = threads_[warp * kWarpSize + bit].request;
    if (other->kind != request.kind || other->mask != request.mask) return;
    if (request.kind == WarpKind::Gather && other->operand != request.operand) return;
    requests[bit] = other;
    ++members;
  }
  for (std::uint32_t rest = resolve(requests, group, poison_); rest != 0; rest &= rest - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(rest));
    const Thread& thread = threads_[warp * kWarpSize + bit];
    notes_->lane_without_value(
        thread.wait_site, request.kind, request.mask, bit,
        static_cast<int>(shuffle_source(request.kind, bit, requests[bit]->operand, requests[bit]->segment)));
  }
  if (request.kind == WarpKind::Sync) {
    note_synchronised(warp, group);
  } else {
    synchronised_[warp].lanes &= ~group;
  }
  // Shuffles, votes, matches and reductions order no memory (CUDA C++ Programming Guide, warp vote, match, reduce and
  // shuffle functions: "do not imply a memory barrier"); __syncwarp does, among the threads that take part.
  if (observer_ != nullptr && request.kind == WarpKind::Sync) observer_->warp_synchronised(number_, warp, group);
  if (observer_ != nullptr && is_exchange(request.kind)) observer_->warp_exchanged(number_, warp, group);
  at_warp_operation_[warp] &= ~group;
  waiting_lanes_ -= members;
  ready_.insert_warp(warp, group);
  restart_order(warp * kWarpSize, kWarpSize);
}

}  // namespace negzero::engine
