// A case and a failure as text that a person can read.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/printable.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/judgement/hints.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/operation/poison.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/tensor/islands.hpp>

namespace negzero::judgement {

namespace {

// Of one tensor: what fits on a screen, lines that are no wider than one. Of more, the first lines and the last ones
// are shown (what goes wrong at the end of a dimension stands there), where that leaves out a third at least.
constexpr std::int64_t kFirstLines = 10, kLastLines = 6, kMaxInLine = 8;
// Equal elements in a row, and equal rows, that are written as one.
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

/// Each row of the last dimension on a line, or on several where it is long. Many equal elements in a row are one
/// piece, and so are many equal rows: a column is written as a row is.
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
  const auto is_row = [&](std::int64_t begin, std::int64_t other) {
    std::int64_t i = 0;
    while (i < width && tensor.get(begin + i) == tensor.get(other + i)) ++i;
    return i == width;
  };
  std::vector<Line> lines;
  for (std::int64_t row = 0, next = 0; row < count; row = next) {
    next = row + width;
    while (next < count && is_row(row, next)) next += width;
    const std::int64_t rows = (next - row) / width;
    const bool is_several = rows >= kManyEqual;
    if (!is_several) next = row + width;
    const std::string many = is_several ? fmt::format("{} {} ", rows, width == 1 ? "times" : "rows of") : "";
    lines.push_back({fmt::format("\n{}  {}", indent, many), row});
    for (std::int64_t i = row; i < row + width;) {
      if (lines.back().pieces == kMaxInLine) lines.push_back({fmt::format("\n{}    ", indent), i});
      const std::int64_t run = equal_from(i, row + width) - i;
      const std::string value = value_text(tensor.format(), tensor.get(i));
      const bool is_one = run >= kManyEqual;
      i += is_one ? run : 1;
      const bool is_last = i == row + width && next == count;
      lines.back().text += (is_one ? fmt::format("{} times {}", run, value) : value) + (is_last ? "" : ", ");
      ++lines.back().pieces;
    }
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

/// What an output's memory holds at first.
std::string poison_text(const operation::Case& value, number::FormatId id) {
  const number::Format& format = number::format(id);
  return value_text(format, operation::poison_word(value.poison, format));
}

/// What an input's memory holds where no element lies.
std::string input_poison_text(const operation::Case& value, number::FormatId id) {
  const number::Format& format = number::format(id);
  return value_text(format, operation::input_poison_word(value.poison, format));
}

/// What a kernel sees of an input: poison in the place of elements that do not count.
tensor::Tensor seen(const operation::Case& value, const operation::TensorSpec& spec) {
  tensor::Tensor elements = value.tensors.at(spec.name);
  operation::set_padding(value, spec.name, elements, operation::input_poison_word(value.poison, elements.format()));
  return elements;
}

}  // namespace

std::string describe(const operation::Operation& operation) {
  const notation::Signature& signature = operation.signature();
  std::vector<std::string> extents, from, scalars;
  for (const auto& [name, value] : operation::extents_of(operation))
    extents.push_back(fmt::format("{} {}", name, value));
  const auto named = operation.named_formats();
  if (std::string without = operation::absent_text(signature); !without.empty()) extents.push_back(std::move(without));
  // Nothing lies in the format of an input that is absent.
  const auto is_absent = [&](std::size_t slot) { return operation::is_absent(signature, signature.formats[slot]); };
  for (std::size_t i = 0; i < signature.own_formats; ++i) {
    if (!is_absent(i)) from.push_back(format_name(named[i]));
  }
  std::string to;
  if (signature.is_declared) {
    // Behind the inputs' formats the outputs'; those of indices and counts follow where they are not I32.
    std::vector<std::string> outputs;
    for (const notation::OutputSignature& output : signature.outputs) {
      if (signature.tensors[output.tensor].format < signature.own_formats) {
        outputs.insert(outputs.begin(), std::move(from.back()));
        from.pop_back();
      }
    }
    to = fmt::format("{}-> {}", from.empty() ? "" : " ", fmt::join(outputs, ", "));
  } else if (from.size() > signature.factors.size()) {
    to = " -> " + from.back();
    from.pop_back();
  }
  for (std::size_t i = signature.own_formats; i < named.size(); ++i) {
    if (is_absent(i)) continue;
    from.push_back(fmt::format("{} {}", signature.formats[i], format_name(named[i])));
  }
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    scalars.push_back(fmt::format("{} {}", signature.scalars[i].name, scalar_text(operation.scalars()[i])));
  }
  return fmt::format("{}  {}  ({}{}){}{}", signature.name, fmt::join(extents, ", "), fmt::join(from, ", "), to,
                     scalars.empty() ? "" : "  ", fmt::join(scalars, ", "));
}

std::string describe(const operation::Case& value, const contract::Contract* contract, const std::string& indent) {
  std::string text = indent + describe(value.operation);
  const auto unread = [&](const std::string& name) -> std::string_view {
    if (contract == nullptr) return "";
    return operation::when_unread(value.operation, name, {contract->reads_a_b(), contract->reads_c()});
  };
  const auto say = [&](const operation::TensorSpec& spec, const std::string& memory) {
    text += fmt::format("\n{}{} {}[{}]{}", indent, spec.name, format_name(spec.format), fmt::join(spec.shape, ", "),
                        memory);
  };
  const auto poison = [&](const char* words, const operation::TensorSpec& spec) {
    return fmt::format(" ({}{})", words, input_poison_text(value, spec.format));
  };
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    const std::string_view why = unread(spec.name);
    if (spec.name == value.in_place && why.empty()) {
      say(spec, fmt::format(" (in the memory of {})", operation::first_output(value.operation)));
      text += elements(seen(value, spec), indent);
      continue;
    }
    if (!why.empty()) {
      // What may not be read cannot matter.
      say(spec, poison(fmt::format("not to be read {}: the kernel sees ", why).c_str(), spec));
      continue;
    }
    const bool is_padded = !operation::Counted(value, spec.name).all();
    say(spec, is_padded ? poison("padding: the kernel sees ", spec) : "");
    text += elements(seen(value, spec), indent);
  }
  const std::vector<operation::TensorSpec> specs_of_outputs = operation::output_specs(value.operation);
  for (const operation::TensorSpec& spec : specs_of_outputs) {
    const bool holds_input = !value.in_place.empty() && spec.name == specs_of_outputs.front().name;
    if (value.operation.signature().is_update || (holds_input && unread(value.in_place).empty())) continue;
    say(spec, fmt::format(" (before the launch: {})", poison_text(value, spec.format)));
  }
  const std::vector<operation::TensorSpec> specs = operation::tensor_specs(value.operation);
  for (const auto& [name, layout] : value.layouts) {
    if (layout == tensor::Layout::packed(layout.shape)) continue;
    text += fmt::format("\n{}layout of {}: strides [{}], offset {} elements", indent, name,
                        fmt::join(layout.strides, ", "), layout.offset);
    // A scatter's initial values lie in its output.
    if (operation::is_initial(value.operation, name) || name == value.in_place ||
        layout.extent() <= layout.element_count())
      continue;
    if (tensor::is_distant(layout)) text += "; elements lie far apart, with memory in the pages around them alone";
    const bool is_output =
        std::ranges::find(specs_of_outputs, name, &operation::TensorSpec::name) != specs_of_outputs.end();
    const auto spec = std::ranges::find(specs, name, &operation::TensorSpec::name);
    text += fmt::format("; where no element lies, the kernel sees {}",
                        is_output ? poison_text(value, spec->format) : input_poison_text(value, spec->format));
  }
  if (!value.configuration.empty()) {
    text += fmt::format("\n{}configuration: {}", indent, operation::describe(value.configuration));
  }
  if (value.poison == operation::Poison::Large) {
    text += fmt::format("\n{}poison: the largest finite numbers", indent);
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

std::string describe(const verdict::Failure& failure) {
  std::string text;
  if (failure.element >= 0) {
    text += fmt::format("  observed   {}[{}] = {}\n", failure.output, fmt::join(failure.coordinates, ", "),
                        failure.observed_text);
  }
  if (!failure.permitted_text.empty()) text += fmt::format("  permitted  {}\n", failure.permitted_text);
  const verdict::Rule rule = failure.rule;
  if (rule.is_judging()) {
    text += fmt::format("  rule       {}: {}\n             [{}]\n", rule.id(), rule.claim(), rule.source());
  } else {
    text += fmt::format("  rule       {}\n", rule.id());
  }
  return text;
}

std::string counterexample(const Subject& subject, const operation::Case& value, const contract::Contract* contract,
                           const verdict::Failure& failure, const std::string& replay) {
  std::string text = fmt::format("FAIL  {}  {}\n", subject.name, verdict::name(failure.kind));
  if (!subject.about.empty()) text += fmt::format("  kernel     {}\n", subject.about);
  text += fmt::format("  claim      {}\n", base::one_line(failure.message));
  text += fmt::format("  case\n{}\n", describe(value, contract, "             "));
  text += describe(failure);
  if (!subject.held.empty()) {
    text += fmt::format("  declared   {}\n", subject.held);
  } else if (contract != nullptr) {
    text += fmt::format("  contract   {}\n", contract::describe(*contract));
  }
  for (const std::string& hint : hint_lines(failure.permitted_under)) {
    text += fmt::format("  hint       {}\n", hint);
  }
  for (const std::string& hint : subject.hints) text += fmt::format("  hint       {}\n", hint);
  if (!replay.empty()) text += fmt::format("  replay     {}\n", replay);
  return text;
}

}  // namespace negzero::judgement
