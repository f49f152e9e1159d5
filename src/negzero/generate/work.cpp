// The arithmetic that a case aims at, and the rows of terms that strategies fill.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <negzero/formula/formula.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/operation/limited_values.hpp>

namespace negzero::generate {
namespace {

using number::Format;
using number::FormatId;

Powers powers_of(const Format& format, bool flushes) {
  return {flushes ? format.min_normal_exponent() : format.eta_exponent(), format.max_exponent()};
}

/// The format that a and b are rounded to before they are multiplied; F64 where they are not.
const Format& multiplicand_format(contract::Multiplicand multiplicand) {
  switch (multiplicand) {
    case contract::Multiplicand::Exact:
      break;
    case contract::Multiplicand::Tf32Truncate:
    case contract::Multiplicand::Tf32NearestAway:
    case contract::Multiplicand::Tf32NearestEven:
    case contract::Multiplicand::Tf32Any:
    case contract::Multiplicand::Tf32OrExact:
      return number::format(FormatId::TF32);
    case contract::Multiplicand::F16:
      return number::format(FormatId::F16);
    case contract::Multiplicand::Bf16:
      return number::format(FormatId::BF16);
  }
  return number::format(FormatId::F64);
}

/// Powers of two that survive the rounding of multiplicands.
Powers multiplicand_powers(const Format& format, contract::Multiplicand multiplicand,
                           const contract::Contract& contract) {
  const bool flushes = contract.subnormal_inputs != contract::Subnormals::Keep;
  const Powers stored = powers_of(format, flushes);
  const Powers rounded = powers_of(multiplicand_format(multiplicand), flushes);
  return {std::max(stored.low, rounded.low), std::min(stored.high, rounded.high)};
}

/// Bits by which |alpha| sum + |beta c| may exceed sum and c: 3 needs two, 2 one; the addition itself one more.
int scalar_bits(const operation::Scalar& scalar) {
  const number::Decoded value = number::decode(number::format(scalar.format), scalar.bits);
  if (!value.is_finite() || value.significand == 0) return 0;
  const int top = value.exponent + 64 - std::countl_zero(value.significand);
  const bool is_power_of_two = (value.significand & (value.significand - 1)) == 0;
  return std::max(0, is_power_of_two ? top - 1 : top);
}

/// The exponent of the larger end of a range.
int exponent_of_ends(const operation::FormatRange& range, const Format& format) {
  int exponent = format.eta_exponent() - 1;
  for (const std::uint64_t end : {range.least(), range.greatest()}) {
    const number::Decoded d = number::decode(format, end);
    if (d.significand != 0) exponent = std::max(exponent, d.exponent + 63 - std::countl_zero(d.significand));
  }
  return exponent;
}

/// Keeps powers of two among the values of a tensor, where small numbers are such values. (In a range without them
/// nothing keeps its structure, and elements are folded into it one by one.)
void keep_among_values(Powers& powers, const operation::Limits& limits, std::string_view tensor, const Format& format) {
  const auto range = operation::values_of(limits, tensor, format.id);
  if (!range || !range->accepts(number::zero(format))) return;
  const int high = exponent_of_ends(*range, format);
  if (high >= powers.low) powers.high = std::min(powers.high, high);
}

bool is_zero(const operation::Scalar& scalar) { return number::is_zero(number::format(scalar.format), scalar.bits); }

}  // namespace

bool is_selection(const operation::Operation& operation) {
  const auto combine = operation.signature().combine;
  return combine && notation::selects(*combine);
}

bool selects_greatest(const operation::Operation& operation) {
  const auto combine = operation.signature().combine;
  return combine && notation::takes_greatest(*combine);
}

FormatId accumulator_of(const operation::Operation& operation, const contract::Contract& contract) {
  // Atomic additions round to the location's format after each update, whatever else the contract says.
  const notation::Signature& signature = operation.signature();
  if (signature.is_update) return operation.format_of(signature.outputs.front().tensor);
  // What is only converted is held as it came.
  if (!signature.combine) return operation.format_of(signature.factors[0]);
  return contract.accumulate;
}

std::int64_t bounded_terms(const operation::Operation& operation, const contract::Contract& contract) {
  if (is_selection(operation)) return std::int64_t{1} << 40;
  const Format& held = number::format(accumulator_of(operation, contract));
  const bool nearest = contract.accumulate_rounding == contract::AccumulateRounding::Nearest;
  // A quarter of room is left for the scalars and the addend.
  return std::max<std::int64_t>(1, 3 * (std::int64_t{1} << std::max(0, held.precision() - (nearest ? 1 : 2))) / 4);
}

bool hides_terms(const operation::Operation& operation, const contract::Contract& contract) {
  const notation::Signature& signature = operation.signature();
  const bool is_sum = signature.combine && !is_selection(operation) && signature.reduced && !signature.is_update;
  // The one result of a chain is known.
  if (!is_sum || contract.order == contract::Order::Ascending) return false;
  const Format& held = number::format(accumulator_of(operation, contract));
  if (held.is_integer()) return false;
  const std::int64_t terms = operation.extents()[*signature.reduced];
  std::int64_t additions = terms;
  if (!contract.depth.formula.empty()) {
    const auto extent = [&](std::string_view name) -> std::optional<std::int64_t> {
      const auto place = signature.find_extent(name);
      return place ? std::optional(operation.extents()[*place]) : std::nullopt;
    };
    const auto depth = formula::Formula::parse(contract.depth.formula);
    const auto value = depth ? depth->value(extent) : base::Result<std::int64_t>(depth.error());
    if (value) additions = std::min(additions, *value);
  }
  return static_cast<double>(additions) * static_cast<double>(terms) >= std::ldexp(1.0, held.precision());
}

Aim make_aim(const operation::Operation& operation, const Request& request, base::Random& random) {
  Aim aim;
  const contract::Contract& contract = request.contract;
  const notation::Signature& signature = operation.signature();
  const bool has_factor = signature.factors.size() == 2;
  if (signature.addend) {
    const std::optional<std::size_t> gate = signature.tensors[*signature.addend].unread_at_zero;
    aim.has_addend = !gate || !is_zero(operation.scalars()[*gate]);
  }
  for (const operation::Scalar& scalar : operation.scalars()) {
    aim.reserve_bits = std::max(aim.reserve_bits, scalar_bits(scalar));
  }
  aim.reserve_bits += aim.has_addend ? 1 : 0;
  aim.left = number::format(operation.format_of(signature.factors[0]));
  aim.right = number::format(has_factor ? operation.format_of(signature.factors[1]) : FormatId::F32);
  aim.output = number::format(operation.format_of(signature.outputs.front().tensor));
  aim.addend = signature.addend ? number::format(operation.format_of(*signature.addend)) : aim.output;
  aim.accumulator = number::format(accumulator_of(operation, contract));
  // Half of what is meant to be exact is so where sums of slices are stored, too: only that leaves one right result.
  if (contract.slice_format && !is_selection(operation) && !signature.is_update && random.below(2) == 0) {
    aim.accumulator = number::format(*contract.slice_format);
  }
  aim.precision = aim.accumulator.precision();
  aim.rounding_point = aim.output;
  if (!contract.intermediate.empty() && random.below(2) == 0) {
    const std::uint64_t step = random.below(contract.intermediate.size());
    aim.rounding_point = number::format(contract.intermediate[static_cast<std::size_t>(step)].format);
  }
  const contract::Multiplicands converted = contract::conversions(contract).back();  // what rounds the most
  aim.left_bits = std::min(aim.left.precision(), multiplicand_format(converted.a).precision());
  aim.right_bits = has_factor ? std::min(aim.right.precision(), multiplicand_format(converted.b).precision()) : 0;
  const bool flushes = contract.subnormal_results != contract::Subnormals::Keep;
  aim.left_powers = multiplicand_powers(aim.left, converted.a, contract);
  aim.right_powers = has_factor ? multiplicand_powers(aim.right, converted.b, contract) : Powers{};
  aim.accumulator_powers = powers_of(aim.accumulator, flushes);
  aim.output_powers = powers_of(aim.output, flushes);
  const auto keep_within = [&](const Format& format) {
    const Powers powers = powers_of(format, flushes);
    aim.output_powers = {std::max(aim.output_powers.low, powers.low), std::min(aim.output_powers.high, powers.high)};
  };
  keep_within(aim.addend);
  for (const contract::RoundingStep& step : contract.intermediate) keep_within(number::format(step.format));
  const auto name = [&](std::size_t tensor) -> const std::string& { return signature.tensors[tensor].name; };
  keep_among_values(aim.left_powers, request.limits, name(signature.factors[0]), aim.left);
  if (has_factor) keep_among_values(aim.right_powers, request.limits, name(signature.factors[1]), aim.right);
  if (aim.has_addend) keep_among_values(aim.output_powers, request.limits, name(*signature.addend), aim.addend);
  return aim;
}

void swap_sides(Aim& aim) {
  std::swap(aim.left, aim.right);
  std::swap(aim.left_bits, aim.right_bits);
  std::swap(aim.left_powers, aim.right_powers);
}

std::int64_t Rows::longest() const {
  std::int64_t result = uniform_length;
  for (std::int64_t row = 0; row < count && !first.empty(); ++row) result = std::max(result, length(row));
  return result;
}

std::optional<operation::FormatRange> Work::values(const tensor::Tensor& tensor) const {
  for (const auto& [name, range] : request.limits.values) {
    const auto found = value.tensors.find(name);
    if (found != value.tensors.end() && &found->second == &tensor) return {{range, tensor.format_id()}};
  }
  return std::nullopt;
}

int Work::highest_exponent(const tensor::Tensor& tensor) const {
  const Format format = tensor.format();
  const auto range = values(tensor);
  if (!range) return format.max_exponent();
  return std::clamp(exponent_of_ends(*range, format), format.min_normal_exponent(), format.max_exponent());
}

tensor::Tensor& Work::left() { return tensor(signature().factors[0]); }
tensor::Tensor* Work::right() { return signature().factors.size() == 2 ? &tensor(signature().factors[1]) : nullptr; }
tensor::Tensor* Work::addend() { return signature().addend ? &tensor(*signature().addend) : nullptr; }

namespace {

/// Sorts what is combined by the destination that it goes to.
void sort_updates(Rows& rows, const tensor::Tensor& index, std::int64_t destinations) {
  rows.count = destinations;
  rows.first.assign(static_cast<std::size_t>(destinations) + 1, 0);
  rows.order.resize(static_cast<std::size_t>(index.element_count()));
  for (std::int64_t i = 0; i < index.element_count(); ++i) ++rows.first[static_cast<std::size_t>(index.get(i)) + 1];
  std::partial_sum(rows.first.begin(), rows.first.end(), rows.first.begin());
  std::vector<std::int64_t> next(rows.first.begin(), rows.first.end() - 1);
  for (std::int64_t i = 0; i < index.element_count(); ++i) {
    const std::int64_t slot = next[static_cast<std::size_t>(index.get(i))]++;
    rows.order[static_cast<std::size_t>(slot)] = i;
  }
}

}  // namespace

Rows Work::rows(bool swapped) {
  const notation::TensorSignature& factor = signature().tensors[signature().factors[swapped ? 1 : 0]];
  Rows rows;
  rows.terms = &tensor(factor.name);
  if (signature().is_update) {
    for (const notation::TensorSignature& indices : signature().tensors) {
      if (indices.index_below) sort_updates(rows, tensor(indices.name), plan.operation.extents()[*indices.index_below]);
    }
    return rows;
  }
  rows.count = 1;
  if (!signature().reduced) rows.uniform_length = 1;
  std::int64_t stride = 1;  // Of dimension d; the elements are packed.
  bool is_innermost = true;
  for (std::size_t d = factor.extents.size(); d-- > 0;) {
    const std::int64_t extent = plan.operation.extents()[factor.extents[d]];
    if (factor.extents[d] == signature().reduced) {
      rows.uniform_length = extent;
      rows.term_stride = stride;
    } else if (is_innermost) {
      rows.rows_per_batch = std::max<std::int64_t>(1, extent);
      rows.row_stride = stride;
      rows.count *= extent;
      is_innermost = false;
    } else {
      rows.batch_stride = stride;
      rows.count *= extent;
    }
    stride *= extent;
  }
  return rows;
}

Rows Work::factors(bool swapped) { return rows(!swapped); }

std::int64_t Work::adversarial_position(std::int64_t length, base::Random& stream) const {
  const auto clamp = [length](std::int64_t at) { return std::clamp<std::int64_t>(at, 0, length - 1); };
  // Behind what 16 bits count, where there is such a place, half of these at the end: only lengths drawn for that have
  // one.
  if (length > 65536 && stream.below(4) != 0)
    return stream.below(2) == 0 ? length - 1 : stream.between(65536, length - 1);
  const std::uint64_t kind = stream.below(8);
  if (kind == 0) return 0;
  if (kind <= 2) return length - 1;
  const std::int64_t off_by = stream.between(-1, 1);
  if (kind <= 4) {
    const std::vector<std::int64_t>& hints =
        request.limits.extents[signature().extents[signature().reduced.value_or(0)]].tiles;
    std::int64_t tile = std::int64_t{8} << stream.below(6);
    if (!hints.empty() && stream.below(4) != 0) tile = std::max<std::int64_t>(1, hints[stream.below(hints.size())]);
    const auto multiples = static_cast<std::uint64_t>(std::max<std::int64_t>(1, length / tile));
    return clamp(tile * (1 + static_cast<std::int64_t>(stream.below(multiples))) + off_by);
  }
  if (kind == 5) {  // Where K is split into equal slices.
    const std::int64_t slices = std::int64_t{2} << stream.below(3);
    const std::int64_t slice = (length + slices - 1) / slices;
    return clamp(slice * (1 + static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(slices)))) + off_by);
  }
  return static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(length)));
}

std::optional<Scale> choose_scale(const Aim& aim, int left_top, int right_top, int result_top, base::Random& random) {
  const int left_low = aim.left_powers.low, left_high = aim.left_powers.high - left_top;
  const int right_low = aim.right_powers.low, right_high = aim.right_powers.high - right_top;
  if (left_low > left_high || right_low > right_high) return std::nullopt;
  const int low = std::max(aim.accumulator_powers.low, left_low + right_low);
  const int high = std::min({aim.accumulator_powers.high - result_top - aim.reserve_bits,
                             aim.output_powers.high - result_top - aim.reserve_bits, left_high + right_high});
  if (low > high) return std::nullopt;
  int sum = std::clamp(0, low, high);
  // Away from 1 once in three cases, but so that the largest results stay normal numbers of the output.
  const int normal = std::clamp(aim.rounding_point.min_normal_exponent() - result_top + 1, low, high);
  if (random.below(3) == 0) sum = static_cast<int>(random.between(normal, high));
  const int from = std::max(left_low, sum - right_high), to = std::min(left_high, sum - right_low);
  Scale scale;
  scale.left = random.below(2) == 0 ? std::clamp(sum / 2, from, to) : static_cast<int>(random.between(from, to));
  scale.right = sum - scale.left;
  return scale;
}

}  // namespace negzero::generate
