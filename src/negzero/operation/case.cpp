// Cases: the checks that everything behind relies on.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <negzero/base/words.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/index_words.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/line_relations.hpp>
#include <negzero/operation/reached.hpp>
#include <negzero/operation/whole.hpp>
#include <negzero/tensor/half_bytes.hpp>
#include <negzero/tensor/islands.hpp>
#include <negzero/tensor/placement.hpp>

namespace negzero::operation {
namespace {

using base::Ok;
using base::Status;
using base::usage_error;
using files::in_quotes;
using number::FormatId;

constexpr base::Words<Poison, 2> kPoisons{{"nan", "large"}};
constexpr base::Words<Schedule::Order, 3> kOrders{{"forward", "backward", "random"}};
constexpr std::array<std::string_view, 4> kExecutors{"*", "cuda", "host", "watched"};

std::string text_of(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

bool is_storable_float(FormatId id) {
  const number::Format& format = number::format(id);
  return !format.is_integer() && format.unused_bits == 0;
}

Status check_float(std::string_view what, FormatId id, bool is_declared = false) {
  if (is_storable_float(id) && (is_declared || !number::format(id).only_stores())) return Ok{};
  if (number::format(id).only_stores()) {
    return usage_error(fmt::format("{} has format {}, which only tensors of an operation of your own have", what,
                                   number::format(id).name));
  }
  return usage_error(
      fmt::format("{} has format {}, which holds no floating-point numbers in memory", what, number::format(id).name));
}

Status check_scalar(std::string_view what, const Scalar& scalar, bool of_integers) {
  const number::Format& format = number::format(scalar.format);
  if (of_integers && scalar.format != FormatId::I32) {
    return usage_error(fmt::format("{} has format {}; a scalar of integers is I32", what, format.name));
  }
  if (Status status = of_integers ? Status(Ok{}) : check_float(what, scalar.format); !status) return status;
  if ((scalar.bits & ~format.word_mask()) != 0) {
    return usage_error(
        fmt::format("{} = {:#x} does not fit the {} bits of {}", what, scalar.bits, format.bits, format.name));
  }
  return Ok{};
}

Status check_whole(const notation::ScalarSignature& scalar, const Scalar& given) {
  const bool is_truth = scalar.kind == notation::ScalarKind::Truth;
  if (given.format != FormatId::I32) {
    return usage_error(fmt::format("{} has format {}; {} is I32", scalar.name, number::format(given.format).name,
                                   is_truth ? "a truth value" : "a whole number"));
  }
  if ((given.bits & ~number::format(given.format).word_mask()) != 0) {
    return usage_error(fmt::format("{} = {:#x} does not fit the 32 bits of I32", scalar.name, given.bits));
  }
  if (is_truth && given.bits > 1) {
    return usage_error(fmt::format("{} = {} is no truth value, which is 0 or 1", scalar.name, whole_value(given)));
  }
  return Ok{};
}

/// Whether I32 may be the format of all of an operation's numbers: of a single combination, but of no mean.
bool takes_integers(const notation::Signature& signature) {
  return signature.outputs.front().result.kind == notation::Expression::Kind::Reduction &&
         signature.factors.size() == 1 && signature.combine != notation::Combine::Mean;
}

/// Whether products of integers take that format in a slot.
bool is_integer_of(const notation::Signature& signature, std::size_t slot, FormatId id) {
  const auto has_slot = [&](std::size_t factor) { return signature.tensors[factor].format == slot; };
  return id == FormatId::I32 ||
         ((id == FormatId::I8 || id == FormatId::U8) && std::ranges::any_of(signature.factors, has_slot));
}

Status check_index(std::string_view what, FormatId id) {
  if (id == FormatId::I32 || id == FormatId::I64) return Ok{};
  return usage_error(fmt::format("{} has format {}; an index is I32 or I64", what, number::format(id).name));
}

/// The format of an output that is one of its operand's values.
Status check_selection(const notation::Signature& signature, const notation::OutputSignature& output, FormatId from,
                       FormatId to) {
  const std::string& name = signature.tensors[output.tensor].name;
  if (to == from) return Ok{};
  return usage_error(fmt::format("{} has format {}, {} has {}: a selection keeps the format", name,
                                 number::format(to).name, signature.tensors[signature.factors.front()].name,
                                 number::format(from).name));
}

/// `of_integers`: the operation's numbers are all integers, so that those that scale them are.
Status check_scalars(const Operation& operation, bool of_integers = false) {
  const notation::Signature& signature = operation.signature();
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    const notation::ScalarSignature& scalar = signature.scalars[i];
    const Scalar& given = operation.scalars()[i];
    const Status status =
        scalar.is_whole() ? check_whole(scalar, given) : check_scalar(scalar.name, given, of_integers);
    if (!status) return status;
  }
  return Ok{};
}

/// Of a declared operation, whose formats do not depend on each other.
Status check_declared_formats(const Operation& operation) {
  const notation::Signature& signature = operation.signature();
  for (std::size_t i = 0; i < operation.formats().size(); ++i) {
    const FormatId format = operation.formats()[i];
    Status status = Ok{};
    if (signature.holds_indices(i)) {
      status = check_index(signature.formats[i], format);
    } else if (!number::format(format).is_integer()) {
      status = check_float(signature.formats[i], format, true);
    }
    if (!status) return status;
  }
  return check_scalars(operation);
}

/// Of products of integers, which are summed in I32.
Status check_integers(const Operation& operation) {
  const notation::Signature& signature = operation.signature();
  for (std::size_t i = 0; i < operation.formats().size(); ++i) {
    if (is_integer_of(signature, i, operation.formats()[i])) continue;
    return usage_error(
        fmt::format("{} has format {}; {} of integers takes I8, U8 and I32 for its factors, and I32 for all "
                    "else: give it I32",
                    signature.formats[i], number::format(operation.formats()[i]).name, signature.name));
  }
  return check_scalars(operation, true);
}

Status check_formats(const Operation& operation) {
  const notation::Signature& signature = operation.signature();
  if (signature.is_declared) return check_declared_formats(operation);
  const auto formats = operation.formats();
  const bool of_integers = number::format(operation.format_of(signature.factors.front())).is_integer();
  if (of_integers && kind_of(signature) == Kind::Products) return check_integers(operation);
  bool all_integers = takes_integers(signature);
  for (std::size_t i = 0; i < formats.size(); ++i) {
    all_integers = all_integers && (signature.holds_indices(i) || formats[i] == FormatId::I32);
  }
  const auto selection = [&](std::size_t slot) {
    return std::ranges::find_if(signature.outputs, [&](const notation::OutputSignature& output) {
      return !signature.is_update && output.combine && selects(*output.combine) &&
             signature.tensors[output.tensor].format == slot;
    });
  };
  const std::size_t operand = signature.tensors[signature.factors.front()].format;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (signature.holds_indices(i)) {
      if (const Status status = check_index(signature.formats[i], formats[i]); !status) return status;
      continue;
    }
    if (all_integers) continue;
    const bool is_converted = !signature.combine && signature.factors.size() == 1;
    if (is_converted && formats[i] == FormatId::I32) continue;
    const auto selected = selection(i);
    const Status status = selected != signature.outputs.end()
                              ? check_selection(signature, *selected, formats[operand], formats[i])
                              : check_float(signature.formats[i], formats[i]);
    if (!status) return status;
  }
  return check_scalars(operation);
}

Status check_layout(const TensorSpec& spec, const tensor::Layout& layout) {
  if (layout.shape != spec.shape) {
    return usage_error(fmt::format("layout of {}: shape {} where the operation has {}", spec.name,
                                   text_of(layout.shape), text_of(spec.shape)));
  }
  if (Status status = tensor::validate(layout, spec.name); !status) return status;
  const number::Format& format = number::format(spec.format);
  if (!format.is_half_byte() || tensor::is_byte_layout(layout)) return Ok{};
  return usage_error(
      fmt::format("layout of {}: {}, two elements a byte, lies packed behind an even offset", spec.name, format.name));
}

/// Bytes of memory that a layout takes: all that it spans, or its islands where it is distant.
base::Result<std::int64_t> memory_bytes(const TensorSpec& spec, const tensor::Layout& layout) {
  const std::int64_t element_bytes = number::format(spec.format).bytes();
  if (!tensor::is_distant(layout)) return layout.extent() * element_bytes;
  const auto islands = tensor::islands_of(layout, static_cast<std::size_t>(element_bytes));
  if (!islands) {
    return usage_error(
        fmt::format("layout of {}: it spans {} elements, and they lie in more than {} places far from each other",
                    spec.name, layout.extent(), tensor::kMostIslands));
  }
  std::int64_t bytes = 0;
  for (const tensor::Island& island : *islands) bytes += island.size_bytes();
  return bytes;
}

Status check_tensor(const TensorSpec& spec, FormatId format, const std::vector<std::int64_t>& shape) {
  if (format != spec.format) {
    return usage_error(fmt::format("tensor {} has format {} where the operation has {}", spec.name,
                                   number::format(format).name, number::format(spec.format).name));
  }
  if (shape != spec.shape) {
    return usage_error(fmt::format("tensor {} has shape {} where the operation has {}", spec.name, text_of(shape),
                                   text_of(spec.shape)));
  }
  return Ok{};
}
Status check_tensor(const TensorSpec& spec, const files::Declared& value) {
  return check_tensor(spec, value.format, value.shape);
}
Status check_tensor(const TensorSpec& spec, const tensor::Tensor& value) {
  return check_tensor(spec, value.format_id(), value.shape());
}

/// Results of nothing cost a file nothing, but each is run and judged.
Status check_results(const Operation& operation, const TensorSpec& output, std::int64_t inputs) {
  const std::int64_t results = tensor::count_elements(output.shape);
  if (results <= std::max(inputs, kMaxEmptyRows)) return Ok{};
  if (inputs > 0) {
    return usage_error(fmt::format("{} has {} elements, more than {} and than all inputs: give it fewer", output.name,
                                   results, kMaxEmptyRows));
  }
  const auto join = [&](bool empty, bool with_value) {
    std::string text;
    for (const Extent& extent : extents_of(operation)) {
      if ((extent.value == 0) != empty) continue;
      text += fmt::format("{}{}", text.empty() ? "" : " x ", extent.name);
      if (with_value) text += fmt::format(" = {}", extent.value);
    }
    return text;
  };
  return usage_error(
      fmt::format("{} of {} exceeds {}, the most that a case without elements may have: give it fewer {}, or {}",
                  join(false, true), join(true, true), kMaxEmptyRows, join(false, false), join(true, false)));
}

/// Whether memory of truth values, or of elements below a byte, holds nothing else.
Status check_truth(const TensorSpec& spec, const tensor::Tensor& elements) {
  const number::Format& format = number::format(spec.format);
  for (std::int64_t i = 0; !format.fills_bytes() && i < elements.element_count(); ++i) {
    if (elements.get(i) <= format.word_mask()) continue;
    return usage_error(
        fmt::format("{}[{}] = {:#x}, and {} has {} bits", spec.name, i, elements.get(i), format.name, format.bits));
  }
  for (std::int64_t i = 0; spec.format == FormatId::BOOL && i < elements.element_count(); ++i) {
    if (elements.get(i) <= 1) continue;
    return usage_error(fmt::format("{}[{}] = {:#x}, and a BOOL is 0 or 1", spec.name, i, elements.get(i)));
  }
  return Ok{};
}

Status check_expectation(std::string_view where, const Expectation& expectation) {
  if (std::find(kExecutors.begin(), kExecutors.end(), expectation.executor) == kExecutors.end()) {
    return usage_error(fmt::format("{}: executor {} is none of {}", where, in_quotes(expectation.executor),
                                   fmt::join(kExecutors, ", ")));
  }
  if (expectation.failure_class && expectation.verdict != verdict::VerdictKind::Fail) {
    return usage_error(fmt::format("{}: class {} goes with verdict fail, not with {}", where,
                                   name(*expectation.failure_class), name(expectation.verdict)));
  }
  return Ok{};
}

/// Every text of a case, in a file or on its way into one.
Status check_texts(const Case& value) {
  const auto check = [](std::string_view what, const std::string& text) -> Status {
    if (files::is_utf8(text)) return Ok{};
    return usage_error(fmt::format("{} {} is not UTF-8", what, in_quotes(text)));
  };
  if (Status status = check("kernel", value.kernel); !status) return status;
  if (Status status = check("contract", value.contract); !status) return status;
  if (Status status = check("strategy", value.strategy); !status) return status;
  for (const Expectation& expectation : value.expect) {
    if (Status status = check("expect: kernel", expectation.kernel); !status) return status;
    if (Status status = check("expect: rule", expectation.rule); !status) return status;
    if (Status status = check("expect: needs", expectation.needs); !status) return status;
  }
  if (value.found) {
    if (Status status = check("found: kernel", value.found->kernel); !status) return status;
    if (Status status = check("found: rule", value.found->rule); !status) return status;
  }
  for (const auto& [key, text] : value.unknown) {
    if (Status status = check("metadata key", key); !status) return status;
    if (Status status = check("metadata", text); !status) return status;
    if (std::find(kKnownKeys.begin(), kKnownKeys.end(), key) != kKnownKeys.end()) {
      return usage_error(fmt::format("metadata key {} is known and cannot stand among the unknown ones", key));
    }
  }
  return Ok{};
}

Status check_in_place(const Case& value, const TensorSpec& output) {
  if (value.in_place.empty()) return Ok{};
  const std::vector<std::string> may = may_be_in_place(value.operation);
  if (std::ranges::find(may, value.in_place) == may.end()) {
    return usage_error(
        fmt::format("metadata in_place = {} is no input of {} with the format and the shape of {}{}",
                    in_quotes(value.in_place), operation::name(value.operation), output.name,
                    may.empty() ? "; none has them" : fmt::format("; those are: {}", fmt::join(may, ", "))));
  }
  if (value.layouts.at(value.in_place) == value.layouts.at(output.name)) return Ok{};
  return usage_error(
      fmt::format("layout of {} differs from that of {}, in whose memory it lies", value.in_place, output.name));
}

/// The part of validate(Case) that needs no element, of tensors as they are or as a file announces them.
template <typename Tensors>
Status check_described(const Case& value, const Tensors& tensors) {
  if (const auto broken = breaks_line(value.operation.extents(), value.operation.signature())) {
    return usage_error(*broken);
  }
  std::vector<TensorSpec> specs = input_specs(value.operation);
  for (const auto& [name, unused] : tensors) {
    if (std::none_of(specs.begin(), specs.end(),
                     [&named = name](const TensorSpec& spec) { return spec.name == named; })) {
      return usage_error(
          fmt::format("tensor {} does not belong to {}", in_quotes(name), operation::name(value.operation)));
    }
  }
  // At most 2^34 elements of 8 bytes, for each of a few tensors: neither sum can overflow.
  std::int64_t packed_bytes = 0, total_bytes = 0, inputs = 0;
  for (const TensorSpec& spec : specs) {
    const auto found = tensors.find(spec.name);
    if (found == tensors.end()) return usage_error(fmt::format("tensor {} is missing", spec.name));
    if (Status status = check_tensor(spec, found->second); !status) return status;
    packed_bytes += tensor::count_elements(spec.shape) * number::format(spec.format).bytes();
    inputs += tensor::count_elements(spec.shape);
  }
  const std::vector<TensorSpec> outputs = output_specs(value.operation);
  for (const TensorSpec& output : outputs) {
    if (Status status = check_results(value.operation, output, inputs); !status) return status;
    specs.push_back(output);
  }
  for (const auto& [name, unused] : value.layouts) {
    if (std::none_of(specs.begin(), specs.end(),
                     [&named = name](const TensorSpec& spec) { return spec.name == named; })) {
      return usage_error(
          fmt::format("layout of {} does not belong to {}", in_quotes(name), operation::name(value.operation)));
    }
  }
  for (const TensorSpec& spec : specs) {
    const auto found = value.layouts.find(spec.name);
    if (found == value.layouts.end()) return usage_error(fmt::format("layout of {} is missing", spec.name));
    if (Status status = check_layout(spec, found->second); !status) return status;
    const auto bytes = memory_bytes(spec, found->second);
    if (!bytes) return bytes.error();
    total_bytes += *bytes;
  }
  const std::int64_t most_bytes = 2 * packed_bytes + kMaxPaddingBytes;
  if (total_bytes > most_bytes) {
    return usage_error(
        fmt::format("layouts span {} bytes, more than the {} that these tensors may", total_bytes, most_bytes));
  }
  for (const TensorSpec& output : outputs) {
    if (!value.layouts.at(output.name).overlaps()) continue;
    return usage_error(fmt::format("layout of {}: elements of an output share an address", output.name));
  }
  if (Status status = check_in_place(value, outputs.front()); !status) return status;
  if (const auto wrong = wrong_configuration(value.configuration)) {
    return usage_error("metadata configuration: " + *wrong);
  }
  if (launches(value.history) > kMostEarlierLaunches) {
    return usage_error(
        fmt::format("metadata history: {} launches; at most {}", launches(value.history), kMostEarlierLaunches));
  }
  for (const Expectation& expectation : value.expect) {
    if (Status status = check_expectation("expect", expectation); !status) return status;
  }
  if (value.found) {
    if (Status status = check_expectation("found", *value.found); !status) return status;
  }
  return check_texts(value);
}

}  // namespace

std::uint64_t poison_word(Poison poison, const number::Format& format) noexcept {
  if (poison == Poison::Nan)
    return format.is_half_byte() ? format.word_mask() : ~std::uint64_t{0} >> (64 - 8 * format.bytes());
  return format.is_signed() || format.is_power() ? number::max_finite(format) : format.word_mask() >> 1;
}
std::string_view name(Poison poison) noexcept { return kPoisons.name(poison); }
std::optional<Poison> parse_poison(std::string_view text) noexcept { return kPoisons.parse(text); }
std::string_view name(Schedule::Order order) noexcept { return kOrders.name(order); }
std::optional<Schedule::Order> parse_order(std::string_view text) noexcept { return kOrders.parse(text); }

Status validate(const Operation& operation) {
  for (const Extent& extent : extents_of(operation)) {
    if (extent.value < 0) return usage_error(fmt::format("{} = {} is negative", extent.name, extent.value));
    if (extent.value > tensor::kMaxElements) {
      return usage_error(fmt::format("{} = {} exceeds {}", extent.name, extent.value, tensor::kMaxElements));
    }
  }
  return check_formats(operation);
}

Status validate_described(const Case& value, const std::map<std::string, files::Declared>& tensors) {
  return check_described(value, tensors);
}

Status validate_elements(const Case& value) {
  for (const auto& [name, elements] : value.tensors) {
    const std::optional<std::int64_t> conflict =
        tensor::first_conflict(value.layouts.at(name), elements.element_bytes(), elements.bytes());
    if (conflict) {
      return usage_error(
          fmt::format("tensor {}: element {} differs from another one at the same address", name, *conflict));
    }
  }
  for (const TensorSpec& spec : input_specs(value.operation)) {
    if (Status status = check_truth(spec, value.tensors.at(spec.name)); !status) return status;
    if (Status status = check_indices(spec, value.tensors.at(spec.name)); !status) return status;
  }
  for (const notation::Access& access : value.operation.signature().accesses) {
    if (has_few_steps(value, access.tensor)) continue;
    return usage_error(fmt::format("{} {}: its loops take more than {} steps; give shorter extents",
                                   access.writes ? "writes" : "reads", access.tensor, kMostSteps));
  }
  return Ok{};
}

Status validate(const Case& value) {
  if (Status status = validate(value.operation); !status) return status;
  if (Status status = check_described(value, value.tensors); !status) return status;
  return validate_elements(value);
}

}  // namespace negzero::operation
