// Whether a case lies inside a kernel's limits, and if not, why; and whether any can.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::operation {
namespace {

using Reason = std::optional<std::string>;

std::string names_of(const std::vector<number::FormatId>& formats) {
  std::string names;
  for (const number::FormatId id : formats) (names += names.empty() ? "" : " x ") += number::format(id).name;
  return names;
}

Reason formats_outside(const Limits& limits, const Operation& operation) {
  if (limits.formats.empty()) return std::nullopt;
  const std::vector<number::FormatId> formats(operation.formats().begin(), operation.formats().end());
  if (std::find(limits.formats.begin(), limits.formats.end(), formats) != limits.formats.end()) return std::nullopt;
  std::string accepted;
  for (const auto& combination : limits.formats) (accepted += accepted.empty() ? "" : ", ") += names_of(combination);
  return fmt::format("formats {} are none of {}", names_of(formats), accepted);
}

Reason extent_outside(const Extent& extent, const ExtentLimit& limit) {
  if (limit.accepts(extent.value)) return std::nullopt;
  if (extent.value < limit.min) return fmt::format("{} = {} is below {}", extent.name, extent.value, limit.min);
  if (extent.value > limit.max) return fmt::format("{} = {} exceeds {}", extent.name, extent.value, limit.max);
  return fmt::format("{} = {} is no multiple of {}", extent.name, extent.value, limit.multiple);
}

Reason scalar_outside(std::string_view what, const Scalar& scalar, ScalarLimit limit) {
  const number::Format& format = number::format(scalar.format);
  const bool zero = number::is_zero(format, scalar.bits);
  const bool one = scalar.bits == number::one(format);
  switch (limit) {
    case ScalarLimit::Any:
      return std::nullopt;
    case ScalarLimit::ZeroOrOne:
      if (zero || one) return std::nullopt;
      return fmt::format("{} is neither 0 nor 1", what);
    case ScalarLimit::Zero:
      if (zero) return std::nullopt;
      return fmt::format("{} is not 0", what);
    case ScalarLimit::One:
      if (one) return std::nullopt;
      return fmt::format("{} is not 1", what);
  }
  return std::nullopt;
}

bool has_order(const tensor::Layout& layout, LayoutOrder order) {
  const std::size_t rank = layout.shape.size();
  // A stride is used only where its dimension has a second element.
  const auto unit = [&](std::size_t d) { return layout.shape[d] < 2 || layout.strides[d] == 1; };
  switch (order) {
    case LayoutOrder::Any:
      return true;
    case LayoutOrder::RowOrColumnMajor:
      return rank == 0 || unit(rank - 1) || (rank > 1 && unit(rank - 2));
    case LayoutOrder::RowMajor:
      return rank == 0 || unit(rank - 1);
    case LayoutOrder::Packed: {
      const tensor::Layout packed = tensor::Layout::packed(layout.shape);
      for (std::size_t d = 0; d < rank; ++d) {
        if (layout.shape[d] > 1 && layout.strides[d] != packed.strides[d]) return false;
      }
      return true;
    }
  }
  return false;
}

std::string_view words_of(LayoutOrder order) {
  switch (order) {
    case LayoutOrder::Any:
      return "any";
    case LayoutOrder::RowOrColumnMajor:
      return "row-major or column-major";
    case LayoutOrder::RowMajor:
      return "row-major";
    case LayoutOrder::Packed:
      return "packed";
  }
  return "";
}

Reason layout_outside(const std::string& name, const tensor::Layout& layout, const LayoutLimit& limit) {
  if (layout.element_count() == 0) return std::nullopt;
  if (!has_order(layout, limit.order)) return fmt::format("{} is not {}", name, words_of(limit.order));
  if (layout.offset > limit.max_offset) {
    return fmt::format("offset {} of {} exceeds {}", layout.offset, name, limit.max_offset);
  }
  if (layout.offset % limit.offset_multiple != 0) {
    return fmt::format("offset {} of {} is no multiple of {}", layout.offset, name, limit.offset_multiple);
  }
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    const std::int64_t stride = layout.strides[d];
    if (layout.shape[d] > 1 && stride != 1 && stride % limit.stride_multiple != 0) {
      return fmt::format("stride {} of {} is no multiple of {}", stride, name, limit.stride_multiple);
    }
  }
  if (!limit.broadcast && layout.overlaps()) return fmt::format("elements of {} share an address", name);
  return std::nullopt;
}

/// Nothing where some extent is accepted.
Reason accepts_no_extent(std::string_view name, const ExtentLimit& limit) {
  if (limit.multiple < 1) return fmt::format("multiple {} of {}: at least 1", limit.multiple, name);
  if (limit.min < 0) return fmt::format("min {} of {}: at least 0", limit.min, name);
  if (limit.min > limit.max) return fmt::format("min {} of {} is above its max {}", limit.min, name, limit.max);
  if (limit.max / limit.multiple * limit.multiple >= limit.min) return std::nullopt;
  return fmt::format("no multiple {} of {} lies between {} and {}", limit.multiple, name, limit.min, limit.max);
}

Reason accepts_no_layout(std::string_view name, const LayoutLimit& limit) {
  if (limit.offset_multiple < 1)
    return fmt::format("offset_multiple {} of {}: at least 1", limit.offset_multiple, name);
  if (limit.stride_multiple < 1)
    return fmt::format("stride_multiple {} of {}: at least 1", limit.stride_multiple, name);
  if (limit.max_offset < 0) return fmt::format("max_offset {} of {}: at least 0", limit.max_offset, name);
  return std::nullopt;
}

/// The formats of `operation` are some that it may have: whether they are equal is a case's affair.
Reason accepts_none_in_place(const InPlaceLimit& limit, const Operation& operation) {
  if (limit.input.empty()) {
    return limit.always ? Reason("in_place is always, and names no input") : std::nullopt;
  }
  const std::vector<std::string> may = may_be_in_place(operation);
  if (std::ranges::find(may, limit.input) != may.end()) return std::nullopt;
  return fmt::format("{} is no input of {} that may lie in the output's memory{}", limit.input,
                     operation::name(operation),
                     may.empty() ? "; none may" : fmt::format("; those are: {}", fmt::join(may, ", ")));
}

}  // namespace

ExtentLimit& ExtentLimits::operator[](std::string_view extent) {
  const auto found = said_.find(extent);
  return found != said_.end() ? found->second : said_[std::string(extent)];
}

const ExtentLimit& ExtentLimits::operator[](std::string_view extent) const {
  static const ExtentLimit any;
  const auto found = said_.find(extent);
  return found != said_.end() ? found->second : any;
}

base::Status validate(const Limits& limits, std::string_view operation) {
  std::optional<Operation> known = operation_named(operation);
  if (!known) return base::usage_error(fmt::format("limits of an unknown operation '{}'", operation));
  const std::vector<std::string>& names = known->signature().formats;
  Reason reason;
  for (const auto& formats : limits.formats) {
    if (formats.size() != names.size()) {
      return base::usage_error(fmt::format("limits: a combination of {} format{}: {} wants {{{}}}", formats.size(),
                                           formats.size() == 1 ? "" : "s", operation, fmt::join(names, ", ")));
    }
    std::ranges::copy(formats, known->formats().begin());
    if (const base::Status possible = validate(*known); !possible) reason = possible.error().message;
  }
  const std::vector<std::string>& extents = known->signature().extents;
  for (const auto& [name, limit] : limits.extents) {
    if (std::ranges::find(extents, name) != extents.end()) continue;
    reason = fmt::format("{} has no extent {}; it has {}", operation, name, fmt::join(extents, ", "));
  }
  for (const std::string& extent : extents) {
    if (!reason) reason = accepts_no_extent(extent, limits.extents[extent]);
  }
  if (!reason) reason = accepts_no_layout("inputs", limits.inputs);
  if (!reason) reason = accepts_no_layout("output", limits.output);
  if (!reason) reason = accepts_none_in_place(limits.in_place, *known);
  if (reason) return base::usage_error("limits: " + *reason);
  return base::Ok{};
}

std::optional<std::string> outside(const Limits& limits, const Operation& operation,
                                   const std::map<std::string, tensor::Layout>& layouts, std::string_view in_place) {
  if (Reason reason = formats_outside(limits, operation)) return reason;
  if (!limits.in_place.accepts(in_place)) {
    return in_place.empty() ? fmt::format("{} does not lie in the output's memory", limits.in_place.input)
                            : fmt::format("{} lies in the output's memory", in_place);
  }
  const Signature& signature = operation.signature();
  for (std::size_t i = 0; i < signature.extents.size(); ++i) {
    const Extent extent{signature.extents[i], operation.extents()[i]};
    if (Reason reason = extent_outside(extent, limits.extents[extent.name])) return reason;
  }
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    const auto& [name, is_addend] = signature.scalars[i];
    if (Reason reason = scalar_outside(name, operation.scalars()[i], is_addend ? limits.beta : limits.alpha)) {
      return reason;
    }
  }
  const auto check = [&](const TensorSpec& spec, const LayoutLimit& limit) -> Reason {
    const auto found = layouts.find(spec.name);
    if (found != layouts.end()) return layout_outside(spec.name, found->second, limit);
    return layout_outside(spec.name, tensor::Layout::packed(spec.shape), limit);
  };
  for (const TensorSpec& spec : input_specs(operation)) {
    if (Reason reason = check(spec, limits.inputs)) return reason;
  }
  for (const TensorSpec& spec : output_specs(operation)) {
    if (Reason reason = check(spec, limits.output)) return reason;
  }
  return std::nullopt;
}

}  // namespace negzero::operation
