// The table of changes, the changes of what surrounds the elements, and the draw of a child.

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/mutate/elements.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/mutate/shape.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/operation/relations.hpp>
#include <negzero/operation/views.hpp>
#include <negzero/operation/whole.hpp>

namespace negzero::mutate {
namespace {

using operation::Case;

/// One of the extents: drawn anew, one more or less, doubled or halved, empty, or the same as another one.
bool change_extent(Work& work) {
  operation::Operation operation = work.value.operation;
  const std::vector<operation::ExtentView> extents = operation::extent_views(operation, work.request.limits);
  const auto pick = [&]() -> const operation::ExtentView& {
    return extents[static_cast<std::size_t>(work.random.below(extents.size()))];
  };
  const std::size_t place = static_cast<std::size_t>(work.random.below(extents.size()));
  const operation::ExtentView& extent = extents[place];
  const std::int64_t old = *extent.value, multiple = std::max<std::int64_t>(1, extent.limit->multiple);
  const std::int64_t most = most_of_extent(operation, old);
  std::int64_t wanted = 0;
  switch (work.random.below(8)) {
    case 0:
      wanted = 0;
      break;
    case 1:
      wanted = old + multiple;
      break;
    case 2:
      wanted = old - multiple;
      break;
    case 3:
      wanted = 2 * old;
      break;
    case 4:
      wanted = old / 2;
      break;
    case 5:
      wanted = *pick().value;
      break;
    default:
      wanted = generate::draw_extent({*extent.limit}, most, work.random);
  }
  *extent.value = generate::nearest_extent(*extent.limit, std::max<std::int64_t>(0, wanted));
  operation::keep_relations(operation.extents(), operation.signature(), work.request.limits, place);
  if (has_index_into_nothing(operation) || !has_room(operation, work.value.operation)) return false;
  reshape(work.value, operation, work.request.limits);
  return true;
}

/// Another accepted combination of formats.
bool change_formats(Work& work) {
  const auto& accepted = work.request.limits.formats;
  if (accepted.size() < 2) return false;
  operation::Operation operation = work.value.operation;
  const auto& chosen = accepted[static_cast<std::size_t>(work.random.below(accepted.size()))];
  operation.set_formats(chosen);
  reshape(work.value, operation, work.request.limits);
  return true;
}

/// The layout of one input or of the output: drawn anew, or the plainest.
bool change_layout(Work& work) {
  constexpr unsigned kAnyDimension = 7;
  const std::vector<operation::TensorView> views = operation::tensor_views(work.value.operation, work.request.limits);
  const operation::TensorView& view = views[static_cast<std::size_t>(work.random.below(views.size()))];
  work.value.layouts.at(view.spec.name) =
      work.random.one_in(4)
          ? operation::plain_layout(view.spec.shape, view.limit)
          : generate::draw_layout(view.spec.shape, view.limit, view.is_output ? 0 : kAnyDimension, work.random);
  operation::lay_in_place(work.value);
  return true;
}

/// A whole number: drawn anew, one more or less, doubled or halved, or an extent's value. A truth value: the other one.
void change_whole(Work& work, const operation::ScalarView& scalar) {
  const operation::WholeRange range = operation::whole_range(scalar.kind, scalar.range);
  const std::int64_t old = operation::whole_value(*scalar.value);
  const std::span<const std::int64_t> extents = std::as_const(work.value.operation).extents();
  const auto drawn = [&] {
    return operation::whole_value(generate::draw_whole(scalar.kind, scalar.range, extents, work.random));
  };
  std::int64_t wanted = 1 - old;
  if (scalar.kind == notation::ScalarKind::Integer) {
    switch (work.random.below(6)) {
      case 0:
        wanted = old + 1;
        break;
      case 1:
        wanted = old - 1;
        break;
      case 2:
        wanted = 2 * old;
        break;
      case 3:
        wanted = old / 2;
        break;
      case 4:
        wanted = extents.empty() ? drawn() : extents[static_cast<std::size_t>(work.random.below(extents.size()))];
        break;
      default:
        wanted = drawn();
    }
  }
  *scalar.value = operation::whole_scalar(range.nearest(wanted));
}

/// One scalar: as a strategy draws it, or any special number and its neighbours.
bool change_scalar(Work& work) {
  const std::vector<operation::ScalarView> scalars = operation::scalar_views(work.value.operation, work.request.limits);
  if (scalars.empty()) return false;
  const operation::ScalarView& scalar = scalars[static_cast<std::size_t>(work.random.below(scalars.size()))];
  if (scalar.is_whole()) {
    change_whole(work, scalar);
    return true;
  }
  const number::Format& format = number::format(scalar.value->format);
  if (scalar.range != nullptr) {
    *scalar.value = generate::draw_scalar(scalar.value->format, *scalar.range, work.random);
    return true;
  }
  if (scalar.limit != operation::ScalarLimit::Any || work.random.one_in(2)) {
    *scalar.value = generate::draw_scalar(scalar.value->format, scalar.limit, generate::Traits::Scalars::Any,
                                          scalar.is_addend, work.random);
    return true;
  }
  if (work.random.one_in(2)) {
    const std::vector<std::uint64_t>& grid = generate::special_grid(format);
    scalar.value->bits = grid[static_cast<std::size_t>(work.random.below(grid.size()))];
  } else {
    const bool up = work.random.one_in(2);
    scalar.value->bits =
        up ? number::next_up(format, scalar.value->bits) : number::next_down(format, scalar.value->bits);
  }
  return true;
}

bool change_poison(Work& work) {
  work.value.poison = work.value.poison == operation::Poison::Nan ? operation::Poison::Large : operation::Poison::Nan;
  return true;
}

bool change_schedule(Work& work) {
  constexpr std::array kOrders{operation::Schedule::Order::Forward, operation::Schedule::Order::Backward,
                               operation::Schedule::Order::Random};
  operation::Schedule& schedule = work.value.schedule;
  schedule.order = kOrders[static_cast<std::size_t>(work.random.below(kOrders.size()))];
  schedule.preempt = work.random.one_in(2);
  schedule.seed = work.random.one_in(2) ? work.random.next() : schedule.seed + 1;
  return true;
}

/// Another value of one option.
bool change_option(Work& work) {
  const operation::Options& options = work.request.limits.configuration;
  const auto count = static_cast<std::uint64_t>(std::distance(options.begin(), options.end()));
  if (count == 0) return false;
  const auto& [name, values] = *std::next(options.begin(), static_cast<std::ptrdiff_t>(work.random.below(count)));
  const std::int64_t value = values[static_cast<std::size_t>(work.random.below(values.size()))];
  operation::set_option(work.value.configuration, options, name, value);
  return true;
}

/// Changes of options and of optional inputs come last: child_of() leaves out what a kernel or its line has not.
constexpr std::array<Change, 21> kChanges{{
    {"negate", "changes the sign of elements", Part::Elements, negate},
    {"exponent", "flips one bit of the exponent of elements", Part::Elements, flip_exponent_bit},
    {"significand", "flips one bit of the significand of elements", Part::Elements, flip_significand_bit},
    {"special", "puts zeros, limits, ones, infinities or NaNs in place of elements", Part::Elements, place_special},
    {"neighbour", "moves elements to an encoding a few steps away", Part::Elements, step_to_neighbour},
    {"scale", "multiplies elements by a power of two", Part::Elements, scale_by_power},
    {"copy", "puts copies of other elements in place of elements", Part::Elements, copy_elements},
    {"cancel", "puts the negatives of other elements, or their neighbours, in place of elements", Part::Elements,
     cancel_elements},
    {"tie", "puts half a unit in the last place of other elements in place of elements", Part::Elements, tie_elements},
    {"swap", "exchanges two elements or two runs of them", Part::Elements, swap_elements},
    {"redraw", "draws one input anew by a strategy", Part::Elements, redraw_one},
    {"strategy", "draws all inputs anew by one strategy", Part::Elements, redraw_all},
    {"index", "points indices elsewhere", Part::Indices, redirect_indices},
    {"extent", "changes one extent", Part::Operation, change_extent},
    {"format", "changes to another accepted combination of formats", Part::Operation, change_formats},
    {"scalar", "changes one scalar", Part::Operation, change_scalar},
    {"layout", "moves one tensor to another layout", Part::Layouts, change_layout},
    {"poison", "changes what memory holds that no element occupies", Part::Memory, change_poison},
    {"schedule", "changes the order of threads", Part::Schedule, change_schedule},
    {"option", "exchanges the value of one option for another", Part::Configuration, change_option},
    {"input", "leaves an optional input out, or adds one", Part::Inputs, change_inputs},
}};

bool is_same_input(const Case& a, const Case& b) {
  return a.operation == b.operation && a.tensors == b.tensors && a.layouts == b.layouts && a.poison == b.poison &&
         a.schedule == b.schedule && a.configuration == b.configuration;
}

}  // namespace

std::span<const Change> changes() { return kChanges; }

std::optional<Case> changed(const Change& change, const generate::Request& request, const Case& parent,
                            base::Random& random) {
  Case child = parent;
  Work work{request, child, random};
  if (!change.apply(work)) return std::nullopt;
  operation::unify_shared_elements(child);
  operation::fold_values(child, request.limits);
  if (is_same_input(child, parent) || !is_usable(request, child)) return std::nullopt;
  mark_as_child(child);
  return child;
}

Child child_of(const generate::Request& request, const Case& parent, base::Random& random) {
  // What applies nowhere is drawn again; poison and schedule apply everywhere, so that one of these is soon drawn.
  constexpr int kMostDraws = 256;
  constexpr std::uint64_t kMostChanges = 4;
  // Without options there is nothing to draw for them, nor without optional inputs: the children of kernels that have
  // none do not depend on these changes.
  const bool has_options = !request.limits.configuration.empty();
  Child child{brought_inside(request, parent, random), {}};
  const bool has_inputs = !operation::optional_inputs(child.value.operation.signature()).empty();
  const std::size_t drawn = kChanges.size() - 2 + (has_options ? 1 : 0) + (has_inputs ? 1 : 0);
  std::size_t wanted = 1;
  while (wanted < kMostChanges && random.one_in(2)) ++wanted;
  for (int draw = 0; draw < kMostDraws && child.changes.size() < wanted; ++draw) {
    const auto place = static_cast<std::size_t>(random.below(drawn));
    const bool skips_option = !has_options && place == kChanges.size() - 2;
    const Change& change = kChanges[place + (skips_option ? 1 : 0)];
    std::optional<Case> next = changed(change, request, child.value, random);
    if (!next) continue;
    child.value = *std::move(next);
    child.changes.push_back(&change);
  }
  mark_as_child(child.value);
  return child;
}

Case mutate(const generate::Request& request, const Case& parent, base::Random& random) {
  return child_of(request, parent, random).value;
}

}  // namespace negzero::mutate
