// Passes over what surrounds the values: extents, scalars, layouts, schedule.

#include <algorithm>
#include <numeric>

#include <negzero/number/encoding.hpp>
#include <negzero/shrink/passes.hpp>

namespace negzero::shrink {

namespace {

using operation::Case;
using operation::Failure;
using Indices = std::vector<std::int64_t>;

/// One extent of an operation, and the dimension of each tensor (or output) that it is.
struct Dimension {
  std::int64_t* extent;
  std::vector<std::pair<const char*, std::size_t>> places;
  std::int64_t failing;         ///< coordinate of the failing element; -1 where the output has none
  const char* terms = nullptr;  ///< where the dimension is one of a sum: the tensor of its terms
};

std::vector<Dimension> dimensions(operation::Operation& operation, const Failure& failure) {
  const auto at = [&](std::size_t i) { return i < failure.coordinates.size() ? failure.coordinates[i] : -1; };
  if (auto* gemm = std::get_if<operation::Gemm>(&operation)) {
    return {{&gemm->batch, {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}}, at(0)},
            {&gemm->m, {{"a", 1}, {"c", 1}, {"d", 1}}, at(1)},
            {&gemm->n, {{"b", 2}, {"c", 2}, {"d", 2}}, at(2)},
            {&gemm->k, {{"a", 2}, {"b", 1}}, -1, "a"}};
  }
  if (auto* reduce = std::get_if<operation::Reduce>(&operation)) {
    return {{&reduce->rows, {{"x", 0}, {"y", 0}}, at(0)}, {&reduce->columns, {{"x", 1}}, -1, "x"}};
  }
  auto& scatter = std::get<operation::Scatter>(operation);
  return {{&scatter.updates, {{"x", 0}, {"index", 0}}, -1}};
}

/// The tensor with only the kept indices of one dimension.
tensor::Tensor select(const tensor::Tensor& from, std::size_t dimension, const Indices& kept) {
  std::vector<std::int64_t> shape = from.shape();
  const auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
  };
  const auto middle = shape.begin() + static_cast<std::ptrdiff_t>(dimension);
  const std::int64_t outer = product(shape.begin(), middle), inner = product(middle + 1, shape.end()), old = *middle;
  *middle = static_cast<std::int64_t>(kept.size());
  tensor::Tensor to(from.format().id, shape);
  std::int64_t next = 0;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t k : kept) {
      for (std::int64_t i = 0; i < inner; ++i) to.set(next++, from.get((o * old + k) * inner + i));
    }
  }
  return to;
}

/// The case with only the kept indices of one dimension. Strides stay: a shrunk view of the same memory.
Case select(const Case& value, const Failure& failure, std::size_t number, const Indices& kept) {
  Case result = value;
  const Dimension dimension = dimensions(result.operation, failure)[number];
  *dimension.extent = static_cast<std::int64_t>(kept.size());
  for (const auto& [name, d] : dimension.places) {
    if (const auto tensor = result.tensors.find(name); tensor != result.tensors.end()) {
      tensor->second = select(tensor->second, d, kept);
    }
    if (const auto layout = result.layouts.find(name); layout != result.layouts.end()) {
      layout->second.shape[d] = *dimension.extent;
    }
  }
  return result;
}

/// A Scatter with only the kept destinations and the updates that go there.
Case keep_destinations(const Case& value, const Indices& kept) {
  Case result = value;
  auto& scatter = std::get<operation::Scatter>(result.operation);
  Indices renumbered(static_cast<std::size_t>(scatter.destinations), -1), updates;
  for (std::size_t i = 0; i < kept.size(); ++i)
    renumbered[static_cast<std::size_t>(kept[i])] = static_cast<std::int64_t>(i);
  const tensor::Tensor& index = value.tensors.at("index");
  for (std::int64_t i = 0; i < scatter.updates; ++i) {
    if (renumbered[index.get(i)] >= 0) updates.push_back(i);
  }
  result = select(result, {}, 0, updates);
  auto& changed = std::get<operation::Scatter>(result.operation);
  changed.destinations = static_cast<std::int64_t>(kept.size());
  tensor::Tensor& renamed = result.tensors.at("index");
  for (std::int64_t i = 0; i < renamed.element_count(); ++i) {
    renamed.set(i, static_cast<std::uint64_t>(renumbered[renamed.get(i)]));
  }
  result.tensors.at("init") = select(value.tensors.at("init"), 0, kept);
  for (const char* name : {"init", "out"}) {
    if (const auto layout = result.layouts.find(name); layout != result.layouts.end()) {
      layout->second.shape[0] = changed.destinations;
    }
  }
  return result;
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

/// Scatters in which one update became the initial value of its destination: the same meeting of two values, one less
/// element.
bool each_update_as_init(const Case& value, std::int64_t places, const std::function<bool(Case&&)>& use) {
  const std::int64_t updates = std::get<operation::Scatter>(value.operation).updates;
  for (std::int64_t taken = 0; taken < updates; taken += (updates + places - 1) / places) {
    Indices kept;
    for (std::int64_t i = 0; i < updates; ++i) {
      if (i != taken) kept.push_back(i);
    }
    Case result = select(value, {}, 0, kept);
    const auto destination = static_cast<std::int64_t>(value.tensors.at("index").get(taken));
    result.tensors.at("init").set(destination, value.tensors.at("x").get(taken));
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

/// Half of the terms of a sum, each the sum of two neighbours: nearly the same sum by fewer steps.
Case half_as_many_terms(const Case& value, const Failure& failure, std::size_t number, std::int64_t extent,
                        const char* name) {
  Indices kept;
  for (std::int64_t i = 0; i < extent; i += 2) kept.push_back(i);
  Case result = select(value, failure, number, kept);
  tensor::Tensor& to = result.tensors.at(name);
  const tensor::Tensor& from = value.tensors.at(name);
  const number::Format& format = to.format();
  const auto width = static_cast<std::int64_t>(kept.size());
  // The terms are the last dimension of their tensor.
  for (std::int64_t i = 0; i < to.element_count(); ++i) {
    const std::int64_t at = i / width * extent + 2 * (i % width);
    if (2 * (i % width) + 1 >= extent) continue;
    const double sum = number::to_double(format, from.get(at)) + number::to_double(format, from.get(at + 1));
    to.set(i, number::from_double(format, sum));
  }
  operation::unify_shared_elements(result);
  return result;
}

}  // namespace

void shrink_extents(const Case& value, const Failure& failure, const Emit& emit) {
  const std::int64_t places = most_places(value, failure);
  if (const auto* scatter = std::get_if<operation::Scatter>(&value.operation)) {
    const std::int64_t failing = failure.coordinates.empty() ? -1 : failure.coordinates[0];
    if (!each_selection(scatter->destinations, failing, places,
                        [&](const Indices& kept) { return emit(keep_destinations(value, kept)); })) {
      return;
    }
  }
  operation::Operation operation = value.operation;
  const std::vector<Dimension> all = dimensions(operation, failure);
  Indices order(all.size());
  std::iota(order.begin(), order.end(), 0);
  if (is_of_extents_alone(failure)) {
    // The extent that is too large for a grid stays so, and costs most: the others first, once they are gone it is
    // cheap.
    std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return *all[static_cast<std::size_t>(i)].extent; });
  }
  for (const std::int64_t next : order) {
    const auto number = static_cast<std::size_t>(next);
    const std::int64_t extent = *all[number].extent;
    if (!each_selection(extent, all[number].failing, places,
                        [&](const Indices& kept) { return emit(select(value, failure, number, kept)); })) {
      return;
    }
    const char* terms = all[number].terms;
    if (terms != nullptr && extent > 1 && !emit(half_as_many_terms(value, failure, number, extent, terms))) return;
  }
  // Last: of hundreds of updates nearly any may become the initial value, so that before the halves this would take one
  // update a step.
  if (std::holds_alternative<operation::Scatter>(value.operation)) each_update_as_init(value, places, emit);
}

void shrink_setting(const Case& value, const Failure&, const Emit& emit) {
  for (const auto& [name, layout] : value.layouts) {
    for (const bool all : {true, false}) {
      Case packed = value;
      if (all)
        packed.layouts.clear();
      else
        packed.layouts.erase(name);
      operation::pack_missing_layouts(packed);
      if (!emit(std::move(packed))) return;
    }
    Case moved = value;
    moved.layouts.at(name).offset = 0;
    if (!emit(std::move(moved))) return;
  }
  if (const auto* gemm = std::get_if<operation::Gemm>(&value.operation)) {
    for (auto scalar : {&operation::Gemm::alpha, &operation::Gemm::beta}) {
      const number::Format& format = number::format((gemm->*scalar).format);
      for (const std::uint64_t bits : {number::one(format), number::zero(format), number::one(format, true)}) {
        Case simpler = value;
        (std::get<operation::Gemm>(simpler.operation).*scalar).bits = bits;
        if (!emit(std::move(simpler))) return;
      }
    }
  }
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
