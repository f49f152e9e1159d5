// Closing device memory to host code: page protection, and a signal handler that notes who came against it.

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <mutex>
#include <new>
#include <utility>

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <negzero/engine/device_memory.hpp>
#include <negzero/engine/distant_memory.hpp>
#include <negzero/engine/runtime_calls.hpp>

namespace negzero::engine {

namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;

// What the calling thread has closed, and what any thread closed last: a thread that a wrapper started has closed
// nothing.
constinit thread_local DeviceMemory* closed_here = nullptr;
constinit std::atomic<DeviceMemory*> closed_last = nullptr;

struct sigaction previous_handler {};

enum class Fault : unsigned char { Read, Write, Execute };

Fault kind_of(const void* context) noexcept {
  [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  // Intel SDM volume 3, page-fault error code: bit 1 is a write, bit 4 a fetch of an instruction.
  const auto error = static_cast<std::uint64_t>(machine.gregs[REG_ERR]);
  if ((error & 16) != 0) return Fault::Execute;
  return (error & 2) != 0 ? Fault::Write : Fault::Read;
#elif defined(__aarch64__)
  // A list of records; that of ESR_EL1 is {magic, size, value}. Bit 6 of a data abort (class 0x24) is a write.
  constexpr std::uint32_t kEsrMagic = 0x45535201;
  const unsigned char* record = machine.__reserved;
  const unsigned char* const end = record + sizeof machine.__reserved;
  while (record + 16 <= end) {
    std::uint32_t head[2];
    std::memcpy(head, record, sizeof head);
    if (head[0] == kEsrMagic) {
      std::uint64_t value = 0;
      std::memcpy(&value, record + sizeof head, sizeof value);
      if ((value >> 26 & 0x3f) != 0x24) return Fault::Execute;
      return (value >> 6 & 1) != 0 ? Fault::Write : Fault::Read;
    }
    if (head[0] == 0 || head[1] == 0) break;
    record += head[1];
  }
  return Fault::Read;
#else
  return Fault::Read;
#endif
}

/// Does what would have happened without us.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  if ((previous_handler.sa_flags & SA_SIGINFO) != 0) {
    previous_handler.sa_sigaction(signal, info, context);
    return;
  }
  const bool was_sent = info->si_code <= 0;
  if (previous_handler.sa_handler == SIG_IGN && was_sent) return;
  if (previous_handler.sa_handler != SIG_DFL && previous_handler.sa_handler != SIG_IGN) {
    previous_handler.sa_handler(signal);
    return;
  }
  // A fault comes again when its instruction does; a signal that was sent has to be sent again.
  handle_fault(signal, nullptr, 0);  // SIG_DFL
  if (was_sent) ::raise(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) noexcept {
  const int error = errno;
  if (info->si_code == SEGV_ACCERR) {
    const Fault kind = kind_of(context);
    auto* const address = static_cast<std::byte*>(info->si_addr);
    for (DeviceMemory* memory : {closed_here, closed_last.load(std::memory_order_acquire)}) {
      if (memory == nullptr || kind == Fault::Execute) continue;
      if (!memory->take_fault(address, kind == Fault::Write)) continue;
      errno = error;
      return;
    }
  }
  note_distant_fault(static_cast<std::byte*>(info->si_addr), kind_of(context) == Fault::Write);
  pass_on(signal, info, context);
}

/// Handlers run on a stack of their own where the thread has one: the handler that was there before may rely on it, and
/// a thread whose stack has overflowed needs it to say so.
void give_signal_stack() {
  static thread_local bool done = false;
  if (std::exchange(done, true)) return;
  stack_t now{};
  if (::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  constexpr std::size_t kBytes = std::size_t{1} << 16;
  void* const memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;  // The thread's own stack will do.
  stack_t mine{};
  mine.ss_sp = memory;
  mine.ss_size = kBytes;
  ::sigaltstack(&mine, nullptr);
}

/// Installs on_fault(), again where a kernel has put a handler of its own in its place.
void install_handler() {
  static std::mutex mutex;
  static bool installed = false;
  struct sigaction now {};
  ::sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) return;
  const std::lock_guard lock(mutex);
  if (!std::exchange(installed, true)) previous_handler = now;
  handle_fault(SIGSEGV, on_fault, SA_SIGINFO | SA_ONSTACK);
}

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t round_up(std::size_t value, std::size_t unit) noexcept { return (value + unit - 1) / unit * unit; }

/// Whether memory may lie in huge pages where a program asks for them.
bool has_huge_pages() {
  static const bool has = [] {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string words;
    return std::getline(file, words) && words.find("[never]") == std::string::npos;
  }();
  return has;
}

std::string bytes_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

}  // namespace

void catch_faults() {
  give_signal_stack();
  install_handler();
}

void DeviceMemory::reset() noexcept {
  open();
  ranges_.clear();
  buffers_.clear();
  stayed_open_ = false;
  accessed_.store(false, std::memory_order_relaxed);
}

void DeviceMemory::add_pages(std::span<std::byte> pages) {
  if (pages.empty()) return;
  if (!ranges_.empty()) {
    std::span<std::byte>& last = ranges_.back();
    if (last.data() + last.size() == pages.data()) {
      last = {last.data(), last.size() + pages.size()};
      return;
    }
  }
  ranges_.push_back(pages);
}

void DeviceMemory::add_buffer(std::string name, std::span<const std::byte> bytes) {
  buffers_.push_back({std::move(name), bytes});
}

bool DeviceMemory::protect(int protection) const noexcept {
  bool done = true;
  for (const std::span<std::byte> range : ranges_) {
    done = protect_device_memory(range.data(), range.size(), protection) == 0 && done;
  }
  return done;
}

void DeviceMemory::shut() noexcept {
  if (!protect(PROT_NONE)) stayed_open_ = true;
}

void DeviceMemory::close() noexcept {
  if (std::exchange(closed_, true)) return;
  catch_faults();
  closed_here = this;
  closed_last.store(this, std::memory_order_release);
  if (!was_accessed()) shut();
}

void DeviceMemory::open() noexcept {
  if (!std::exchange(closed_, false)) return;
  protect(PROT_READ | PROT_WRITE);
  closed_here = nullptr;
  DeviceMemory* self = this;
  closed_last.compare_exchange_strong(self, nullptr, std::memory_order_release);
}

void DeviceMemory::begin_use() noexcept {
  if (uses_++ == 0 && closed_ && !was_accessed()) protect(PROT_READ | PROT_WRITE);
}

void DeviceMemory::end_use() noexcept {
  if (--uses_ == 0 && closed_ && !was_accessed()) shut();
}

bool DeviceMemory::take_fault(std::byte* address, bool is_write) noexcept {
  const bool is_ours = std::any_of(ranges_.begin(), ranges_.end(), [&](std::span<std::byte> range) {
    return address >= range.data() && address < range.data() + range.size();
  });
  if (!is_ours || !closed_) return false;
  if (!accessed_.exchange(true, std::memory_order_acq_rel)) {
    address_ = address;
    is_write_ = is_write;
  }
  // Where the pages cannot be opened the access would come here for ever.
  return protect(PROT_READ | PROT_WRITE);
}

std::string DeviceMemory::host_access() const {
  if (!was_accessed()) return "";
  std::string text = is_write_ ? "host code wrote " : "host code read ";
  // The buffer that holds the byte, else the nearest one.
  const Buffer* nearest = nullptr;
  std::uintptr_t least = 0;
  const auto at = reinterpret_cast<std::uintptr_t>(address_);
  for (const Buffer& buffer : buffers_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer.bytes.data()), end = begin + buffer.bytes.size();
    const std::uintptr_t distance = at < begin ? begin - at : at >= end ? at - end + 1 : 0;
    if (nearest != nullptr && distance >= least) continue;
    nearest = &buffer;
    least = distance;
  }
  if (nearest == nullptr) return text + "device memory";
  const auto begin = reinterpret_cast<std::uintptr_t>(nearest->bytes.data());
  if (least == 0) return text + "byte " + std::to_string(at - begin) + " of " + nearest->name;
  return text + "device memory " + bytes_text(least) + (at < begin ? " before " : " past the end of ") + nearest->name;
}

DeviceArena::~DeviceArena() {
  memory_.reset();
  for (const Chunk& chunk : chunks_) unmap_device_memory(chunk.mapped.data(), chunk.mapped.size());
}

void DeviceArena::clear() noexcept {
  memory_.reset();
  for (Chunk& chunk : chunks_) chunk.used = chunk.added = 0;
  current_ = 0;
}

DeviceArena::Chunk DeviceArena::map(std::size_t size_bytes) {
  // Whole huge pages, and one more to have them aligned: closing one costs what closing a single small page costs.
  const std::size_t room = round_up(size_bytes, kHugePage), mapped = room + kHugePage;
  if (size_bytes > room || room > mapped) throw std::bad_alloc();
  std::byte* const start = map_device_memory(mapped, -1);
  if (start == nullptr) throw std::bad_alloc();
  const std::size_t skip =
      round_up(reinterpret_cast<std::uintptr_t>(start), kHugePage) - reinterpret_cast<std::uintptr_t>(start);
  Chunk chunk{{start, mapped}, {start + skip, room}, 0, 0};
  if (has_huge_pages()) advise_device_memory(chunk.room.data(), chunk.room.size(), MADV_HUGEPAGE);
  return chunk;
}

std::span<std::byte> DeviceArena::take(std::size_t size_bytes, std::size_t alignment) {
  for (;; ++current_) {
    if (current_ == chunks_.size()) {
      // Twice as much each time, so that there are few.
      chunks_.push_back(map(std::max(size_bytes, kHugePage << chunks_.size())));
    }
    Chunk& chunk = chunks_[current_];
    const std::size_t begin = round_up(chunk.used, alignment);
    if (begin > chunk.room.size() || size_bytes > chunk.room.size() - begin) continue;
    chunk.used = begin + size_bytes;
    // A huge page of which a part is closed falls apart into small ones.
    const std::size_t wanted = has_huge_pages() ? chunk.room.size() : round_up(chunk.used, page_bytes());
    memory_.add_pages(chunk.room.subspan(chunk.added, wanted - chunk.added));
    chunk.added = wanted;
    return chunk.room.subspan(begin, size_bytes);
  }
}

}  // namespace negzero::engine
