// The memory that a worker and its parent share: a file without a name, which the worker cannot shrink.

#include <algorithm>
#include <new>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <negzero/run/shared_memory.hpp>

namespace negzero::run {

SharedMemory::~SharedMemory() {
  if (start_ != nullptr) ::munmap(start_, size_bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::byte* SharedMemory::image() const { return start_ + protocol::kImageAt; }

void SharedMemory::reserve(std::size_t image_bytes) {
  const std::size_t wanted = image_bytes + protocol::kImageAt;
  if (wanted <= size_bytes_) return;
  if (descriptor_ < 0) {
    descriptor_ = ::memfd_create("negzero-image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor_ < 0) throw std::bad_alloc();
    // A file that shrinks under a mapping kills the process that reads there.
    ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
  }
  std::size_t size = std::max(size_bytes_, std::size_t{1} << 20);
  while (size < wanted) size *= 2;
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) throw std::bad_alloc();
  void* const made = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (made == MAP_FAILED) throw std::bad_alloc();
  if (start_ != nullptr) ::munmap(start_, size_bytes_);
  start_ = static_cast<std::byte*>(made);
  size_bytes_ = size;
}

}  // namespace negzero::run
