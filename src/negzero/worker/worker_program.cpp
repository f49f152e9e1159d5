// What a worker process does: it reads plans, launches its one kernel, and answers.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include <negzero/base/float_environment.hpp>
#include <negzero/engine/current.hpp>
#include <negzero/engine/runtime_calls.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/protocol/frames.hpp>
#include <negzero/protocol/worker_wire.hpp>
#include <negzero/worker/cuda_launcher.hpp>
#include <negzero/worker/host_launcher.hpp>
#include <negzero/worker/worker_program.hpp>

namespace negzero::worker {

namespace {

/// The shared memory as this process maps it.
class MappedMemory {
 public:
  /// Maps a file in place of what was mapped before. Nothing is mapped where that cannot be.
  void map(int file, std::size_t size_bytes) {
    if (start_ != nullptr) engine::unmap_device_memory(start_, size_bytes_);
    start_ = file >= 0 ? engine::map_device_memory(size_bytes, file) : nullptr;
    size_bytes_ = start_ == nullptr ? 0 : size_bytes;
  }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] protocol::Progress* progress() const { return reinterpret_cast<protocol::Progress*>(start_); }
  [[nodiscard]] std::byte* image() const { return start_ + protocol::kImageAt; }

 private:
  std::byte* start_ = nullptr;
  std::size_t size_bytes_ = 0;
};

protocol::Progress* shown = nullptr;

/// A std::new_handler. Host code may catch what C++ throws. On the stack of a device thread nothing can: it would end
/// the process, and look like the kernel's own end.
void end_without_memory() {
  if (shown == nullptr || engine::current.engine == nullptr) throw std::bad_alloc();
  __atomic_store_n(&shown->out_of_memory, std::uint64_t{1}, __ATOMIC_RELAXED);
  ::_exit(EXIT_FAILURE);
}

class Serving {
 public:
  explicit Serving(std::string kernel)
      : kernel_(std::move(kernel)), frames_(protocol::kChildSocket, protocol::kWorkerVersion) {}

  int run(std::span<const std::string> where) {
    // Copies, as long as no launch has had its hands in the registry.
    for (const kernel::Where build : kernel::kWheres) {
      if (const kernel::Kernel* const found = kernel::registry().find(kernel_, build)) builds_.push_back(*found);
    }
    if (const auto made = make_launcher(where); !made) return refuse(made.error().message);
    if (!frames_.send(static_cast<std::uint8_t>(protocol::WorkerFrame::Ready), "")) return EXIT_SUCCESS;
    int descriptor = -1;
    while (const auto frame = frames_.receive(&descriptor)) {
      const bool is_memory = frame->kind == static_cast<std::uint8_t>(protocol::WorkerFrame::Memory);
      if (!is_memory && frame->kind != static_cast<std::uint8_t>(protocol::WorkerFrame::Launch)) return EXIT_FAILURE;
      if (is_memory ? !take_memory(frame->body, descriptor) : !answer(frame->body)) return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
  }

 private:
  base::Status make_launcher(std::span<const std::string> where) {
    if (!where.empty() && where[0] == "host") {
      launcher_ = std::make_unique<HostLauncher>();
      return base::Ok{};
    }
    if (where.size() != 2 || where[0] != "cuda") return base::usage_error("a worker runs on host or cuda");
    auto made = CudaLauncher::make({.gpu = std::atoi(where[1].c_str())});
    if (!made) return made.error();
    launcher_ = std::move(*made);
    on_gpu_ = true;
    return base::Ok{};
  }

  int refuse(const std::string& why) {
    (void)frames_.send(static_cast<std::uint8_t>(protocol::WorkerFrame::Failed), why);
    return EXIT_FAILURE;
  }

  bool take_memory(std::string_view body, int descriptor) {
    base::ByteReader memory(body);
    memory_bytes_ = memory.u64();
    engine::RuntimeKey key;
    key.place = memory.u64();
    key.key = memory.u64();
    if (!memory.is_complete() || memory_bytes_ <= protocol::kImageAt) return false;
    if (!has_key_) engine::set_runtime_key(key);
    has_key_ = true;
    launcher_->use_memory({});
    memory_.map(descriptor, memory_bytes_);
    if (memory_.size_bytes() > 0) launcher_->use_memory({memory_.image(), memory_.size_bytes() - protocol::kImageAt});
    if (descriptor >= 0) ::close(descriptor);
    return true;
  }

  bool answer(std::string_view body) {
    if (memory_bytes_ <= protocol::kImageAt) return false;
    const auto request = protocol::read_launch(body, memory_bytes_ - protocol::kImageAt);
    if (!request) return false;
    const std::vector<protocol::LaunchPlan>& plans = request->plans;
    const auto is_moved = [](const protocol::LaunchPlan& plan) { return plan.moved != 0; };
    if (!on_gpu_ && std::ranges::any_of(plans, is_moved)) return false;
    const kernel::Where build{on_gpu_ ? kernel::Place::Device : kernel::Place::Host, request->watched};
    const auto kernel = std::ranges::find(builds_, build, &kernel::Kernel::where);
    std::vector<protocol::LaunchOutcome> outcomes;
    if (kernel == builds_.end()) {
      const std::string why = fmt::format("this program has no {} build of kernel {}", kernel::name(build), kernel_);
      outcomes.assign(plans.size(), protocol::LaunchOutcome::error(why));
    } else if (memory_.size_bytes() != memory_bytes_) {
      outcomes.assign(plans.size(),
                      protocol::LaunchOutcome::error("there was too little memory to share the case, or no "
                                                     "descriptor left for it (ulimit -v and -n)"));
    } else {
      shown = memory_.progress();
      launcher_->show(shown);
      outcomes = launcher_->launch(plans, *kernel, memory_.image());
    }
    std::fflush(nullptr);
    const std::string reply = protocol::launched_body(outcomes);
    // A worker whose socket its kernel has closed stays, and waits for its end: the parent sees the closed socket, and
    // an exit would look like the kernel's own.
    while (!frames_.send(static_cast<std::uint8_t>(protocol::WorkerFrame::Launched), reply)) ::pause();
    return true;
  }

  std::string kernel_;
  std::vector<kernel::Kernel> builds_;
  protocol::FrameSocket frames_;
  MappedMemory memory_;
  std::uint64_t memory_bytes_ = 0;  ///< as the parent has them
  bool has_key_ = false;
  std::unique_ptr<Launcher> launcher_;
  bool on_gpu_ = false;
};

}  // namespace

std::optional<int> worker_if_called(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() < 3 || words[1] != protocol::kWorkerFlag) return std::nullopt;
  base::FloatEnvironment::cuda_default().set();
  // exit() in a kernel runs on its thread's small stack, where the program's destructors had better not.
  ::on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        ::_exit(status);
      },
      nullptr);
  if (words[2] == "describe") {
    const protocol::FrameSocket frames(protocol::kChildSocket, protocol::kWorkerVersion);
    const bool sent = frames.send(static_cast<std::uint8_t>(protocol::WorkerFrame::Kernels),
                                  kernel::declarations(kernel::registry()));
    return sent ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  std::set_new_handler(end_without_memory);
  // Line by line, so that the last words of a kernel that dies are seen.
  static char lines[BUFSIZ];
  std::setvbuf(stdout, lines, _IOLBF, sizeof lines);
  return Serving(words[2]).run(std::span(words).subspan(3));
}

}  // namespace negzero::worker
