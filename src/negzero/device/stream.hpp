// Streams and memory of one GPU, owned.
//
// Everything here is used from one thread at a time, after use_gpu() in that thread. Where the build has no CUDA, the
// makers answer Unavailable and nothing else can be reached.

#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <negzero/base/result.hpp>
#include <negzero/device/error.hpp>

namespace negzero::device {

/// Makes a GPU the current one of this thread, and CUDA's context on it when it is the first use. Errors are
/// infrastructure errors that name the GPU.
[[nodiscard]] base::Status use_gpu(int number);

/// The same without a message, for a thread that comes back to a GPU.
[[nodiscard]] Answer select_gpu(int number) noexcept;

/// Bytes of memory of the current GPU, used or not; 0 where it does not say.
[[nodiscard]] std::size_t gpu_memory_bytes() noexcept;

/// An error as one of ours: "GPU memory: CUDA error 2 (out of memory)" with `what` in front.
[[nodiscard]] base::Error error_of(Answer answer, const char* what);

/// Memory of one GPU, or of the host where GPUs can copy from it at full speed. Grows, never shrinks, loses what it
/// held when it grows. 512-byte aligned.
template <bool kOnDevice>
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { release(); }
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Makes room for at least `size_bytes`. After an error there is no room at all.
  [[nodiscard]] Answer reserve(std::size_t size_bytes);
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_; }

 private:
  void release() noexcept;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};
using DeviceBuffer = Buffer<true>;
using PinnedBuffer = Buffer<false>;

/// Marks host memory that is there already as memory that GPUs copy from and to at full speed, as long as this lives.
/// Where the system does not let it, copies work all the same, more slowly.
class Pinned {
 public:
  Pinned() = default;
  explicit Pinned(std::span<std::byte> h_memory);
  ~Pinned();
  Pinned(Pinned&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  Pinned& operator=(Pinned&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }

 private:
  std::byte* data_ = nullptr;  ///< null: nothing is marked
};

/// A stream of the current GPU, and the event that says whether it is done.
class Stream {
 public:
  [[nodiscard]] static base::Result<Stream> make();
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;

  [[nodiscard]] void* handle() const noexcept { return stream_; }  ///< the cudaStream_t

  // All of these only enqueue. The host memory of a copy must stay until it is done.
  [[nodiscard]] Answer copy_to_device(std::byte* d_to, const std::byte* h_from, std::size_t size_bytes);
  [[nodiscard]] Answer copy_to_host(std::byte* h_to, const std::byte* d_from, std::size_t size_bytes);
  [[nodiscard]] Answer copy_on_device(std::byte* d_to, const std::byte* d_from, std::size_t size_bytes);

  /// What is enqueued here from now on begins after all that is enqueued on `other` now.
  [[nodiscard]] Answer wait_for(Stream& other);

  /// Marks the end of what is enqueued now; is_done() then says whether it has been reached. An error is one of what
  /// ran before, or the runtime's.
  [[nodiscard]] Answer mark_end();
  [[nodiscard]] Answer is_done(bool& done);

 private:
  Stream() = default;
  void* stream_ = nullptr;
  [[maybe_unused]] void* event_ = nullptr;
};

}  // namespace negzero::device
