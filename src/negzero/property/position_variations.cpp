// Changes of where elements stand: another order of rows or columns, other memory, more rows, fewer batches.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/property/tensor_map.hpp>
#include <negzero/property/variations.hpp>

namespace negzero::property {

namespace {

using contract::Contract;
using contract::Determinism;
using operation::addend;
using operation::Case;
using operation::dimension_of;
using operation::factor;
using operation::Gemm;
using tensor::Tensor;

/// The Gemm of a case whose kernel promises position invariance and the same bits again, or nothing.
std::optional<Gemm> movable_gemm(const Case& value, const Contract& contract) {
  if (!contract.position_invariant || contract.determinism == Determinism::NotGuaranteed) return std::nullopt;
  return operation::view_if<Gemm>(value.operation);
}

/// The case of a GEMM with new tensors and packed layouts.
Case with_tensors(const Case& value, const Gemm& gemm, Tensor a, Tensor b, Tensor c) {
  Case result = value;
  result.operation = gemm;
  const operation::Signature& signature = result.operation.signature();
  result.tensors.insert_or_assign(operation::factor_name(signature, 0), std::move(a));
  result.tensors.insert_or_assign(operation::factor_name(signature, 1), std::move(b));
  result.tensors.insert_or_assign(signature.tensors[*signature.addend].name, std::move(c));
  result.layouts.clear();
  operation::pack_missing_layouts(result);
  return result;
}

/// Rows of D (dimension 1) or columns (dimension 2) by `origin`: index in the new case -> index in the old one, or
/// kNoOrigin for a line that is new and holds `fill`.
Variation move_lines(const Case& value, const Tensor& output, std::size_t dimension,
                     const std::vector<std::int64_t>& origin) {
  auto gemm = operation::view<Gemm>(value.operation);
  const auto count = static_cast<std::int64_t>(origin.size());
  (dimension == 1 ? gemm.m : gemm.n) = count;
  const auto moved = [&](const Tensor& from) { return map_lines(from, dimension, number::one(from.format()), origin); };
  const Tensor &a = factor(value, 0), &b = factor(value, 1), &c = addend(value);
  Variation result;
  result.value = with_tensors(value, gemm, dimension == 1 ? moved(a) : a, dimension == 2 ? moved(b) : b, moved(c));
  result.only().values = moved(output);
  result.only().origins = origins_of_lines(output.shape(), dimension, origin);
  for (const std::int64_t element : result.only().origins) result.only().exempt.push_back(element == kNoOrigin);
  return result;
}

std::optional<Variation> permute_lines(const Case& value, const Contract& contract, const Tensor& output,
                                       base::Random& random, std::size_t dimension) {
  const std::optional<Gemm> gemm = movable_gemm(value, contract);
  const std::int64_t extent = !gemm ? 0 : dimension == 1 ? gemm->m : gemm->n;
  if (extent < 2) return std::nullopt;
  return move_lines(value, output, dimension, permutation(extent, random));
}

std::optional<Variation> pad_lines(const Case& value, const Contract& contract, const Tensor& output,
                                   base::Random& random, std::size_t dimension) {
  const std::optional<Gemm> gemm = movable_gemm(value, contract);
  if (!gemm || gemm->m == 0 || gemm->n == 0) return std::nullopt;
  const std::int64_t extent = dimension == 1 ? gemm->m : gemm->n;
  std::vector<std::int64_t> origin(static_cast<std::size_t>(extent));
  std::iota(origin.begin(), origin.end(), 0);
  origin.insert(origin.begin() + random.between(0, extent), kNoOrigin);
  return move_lines(value, output, dimension, origin);
}

/// Numbers of rows at which libraries change their kernel, tile or split: a GEMV for one row, a tile of 16 or 32 that a
/// row more overflows, a block of 128 (vllm-project/vllm#27433; NVIDIA/TransformerEngine#3556, where five of these
/// seven gave a row other bits).
constexpr std::int64_t kRowCounts[] = {1, 2, 17, 33, 128, 257, 1024};

/// Most products or elements of a case with another number of rows; a count that would need more is not drawn.
/// Libraries split long sums: on a GPU 1,024 rows of 16 sums of 1,024 products fit.
constexpr kernel::AtPlace<std::int64_t> kMostWorkOfRows{.host = std::int64_t{1} << 20, .device = std::int64_t{1} << 24};

/// The extent whose indices are rows that are computed each by itself, by its place in the signature: the last but one
/// of an output (m of a gemm, rows of a scan), or the only one (rows of a reduction). Nothing where a row is chosen by
/// indices or counts, or is reduced. Of a declared operation one of those whose line says so.
std::optional<std::size_t> extent_of_rows(const operation::Signature& signature, base::Random& random) {
  if (signature.is_declared) return one_of_each(signature, random);
  std::optional<std::size_t> rows;
  for (const operation::OutputSignature& output : signature.outputs) {
    const std::vector<std::size_t>& extents = signature.tensors[output.tensor].extents;
    if (extents.empty()) return std::nullopt;
    const std::size_t here = extents[extents.size() == 1 ? 0 : extents.size() - 2];
    if (rows.value_or(here) != here) return std::nullopt;
    rows = here;
  }
  if (signature.is_update || rows == signature.reduced) return std::nullopt;
  const auto is_chosen = [&](const operation::TensorSignature& t) {
    return t.index_below == rows || t.counts_of == rows;
  };
  return std::ranges::any_of(signature.tensors, is_chosen) ? std::nullopt : rows;
}

}  // namespace

NEGZERO_VARIATION(run_twice) {
  (void)kernel;
  if (contract.determinism == Determinism::NotGuaranteed) return std::nullopt;
  Variation result{value, outputs};
  result.value.schedule = {operation::Schedule::Order::Random, true, random.next()};
  return result;
}

NEGZERO_VARIATION(permute_rows) {
  if (value.operation.signature().is_declared) return permute_each(value, kernel, contract, outputs, random);
  const Tensor& output = outputs.front();
  (void)kernel;
  return permute_lines(value, contract, output, random, 1);
}

NEGZERO_VARIATION(permute_columns) {
  const Tensor& output = outputs.front();
  (void)kernel;
  return permute_lines(value, contract, output, random, 2);
}

NEGZERO_VARIATION(pad_rows) {
  const Tensor& output = outputs.front();
  (void)kernel;
  return pad_lines(value, contract, output, random, 1);
}

NEGZERO_VARIATION(pad_columns) {
  const Tensor& output = outputs.front();
  (void)kernel;
  return pad_lines(value, contract, output, random, 2);
}

NEGZERO_VARIATION(other_rows) {
  const operation::Signature& signature = value.operation.signature();
  const std::optional<std::size_t> rows = extent_of_rows(signature, random);
  if (!rows || !contract.position_invariant || contract.determinism == Determinism::NotGuaranteed) return std::nullopt;
  const std::int64_t old = value.operation.extents()[*rows];
  if (outputs.front().element_count() == 0) return std::nullopt;
  // Rows that are one in memory cannot be other ones.
  for (std::size_t tensor = 0; tensor < signature.tensors.size(); ++tensor) {
    const std::vector<std::string>& shared = operation::layout_limit(kernel.limits, signature, tensor).shared;
    const bool has_rows = dimension_of(signature.tensors[tensor], *rows).has_value();
    if (has_rows && std::ranges::find(shared, signature.extents[*rows]) != shared.end()) return std::nullopt;
  }
  const std::int64_t most_work = kMostWorkOfRows[kernel.place];
  std::vector<operation::Operation> resized;
  for (const std::int64_t count : kRowCounts) {
    operation::Operation other = value.operation;
    other.extents()[*rows] = count;
    const bool is_accepted = kernel.limits.extents[signature.extents[*rows]].accepts(count);
    const bool says_nothing = count == 1 && old == 1;
    if (is_accepted && !says_nothing && operation::work_of(other, most_work) <= most_work) {
      resized.push_back(other);
    }
  }
  if (resized.empty()) return std::nullopt;

  Variation result(value, outputs);
  result.value.operation = resized[random.below(resized.size())];
  const std::int64_t count = result.value.operation.extents()[*rows];
  const std::int64_t row = random.between(0, old - 1), place = random.between(0, count - 1);
  std::vector<std::int64_t> origin(static_cast<std::size_t>(count));
  for (std::int64_t& line : origin) line = random.one_in(4) ? kNoOrigin : random.between(0, old - 1);
  origin[static_cast<std::size_t>(place)] = row;
  const auto resize = [&](const operation::TensorSignature& tensor, const Tensor& from) {
    const auto dimension = dimension_of(tensor, *rows);
    const std::uint64_t fill = tensor.role == operation::Role::Index ? 0 : number::one(from.format());
    return dimension ? map_lines(from, *dimension, fill, origin) : from;
  };
  for (const operation::TensorSignature& tensor : signature.tensors) {
    const auto given = result.value.tensors.find(tensor.name);
    if (given != result.value.tensors.end()) given->second = resize(tensor, given->second);
  }
  result.value.layouts.clear();
  operation::lay_missing_plainly(result.value, kernel.limits);
  if (signature.is_declared && !operation::validate(result.value)) return std::nullopt;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const operation::TensorSignature& tensor = signature.tensors[signature.outputs[o].tensor];
    Prediction& predicted = result.outputs[o];
    predicted.values = resize(tensor, outputs[o]);
    const std::size_t dimension = *dimension_of(tensor, *rows);
    predicted.origins = origins_of_lines(outputs[o].shape(), dimension, origin);
    std::int64_t inner = 1;
    for (std::size_t d = dimension + 1; d < tensor.extents.size(); ++d) inner *= outputs[o].shape()[d];
    for (std::int64_t i = 0; i < predicted.values.element_count(); ++i) {
      predicted.exempt.push_back(i / inner % count != place);
    }
  }
  const auto in_words = [](std::int64_t i, std::int64_t of) {
    return of == 1 ? fmt::format("row {} alone (M = 1)", i) : fmt::format("row {} of {}", i, of);
  };
  // Alone it has the number that it has in the case: that is the row to look at.
  result.drawn = fmt::format("{} against {}", in_words(count == 1 ? row : place, count), in_words(row, old));
  return result;
}

NEGZERO_VARIATION(embed) {
  if (value.operation.signature().is_declared) return embed_all(value, kernel, contract, outputs, random);
  const Tensor& output = outputs.front();
  (void)kernel;
  if (!movable_gemm(value, contract)) return std::nullopt;
  Variation result{value, output};
  for (auto& [name, layout] : result.value.layouts) {
    layout = tensor::Layout::packed(layout.shape);
    const std::int64_t extra = random.between(1, 17);
    layout.strides[1] += extra;
    layout.strides[0] = layout.strides[1] * std::max<std::int64_t>(1, layout.shape[1]) + random.between(0, 5);
    layout.offset = random.between(0, 15);
  }
  operation::lay_in_place(result.value);
  return result;
}

NEGZERO_VARIATION(batch) {
  const Tensor& output = outputs.front();
  (void)kernel;
  const std::optional<Gemm> gemm = movable_gemm(value, contract);
  if (!gemm || gemm->batch < 2) return std::nullopt;
  const std::int64_t number = random.between(0, gemm->batch - 1);
  Gemm single = *gemm;
  single.batch = 1;
  const auto element = [number](std::int64_t rows, std::int64_t columns) {
    return [=](std::int64_t, std::int64_t i, std::int64_t j) { return (number * rows + i) * columns + j; };
  };
  const auto slice = [&](const Tensor& from, std::int64_t rows, std::int64_t columns) {
    return map_tensor(from, {1, rows, columns}, 0, element(rows, columns));
  };
  Variation result;
  result.value = with_tensors(value, single, slice(factor(value, 0), gemm->m, gemm->k),
                              slice(factor(value, 1), gemm->k, gemm->n), slice(addend(value), gemm->m, gemm->n));
  result.only().values = slice(output, gemm->m, gemm->n);
  result.only().origins = origins_of({1, gemm->m, gemm->n}, element(gemm->m, gemm->n));
  return result;
}

NEGZERO_VARIATION(transpose) {
  const Tensor& output = outputs.front();
  (void)kernel;
  const auto gemm = view_if<Gemm>(value.operation);
  if (!gemm || gemm->a != gemm->b || contract.order != contract::Order::Ascending ||
      contract.determinism == Determinism::NotGuaranteed) {
    return std::nullopt;
  }
  const bool alpha_is_one = gemm->alpha.bits == number::one(number::format(gemm->alpha.format));
  if (contract.alpha != contract::AlphaPlace::Epilogue && !alpha_is_one) return std::nullopt;
  (void)random;
  Gemm turned = *gemm;
  std::swap(turned.m, turned.n);
  const auto element = [](std::int64_t rows, std::int64_t columns) {
    return [=](std::int64_t b, std::int64_t i, std::int64_t j) { return (b * rows + j) * columns + i; };
  };
  const auto flip = [&](const Tensor& from, std::int64_t rows, std::int64_t columns) {
    return map_tensor(from, {gemm->batch, columns, rows}, 0, element(rows, columns));
  };
  Variation result;
  result.value = with_tensors(value, turned, flip(factor(value, 1), gemm->k, gemm->n),
                              flip(factor(value, 0), gemm->m, gemm->k), flip(addend(value), gemm->m, gemm->n));
  result.only().values = flip(output, gemm->m, gemm->n);
  result.only().origins = origins_of({gemm->batch, gemm->n, gemm->m}, element(gemm->m, gemm->n));
  return result;
}

}  // namespace negzero::property
