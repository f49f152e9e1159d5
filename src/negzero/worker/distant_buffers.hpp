// Buffers of a plan whose elements lie far apart, at their distances in this process while a launch works on them.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <negzero/engine/device_memory.hpp>
#include <negzero/engine/distant_memory.hpp>
#include <negzero/protocol/islands.hpp>

namespace negzero::worker {

class DistantBuffers {
 public:
  /// Lays out the distant buffers of a plan as the image has their islands, each with its guard zones. What was laid
  /// out before is gone. False where the system has no room of addresses, or no mappings left.
  [[nodiscard]] bool lay_out(const protocol::LaunchPlan& plan, const std::byte* image);
  /// Adds their pages and names to what is closed to host code.
  void add_to(engine::DeviceMemory& device) const;
  /// Copies islands and guard zones back to the image, and gives their memory back.
  void take_back(std::byte* image);

  /// Where address 0 of each buffer of the plan lies; null of one that lies in the image. Empty: of all.
  [[nodiscard]] std::span<std::byte* const> bases() const noexcept { return bases_; }
  /// The addresses that are reserved around that base.
  [[nodiscard]] std::span<const std::byte> around(const std::byte* base) const noexcept;
  /// Where accesses to what is no memory are noted; the reservation of a fault is the number of its buffer.
  void show(engine::DistantFault* fault) noexcept { memory_.show(fault); }

 private:
  struct Island {
    std::size_t buffer;
    std::span<std::byte> pages, guarded;
    std::size_t at;  ///< of `guarded` in the image
  };
  engine::DistantMemory memory_{protocol::kReservedBytes, protocol::kReservedBefore};
  const protocol::LaunchPlan* plan_ = nullptr;
  std::vector<std::byte*> bases_;
  std::vector<Island> islands_;
};

}  // namespace negzero::worker
