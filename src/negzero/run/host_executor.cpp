// Runs a kernel's host build on a case: memory laid out, poisoned and guarded, one launch, everything checked after it.

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <negzero/number/encoding.hpp>
#include <negzero/run/guarded_buffer.hpp>
#include <negzero/run/host_executor.hpp>
#include <negzero/run/watched.hpp>
#include <negzero/simt/stream.hpp>
#include <negzero/tensor/placement.hpp>

namespace negzero::run {

namespace {

using operation::Failure;
using operation::FailureClass;

Outcome failed(FailureClass kind, std::string rule, std::string message) {
  Outcome outcome;
  outcome.status = Outcome::Status::Failed;
  outcome.failure = Failure{.kind = kind, .rule = std::move(rule), .message = std::move(message)};
  return outcome;
}

/// Whether the contract lets the kernel read that input in this case.
bool is_read(const operation::Case& value, const contract::Contract& contract, const std::string& tensor) {
  const auto* gemm = std::get_if<operation::Gemm>(&value.operation);
  if (gemm == nullptr) return true;
  const auto is_zero = [](const operation::Scalar& s) { return number::is_zero(number::format(s.format), s.bits); };
  if (tensor == "c") return contract.reads_c_at_beta_zero || !is_zero(gemm->beta);
  return contract.reads_a_b_at_alpha_zero || !is_zero(gemm->alpha);
}

simt::Settings settings_of(const operation::Case& value) {
  const operation::Schedule& schedule = value.schedule;
  using From = operation::Schedule::Order;
  simt::Settings settings;
  settings.schedule.order = schedule.order == From::Forward    ? simt::Order::Forward
                            : schedule.order == From::Backward ? simt::Order::Backward
                                                               : simt::Order::Random;
  settings.schedule.preempt = schedule.preempt;
  settings.schedule.seed = schedule.seed;
  settings.poison = value.poison == operation::Poison::Nan ? 0xff : 0x7b;
  // One thread may do the work of all and retry once for every element: far less than the runtime's own default, so
  // that a loop that never ends is told in milliseconds.
  std::uint64_t elements = 0;
  for (const auto& [name, tensor] : value.tensors) elements += static_cast<std::uint64_t>(tensor.element_count());
  settings.event_budget = (std::uint64_t{1} << 13) + 64 * elements;
  return settings;
}

std::string bytes(std::size_t count) { return fmt::format("{} byte{}", count, count == 1 ? "" : "s"); }

/// Where a stray write went, in words: `byte` counts from the start of the memory that the layout spans.
std::string stray_write(const std::string& name, const tensor::Layout& layout, std::size_t element_bytes,
                        std::ptrdiff_t byte, std::size_t size_bytes, bool is_output) {
  const std::string whole = fmt::format("the {} bytes of {}", size_bytes, name);
  if (byte < 0) return fmt::format("a write {} before {}", bytes(static_cast<std::size_t>(-byte)), whole);
  const auto at = static_cast<std::size_t>(byte);
  if (at >= size_bytes) return fmt::format("a write {} past {}", bytes(at - size_bytes + 1), whole);
  if (!is_output) return fmt::format("a write to input {}, at byte {}", name, at);
  const std::int64_t element = static_cast<std::int64_t>(at / element_bytes);
  return fmt::format("a write into the {} of {}, at element {} of its memory",
                     element < layout.offset ? "memory before the offset" : "padding", name, element);
}

/// Workspace from guarded buffers; the first pass of a case decides how many there are.
class GuardedWorkspace final : public kernel::Workspace {
 public:
  /// Allocations become regions of `watched`, unless it is null.
  void begin(operation::Poison poison, WatchedCase* watched) {
    poison_ = poison;
    watched_ = watched;
    used_ = 0;
  }
  void* allocate(std::size_t size_bytes) override {
    if (used_ == buffers_.size()) buffers_.emplace_back();
    // What a kernel keeps in its workspace is not declared; F32 poison is a NaN or a large number in most views of it.
    buffers_[used_].reset(size_bytes, number::format(number::FormatId::F32), poison_);
    if (watched_ != nullptr) watched_->add_workspace(used_, buffers_[used_].data());
    return buffers_[used_++].data().data();
  }
  /// The first stray write around an allocation, in words.
  [[nodiscard]] std::optional<std::string> damage() const {
    for (std::size_t i = 0; i < used_; ++i) {
      const auto at = buffers_[i].guard_damage();
      if (at) return stray_write(fmt::format("workspace {}", i), {}, 1, *at, buffers_[i].size_bytes(), false);
    }
    return std::nullopt;
  }

 private:
  std::deque<GuardedBuffer> buffers_;
  std::size_t used_ = 0;
  WatchedCase* watched_ = nullptr;
  operation::Poison poison_ = operation::Poison::Nan;
};

/// Runs the launch wrapper. What it throws is the kernel's failure, not ours.
kernel::LaunchResult launch(const kernel::Kernel& kernel, const kernel::Args& args, kernel::Workspace& workspace,
                            simt::Stream& stream, std::optional<Outcome>& thrown) {
  struct Mark {
    Mark() { mark_kernel(true); }
    ~Mark() { mark_kernel(false); }
  };
  try {
    const Mark mark;
    return kernel.launch(args, workspace, stream);
  } catch (const std::exception& exception) {
    thrown = failed(FailureClass::Crash, "run.launch", fmt::format("the launch wrapper threw: {}", exception.what()));
  } catch (...) {
    thrown = failed(FailureClass::Crash, "run.launch", "the launch wrapper threw something that is no std::exception");
  }
  return {};
}

}  // namespace

class HostExecutor::Memory {
 public:
  struct Slot {
    std::string name;
    GuardedBuffer buffer;
    const tensor::Layout* layout = nullptr;
    std::size_t element_bytes = 1;
  };
  std::vector<Slot> slots = std::vector<Slot>(4);  ///< inputs in order, then the output
  std::size_t used = 0;
  GuardedWorkspace workspace;
  WatchedCase watched;
  std::vector<std::byte> elements_before;  ///< scratch, kept for its capacity

  Slot& add(const operation::Case& value, const std::string& name, number::FormatId id, operation::Poison poison) {
    Slot& slot = slots[used++];
    const number::Format& format = number::format(id);
    slot.name = name;
    slot.layout = &value.layouts.at(name);
    slot.element_bytes = static_cast<std::size_t>(format.bits) / 8;
    slot.buffer.reset(static_cast<std::size_t>(slot.layout->extent()) * slot.element_bytes, format, poison);
    return slot;
  }

  [[nodiscard]] kernel::Operand operand(std::string_view name) {
    for (std::size_t i = 0; i < used; ++i) {
      Slot& slot = slots[i];
      if (slot.name != name) continue;
      kernel::Operand result;
      result.data = slot.buffer.data().data() + static_cast<std::size_t>(slot.layout->offset) * slot.element_bytes;
      std::copy(slot.layout->strides.begin(), slot.layout->strides.end(), result.strides);
      return result;
    }
    return {};
  }

  [[nodiscard]] kernel::Args args(const operation::Operation& operation) {
    if (const auto* gemm = std::get_if<operation::Gemm>(&operation)) {
      return kernel::GemmArgs{gemm->batch,        gemm->m,          gemm->n,      gemm->k,
                              operand("a"),       operand("b"),     operand("c"), operand("d"),
                              {gemm->alpha.bits}, {gemm->beta.bits}};
    }
    if (const auto* reduce = std::get_if<operation::Reduce>(&operation)) {
      return kernel::ReduceArgs{reduce->rows, reduce->columns, operand("x"), operand("y")};
    }
    const auto& scatter = std::get<operation::Scatter>(operation);
    return kernel::ScatterArgs{scatter.updates, scatter.destinations, operand("x"), operand("index"), operand("out")};
  }
};

HostExecutor::HostExecutor() : memory_(std::make_unique<Memory>()) {}
HostExecutor::~HostExecutor() = default;
HostExecutor::HostExecutor(HostExecutor&&) noexcept = default;
HostExecutor& HostExecutor::operator=(HostExecutor&&) noexcept = default;

Outcome HostExecutor::run_once(const operation::Case& value, const kernel::Kernel& kernel,
                               const contract::Contract& contract, operation::Poison output_poison) {
  const operation::Poison poison = value.poison;
  Memory& memory = *memory_;
  memory.used = 0;
  const bool is_watched = kernel.executor == kernel::Executor::Watched;
  memory.workspace.begin(poison, is_watched ? &memory.watched : nullptr);
  const auto watch = [&](Memory::Slot& slot, WatchedCase::Use use) {
    if (is_watched) memory.watched.add(slot.name, *slot.layout, slot.element_bytes, slot.buffer.data(), use);
  };
  memory.watched.begin();
  const bool is_scatter = std::holds_alternative<operation::Scatter>(value.operation);
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    if (spec.name == "init") continue;
    Memory::Slot& slot = memory.add(value, spec.name, spec.format, poison);
    const bool reads = is_read(value, contract, spec.name);
    if (reads) {
      tensor::scatter_to(*slot.layout, slot.element_bytes, value.tensors.at(spec.name).bytes(), slot.buffer.data());
    }
    slot.buffer.snapshot();
    watch(slot, reads ? WatchedCase::Use::Input : WatchedCase::Use::UnreadInput);
  }
  const operation::TensorSpec output = operation::output_spec(value.operation);
  Memory::Slot& out = memory.add(value, output.name, output.format, output_poison);
  if (is_scatter) {
    tensor::scatter_to(*out.layout, out.element_bytes, value.tensors.at("init").bytes(), out.buffer.data());
  }
  out.buffer.snapshot();

  watch(out, is_scatter ? WatchedCase::Use::InitialisedOutput : WatchedCase::Use::Output);

  simt::Settings settings = settings_of(value);
  if (is_watched) settings.watch = &memory.watched.watch();
  simt::Stream stream(settings);
  std::optional<Outcome> thrown;
  const kernel::LaunchResult launched = launch(kernel, memory.args(value.operation), memory.workspace, stream, thrown);
  if (thrown) return std::move(*thrown);
  if (launched.refused) {
    // The case lies inside the limits: run() has asked them.
    return failed(FailureClass::RefusedLegalRequest, "run.refused",
                  fmt::format("the kernel refused a case inside its limits: {}",
                              launched.reason.empty() ? "it gave no reason" : launched.reason));
  }
  const simt::LaunchReport& report = stream.report();
  switch (report.status) {
    case simt::LaunchStatus::Ok:
      break;
    case simt::LaunchStatus::DivergentBarrier:
      return failed(FailureClass::DivergentBarrier, "run.barrier", report.message);
    case simt::LaunchStatus::Hang:
      return failed(FailureClass::Hang, "run.hang", report.message);
    case simt::LaunchStatus::SharedOverrun:
      return failed(FailureClass::OutOfBoundsAccess, "run.shared", report.message);
    case simt::LaunchStatus::WatchFinding:
      return memory.watched.outcome();
    case simt::LaunchStatus::InvalidLaunch:
    case simt::LaunchStatus::DeviceError:
      return failed(FailureClass::Crash, "run.launch", report.message);
  }

  Outcome outcome;
  outcome.warnings = report.warnings;
  outcome.output = tensor::Tensor(output.format, output.shape);
  tensor::gather_from(*out.layout, out.element_bytes, out.buffer.data(), outcome.output.bytes());
  // With the elements put back as they were, whatever still differs is memory that no element occupies.
  std::vector<std::byte>& before = memory.elements_before;
  before.resize(outcome.output.bytes().size());
  tensor::gather_from(*out.layout, out.element_bytes, out.buffer.before(), before);
  tensor::scatter_to(*out.layout, out.element_bytes, before, out.buffer.data());
  for (std::size_t i = 0; i < memory.used; ++i) {
    const Memory::Slot& slot = memory.slots[i];
    auto at = slot.buffer.guard_damage();
    if (!at) at = slot.buffer.difference();
    if (!at) continue;
    return failed(
        FailureClass::OutOfBoundsAccess, "run.guard",
        stray_write(slot.name, *slot.layout, slot.element_bytes, *at, slot.buffer.size_bytes(), &slot == &out));
  }
  if (auto damage = memory.workspace.damage()) return failed(FailureClass::OutOfBoundsAccess, "run.guard", *damage);
  outcome.status = Outcome::Status::Completed;
  return outcome;
}

Outcome HostExecutor::run(const operation::Case& value, const kernel::Kernel& kernel,
                          const contract::Contract& contract) {
  if (const auto why = operation::outside(kernel.limits, value.operation, value.layouts)) {
    Outcome outcome;
    outcome.status = Outcome::Status::Refused;
    outcome.reason = *why;
    return outcome;
  }
  Outcome outcome = run_once(value, kernel, contract, value.poison);
  if (outcome.status != Outcome::Status::Completed) return outcome;
  // A scatter starts from initial values, so nothing of its output holds poison.
  if (std::holds_alternative<operation::Scatter>(value.operation)) return outcome;

  // An element that holds the poison may have been computed so. Unwritten is what holds the other poison when the run
  // is repeated with nothing else changed.
  const auto holds = [](const tensor::Tensor& output, std::int64_t i, operation::Poison poison) {
    return output.get(i) == poison_word(poison, output.format());
  };
  const std::int64_t count = outcome.output.element_count();
  std::int64_t suspect = 0;
  while (suspect < count && !holds(outcome.output, suspect, value.poison)) ++suspect;
  if (suspect == count) return outcome;
  const operation::Poison other =
      value.poison == operation::Poison::Nan ? operation::Poison::Large : operation::Poison::Nan;
  const Outcome again = run_once(value, kernel, contract, other);
  if (again.status != Outcome::Status::Completed) return again;
  std::int64_t unwritten = 0, first = -1;
  for (std::int64_t i = suspect; i < count; ++i) {
    if (!holds(outcome.output, i, value.poison) || !holds(again.output, i, other)) continue;
    if (unwritten++ == 0) first = i;
  }
  if (unwritten == 0) return outcome;
  Outcome result = failed(FailureClass::UnwrittenOutput, "run.unwritten",
                          fmt::format("{} of {} output elements were never written", unwritten, count));
  result.failure->element = first;
  result.failure->failing_elements = unwritten;
  result.failure->observed = outcome.output.get(first);
  result.failure->observed_text = "what memory held before the launch";
  const std::vector<std::int64_t>& shape = outcome.output.shape();
  result.failure->coordinates.resize(shape.size());
  for (std::size_t d = shape.size(); d > 0; --d) {
    result.failure->coordinates[d - 1] = first % shape[d - 1];
    first /= shape[d - 1];
  }
  return result;
}

operation::Verdict verdict_of_death(const Death& death) {
  using operation::Verdict;
  using operation::VerdictKind;
  const bool hang = death.kind == Death::Kind::Hang;
  if (hang && !death.in_kernel) {
    return Verdict{.kind = VerdictKind::Error,
                   .failure = {},
                   .reason = "making or judging the case took longer than the time limit; try a larger --timeout"};
  }
  Failure failure{.kind = hang ? FailureClass::Hang : FailureClass::Crash,
                  .rule = hang ? "run.hang" : "run.crash",
                  .message = death.to_string()};
  // A kernel that wrote where it should not may bring down what runs after it.
  failure.message += death.in_kernel ? " while the kernel ran" : " outside the kernel's launch";
  return Verdict{.kind = VerdictKind::Fail, .failure = std::move(failure), .reason = {}};
}

}  // namespace negzero::run
