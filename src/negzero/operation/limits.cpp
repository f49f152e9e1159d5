// Whether a case lies inside a kernel's limits, and if not, why.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/operation/by_name_members.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/operation/relations.hpp>
#include <negzero/tensor/islands.hpp>

namespace negzero::operation {
namespace {

using Reason = std::optional<std::string>;

Reason formats_outside(const Limits& limits, const Operation& operation) {
  if (limits.formats.empty()) return std::nullopt;
  const auto is_it = [&](const std::vector<number::FormatId>& accepted) {
    Operation other = operation;
    other.set_formats(accepted);
    return std::ranges::equal(other.formats(), operation.formats());
  };
  if (std::ranges::any_of(limits.formats, is_it)) return std::nullopt;
  const notation::Signature& signature = operation.signature();
  return fmt::format("formats {} are none of {}", formats_text(operation.named_formats(), signature),
                     formats_text(limits, signature));
}

Reason extent_outside(const Extent& extent, const ExtentLimit& limit) {
  if (limit.accepts(extent.value)) return std::nullopt;
  if (extent.value < limit.min) return fmt::format("{} = {} is below {}", extent.name, extent.value, limit.min);
  if (extent.value > limit.max) return fmt::format("{} = {} exceeds {}", extent.name, extent.value, limit.max);
  if (extent.value % limit.multiple != 0) {
    return fmt::format("{} = {} is no multiple of {}", extent.name, extent.value, limit.multiple);
  }
  return fmt::format("{} = {} is no power of two", extent.name, extent.value);
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

/// "epsilon = 0 is not between 1e-06 and 1".
Reason scalar_outside(std::string_view what, const Scalar& scalar, const ScalarRange& range) {
  if (range.accepts(scalar)) return std::nullopt;
  return fmt::format("{} = {} is not between {} and {}", what,
                     number::to_decimal(number::format(scalar.format), scalar.bits), range.least, range.greatest);
}

/// Whether elements lie side by side along a dimension that an order lets them: what its stride is a multiple of does
/// not matter there. Of shared dimensions the next one counts.
bool is_adjacent(const tensor::Layout& layout, std::size_t dimension, const LayoutRule& rule) {
  if (layout.strides[dimension] != 1) return false;
  std::vector<std::size_t> own;  // from the last one
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    if (!rule.shares(d)) own.push_back(d);
  }
  const bool is_last = own.front() == dimension;
  // The one before the last of all has its place even where the last is shared.
  const std::size_t column = layout.shape.size() > 1 ? layout.shape.size() - 2 : 0;
  const bool is_column = rule.shares(column) ? is_last : column == dimension;
  switch (rule.order) {
    case LayoutOrder::RowMajor:
      return is_last;
    case LayoutOrder::ColumnMajor:
      return is_column;
    case LayoutOrder::RowOrColumnMajor:
      return is_last || is_column;
    case LayoutOrder::Any:
    case LayoutOrder::Packed:  // Its extents decide.
      return true;
  }
  return true;
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
    case LayoutOrder::ColumnMajor:
      return rank == 0 || unit(rank > 1 ? rank - 2 : 0);
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
    case LayoutOrder::ColumnMajor:
      return "column-major";
    case LayoutOrder::Packed:
      return "packed";
  }
  return "";
}

/// The layout as it is without the dimensions whose elements are shared: these have one element each.
tensor::Layout without_shared(tensor::Layout layout, const LayoutRule& rule) {
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (rule.shares(d)) layout.shape[d] = std::min<std::int64_t>(1, layout.shape[d]);
  }
  return layout;
}

/// One tensor of an operation, with what limits say of where it lies.
struct Limited {
  const notation::Signature& signature;
  const notation::TensorSignature& tensor;
  const LayoutLimit& limit;
  LayoutRule rule;
  const number::Format& format;
};

Reason layout_outside(const Limited& limited, const tensor::Layout& given) {
  if (given.element_count() == 0) return std::nullopt;
  const auto& [signature, tensor, limit, rule, format] = limited;
  const std::string& name = tensor.name;
  for (std::size_t d = 0; d < given.shape.size(); ++d) {
    if (!rule.shares(d) || given.shape[d] < 2 || given.strides[d] == 0) continue;
    return fmt::format("stride {} of {} along {} is not 0, which all of {} shares", given.strides[d], name,
                       signature.extents[tensor.extents[d]], signature.extents[tensor.extents[d]]);
  }
  const tensor::Layout layout = without_shared(given, rule);
  if (!has_order(layout, rule.order)) return fmt::format("{} is not {}", name, words_of(rule.order));
  if (layout.offset > rule.max_offset) {
    return fmt::format("offset {} of {} exceeds {}", layout.offset, name, rule.max_offset);
  }
  if (layout.offset % limit.offset_multiple != 0) {
    return fmt::format("offset {} of {} is no multiple of {}", layout.offset, name, limit.offset_multiple);
  }
  if (format.is_half_byte() && layout.offset % 2 != 0) {
    return fmt::format("offset {} of {} begins inside a byte, which two elements of {} share", layout.offset, name,
                       format.name);
  }
  const std::int64_t start = format.is_half_byte() ? layout.offset / 2 : layout.offset * format.bytes();
  if (start % limit.alignment != 0) {
    return fmt::format("element 0 of {} lies at byte {}, which is no multiple of {}", name, start, limit.alignment);
  }
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    const std::int64_t stride = layout.strides[d];
    if (layout.shape[d] > 1 && !is_adjacent(layout, d, rule) && stride % rule.stride_multiple != 0) {
      return fmt::format("stride {} of {} is no multiple of {}", stride, name, rule.stride_multiple);
    }
    if (layout.shape[d] > 1 && stride > rule.max_stride) {
      return fmt::format("stride {} of {} exceeds {}", stride, name, rule.max_stride);
    }
  }
  if (layout.extent() - layout.offset > rule.max_span) {
    return fmt::format("{} spans {} elements, more than {}", name, layout.extent() - layout.offset, rule.max_span);
  }
  if (!rule.broadcast && layout.overlaps()) return fmt::format("elements of {} share an address", name);
  return std::nullopt;
}

}  // namespace

bool ScalarRange::accepts(const Scalar& scalar) const {
  const double value = number::to_double(number::format(scalar.format), scalar.bits);
  return value >= least && value <= greatest;
}

Scalar ScalarRange::nearest(number::FormatId id, double wanted) const {
  const number::Format& format = number::format(id);
  const double inside = std::isnan(wanted) ? least : std::clamp(wanted, least, greatest);
  Scalar scalar{id, number::from_double(format, inside)};
  if (accepts(scalar)) return scalar;
  const bool is_above = number::to_double(format, scalar.bits) > greatest;
  scalar.bits = is_above ? number::next_down(format, scalar.bits) : number::next_up(format, scalar.bits);
  return scalar;
}

std::optional<std::int64_t> ExtentLimit::at_least(std::int64_t wanted) const noexcept {
  std::int64_t value = std::max({wanted, min, std::int64_t{0}});
  if (value > max) return std::nullopt;
  if (power_of_two) {
    value = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max(value, multiple))));
  } else if (const std::int64_t beyond = value % multiple; beyond != 0) {
    if (multiple - beyond > max - value) return std::nullopt;
    value += multiple - beyond;
  }
  return accepts(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> ExtentLimit::at_most(std::int64_t wanted) const noexcept {
  const std::int64_t most = std::min(wanted, max);
  if (most < 0) return std::nullopt;
  const std::int64_t value = power_of_two ? static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)))
                                          : most / multiple * multiple;
  return accepts(value) ? std::optional(value) : std::nullopt;
}

template class ByName<ExtentLimit>;
template class ByName<LayoutLimit>;
template class ByName<ScalarRange>;
template class ByName<ValueRange>;

const LayoutLimit& Limits::of(std::string_view tensor, bool is_output) const {
  if (const LayoutLimit* const said = tensors.find(tensor)) return *said;
  return is_output ? output : inputs;
}

const LayoutLimit& layout_limit(const Limits& limits, const notation::Signature& signature, std::size_t tensor) {
  const notation::TensorSignature& said = signature.tensors[tensor];
  return limits.of(said.name, said.role == notation::Role::Output);
}

LayoutRule layout_rule(const Limits& limits, const notation::Signature& signature, std::size_t tensor,
                       number::FormatId format) {
  const LayoutLimit& limit = layout_limit(limits, signature, tensor);
  // Half bytes lie packed, and begin with a byte.
  const bool is_half = number::format(format).is_half_byte();
  const std::int64_t element_bytes = number::format(format).bytes();
  const std::int64_t alignment =
      is_half ? 2 * limit.alignment : limit.alignment / std::gcd(limit.alignment, element_bytes);
  LayoutRule rule{.order = is_half ? LayoutOrder::Packed : limit.order,
                  .broadcast = limit.broadcast && !is_half && !signature.tensors[tensor].words.keeps_apart(),
                  .max_offset = limit.max_offset,
                  .offset_multiple = std::lcm(limit.offset_multiple, alignment),
                  .stride_multiple = limit.stride_multiple,
                  .max_stride = limit.max_stride,
                  .max_span = limit.max_span};
  const std::vector<std::size_t>& extents = signature.tensors[tensor].extents;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const bool is_shared = std::ranges::find(limit.shared, signature.extents[extents[d]]) != limit.shared.end();
    rule.shared |= (is_shared ? 1u : 0u) << d;
  }
  return rule;
}

bool permits_distant(const Limits& limits, const notation::Signature& signature, std::size_t tensor) {
  const LayoutLimit& limit = layout_limit(limits, signature, tensor);
  return limits.distant && !signature.tensors[tensor].extents.empty() && limit.order != LayoutOrder::Packed &&
         limit.max_stride > tensor::kNearPadding && limit.max_span > tensor::kNearPadding;
}

std::optional<std::string> outside(const Limits& limits, const Operation& operation,
                                   const std::map<std::string, tensor::Layout>& layouts, std::string_view in_place,
                                   const Configuration& configuration) {
  if (Reason reason = formats_outside(limits, operation)) return reason;
  if (Reason reason = outside(limits.configuration, configuration)) return reason;
  // An optional input that is absent lies nowhere.
  if (!limits.in_place.accepts(in_place) &&
      !(in_place.empty() && is_absent(operation.signature(), limits.in_place.input))) {
    return in_place.empty() ? fmt::format("{} does not lie in the output's memory", limits.in_place.input)
                            : fmt::format("{} lies in the output's memory", in_place);
  }
  const notation::Signature& signature = operation.signature();
  for (std::size_t i = 0; i < signature.extents.size(); ++i) {
    const Extent extent{signature.extents[i], operation.extents()[i]};
    if (Reason reason = extent_outside(extent, limits.extents[extent.name])) return reason;
  }
  if (Reason reason = breaks_relation(operation.extents(), signature, limits)) return reason;
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    const notation::ScalarSignature& scalar = signature.scalars[i];
    if (const ScalarRange* const said = limits.scalars.find(scalar.name)) {
      if (Reason reason = scalar_outside(scalar.name, operation.scalars()[i], *said)) return reason;
    }
    if (scalar.is_whole()) continue;
    if (Reason reason =
            scalar_outside(scalar.name, operation.scalars()[i], scalar.is_addend ? limits.beta : limits.alpha)) {
      return reason;
    }
  }
  for (const TensorSpec& spec : tensor_specs(operation)) {
    if (spec.name == in_place) continue;  // It lies as the output does.
    const std::size_t place = *signature.find_tensor(spec.name);
    const Limited limited{signature, signature.tensors[place], layout_limit(limits, signature, place),
                          layout_rule(limits, signature, place, spec.format), number::format(spec.format)};
    const auto found = layouts.find(spec.name);
    const bool is_given = found != layouts.end();
    const tensor::Layout packed = is_given ? tensor::Layout{} : tensor::Layout::packed(spec.shape);
    if (!limits.distant && is_given && tensor::is_distant(found->second)) {
      return fmt::format("{} spans {} elements, most of them no memory, which what launches the kernel cannot lay out",
                         spec.name, found->second.extent());
    }
    if (Reason reason = layout_outside(limited, is_given ? found->second : packed)) return reason;
  }
  return std::nullopt;
}

std::optional<std::string> outside(const Limits& limits, const Case& value) {
  Reason reason = outside(limits, value.operation, value.layouts, value.in_place, value.configuration);
  return reason ? reason : values_outside(limits, value);
}

}  // namespace negzero::operation
