// Carrying elements and layouts over to another shape, and the way back inside limits.

#include <algorithm>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/words.hpp>
#include <negzero/mutate/shape.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/index_words.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/operation/relations.hpp>
#include <negzero/operation/views.hpp>
#include <negzero/operation/whole.hpp>

namespace negzero::mutate {
namespace {

using operation::Case;
using tensor::Tensor;

constexpr std::string_view kMutated = "mutated";

/// The formats that the limits accept and that have most in common with those of the operation.
void accept_formats(operation::Operation& operation, const operation::Limits& limits) {
  const std::vector<number::FormatId> own(operation.formats().begin(), operation.formats().end());
  const auto in_common = [&](const std::vector<number::FormatId>& formats) {
    operation.set_formats(formats);
    std::size_t count = 0;
    for (std::size_t i = 0; i < own.size(); ++i) count += operation.formats()[i] == own[i] ? 1 : 0;
    return count;
  };
  const auto best = std::ranges::max_element(limits.formats, {}, in_common);
  if (best != limits.formats.end()) operation.set_formats(*best);
}

/// The scalars in the format in which kernels of the contract read them, with values that the limits accept.
void accept_scalars(operation::Operation& operation, const generate::Request& request) {
  const number::FormatId wanted = generate::scalar_format(request.contract);
  for (const operation::ScalarView& scalar : operation::scalar_views(operation, request.limits)) {
    if (scalar.is_whole()) {
      const operation::WholeRange range = operation::whole_range(scalar.kind, scalar.range);
      *scalar.value = operation::whole_scalar(range.nearest(operation::whole_value(*scalar.value)));
      continue;
    }
    const number::Format& format = number::format(wanted);
    if (scalar.value->format != wanted) {
      const number::Format& own = number::format(scalar.value->format);
      *scalar.value = {wanted, number::convert(own, scalar.value->bits, format, {})};
    }
    if (scalar.range != nullptr && !scalar.range->accepts(*scalar.value)) {
      *scalar.value = scalar.range->nearest(wanted, number::to_double(format, scalar.value->bits));
    }
    const std::uint64_t zero = number::zero(format), one = number::one(format);
    const bool is_zero = number::is_zero(format, scalar.value->bits), is_one = scalar.value->bits == one;
    switch (scalar.limit) {
      case operation::ScalarLimit::Any:
        break;
      case operation::ScalarLimit::ZeroOrOne:
        if (!is_zero && !is_one) scalar.value->bits = scalar.is_addend ? zero : one;
        break;
      case operation::ScalarLimit::Zero:
        if (!is_zero) scalar.value->bits = zero;
        break;
      case operation::ScalarLimit::One:
        scalar.value->bits = one;
        break;
    }
  }
}

}  // namespace

Size size_of(const operation::Operation& operation) {
  Size size;
  for (const operation::Extent& extent : operation::extents_of(operation)) {
    size.products *= static_cast<double>(std::max<std::int64_t>(1, extent.value));
  }
  for (const operation::TensorSpec& spec : operation::tensor_specs(operation)) {
    size.elements += static_cast<double>(tensor::count_elements(spec.shape));
  }
  for (const operation::TensorSpec& spec : operation::output_specs(operation)) {
    size.results += static_cast<double>(tensor::count_elements(spec.shape));
  }
  return size;
}

std::int64_t most_of_extent(const operation::Operation& operation, std::int64_t old) {
  // Products as they are need not fit into an integer: extents whose tensors are empty may be of any length.
  const double others = size_of(operation).products / static_cast<double>(std::max<std::int64_t>(1, old));
  return static_cast<std::int64_t>(std::max(1.0, static_cast<double>(kMostProducts) / std::max(1.0, others)));
}

bool has_room(const operation::Operation& child, const operation::Operation& parent) {
  const Size wanted = size_of(child), had = size_of(parent);
  return wanted.products <= std::max(static_cast<double>(kMostProducts), had.products) &&
         wanted.elements <= std::max(static_cast<double>(kMostElements), had.elements) &&
         wanted.results <= std::max(static_cast<double>(kMostResults), had.results);
}

bool has_index_into_nothing(const operation::Operation& operation) {
  return std::ranges::any_of(operation::input_specs(operation), [](const operation::TensorSpec& spec) {
    return spec.index_below == 0 && tensor::count_elements(spec.shape) > 0;
  });
}

Tensor carried_over(const Tensor& from, const operation::TensorSpec& spec) {
  Tensor to(spec.format, spec.shape);
  const bool is_bounded = spec.index_below.has_value();
  if (from.element_count() == 0 || to.element_count() == 0) return to;
  const bool same_format = from.format_id() == to.format_id();
  std::vector<std::int64_t> at(spec.shape.size(), 0);
  for (std::int64_t i = 0; i < to.element_count(); ++i) {
    std::int64_t source = 0;
    for (std::size_t d = 0; d < at.size(); ++d) source = source * from.shape()[d] + at[d] % from.shape()[d];
    std::uint64_t word = from.get(source);
    if (!same_format) word = number::convert(from.format(), word, to.format(), {});
    const bool is_none = spec.words.has_none && number::ordinal(to.format(), word) == operation::kNoIndex;
    if (is_bounded && !is_none) word %= static_cast<std::uint64_t>(*spec.index_below);
    to.set(i, word);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < spec.shape[d]) break;
      at[d] = 0;
    }
  }
  return to;
}

void reshape(Case& value, const operation::Operation& operation, const operation::Limits& limits) {
  value.operation = operation;
  const notation::Signature& signature = operation.signature();
  for (const std::string& input : operation::optional_inputs(signature)) {
    if (!operation::is_absent(signature, input)) continue;
    value.tensors.erase(input);
    value.layouts.erase(input);
  }
  if (!limits.in_place.accepts(value.in_place)) value.in_place = limits.in_place.always ? limits.in_place.input : "";
  if (!operation::may_be_in_place(operation, value.in_place)) value.in_place.clear();
  if (operation::outside(limits.configuration, value.configuration)) {
    value.configuration = operation::accepted(limits.configuration, value.configuration);
  }
  const std::vector<operation::TensorView> views = operation::tensor_views(operation, limits);
  for (const operation::TensorView& view : views) {
    if (!value.layouts.contains(view.spec.name)) {
      // An optional input that the case lacks begins with zeros.
      value.tensors.insert_or_assign(view.spec.name, Tensor(view.spec.format, view.spec.shape));
      value.layouts[view.spec.name] = operation::plain_layout(view.spec.shape, view.limit);
      continue;
    }
    if (!view.is_output) {
      Tensor& tensor = value.tensors.at(view.spec.name);
      tensor = carried_over(tensor, view.spec);
    }
    tensor::Layout& layout = value.layouts.at(view.spec.name);
    if (layout.shape != view.spec.shape) layout = generate::resized_layout(layout, view.spec.shape);
  }
  operation::lay_in_place(value);
  if (!operation::outside(limits, value.operation, value.layouts, value.in_place, value.configuration)) return;
  for (const operation::TensorView& view : views) {
    value.layouts.at(view.spec.name) = operation::plain_layout(view.spec.shape, view.limit);
  }
  operation::lay_in_place(value);
}

bool is_inside(const generate::Request& request, const Case& value) {
  const number::FormatId wanted = generate::scalar_format(request.contract);
  const auto are_read = [&] {
    const std::vector<notation::ScalarSignature>& scalars = value.operation.signature().scalars;
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      if (!scalars[i].is_whole() && value.operation.scalars()[i].format != wanted) return false;
    }
    return true;
  };
  return operation::is_of(value.operation, request.operation) && are_read() &&
         generate::fits(request.mix.extents, value.operation) && !operation::outside(request.limits, value);
}

bool is_usable(const generate::Request& request, const Case& value) {
  return is_inside(request, value) && operation::validate(value).ok();
}

Case brought_inside(const generate::Request& request, const Case& value, base::Random& random) {
  if (is_inside(request, value)) return value;
  if (operation::is_of(value.operation, request.operation)) {
    operation::Operation operation = value.operation;
    for (const operation::ExtentView& extent : operation::extent_views(operation, request.limits)) {
      const auto range = request.mix.extents.find(std::string(extent.name));
      if (range != request.mix.extents.end()) {
        *extent.value = std::clamp(*extent.value, range->second.low, range->second.high);
      }
      *extent.value = generate::nearest_extent(*extent.limit, *extent.value);
    }
    operation::keep_relations(operation.extents(), operation.signature(), request.limits);
    accept_formats(operation, request.limits);
    accept_scalars(operation, request);
    if (!has_index_into_nothing(operation) && has_room(operation, value.operation)) {
      Case inside = value;
      reshape(inside, operation, request.limits);
      operation::unify_shared_elements(inside);
      operation::fold_values(inside, request.limits);
      if (is_usable(request, inside)) return inside;
    }
  }
  Case made = generate::make_case(request, random.next(), 0);
  made.kernel = value.kernel;
  return made;
}

void mark_as_child(Case& value) {
  if (value.strategy.empty()) {
    value.strategy = kMutated;
  } else if (!value.strategy.starts_with(kMutated)) {
    value.strategy = std::string(kMutated) + "." + value.strategy;
  }
  value.seed = value.index = 0;
  value.expect.clear();
  value.found.reset();
}

}  // namespace negzero::mutate
