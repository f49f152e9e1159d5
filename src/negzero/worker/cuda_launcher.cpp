// Launches a kernel's CUDA build on the cases of an image, which are copied there and back, and waits once.

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/stopwatch.hpp>
#include <negzero/device/stream.hpp>
#include <negzero/protocol/guarded_buffer.hpp>
#include <negzero/protocol/workspace.hpp>
#include <negzero/worker/args.hpp>
#include <negzero/worker/cuda_launcher.hpp>
#include <negzero/worker/device_workspace.hpp>
#include <negzero/worker/distant_device.hpp>

namespace negzero::worker {

using device::Answer;

namespace {

/// What an answer that is no success means for a batch.
std::vector<protocol::LaunchOutcome> spoilt(Answer answer, std::span<const protocol::LaunchPlan> plans) {
  const std::size_t cases = plans.size();
  const std::string text = device::describe(answer.code);
  if (!device::is_sticky(answer.code)) {
    return std::vector<protocol::LaunchOutcome>(cases,
                                                protocol::LaunchOutcome::error(fmt::format("the GPU: {}", text)));
  }
  if (device::is_kernels_doing(answer.code)) {
    if (cases != 1) return {};
    const protocol::Fault fault =
        answer.code == device::kLaunchTimeout ? protocol::Fault::Hang : protocol::Fault::Crash;
    protocol::LaunchOutcome crash = protocol::LaunchOutcome::failed(
        fault, text + " while the kernel ran" +
                   (protocol::is_distant(plans.front()) ? ": between elements that lie far apart is no memory" : ""));
    crash.spoilt = true;
    return {crash};
  }
  return {{protocol::LaunchOutcome::Status::Lost, protocol::Fault::Crash, text, {}, true}};
}

/// Waits until all that is enqueued has run.
Answer wait_for_all(device::Stream& stream) {
  Answer answer = stream.mark_end();
  bool done = false;
  for (int polls = 0; answer.ok() && !done; ++polls) {
    answer = stream.is_done(done);
    if (!done && polls > 16) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return answer;
}

}  // namespace

struct CudaLauncher::State {
  /// A stream and what is allocated in its order.
  struct Lane {
    Lane(device::Stream made, const DevicePoison& poison)
        : stream(std::move(made)), workspace(stream, poison), launches(engine::Stream::on_device(stream.handle())) {}

    device::Stream stream;
    DeviceWorkspace workspace;
    engine::Stream launches;  ///< the stream, as launch wrappers know it
  };
  class Batch;

  DevicePoison poison;
  std::unique_ptr<Lane> lanes[protocol::kStreams];
  device::Pinned image;
  device::DeviceBuffer memory;
  DistantDevice distant;
  int sticky = 0;  ///< the error after which this process can use the GPU no more
};

/// The way of an image to the GPU and back: all of it before and behind the launches; or, where launches in turn share
/// memory, what each has of it before and behind that launch. Enqueues, but for wait() and recover().
class CudaLauncher::State::Batch {
 public:
  Batch(State& state, std::span<const protocol::LaunchPlan> plans, std::byte* image)
      : state_(state), plans_(plans), image_(image), in_turn_(plans.front().moved != 0) {
    for (std::size_t number = 0; number < protocol::kStreams; ++number) {
      if (std::ranges::find(plans, number, &protocol::LaunchPlan::stream) == plans.end()) continue;
      lanes_.push_back(state.lanes[number].get());
    }
  }

  [[nodiscard]] Answer begin() {
    for (Lane* const lane : lanes_) lane->workspace.begin_batch();
    std::size_t most = 0;
    for (const protocol::LaunchPlan& plan : plans_) {
      const protocol::Part part = protocol::part_of(plan);
      most = std::max(most, part.begin - plan.moved + part.size_bytes);
    }
    Answer answer = state_.memory.reserve(most);
    if (in_turn_) return answer;
    if (answer.ok()) answer = upload(first(), whole(), 0);
    for (Lane* const lane : others()) {
      if (answer.ok()) answer = lane->stream.wait_for(first());
    }
    return answer;
  }
  [[nodiscard]] Answer begin(const protocol::LaunchPlan& plan) {
    if (!in_turn_) return {};
    Lane& lane = *state_.lanes[plan.stream];
    Lane*& before = before_[plan.stream / 2];
    Answer answer;
    if (before != nullptr && before != &lane) answer = lane.stream.wait_for(before->stream);
    before = &lane;
    return answer.ok() ? upload(lane.stream, protocol::part_of(plan), plan.moved) : answer;
  }
  [[nodiscard]] Answer end(const protocol::LaunchPlan& plan) {
    if (!in_turn_) return {};
    Lane& lane = *state_.lanes[plan.stream];
    const Answer answer = lane.workspace.fetch(lane.stream);
    return answer.ok() ? download(lane.stream, protocol::part_of(plan), plan.moved) : answer;
  }
  /// Nothing comes back before the last launch has ended: it may have written where another case has its memory.
  [[nodiscard]] Answer end() {
    Answer answer;
    for (Lane* const lane : others()) {
      if (answer.ok()) answer = first().wait_for(lane->stream);
    }
    if (in_turn_) return answer;
    for (Lane* const lane : lanes_) {
      if (answer.ok()) answer = lane->workspace.fetch(first());
    }
    return answer.ok() ? download(first(), whole(), 0) : answer;
  }
  [[nodiscard]] Answer wait() { return wait_for_all(first()); }
  /// Waits for what has been enqueued before that error, as the next batch uses the same memory; or the worse error of
  /// that.
  [[nodiscard]] Answer recover(Answer error) {
    for (Lane* const lane : lanes_) {
      if (device::is_sticky(error.code)) break;
      if (const Answer ended = wait_for_all(lane->stream); !ended.ok()) error = ended;
    }
    return error;
  }

 private:
  [[nodiscard]] device::Stream& first() { return lanes_.front()->stream; }
  [[nodiscard]] std::span<Lane* const> others() { return std::span<Lane* const>(lanes_).subspan(1); }
  [[nodiscard]] protocol::Part whole() const {
    const protocol::Part last = protocol::part_of(plans_.back());
    return {0, last.begin + last.size_bytes};
  }
  Answer upload(device::Stream& stream, const protocol::Part& part, std::size_t moved) {
    return stream.copy_to_device(state_.memory.data() + part.begin - moved, image_ + part.begin, part.size_bytes);
  }
  Answer download(device::Stream& stream, const protocol::Part& part, std::size_t moved) {
    return stream.copy_to_host(image_ + part.begin, state_.memory.data() + part.begin - moved, part.size_bytes);
  }

  State& state_;
  std::span<const protocol::LaunchPlan> plans_;
  std::byte* image_;
  bool in_turn_;
  std::vector<Lane*> lanes_;              ///< that it uses; the first of them copies for all
  Lane* before_[protocol::kChains] = {};  ///< in turn: of the launch before in each chain
};

CudaLauncher::CudaLauncher(std::unique_ptr<State> state) : state_(std::move(state)) {}
CudaLauncher::~CudaLauncher() = default;

base::Result<std::unique_ptr<CudaLauncher>> CudaLauncher::make(const CudaOptions& options) {
  if (const auto current = device::use_gpu(options.gpu); !current) return current.error();
  auto state = std::make_unique<State>();
  for (std::unique_ptr<State::Lane>& lane : state->lanes) {
    auto stream = device::Stream::make();
    if (!stream) return stream.error();
    lane = std::make_unique<State::Lane>(std::move(*stream), state->poison);
  }
  device::Stream& first = state->lanes[0]->stream;
  Answer answer = state->poison.prepare(first);
  if (answer.ok()) answer = wait_for_all(first);
  if (!answer.ok()) return device::error_of(answer, "GPU memory");
  return std::unique_ptr<CudaLauncher>(new CudaLauncher(std::move(state)));
}

void CudaLauncher::use_memory(std::span<std::byte> memory) {
  state_->image = {};
  if (memory.empty()) return;
  state_->image = device::Pinned(memory);
  // Now, as memory that grows between launches moves. Where there is none, launch() says so.
  (void)state_->memory.reserve(memory.size());
}

std::vector<protocol::LaunchOutcome> CudaLauncher::launch(std::span<const protocol::LaunchPlan> plans,
                                                          const kernel::Kernel& kernel, std::byte* image) {
  if (plans.empty()) return {};
  const base::Stopwatch watch;
  State& state = *state_;
  if (state.sticky != 0) {
    return std::vector<protocol::LaunchOutcome>(
        plans.size(), protocol::LaunchOutcome::error(fmt::format("this process can use the GPU no more after {}",
                                                                 device::describe(state.sticky))));
  }
  const bool is_distant = std::ranges::any_of(plans, [](const auto& plan) { return protocol::is_distant(plan); });
  if (is_distant && (plans.size() > 1 || plans.front().moved != 0)) {
    return std::vector<protocol::LaunchOutcome>(
        plans.size(), protocol::LaunchOutcome::error("tensors whose elements lie far apart are launched alone"));
  }
  State::Batch batch(state, plans, image);
  Answer answer = batch.begin();
  if (answer.ok()) {
    // Of the batch before, all of which has ended.
    answer = state.distant.lay_out(plans.front(), state.memory.data(), state.lanes[plans.front().stream]->stream);
    if (answer.code == device::kNotSupported) {
      (void)batch.recover({});
      return {protocol::LaunchOutcome::error(
          "this GPU, or its driver, has no virtual memory for tensors whose elements lie far apart: the case did not "
          "run")};
    }
  }
  std::vector<std::optional<protocol::LaunchOutcome>> failures(plans.size());
  for (std::size_t i = 0; i < plans.size() && answer.ok(); ++i) {
    answer = batch.begin(plans[i]);
    if (!answer.ok()) break;
    State::Lane& lane = *state.lanes[plans[i].stream];
    is_at(i, protocol::Whereabouts::InWrapper);
    lane.workspace.begin_case(i, plans[i].poison);
    lane.launches.reset({});
    failures[i] =
        call(kernel, args_of(plans[i], state.memory.data(), kernel.limits.configuration, state.distant.bases()),
             lane.workspace, lane.launches);
    if (lane.workspace.asked_too_much()) {
      failures[i] = protocol::LaunchOutcome::failed(
          protocol::Fault::BadLaunch, "the launch wrapper asked for more workspace than the GPU has memory");
    } else if (lane.workspace.exhausted()) {
      failures[i] = protocol::LaunchOutcome::error("there is not enough GPU memory for the kernel's workspace");
    }
    if (device::is_sticky(lane.launches.report().device_error)) answer = {lane.launches.report().device_error};
    if (answer.ok()) answer = state.distant.take_back(state.memory.data(), lane.stream);
    if (answer.ok()) answer = batch.end(plans[i]);
  }
  is_at(plans.size() - 1, protocol::Whereabouts::InKernel);
  if (answer.ok()) answer = batch.end();
  if (answer.ok()) answer = batch.wait();
  is_at(plans.size(), protocol::Whereabouts::Between);
  if (!answer.ok()) {
    answer = batch.recover(answer);
    if (device::is_sticky(answer.code)) state.sticky = answer.code;
    return spoilt(answer, plans);
  }

  std::vector<protocol::LaunchOutcome> outcomes;
  outcomes.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (failures[i]) {
      outcomes.push_back(*std::move(failures[i]));
    } else if (const auto damage = state.lanes[plans[i].stream]->workspace.damage(i)) {
      outcomes.push_back(protocol::workspace_damage(damage->number, damage->byte, damage->size_bytes));
    } else {
      outcomes.push_back({.status = protocol::LaunchOutcome::Status::Done});
    }
    outcomes.back().took_us = base::message_us(watch.us() / plans.size());
  }
  return outcomes;
}

}  // namespace negzero::worker
