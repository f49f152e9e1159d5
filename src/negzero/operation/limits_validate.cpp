// Whether any case can lie inside a kernel's limits, and if not, what is wrong with them.

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/nearest.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/line_relations.hpp>
#include <negzero/operation/relations.hpp>
#include <negzero/operation/whole.hpp>

namespace negzero::operation {
namespace {

using Reason = std::optional<std::string>;

/// The slots of formats: "a, b, d", and in brackets those that need not be named.
std::string names_text(const notation::Signature& signature) {
  std::string text = fmt::format("{}", fmt::join(std::span(signature.formats).first(signature.own_formats), ", "));
  for (std::size_t i = signature.own_formats; i < signature.formats.size(); ++i) {
    text += fmt::format("[, {}]", signature.formats[i]);
  }
  return text;
}

/// Nothing where some extent is accepted.
Reason accepts_no_extent(std::string_view name, const ExtentLimit& limit) {
  if (limit.multiple < 1) return fmt::format("multiple {} of {}: at least 1", limit.multiple, name);
  if (limit.min < 0) return fmt::format("min {} of {}: at least 0", limit.min, name);
  if (limit.min > limit.max) return fmt::format("min {} of {} is above its max {}", limit.min, name, limit.max);
  if (limit.at_least(limit.min)) return std::nullopt;
  if (limit.power_of_two && limit.multiple > 1) {
    return fmt::format("no power of two that is a multiple {} of {} lies between {} and {}", limit.multiple, name,
                       limit.min, limit.max);
  }
  if (limit.power_of_two)
    return fmt::format("no power of two of {} lies between {} and {}", name, limit.min, limit.max);
  return fmt::format("no multiple {} of {} lies between {} and {}", limit.multiple, name, limit.min, limit.max);
}

Reason accepts_no_layout(std::string_view name, const LayoutLimit& limit) {
  if (limit.offset_multiple < 1)
    return fmt::format("offset_multiple {} of {}: at least 1", limit.offset_multiple, name);
  if (limit.stride_multiple < 1)
    return fmt::format("stride_multiple {} of {}: at least 1", limit.stride_multiple, name);
  if (limit.max_stride < 1) return fmt::format("max_stride {} of {}: at least 1", limit.max_stride, name);
  if (limit.max_span < 1) return fmt::format("max_span {} of {}: at least 1", limit.max_span, name);
  if (limit.max_offset < 0) return fmt::format("max_offset {} of {}: at least 0", limit.max_offset, name);
  const bool is_power = limit.alignment > 0 && std::has_single_bit(static_cast<std::uint64_t>(limit.alignment));
  if (!is_power || limit.alignment > kMostAlignment) {
    return fmt::format("alignment {} of {}: a power of two up to {} bytes", limit.alignment, name, kMostAlignment);
  }
  return std::nullopt;
}

/// Why the operation has no such extent among `known`; nothing where it has.
Reason no_extent(std::string_view of, std::string_view name, const std::vector<std::string>& known) {
  if (std::ranges::find(known, name) != known.end()) return std::nullopt;
  return fmt::format("{} has no extent {}; {}it has {}", of, name, base::did_you_mean(name, known),
                     fmt::join(known, ", "));
}

/// What is wrong with the range of a whole number or a truth value.
Reason wrong_whole(const notation::ScalarSignature& scalar, const ScalarRange& range) {
  const char* const is = scalar.kind == notation::ScalarKind::Truth ? "a truth value" : "a whole number";
  for (const double end : {range.least, range.greatest}) {
    if (!std::isfinite(end) || end == std::floor(end)) continue;
    return fmt::format("{} is {}, and {} is none; give its range whole ends", scalar.name, is, end);
  }
  if (!whole_range(scalar.kind, &range).is_empty()) return std::nullopt;
  const WholeRange all = whole_range(scalar.kind, nullptr);
  return fmt::format("{} is {}, from {} to {}, and none lies between {} and {}; widen its range", scalar.name, is,
                     all.least, all.greatest, range.least, range.greatest);
}

/// What is wrong with the ranges of scalars.
Reason wrong_scalars(const Limits& limits, const notation::Signature& signature) {
  for (const auto& [name, range] : limits.scalars) {
    if (!signature.is_declared) {
      return fmt::format("scalars: {} ships, and has limits of its own for them: alpha and beta", signature.name);
    }
    std::vector<std::string> names;
    for (const notation::ScalarSignature& scalar : signature.scalars) names.push_back(scalar.name);
    if (std::ranges::find(names, name) == names.end()) {
      return fmt::format("{} has no scalar {}; {}it has {}", signature.name, name, base::did_you_mean(name, names),
                         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
    }
    if (!(range.least <= range.greatest)) {
      return fmt::format("least {} of {} is above its greatest {}", range.least, name, range.greatest);
    }
    const auto scalar = std::ranges::find(signature.scalars, name, &notation::ScalarSignature::name);
    if (scalar->is_whole()) {
      if (Reason reason = wrong_whole(*scalar, range)) return reason;
      continue;
    }
    if (range.accepts(range.nearest(number::FormatId::F32, range.least))) continue;
    return fmt::format("no F32 lies between {} and {} of {}", range.least, range.greatest, name);
  }
  return std::nullopt;
}

/// What is wrong with the values of tensors; `combinations`: the operation in the accepted formats.
Reason wrong_values(const Limits& limits, const std::vector<Operation>& combinations) {
  const notation::Signature& signature = combinations.front().signature();
  std::vector<std::string> names;
  for (const notation::TensorSignature& tensor : signature.tensors) {
    if (tensor.role == notation::Role::Input || tensor.role == notation::Role::Initial) names.push_back(tensor.name);
  }
  for (const auto& [name, range] : limits.values) {
    const auto place = signature.find_tensor(name);
    if (std::ranges::find(names, name) == names.end()) {
      const char* const is = !place ? ""
                             : signature.tensors[*place].role == notation::Role::Index
                                 ? " holds indices, which its line bounds"
                                 : " is an output";
      return place
                 ? fmt::format("values: {} of {}{}; values are of {}", name, signature.name, is, fmt::join(names, ", "))
                 : fmt::format("values: {} has no tensor {}; {}it has {}", signature.name, name,
                               base::did_you_mean(name, names), fmt::join(names, ", "));
    }
    if (!(range.least <= range.greatest)) {
      return fmt::format("values: least {} of {} is above its greatest {}", range.least, name, range.greatest);
    }
    // Ends are doubles, which hold whole numbers up to 2^53 one by one.
    constexpr double kExact = 0x1p53;
    const auto is_rounded = [&](double end) { return std::isfinite(end) && std::abs(end) >= kExact; };
    for (const Operation& operation : combinations) {
      const number::FormatId format = operation.format_of(*place);
      if (format == number::FormatId::I64 && (is_rounded(range.least) || is_rounded(range.greatest))) {
        return fmt::format("values: the ends of {} are below 2^53 in I64, or left out; this is {}", name,
                           describe(range));
      }
      if (!FormatRange(range, format).is_empty()) continue;
      return fmt::format("values: no {} of {} is {}", number::format(format).name, name, describe(range));
    }
  }
  return std::nullopt;
}

/// What is wrong with the layouts of limits, for an operation.
Reason wrong_layouts(const Limits& limits, const notation::Signature& signature) {
  if (Reason reason = accepts_no_layout("inputs", limits.inputs)) return reason;
  if (Reason reason = accepts_no_layout("output", limits.output)) return reason;
  std::vector<std::string> names;
  for (const notation::TensorSignature& tensor : signature.tensors) names.push_back(tensor.name);
  for (const auto& [name, limit] : limits.tensors) {
    const auto place = signature.find_tensor(name);
    if (!place) {
      return fmt::format("{} has no tensor {}; {}it has {}", signature.name, name, base::did_you_mean(name, names),
                         fmt::join(names, ", "));
    }
    if (Reason reason = accepts_no_layout(name, limit)) return reason;
    std::vector<std::string> extents;
    for (const std::size_t e : signature.tensors[*place].extents) extents.push_back(signature.extents[e]);
    for (const std::string& shared : limit.shared) {
      if (Reason reason = no_extent(name, shared, extents)) return "shared: " + *reason;
    }
  }
  for (const std::string& shared : limits.inputs.shared) {
    if (Reason reason = no_extent(signature.name, shared, signature.extents)) return "shared: " + *reason;
  }
  for (std::size_t t = 0; t < signature.tensors.size(); ++t) {
    const notation::Role role = signature.tensors[t].role;
    if (role != notation::Role::Output && role != notation::Role::Initial) continue;
    const std::vector<std::string>& shared = layout_limit(limits, signature, t).shared;
    if (shared.empty()) continue;
    return fmt::format("shared {} of {}: each element of an output has memory of its own", fmt::join(shared, ", "),
                       signature.tensors[t].name);
  }
  return std::nullopt;
}

/// What is wrong with relations between extents, each of which accepts some value.
Reason wrong_relations(const Limits& limits, const notation::Signature& signature) {
  const auto named = [&](std::string_view what, const std::vector<std::string>& names, std::size_t least) -> Reason {
    for (const std::string& name : names) {
      if (Reason reason = no_extent(signature.name, name, signature.extents))
        return fmt::format("{}: {}", what, *reason);
    }
    if (names.size() >= least) return std::nullopt;
    return fmt::format("{}: {} extent{}; give at least {}", what, names.size(), names.size() == 1 ? "" : "s", least);
  };
  for (const std::vector<std::string>& names : limits.equal) {
    if (Reason reason = named("equal", names, 2)) return reason;
  }
  for (const notation::Relation& relation : limits.relations) {
    const std::string text = relation.to_string();
    for (const std::string& name : relation.names()) {
      if (Reason reason = no_extent(signature.name, name, signature.extents))
        return fmt::format("relations: '{}', column {}: {}", text, notation::column_of(text, name), *reason);
    }
  }
  const Limits tied = with_common_extents(limits, signature);
  for (const EqualExtents& group : equal_extents(limits, signature)) {
    if (tied.extents[signature.extents[group.front()]].at_least(0)) continue;
    std::string names;
    for (const std::size_t e : group) (names += names.empty() ? "" : " = ") += signature.extents[e];
    return fmt::format("equal: no value of {} lies inside the limits of all of them", names);
  }
  for (const ProductLimit& product : limits.products) {
    if (Reason reason = named("products", product.of, 1)) return reason;
    std::vector<std::int64_t> least;
    for (const std::string& extent : signature.extents) least.push_back(tied.extents[extent].at_least(0).value_or(0));
    const std::int64_t value = product_of(product, signature, least);
    if (value <= product.max) continue;
    return fmt::format("products: {} is at least {}, more than its max {}", fmt::join(product.of, " x "), value,
                       product.max);
  }
  if (Reason reason = unmet_relation(signature, limits)) return "no extents keep the relations: " + *reason;
  return std::nullopt;
}

/// `combinations`: the operation in the accepted formats. An input that always lies in the output's memory may lie
/// there in each of them, one that perhaps does in some.
Reason wrong_in_place(const Limits& limits, const std::vector<Operation>& combinations) {
  const InPlaceLimit& limit = limits.in_place;
  if (limit.input.empty()) {
    return limit.always ? Reason("in_place is always, and names no input") : std::nullopt;
  }
  const notation::Signature& signature = combinations.front().signature();
  const LayoutLimit* const own = limits.tensors.find(limit.input);
  const std::size_t output = signature.outputs.front().tensor;
  if (own != nullptr && *own != layout_limit(limits, signature, output)) {
    return fmt::format("{0} lies in the memory of {1}, and their limits differ: give both the same, or {1} alone",
                       limit.input, signature.tensors[output].name);
  }
  const auto may_lie = [&](const Operation& operation) { return may_be_in_place(operation, limit.input); };
  const bool fits =
      limit.always ? std::ranges::all_of(combinations, may_lie) : std::ranges::any_of(combinations, may_lie);
  if (fits) return std::nullopt;
  const Operation& operation = *std::ranges::find_if_not(combinations, may_lie);
  const std::vector<std::string> may = may_be_in_place(operation);
  // Where a format of its own may be the reason, the formats are named.
  const auto named = operation.named_formats();
  const std::string in = named.size() > signature.own_formats ? " in " + formats_text(named, signature) : "";
  return fmt::format("{} is no input of {} that may lie in the output's memory{}{}", limit.input, signature.name, in,
                     may.empty() ? "; none may" : fmt::format("; those are: {}", fmt::join(may, ", ")));
}

/// What is wrong with the options. In a language whose arguments have names an option is one of them, beside extents,
/// tensors and scalars.
Reason wrong_options_of(const Limits& limits, const notation::Signature& signature) {
  if (Reason reason = wrong_options(limits.configuration)) return "configuration: " + *reason;
  for (const auto& [name, values] : limits.configuration) {
    const auto is_it = [&name = name](const auto& other) { return other.name == name; };
    const char* const taken = std::ranges::find(signature.extents, name) != signature.extents.end() ? "an extent"
                              : std::ranges::any_of(signature.tensors, is_it)                       ? "a tensor"
                              : std::ranges::any_of(signature.scalars, is_it)                       ? "a scalar"
                                                                                                    : nullptr;
    if (taken == nullptr) continue;
    return fmt::format("configuration: {} of {} is called {}; give the option another name", taken, signature.name,
                       name);
  }
  return std::nullopt;
}

}  // namespace

base::Status validate(const Limits& limits, std::string_view operation) {
  std::optional<Operation> known = operation_named(operation);
  if (!known) return base::usage_error(fmt::format("limits of an unknown operation '{}'", operation));
  const notation::Signature& signature = known->signature();
  operation = signature.name;
  const std::vector<std::string>& names = signature.formats;
  Reason reason;
  std::vector<Operation> combinations;
  for (const auto& formats : limits.formats) {
    if (formats.size() < signature.own_formats || formats.size() > names.size()) {
      return base::usage_error(fmt::format("limits: a combination of {} format{}: {} wants {{{}}}", formats.size(),
                                           formats.size() == 1 ? "" : "s", operation, names_text(signature)));
    }
    known->set_formats(formats);
    if (const base::Status possible = validate(*known); !possible) reason = possible.error().message;
    combinations.push_back(*known);
  }
  const std::vector<std::string>& extents = known->signature().extents;
  for (const auto& [name, limit] : limits.extents) {
    if (std::ranges::find(extents, name) != extents.end()) continue;
    reason = fmt::format("{} has no extent {}; it has {}", operation, name, fmt::join(extents, ", "));
  }
  for (const std::string& extent : extents) {
    if (!reason) reason = accepts_no_extent(extent, limits.extents[extent]);
  }
  if (!reason) reason = wrong_scalars(limits, known->signature());
  if (!reason) reason = wrong_layouts(limits, known->signature());
  if (!reason) reason = wrong_relations(limits, known->signature());
  if (!reason) reason = wrong_options_of(limits, known->signature());
  if (combinations.empty()) combinations.push_back(*known);
  if (!reason) reason = wrong_in_place(limits, combinations);
  if (!reason) reason = wrong_values(limits, combinations);
  if (reason) return base::usage_error("limits: " + *reason);
  return base::Ok{};
}

}  // namespace negzero::operation
