// Launches a kernel's CUDA build on batches of cases: one upload, launches back to back, one download, one wait.

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/stopwatch.hpp>
#include <negzero/device/stream.hpp>
#include <negzero/run/cuda_launcher.hpp>
#include <negzero/run/device_workspace.hpp>
#include <negzero/run/guarded_buffer.hpp>
#include <negzero/run/workspace.hpp>

namespace negzero::run {

using device::Answer;

struct CudaLauncher::State {
  /// A stream and what is allocated in its order.
  struct Lane {
    explicit Lane(device::Stream made)
        : stream(std::move(made)), workspace(stream), launches(simt::Stream::on_device(stream.handle())) {}

    device::Stream stream;
    DeviceWorkspace workspace;
    simt::Stream launches;  ///< the stream, as launch wrappers know it
  };

  CudaOptions options;
  std::unique_ptr<Lane> lanes[2];  ///< by LaunchPlan::other_stream
  device::PinnedBuffer before, after;
  device::DeviceBuffer memory;
  int sticky = 0;  ///< the error after which this process can use the GPU no more
};

namespace {

/// Bytes from the image's start to the end of the last buffer's guard zone.
std::size_t bytes_of(std::span<const LaunchPlan> plans) {
  const PlannedBuffer& last = plans.back().buffers.back();
  return last.at + last.size_bytes() + kGuardBytes;
}

/// What an answer that is no success means for a batch.
std::vector<LaunchOutcome> spoilt(Answer answer, std::size_t cases) {
  const std::string text = device::describe(answer.code);
  if (!device::is_sticky(answer.code)) {
    return std::vector<LaunchOutcome>(cases, LaunchOutcome::error(fmt::format("the GPU: {}", text)));
  }
  if (device::is_kernels_doing(answer.code)) {
    if (cases != 1) return {};
    const Fault fault = answer.code == device::kLaunchTimeout ? Fault::Hang : Fault::Crash;
    LaunchOutcome crash = LaunchOutcome::failed(fault, text + " while the kernel ran");
    crash.spoilt = true;
    return {crash};
  }
  return {{LaunchOutcome::Status::Lost, Fault::Crash, text, {}, true}};
}

}  // namespace

CudaLauncher::CudaLauncher(std::unique_ptr<State> state) : state_(std::move(state)) {}
CudaLauncher::~CudaLauncher() = default;

base::Result<std::unique_ptr<CudaLauncher>> CudaLauncher::make(const CudaOptions& options) {
  if (const auto current = device::use_gpu(options.gpu); !current) return current.error();
  auto state = std::make_unique<State>();
  state->options = options;
  for (std::unique_ptr<State::Lane>& lane : state->lanes) {
    auto stream = device::Stream::make();
    if (!stream) return stream.error();
    lane = std::make_unique<State::Lane>(std::move(*stream));
  }
  return std::unique_ptr<CudaLauncher>(new CudaLauncher(std::move(state)));
}

std::vector<LaunchOutcome> CudaLauncher::launch(std::span<const LaunchPlan> plans, const kernel::Kernel& kernel,
                                                std::byte* image) {
  if (plans.empty()) return {};
  const base::Stopwatch watch;
  State& state = *state_;
  if (state.sticky != 0) {
    return std::vector<LaunchOutcome>(plans.size(),
                                      LaunchOutcome::error(fmt::format("this process can use the GPU no more after {}",
                                                                       device::describe(state.sticky))));
  }
  State::Lane& lane = *state.lanes[plans.front().other_stream ? 1 : 0];
  const std::size_t size_bytes = bytes_of(plans);
  const auto give_up = [&](Answer answer) {
    if (device::is_sticky(answer.code)) state.sticky = answer.code;
    return spoilt(answer, plans.size());
  };
  Answer answer = lane.workspace.prepare();
  if (answer.ok()) answer = state.before.reserve(size_bytes);
  if (answer.ok()) answer = state.after.reserve(size_bytes);
  if (answer.ok()) answer = state.memory.reserve(size_bytes);
  if (!answer.ok()) return give_up(answer);
  std::copy_n(image, size_bytes, state.before.data());
  answer = lane.stream.copy_to_device(state.memory.data(), state.before.data(), size_bytes);
  if (!answer.ok()) return give_up(answer);

  std::vector<std::optional<LaunchOutcome>> failures(plans.size());
  Answer first_sticky{};
  const auto launch_all = [&] {
    lane.workspace.begin_batch();
    first_sticky = {};
    for (std::size_t i = 0; i < plans.size() && first_sticky.ok(); ++i) {
      is_at(i, Whereabouts::InWrapper);
      lane.workspace.begin_case(i, plans[i].poison);
      lane.launches.reset({});
      failures[i] = call(kernel, args_of(plans[i], state.memory.data()), lane.workspace, lane.launches);
      if (lane.workspace.asked_too_much()) {
        failures[i] = LaunchOutcome::failed(Fault::BadLaunch,
                                            "the launch wrapper asked for more workspace than the GPU has memory");
      } else if (lane.workspace.exhausted()) {
        failures[i] = LaunchOutcome::error("there is not enough GPU memory for the kernel's workspace");
      }
      if (device::is_sticky(lane.launches.report().device_error)) first_sticky = {lane.launches.report().device_error};
    }
  };
  Answer begun{1};
  if (state.options.graph && plans.size() > 1) begun = lane.stream.begin_graph();
  launch_all();
  if (begun.ok()) {
    // A launch that fails may spoil the graph; then nothing of it has run, and the launches go one by one.
    const Answer ended = lane.stream.end_graph();
    if (!ended.ok() && !device::is_sticky(ended.code)) launch_all();
    if (device::is_sticky(ended.code)) first_sticky = ended;
  }
  is_at(plans.size() - 1, Whereabouts::InKernel);
  answer = first_sticky;
  if (answer.ok()) answer = lane.workspace.fetch();
  if (answer.ok()) answer = lane.stream.copy_to_host(state.after.data(), state.memory.data(), size_bytes);
  if (answer.ok()) answer = lane.stream.mark_end();
  bool done = false;
  for (int polls = 0; answer.ok() && !done; ++polls) {
    answer = lane.stream.is_done(done);
    if (!done && polls > 16) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  is_at(plans.size(), Whereabouts::Between);
  if (!answer.ok()) return give_up(answer);
  std::copy_n(state.after.data(), size_bytes, image);

  std::vector<LaunchOutcome> outcomes;
  outcomes.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (failures[i]) {
      outcomes.push_back(*std::move(failures[i]));
    } else if (const auto damage = lane.workspace.damage(i)) {
      outcomes.push_back(workspace_damage(damage->number, damage->byte, damage->size_bytes));
    } else {
      outcomes.push_back({.status = LaunchOutcome::Status::Done});
    }
    outcomes.back().took_us = base::message_us(watch.us() / plans.size());
  }
  return outcomes;
}

}  // namespace negzero::run
