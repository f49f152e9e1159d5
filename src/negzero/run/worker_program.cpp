// What a worker process does: it reads plans, launches its one kernel, and answers.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <negzero/base/float_environment.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/run/child_process.hpp>
#include <negzero/run/cuda_launcher.hpp>
#include <negzero/run/host_launcher.hpp>
#include <negzero/run/worker_program.hpp>
#include <negzero/run/worker_wire.hpp>

namespace negzero::run {

namespace {

/// The shared memory as this process maps it.
class MappedMemory {
 public:
  /// Maps as much as the parent says that there is. False where that cannot be.
  bool grow(std::size_t size_bytes) {
    if (size_bytes <= size_bytes_) return true;
    if (start_ != nullptr) ::munmap(start_, size_bytes_);
    void* const made = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kChildMemory, 0);
    start_ = made == MAP_FAILED ? nullptr : static_cast<std::byte*>(made);
    size_bytes_ = start_ == nullptr ? 0 : size_bytes;
    return start_ != nullptr;
  }
  [[nodiscard]] Progress* progress() const { return reinterpret_cast<Progress*>(start_); }
  [[nodiscard]] std::byte* image() const { return start_ + kImageAt; }

 private:
  std::byte* start_ = nullptr;
  std::size_t size_bytes_ = 0;
};

class Serving {
 public:
  explicit Serving(std::string kernel) : kernel_(std::move(kernel)), frames_(kChildSocket) {}

  int run(std::span<const std::string> where) {
    // Copies, as long as no launch has had its hands in the registry.
    for (const kernel::Executor build : {kernel::Executor::Host, kernel::Executor::Watched, kernel::Executor::Cuda}) {
      if (const kernel::Kernel* const found = kernel::registry().find(kernel_, build)) builds_.push_back(*found);
    }
    if (const auto made = make_launcher(where); !made) return refuse(made.error().message);
    if (!frames_.send(static_cast<std::uint8_t>(WorkerFrame::Ready), "")) return EXIT_SUCCESS;
    while (const auto frame = frames_.receive()) {
      if (frame->kind != static_cast<std::uint8_t>(WorkerFrame::Launch)) return EXIT_FAILURE;
      if (!answer(frame->body)) return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
  }

 private:
  base::Status make_launcher(std::span<const std::string> where) {
    if (!where.empty() && where[0] == "host") {
      launcher_ = std::make_unique<HostLauncher>();
      return base::Ok{};
    }
    if (where.size() != 3 || where[0] != "cuda") return base::usage_error("a worker runs on host or cuda");
    auto made = CudaLauncher::make({.gpu = std::atoi(where[1].c_str()), .graph = where[2] == "graph"});
    if (!made) return made.error();
    launcher_ = std::move(*made);
    on_gpu_ = true;
    return base::Ok{};
  }

  int refuse(const std::string& why) {
    (void)frames_.send(static_cast<std::uint8_t>(WorkerFrame::Failed), why);
    return EXIT_FAILURE;
  }

  bool answer(std::string_view body) {
    base::ByteReader request(body);
    const std::uint64_t memory_bytes = request.u64();
    const bool watched = request.at_most(request.u8(), 1) != 0;
    const std::uint64_t count = request.at_most(request.u32(), kMostPlans);
    if (!request.ok() || memory_bytes <= kImageAt) return false;
    std::vector<LaunchPlan> plans;
    for (std::uint64_t i = 0; i < count; ++i) {
      auto plan = read_plan(request, memory_bytes - kImageAt);
      if (!plan) return false;
      plans.push_back(*std::move(plan));
    }
    if (!request.is_complete()) return false;
    const kernel::Executor build = on_gpu_   ? kernel::Executor::Cuda
                                   : watched ? kernel::Executor::Watched
                                             : kernel::Executor::Host;
    const auto kernel = std::ranges::find(builds_, build, &kernel::Kernel::executor);
    std::vector<LaunchOutcome> outcomes;
    if (kernel == builds_.end()) {
      const std::string why = fmt::format("this program has no {} build of kernel {}", kernel::name(build), kernel_);
      outcomes.assign(plans.size(), LaunchOutcome::error(why));
    } else if (!memory_.grow(memory_bytes)) {
      outcomes.assign(plans.size(), LaunchOutcome::error("there was too little memory to share the case"));
    } else {
      launcher_->show(memory_.progress());
      outcomes = launcher_->launch(plans, *kernel, memory_.image());
    }
    std::fflush(nullptr);
    base::ByteWriter reply;
    reply.u32(static_cast<std::uint32_t>(outcomes.size()));
    for (const LaunchOutcome& outcome : outcomes) write(reply, outcome);
    // A worker whose socket its kernel has closed stays, and waits for its end: the parent sees the closed socket, and
    // an exit would look like the kernel's own.
    while (!frames_.send(static_cast<std::uint8_t>(WorkerFrame::Launched), reply.bytes())) ::pause();
    return true;
  }

  std::string kernel_;
  std::vector<kernel::Kernel> builds_;
  FrameSocket frames_;
  MappedMemory memory_;
  std::unique_ptr<Launcher> launcher_;
  bool on_gpu_ = false;
};

}  // namespace

std::optional<int> worker_if_called(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() < 3 || words[1] != kWorkerFlag) return std::nullopt;
  base::FloatEnvironment::cuda_default().set();
  // exit() in a kernel runs on its thread's small stack, where the program's destructors had better not.
  ::on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        ::_exit(status);
      },
      nullptr);
  if (words[2] == "describe") {
    const FrameSocket frames(kChildSocket);
    const bool sent =
        frames.send(static_cast<std::uint8_t>(WorkerFrame::Kernels), kernel::declarations(kernel::registry()));
    return sent ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  // Line by line, so that the last words of a kernel that dies are seen.
  static char lines[BUFSIZ];
  std::setvbuf(stdout, lines, _IOLBF, sizeof lines);
  return Serving(words[2]).run(std::span(words).subspan(3));
}

}  // namespace negzero::run
