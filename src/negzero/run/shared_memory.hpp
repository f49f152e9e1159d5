// The memory that a worker and its parent share: where both find the image, and the worker shows how it gets on.

#pragma once

#include <cstddef>

#include <negzero/protocol/progress.hpp>
#include <negzero/protocol/worker_wire.hpp>

namespace negzero::run {

/// Memory that a worker maps too. The worker cannot make it smaller under its parent's hands.
class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Makes room for an image of that many bytes; what was there may be lost. Throws std::bad_alloc.
  void reserve(std::size_t image_bytes);
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] std::byte* image() const;
  [[nodiscard]] protocol::Progress& progress() const { return *reinterpret_cast<protocol::Progress*>(start_); }

 private:
  int descriptor_ = -1;
  std::byte* start_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace negzero::run
