// Workspace of launches on a GPU: guarded and poisoned there, its guard zones brought back and compared.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <negzero/device/arena.hpp>
#include <negzero/kernel/args.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/protocol/guarded_buffer.hpp>

namespace negzero::worker {

/// Poison on the GPU, which allocations are filled from.
class DevicePoison {
 public:
  /// Poison kept of each kind: a larger allocation takes several copies.
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  /// Enqueues the copies that put it there; once, before it is used.
  [[nodiscard]] device::Answer prepare(device::Stream& stream);
  [[nodiscard]] const std::byte* of(operation::Poison poison) const {
    return patterns_.data() + (poison == operation::Poison::Nan ? 0 : kBytes);
  }

 private:
  device::DeviceBuffer patterns_;
  device::PinnedBuffer upload_;
};

/// Allocations of the cases of a batch that are launched on one stream.
class DeviceWorkspace final : public kernel::Workspace {
 public:
  DeviceWorkspace(device::Stream& stream, const DevicePoison& poison);

  /// Forgets the allocations of the batch before. Requires that its launches have finished.
  void begin_batch();
  /// What is allocated from now on belongs to that case of the batch.
  void begin_case(std::size_t number, operation::Poison poison);
  /// Room between guard zones, poisoned by copies that are enqueued before the launches that use it. Throws
  /// std::bad_alloc when the GPU has no such memory; exhausted() says whether the kernel caused that.
  void* allocate(std::size_t size_bytes) override;

  /// Whether the allocation that failed would have fitted into the GPU's memory, were there nothing else in it.
  [[nodiscard]] bool exhausted() const { return exhausted_; }
  /// Whether it asked for more than the GPU has in all.
  [[nodiscard]] bool asked_too_much() const { return asked_too_much_; }

  /// Enqueues the copies that bring the guard zones back, on a stream that has waited for the launches since the last
  /// time. What is allocated from now on lies where their allocations did.
  [[nodiscard]] device::Answer fetch(device::Stream& stream);
  /// A stray write around an allocation.
  struct Damage {
    std::size_t number;   ///< of the allocation within its case
    std::ptrdiff_t byte;  ///< from its start
    std::size_t size_bytes;
  };
  /// The first one of a case. Requires that the copies of fetch() have finished, and that there was one.
  [[nodiscard]] std::optional<Damage> damage(std::size_t case_number) const;

 private:
  struct Allocation {
    std::size_t case_number, number, size_bytes;
    std::byte* d_data;
    std::size_t block;  ///< of the arena
    std::uint64_t pattern;
    const std::byte *h_front = nullptr, *h_back = nullptr;  ///< its guard zones, where they come back to
  };
  [[nodiscard]] static std::optional<Damage> damage_of(const Allocation& each);
  void poison(std::byte* d_begin, std::size_t size_bytes, operation::Poison poison);

  device::Stream& stream_;
  const DevicePoison& patterns_;
  device::Arena<true> rooms_;
  device::Arena<false> guards_;  ///< where guard zones come back to
  std::size_t gpu_bytes_ = 0;
  bool exhausted_ = false, asked_too_much_ = false;  ///< in this case
  std::vector<Allocation> allocations_;
  std::size_t fetched_ = 0;  ///< of them, from the first
  std::size_t case_number_ = 0, next_number_ = 0;
  operation::Poison poison_ = operation::Poison::Nan;
};

}  // namespace negzero::worker
