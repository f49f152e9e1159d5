// A GPU that is host memory: copies happen at once, kernels are functions of the host, errors come on demand.

#include "fake_device.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include <negzero/device/addresses.hpp>
#include <negzero/device/probe_here.hpp>
#include <negzero/device/stream.hpp>

namespace negzero::fake_gpu {

namespace {

std::atomic<int> error{0};
std::atomic<bool> stalled{false};
std::atomic<std::uint64_t> upload_count{0}, memory_bytes{std::uint64_t{1} << 30};

std::vector<Step> steps;
std::atomic<std::uint64_t> pinned_count{0};
std::atomic<bool> can_map{true};
std::atomic<std::uint64_t> pages_mapped{0};
constexpr std::size_t kPage = std::size_t{1} << 21;

}  // namespace

std::vector<Step> take_steps() { return std::exchange(steps, {}); }
void tell_launch(const void* stream) { steps.push_back({Step::Kind::Launch, stream}); }
void let_map(bool can) { can_map = can; }
std::uint64_t mapped_pages() { return pages_mapped; }
std::uint64_t pinned() { return pinned_count; }
void fail_with(int code) { error = code; }
void stall(bool forever) { stalled = forever; }
std::uint64_t uploads() { return upload_count; }
void set_memory(std::uint64_t bytes) { memory_bytes = bytes; }
void reset() {
  error = 0;
  stalled = false;
  memory_bytes = std::uint64_t{1} << 30;
  can_map = true;
}

}  // namespace negzero::fake_gpu

namespace negzero::device {

namespace {

using namespace fake_gpu;

/// What a call answers: a sticky error for ever, another one once.
Answer now() {
  const int code = error;
  if (code != 0 && !is_sticky(code)) error = 0;
  return {code};
}

}  // namespace

const bool kHasCuda = true;
Probe probe_here() { return {.has_cuda = true}; }
std::string describe(int code) { return "CUDA error " + std::to_string(code) + " (fake)"; }
base::Status use_gpu(int) { return base::Ok{}; }
Answer select_gpu(int) noexcept { return is_sticky(error) ? now() : Answer{}; }
std::size_t gpu_memory_bytes() noexcept { return memory_bytes; }
base::Error error_of(Answer answer, const char* what) {
  return base::infrastructure_error(std::string(what) + ": " + describe(answer.code));
}

template <bool kOnDevice>
Answer Buffer<kOnDevice>::reserve(std::size_t size_bytes) {
  if (size_bytes <= size_) return {};
  release();
  if (size_bytes > memory_bytes) return {kOutOfMemory};
  data_ = static_cast<std::byte*>(std::aligned_alloc(512, (size_bytes + 511) / 512 * 512));
  // What a GPU's memory holds is nobody's business: a kernel that finds it has read what was not given to it.
  std::memset(data_, 0x55, size_bytes);
  size_ = size_bytes;
  return {};
}
template <bool kOnDevice>
void Buffer<kOnDevice>::release() noexcept {
  std::free(data_);
  data_ = nullptr;
  size_ = 0;
}
template class Buffer<true>;
template class Buffer<false>;

Pinned::Pinned(std::span<std::byte> h_memory) : data_(h_memory.data()) { ++pinned_count; }
Pinned::~Pinned() { pinned_count -= data_ != nullptr ? 1 : 0; }

Addresses::~Addresses() {
  unmap();
  if (begin_ != 0) ::munmap(data(), size_bytes_);
}
Answer Addresses::reserve(std::size_t size_bytes) {
  if (!can_map) return {kNotSupported};
  if (begin_ != 0) return {};
  void* const made = ::mmap(nullptr, size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) return {kOutOfMemory};
  begin_ = reinterpret_cast<std::uintptr_t>(made);
  size_bytes_ = size_bytes;
  page_bytes_ = kPage;
  return {};
}
Answer Addresses::map(std::size_t begin, std::size_t end) {
  if (begin % kPage != 0 || end % kPage != 0 || begin >= end || end > size_bytes_) return {1};
  for (const Mapped& each : mapped_) {
    if (begin < each.begin + each.size_bytes && each.begin < end) return {1};
  }
  ::mprotect(data() + begin, end - begin, PROT_READ | PROT_WRITE);
  std::memset(data() + begin, 0x55, end - begin);
  mapped_.push_back({begin, end - begin, 0});
  pages_mapped += (end - begin) / kPage;
  return {};
}
void Addresses::unmap() noexcept {
  for (const Mapped& each : mapped_) {
    ::madvise(data() + each.begin, each.size_bytes, MADV_DONTNEED);
    ::mprotect(data() + each.begin, each.size_bytes, PROT_NONE);
    pages_mapped -= each.size_bytes / kPage;
  }
  mapped_.clear();
}

base::Result<Stream> Stream::make() {
  static std::atomic<std::uintptr_t> made{0};
  Stream stream;
  stream.stream_ = reinterpret_cast<void*>(++made);
  return stream;
}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

Answer Stream::copy_to_device(std::byte* d_to, const std::byte* h_from, std::size_t size_bytes) {
  ++upload_count;
  steps.push_back({Step::Kind::Upload, stream_});
  std::memcpy(d_to, h_from, size_bytes);
  return {};
}
Answer Stream::copy_to_host(std::byte* h_to, const std::byte* d_from, std::size_t size_bytes) {
  steps.push_back({Step::Kind::Download, stream_});
  std::memcpy(h_to, d_from, size_bytes);
  return {};
}
Answer Stream::copy_on_device(std::byte* d_to, const std::byte* d_from, std::size_t size_bytes) {
  std::memcpy(d_to, d_from, size_bytes);
  return {};
}
Answer Stream::wait_for(Stream& other) {
  steps.push_back({Step::Kind::Wait, stream_, other.stream_});
  return {};
}
Answer Stream::mark_end() {
  steps.push_back({Step::Kind::End, stream_});
  return {};
}
Answer Stream::is_done(bool& done) {
  done = !stalled;
  return done ? now() : Answer{};
}

}  // namespace negzero::device
