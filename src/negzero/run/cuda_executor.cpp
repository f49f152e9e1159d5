// Runs a kernel's CUDA build on batches of cases: one upload, launches back to back, one download, one wait.

#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <negzero/device/stream.hpp>
#include <negzero/run/case_memory.hpp>
#include <negzero/run/cuda_executor.hpp>
#include <negzero/run/device_workspace.hpp>
#include <negzero/run/isolated.hpp>

namespace negzero::run {

namespace {

using Clock = std::chrono::steady_clock;
using device::Answer;
using operation::FailureClass;

/// Bytes of one image: larger batches are cut, a case that is larger runs alone.
constexpr std::size_t kImageBytes = std::size_t{1} << 25;

/// Launch wrappers are called by one thread at a time: they are not asked to bear more.
std::mutex launch_turn;

Outcome error(std::string reason) {
  Outcome outcome;
  outcome.status = Outcome::Status::Error;
  outcome.reason = std::move(reason);
  return outcome;
}

/// A case of a batch: where its buffers lie in the images, and what its launch made known at once.
struct Placed {
  const Job* job = nullptr;
  std::vector<CaseBuffer> buffers;
  std::array<std::size_t, kMostBuffers> at{};  ///< of each buffer's data
  std::optional<Outcome> failure;
};

/// Appends a buffer between guard zones to an image of `end` bytes; returns where its data begins.
std::size_t append(std::size_t& end, std::size_t size_bytes) {
  const std::size_t at = (end + kGuardBytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  end = at + size_bytes + kGuardBytes;
  return at;
}

}  // namespace

struct CudaExecutor::State {
  State(const CudaOptions& how, device::Stream made) : options(how), stream(std::move(made)), workspace(stream) {}

  /// Runs cases whose images fit together, one outcome each.
  std::vector<Outcome> run_image(std::span<const Job> jobs, const kernel::Kernel& kernel,
                                 const std::function<operation::Poison(const operation::Case&)>& output_poison);
  /// The same, cut into images.
  std::vector<Outcome> run_all(std::span<const Job> jobs, const kernel::Kernel& kernel,
                               const std::function<operation::Poison(const operation::Case&)>& output_poison);

  [[nodiscard]] Answer fill_and_upload(std::vector<Placed>& cases, std::size_t image_bytes);
  void launch_all(std::vector<Placed>& cases, const kernel::Kernel& kernel);
  void launch_one(Placed& placed, std::size_t number, const kernel::Kernel& kernel);
  [[nodiscard]] Answer wait(bool several);
  Outcome inspect_one(const Placed& placed, std::size_t number);
  /// What an answer that is no success means for a batch.
  std::vector<Outcome> spoilt(Answer answer, std::size_t cases);

  CudaOptions options;
  device::Stream stream;
  DeviceWorkspace workspace;
  device::PinnedBuffer before, after;
  device::DeviceBuffer memory;
  int sticky = 0;  ///< the error after which this process can use the GPU no more
  Answer first_sticky{};
};

Answer CudaExecutor::State::fill_and_upload(std::vector<Placed>& cases, std::size_t image_bytes) {
  for (Answer reserved : {before.reserve(image_bytes), after.reserve(image_bytes), memory.reserve(image_bytes)}) {
    if (!reserved.ok()) return reserved;
  }
  for (const Placed& placed : cases) {
    for (std::size_t i = 0; i < placed.buffers.size(); ++i) {
      const CaseBuffer& buffer = placed.buffers[i];
      GuardedRegion region(before.data() + placed.at[i], buffer.size_bytes(),
                           poison_pattern(buffer.poison, number::format(buffer.format)));
      region.poison();
      place_elements(buffer, region.data());
    }
  }
  return stream.copy_to_device(memory.data(), before.data(), image_bytes);
}

void CudaExecutor::State::launch_one(Placed& placed, std::size_t number, const kernel::Kernel& kernel) {
  std::array<void*, kMostBuffers> starts{};
  for (std::size_t i = 0; i < placed.buffers.size(); ++i) starts[i] = memory.data() + placed.at[i];
  workspace.begin_case(number, placed.job->value->poison);
  simt::Stream launches = simt::Stream::on_device(stream.handle());
  placed.failure = launch(
      kernel, args_of(placed.job->value->operation, placed.buffers, std::span(starts).first(placed.buffers.size())),
      workspace, launches);
  if (workspace.exhausted()) placed.failure = error("there is not enough GPU memory for the kernel's workspace");
  if (device::is_sticky(launches.report().device_error)) first_sticky = {launches.report().device_error};
}

void CudaExecutor::State::launch_all(std::vector<Placed>& cases, const kernel::Kernel& kernel) {
  workspace.begin_batch();
  first_sticky = {};
  for (std::size_t i = 0; i < cases.size() && first_sticky.ok(); ++i) launch_one(cases[i], i, kernel);
}

Answer CudaExecutor::State::wait(bool several) {
  const auto start = Clock::now();
  for (int polls = 0;; ++polls) {
    bool done = false;
    const Answer answer = stream.is_done(done);
    if (done) return answer;
    // Blocking in the driver would do as well, but a stall could not be told then.
    if (polls > 16) std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (!several || options.stall_ms == 0 || polls % 64 != 0 || !in_worker()) continue;
    if (Clock::now() - start < std::chrono::milliseconds(options.stall_ms)) continue;
    end_worker(Blame::Item, 0, fmt::format("the GPU did not finish a batch within {} ms", options.stall_ms));
  }
}

std::vector<Outcome> CudaExecutor::State::spoilt(Answer answer, std::size_t cases) {
  const std::string text = device::describe(answer.code);
  if (!device::is_sticky(answer.code)) return std::vector<Outcome>(cases, error(fmt::format("the GPU: {}", text)));
  const bool kernels = device::is_kernels_doing(answer.code);
  if (in_worker()) end_worker(kernels ? Blame::Item : Blame::Machine, kernels ? answer.code : 1, text);
  sticky = answer.code;
  if (cases != 1 || !kernels)
    return std::vector<Outcome>(cases, error(text + "; this process can use the GPU no more"));
  return {failed(FailureClass::Crash, "run.crash", text + " while the kernel ran")};
}

Outcome CudaExecutor::State::inspect_one(const Placed& placed, std::size_t number) {
  std::array<Inspected, kMostBuffers> inspected;
  for (std::size_t i = 0; i < placed.buffers.size(); ++i) {
    const CaseBuffer& buffer = placed.buffers[i];
    inspected[i] = {&buffer,
                    GuardedRegion(after.data() + placed.at[i], buffer.size_bytes(),
                                  poison_pattern(buffer.poison, number::format(buffer.format))),
                    before.data() + placed.at[i]};
  }
  Outcome outcome = inspect(*placed.job->value, std::span(inspected).first(placed.buffers.size()));
  if (outcome.status != Outcome::Status::Completed) return outcome;
  if (const auto damage = workspace.damage(number)) {
    return workspace_damage(damage->number, damage->byte, damage->size_bytes);
  }
  return outcome;
}

std::vector<Outcome> CudaExecutor::State::run_image(
    std::span<const Job> jobs, const kernel::Kernel& kernel,
    const std::function<operation::Poison(const operation::Case&)>& output_poison) {
  if (sticky != 0) {
    return std::vector<Outcome>(
        jobs.size(), error(fmt::format("this process can use the GPU no more after {}", device::describe(sticky))));
  }
  std::vector<Placed> cases(jobs.size());
  std::size_t image_bytes = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    cases[i].job = &jobs[i];
    cases[i].buffers = buffers_of(*jobs[i].value, *jobs[i].contract, output_poison(*jobs[i].value));
    for (std::size_t b = 0; b < cases[i].buffers.size(); ++b) {
      cases[i].at[b] = append(image_bytes, cases[i].buffers[b].size_bytes());
    }
  }
  Answer answer = workspace.prepare();
  if (answer.ok()) answer = fill_and_upload(cases, image_bytes);
  if (!answer.ok()) return spoilt(answer, cases.size());

  struct Mark {
    Mark() { mark_kernel(true); }
    ~Mark() { mark_kernel(false); }
  };
  std::optional<Mark> mark(std::in_place);
  {
    const std::lock_guard turn(launch_turn);
    Answer begun{1};
    if (options.graph && jobs.size() > 1) begun = stream.begin_graph();
    launch_all(cases, kernel);
    if (begun.ok()) {
      // A launch that fails may spoil the graph; then nothing of it has run, and the launches go one by one.
      const Answer ended = stream.end_graph();
      if (!ended.ok() && !device::is_sticky(ended.code)) launch_all(cases, kernel);
      if (device::is_sticky(ended.code)) first_sticky = ended;
    }
  }
  answer = first_sticky;
  if (answer.ok()) answer = workspace.fetch();
  if (answer.ok()) answer = stream.copy_to_host(after.data(), memory.data(), image_bytes);
  if (answer.ok()) answer = stream.mark_end();
  if (answer.ok()) answer = wait(jobs.size() > 1);
  if (!answer.ok()) return spoilt(answer, cases.size());
  mark.reset();

  std::vector<Outcome> outcomes;
  outcomes.reserve(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    outcomes.push_back(cases[i].failure ? *std::move(cases[i].failure) : inspect_one(cases[i], i));
  }
  return outcomes;
}

std::vector<Outcome> CudaExecutor::State::run_all(
    std::span<const Job> jobs, const kernel::Kernel& kernel,
    const std::function<operation::Poison(const operation::Case&)>& output_poison) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(jobs.size());
  for (std::size_t begin = 0; begin < jobs.size();) {
    std::size_t end = begin, image_bytes = 0;
    while (end < jobs.size()) {
      for (const CaseBuffer& buffer : buffers_of(*jobs[end].value, *jobs[end].contract, operation::Poison::Nan)) {
        append(image_bytes, buffer.size_bytes());
      }
      if (end > begin && image_bytes > kImageBytes) break;
      ++end;
    }
    for (Outcome& outcome : run_image(jobs.subspan(begin, end - begin), kernel, output_poison)) {
      outcomes.push_back(std::move(outcome));
    }
    begin = end;
  }
  return outcomes;
}

CudaExecutor::CudaExecutor(std::unique_ptr<State> state) : state_(std::move(state)) {}
CudaExecutor::~CudaExecutor() = default;

base::Result<std::unique_ptr<Executor>> CudaExecutor::make(const CudaOptions& options) {
  if (const auto current = device::use_gpu(options.gpu); !current) return current.error();
  auto stream = device::Stream::make();
  if (!stream) return stream.error();
  return std::unique_ptr<Executor>(new CudaExecutor(std::make_unique<State>(options, std::move(*stream))));
}

std::vector<Outcome> CudaExecutor::run(std::span<const Job> jobs, const kernel::Kernel& kernel) {
  std::vector<Outcome> outcomes(jobs.size());
  // The GPU that is current belongs to a thread, and this may be another one than last time.
  if (const Answer current = device::select_gpu(state_->options.gpu); !current.ok() && state_->sticky == 0) {
    if (in_worker() && !device::is_sticky(current.code)) {
      end_worker(Blame::Machine, 1, device::error_of(current, "the GPU is lost").message);
    }
    return state_->spoilt(current, jobs.size());
  }
  std::vector<Job> inside;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (auto refused = outside_limits(*jobs[i].value, kernel)) {
      outcomes[i] = *std::move(refused);
      continue;
    }
    inside.push_back(jobs[i]);
    owners.push_back(i);
  }
  std::vector<Outcome> first =
      state_->run_all(inside, kernel, [](const operation::Case& value) { return value.poison; });
  std::vector<Job> suspects;
  std::vector<std::size_t> suspect_owners;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const std::size_t owner = owners[i];
    outcomes[owner] = std::move(first[i]);
    if (!looks_unwritten(*inside[i].value, outcomes[owner])) continue;
    suspects.push_back(inside[i]);
    suspect_owners.push_back(owner);
  }
  std::vector<Outcome> again =
      state_->run_all(suspects, kernel, [](const operation::Case& value) { return other_poison(value.poison); });
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    Outcome& outcome = outcomes[suspect_owners[i]];
    outcome = combine(*suspects[i].value, std::move(outcome), std::move(again[i]));
  }
  return outcomes;
}

}  // namespace negzero::run
