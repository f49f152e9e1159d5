// Operations that gather the lanes of a warp which come together: __activemask() and coalesced_threads().
//
// A GPU gives the lanes that are converged, of which CUDA promises nothing but that the calling lane is one of them
// (CUDA C++ Programming Guide, Warp Vote Functions). Here a lane waits until no other lane of its warp can come: each
// has exited, waits at a barrier or at another warp operation, or asks memory in vain for what a waiting lane may owe
// it. So what a kernel gets is what it gets on a GPU where lanes converge again as soon as they can, and the same from
// run to run, whatever the order of threads.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <negzero/base/random.hpp>
#include <negzero/engine/block.hpp>
#include <negzero/engine/engine.hpp>

namespace negzero::engine {

namespace {

/// What the lanes of a warp may spend while others of it wait for them, before these go on alone: a lane that asks
/// for what one of those has yet to do may change memory with every question, and then never seems to wait.
constexpr std::uint32_t kPatience = 1u << 14;
/// They are waited for a quarter as long each time, so often.
constexpr std::uint32_t kMostExpired = 5;

bool is_same(const Thread& a, const Thread& b) {
  return a.request->value == b.request->value && a.request->kind == b.request->kind;
}

/// Whether the call of `a` comes before that of `b` in one file of source.
bool is_before(const Thread& a, const Thread& b) {
  const CallSite &x = a.wait_site, &y = b.wait_site;
  if (x.file != y.file && std::strcmp(x.file, y.file) != 0) return false;
  return x.line != y.line ? x.line < y.line : x.column < y.column;
}

}  // namespace

void Block::arrive_among_active(Thread& thread, WarpRequest& request) {
  const unsigned number = thread.id / kWarpSize, bit = thread.id % kWarpSize;
  Active::Warp& warp = active_.warps[number];
  request.operand = are_synchronised(number, 1u << bit) ? synchronised_[number].together[bit] : 0;
  synchronised_[number].lanes &= ~(1u << bit);
  if (warp.at == 0) warp.spent = warp.spins = 0;
  warp.at |= 1u << bit;
  active_.is_used = true;
  ++active_lanes_;
  complete_active(number);
}

/// Lets lanes of the warp go on where no other lane of it can run.
void Block::complete_active(unsigned warp) {
  if (active_.warps[warp].at != 0 && ready_.warp(warp) == 0) release_active(warp);
}

void Block::note_events(const Thread& thread, std::uint64_t events, bool waits, std::uint64_t changes) {
  const unsigned number = thread.id / kWarpSize;
  if (active_.changes != changes) {
    for (Active::Warp& each : active_.warps) each.spins = 0;
    active_.changes = changes;
  }
  Active::Warp& warp = active_.warps[number];
  if (warp.at == 0) return;
  const std::uint32_t lane = 1u << thread.id % kWarpSize;
  warp.spins = waits ? warp.spins | lane : warp.spins & ~lane;
  warp.spent += static_cast<std::uint32_t>(events);
  const bool is_over = warp.spent > kPatience >> 2 * std::min(warp.expired, kMostExpired);
  if (is_over) ++warp.expired;
  if (is_over || (ready_.warp(number) & ~warp.spins) == 0) release_active(number);
}

/// Lets the lanes at one place go on. Where lanes wait at several, those of the call that comes first in its file: what
/// comes later may be where their ways meet, as behind a branch or a loop.
void Block::release_active(unsigned number) {
  Active::Warp& warp = active_.warps[number];
  Thread* const lanes = &threads_[std::size_t{number} * kWarpSize];
  const Thread* chosen = nullptr;
  for (std::uint32_t rest = warp.at; rest != 0; rest &= rest - 1) {
    const Thread& thread = lanes[std::countr_zero(rest)];
    if (chosen == nullptr || is_before(thread, *chosen)) chosen = &thread;
  }
  std::uint32_t group = 0, together = ~0u;
  for (std::uint32_t rest = warp.at; rest != 0; rest &= rest - 1) {
    const Thread& thread = lanes[std::countr_zero(rest)];
    if (!is_same(thread, *chosen)) continue;
    group |= rest & (~rest + 1);
    together &= thread.request->operand;
  }
  const WarpKind kind = chosen->request->kind;
  if (!std::has_single_bit(group) && (group & ~together) != 0) notes_->relies_on_convergence(chosen->wait_site, kind);
  std::uint32_t part = group;
  if (kind == WarpKind::Coalesced && divides_active_) part &= static_cast<std::uint32_t>(random_.next() >> 32);
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = rest & (~rest + 1);
    lanes[std::countr_zero(rest)].request->value = (part & lane) != 0 ? part : group & ~part;
    --active_lanes_;
  }
  warp.at &= ~group;
  warp.spent = 0;
  ready_.insert_warp(number, group);
  restart_order(number * kWarpSize, kWarpSize);
}

bool Block::are_synchronised(unsigned warp, std::uint32_t lanes) const noexcept {
  return synchronised_[warp].barriers == barriers_ && (lanes & ~synchronised_[warp].lanes) == 0;
}

void Block::note_synchronised(unsigned warp, std::uint32_t lanes) noexcept {
  Synchronised& known = synchronised_[warp];
  if (known.barriers != barriers_) known.lanes = 0;
  known.barriers = barriers_;
  known.lanes |= lanes;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) known.together[std::countr_zero(rest)] = lanes;
}

void gather_active(WarpRequest& request, CallSite site) {
  request.value = place_of_gathering(request.value, __builtin_return_address(0), __builtin_frame_address(0));
  exchange(request, site);
}

std::uint64_t place_of_gathering(std::uint64_t outer, const void* from, const void* frame) noexcept {
  // Threads run on stacks of their own: how deep a call is nested is what their frames have in common.
  const auto depth =
      static_cast<std::uint64_t>(current.engine->running_stack().top() - static_cast<const std::byte*>(frame));
  return base::mix64(outer ^ base::mix64(reinterpret_cast<std::uintptr_t>(from) ^ base::mix64(depth)));
}

}  // namespace negzero::engine
