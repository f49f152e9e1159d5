// What a signature must say to be of a kind.

#include <algorithm>
#include <vector>

#include <negzero/operation/kind.hpp>

namespace negzero::operation {
namespace {

using Extents = std::vector<std::size_t>;

bool holds(const Extents& extents, std::size_t extent) { return std::ranges::find(extents, extent) != extents.end(); }

bool are_distinct(const Extents& extents) {
  return std::ranges::all_of(extents, [&](std::size_t extent) { return std::ranges::count(extents, extent) == 1; });
}

/// Whether no dimension of `factor` but the one that is reduced is missing among the output's.
bool is_along_one_dimension(const Extents& factor, const Extents& output, std::size_t reduced) {
  const auto is_known = [&](std::size_t extent) { return extent == reduced || holds(output, extent); };
  return are_distinct(factor) && are_distinct(output) && holds(factor, reduced) &&
         std::ranges::all_of(factor, is_known);
}

std::optional<Kind> kind_of_products(const notation::Signature& signature, const Extents& output) noexcept {
  const auto extents_of = [&](std::size_t which) -> const Extents& {
    return signature.tensors[signature.factors[which]].extents;
  };
  // The struct Gemm takes extents and formats by their places: batch, m, n, k and a, b, d.
  const bool are_matrices = signature.extents.size() == 4 && output == Extents{0, 1, 2} &&
                            extents_of(0) == Extents{0, 1, 3} && extents_of(1) == Extents{0, 3, 2};
  if (!are_matrices || signature.combine != notation::Combine::Sum || signature.reach != notation::Reach::All)
    return std::nullopt;
  const bool is_scaled = signature.scalars.size() == 2 && signature.addend;
  if (is_scaled && !signature.has_counts()) return Kind::Products;
  const bool is_plain = signature.scalars.empty() && !signature.addend;
  return is_plain && signature.has_counts() ? std::optional(Kind::GroupedProducts) : std::nullopt;
}

}  // namespace

std::optional<Kind> kind_of(const notation::Signature& signature) noexcept {
  if (signature.is_declared) return std::nullopt;
  const Extents& output = signature.tensors[signature.outputs.front().tensor].extents;
  const Extents& factor = signature.tensors[signature.factors.front()].extents;
  if (signature.factors.size() == 2 && signature.outputs.size() == 1) return kind_of_products(signature, output);
  if (signature.factors.size() != 1 || !signature.scalars.empty() || signature.has_counts()) return std::nullopt;
  if (signature.is_update) {
    const bool is_list = factor.size() == 1 && output.size() == 1 && signature.extents.size() == 2;
    return is_list ? std::optional(Kind::Update) : std::nullopt;
  }
  if (signature.addend) return std::nullopt;
  if (!signature.combine) return factor == output ? std::optional(Kind::Elements) : std::nullopt;
  const std::size_t reduced = *signature.reduced;
  if (!is_along_one_dimension(factor, output, reduced)) return std::nullopt;
  if (signature.reach == notation::Reach::All)
    return holds(output, reduced) ? std::nullopt : std::optional(Kind::Reduction);
  const bool is_sum_so_far = signature.combine == notation::Combine::Sum && signature.outputs.size() == 1;
  return is_sum_so_far && holds(output, reduced) ? std::optional(Kind::Scan) : std::nullopt;
}

}  // namespace negzero::operation
