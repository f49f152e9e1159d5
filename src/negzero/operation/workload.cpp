// Products, elements and updates of a case.

#include <algorithm>
#include <optional>

#include <negzero/operation/relations.hpp>
#include <negzero/operation/workload.hpp>

namespace negzero::operation {
namespace {

using Places = std::vector<std::size_t>;

/// Products that are computed in the time in which an element is drawn, moved and judged.
constexpr std::int64_t kProductsOfAnElement = 8;

bool has(const Places& places, std::size_t extent) { return std::ranges::find(places, extent) != places.end(); }

/// Both at least 1; saturates at kMuch.
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? Workload::kMuch : std::min(Workload::kMuch, product);
}

/// The product of such extents, no factor less than 1; saturates.
std::int64_t product(std::span<const std::int64_t> extents, const Places& places) {
  std::int64_t result = 1;
  for (const std::size_t e : places) result = times(result, std::max<std::int64_t>(1, extents[e]));
  return result;
}

}  // namespace

std::vector<std::int64_t> least_extents(const notation::Signature& signature, const Limits& limits) {
  // Limits are copied only where extents are tied: this runs for every case that is drawn.
  std::optional<Limits> tied;
  if (!limits.equal.empty()) tied = with_common_extents(limits, signature);
  const Limits& common = tied ? *tied : limits;
  std::vector<std::int64_t> extents;
  for (const std::string& name : signature.extents) {
    const ExtentLimit& limit = common.extents[name];
    extents.push_back(limit.at_least(1).value_or(limit.at_most(limit.max).value_or(0)));
  }
  keep_relations(extents, signature, common);
  return extents;
}

Workload::Workload(const notation::Signature& signature, const Limits& limits) : signature_(signature) {
  const auto varies = [&](std::size_t extent) {
    const ExtentLimit& limit = limits.extents[signature.extents[extent]];
    return limit.min != limit.max;
  };
  for (std::size_t i = 0; i < signature.tensors.size() && signature.is_declared; ++i) {
    const notation::TensorSignature& left = signature.tensors[i];
    for (std::size_t j = 0; j < i; ++j) {
      const notation::TensorSignature& right = signature.tensors[j];
      if (left.role == notation::Role::Output || right.role == notation::Role::Output) continue;
      if (std::ranges::none_of(left.extents, [&](std::size_t e) { return has(right.extents, e); })) continue;
      Pair pair;
      for (const std::size_t e : left.extents) (varies(e) ? pair.varying : pair.left).push_back(e);
      for (const std::size_t e : right.extents) {
        if (!varies(e)) pair.right.push_back(e);
        if (varies(e) && !has(pair.varying, e)) pair.varying.push_back(e);
      }
      pairs_.push_back(std::move(pair));
    }
  }
  least_ = of(least_extents(signature, limits));
}

std::int64_t Workload::of(std::span<const std::int64_t> extents) const {
  if (signature_.is_update) return std::max<std::int64_t>(1, std::ranges::max(extents));
  if (!signature_.is_declared) {
    std::int64_t products = 1;
    for (const std::int64_t extent : extents) products = times(products, std::max<std::int64_t>(1, extent));
    return products;
  }
  std::int64_t elements = 0, products = 0;
  for (const notation::TensorSignature& tensor : signature_.tensors) {
    elements = std::min(kMuch, elements + product(extents, tensor.extents));
  }
  for (const Pair& pair : pairs_) {
    const std::int64_t other = std::max(product(extents, pair.left), product(extents, pair.right));
    products = std::max(products, times(product(extents, pair.varying), other));
  }
  return std::max(elements, products / kProductsOfAnElement);
}

std::int64_t work_of(const Operation& operation, std::int64_t most) {
  return std::min(Workload(operation.signature()).of(operation.extents()), most + 1);
}

}  // namespace negzero::operation
