// Crossing two cases.

#include <algorithm>
#include <utility>

#include <negzero/generate/draw.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/mutate/shape.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/operation/relations.hpp>
#include <negzero/operation/views.hpp>

namespace negzero::mutate {
namespace {

using operation::Case;
using tensor::Tensor;

/// Each extent and scalar from either, formats all from one; `a`'s where that is too large, or points at nothing.
operation::Operation crossed(const generate::Request& request, const operation::Operation& a,
                             const operation::Operation& b, base::Random& random) {
  operation::Operation result = a, other = b;
  if (random.one_in(2)) std::ranges::copy(b.formats(), result.formats().begin());
  const auto scalars = operation::scalar_views(result, request.limits);
  const auto other_scalars = other.scalars();
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if (random.one_in(2)) *scalars[i].value = other_scalars[i];
  }
  const operation::Operation with_own_extents = result;
  const auto extents = operation::extent_views(result, request.limits);
  const std::vector<operation::Extent> other_extents = operation::extents_of(other);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (random.one_in(2)) *extents[i].value = other_extents[i].value;
  }
  operation::keep_relations(result.extents(), result.signature(), request.limits);
  return has_index_into_nothing(result) || !has_room(result, a) ? with_own_extents : result;
}

/// Puts a range of `from`, which has the same format and shape, into `to`: from anywhere to anywhere, or to the same
/// place.
void splice(const Tensor& from, Tensor& to, base::Random& random) {
  const std::int64_t count = to.element_count();
  if (count == 0) return;
  const auto place = [&] { return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count))); };
  const std::int64_t begin = place(), source = random.one_in(2) ? begin : place();
  const std::int64_t length = std::min(1 + place(), count - std::max(begin, source));
  for (std::int64_t i = 0; i < length; ++i) to.set(begin + i, from.get(source + i));
}

}  // namespace

Case cross(const generate::Request& request, const Case& first, const Case& second, base::Random& random) {
  const Case a = brought_inside(request, first, random), b = brought_inside(request, second, random);
  Case child = a;
  const operation::Operation operation = crossed(request, a.operation, b.operation, random);
  reshape(child, operation, request.limits);
  Case other = b;
  reshape(other, operation, request.limits);
  for (auto& [name, tensor] : child.tensors) {
    const std::uint64_t kind = random.below(3);
    if (!b.tensors.contains(name)) continue;  // An optional input that is absent has nothing to give.
    if (kind == 1) tensor = other.tensors.at(name);
    if (kind == 2) splice(other.tensors.at(name), tensor, random);
  }
  for (auto& [name, layout] : child.layouts) {
    if (!random.one_in(2)) continue;
    const tensor::Layout own = std::exchange(layout, other.layouts.at(name));
    if (operation::outside(request.limits, child)) layout = own;
  }
  if (random.one_in(2)) child.poison = b.poison;
  if (random.one_in(2)) child.schedule = b.schedule;
  for (const auto& [name, values] : request.limits.configuration) {
    if (!random.one_in(2)) continue;
    const auto said = b.configuration.find(name);
    operation::set_option(child.configuration, request.limits.configuration, name,
                          said != b.configuration.end() ? said->second : values.front());
  }
  operation::unify_shared_elements(child);
  operation::fold_values(child, request.limits);
  if (!is_usable(request, child)) child = a;
  mark_as_child(child);
  return child;
}

}  // namespace negzero::mutate
