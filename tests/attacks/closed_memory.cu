// Attacks on device memory that is closed to host code: opened, mapped twice, copied, reached through the kernel. All
// of them compute right values where a GPU's host code would crash.

#include <cstring>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pairs.cuh"

namespace negzero::attacks {
namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr int kFirstDescriptor = 3, kMostDescriptors = 64;

/// One device thread that does all of it: what host code may not, a launch may.
__global__ void alone_kernel(Problem problem) {
  if (kernels::first_piece() == 0) compute_on_host(problem, problem.y);
}
kernel::LaunchResult compute_in_one_thread(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return run(alone_kernel, args, stream);
}

/// Does something to the process, then computes without a launch.
template <auto kTrick>
kernel::LaunchResult compute_after(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Problem problem = problem_of(args);
  kTrick(problem, stream);
  compute_on_host(problem, problem.y);
  return kernel::LaunchResult::launched();
}

void nothing(const Problem&, engine::Stream&) {}

/// Opens all mappings of the shared memory.
void open_pages(const Problem&, engine::Stream&) {
  const SharedImage image = shared_image();
  ::mprotect(image.data(), image.size(), PROT_READ | PROT_WRITE);
}

/// The same in a call that begins at pages of its own just below.
void open_from_below(const Problem&, engine::Stream&) {
  const SharedImage image = shared_image();
  void* const below = ::mmap(image.data() - kPage, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0);
  ::mprotect(below, kPage + image.size(), PROT_READ | PROT_WRITE);
  for (std::uintptr_t bytes = kPage; bytes < image.begin; bytes *= 2) {
    ::mprotect(image.data() - bytes, bytes + image.size(), PROT_READ | PROT_WRITE);
  }
}

/// Tags in the upper bits of an address, which some processors ignore.
void open_by_tagged_address(const Problem&, engine::Stream&) {
  const SharedImage image = shared_image();
  ::syscall(SYS_arch_prctl, 0x4002, 6);  // ARCH_ENABLE_TAGGED_ADDR
  ::mprotect(reinterpret_cast<void*>(image.begin | std::uintptr_t{1} << 57), image.size(), PROT_READ | PROT_WRITE);
}

/// What the runtime leaves in registers: the launch before has closed the memory with its key.
void open_with_what_registers_hold(const Problem& problem, engine::Stream& stream) {
  const SharedImage image = shared_image();
  launch(stream, alone_kernel, 1, 1, 0, problem);
  long result = SYS_mprotect;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(image.begin), "S"(image.size()), "d"(long{PROT_READ | PROT_WRITE})
               : "rcx", "r11", "memory");
}

/// Device code makes the open pages so that nothing can close them again.
__global__ void sealing_kernel(unsigned char* begin, std::size_t size) {
  if (kernels::first_piece() == 0) ::syscall(462, begin, size, 0L);  // mseal
}
void seal_while_open(const Problem&, engine::Stream& stream) {
  const SharedImage image = shared_image();
  launch(stream, sealing_kernel, 1, 1, 0, image.data(), image.size());
}

/// Closing splits a mapping, which asks for one more than the process may have.
void use_up_mappings(const Problem&, engine::Stream&) {
  static const bool done = [] {
    constexpr int kMost = 1 << 20;
    for (int i = 0; i < kMost; ++i) {
      const int protection = i % 2 == 0 ? PROT_READ : PROT_NONE;
      if (::mmap(nullptr, kPage, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) break;
    }
    return true;
  }();
  (void)done;
}
kernel::LaunchResult compute_with_no_mapping_left(const kernel::Args& args, kernel::Workspace&,
                                                  engine::Stream& stream) {
  const Problem problem = problem_of(args);
  use_up_mappings(problem, stream);
  launch(stream, alone_kernel, 1, 1, 0, problem);
  compute_on_host(problem, problem.y);
  return kernel::LaunchResult::launched();
}

/// A handler of its own opens what it comes against, and tells nobody.
void handle_fault(int, siginfo_t* info, void*) {
  const auto page = reinterpret_cast<std::uintptr_t>(info->si_addr) / kPage * kPage;
  if (::mprotect(reinterpret_cast<void*>(page), kPage, PROT_READ | PROT_WRITE) != 0) ::_exit(1);
}
void install_handler(const Problem&, engine::Stream&) {
  struct sigaction mine {};
  mine.sa_sigaction = handle_fault;
  mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &mine, nullptr);
  ::sigaction(SIGBUS, &mine, nullptr);
}
/// The same before main(), for all kernels of this program.
const bool handled = [] {
  if (!is_confined()) return false;
  struct sigaction mine {};
  mine.sa_sigaction = handle_fault;
  mine.sa_flags = SA_SIGINFO;
  return ::sigaction(SIGSEGV, &mine, nullptr) == 0;
}();
void block_faults(const Problem&, engine::Stream&) {
  sigset_t fault;
  ::sigemptyset(&fault);
  ::sigaddset(&fault, SIGSEGV);
  ::pthread_sigmask(SIG_BLOCK, &fault, nullptr);
}

/// Computes in memory where the image is found a second time: `second` is the place of its first byte.
void compute_elsewhere(Problem problem, std::byte* second) {
  const auto* const first = reinterpret_cast<const std::byte*>(shared_image().data());
  const auto moved = [&](const void* from) { return second + (static_cast<const std::byte*>(from) - first); };
  problem.x = reinterpret_cast<const float*>(moved(problem.x));
  problem.y = reinterpret_cast<float*>(moved(problem.y));
  compute_on_host(problem, problem.y);
}

/// The shared memory a second time, through any descriptor, at an address that nothing closes.
kernel::LaunchResult compute_through_a_mapping(const kernel::Args& args, kernel::Workspace&, engine::Stream&) {
  const Problem problem = problem_of(args);
  const std::size_t bytes = shared_image().size();
  for (int descriptor = kFirstDescriptor; descriptor < kMostDescriptors; ++descriptor) {
    void* const all = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (all == MAP_FAILED) continue;
    compute_elsewhere(problem, static_cast<std::byte*>(all));
    ::munmap(all, bytes);
    return kernel::LaunchResult::launched();
  }
  compute_on_host(problem, problem.y);
  return kernel::LaunchResult::launched();
}
/// The same by moving, or doubling, the mapping itself.
kernel::LaunchResult compute_after_mremap(const kernel::Args& args, kernel::Workspace&, engine::Stream&) {
  const Problem problem = problem_of(args);
  const SharedImage image = shared_image();
  void* const room = ::mmap(nullptr, image.size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* all = ::mremap(image.data(), 0, image.size(), MREMAP_MAYMOVE);
  if (all == MAP_FAILED) all = ::mremap(image.data(), 0, image.size(), MREMAP_MAYMOVE | MREMAP_FIXED, room);
  if (all == MAP_FAILED) {
    compute_on_host(problem, problem.y);
  } else {
    ::mprotect(all, image.size(), PROT_READ | PROT_WRITE);
    compute_elsewhere(problem, static_cast<std::byte*>(all));
  }
  return kernel::LaunchResult::launched();
}

/// A launch that only writes down what host code has found.
__global__ void table_kernel(Problem problem, const float* table) {
  for (int64_t row = kernels::first_piece(); row < problem.rows; row += kernels::piece_stride()) {
    problem.y[row * problem.y_stride] = table[row];
  }
}
/// Reads its input with `copy(to, from, bytes)`, which returns whether it could.
template <auto kCopy>
kernel::LaunchResult compute_from_a_copy(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Problem problem = problem_of(args);
  static std::vector<float> table;
  table.assign(static_cast<std::size_t>(problem.rows), 0.0f);
  for (int64_t row = 0; row < problem.rows; ++row) {
    for (int64_t column = 0; column < problem.columns; ++column) {
      const float* const from = problem.x + row * problem.row_stride + column * problem.column_stride;
      float value = 0.0f;
      if (!kCopy(&value, from)) value = *from;
      table[static_cast<std::size_t>(row)] += value;
    }
  }
  if (problem.rows > 0) launch(stream, table_kernel, 1, 64, 0, problem, static_cast<const float*>(table.data()));
  return kernel::LaunchResult::launched();
}
bool copy_by_proc(float* to, const float* from) {
  static const int memory = [] {
    const int own = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    return own >= 0 ? own : ::open(("/proc/self/task/" + std::to_string(::gettid()) + "/mem").c_str(), O_RDONLY);
  }();
  return ::pread(memory, to, sizeof *to, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(from))) == sizeof *to;
}
bool copy_by_pipe(float* to, const float* from) {
  static int ends[2] = {-1, -1};
  if (ends[0] < 0 && ::pipe(ends) != 0) return false;
  return ::write(ends[1], from, sizeof *from) == sizeof *from && ::read(ends[0], to, sizeof *to) == sizeof *to;
}
bool copy_by_descriptor(float* to, const float* from) {
  const auto at = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(from) - shared_image().begin);
  for (int descriptor = kFirstDescriptor; descriptor < 16; ++descriptor) {
    if (::pread(descriptor, to, sizeof *to, at) == sizeof *to) return true;
  }
  return false;
}

bool add_to_host_code(const std::string& slug, const std::string& about, Launch attack) {
  return add_pair("host_code" + slug, about, attack, compute_in_one_thread);
}

const bool registered[] = {
    add_to_host_code("", "host code computes, and nothing is launched", compute_after<nothing>),
    add_to_host_code("_mprotect", "opens the pages, then computes on the host", compute_after<open_pages>),
    add_to_host_code("_below", "opens the pages in calls that begin below them", compute_after<open_from_below>),
    add_to_host_code("_tagged", "opens the pages by another address", compute_after<open_by_tagged_address>),
    add_to_host_code("_registers", "opens the pages with what the runtime left behind",
                     compute_after<open_with_what_registers_hold>),
    add_to_host_code("_sealed", "device code seals the pages open", compute_after<seal_while_open>),
    add_to_host_code("_mappings", "leaves no mapping to close the pages with", compute_with_no_mapping_left),
    add_to_host_code("_handler", "computes on the host under a handler of its own", compute_after<install_handler>),
    add_to_host_code("_blocked", "computes on the host while faults are blocked", compute_after<block_faults>),
    add_to_host_code("_mapping", "computes on the host through a second mapping", compute_through_a_mapping),
    add_to_host_code("_mremap", "moves or doubles the mapping", compute_after_mremap),
    add_to_host_code("_proc", "reads its input through /proc", compute_from_a_copy<copy_by_proc>),
    add_to_host_code("_pipe", "reads its input through a pipe", compute_from_a_copy<copy_by_pipe>),
    add_to_host_code("_descriptor", "reads its input from the file of the image",
                     compute_from_a_copy<copy_by_descriptor>),
};

}  // namespace
}  // namespace negzero::attacks
