// Misbehaviour with memory: the heap, stacks, mappings, code.

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "misbehaving.cuh"

namespace negzero::attacks {
namespace {

constexpr int kMostDescriptors = 64;
constexpr std::size_t kMegabyte = std::size_t{1} << 20;

// What a compiler would warn of, or leave out.
template <typename T>
T* hidden(T* pointer) {
  asm volatile("" : "+r"(pointer)::"memory");
  return pointer;
}

void overflow_heap() { std::memset(hidden(static_cast<char*>(std::malloc(24))), 0x41, 64); }
void underflow_heap() {
  char* const block = hidden(static_cast<char*>(std::malloc(64)));
  std::memset(block - 16, 0x41, 16);
}
void free_twice() {
  void* const block = std::malloc(2000);
  void* const again = hidden(block);
  std::free(block);
  std::free(again);
}
void free_other_memory() {
  static char block[64];
  std::free(hidden(block + 16));
}
void free_middle() { std::free(hidden(static_cast<char*>(std::malloc(64))) + 8); }
void use_after_free() {
  char* const block = static_cast<char*>(std::malloc(128));
  char* const again = hidden(block);
  std::free(block);
  std::memset(again, 0x7f, 128);
}
void leak() {
  char* const block = static_cast<char*>(std::malloc(100 * kMegabyte));
  if (block != nullptr) std::memset(hidden(block), 1, kMegabyte);
}
void allocate_too_much() {
  void* const block = std::malloc(std::size_t{1} << 62);
  std::free(hidden(block));
}
void throw_bad_alloc_and_catch() {
  try {
    delete[] hidden(new char[std::size_t{1} << 62]);
  } catch (const std::bad_alloc&) {
  }
}
void throw_bad_length() {
  volatile std::ptrdiff_t length = -1;
  delete[] hidden(new int[static_cast<std::size_t>(length)]);
}
void set_new_handler() {
  std::set_new_handler([] { ::_exit(3); });
}
void tune_malloc() {
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_PERTURB, 0x55);
  ::mallopt(M_MMAP_THRESHOLD, 16);
}
void trim_malloc() { ::malloc_trim(0); }

int recurse(int depth) {  // NOLINT(misc-no-recursion)
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : recurse(depth + 1) + frame[0];
}
void overflow_stack() { (void)recurse(1); }

void lock_memory() {
  void* const block = ::mmap(nullptr, kMegabyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block != MAP_FAILED) ::mlock(block, kMegabyte);
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
}
void map_a_lot() {
  ::mmap(nullptr, std::size_t{1} << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}
void map_small_pieces() {
  for (int i = 0; i < 300; ++i)
    ::mmap(nullptr, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void write_progress() {
  if (unsigned char* const shared = shared_image().data()) std::memset(shared, 0xff, 4096);
}
void write_all_of_it() {
  const SharedImage shared = shared_image();
  if (shared.size() > 0) std::memset(shared.data(), 0x3c, shared.size());
}
void discard_it() { ::madvise(shared_image().data(), shared_image().size(), MADV_REMOVE); }
void grow_it() {
  for (int file = 3; file < kMostDescriptors; ++file) (void)!::pwrite(file, "x", 1, off_t{1} << 30);
}

/// Takes away, or closes, whatever is mapped at the image.
template <typename Change>
kernel::LaunchResult change_image(const kernel::Args& args, engine::Stream& stream, Change change) {
  auto result = right(args, stream);
  const auto page = reinterpret_cast<std::uintptr_t>(problem_of(args).y) / 4096 * 4096;
  change(reinterpret_cast<void*>(page));
  return result;
}
kernel::LaunchResult unmap_image(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return change_image(args, stream, [](void* page) { ::munmap(page, 4096); });
}
kernel::LaunchResult close_image(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return change_image(args, stream, [](void* page) { ::mprotect(page, 4096, PROT_NONE); });
}
kernel::LaunchResult remap_image(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return change_image(args, stream, [](void* page) {
    ::mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  });
}

void close_own_code() {
  const auto page = reinterpret_cast<std::uintptr_t>(&close_own_code) / 4096 * 4096;
  ::mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ);
}
void overwrite_code() {
  auto* const code = reinterpret_cast<unsigned char*>(&::getppid);
  const auto page = reinterpret_cast<std::uintptr_t>(code) / 4096 * 4096;
  if (::mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) *code = 0xc3;
}
void jump_into_nothing() { hidden(reinterpret_cast<void (*)()>(0x1000))(); }
void read_null() { (void)*hidden(static_cast<volatile int*>(nullptr)); }
void write_code() { *hidden(reinterpret_cast<volatile unsigned char*>(&leak)) = 0xcc; }
void bus_error() {
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  void* const page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, off_t{1} << 40);
  if (page != MAP_FAILED) (void)*static_cast<volatile char*>(page);
  ::raise(SIGBUS);
}
void clear_registry() { kernel::registry() = kernel::Registry(); }
void empty_launches() {
  const std::string all = "*";
  for (const kernel::Kernel* kernel : kernel::registry().match({&all, 1}, kernel::kThisPlace)) {
    const_cast<kernel::Kernel*>(kernel)->launch = nullptr;
  }
}

const bool registered[] = {
    add_before<overflow_heap>("either.heap_overflow"),
    add_after<overflow_heap>("either.heap_overflow_after"),
    add_inside<overflow_heap>("either.heap_overflow_inside"),
    add_before<underflow_heap>("either.heap_underflow"),
    add_after<free_twice>("fatal.free_twice"),
    add_before<free_other_memory>("fatal.free_static"),
    add_before<free_middle>("fatal.free_middle"),
    add_after<use_after_free>("either.use_after_free"),
    add_before<leak>("quiet.leak_100_mb"),
    add_before<allocate_too_much>("quiet.huge_allocation"),
    add_before<throw_bad_alloc_and_catch>("quiet.bad_alloc_caught"),
    add_before<throw_bad_length>("fatal.bad_length"),
    add_before<set_new_handler>("quiet.new_handler"),
    add_before<tune_malloc>("quiet.malloc_tuned"),
    add_after<trim_malloc>("quiet.malloc_trimmed"),
    add_before<overflow_stack>("fatal.stack_overflow"),
    add_inside<overflow_stack>("fatal.stack_overflow_inside"),
    add_before<lock_memory>("quiet.memory_locked"),
    add_before<map_a_lot>("quiet.terabyte_mapped"),
    add_before<map_small_pieces>("quiet.small_mappings"),
    add_after<write_progress>("quiet.progress_written"),
    add_after<write_all_of_it>("fatal.shared_memory_written"),
    add_after<discard_it>("either.shared_memory_discarded"),
    add_after<grow_it>("quiet.shared_memory_grown"),
    add_sum("either.image_unmapped", "takes the image away", unmap_image),
    add_sum("either.image_closed", "closes the image", close_image),
    add_sum("either.image_remapped", "puts other memory in the image's place", remap_image),
    add_before<close_own_code>("fatal.code_closed"),
    add_before<overwrite_code>("quiet.code_overwritten"),
    add_before<jump_into_nothing>("fatal.jump_into_nothing"),
    add_inside<read_null>("fatal.null_read"),
    add_before<write_code>("fatal.code_written"),
    add_before<bus_error>("fatal.bus_error"),
    add_before<clear_registry>("quiet.registry_cleared"),
    add_after<empty_launches>("quiet.registry_emptied"),
};

}  // namespace
}  // namespace negzero::attacks
