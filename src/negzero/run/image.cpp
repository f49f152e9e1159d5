// The memory of a batch of cases, laid out, poisoned and guarded before the launches, and everything checked after
// them: the half of running that the process of a kernel has no part in.

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/parallel.hpp>
#include <negzero/base/printable.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/operation/views.hpp>
#include <negzero/protocol/guarded_buffer.hpp>
#include <negzero/protocol/islands.hpp>
#include <negzero/protocol/workspace.hpp>
#include <negzero/run/image.hpp>
#include <negzero/run/unwritten.hpp>
#include <negzero/tensor/half_bytes.hpp>
#include <negzero/tensor/placement.hpp>

namespace negzero::run {

namespace {

using verdict::FailureClass;

constexpr std::size_t kPageBytes = 4096;
/// What a launch without an element costs a GPU, in elements.
constexpr std::uint64_t kLaunchElements = 1024;

constexpr std::size_t rounded(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

/// Appends a buffer between guard zones to an image of `end` bytes; returns where its data begins.
std::size_t append(std::size_t& end, std::size_t size_bytes) {
  // Buffers that all begin at one place of a page share the sets of the first-level cache, and loads of one wait for
  // stores to another: without this a GEMM of 32^3 takes a tenth longer.
  constexpr std::size_t kColourStep = 5 * protocol::kBufferAlignment;
  const std::size_t at = rounded(end + protocol::kGuardBytes, protocol::kBufferAlignment) + kColourStep;
  end = at + size_bytes + protocol::kGuardBytes;
  return at;
}

bool is_output(const protocol::PlannedBuffer& buffer) {
  return buffer.use == protocol::BufferUse::Output || buffer.use == protocol::BufferUse::InitialisedOutput;
}

/// Whether it is the only one that says what its memory holds.
std::uint64_t pattern_of(const protocol::PlannedBuffer& buffer, operation::Poison poison) {
  const number::Format& format = number::format(buffer.format);
  return is_output(buffer) ? protocol::poison_pattern(poison, format) : protocol::input_poison_pattern(poison, format);
}
bool has_memory(const protocol::PlannedBuffer& buffer) { return buffer.use != protocol::BufferUse::InOutput; }

using Pieces = std::span<const protocol::Piece>;

/// The pieces of a buffer one behind the other, without guard zones, as Image keeps what they held before.
class Kept {
 public:
  explicit Kept(Pieces pieces) : pieces_(pieces.begin(), pieces.end()) {
    for (protocol::Piece& piece : pieces_) piece.at = std::exchange(size_bytes_, size_bytes_ + piece.size_bytes);
  }
  [[nodiscard]] Pieces pieces() const { return pieces_; }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::vector<protocol::Piece> pieces_;
  std::size_t size_bytes_ = 0;
};

void scatter(const protocol::PlannedBuffer& buffer, Pieces pieces, std::span<const std::byte> packed,
             std::byte* memory) {
  if (protocol::is_distant(buffer)) return protocol::scatter_to(buffer, pieces, packed, memory);
  tensor::scatter_to(buffer.layout, buffer.element_bytes(), packed,
                     {memory + pieces.front().at, pieces.front().size_bytes});
}
void gather(const protocol::PlannedBuffer& buffer, Pieces pieces, const std::byte* memory,
            std::span<std::byte> packed) {
  if (protocol::is_distant(buffer)) return protocol::gather_from(buffer, pieces, memory, packed);
  tensor::gather_from(buffer.layout, buffer.element_bytes(), {memory + pieces.front().at, pieces.front().size_bytes},
                      packed);
}

/// Bytes of all pieces of a buffer.
std::size_t kept_bytes(const protocol::PlannedBuffer& buffer) {
  return protocol::is_distant(buffer) ? Kept(protocol::pieces_of(buffer)).size_bytes() : buffer.size_bytes();
}

/// The bytes in the image that hold a tensor of half bytes.
std::span<std::byte> bytes_of(const protocol::PlannedBuffer& buffer, Pieces pieces, std::byte* image) {
  const protocol::Piece& whole = pieces.front();
  return std::span(image + whole.at, whole.size_bytes).subspan(static_cast<std::size_t>(buffer.layout.offset));
}

/// place() of half bytes. The padding of odd lines holds what memory held.
void place_halves(const operation::Counted& counted, const protocol::PlannedBuffer& buffer,
                  const tensor::Tensor& elements, Pieces pieces, std::byte* image) {
  if (elements.element_count() == 0) return;
  const std::span<std::byte> bytes = bytes_of(buffer, pieces, image);
  const std::uint64_t held = std::to_integer<std::uint64_t>(bytes.front());
  tensor::Tensor placed = elements;
  for (std::int64_t i = 0; i < elements.element_count() && !counted.all(); ++i) {
    if (!counted.holds(i)) placed.set(i, held);
  }
  tensor::pack_halves(placed, held, bytes);
}

/// The input whose elements a buffer holds at first.
std::string input_in(const operation::Case& value, const protocol::PlannedBuffer& buffer) {
  if (buffer.use != protocol::BufferUse::InitialisedOutput) return buffer.name;
  return value.in_place.empty() ? std::string(notation::kInitial) : value.in_place;
}

/// Puts elements where their layout says, but for those that do not count: what memory holds there stays. `image`:
/// memory in which `pieces` of the buffer have their places.
void place(const operation::Case& value, const protocol::PlannedBuffer& buffer, const tensor::Tensor& elements,
           Pieces pieces, std::byte* image) {
  const operation::Counted counted(value, input_in(value, buffer));
  if (elements.format().is_half_byte()) return place_halves(counted, buffer, elements, pieces, image);
  if (counted.all()) return scatter(buffer, pieces, elements.bytes(), image);
  const std::size_t size = buffer.element_bytes();
  for (std::int64_t i = 0; i < elements.element_count(); ++i) {
    if (!counted.holds(i)) continue;
    const auto from = elements.bytes().subspan(static_cast<std::size_t>(i) * size, size);
    const auto byte = static_cast<std::size_t>(buffer.layout.address(i)) * size;
    std::ranges::copy(from, image + protocol::place_of(pieces, byte));
  }
}

/// The first element that the line does not write and that is not as it was, in words; nothing where all are.
/// `before` and `after`: the elements of an output.
std::optional<std::string> write_to_the_rest(const operation::Case& value, const std::string& name,
                                             std::span<const std::byte> before, const tensor::Tensor& after) {
  if (value.operation.signature().accesses.empty()) return std::nullopt;
  const operation::Counted counted(value, name);
  if (counted.all()) return std::nullopt;
  tensor::Tensor earlier(after.format_id(), after.shape());
  if (after.format().is_half_byte()) {
    tensor::unpack_halves(before, earlier);
  } else {
    std::ranges::copy(before, earlier.bytes().begin());
  }
  for (std::int64_t i = 0; i < after.element_count(); ++i) {
    if (!counted.stays(i) || earlier.get(i) == after.get(i)) continue;
    return fmt::format("a write to {}[{}], which the line does not write", name,
                       fmt::join(tensor::coordinates_of(after.shape(), i), ", "));
  }
  return std::nullopt;
}

/// Where a stray write went, in words: `byte` counts from the start of the memory that the layout spans.
std::string stray_write(const protocol::PlannedBuffer& buffer, std::ptrdiff_t byte) {
  if (auto outside = protocol::write_outside(buffer.name, byte, buffer.size_bytes())) return *std::move(outside);
  const auto at = static_cast<std::size_t>(byte);
  if (!is_output(buffer)) return fmt::format("a write to input {}, at byte {}", buffer.name, at);
  const auto element = static_cast<std::int64_t>(at / buffer.element_bytes());
  return fmt::format("a write into the {} of {}, at element {} of its memory",
                     element < buffer.layout.offset ? "memory before the offset" : "padding", buffer.name, element);
}

/// Where a kernel finds a tensor: in bytes where two elements share one.
tensor::Layout memory_layout(const operation::Case& value, const operation::TensorSpec& spec) {
  return tensor::byte_layout(number::format(spec.format), value.layouts.at(spec.name));
}

std::int64_t line_of(const operation::TensorSpec& spec) { return spec.shape.empty() ? 1 : spec.shape.back(); }

}  // namespace

const tensor::Tensor* elements_of(const operation::Case& value, const protocol::PlannedBuffer& buffer) {
  if (buffer.use == protocol::BufferUse::Input) return &value.tensors.at(buffer.name);
  if (buffer.use != protocol::BufferUse::InitialisedOutput) return nullptr;
  return &value.tensors.at(input_in(value, buffer));
}

protocol::LaunchPlan plan_of(const Job& job, std::size_t& end) {
  const operation::Case& value = *job.value;
  protocol::LaunchPlan plan{.operation = value.operation, .poison = value.poison, .schedule = value.schedule};
  const auto add = [&](const operation::TensorSpec& spec, protocol::BufferUse use) {
    plan.buffers.push_back({spec.name, spec.format, memory_layout(value, spec), use, 0, line_of(spec)});
    protocol::PlannedBuffer& buffer = plan.buffers.back();
    buffer.keeps_halves = protocol::keeps_halves(value.operation, spec);
    buffer.at = append(end, protocol::image_bytes(buffer.layout, buffer.element_bytes()));
  };
  bool holds_input = false;
  const operation::ReadsAtZero reads{job.contract->reads_a_b(), job.contract->reads_c()};
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    if (operation::is_initial(value.operation, spec.name)) continue;
    const bool is_read = operation::when_unread(value.operation, spec.name, reads).empty();
    if (spec.name == value.in_place) {
      holds_input = is_read;
      plan.buffers.push_back(
          {spec.name, spec.format, memory_layout(value, spec), protocol::BufferUse::InOutput, 0, line_of(spec)});
      continue;
    }
    add(spec, is_read ? protocol::BufferUse::Input : protocol::BufferUse::UnreadInput);
  }
  const bool is_update = value.operation.signature().is_update;
  std::optional<std::uint64_t> first_output;
  for (const operation::TensorSpec& spec : operation::output_specs(value.operation)) {
    const bool is_initialised = is_update || (holds_input && !first_output);
    add(spec, is_initialised ? protocol::BufferUse::InitialisedOutput : protocol::BufferUse::Output);
    if (!first_output) first_output = plan.buffers.back().at;
  }
  for (protocol::PlannedBuffer& buffer : plan.buffers) {
    if (buffer.use == protocol::BufferUse::InOutput) buffer.at = *first_output;
  }
  for (const auto& [name, tensor] : value.tensors) plan.elements += static_cast<std::uint64_t>(tensor.element_count());
  end = rounded(end, kPageBytes);
  return plan;
}

bool is_distant(const Job& job) {
  return std::ranges::any_of(job.value->layouts, [](const auto& named) { return tensor::is_distant(named.second); });
}

std::size_t image_bytes(const Job& job) {
  std::size_t end = 0;
  for (const operation::TensorSpec& spec : operation::tensor_specs(job.value->operation)) {
    if (operation::is_initial(job.value->operation, spec.name) || spec.name == job.value->in_place) continue;
    const auto bytes = static_cast<std::size_t>(number::format(spec.format).bytes());
    append(end, protocol::image_bytes(memory_layout(*job.value, spec), bytes));
  }
  return rounded(end, kPageBytes) + kPageBytes;
}

std::size_t most_image_bytes(std::span<const Turn> turns) {
  std::size_t most = 0;
  for (const Turn& turn : turns) most = std::max(most, image_bytes(turn.job));
  return most;
}

void Image::start(OutputPoison output, std::size_t at) {
  jobs_.clear();
  plans_.clear();
  before_at_.clear();
  before_bytes_ = 0;
  output_ = output;
  size_bytes_ = at;
}

protocol::LaunchPlan& Image::add(const Job& job) {
  jobs_.push_back(job);
  before_at_.push_back(before_bytes_);
  protocol::LaunchPlan& plan = plans_.emplace_back(plan_of(job, size_bytes_));
  for (const protocol::PlannedBuffer& buffer : plan.buffers) {
    if (has_memory(buffer)) before_bytes_ += kept_bytes(buffer);
  }
  return plan;
}

void Image::lay_out(std::span<const Job> jobs, OutputPoison output, const Spot& place) {
  start(output, place.at);
  std::vector<std::uint64_t> loads(place.streams);
  for (const Job& job : jobs) {
    protocol::LaunchPlan& plan = add(job);
    // One case in a hundred takes as long as all the others.
    const auto idle = std::ranges::min_element(loads);
    *idle += plan.elements + kLaunchElements;
    plan.stream = static_cast<std::uint8_t>(place.stream + (idle - loads.begin()));
  }
}

std::size_t parts_at(std::span<const Turn> turns, std::size_t room_bytes) {
  std::size_t chains = 0;
  for (const Turn& turn : turns) chains = std::max<std::size_t>(chains, turn.chain + 1);
  return 2 * chains * room_bytes;
}

void Image::lay_out_in_turn(std::span<const Turn> turns, std::size_t room_bytes) {
  start(OutputPoison::Own, parts_at(turns, room_bytes));
  for (const Turn& turn : turns) {
    const std::size_t begin = size_bytes_;
    protocol::LaunchPlan& plan = add(turn.job);
    plan.moved = begin - room_bytes * (2 * turn.chain + (turn.other.storage ? 1 : 0));
    plan.stream = static_cast<std::uint8_t>(2 * turn.chain + (turn.other.stream ? 1 : 0));
  }
}

void Image::configure(const operation::Options& options) {
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    plans_[i].configuration = operation::whole(options, jobs_[i].value->configuration);
  }
}

void Image::fill(std::byte* memory, std::size_t threads) {
  before_.resize(before_bytes_);
  base::parallel_for(threads, jobs_.size(), [&](std::size_t i) {
    std::byte* before = before_.data() + before_at_[i];
    const operation::Case& value = *jobs_[i].value;
    for (const protocol::PlannedBuffer& buffer : plans_[i].buffers) {
      if (!has_memory(buffer)) continue;
      const bool other = is_output(buffer) && output_ == OutputPoison::Other;
      const operation::Poison poison = other ? other_poison(value.poison) : value.poison;
      const std::vector<protocol::Piece> pieces = protocol::pieces_of(buffer);
      const std::uint64_t pattern = pattern_of(buffer, poison);
      for (const protocol::Piece& piece : pieces) {
        protocol::GuardedRegion(memory + piece.at, piece.size_bytes, pattern).poison();
      }
      if (const tensor::Tensor* elements = elements_of(value, buffer)) {
        place(value, buffer, *elements, pieces, memory);
      }
      for (const protocol::Piece& piece : pieces) {
        before = std::copy_n(memory + piece.at, piece.size_bytes, before);
      }
    }
  });
}

Outcome Image::outcome(std::size_t i, protocol::LaunchOutcome launched, std::byte* memory) const {
  // What is not trusted has written these: no line of theirs may look like one of ours.
  launched.message = base::one_line(launched.message, ' ');
  for (std::string& warning : launched.warnings) warning = base::one_line(warning, ' ');
  if (launched.status == protocol::LaunchOutcome::Status::Error) return error(std::move(launched.message));
  // After these the launch has ended as it should: the outputs are there, and what else is wrong comes first.
  const bool goes_on = launched.fault == protocol::Fault::Guard || launched.fault == protocol::Fault::EqualStores;
  const auto failing = [&launched](protocol::Fault fault, std::string message) {
    Outcome outcome = failed(fault, std::move(message));
    outcome.warnings = std::move(launched.warnings);
    return outcome;
  };
  if (launched.status == protocol::LaunchOutcome::Status::Failed && !goes_on) {
    return failing(launched.fault, std::move(launched.message));
  }
  const operation::Case& value = *jobs_[i].value;
  const protocol::LaunchPlan& plan = plans_[i];
  Outcome outcome;
  thread_local std::vector<std::byte> packed;  // Kept for its capacity, from case to case.
  const std::byte* before = before_.data() + before_at_[i];
  for (const protocol::PlannedBuffer& buffer : plan.buffers) {
    if (!has_memory(buffer)) continue;
    const bool other = is_output(buffer) && output_ == OutputPoison::Other;
    const std::uint64_t pattern = pattern_of(buffer, other ? other_poison(value.poison) : value.poison);
    const std::vector<protocol::Piece> pieces = protocol::pieces_of(buffer);
    const Kept kept(pieces);
    if (is_output(buffer)) {
      const bool is_half = number::format(buffer.format).is_half_byte();
      tensor::Tensor& output = outcome.outputs.emplace_back(
          buffer.format, is_half ? value.layouts.at(buffer.name).shape : buffer.layout.shape);
      packed.resize(static_cast<std::size_t>(buffer.layout.element_count()) * buffer.element_bytes());
      gather(buffer, pieces, memory, is_half ? std::span<std::byte>(packed) : output.bytes());
      if (is_half) tensor::unpack_halves(packed, output);
      // With the elements put back as they were, whatever still differs is memory that no element occupies. The padding
      // of half bytes is free: a kernel writes whole bytes.
      gather(buffer, kept.pieces(), before, packed);
      auto stray = looks_at_the_rest_ ? write_to_the_rest(value, buffer.name, packed, output) : std::nullopt;
      if (stray) return failing(protocol::Fault::Guard, *std::move(stray));
      scatter(buffer, pieces, packed, memory);
      // Nothing that looks at outputs asks which elements count: the others are alike, and no poison.
      operation::set_padding(value, buffer.name, output, 0);
    }
    for (const protocol::Piece& piece : pieces) {
      const protocol::GuardedRegion after(memory + piece.at, piece.size_bytes, pattern);
      auto at = after.guard_damage();
      if (!at) at = after.difference(before);
      if (at) {
        const std::ptrdiff_t byte = static_cast<std::ptrdiff_t>(piece.begin) + *at;
        return failing(protocol::Fault::Guard, stray_write(buffer, byte));
      }
      before += piece.size_bytes;
    }
  }
  if (launched.status == protocol::LaunchOutcome::Status::Failed) {
    Outcome ended = failing(launched.fault, std::move(launched.message));
    if (launched.fault == protocol::Fault::EqualStores) ended.outputs = std::move(outcome.outputs);
    return ended;
  }
  outcome.status = Outcome::Status::Completed;
  outcome.warnings = std::move(launched.warnings);
  return outcome;
}

std::optional<Outcome> outside_limits(const operation::Case& value, const kernel::Kernel& kernel) {
  auto why = operation::outside(kernel.limits, value);
  // A kernel gets the bits of alpha and beta, and takes them for those of the format that it declares.
  const std::optional<number::FormatId>& taken = kernel.contract.scalar_format;
  for (std::size_t i = 0; i < value.operation.scalars().size(); ++i) {
    if (value.operation.signature().scalars[i].is_whole()) continue;
    const operation::Scalar& scalar = value.operation.scalars()[i];
    if (!why && taken && scalar.format != *taken) {
      why = fmt::format("alpha or beta is {}, and the kernel takes {} (scalar_format of its contract)",
                        number::format(scalar.format).name, number::format(*taken).name);
    }
  }
  if (!why) return std::nullopt;
  Outcome outcome;
  outcome.status = Outcome::Status::Refused;
  outcome.reason = *why;
  return outcome;
}

}  // namespace negzero::run
