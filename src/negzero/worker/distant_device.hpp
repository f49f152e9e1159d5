// Buffers of a plan whose elements lie far apart, at their distances on the GPU while a launch works on them.

#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include <negzero/device/addresses.hpp>
#include <negzero/device/stream.hpp>
#include <negzero/protocol/islands.hpp>

namespace negzero::worker {

/// One plan at a time. The image is on the GPU already, and what comes back goes into it there.
class DistantDevice {
 public:
  /// Maps memory where the islands of a plan's distant buffers lie, poisons it as their guard zones are, and enqueues
  /// the copies of islands and guard zones from the image at `d_image`. What was laid out before is gone: requires that
  /// nothing enqueued uses it. device::kNotSupported where the GPU cannot do that.
  [[nodiscard]] device::Answer lay_out(const protocol::LaunchPlan& plan, const std::byte* d_image,
                                       device::Stream& stream);
  /// Enqueues the copies back. The memory stays until it is laid out anew.
  [[nodiscard]] device::Answer take_back(std::byte* d_image, device::Stream& stream);
  /// Where address 0 of each buffer lies; null of one that lies in the image. Empty: of all.
  [[nodiscard]] std::span<std::byte* const> bases() const noexcept { return bases_; }

 private:
  struct Island {
    std::byte* d_guarded;
    std::size_t size_bytes, at;  ///< with guard zones; in the image
  };
  [[nodiscard]] device::Answer lay_out(const protocol::PlannedBuffer& buffer, device::Addresses& addresses,
                                       const std::byte* d_image, device::Stream& stream);

  std::deque<device::Addresses> reserved_;  ///< by the place of a buffer in its plan
  std::vector<std::byte*> bases_;
  std::vector<Island> islands_;
};

}  // namespace negzero::worker
