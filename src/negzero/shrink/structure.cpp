// Passes over what surrounds the values: extents, scalars, layouts, schedule.

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/index_words.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/line_relations.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/operation/part.hpp>
#include <negzero/operation/relations.hpp>
#include <negzero/operation/whole.hpp>
#include <negzero/shrink/passes.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::shrink {

namespace {

using operation::Case;
using operation::dimension_of;
using verdict::Failure;
using Indices = std::vector<std::int64_t>;

/// Coordinate of the failing element in an extent; -1 where its output does not have it, or no element fails.
std::int64_t failing_in(const notation::Signature& signature, std::size_t extent, const Failure& failure) {
  const auto output = signature.find_tensor(failure.output);
  const auto dimension = output ? dimension_of(signature.tensors[*output], extent) : std::nullopt;
  return dimension && *dimension < failure.coordinates.size() ? failure.coordinates[*dimension] : -1;
}

/// One extent of an operation.
struct Dimension {
  std::size_t extent;      ///< its place in the signature
  std::int64_t failing;    ///< coordinate of the failing element; -1 where the output has none
  std::string terms = {};  ///< where the dimension is one of a sum: the tensor of its terms
};

/// Those of all extents but of an update's destinations, which its indices number.
std::vector<Dimension> dimensions(const operation::Operation& operation, const Failure& failure) {
  const notation::Signature& signature = operation.signature();
  std::vector<Dimension> result;
  for (std::size_t extent = 0; extent < signature.extents.size(); ++extent) {
    Dimension dimension{extent, failing_in(signature, extent, failure)};
    const auto numbers_it = [&](const notation::TensorSignature& tensor) { return tensor.index_below == extent; };
    if (signature.is_update && std::ranges::any_of(signature.tensors, numbers_it)) continue;
    const bool sums = signature.reduced == extent && !signature.is_update;
    for (const std::size_t factor : signature.factors) {
      const notation::TensorSignature& tensor = signature.tensors[factor];
      if (sums && dimension.terms.empty() && dimension_of(tensor, extent)) dimension.terms = tensor.name;
    }
    result.push_back(std::move(dimension));
  }
  return result;
}

/// The case with only the kept indices. Strides stay: a shrunk view of the same memory.
Case select(const Case& value, const operation::Kept& kept) {
  Case part = operation::part_of(value, kept);
  Case result = value;
  result.operation = part.operation;
  result.tensors = std::move(part.tensors);
  result.layouts = std::move(part.layouts);
  return result;
}

Case select(const Case& value, std::size_t extent, const Indices& kept) {
  operation::Kept chosen;
  chosen[extent] = kept;
  return select(value, chosen);
}

/// `length` indices from `begin` on.
Indices neighbours(std::int64_t begin, std::int64_t length) {
  Indices kept(static_cast<std::size_t>(length));
  std::iota(kept.begin(), kept.end(), begin);
  return kept;
}

/// What is kept of every extent where `kept` is kept of one, so that relations hold: of others their
/// first indices, or the last ones `from_end`, and no extent grows. `holds`: extents that are computed keep their
/// lengths, and the others follow. Nothing where that is not possible.
std::optional<operation::Kept> related(const Case& value, const operation::Limits& limits, std::size_t extent,
                                       const Indices& kept, bool holds, bool from_end) {
  operation::Kept chosen;
  chosen[extent] = kept;
  const notation::Signature& signature = value.operation.signature();
  const auto old = value.operation.extents();
  Indices lengths(old.begin(), old.end());
  operation::Limits shorter = limits;
  for (std::size_t e = 0; e < lengths.size(); ++e) {
    std::int64_t& most = shorter.extents[signature.extents[e]].max;
    most = std::min(most, lengths[e]);
  }
  for (const std::size_t e : operation::defined_extents(signature, limits)) {
    if (holds && e != extent) shorter.extents[signature.extents[e]].min = lengths[e];
  }
  lengths[extent] = static_cast<std::int64_t>(kept.size());
  if (!operation::keep_line(lengths, signature, shorter, extent)) return std::nullopt;
  if (lengths[extent] != static_cast<std::int64_t>(kept.size())) return std::nullopt;
  for (std::size_t e = 0; e < lengths.size(); ++e) {
    if (e != extent && lengths[e] != old[e]) chosen[e] = neighbours(from_end ? old[e] - lengths[e] : 0, lengths[e]);
  }
  return chosen;
}

/// The tensor of indices of an update.
const notation::TensorSignature* indices_of(const operation::Operation& operation) {
  if (!operation.signature().is_update) return nullptr;
  for (const notation::TensorSignature& tensor : operation.signature().tensors) {
    if (tensor.index_below) return &tensor;
  }
  return nullptr;
}

/// Whether nothing but extents, layouts and scalars can matter: a launch that was refused for its configuration, which
/// the launch wrapper makes on the host, where it sees no element.
bool is_of_extents_alone(const Failure& failure) { return failure.rule == "run.launch"; }

/// At how many places a cut of one size is tried: everywhere, but for large cases, of which each evaluation takes long.
/// Most of their elements are like the others, and every cut that succeeds lets the next look closer. Where no element
/// matters, only how many are left does.
std::int64_t most_places(const Case& value, const Failure& failure) {
  if (is_of_extents_alone(failure)) return 1;
  std::int64_t size = 1;
  for (const auto& [name, tensor] : value.tensors) size += tensor.element_count();
  for (const operation::Extent& extent : operation::extents_of(value.operation)) size += extent.value;
  return std::max<std::int64_t>(8, (std::int64_t{1} << 20) / size);
}

/// Puts the terms of update `taken` of an extent of the indices into the place of the initial values of their
/// destinations.
void become_initial(const Case& value, const notation::TensorSignature& indices, std::size_t updates,
                    std::int64_t taken, tensor::Tensor& initial) {
  const notation::Signature& signature = value.operation.signature();
  const notation::TensorSignature& from = signature.tensors[signature.factors.front()];
  const notation::TensorSignature& to = signature.tensors[*signature.addend];
  const tensor::Tensor &terms = value.tensors.at(from.name), &index = value.tensors.at(indices.name);
  for (std::int64_t i = 0; i < terms.element_count(); ++i) {
    // By extent: an index of the term, then the destination that its index names.
    std::array<std::int64_t, notation::kMostExtents> at{};
    const std::vector<std::int64_t> coordinates = tensor::coordinates_of(terms.shape(), i);
    for (std::size_t d = 0; d < coordinates.size(); ++d) at[from.extents[d]] = coordinates[d];
    if (at[updates] != taken) continue;
    const auto place_in = [&](const notation::TensorSignature& tensor) {
      std::int64_t place = 0;
      for (const std::size_t extent : tensor.extents) place = place * value.operation.extents()[extent] + at[extent];
      return place;
    };
    at[*indices.index_below] = static_cast<std::int64_t>(index.get(place_in(indices)));
    initial.set(place_in(to), terms.get(i));
  }
}

/// Cases in which one update became the initial value of its destination: the same meeting of two values, one less
/// element.
bool each_update_as_init(const Case& value, const notation::TensorSignature& indices, std::int64_t places,
                         const std::function<bool(Case&&)>& use) {
  const std::size_t updates = indices.extents.front();
  const std::int64_t count = value.operation.extents()[updates];
  for (std::int64_t taken = 0; taken < count; taken += (count + places - 1) / places) {
    Indices kept;
    for (std::int64_t i = 0; i < count; ++i) {
      if (i != taken) kept.push_back(i);
    }
    Case result = select(value, updates, kept);
    become_initial(value, indices, updates, taken, result.tensors.at(std::string(notation::kInitial)));
    if (!use(std::move(result))) return false;
  }
  return true;
}

/// Index sets that drop one chunk, from halves to single indices, at `places` places for each size; before them the
/// failing coordinate alone and none.
bool each_selection(std::int64_t extent, std::int64_t failing, std::int64_t places,
                    const std::function<bool(const Indices&)>& use) {
  if (extent > 0 && !use({})) return false;
  if (failing >= 0 && extent > 1 && !use({failing})) return false;
  for (std::int64_t chunk = (extent + 1) / 2; chunk > 0 && extent > 1; chunk = chunk == 1 ? 0 : (chunk + 1) / 2) {
    const std::int64_t step = std::max(chunk, (extent + places - 1) / places);
    // The tail first: what is left then is the start, which is what a person would write.
    for (std::int64_t end = extent; end > 0; end -= std::min(step, end)) {
      const std::int64_t begin = std::max<std::int64_t>(0, end - chunk);
      Indices kept;
      for (std::int64_t i = 0; i < extent; ++i) {
        if (i < begin || i >= end) kept.push_back(i);
      }
      if (!use(kept)) return false;
    }
  }
  return true;
}

/// Index sets of a power of two of neighbours, from one to half of them; before them the failing coordinate alone.
bool each_power_of_two(std::int64_t extent, std::int64_t failing, std::int64_t places,
                       const std::function<bool(const Indices&)>& use) {
  if (failing >= 0 && extent > 1 && !use({failing})) return false;
  for (std::int64_t length = 1; length < extent; length *= 2) {
    const std::int64_t step = std::max(length, (extent + places - 1) / places);
    for (std::int64_t begin = 0; begin + length <= extent; begin += step) {
      if (!use(neighbours(begin, length))) return false;
    }
  }
  return true;
}

/// Cases in which extents that are equal have lost as many indices each. An extent that would lose the failing
/// coordinate keeps neighbours of it instead.
bool each_equal_selection(const Case& value, const std::vector<Dimension>& equal, bool are_powers, std::int64_t places,
                          const Emit& emit) {
  const std::int64_t extent = value.operation.extents()[equal.front().extent];
  const auto use = [&](const Indices& kept) {
    const auto length = static_cast<std::int64_t>(kept.size());
    operation::Kept chosen;
    for (const Dimension& dimension : equal) {
      const std::int64_t failing = dimension.failing;
      const bool loses = failing >= 0 && length > 0 && !std::ranges::binary_search(kept, failing);
      chosen[dimension.extent] = loses ? neighbours(std::max<std::int64_t>(0, failing - length + 1), length) : kept;
    }
    return emit(select(value, chosen));
  };
  if (are_powers) return each_power_of_two(extent, -1, places, use);
  return (extent < 2 || use({0})) && each_selection(extent, -1, places, use);
}

/// Cases with smaller counts, or indices of a declared operation: none, half or one less, for all groups and for each.
bool each_count(const Case& value, std::int64_t places, const std::function<bool(Case&&)>& use) {
  for (const notation::TensorSignature& tensor : value.operation.signature().tensors) {
    if (!shrinks_indices(value.operation.signature(), tensor) || tensor.words.is_permutation) continue;
    const std::int64_t groups = value.tensors.at(tensor.name).element_count();
    const std::int64_t step = (groups + places - 1) / places;
    for (std::int64_t begin = -1; begin < groups; begin += begin < 0 ? 1 : step) {
      for (const int cut : {0, 1, 2}) {
        Case fewer = value;
        tensor::Tensor& counts = fewer.tensors.at(tensor.name);
        for (std::int64_t i = 0; i < groups; ++i) {
          const std::uint64_t count = counts.get(i);
          if (count == 0 || (begin >= 0 && i != begin)) continue;
          const bool is_none = tensor.words.has_none && number::ordinal(counts.format(), count) == operation::kNoIndex;
          counts.set(i, cut == 0 || is_none ? 0 : cut == 1 ? count / 2 : count - 1);
        }
        operation::unify_shared_elements(fewer);
        if (!use(std::move(fewer))) return false;
      }
    }
  }
  return true;
}

/// Cases in which permutations are nearer to the identity: it itself, then with one element each in its place.
bool each_calmer_permutation(const Case& value, std::int64_t places, const std::function<bool(Case&&)>& use) {
  for (const notation::TensorSignature& signature : value.operation.signature().tensors) {
    if (signature.role != notation::Role::Index || !signature.words.is_permutation) continue;
    const tensor::Tensor& old = value.tensors.at(signature.name);
    const std::int64_t count = old.element_count(), row = old.shape().back();
    Case identity = value;
    for (std::int64_t i = 0; i < count; ++i) {
      identity.tensors.at(signature.name).set(i, static_cast<std::uint64_t>(i % row));
    }
    if (count > 0 && !use(std::move(identity))) return false;
    for (std::int64_t i = 0; i < count; i += (count + places - 1) / places) {
      const auto wanted = static_cast<std::uint64_t>(i % row);
      if (old.get(i) == wanted) continue;
      Case calmer = value;
      tensor::Tensor& order = calmer.tensors.at(signature.name);
      for (std::int64_t j = i - i % row; j < i - i % row + row; ++j) {
        if (order.get(j) == wanted) order.set(j, order.get(i));
      }
      order.set(i, wanted);
      if (!use(std::move(calmer))) return false;
    }
  }
  return true;
}

/// Half of the terms of a sum, each the sum of two neighbours: nearly the same sum by fewer steps.
Case half_as_many_terms(const Case& value, std::size_t place, std::int64_t extent, const std::string& name) {
  Indices kept;
  for (std::int64_t i = 0; i < extent; i += 2) kept.push_back(i);
  Case result = select(value, place, kept);
  tensor::Tensor& to = result.tensors.at(name);
  const tensor::Tensor& from = value.tensors.at(name);
  const number::Format& format = to.format();
  const notation::Signature& signature = value.operation.signature();
  const auto dimension = dimension_of(signature.tensors[*signature.find_tensor(name)], place);
  const auto width = static_cast<std::int64_t>(kept.size());
  std::int64_t inner = 1;  // Elements from one term to the next.
  for (std::size_t d = *dimension + 1; d < to.shape().size(); ++d) inner *= to.shape()[d];
  for (std::int64_t i = 0; i < to.element_count(); ++i) {
    const std::int64_t outer = i / inner / width, term = 2 * (i / inner % width);
    if (term + 1 >= extent) continue;
    const std::int64_t at = (outer * extent + term) * inner + i % inner;
    const double sum = number::to_double(format, from.get(at)) + number::to_double(format, from.get(at + inner));
    to.set(i, number::from_double(format, sum));
  }
  operation::unify_shared_elements(result);
  return result;
}

/// The first term of a sum of products, its factors with their lowest bits set: their product has twice as many bits,
/// so it rounds where a sum of exact products did.
Case one_long_product(const Case& value, std::size_t place) {
  Case result = select(value, place, {0});
  const notation::Signature& signature = value.operation.signature();
  for (const std::size_t factor : signature.factors) {
    tensor::Tensor& tensor = result.tensors.at(signature.tensors[factor].name);
    const number::Format& format = tensor.format();
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      const std::uint64_t word = tensor.get(i);
      const bool stays_finite = number::decode(format, word | 1).is_finite();
      if (stays_finite && !format.is_integer() && !number::is_zero(format, word)) tensor.set(i, word | 1);
    }
  }
  operation::unify_shared_elements(result);
  return result;
}

}  // namespace

void shrink_inputs(const Case& value, const Failure&, const operation::Limits&, const Emit& emit) {
  std::vector<std::string> inputs = operation::optional_inputs(value.operation.signature());
  std::erase_if(inputs, [&](const std::string& input) { return !value.tensors.contains(input); });
  if (inputs.size() > 1) {
    Case without = value;
    for (const std::string& input : inputs) without = operation::without_input(without, input);
    if (!emit(std::move(without))) return;
  }
  for (const std::string& input : inputs) {
    if (!emit(operation::without_input(value, input))) return;
  }
}

void shrink_extents(const Case& value, const Failure& failure, const operation::Limits& limits, const Emit& emit) {
  const std::int64_t places = most_places(value, failure);
  const notation::TensorSignature* const indices = indices_of(value.operation);
  if (indices != nullptr) {
    const std::int64_t failing = failing_in(value.operation.signature(), *indices->index_below, failure);
    if (!each_selection(value.operation.extents()[*indices->index_below], failing, places,
                        [&](const Indices& kept) { return emit(select(value, *indices->index_below, kept)); })) {
      return;
    }
  }
  const std::vector<Dimension> all = dimensions(value.operation, failure);
  const auto extent_of = [&](std::size_t number) { return value.operation.extents()[all[number].extent]; };
  Indices order(all.size());
  std::iota(order.begin(), order.end(), 0);
  if (is_of_extents_alone(failure)) {
    // The extent that is too large for a grid stays so, and costs most: the others first, once they are gone it is
    // cheap.
    std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return extent_of(static_cast<std::size_t>(i)); });
  }
  const notation::Signature& signature = value.operation.signature();
  const std::vector<operation::EqualExtents> groups = operation::equal_extents(limits, signature);
  const operation::Limits common = operation::with_common_extents(limits, signature);
  for (const std::int64_t next : order) {
    const auto number = static_cast<std::size_t>(next);
    const std::int64_t extent = extent_of(number);
    const bool is_power = common.extents[signature.extents[all[number].extent]].power_of_two;
    const auto has = [&](const operation::EqualExtents& group) {
      return std::ranges::find(group, all[number].extent) != group.end();
    };
    if (const auto group = std::ranges::find_if(groups, has); group != groups.end()) {
      std::vector<Dimension> equal;
      for (const Dimension& dimension : all) {
        if (std::ranges::find(*group, dimension.extent) != group->end()) equal.push_back(dimension);
      }
      const bool is_first = equal.front().extent == all[number].extent;
      if (is_first && !each_equal_selection(value, equal, is_power, places, emit)) return;
      continue;
    }
    const auto use = [&](const Indices& kept) {
      if (!operation::has_relations(signature, limits)) return emit(select(value, all[number].extent, kept));
      for (const bool holds : {true, false}) {
        const auto chosen = related(value, limits, all[number].extent, kept, holds, false);
        if (chosen && !emit(select(value, *chosen))) return false;
        // A place in a sequence and the page that it is on are both at the end.
        if (!chosen || signature.accesses.empty()) continue;
        const auto ends = related(value, limits, all[number].extent, kept, holds, true);
        if (ends && !emit(select(value, *ends))) return false;
      }
      return true;
    };
    const bool wants_more = is_power ? each_power_of_two(extent, all[number].failing, places, use)
                                     : each_selection(extent, all[number].failing, places, use);
    if (!wants_more) return;
    const std::string& terms = all[number].terms;
    if (terms.empty() || extent < 2) continue;
    if (!emit(half_as_many_terms(value, all[number].extent, extent, terms))) return;
    if (signature.factors.size() == 2 && !emit(one_long_product(value, all[number].extent))) return;
  }
  if (!each_calmer_permutation(value, places, emit) || !each_count(value, places, emit)) return;
  // Last: of hundreds of updates nearly any may become the initial value, so that before the halves this would take one
  // update a step.
  if (value.operation.signature().is_update) each_update_as_init(value, *indices, places, emit);
}

namespace {

/// A scalar that is a whole number: what is nearest to 0 of all that limits accept, then ever smaller steps there.
bool each_smaller_whole(const Case& value, std::size_t scalar, const operation::Limits& limits, const Emit& emit) {
  const notation::ScalarSignature& signature = value.operation.signature().scalars[scalar];
  const operation::WholeRange range = operation::whole_range(signature.kind, limits.scalars.find(signature.name));
  const std::int64_t own = operation::whole_value(value.operation.scalars()[scalar]);
  const auto use = [&](std::int64_t wanted) {
    Case simpler = value;
    simpler.operation.scalars()[scalar] = operation::whole_scalar(range.nearest(wanted));
    return emit(std::move(simpler));
  };
  if (own < 0 && !use(-own)) return false;
  for (std::int64_t back = own - range.nearest(0); back != 0; back /= 2) {
    if (!use(own - back)) return false;
  }
  return true;
}

}  // namespace

void shrink_setting(const Case& value, const Failure&, const operation::Limits& limits, const Emit& emit) {
  for (const auto& [name, layout] : value.layouts) {
    for (const bool all : {true, false}) {
      Case packed = value;
      if (all)
        packed.layouts.clear();
      else
        packed.layouts.erase(name);
      operation::lay_missing_plainly(packed, limits);
      operation::lay_in_place(packed);
      if (!emit(std::move(packed))) return;
    }
    Case moved = value;
    moved.layouts.at(name).offset = 0;
    operation::lay_in_place(moved);
    if (!emit(std::move(moved))) return;
  }
  if (!value.in_place.empty()) {
    Case apart = value;
    apart.in_place.clear();
    if (!emit(std::move(apart))) return;
  }
  for (std::size_t i = 0; i < value.operation.scalars().size(); ++i) {
    if (value.operation.signature().scalars[i].is_whole()) {
      if (!each_smaller_whole(value, i, limits, emit)) return;
      continue;
    }
    const number::Format& format = number::format(value.operation.scalars()[i].format);
    for (const std::uint64_t bits : {number::one(format), number::zero(format), number::one(format, true)}) {
      Case simpler = value;
      simpler.operation.scalars()[i].bits = bits;
      if (!emit(std::move(simpler))) return;
    }
  }
  const bool wants_more =
      operation::each_simpler(limits.configuration, value.configuration, [&](operation::Configuration configuration) {
        Case simpler = value;
        simpler.configuration = std::move(configuration);
        return emit(std::move(simpler));
      });
  if (!wants_more) return;
  Case plain = value;
  plain.schedule = {};
  if (!emit(std::move(plain))) return;
  for (const auto order : {operation::Schedule::Order::Forward, operation::Schedule::Order::Backward}) {
    for (const bool preempt : {false, true}) {
      Case ordered = value;
      ordered.schedule.order = order;
      ordered.schedule.preempt = preempt && value.schedule.preempt;
      if (!emit(std::move(ordered))) return;
    }
  }
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    Case seeded = value;
    seeded.schedule.seed = seed;
    if (!emit(std::move(seeded))) return;
  }
  Case poisoned = value;
  poisoned.poison = operation::Poison::Nan;
  emit(std::move(poisoned));
}

}  // namespace negzero::shrink
