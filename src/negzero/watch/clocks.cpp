// Happens-before on the device: clocks of threads, and what fences and atomics pass on.

#include <algorithm>
#include <bit>
#include <utility>

#include <negzero/watch/clocks.hpp>

namespace negzero::watch {

namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

bool reaches(const Pairs& pairs, std::uint32_t key, std::uint32_t value) noexcept {
  const auto found = std::lower_bound(pairs.begin(), pairs.end(), key,
                                      [](const auto& pair, std::uint32_t k) { return pair.first < k; });
  return found != pairs.end() && found->first == key && found->second >= value;
}

/// Steps through the blocks of a Knowledge along with threads in ascending order.
class CoveredThreads {
 public:
  explicit CoveredThreads(const Pairs& blocks) noexcept : at_(blocks.begin()), end_(blocks.end()) {}
  /// Whether all that `thread.first` did up to `thread.second` is known of its block.
  bool contains(const Pairs::value_type& thread) noexcept {
    while (at_ != end_ && at_->first < thread.first >> 10) ++at_;
    return at_ != end_ && at_->first == thread.first >> 10 && thread.second < at_->second;
  }

 private:
  Pairs::const_iterator at_, end_;
};

Pairs merge(const Pairs& a, const Pairs& b) {
  Pairs result;
  result.reserve(a.size() + b.size());
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      result.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      result.push_back(*j++);
    } else {
      result.emplace_back(i->first, std::max(i->second, j->second));
      ++i;
      ++j;
    }
  }
  return result;
}

/// Joins many by halves, so that a barrier of 1024 threads that have all fenced costs n log n.
KnowledgePtr join_all(std::vector<KnowledgePtr> all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  while (all.size() > 1) {
    std::vector<KnowledgePtr> half;
    for (std::size_t i = 0; i < all.size(); i += 2) {
      half.push_back(i + 1 < all.size() ? join(all[i], all[i + 1]) : all[i]);
    }
    all = std::move(half);
  }
  return all.empty() ? nullptr : all.front();
}

constexpr KnowledgePtr Far::*kParts[] = {&Far::known, &Far::fenced_block, &Far::fenced_device, &Far::pending_block,
                                         &Far::pending_device};

/// Makes what each of these threads knows what all of them know.
void share(std::vector<Far*>& threads) {
  for (const auto part : kParts) {
    std::vector<KnowledgePtr> all;
    const Knowledge* last = nullptr;
    for (const Far* far : threads) {
      const KnowledgePtr& one = far->*part;
      if (one.get() != std::exchange(last, one.get()) && one != nullptr) all.push_back(one);
    }
    if (all.empty()) continue;
    const KnowledgePtr joined = join_all(std::move(all));
    for (Far* far : threads) {
      if (far->*part == joined) continue;
      far->*part = joined;
      far->sent_block = far->sent_device = nullptr;
    }
  }
}

}  // namespace

bool Knowledge::covers(Actor actor, std::uint32_t time) const noexcept {
  return reaches(blocks, actor >> 10, time + 1) || reaches(threads, actor, time);
}

bool Knowledge::includes(const Knowledge& other) const noexcept {
  auto block = blocks.begin();
  for (const auto& [key, value] : other.blocks) {
    while (block != blocks.end() && block->first < key) ++block;
    if (block == blocks.end() || block->first != key || block->second < value) return false;
  }
  CoveredThreads covered(blocks);
  auto thread = threads.begin();
  for (const auto& one : other.threads) {
    while (thread != threads.end() && thread->first < one.first) ++thread;
    const bool is_known = thread != threads.end() && thread->first == one.first && thread->second >= one.second;
    if (!is_known && !covered.contains(one)) return false;
  }
  return true;
}

KnowledgePtr join(const KnowledgePtr& a, const KnowledgePtr& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  if (a->includes(*b)) return a;
  if (b->includes(*a)) return b;
  auto result = std::make_shared<Knowledge>();
  result->blocks = merge(a->blocks, b->blocks);
  result->threads = merge(a->threads, b->threads);
  CoveredThreads covered(result->blocks);
  std::erase_if(result->threads, [&covered](const auto& thread) { return covered.contains(thread); });
  return result;
}

void BlockClocks::begin(std::uint32_t block, unsigned threads, std::uint32_t now) {
  block_ = block;
  floor_ = top_ = now;
  own_.assign(threads, 0);
  lanes_used_ = far_used_ = false;
}

void BlockClocks::use_lanes() {
  if (lanes_used_) return;
  lanes_used_ = true;
  lanes_.assign((own_.size() + 31) / 32 * 32, {});
}

Far& BlockClocks::far(unsigned thread) {
  if (!far_used_) {
    far_used_ = true;
    far_.clear();
    far_.resize(own_.size());
  }
  return far_[thread];
}

void BlockClocks::barrier() {
  floor_ = ++top_;
  if (!far_used_) return;
  std::vector<Far*> all;
  for (Far& one : far_) all.push_back(&one);
  share(all);
}

void BlockClocks::sync_warp(unsigned warp, std::uint32_t group) {
  use_lanes();
  std::array<std::uint32_t, 32> joined{};
  const unsigned first = warp * 32;
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const unsigned thread = first + static_cast<unsigned>(std::countr_zero(rest));
    const auto& known = lanes_[thread];
    for (unsigned j = 0; j < 32; ++j) joined[j] = std::max(joined[j], known[j]);
  }
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    joined[lane] = time(first + lane);
  }
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const unsigned thread = first + static_cast<unsigned>(std::countr_zero(rest));
    lanes_[thread] = joined;
    own_[thread] = time(thread) + 1;
    top_ = std::max(top_, own_[thread]);
  }
  if (!far_used_) return;
  std::vector<Far*> members;
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    members.push_back(&far_[first + static_cast<unsigned>(std::countr_zero(rest))]);
  }
  share(members);
}

void BlockClocks::Meeting::keep(Met& of_lanes) const noexcept {
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    auto& met = of_lanes[static_cast<unsigned>(std::countr_zero(rest))];
    for (std::uint32_t others = lanes; others != 0; others &= others - 1) {
      const unsigned other = static_cast<unsigned>(std::countr_zero(others));
      met[other] = times[other];
    }
  }
}

void BlockClocks::meet(unsigned warp, std::uint32_t group) {
  if (met_.size() <= warp) met_.resize((own_.size() + 31) / 32);
  WarpMet& met = met_[warp];
  if (met.last.lanes != group) {
    met.last.keep(met.before);
    met.last.lanes = group;
  }
  for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned thread = warp * 32 + lane;
    met.last.times[lane] = time(thread);
    own_[thread] = met.last.times[lane] + 1;
    top_ = std::max(top_, own_[thread]);
  }
}

void BlockClocks::fence(unsigned thread, engine::FenceScope scope) {
  Far& own = far(thread);
  own.known = join(own.known, own.pending_block);
  if (scope == engine::FenceScope::Device) own.known = join(own.known, own.pending_device);

  auto now = std::make_shared<Knowledge>();
  now->blocks.emplace_back(block_, floor_);
  const unsigned first = thread / 32 * 32;
  for (unsigned other = first; other < std::min<unsigned>(first + 32, static_cast<unsigned>(own_.size())); ++other) {
    const std::uint32_t until = other == thread ? time(thread) : lanes_used_ ? lanes_[thread][other % 32] : 0;
    if (until >= floor_) now->threads.emplace_back(actor(other), until);
  }
  const KnowledgePtr all = join(own.known, now);
  own.fenced_block = join(own.fenced_block, all);
  if (scope == engine::FenceScope::Device) own.fenced_device = join(own.fenced_device, all);
  own.sent_block = own.sent_device = nullptr;
  own_[thread] = time(thread) + 1;
  top_ = std::max(top_, own_[thread]);
}

void Messages::send(std::uintptr_t address, BlockClocks& clocks, unsigned thread, bool replaces) {
  if (!clocks.uses_far()) {
    if (replaces) cells_.erase(address);
    return;
  }
  Far& far = clocks.far(thread);
  Cell& cell = cells_[address];
  if (replaces) cell = {};
  const auto pass_on = [](const KnowledgePtr& fenced, KnowledgePtr& held, KnowledgePtr& sent) {
    if (fenced == nullptr || (sent != nullptr && sent == held)) return;
    sent = held = join(held, fenced);
  };
  pass_on(far.fenced_device, cell.device, far.sent_device);
  if (far.fenced_block == nullptr) return;
  auto own = std::ranges::find(cell.blocks, clocks.block(), [](const auto& pair) { return pair.first; });
  if (own == cell.blocks.end()) own = cell.blocks.insert(own, {clocks.block(), nullptr});
  pass_on(far.fenced_block, own->second, far.sent_block);
}

void Messages::receive(std::uintptr_t address, BlockClocks& clocks, unsigned thread) {
  const auto found = cells_.find(address);
  if (found == cells_.end()) return;
  Far& far = clocks.far(thread);
  const auto take = [](const KnowledgePtr& held, KnowledgePtr& pending, KnowledgePtr& received) {
    if (held == received) return;
    pending = join(pending, held);
    received = held;
  };
  take(found->second.device, far.pending_device, far.received_device);
  for (const auto& [block, knowledge] : found->second.blocks) {
    if (block == clocks.block()) take(knowledge, far.pending_block, far.received_block);
  }
}

}  // namespace negzero::watch
