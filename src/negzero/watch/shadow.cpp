// The shadow of one region: layout and permissions.

#include <algorithm>
#include <bit>
#include <numeric>

#include <negzero/watch/shadow.hpp>

namespace negzero::watch {

namespace {
constexpr std::size_t kNone = ~std::size_t{0};
constexpr std::size_t kLeastLimit = 64;
}  // namespace

void Shadow::reset(std::uintptr_t begin_, std::size_t size_bytes_, unsigned shift_, std::uint8_t flags_,
                   bool tracked_) {
  begin = begin_;
  size_bytes = size_bytes_;
  shift = shift_;
  tracked = tracked_;
  while (shift > 0 && (size_bytes >> shift << shift) != size_bytes) --shift;
  flags.assign(size_bytes >> shift, flags_);
  if (tracked && cells.size() < flags.size()) cells.resize(flags.size());
}

void Shadow::refine(unsigned finer, Crowds& crowds, std::uint32_t now) {
  if (finer >= shift) return;
  const unsigned parts = 1u << (shift - finer);
  std::vector<std::uint8_t> new_flags(flags.size() * parts);
  for (std::size_t i = 0; i < new_flags.size(); ++i) new_flags[i] = flags[i / parts];
  if (tracked) {
    std::vector<Cell> new_cells(new_flags.size());
    for (std::size_t i = 0; i < new_cells.size(); ++i) {
      new_cells[i] = cells[i / parts];
      Stamp& other = new_cells[i].other;
      if (other.site != Cell::kCrowd || other.time < now || i % parts == 0) continue;
      const std::uint32_t copy = crowds.take();
      crowds[copy] = crowds[other.actor];
      other.actor = copy;
    }
    cells = std::move(new_cells);
  }
  flags = std::move(new_flags);
  shift = finer;
}

void Shadow::set(std::size_t first, std::size_t count, std::uint8_t flags_) {
  std::fill_n(flags.begin() + static_cast<std::ptrdiff_t>(first >> shift), count >> shift, flags_);
}

void Crowd::examine() noexcept {
  atomics_only = std::ranges::none_of(list, [](const Stamp& stamp) { return is_plain(stamp.kind()); });
  last_write_ = list.size();
  while (last_write_ > 0 && !writes(list[last_write_ - 1].kind())) --last_write_;
  last_write_ = last_write_ > 0 ? last_write_ - 1 : kNone;
  limit_ = std::max(kLeastLimit, 2 * list.size());
}

void Crowd::add_atomic(const Stamp& stamp, std::size_t most) {
  if (stamp.kind() >= AccessKind::AtomicUpdate) {
    const std::size_t observed = observed_by(stamp);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool own_load = list[i].actor == stamp.actor && list[i].kind() == AccessKind::AtomicRead;
      if (i != observed && !own_load) list[kept++] = list[i];
    }
    list.resize(kept);
  }
  if (writes(stamp.kind())) last_write_ = list.size();
  list.push_back(stamp);
  if (list.size() >= limit_) forget_covered(most);
}

void Crowd::forget_covered(std::size_t most) {
  // By thread; the list is in program order for each.
  std::vector<std::uint32_t> order(list.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [this](std::uint32_t i) { return list[i].actor; });
  std::vector<bool> goes(list.size());
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const Stamp& a = list[order[i]];
    const Stamp& b = list[order[i + 1]];
    goes[order[i]] = a.actor == b.actor && covers(b.kind(), a.kind());
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!goes[i]) list[kept++] = list[i];
  }
  list.resize(kept);
  if (kept > most) list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(most));
  examine();
}

void Crowds::clear() {
  free_.clear();
  // Small numbers come first, so that a small launch stays within few lines of cache.
  for (auto i = static_cast<std::uint32_t>(all_.size()); i-- > 0;) free_.push_back(i);
}

std::uint32_t Crowds::take() {
  if (free_.empty()) {
    all_.emplace_back();
    return static_cast<std::uint32_t>(all_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

}  // namespace negzero::watch
