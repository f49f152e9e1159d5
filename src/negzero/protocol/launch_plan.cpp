// All that a process which runs a kernel is told of a launch, and what it answers; the elements lie in an image that
// both sides see.

#include <algorithm>
#include <set>
#include <type_traits>

#include <negzero/base/words.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/protocol/islands.hpp>
#include <negzero/protocol/launch_plan.hpp>
#include <negzero/tensor/half_bytes.hpp>

namespace negzero::protocol {

namespace {

constexpr base::Words<BufferUse, 5> kUses{{"input", "unread_input", "output", "initialised_output", "in_output"}};
constexpr base::Words<LaunchOutcome::Status, 4> kStatuses{{"done", "failed", "error", "lost"}};
static_assert(kUses.name(BufferUse::InOutput) == "in_output");
static_assert(kStatuses.name(LaunchOutcome::Status::Lost) == "lost");

/// A word that `parse` knows; any other one spoils the reader.
template <typename Parse>
auto read_word(base::ByteReader& from, const Parse& parse) {
  const auto value = parse(from.text(kMostWord));
  if (!value) from.spoil();
  return value.value_or(typename std::remove_cvref_t<decltype(value)>::value_type{});
}

/// A name that must be this one.
void read_name(base::ByteReader& from, std::string_view name) {
  if (from.text(notation::kMostTensorName) != name) from.spoil();
}

/// How many things follow, which must be so many.
void read_count(base::ByteReader& from, std::size_t count) {
  if (from.u8() != count) from.spoil();
}

void write_format(base::ByteWriter& to, number::FormatId format) { to.text(number::format(format).name); }

number::FormatId read_format(base::ByteReader& from) { return read_word(from, number::parse_format); }

void write_operation(base::ByteWriter& to, const operation::Operation& operation) {
  const notation::Signature& signature = operation.signature();
  to.text(signature.identity());
  to.u8(static_cast<std::uint8_t>(signature.extents.size()));
  for (std::size_t i = 0; i < signature.extents.size(); ++i) {
    to.text(signature.extents[i]);
    to.i64(operation.extents()[i]);
  }
  const auto formats = operation.named_formats();
  to.u8(static_cast<std::uint8_t>(formats.size()));
  for (std::size_t i = 0; i < formats.size(); ++i) {
    to.text(signature.formats[i]);
    write_format(to, formats[i]);
  }
  to.u8(static_cast<std::uint8_t>(signature.scalars.size()));
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    to.text(signature.scalars[i].name);
    write_format(to, operation.scalars()[i].format);
    to.u64(operation.scalars()[i].bits);
  }
}

std::optional<operation::Operation> read_operation(base::ByteReader& from) {
  auto operation = operation::operation_named(from.text(notation::kMostLine));
  if (!operation) return std::nullopt;
  const notation::Signature& signature = operation->signature();
  read_count(from, signature.extents.size());
  for (std::size_t i = 0; i < signature.extents.size(); ++i) {
    read_name(from, signature.extents[i]);
    operation->extents()[i] = from.i64();
  }
  const std::size_t named = from.u8();
  if (named < signature.own_formats || named > signature.formats.size()) from.spoil();
  std::vector<number::FormatId> formats;
  for (std::size_t i = 0; i < named && from.ok(); ++i) {
    read_name(from, signature.formats[i]);
    formats.push_back(read_format(from));
  }
  if (from.ok()) operation->set_formats(formats);
  read_count(from, signature.scalars.size());
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    read_name(from, signature.scalars[i].name);
    const number::FormatId format = read_format(from);
    operation->scalars()[i] = {format, from.u64()};
  }
  return from.ok() ? operation : std::nullopt;
}

void write_layout(base::ByteWriter& to, const tensor::Layout& layout) {
  to.u8(static_cast<std::uint8_t>(layout.shape.size()));
  for (const std::int64_t extent : layout.shape) to.i64(extent);
  for (const std::int64_t stride : layout.strides) to.i64(stride);
  to.i64(layout.offset);
}

tensor::Layout read_layout(base::ByteReader& from) {
  const auto rank = static_cast<std::size_t>(from.at_most(from.u8(), tensor::kMaxRank));
  tensor::Layout layout;
  for (std::size_t i = 0; i < rank; ++i) layout.shape.push_back(from.i64());
  for (std::size_t i = 0; i < rank; ++i) layout.strides.push_back(from.i64());
  layout.offset = from.i64();
  return layout;
}

operation::Configuration read_configuration(base::ByteReader& from) {
  operation::Configuration configuration;
  const auto options = from.at_most(from.u8(), operation::kMostOptions);
  for (std::uint64_t i = 0; i < options && from.ok(); ++i) {
    const std::string_view name = from.text(operation::kMostOptionName);
    const bool ascends = configuration.empty() || configuration.rbegin()->first < name;
    if (!ascends || !operation::is_option_name(name)) from.spoil();
    configuration.emplace_hint(configuration.end(), name, from.i64());
  }
  return configuration;
}

/// The tensors of an operation that have memory of their own, in the order of LaunchPlan::buffers.
std::vector<operation::TensorSpec> tensors_in_memory(const operation::Operation& operation) {
  std::vector<operation::TensorSpec> tensors = operation::tensor_specs(operation);
  std::erase_if(tensors,
                [&](const operation::TensorSpec& spec) { return operation::is_initial(operation, spec.name); });
  return tensors;
}

/// Whether what lies in the first output's memory lies there all of it, and is an input that may.
bool shares_well(const LaunchPlan& plan) {
  const std::size_t first_output = plan.buffers.size() - plan.operation.signature().outputs.size();
  const PlannedBuffer& output = plan.buffers[first_output];
  std::size_t sharing = 0;
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.use != BufferUse::InOutput) continue;
    const bool is_alike = buffer.at == output.at && buffer.layout == output.layout;
    if (++sharing > 1 || !is_alike || !operation::may_be_in_place(plan.operation, buffer.name)) return false;
  }
  return true;
}

std::string cut(const std::string& text) { return text.substr(0, kMostText); }

}  // namespace

bool keeps_halves(const operation::Operation& operation, const operation::TensorSpec& tensor) {
  const auto is_of = [&](const notation::Access& access) { return access.writes && access.tensor == tensor.name; };
  return number::format(tensor.format).is_half_byte() && std::ranges::any_of(operation.signature().accesses, is_of);
}

Part part_of(const LaunchPlan& plan) {
  const PlannedBuffer& last = plan.buffers.back();
  const bool shares = plan.buffers.front().use == BufferUse::InOutput;
  const std::size_t begin = plan.buffers[shares ? 1 : 0].at - kGuardBytes;
  return {begin, last.at + image_bytes(last.layout, last.element_bytes()) + kGuardBytes - begin};
}

void write(base::ByteWriter& to, const LaunchPlan& plan) {
  write_operation(to, plan.operation);
  to.u8(static_cast<std::uint8_t>(plan.buffers.size()));
  for (const PlannedBuffer& buffer : plan.buffers) {
    to.text(buffer.name);
    write_format(to, buffer.format);
    write_layout(to, buffer.layout);
    to.text(kUses.name(buffer.use));
    to.u64(buffer.at);
  }
  to.text(operation::name(plan.poison));
  to.text(operation::name(plan.schedule.order));
  to.u8(static_cast<std::uint8_t>((plan.schedule.preempt ? 1 : 0) + 2 * static_cast<int>(plan.schedule.rounding)));
  to.u64(plan.schedule.seed);
  to.u64(plan.elements);
  to.u8(plan.stream);
  to.u64(plan.moved);
  to.u8(static_cast<std::uint8_t>(plan.configuration.size()));
  for (const auto& [option, value] : plan.configuration) {
    to.text(option);
    to.i64(value);
  }
}

std::optional<LaunchPlan> read_plan(base::ByteReader& from, std::uint64_t whole_bytes) {
  auto operation = read_operation(from);
  if (!operation || !operation::validate(*operation)) return std::nullopt;
  LaunchPlan plan{.operation = *operation};
  const std::vector<operation::TensorSpec> tensors = tensors_in_memory(*operation);
  const std::vector<std::string> optional = operation::optional_inputs(operation->signature());
  const std::size_t buffers = from.u8();
  std::set<std::string> names;  // of buffers, from which the variant follows
  std::uint64_t end = 0;        // Of the buffer before, with its guard zone.
  for (auto next = tensors.begin(); names.size() < buffers; ++next) {
    PlannedBuffer buffer;
    buffer.name = from.text(notation::kMostTensorName);
    next = std::find_if(next, tensors.end(), [&](const operation::TensorSpec& tensor) {
      return tensor.name == buffer.name || std::ranges::find(optional, tensor.name) == optional.end();
    });
    if (next == tensors.end() || !names.insert(buffer.name).second) return std::nullopt;
    const operation::TensorSpec& tensor = *next;
    buffer.format = read_format(from);
    buffer.layout = read_layout(from);
    buffer.use = read_word(from, [](std::string_view word) { return kUses.parse(word); });
    buffer.at = from.u64();
    if (!from.ok() || !tensor::validate(buffer.layout, buffer.name)) return std::nullopt;
    const bool is_the_tensor = buffer.name == tensor.name && buffer.format == tensor.format &&
                               buffer.layout.shape == tensor::byte_shape(number::format(tensor.format), tensor.shape);
    if (!is_the_tensor || buffer.at % kBufferAlignment != 0) return std::nullopt;
    buffer.line = tensor.shape.empty() ? 1 : tensor.shape.back();
    buffer.keeps_halves = keeps_halves(*operation, tensor);
    if (buffer.use == BufferUse::InOutput) {
      plan.buffers.push_back(std::move(buffer));
      continue;
    }
    const bool begins_inside = buffer.at <= whole_bytes && buffer.at >= end && buffer.at - end >= kGuardBytes;
    if (!begins_inside || (is_distant(buffer) && !tensor::islands_of(buffer.layout, buffer.element_bytes()))) {
      return std::nullopt;
    }
    const std::size_t bytes = image_bytes(buffer.layout, buffer.element_bytes());
    if (whole_bytes - buffer.at < bytes + kGuardBytes) return std::nullopt;
    end = buffer.at + bytes + kGuardBytes;
    plan.buffers.push_back(std::move(buffer));
  }
  plan.operation.set_variant(operation::variant_with(plan.operation.signature(),
                                                     [&](const std::string& name) { return names.contains(name); }));
  if (plan.buffers.size() != tensors_in_memory(plan.operation).size() || !shares_well(plan)) return std::nullopt;
  plan.poison = read_word(from, operation::parse_poison);
  plan.schedule.order = read_word(from, operation::parse_order);
  const std::uint64_t how = from.at_most(from.u8(), 1 + 2 * static_cast<std::uint64_t>(base::Rounding::Upward));
  plan.schedule.preempt = how % 2 != 0;
  plan.schedule.rounding = static_cast<base::Rounding>(how / 2);
  plan.schedule.seed = from.u64();
  plan.elements = from.u64();
  plan.stream = static_cast<std::uint8_t>(from.at_most(from.u8(), kStreams - 1));
  plan.moved = from.u64();
  plan.configuration = read_configuration(from);
  if (!from.ok() || plan.moved > part_of(plan).begin || plan.moved % kBufferAlignment != 0) return std::nullopt;
  return plan;
}

void write(base::ByteWriter& to, const LaunchOutcome& outcome) {
  to.text(kStatuses.name(outcome.status));
  to.text(outcome.status == LaunchOutcome::Status::Failed ? row(outcome.fault).word : std::string_view());
  to.text(cut(outcome.message));
  to.u32(outcome.took_us);
  to.u8(outcome.spoilt ? 1 : 0);
  const auto warnings = std::min<std::size_t>(outcome.warnings.size(), kMostWarnings);
  to.u8(static_cast<std::uint8_t>(warnings));
  for (std::size_t i = 0; i < warnings; ++i) to.text(cut(outcome.warnings[i]));
  const auto covered = std::min(outcome.covered.size(), watch::Coverage::kMost);
  to.u32(static_cast<std::uint32_t>(covered));
  for (std::size_t i = 0; i < covered; ++i) {
    to.u32(outcome.covered[i].place);
    to.u32(outcome.covered[i].times);
  }
}

LaunchOutcome read_outcome(base::ByteReader& from) {
  LaunchOutcome outcome;
  outcome.status = read_word(from, [](std::string_view word) { return kStatuses.parse(word); });
  const std::string_view fault = from.text(kMostWord);
  const auto named = fault_named(fault);
  const bool is_failed = outcome.status == LaunchOutcome::Status::Failed;
  if (is_failed ? !named : !fault.empty()) from.spoil();
  if (is_failed) outcome.fault = named.value_or(Fault::BadLaunch);
  outcome.message = from.text(kMostText);
  if (!from.has_more()) return outcome;
  outcome.took_us = from.u32();
  outcome.spoilt = from.at_most(from.u8(), 1) != 0;
  const auto warnings = from.at_most(from.u8(), kMostWarnings);
  for (std::uint64_t i = 0; i < warnings && from.ok(); ++i) outcome.warnings.emplace_back(from.text(kMostText));
  const auto covered = from.at_most(from.u32(), watch::Coverage::kMost);
  for (std::uint64_t i = 0; i < covered && from.ok(); ++i) {
    const std::uint32_t place = from.u32();
    outcome.covered.push_back({place, from.u32()});
  }
  return outcome;
}

}  // namespace negzero::protocol
