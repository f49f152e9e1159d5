// A case as Python that needs NumPy and no negzero.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/as_code/cuda_file.hpp>
#include <negzero/as_code/memory.hpp>
#include <negzero/as_code/numpy_file.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/operation/poison.hpp>
#include <negzero/operation/whole.hpp>
#include <negzero/tensor/half_bytes.hpp>

namespace negzero::as_code {

namespace {

using number::FormatId;

/// What NumPy calls the numbers of a format; empty where it has none.
std::string_view type_of(FormatId format) {
  switch (format) {
    case FormatId::F64:
      return "float64";
    case FormatId::F32:
    case FormatId::TF32:
      return "float32";
    case FormatId::F16:
      return "float16";
    case FormatId::I32:
      return "int32";
    case FormatId::I64:
      return "int64";
    case FormatId::I16:
      return "int16";
    case FormatId::I8:
      return "int8";
    case FormatId::U32:
      return "uint32";
    case FormatId::U16:
      return "uint16";
    case FormatId::U8:
      return "uint8";
    case FormatId::BOOL:
      return "bool_";
    case FormatId::BF16:
    case FormatId::F8_E4M3:
    case FormatId::F8_E5M2:
    case FormatId::I4:
    case FormatId::U4:
    case FormatId::F4:
    case FormatId::F6_E2M3:
    case FormatId::F6_E3M2:
    case FormatId::F8_E8M0:
      break;
  }
  return "";
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

/// "x = np.array([0x80000000], np.uint32).view(np.float32).reshape((1,))  # -0".
std::string array_text(const std::string& name, const tensor::Tensor& elements, std::uint64_t padding = 0) {
  const tensor::Tensor tensor = tensor::as_stored(elements, padding);  // bytes where elements do not fill them
  constexpr std::int64_t kALine = 8;
  const number::Format& format = tensor.format();
  std::string words, values;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const bool breaks = i % kALine == 0 && tensor.element_count() > kALine;
    words += (i == 0 ? "" : ",") +
             std::string(breaks   ? "\n    "
                         : i == 0 ? ""
                                  : " ") +
             number::to_hex(format, tensor.get(i));
    if (i < kALine) values += (i == 0 ? "  # " : ", ") + number::to_decimal(format, tensor.get(i));
  }
  if (tensor.element_count() > kALine) values += ", ...";
  const std::string_view type = type_of(format.id);
  const std::string view = type.empty() ? "" : fmt::format(".view(np.{})", type);
  const bool is_whole = elements.format().fills_bytes();
  const std::string remark = !is_whole      ? fmt::format(" (bytes of {})", elements.format().name)
                             : type.empty() ? fmt::format(" ({} as bits)", format.name)
                                            : "";
  return fmt::format("{} = np.array([{}], np.uint{}){}.reshape({}){}{}\n", name, words, format.bits, view,
                     shape_text(tensor.shape()), values, values.empty() ? "" : remark);
}

std::string scalar_text(const notation::ScalarSignature& signature, const operation::Scalar& scalar) {
  if (signature.is_whole()) {
    const std::int64_t value = operation::whole_value(scalar);
    const bool is_truth = signature.kind == notation::ScalarKind::Truth;
    return fmt::format("{} = {}\n", signature.name,
                       is_truth ? (value != 0 ? "True" : "False") : fmt::format("{}", value));
  }
  tensor::Tensor one(scalar.format, {});
  one.set(0, scalar.bits);
  return array_text(signature.name, one);
}

/// The function that says which elements are not permitted.
constexpr std::string_view kCheck = R"(

def not_permitted(name, words, permitted, is_float, is_signed=True):
    """Yields what is wrong with an output's words. Ranges are in the order of values: -0 lies just below +0."""
    bits = 8 * words.itemsize
    sign, mask = is_signed << (bits - 1), (1 << bits) - 1

    def order(word):
        return ~word & mask if is_float and word & sign else word ^ sign

    for word, (ranges, what) in zip(map(int, words.ravel()), permitted, strict=True):
        if ranges and not any(order(low) <= order(word) <= order(high) for low, high in ranges):
            yield f"{what}, got {word:#x}"

)";

std::string permitted_text(const Buffer& buffer) {
  std::string text = fmt::format("{}_permitted = [\n", buffer.name);
  for (const Element& element : buffer.elements) {
    std::vector<std::string> ranges;
    for (const Range& range : element.ranges) {
      const number::Format& format = number::format(buffer.format);
      ranges.push_back(fmt::format("({}, {})", number::to_hex(format, range.low), number::to_hex(format, range.high)));
    }
    text += fmt::format("    ([{}], \"{}\"),\n", fmt::join(ranges, ", "), element.words);
  }
  return text + "]\n";
}

bool holds(const Buffer& buffer, const Element& element, std::uint64_t word) {
  const number::Format& format = number::format(buffer.format);
  const std::uint64_t at = order_of(format, word);
  return element.ranges.empty() || std::ranges::any_of(element.ranges, [&](const Range& range) {
           return order_of(format, range.low) <= at && at <= order_of(format, range.high);
         });
}

/// Whether some element of what was observed is not permitted.
bool shows(const Finding& finding, const std::vector<const Buffer*>& outputs) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const tensor::Tensor observed = tensor::as_stored(finding.observed[o]);
    for (std::size_t i = 0; i < outputs[o]->elements.size(); ++i) {
      const std::uint64_t word = observed.get(static_cast<std::int64_t>(i));
      if (!holds(*outputs[o], outputs[o]->elements[i], word)) return true;
    }
  }
  return false;
}

}  // namespace

base::Result<std::string> numpy_file(const Finding& finding, const std::string& call) {
  const operation::Case& value = finding.value;
  if (const base::Status whole = is_in_one_piece(finding); !whole) return whole.error();
  const std::vector<Buffer> buffers = buffers_of(finding);
  std::vector<const Buffer*> outputs;
  std::size_t words = 0;
  for (const Buffer& buffer : buffers) {
    words += buffer.words.size() + buffer.elements.size();
    if (buffer.is_output) outputs.push_back(&buffer);
  }
  if (words > kMostWords) {
    return base::usage_error(
        fmt::format("{}: {} words are more than the {} that a file of code has; `negzero shrink` "
                    "makes a smaller case",
                    finding.from, words, kMostWords));
  }
  if (call.empty() && finding.observed.empty()) {
    return base::usage_error(fmt::format(
        "--format py: there is nothing that {} gave: it does not run here, or its run ended without a result; "
        "--observed FILE has one, which `negzero replay --save-outputs` writes where it runs, or --call "
        "'STATEMENTS' computes it",
        finding.kernel));
  }
  if (call.empty() && !shows(finding, outputs)) {
    const auto kind = finding.failure_class;
    return base::usage_error(
        fmt::format("--format py: every value that {} gave is permitted, so that they do not show {}; --format cu "
                    "launches a kernel "
                    "of CUDA, and --call 'STATEMENTS' calls one of Python",
                    finding.kernel, kind ? verdict::name(*kind) : "a failure"));
  }
  std::string text =
      heading(finding, "#") +
      fmt::format("#   python {}_case.py    # AssertionError: it fails so\n\n", identifier(finding.kernel)) +
      "import numpy as np\n\n";
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    text += array_text(spec.name, value.tensors.at(spec.name),
                       operation::input_poison_word(value.poison, number::format(spec.format)));
  }
  for (const std::string& absent : operation::absent_inputs(value.operation.signature())) {
    text += fmt::format("{} = None\n", absent);
  }
  for (std::size_t s = 0; s < value.operation.scalars().size(); ++s) {
    text += scalar_text(value.operation.signature().scalars[s], value.operation.scalars()[s]);
  }
  for (const auto& [option, chosen] : finding.configuration) text += fmt::format("{} = {}\n", option, chosen);
  text += "\n";
  if (!call.empty()) {
    if (value.operation.signature().is_update)
      text += fmt::format("{} = {}.copy()\n", outputs[0]->name, notation::kInitial);
    text += call + "\n";
  } else {
    text += fmt::format("# What {} gave ({}).\n", finding.kernel, finding.observed_from);
    for (std::size_t o = 0; o < outputs.size(); ++o) text += array_text(outputs[o]->name, finding.observed[o]);
  }
  text += kCheck;
  for (const Buffer* output : outputs) text += permitted_text(*output);
  text += "wrong = []\n";
  for (const Buffer* output : outputs) {
    const number::Format& format = number::format(output->format);
    text += fmt::format(
        "{0} = np.ascontiguousarray({0})\nassert {0}.shape == {1} and {0}.itemsize == {2}, ({0}.shape, {0}.dtype)\n"
        "wrong += not_permitted(\"{0}\", {0}.view(np.uint{3}), {0}_permitted, {4}{5})\n",
        output->name, shape_text(output->layout.shape), format.bits / 8, format.bits,
        format.is_integer() ? "False" : "True", format.is_signed() ? "" : ", is_signed=False");
  }
  return text + "assert not wrong, \"\\n\".join(wrong)\n";
}

}  // namespace negzero::as_code
