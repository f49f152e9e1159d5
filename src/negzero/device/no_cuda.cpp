// The device module of a build without CUDA: no kernel of this program runs on a GPU, and it says how to get one that
// does. Those of other programs, in Python, may.

#include <cstdlib>

#include <negzero/device/addresses.hpp>
#include <negzero/device/driver.hpp>
#include <negzero/device/probe_here.hpp>
#include <negzero/device/stream.hpp>

namespace negzero::device {

namespace {

constexpr const char* kWhyNot = "this program was built without CUDA";
constexpr const char* kCure =
    "negzero.sh builds with CUDA where nvcc is and `nvidia-smi -L` lists a GPU; else build with -DNEGZERO_CUDA=ON";

base::Error unavailable() { return {base::ErrorKind::Unavailable, std::string(kWhyNot) + "; " + kCure}; }

}  // namespace

const bool kHasCuda = false;

Probe probe_here() {
  Probe probe{.has_cuda = false};
  if (!ask_driver(probe)) {
    probe.why_not = kWhyNot;
    probe.cure = kCure;
  }
  return probe;
}

std::string describe(int code) { return "CUDA error " + std::to_string(code); }

base::Status use_gpu(int) { return unavailable(); }
Answer select_gpu(int) noexcept { return {kNoDevice}; }
std::size_t gpu_memory_bytes() noexcept { return 0; }
base::Error error_of(Answer answer, const char* what) {
  return base::infrastructure_error(std::string(what) + ": " + describe(answer.code));
}
base::Result<Stream> Stream::make() { return unavailable(); }

// No object of the classes below can be made here; they exist so that their users link.
template <bool kOnDevice>
Answer Buffer<kOnDevice>::reserve(std::size_t) {
  return {kOutOfMemory};
}
template <bool kOnDevice>
void Buffer<kOnDevice>::release() noexcept {}
template class Buffer<true>;
template class Buffer<false>;

Pinned::Pinned(std::span<std::byte>) {}
Pinned::~Pinned() = default;

Addresses::~Addresses() = default;
Answer Addresses::reserve(std::size_t) { return {kNotSupported}; }
Answer Addresses::map(std::size_t, std::size_t) { return {kNotSupported}; }
void Addresses::unmap() noexcept {}

Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;
Answer Stream::copy_to_device(std::byte*, const std::byte*, std::size_t) { std::abort(); }
Answer Stream::copy_to_host(std::byte*, const std::byte*, std::size_t) { std::abort(); }
Answer Stream::copy_on_device(std::byte*, const std::byte*, std::size_t) { std::abort(); }
Answer Stream::wait_for(Stream&) { std::abort(); }
Answer Stream::mark_end() { std::abort(); }
Answer Stream::is_done(bool&) { std::abort(); }

}  // namespace negzero::device
