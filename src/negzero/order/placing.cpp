// Placements in the tensors of a kernel's case.

#include <algorithm>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/order/kernel_cases.hpp>

namespace negzero::order {

namespace {

using notation::Signature;

std::uint64_t power(const number::Format& format, int exponent, bool negative = false) {
  return number::encode(format, negative, 1, exponent, false, {});
}

/// The elements of a packed tensor along an extent, at the indices of the others, 0 where none is given.
operation::Line line_along(std::size_t along, const notation::TensorSignature& tensor,
                           const operation::Operation& operation, const std::map<std::size_t, std::int64_t>& indices) {
  operation::Line line{.first = 0, .step = 0, .count = operation.extents()[along]};
  for (const std::size_t extent : tensor.extents) {
    const auto index = indices.find(extent);
    line.first = line.first * operation.extents()[extent];
    line.step = extent == along ? 1 : line.step * operation.extents()[extent];
    if (extent != along && index != indices.end()) line.first += index->second;
  }
  if (line.step == 0) line = {line.first, 1, 1};
  return line;
}

}  // namespace

void KernelCases::place(const Placement& placement, const Factors& factors,
                        std::map<std::size_t, std::int64_t>& indices, operation::Case& value) const {
  const Signature& signature = base_.signature();
  const notation::TensorSignature& left = signature.tensors[signature.factors[0]];
  tensor::Tensor& terms = value.tensors.at(left.name);
  const operation::Line line = line_along(*signature.reduced, left, value.operation, indices);
  const std::uint64_t one = power(terms.format(), factors.one_a);
  for (std::int64_t i = placement.ones_begin; i < placement.ones_end; ++i) terms.set(line.at(i), one);
  terms.set(line.at(placement.plus), power(terms.format(), factors.large_a));
  terms.set(line.at(placement.minus), power(terms.format(), factors.large_a, true));
  if (!factors.both) return;
  const notation::TensorSignature& right = signature.tensors[signature.factors[1]];
  tensor::Tensor& by = value.tensors.at(right.name);
  const operation::Line other = line_along(*signature.reduced, right, value.operation, indices);
  for (const std::int64_t term : {placement.plus, placement.minus}) {
    by.set(other.at(term), power(by.format(), factors.large_b));
  }
}

KernelCases::Filled KernelCases::filled(std::int64_t length, const Scale& scale, unsigned variation,
                                        std::span<const Placement> placements) const {
  using ThreadOrder = operation::Schedule::Order;
  Filled result;
  operation::Case& value = result.value;
  value.operation = operation_of(length);
  const Signature& signature = value.operation.signature();
  if (kernel_->limits.in_place.always) value.in_place = kernel_->limits.in_place.input;
  value.schedule.order = variation == 0 ? ThreadOrder::Forward : ThreadOrder::Random;
  value.schedule.preempt = variation > 1;
  value.schedule.seed = variation;
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    // All rows of a group count.
    const std::uint64_t word = spec.count_of.empty() ? 0 : static_cast<std::uint64_t>(*spec.index_below - 1);
    for (std::int64_t i = 0; word != 0 && i < tensor.element_count(); ++i) tensor.set(i, word);
    value.tensors[spec.name] = std::move(tensor);
  }
  const Factors factors = factors_of(formats_, scale);
  const std::span<const std::int64_t> extents = value.operation.extents();
  const notation::TensorSignature& left = signature.tensors[signature.factors[0]];
  std::size_t column = signature.extents.size();  // of the second factor alone
  if (formats_.has_products) {
    const notation::TensorSignature& right = signature.tensors[signature.factors[1]];
    for (const std::size_t extent : right.extents) column = has_extent(left, extent) ? column : extent;
    tensor::Tensor& by = value.tensors.at(right.name);
    const std::uint64_t word = power(by.format(), factors.one_b);
    for (std::int64_t i = 0; i < by.element_count(); ++i) by.set(i, word);
  }
  std::vector<std::size_t> free;  // extents that have a sum at each index, the fastest first
  std::int64_t rows = 1;
  for (auto extent = left.extents.rbegin(); extent != left.extents.rend(); ++extent) {
    if (*extent == *signature.reduced) continue;
    free.push_back(*extent);
    rows *= extents[*extent];
  }
  // A column of its own for each row of one matrix.
  if (factors.both) rows = std::min({rows, extents[column], extents[free[0]]});
  for (std::int64_t row = 0; row < std::min<std::int64_t>(rows, std::ssize(placements)); ++row) {
    std::map<std::size_t, std::int64_t> indices;
    std::int64_t rest = row;
    for (const std::size_t extent : free) {
      indices[extent] = rest % extents[extent];
      rest /= extents[extent];
    }
    if (factors.both) indices[column] = row;
    place(placements[static_cast<std::size_t>(row)], factors, indices, value);
    const notation::TensorSignature& output = signature.tensors[signature.outputs[0].tensor];
    result.sums.push_back(line_along(*signature.reduced, output, value.operation, indices));
  }
  operation::lay_missing_plainly(value, kernel_->limits);
  return result;
}

}  // namespace negzero::order
