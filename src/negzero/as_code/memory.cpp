// Lays out a case as run/image.cpp does, without a process to launch in.

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/as_code/memory.hpp>
#include <negzero/number/text.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/operation/poison.hpp>
#include <negzero/tensor/half_bytes.hpp>
#include <negzero/tensor/islands.hpp>

namespace negzero::as_code {

namespace {

using operation::TensorSpec;

/// Ranges of bytes whose elements, one or two that are given, are all permitted: other bits of a byte are free where
/// they are the other half of it, and else 0.
std::vector<Range> bytes_of(const number::Format& format, std::span<const Element> elements) {
  std::vector<Range> ranges;
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    bool holds = format.is_half_byte() || byte <= format.word_mask();
    for (std::size_t i = 0; i < elements.size() && holds; ++i) {
      const std::uint64_t at = order_of(format, byte >> (4 * i) & format.word_mask());
      const std::vector<Range>& own = elements[i].ranges;
      holds = own.empty() || std::ranges::any_of(own, [&](const Range& range) {
                return order_of(format, range.low) <= at && at <= order_of(format, range.high);
              });
    }
    if (!holds) continue;
    if (!ranges.empty() && ranges.back().high + 1 == byte) {
      ranges.back().high = byte;
    } else {
      ranges.push_back({byte, byte});
    }
  }
  return ranges;
}

/// Makes a buffer of elements that fill no bytes, packed behind an offset, one of the bytes that hold them.
void make_bytes(Buffer& buffer) {
  const number::Format& format = number::format(buffer.format);
  if (format.fills_bytes()) return;
  const tensor::Layout layout = tensor::byte_layout(format, buffer.layout);
  const std::size_t per_byte = format.is_half_byte() ? 2 : 1;
  const auto line = static_cast<std::size_t>(buffer.layout.shape.empty() ? 1 : buffer.layout.shape.back());
  const auto count = static_cast<std::size_t>(buffer.layout.element_count());
  const std::uint64_t poison = format.is_half_byte() ? buffer.poison | buffer.poison << 4 : buffer.poison;
  std::vector<std::uint64_t> words(buffer.words.empty() ? 0 : static_cast<std::size_t>(layout.extent()), poison);
  std::vector<Element> elements;
  std::int64_t byte = 0;
  for (std::size_t first = 0; first < count; first += line) {
    for (std::size_t i = first; i < first + line; i += per_byte, ++byte) {
      const std::size_t here = std::min(per_byte, first + line - i);
      const auto at = static_cast<std::size_t>(layout.address(byte));
      for (std::size_t half = 0; half < here && !words.empty(); ++half) {
        const std::uint64_t word =
            buffer.words[static_cast<std::size_t>(buffer.layout.address(static_cast<std::int64_t>(i + half)))];
        const int shift = static_cast<int>(4 * half);
        words[at] = per_byte == 1 ? word : (words[at] & ~(std::uint64_t{15} << shift)) | word << shift;
      }
      if (buffer.elements.empty()) continue;
      const std::span<const Element> own = std::span(buffer.elements).subspan(i, here);
      Element& element = elements.emplace_back(Element{.at = static_cast<std::int64_t>(at), .words = own[0].words});
      if (here > 1) element.words += "; " + own[1].words;
      element.ranges = bytes_of(format, own);
      if (hold_all(number::format(number::FormatId::U8), element.ranges)) element.ranges.clear();
    }
  }
  buffer.values += fmt::format("{}{} {}", buffer.values.empty() ? "" : " in ", format.name,
                               per_byte == 2 ? "two a byte" : "one a byte");
  buffer.format = number::FormatId::U8;
  buffer.layout = layout;
  buffer.poison = poison;
  buffer.words = std::move(words);
  buffer.elements = std::move(elements);
}

/// Puts the elements of an input that count into a buffer.
void place(const operation::Case& value, const std::string& input, Buffer& buffer) {
  constexpr std::int64_t kMostShown = 8;
  const operation::Counted counted(value, input);
  const tensor::Tensor& tensor = value.tensors.at(input);
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (!counted.holds(i)) continue;
    buffer.words[static_cast<std::size_t>(buffer.layout.address(i))] = tensor.get(i);
    if (i < kMostShown) {
      buffer.values += (i == 0 ? "" : ", ") + number::to_decimal(tensor.format(), tensor.get(i));
    } else if (i == kMostShown) {
      buffer.values += ", ...";
    }
  }
}

std::vector<Element> elements_of(const Finding& finding, std::size_t output, const Buffer& buffer) {
  const number::Format& format = number::format(buffer.format);
  const operation::Counted counted(finding.value, buffer.name);
  std::vector<Element> elements;
  for (std::int64_t i = 0; i < buffer.layout.element_count(); ++i) {
    Element element{.at = buffer.layout.address(i)};
    const std::string name =
        fmt::format("{}[{}]", buffer.name, fmt::join(tensor::coordinates_of(buffer.layout.shape, i), ", "));
    if (counted.stays(i)) {
      const std::uint64_t word = buffer.words[static_cast<std::size_t>(element.at)];
      element.ranges = {{word, word}};
      element.words = fmt::format("{}: as it was, {}", name, number::with_bits(format, word));
      elements.push_back(std::move(element));
      continue;
    }
    if (output < finding.permitted.size() && !finding.permitted[output].empty()) {
      const oracle::Permitted& set = finding.permitted[output][static_cast<std::size_t>(i)];
      element.ranges = ranges_of(set);
      element.words = fmt::format("{}: permitted {}", name, set.to_string());
    }
    if (is(finding, verdict::FailureClass::UnwrittenOutput)) {
      if (element.ranges.empty()) element.ranges = all_of(format);
      take_out(format, buffer.poison, element.ranges);
      element.words += ", and not left as it was";
    }
    if (hold_all(format, element.ranges)) element = {.at = element.at, .words = name + ": anything"};
    elements.push_back(std::move(element));
  }
  return elements;
}

}  // namespace

base::Status is_in_one_piece(const Finding& finding) {
  for (const auto& [name, layout] : finding.value.layouts) {
    if (!tensor::is_distant(layout)) continue;
    return base::usage_error(
        fmt::format("{}: {} spans {} elements, which a file of code would have to hold; `negzero replay` runs the case "
                    "with memory for those that are there",
                    finding.from, name, layout.extent()));
  }
  return base::Ok{};
}

std::vector<Buffer> buffers_of(const Finding& finding) {
  const operation::Case& value = finding.value;
  const operation::ReadsAtZero reads{finding.contract.reads_a_b(), finding.contract.reads_c()};
  std::vector<Buffer> buffers;
  const auto add = [&](const TensorSpec& spec, std::uint64_t poison) -> Buffer& {
    Buffer& buffer =
        buffers.emplace_back(Buffer{.name = spec.name, .format = spec.format, .layout = value.layouts.at(spec.name)});
    buffer.poison = poison;
    buffer.words.assign(static_cast<std::size_t>(buffer.layout.extent()), poison);
    return buffer;
  };
  const std::string& first = operation::first_output(value.operation);
  bool holds_input = false;
  for (const TensorSpec& spec : operation::input_specs(value.operation)) {
    if (operation::is_initial(value.operation, spec.name)) continue;
    const bool is_read = operation::when_unread(value.operation, spec.name, reads).empty();
    Buffer& buffer = add(spec, operation::input_poison_word(value.poison, number::format(spec.format)));
    if (spec.name == value.in_place) {
      holds_input = is_read;
      buffer.lies_in = first;
      buffer.words.clear();
    } else if (is_read) {
      place(value, spec.name, buffer);
    }
  }
  const std::vector<TensorSpec> outputs = operation::output_specs(value.operation);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Buffer& buffer = add(outputs[o], operation::poison_word(value.poison, number::format(outputs[o].format)));
    buffer.is_output = true;
    if (value.operation.signature().is_update) {
      place(value, std::string(notation::kInitial), buffer);
    } else if (o == 0 && holds_input) {
      place(value, value.in_place, buffer);
    }
    buffer.elements = elements_of(finding, o, buffer);
  }
  for (Buffer& buffer : buffers) make_bytes(buffer);
  return buffers;
}

}  // namespace negzero::as_code
