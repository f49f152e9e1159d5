// Cases of a declared operation, of which nothing is known but its tensors.

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <negzero/generate/kinds.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/operation/views.hpp>

namespace negzero::generate {
namespace {

using number::FormatId;
using operation::Operation;

/// A reduction of one dimension of a tensor of that shape, as if its elements were terms.
Operation reduction_of(const std::vector<std::int64_t>& shape, std::size_t dimension, FormatId format, bool selects) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d < dimension) outer *= shape[d];
    if (d > dimension) inner *= shape[d];
  }
  Operation operation = *operation::operation_named(selects ? "reduce.max_middle" : "reduce.sum_middle");
  operation.extent("outer") = outer;
  operation.extent("columns") = shape[dimension];
  operation.extent("inner") = inner;
  operation.set_formats(std::vector{format, format});
  return operation;
}

/// Numbers of one input: those that the strategy makes for sums, or for selections, along one of its dimensions.
void fill_numbers(const Work& work, std::size_t place, tensor::Tensor& tensor, base::Random random) {
  if (tensor.element_count() == 0) return;
  const std::vector<std::int64_t>& shape = tensor.shape();
  // What belongs together lies along the last dimension mostly.
  const std::uint64_t turn = random.below(2 * shape.size());
  const std::size_t dimension = turn < shape.size() ? static_cast<std::size_t>(turn) : shape.size() - 1;
  const bool selects = random.below(3) == 0;
  Plan plan;
  plan.strategy = work.plan.strategy;
  plan.operation = reduction_of(shape, dimension, tensor.format_id(), selects);
  plan.element_seed = random.next();
  operation::Limits limits;
  const std::string& extent = work.signature().extents[work.signature().tensors[place].extents[dimension]];
  limits.extents["columns"].tiles = work.request.limits.extents[extent].tiles;
  const operation::ValueRange* const values = work.request.limits.values.find(work.signature().tensors[place].name);
  if (values != nullptr) limits.values["x"] = *values;
  contract::Contract contract;
  if (tensor.format_id() == FormatId::F64) contract.accumulate = FormatId::F64;
  const operation::Case terms =
      expand({std::string(operation::name(plan.operation)), std::move(limits), std::move(contract), {}}, plan);
  const std::span<const std::byte> from = terms.tensors.at("x").bytes();
  std::memcpy(tensor.bytes().data(), from.data(), from.size());
}

}  // namespace

Operation draw_declared(const Drawing& drawing, const Operation& wanted, base::Random& random) {
  const Request& request = drawing.request;
  Operation drawn = draw_elements(drawing, wanted, random);
  const notation::Signature& signature = wanted.signature();
  const auto limit_of = [&](std::size_t e) -> const operation::ExtentLimit& {
    return request.limits.extents[signature.extents[e]];
  };
  if (random.below(64) == 0) {
    const auto e = static_cast<std::size_t>(random.below(signature.extents.size()));
    drawn.extents()[e] = nearest_extent(limit_of(e), 0);
  }
  // A list of indices into nothing could only be empty.
  for (std::size_t e = 0; e < signature.extents.size(); ++e) {
    const auto numbers_it = [&](const notation::TensorSignature& tensor) { return tensor.index_below == e; };
    if (drawn.extents()[e] == 0 && std::ranges::any_of(signature.tensors, numbers_it)) {
      drawn.extents()[e] = least_length(limit_of(e));
    }
  }
  const FormatId format = scalar_format(request.contract);
  for (const operation::ScalarView& scalar : operation::scalar_views(drawn, request.limits)) {
    if (scalar.is_whole()) {
      *scalar.value = draw_whole(scalar.kind, scalar.range, drawn.extents(), random);
      continue;
    }
    *scalar.value = scalar.range != nullptr
                        ? draw_scalar(format, *scalar.range, random)
                        : draw_scalar(format, scalar.limit, Traits::Scalars::Any, scalar.is_addend, random);
  }
  return drawn;
}

void fill_declared(Work& work) {
  const notation::Signature& signature = work.signature();
  const std::vector<operation::TensorSpec> specs = operation::input_specs(work.plan.operation);
  for (std::size_t place = 0; place < signature.tensors.size(); ++place) {
    const notation::TensorSignature& tensor = signature.tensors[place];
    if (tensor.role == notation::Role::Output) continue;
    const base::Random random = work.random.split(96 + place);
    if (tensor.role == notation::Role::Input) {
      fill_numbers(work, place, work.tensor(place), random);
    } else if (tensor.words.any()) {
      const std::size_t bound = tensor.counts_of ? *tensor.counts_of : *tensor.index_below;
      draw_words(*std::ranges::find(specs, tensor.name, &operation::TensorSpec::name), work.tensor(place),
                 work.request.limits.extents[signature.extents[bound]].tiles, random);
    } else if (tensor.index_below) {
      draw_indices(work.tensor(place), work.plan.operation.extents()[*tensor.index_below], random);
    }
  }
  operation::keep_order(work.value);
}

}  // namespace negzero::generate
