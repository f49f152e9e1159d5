// What lies in memory for one case, and what may be wrong with it after a launch: the same for every executor.

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include <negzero/number/encoding.hpp>
#include <negzero/run/case_memory.hpp>
#include <negzero/run/isolated.hpp>
#include <negzero/simt/host_code.hpp>
#include <negzero/tensor/placement.hpp>

namespace negzero::run {

namespace {

using operation::FailureClass;

/// When the contract does not let the kernel read that input of this case; empty: it does.
std::string_view when_unread(const operation::Case& value, const contract::Contract& contract,
                             const std::string& tensor) {
  const auto* gemm = std::get_if<operation::Gemm>(&value.operation);
  if (gemm == nullptr) return "";
  const auto is_zero = [](const operation::Scalar& s) { return number::is_zero(number::format(s.format), s.bits); };
  if (tensor == "c") return contract.reads_c_at_beta_zero || !is_zero(gemm->beta) ? "" : "at beta = 0";
  return contract.reads_a_b_at_alpha_zero || !is_zero(gemm->alpha) ? "" : "at alpha = 0";
}

std::string bytes(std::size_t count) { return fmt::format("{} byte{}", count, count == 1 ? "" : "s"); }

/// A write outside `size_bytes` of `name`, in words; nothing for one inside. `byte` counts from the start.
std::optional<std::string> write_outside(const std::string& name, std::ptrdiff_t byte, std::size_t size_bytes) {
  const std::string whole = fmt::format("the {} bytes of {}", size_bytes, name);
  if (byte < 0) return fmt::format("a write {} before {}", bytes(static_cast<std::size_t>(-byte)), whole);
  const auto at = static_cast<std::size_t>(byte);
  if (at >= size_bytes) return fmt::format("a write {} past {}", bytes(at - size_bytes + 1), whole);
  return std::nullopt;
}

/// Where a stray write went, in words: `byte` counts from the start of the memory that the layout spans.
std::string stray_write(const CaseBuffer& buffer, std::ptrdiff_t byte, std::size_t size_bytes) {
  if (auto outside = write_outside(buffer.name, byte, size_bytes)) return *std::move(outside);
  const auto at = static_cast<std::size_t>(byte);
  if (!buffer.is_output) return fmt::format("a write to input {}, at byte {}", buffer.name, at);
  const auto element = static_cast<std::int64_t>(at / buffer.element_bytes());
  return fmt::format("a write into the {} of {}, at element {} of its memory",
                     element < buffer.layout->offset ? "memory before the offset" : "padding", buffer.name, element);
}

/// What the stream says about launches that went wrong.
std::optional<Outcome> failure_of(const simt::LaunchReport& report) {
  switch (report.status) {
    case simt::LaunchStatus::Ok:
      return std::nullopt;
    case simt::LaunchStatus::DivergentBarrier:
      return failed(FailureClass::DivergentBarrier, "run.barrier", report.message);
    case simt::LaunchStatus::Hang:
      return failed(FailureClass::Hang, "run.hang", report.message);
    case simt::LaunchStatus::SharedOverrun:
      return failed(FailureClass::OutOfBoundsAccess, "run.shared", report.message);
    case simt::LaunchStatus::EnvironmentChanged:
      return failed(FailureClass::ChangedEnvironment, "run.environment", report.message);
    case simt::LaunchStatus::HostAccess:
      return failed(FailureClass::HostAccess, "run.host_access", report.message);
    case simt::LaunchStatus::InvalidLaunch:
    case simt::LaunchStatus::WatchFinding:  // The host executor knows more.
    case simt::LaunchStatus::DeviceError:
      break;
  }
  return failed(FailureClass::Crash, "run.launch", report.message);
}

}  // namespace

std::vector<CaseBuffer> buffers_of(const operation::Case& value, const contract::Contract& contract,
                                   operation::Poison output_poison) {
  std::vector<CaseBuffer> result;
  for (operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    if (spec.name == "init") continue;
    const std::string_view unread = when_unread(value, contract, spec.name);
    result.push_back({std::move(spec.name), nullptr, nullptr, spec.format, value.poison, false, unread});
    CaseBuffer& buffer = result.back();
    buffer.layout = &value.layouts.at(buffer.name);
    if (unread.empty()) buffer.elements = &value.tensors.at(buffer.name);
  }
  operation::TensorSpec output = operation::output_spec(value.operation);
  const bool is_scatter = std::holds_alternative<operation::Scatter>(value.operation);
  const tensor::Layout* const layout = &value.layouts.at(output.name);
  result.push_back({std::move(output.name), layout, is_scatter ? &value.tensors.at("init") : nullptr, output.format,
                    output_poison, true, ""});
  return result;
}

void place_elements(const CaseBuffer& buffer, std::span<std::byte> memory) {
  if (buffer.elements == nullptr) return;
  tensor::scatter_to(*buffer.layout, buffer.element_bytes(), buffer.elements->bytes(), memory);
}

kernel::Args args_of(const operation::Operation& operation, std::span<const CaseBuffer> buffers,
                     std::span<void* const> starts) {
  const auto operand = [&](std::string_view name) {
    kernel::Operand result;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const CaseBuffer& buffer = buffers[i];
      if (buffer.name != name) continue;
      result.data =
          static_cast<std::byte*>(starts[i]) + static_cast<std::size_t>(buffer.layout->offset) * buffer.element_bytes();
      std::copy(buffer.layout->strides.begin(), buffer.layout->strides.end(), result.strides);
    }
    return result;
  };
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

Outcome failed(FailureClass kind, std::string rule, std::string message) {
  Outcome outcome;
  outcome.status = Outcome::Status::Failed;
  outcome.failure = operation::Failure{.kind = kind, .rule = std::move(rule), .message = std::move(message)};
  return outcome;
}

std::optional<Outcome> launch(const kernel::Kernel& kernel, const kernel::Args& args, kernel::Workspace& workspace,
                              simt::Stream& stream) {
  struct Mark {
    Mark() { mark_kernel(true); }
    ~Mark() { mark_kernel(false); }
  };
  kernel::LaunchResult launched;
  std::optional<Outcome> thrown;
  simt::HostCode host_code(stream);
  // What the wrapper throws is the kernel's failure, not ours.
  try {
    const Mark mark;
    launched = kernel.launch(args, workspace, stream);
  } catch (const std::exception& exception) {
    thrown = failed(FailureClass::Crash, "run.launch", fmt::format("the launch wrapper threw: {}", exception.what()));
  } catch (...) {
    thrown = failed(FailureClass::Crash, "run.launch", "the launch wrapper threw something that is no std::exception");
  }
  host_code.end();
  // What it throws or refuses after it has read poison as data says less.
  if (stream.report().status == simt::LaunchStatus::HostAccess) return failure_of(stream.report());
  if (thrown) return thrown;
  if (launched.refused) {
    // The case lies inside the limits: outside_limits() was asked.
    return failed(FailureClass::RefusedLegalRequest, "run.refused",
                  fmt::format("the kernel refused a case inside its limits: {}",
                              launched.reason.empty() ? "it gave no reason" : launched.reason));
  }
  return failure_of(stream.report());
}

Outcome inspect(const operation::Case& value, std::span<const Inspected> memory) {
  const Inspected& out = memory.back();
  const tensor::Layout& layout = *out.buffer->layout;
  const std::size_t element_bytes = out.buffer->element_bytes(), size = out.after.size_bytes();
  const operation::TensorSpec spec = operation::output_spec(value.operation);
  Outcome outcome;
  outcome.output = tensor::Tensor(spec.format, spec.shape);
  tensor::gather_from(layout, element_bytes, out.after.data(), outcome.output.bytes());
  // With the elements put back as they were, whatever still differs is memory that no element occupies.
  thread_local std::vector<std::byte> before;  // Kept for its capacity.
  before.resize(outcome.output.bytes().size());
  tensor::gather_from(layout, element_bytes, {out.before, size}, before);
  tensor::scatter_to(layout, element_bytes, before, out.after.data());
  for (const Inspected& each : memory) {
    auto at = each.after.guard_damage();
    if (!at) at = each.after.difference(each.before);
    if (!at) continue;
    return failed(FailureClass::OutOfBoundsAccess, "run.guard",
                  stray_write(*each.buffer, *at, each.after.size_bytes()));
  }
  outcome.status = Outcome::Status::Completed;
  return outcome;
}

Outcome workspace_damage(std::size_t number, std::ptrdiff_t byte, std::size_t size_bytes) {
  return failed(FailureClass::OutOfBoundsAccess, "run.guard",
                write_outside(fmt::format("workspace {}", number), byte, size_bytes).value_or(""));
}

std::uint64_t workspace_pattern(operation::Poison poison) noexcept {
  return poison_pattern(poison, number::format(number::FormatId::F32));
}

operation::Poison other_poison(operation::Poison poison) noexcept {
  return poison == operation::Poison::Nan ? operation::Poison::Large : operation::Poison::Nan;
}

namespace {

bool holds(const tensor::Tensor& output, std::int64_t i, operation::Poison poison) {
  return output.get(i) == poison_word(poison, output.format());
}

}  // namespace

bool looks_unwritten(const operation::Case& value, const Outcome& outcome) {
  if (outcome.status != Outcome::Status::Completed) return false;
  if (std::holds_alternative<operation::Scatter>(value.operation)) return false;
  const std::uint64_t poison = poison_word(value.poison, outcome.output.format());
  for (std::int64_t i = 0; i < outcome.output.element_count(); ++i) {
    if (outcome.output.get(i) == poison) return true;
  }
  return false;
}

Outcome combine(const operation::Case& value, Outcome outcome, Outcome again) {
  if (again.status != Outcome::Status::Completed) return again;
  const operation::Poison other = other_poison(value.poison);
  const std::int64_t count = outcome.output.element_count();
  std::int64_t unwritten = 0, first = -1;
  for (std::int64_t i = 0; i < count; ++i) {
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
  result.failure->coordinates = tensor::coordinates_of(outcome.output.shape(), first);
  return result;
}

std::optional<Outcome> outside_limits(const operation::Case& value, const kernel::Kernel& kernel) {
  const auto why = operation::outside(kernel.limits, value.operation, value.layouts);
  if (!why) return std::nullopt;
  Outcome outcome;
  outcome.status = Outcome::Status::Refused;
  outcome.reason = *why;
  return outcome;
}

}  // namespace negzero::run
