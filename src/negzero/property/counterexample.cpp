// A case and a failure as text that a person can read.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/printable.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/run/guarded_buffer.hpp>
#include <negzero/run/image.hpp>

namespace negzero::property {

namespace {

// Of one tensor: what fits on a screen, lines that are no wider than one. Of more, the first lines and the last ones
// are shown (what goes wrong at the end of a dimension stands there), where that leaves out a third at least.
constexpr std::int64_t kFirstLines = 10, kLastLines = 6, kMaxInLine = 8;
// Equal elements in a row that are written as one.
constexpr std::int64_t kManyEqual = 4;

std::string value_text(const number::Format& format, std::uint64_t word) {
  return format.is_integer() ? number::to_decimal(format, word) : number::with_bits(format, word);
}

std::string format_name(number::FormatId id) { return std::string(number::format(id).name); }

std::string scalar_text(const operation::Scalar& scalar) {
  return number::to_decimal(number::format(scalar.format), scalar.bits);
}

/// What stands on one line: elements of one row.
struct Line {
  std::string text;
  std::int64_t begin = 0;  ///< its first element
  int pieces = 0;
};

/// Each row of the last dimension on a line, or on several where it is long; many equal elements in a row are one
/// piece.
std::vector<Line> lines_of(const tensor::Tensor& tensor, const std::string& indent) {
  const std::int64_t count = tensor.element_count();
  const std::int64_t width = tensor.shape().empty() ? 1 : std::max<std::int64_t>(1, tensor.shape().back());
  const auto equal_from = [&](std::int64_t begin, std::int64_t limit) {
    std::int64_t end = begin + 1;
    while (end < limit && tensor.get(end) == tensor.get(begin)) ++end;
    return end;
  };
  if (count > 1 && equal_from(0, count) == count) {
    return {{fmt::format("\n{}  {} times {}", indent, count, value_text(tensor.format(), tensor.get(0)))}};
  }
  std::vector<Line> lines;
  for (std::int64_t i = 0; i < count;) {
    const bool starts_row = i % width == 0;
    if (starts_row || lines.back().pieces == kMaxInLine) {
      lines.push_back({fmt::format("\n{}{}", indent, starts_row ? "  " : "    "), i});
    }
    const std::int64_t run = equal_from(i, i - i % width + width) - i;
    const std::string value = value_text(tensor.format(), tensor.get(i));
    const bool is_one = run >= kManyEqual;
    i += is_one ? run : 1;
    lines.back().text += (is_one ? fmt::format("{} times {}", run, value) : value) + (i < count ? ", " : "");
    ++lines.back().pieces;
  }
  return lines;
}

/// Elements, as many as fit on a screen.
std::string elements(const tensor::Tensor& tensor, const std::string& indent) {
  const std::vector<Line> lines = lines_of(tensor, indent);
  const auto all = static_cast<std::int64_t>(lines.size()), shown = kFirstLines + kLastLines;
  const bool is_cut = all > shown && 3 * (all - shown) >= all;
  std::string text;
  for (std::int64_t number = 0; number < all; ++number) {
    if (is_cut && number == kFirstLines) {
      number = all - kLastLines;
      text += fmt::format("\n{}  ... {} more (`negzero show CASE --json` has all) ...", indent,
                          lines[static_cast<std::size_t>(number)].begin - lines[kFirstLines].begin);
    }
    text += lines[static_cast<std::size_t>(number)].text;
  }
  return text;
}

/// What a kernel sees where a buffer holds no elements.
std::string poison_text(const operation::Case& value, const run::PlannedBuffer& buffer) {
  const number::Format& format = number::format(buffer.format);
  return value_text(format, run::poison_word(value.poison, format));
}

/// What a kernel sees of an input: poison in the place of elements that do not count.
tensor::Tensor seen(const operation::Case& value, const operation::TensorSpec& spec) {
  tensor::Tensor elements = value.tensors.at(spec.name);
  operation::set_padding(value, spec.name, elements, run::poison_word(value.poison, elements.format()));
  return elements;
}

/// What an operand's values do not show of the memory that the kernel sees.
std::string memory_text(const operation::Case& value, const contract::Contract& contract,
                        const run::PlannedBuffer& buffer) {
  const std::string poison = poison_text(value, buffer);
  if (run::elements_of(value, buffer) != nullptr) {
    return operation::Counted(value, buffer.name).all() ? "" : fmt::format(" (padding: the kernel sees {})", poison);
  }
  if (buffer.use == run::BufferUse::UnreadInput) {
    const std::string_view unread = run::when_unread(value, contract, buffer.name);
    return fmt::format(" (not to be read {}: the kernel sees {})", unread, poison);
  }
  return fmt::format(" (before the launch: {})", poison);
}

const oracle::Rule* find_rule(const std::string& id) {
  for (const oracle::Rule& rule : oracle::rules()) {
    if (rule.id == id) return &rule;
  }
  return nullptr;
}

}  // namespace

std::string describe(const operation::Operation& operation) {
  const operation::Signature& signature = operation.signature();
  std::vector<std::string> extents, from, scalars;
  for (const auto& [name, value] : operation::extents_of(operation))
    extents.push_back(fmt::format("{} {}", name, value));
  const auto formats = operation.formats();
  for (const number::FormatId id : formats) from.push_back(format_name(id));
  std::string to;
  if (formats.size() > signature.factors.size()) {
    to = " -> " + from.back();
    from.pop_back();
  }
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    scalars.push_back(fmt::format("{} {}", signature.scalars[i].name, scalar_text(operation.scalars()[i])));
  }
  return fmt::format("{}  {}  ({}{}){}{}", signature.name, fmt::join(extents, ", "), fmt::join(from, ", "), to,
                     scalars.empty() ? "" : "  ", fmt::join(scalars, ", "));
}

std::string describe(const operation::Case& value, const contract::Contract* contract, const std::string& indent) {
  std::string text = indent + describe(value.operation);
  const contract::Contract unknown{.reads_a_b_at_alpha_zero = true, .reads_c_at_beta_zero = true};
  const contract::Contract& known = contract == nullptr ? unknown : *contract;
  std::size_t image_bytes = 0;
  const auto buffers = run::plan_of({&value, &known}, image_bytes).buffers;
  const auto buffer_of = [&](const std::string& name) {
    return std::ranges::find(buffers, name, &run::PlannedBuffer::name);
  };
  const auto say = [&](const operation::TensorSpec& spec) {
    const auto buffer = buffer_of(spec.name);
    text += fmt::format("\n{}{} {}[{}]{}", indent, spec.name, format_name(spec.format), fmt::join(spec.shape, ", "),
                        buffer == buffers.end() ? "" : memory_text(value, known, *buffer));
  };
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    say(spec);
    // What may not be read cannot matter.
    const auto buffer = buffer_of(spec.name);
    const bool is_read = buffer == buffers.end() || buffer->use != run::BufferUse::UnreadInput;
    if (is_read) text += elements(seen(value, spec), indent);
  }
  for (const operation::TensorSpec& spec : operation::output_specs(value.operation)) {
    if (!value.operation.signature().is_update) say(spec);
  }
  for (const auto& [name, layout] : value.layouts) {
    if (layout == tensor::Layout::packed(layout.shape)) continue;
    text += fmt::format("\n{}layout of {}: strides [{}], offset {} elements", indent, name,
                        fmt::join(layout.strides, ", "), layout.offset);
    // A scatter's initial values lie in its output.
    const auto buffer = buffer_of(name);
    if (buffer != buffers.end() && layout.extent() > layout.element_count()) {
      text += fmt::format("; where no element lies, the kernel sees {}", poison_text(value, *buffer));
    }
  }
  if (value.poison == operation::Poison::Large) {
    text += fmt::format("\n{}poison: the largest finite number", indent);
  }
  if (value.schedule != operation::Schedule{}) {
    using Order = operation::Schedule::Order;
    text += fmt::format("\n{}schedule: {}{}, seed {}", indent,
                        value.schedule.order == Order::Forward    ? "forward"
                        : value.schedule.order == Order::Backward ? "backward"
                                                                  : "random",
                        value.schedule.preempt ? " with preemption" : "", value.schedule.seed);
  }
  if (!value.strategy.empty()) {
    text += fmt::format("\n{}strategy {}, seed {}, index {}", indent, base::one_line(value.strategy), value.seed,
                        value.index);
  }
  return text;
}

std::string counterexample(const kernel::Kernel& kernel, const operation::Case& value,
                           const operation::Failure& failure, const std::string& replay) {
  std::string text = fmt::format("FAIL  {}  {}\n", kernel.name, operation::name(failure.kind));
  if (!kernel.about.empty()) text += fmt::format("  kernel     {}\n", kernel.about);
  text += fmt::format("  claim      {}\n", base::one_line(failure.message));
  const auto contract = contract_of(value, kernel);
  text += fmt::format("  case\n{}\n", describe(value, contract ? &*contract : nullptr, "             "));
  if (failure.element >= 0) {
    text += fmt::format("  observed   {}[{}] = {}\n", failure.output, fmt::join(failure.coordinates, ", "),
                        failure.observed_text);
  }
  if (!failure.permitted_text.empty()) text += fmt::format("  permitted  {}\n", failure.permitted_text);
  if (const oracle::Rule* rule = find_rule(failure.rule)) {
    text += fmt::format("  rule       {}: {}\n             [{}]\n", rule->id, rule->claim, rule->source);
  } else {
    text += fmt::format("  rule       {}\n", failure.rule);
  }
  if (contract) text += fmt::format("  contract   {}\n", contract::describe(*contract));
  for (const std::string& other : failure.permitted_under) {
    text += fmt::format("  hint       {}\n", oracle::hint_of(other));
  }
  if (kernel.limits.formats.empty()) {
    text += "  hint       the kernel's limits name no formats, so cases of every format are made for it\n";
  }
  if (!replay.empty()) text += fmt::format("  replay     {}\n", replay);
  return text;
}

}  // namespace negzero::property
