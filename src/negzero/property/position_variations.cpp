// Changes of where elements stand: another order of rows or columns, other memory, more rows, fewer batches.

#include <algorithm>
#include <numeric>

#include <negzero/number/encoding.hpp>
#include <negzero/property/tensor_map.hpp>
#include <negzero/property/variations.hpp>

namespace negzero::property {

namespace {

using contract::Contract;
using contract::Determinism;
using operation::Case;
using operation::Gemm;
using tensor::Tensor;

/// The Gemm of a case whose kernel promises position invariance and the same bits again, or nothing.
std::optional<Gemm> movable_gemm(const Case& value, const Contract& contract) {
  if (!contract.position_invariant || contract.determinism == Determinism::NotGuaranteed) return std::nullopt;
  return operation::view_if<Gemm>(value.operation);
}

/// A drawn permutation of two or more indices that moves at least two of them.
std::vector<std::int64_t> permutation(std::int64_t count, base::Random& random) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  if (std::is_sorted(order.begin(), order.end())) std::rotate(order.begin(), order.begin() + 1, order.end());
  return order;
}

/// The case with new tensors and packed layouts.
Case with_tensors(const Case& value, const Gemm& gemm, Tensor a, Tensor b, Tensor c) {
  Case result = value;
  result.operation = gemm;
  result.tensors.insert_or_assign("a", std::move(a));
  result.tensors.insert_or_assign("b", std::move(b));
  result.tensors.insert_or_assign("c", std::move(c));
  result.layouts.clear();
  operation::pack_missing_layouts(result);
  return result;
}

/// Rows of D (dimension 1) or columns (dimension 2) by `origin`: index in the new case -> index in the old one, or
/// kNoOrigin for a line that is new and holds `fill`.
Variation move_lines(const Case& value, const Tensor& output, std::size_t dimension,
                     const std::vector<std::int64_t>& origin) {
  const Gemm old = operation::view<Gemm>(value.operation);
  Gemm gemm = old;
  const auto count = static_cast<std::int64_t>(origin.size());
  (dimension == 1 ? gemm.m : gemm.n) = count;
  // Element (b, i, j) of a tensor whose dimension 1 or 2 is moved and has `rows` x `columns` in the old case.
  const auto moved = [&](const Tensor& from, std::int64_t rows, std::int64_t columns) {
    std::vector<std::int64_t> shape = {gemm.batch, rows, columns};
    shape[dimension] = count;
    const auto at = [&](std::int64_t b, std::int64_t i, std::int64_t j) {
      std::int64_t& line = dimension == 1 ? i : j;
      line = origin[static_cast<std::size_t>(line)];
      return line == kNoOrigin ? kNoOrigin : (b * rows + i) * columns + j;
    };
    return map_tensor(from, shape, number::one(from.format()), at);
  };
  const Tensor &a = value.tensors.at("a"), &b = value.tensors.at("b"), &c = value.tensors.at("c");
  Variation result;
  result.value = with_tensors(value, gemm, dimension == 1 ? moved(a, old.m, old.k) : a,
                              dimension == 2 ? moved(b, old.k, old.n) : b, moved(c, old.m, old.n));
  result.predicted = moved(output, old.m, old.n);
  for (std::int64_t i = 0; i < result.predicted.element_count(); ++i) {
    const std::int64_t line = dimension == 1 ? i / gemm.n % gemm.m : i % gemm.n;
    result.exempt.push_back(origin[static_cast<std::size_t>(line)] == kNoOrigin);
  }
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

}  // namespace

NEGZERO_VARIATION(run_twice) {
  (void)kernel;
  if (contract.determinism == Determinism::NotGuaranteed) return std::nullopt;
  Variation result{value, output};
  result.value.schedule = {operation::Schedule::Order::Random, true, random.next()};
  return result;
}

NEGZERO_VARIATION(permute_rows) {
  (void)kernel;
  return permute_lines(value, contract, output, random, 1);
}

NEGZERO_VARIATION(permute_columns) {
  (void)kernel;
  return permute_lines(value, contract, output, random, 2);
}

NEGZERO_VARIATION(pad_rows) {
  (void)kernel;
  return pad_lines(value, contract, output, random, 1);
}

NEGZERO_VARIATION(pad_columns) {
  (void)kernel;
  return pad_lines(value, contract, output, random, 2);
}

NEGZERO_VARIATION(embed) {
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
  return result;
}

NEGZERO_VARIATION(batch) {
  (void)kernel;
  const std::optional<Gemm> gemm = movable_gemm(value, contract);
  if (!gemm || gemm->batch < 2) return std::nullopt;
  const std::int64_t number = random.between(0, gemm->batch - 1);
  Gemm single = *gemm;
  single.batch = 1;
  const auto slice = [&](const Tensor& from, std::int64_t rows, std::int64_t columns) {
    return map_tensor(from, {1, rows, columns}, 0,
                      [&](std::int64_t, std::int64_t i, std::int64_t j) { return (number * rows + i) * columns + j; });
  };
  Variation result;
  result.value =
      with_tensors(value, single, slice(value.tensors.at("a"), gemm->m, gemm->k),
                   slice(value.tensors.at("b"), gemm->k, gemm->n), slice(value.tensors.at("c"), gemm->m, gemm->n));
  result.predicted = slice(output, gemm->m, gemm->n);
  return result;
}

NEGZERO_VARIATION(transpose) {
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
  const auto flip = [&](const Tensor& from, std::int64_t rows, std::int64_t columns) {
    return map_tensor(from, {gemm->batch, columns, rows}, 0,
                      [&](std::int64_t b, std::int64_t i, std::int64_t j) { return (b * rows + j) * columns + i; });
  };
  Variation result;
  result.value =
      with_tensors(value, turned, flip(value.tensors.at("b"), gemm->k, gemm->n),
                   flip(value.tensors.at("a"), gemm->m, gemm->k), flip(value.tensors.at("c"), gemm->m, gemm->n));
  result.predicted = flip(output, gemm->m, gemm->n);
  return result;
}

}  // namespace negzero::property
