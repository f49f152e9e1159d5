// Changes of where elements stand: another order of rows or columns, other memory, one row more, fewer batches.

#include <algorithm>
#include <numeric>

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
  const notation::Signature& signature = result.operation.signature();
  result.tensors.insert_or_assign(operation::factor_name(signature, 0), std::move(a));
  result.tensors.insert_or_assign(operation::factor_name(signature, 1), std::move(b));
  result.tensors.insert_or_assign(signature.tensors[*signature.addend].name, std::move(c));
  result.layouts.clear();
  operation::pack_missing_layouts(result);
  return result;
}

/// Rows of D (dimension 1) or columns (dimension 2) by `origin`: index in the new case -> index in the old one, or
/// kNoOrigin for a line that is new and holds `fill`.
Variation move_lines(const Case& value, const kernel::Kernel& kernel, const Tensor& output, std::size_t dimension,
                     const std::vector<std::int64_t>& origin) {
  auto gemm = operation::view<Gemm>(value.operation);
  const auto count = static_cast<std::int64_t>(origin.size());
  (dimension == 1 ? gemm.m : gemm.n) = count;
  const notation::Signature& signature = value.operation.signature();
  const auto moved = [&](std::size_t tensor) {
    const std::string& name = signature.tensors[tensor].name;
    const Tensor& from = value.tensors.at(name);
    return map_lines(from, dimension, one_of(kernel.limits, name, from.format()), origin);
  };
  const Tensor &a = factor(value, 0), &b = factor(value, 1);
  Variation result;
  result.value = with_tensors(value, gemm, dimension == 1 ? moved(signature.factors[0]) : a,
                              dimension == 2 ? moved(signature.factors[1]) : b, moved(*signature.addend));
  result.only().values = map_lines(output, dimension, number::one(output.format()), origin);
  result.only().origins = origins_of_lines(output.shape(), dimension, origin);
  for (const std::int64_t element : result.only().origins) result.only().exempt.push_back(element == kNoOrigin);
  return result;
}

std::optional<Variation> permute_lines(const Case& value, const kernel::Kernel& kernel, const Contract& contract,
                                       const Tensor& output, base::Random& random, std::size_t dimension) {
  const std::optional<Gemm> gemm = movable_gemm(value, contract);
  const std::int64_t extent = !gemm ? 0 : dimension == 1 ? gemm->m : gemm->n;
  if (extent < 2) return std::nullopt;
  return move_lines(value, kernel, output, dimension, permutation(extent, random));
}

std::optional<Variation> pad_lines(const Case& value, const kernel::Kernel& kernel, const Contract& contract,
                                   const Tensor& output, base::Random& random, std::size_t dimension) {
  const std::optional<Gemm> gemm = movable_gemm(value, contract);
  if (!gemm || gemm->m == 0 || gemm->n == 0) return std::nullopt;
  const std::int64_t extent = dimension == 1 ? gemm->m : gemm->n;
  std::vector<std::int64_t> origin(static_cast<std::size_t>(extent));
  std::iota(origin.begin(), origin.end(), 0);
  origin.insert(origin.begin() + random.between(0, extent), kNoOrigin);
  return move_lines(value, kernel, output, dimension, origin);
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
  return permute_lines(value, kernel, contract, output, random, 1);
}

NEGZERO_VARIATION(permute_columns) {
  const Tensor& output = outputs.front();
  return permute_lines(value, kernel, contract, output, random, 2);
}

NEGZERO_VARIATION(pad_rows) {
  const Tensor& output = outputs.front();
  return pad_lines(value, kernel, contract, output, random, 1);
}

NEGZERO_VARIATION(pad_columns) {
  const Tensor& output = outputs.front();
  return pad_lines(value, kernel, contract, output, random, 2);
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
