// Buffers of a plan whose elements lie far apart, at their distances on the GPU while a launch works on them.

#include <algorithm>

#include <negzero/protocol/guarded_buffer.hpp>
#include <negzero/worker/distant_device.hpp>

namespace negzero::worker {

using device::Answer;

namespace {

/// Enqueues copies that repeat a guard zone over memory whose size is a multiple of its own.
Answer repeat(std::byte* d_to, std::size_t size_bytes, const std::byte* d_guard, device::Stream& stream) {
  Answer answer = stream.copy_on_device(d_to, d_guard, protocol::kGuardBytes);
  for (std::size_t done = protocol::kGuardBytes; done < size_bytes && answer.ok();) {
    const std::size_t more = std::min(done, size_bytes - done);
    answer = stream.copy_on_device(d_to + done, d_to, more);
    done += more;
  }
  return answer;
}

}  // namespace

Answer DistantDevice::lay_out(const protocol::LaunchPlan& plan, const std::byte* d_image, device::Stream& stream) {
  for (device::Addresses& addresses : reserved_) addresses.unmap();
  islands_.clear();
  bases_.clear();
  if (!protocol::is_distant(plan)) return {};
  bases_.resize(plan.buffers.size());
  while (reserved_.size() < plan.buffers.size()) reserved_.emplace_back();
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    if (!protocol::is_distant(plan.buffers[b]) || protocol::owner_of(plan, b) != b) continue;
    Answer answer = reserved_[b].reserve(protocol::kReservedBytes);
    if (!answer.ok()) return answer;
    bases_[b] = reserved_[b].data() + protocol::kReservedBefore;
    answer = lay_out(plan.buffers[b], reserved_[b], d_image, stream);
    if (!answer.ok()) return answer;
  }
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) bases_[b] = bases_[protocol::owner_of(plan, b)];
  return {};
}

Answer DistantDevice::lay_out(const protocol::PlannedBuffer& buffer, device::Addresses& addresses,
                              const std::byte* d_image, device::Stream& stream) {
  const std::vector<protocol::Piece> pieces = protocol::pieces_of(buffer);
  const std::size_t page = addresses.page_bytes();
  std::size_t mapped = 0;  // All below is mapped, where it is anything's.
  for (const protocol::Piece& piece : pieces) {
    const std::size_t begin = protocol::kReservedBefore + piece.begin - protocol::kGuardBytes;
    const std::size_t first = std::max(begin / page * page, mapped);
    const std::size_t end = (begin + protocol::guarded_bytes(piece.size_bytes) + page - 1) / page * page;
    mapped = end;
    if (first >= end) continue;
    Answer answer = addresses.map(first, end);
    if (answer.ok()) {
      answer = repeat(addresses.data() + first, end - first, d_image + piece.at - protocol::kGuardBytes, stream);
    }
    if (!answer.ok()) return answer;
  }
  for (const protocol::Piece& piece : pieces) {
    std::byte* const d_guarded = addresses.data() + protocol::kReservedBefore + piece.begin - protocol::kGuardBytes;
    islands_.push_back({d_guarded, protocol::guarded_bytes(piece.size_bytes), piece.at - protocol::kGuardBytes});
    const Answer answer = stream.copy_on_device(d_guarded, d_image + islands_.back().at, islands_.back().size_bytes);
    if (!answer.ok()) return answer;
  }
  return {};
}

Answer DistantDevice::take_back(std::byte* d_image, device::Stream& stream) {
  for (const Island& island : islands_) {
    const Answer answer = stream.copy_on_device(d_image + island.at, island.d_guarded, island.size_bytes);
    if (!answer.ok()) return answer;
  }
  return {};
}

}  // namespace negzero::worker
