// The shadow of one region: layout and permissions.

#include <algorithm>
#include <bit>

#include <negzero/simt/shadow.hpp>

namespace negzero::simt {

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

}  // namespace negzero::simt
