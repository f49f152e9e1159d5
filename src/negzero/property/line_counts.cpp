// Changes of how many rows or columns there are: one of them keeps its bits among any number of others.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/operation/workload.hpp>
#include <negzero/property/tensor_map.hpp>
#include <negzero/property/variations.hpp>

namespace negzero::property {

namespace {

using contract::Contract;
using contract::Determinism;
using operation::Case;
using operation::dimension_of;
using tensor::Tensor;

/// Numbers of rows, and of columns, at which libraries change their kernel, tile or split: a GEMV for one row, a tile
/// of 16 or 32 that a row more overflows, a block of 128 (vllm-project/vllm#27433; NVIDIA/TransformerEngine#3556, where
/// five of these seven gave a row other bits).
constexpr std::int64_t kLineCounts[] = {1, 2, 17, 33, 128, 257, 1024};

/// Most products or elements of a case with another number of them; a count that would need more is not drawn.
/// Libraries split long sums: on a GPU 1,024 rows of 16 sums of 1,024 products fit.
constexpr kernel::AtPlace<std::int64_t> kMostWorkOfLines{.host = std::int64_t{1} << 20,
                                                         .device = std::int64_t{1} << 24};

/// The extent whose indices are rows that are computed each by itself, by its place in the signature: the last but one
/// of an output (m of a gemm, rows of a scan), or the only one (rows of a reduction). Nothing where a row is chosen by
/// indices or counts, or is reduced. Of a declared operation one of those whose line says so.
std::optional<std::size_t> extent_of_rows(const notation::Signature& signature, base::Random& random) {
  if (signature.is_declared) return one_of_each(signature, random);
  std::optional<std::size_t> rows;
  for (const notation::OutputSignature& output : signature.outputs) {
    const std::vector<std::size_t>& extents = signature.tensors[output.tensor].extents;
    if (extents.empty()) return std::nullopt;
    const std::size_t here = extents[extents.size() == 1 ? 0 : extents.size() - 2];
    if (rows.value_or(here) != here) return std::nullopt;
    rows = here;
  }
  if (signature.is_update || rows == signature.reduced) return std::nullopt;
  const auto is_chosen = [&](const notation::TensorSignature& t) {
    return t.index_below == rows || t.counts_of == rows;
  };
  return std::ranges::any_of(signature.tensors, is_chosen) ? std::nullopt : rows;
}

/// Those numbers, each as near as the limit has one: the next above, or else below. In their order, none twice.
std::vector<std::int64_t> counts_within(const operation::ExtentLimit& limit) {
  std::vector<std::int64_t> counts;
  for (const std::int64_t wanted : kLineCounts) {
    const std::optional<std::int64_t> above = limit.at_least(wanted), near = above ? above : limit.at_most(wanted);
    if (near && std::ranges::find(counts, *near) == counts.end()) counts.push_back(*near);
  }
  return counts;
}

/// What a line of a matrix is called, and how many of them there are.
struct LineWords {
  std::string_view line, count;
};

/// One line of an extent, a row or a column, with another number of others beside it, at any place among them.
std::optional<Variation> among_others(const Case& value, const kernel::Kernel& kernel, const Contract& contract,
                                      std::span<const Tensor> outputs, base::Random& random, std::size_t extent,
                                      const LineWords& words) {
  const notation::Signature& signature = value.operation.signature();
  if (!contract.position_invariant || contract.determinism == Determinism::NotGuaranteed) return std::nullopt;
  const std::int64_t old = value.operation.extents()[extent];
  if (outputs.front().element_count() == 0) return std::nullopt;
  // Lines that are one in memory cannot be other ones.
  for (std::size_t tensor = 0; tensor < signature.tensors.size(); ++tensor) {
    const std::vector<std::string>& shared = operation::layout_limit(kernel.limits, signature, tensor).shared;
    const bool has_lines = dimension_of(signature.tensors[tensor], extent).has_value();
    if (has_lines && std::ranges::find(shared, signature.extents[extent]) != shared.end()) return std::nullopt;
  }
  const std::int64_t most_work = kMostWorkOfLines[kernel.place];
  std::vector<operation::Operation> resized;
  for (const std::int64_t count : counts_within(kernel.limits.extents[signature.extents[extent]])) {
    operation::Operation other = value.operation;
    other.extents()[extent] = count;
    const bool says_nothing = count == 0 || (count == 1 && old == 1);
    if (!says_nothing && operation::work_of(other, most_work) <= most_work) resized.push_back(other);
  }
  if (resized.empty()) return std::nullopt;

  Variation result(value, outputs);
  result.value.operation = resized[random.below(resized.size())];
  const std::int64_t count = result.value.operation.extents()[extent];
  const std::int64_t line = random.between(0, old - 1), place = random.between(0, count - 1);
  std::vector<std::int64_t> origin(static_cast<std::size_t>(count));
  for (std::int64_t& each : origin) each = random.one_in(4) ? kNoOrigin : random.between(0, old - 1);
  origin[static_cast<std::size_t>(place)] = line;
  const auto resize = [&](const notation::TensorSignature& tensor, const Tensor& from) {
    const auto dimension = dimension_of(tensor, extent);
    const bool is_index = tensor.role == notation::Role::Index;
    const std::uint64_t fill = is_index ? 0 : one_of(kernel.limits, tensor.name, from.format());
    return dimension ? map_lines(from, *dimension, fill, origin) : from;
  };
  for (const notation::TensorSignature& tensor : signature.tensors) {
    const auto given = result.value.tensors.find(tensor.name);
    if (given != result.value.tensors.end()) given->second = resize(tensor, given->second);
  }
  result.value.layouts.clear();
  operation::lay_missing_plainly(result.value, kernel.limits);
  if (signature.is_declared && !operation::validate(result.value)) return std::nullopt;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const notation::TensorSignature& tensor = signature.tensors[signature.outputs[o].tensor];
    Prediction& predicted = result.outputs[o];
    predicted.values = resize(tensor, outputs[o]);
    const std::size_t dimension = *dimension_of(tensor, extent);
    predicted.origins = origins_of_lines(outputs[o].shape(), dimension, origin);
    std::int64_t inner = 1;
    for (std::size_t d = dimension + 1; d < tensor.extents.size(); ++d) inner *= outputs[o].shape()[d];
    for (std::int64_t i = 0; i < predicted.values.element_count(); ++i) {
      predicted.exempt.push_back(i / inner % count != place);
    }
  }
  const auto in_words = [&](std::int64_t i, std::int64_t of) {
    const std::string which = fmt::format("{} {}", words.line, i);
    return which + (of == 1 ? fmt::format(" alone ({} = 1)", words.count) : fmt::format(" of {}", of));
  };
  // Alone it has the number that it has in the case: that is the line to look at.
  result.drawn = fmt::format("{} against {}", in_words(count == 1 ? line : place, count), in_words(line, old));
  return result;
}

}  // namespace

std::uint64_t one_of(const operation::Limits& limits, const std::string& tensor, const number::Format& format) {
  const auto values = operation::values_of(limits, tensor, format.id);
  return values ? values->nearest(number::one(format)) : number::one(format);
}

NEGZERO_VARIATION(other_rows) {
  const std::optional<std::size_t> rows = extent_of_rows(value.operation.signature(), random);
  return rows ? among_others(value, kernel, contract, outputs, random, *rows, {"row", "M"}) : std::nullopt;
}

NEGZERO_VARIATION(other_columns) {
  if (!operation::view_if<operation::Gemm>(value.operation)) return std::nullopt;
  const std::vector<std::string>& extents = value.operation.signature().extents;
  const auto n = static_cast<std::size_t>(std::ranges::find(extents, "n") - extents.begin());
  return among_others(value, kernel, contract, outputs, random, n, {"column", "N"});
}

}  // namespace negzero::property
