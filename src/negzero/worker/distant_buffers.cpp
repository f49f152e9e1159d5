// Buffers of a plan whose elements lie far apart, at their distances in this process while a launch works on them.

#include <cstring>

#include <negzero/operation/limits.hpp>
#include <negzero/protocol/guarded_buffer.hpp>
#include <negzero/worker/distant_buffers.hpp>

namespace negzero::worker {

static_assert(engine::DistantMemory::kMost >= notation::kMostTensors);

bool DistantBuffers::lay_out(const protocol::LaunchPlan& plan, const std::byte* image) {
  memory_.close();
  islands_.clear();
  bases_.clear();
  plan_ = &plan;
  if (!protocol::is_distant(plan)) return true;
  bases_.resize(plan.buffers.size());
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    const protocol::PlannedBuffer& buffer = plan.buffers[b];
    if (!protocol::is_distant(buffer) || protocol::owner_of(plan, b) != b) continue;
    bases_[b] = memory_.base(b);
    if (bases_[b] == nullptr) return false;
    for (const protocol::Piece& piece : protocol::pieces_of(buffer)) {
      const std::size_t at = piece.at - protocol::kGuardBytes, size = protocol::guarded_bytes(piece.size_bytes);
      std::byte* const begin = bases_[b] + piece.begin - protocol::kGuardBytes;
      const std::span<std::byte> pages = memory_.open(begin, size);
      if (pages.empty()) return false;
      // Pages that are larger than an island's unit hold poison beside it, as its guard zones do.
      std::uint64_t pattern = 0;
      std::memcpy(&pattern, image + at, sizeof pattern);
      if (pages.size() > size) protocol::fill_pattern(pages, pattern);
      std::memcpy(begin, image + at, size);
      islands_.push_back({b, pages, {begin, size}, at});
    }
  }
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) bases_[b] = bases_[protocol::owner_of(plan, b)];
  return true;
}

void DistantBuffers::add_to(engine::DeviceMemory& device) const {
  for (const Island& island : islands_) device.add_pages(island.pages);
  for (std::size_t b = 0; b < bases_.size(); ++b) {
    const protocol::PlannedBuffer& buffer = plan_->buffers[b];
    if (bases_[b] == nullptr || buffer.use == protocol::BufferUse::InOutput) continue;
    device.add_buffer(buffer.name, {bases_[b], buffer.size_bytes()});
  }
}

void DistantBuffers::take_back(std::byte* image) {
  for (const Island& island : islands_) std::memcpy(image + island.at, island.guarded.data(), island.guarded.size());
  islands_.clear();
  memory_.close();
  memory_.show(nullptr);
}

std::span<const std::byte> DistantBuffers::around(const std::byte* base) const noexcept {
  return {base - memory_.before_bytes(), memory_.size_bytes()};
}

}  // namespace negzero::worker
