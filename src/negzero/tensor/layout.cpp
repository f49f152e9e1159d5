// Layouts: counts and extents that cannot overflow, and the search for shared addresses.

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include <negzero/tensor/layout.hpp>

namespace negzero::tensor {
namespace {

constexpr std::int64_t kSaturated = std::numeric_limits<std::int64_t>::max();

// Both saturate, so that extents of layouts that nobody has validated are too large rather than undefined.
std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kSaturated : product;
}
std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kSaturated : sum;
}

}  // namespace

Layout Layout::packed(std::vector<std::int64_t> shape) {
  Layout result;
  result.strides.resize(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    result.strides[d] = stride;
    // Beyond kMaxElements a shape is either refused or empty, and then its strides are never used.
    stride = std::min(saturating_multiply(stride, std::max<std::int64_t>(shape[d], 1)), kMaxElements);
  }
  result.shape = std::move(shape);
  return result;
}

std::int64_t count_elements(std::span<const std::int64_t> shape) noexcept {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count = saturating_multiply(count, extent);
  return count;
}

std::vector<std::int64_t> coordinates_of(std::span<const std::int64_t> shape, std::int64_t index) {
  std::vector<std::int64_t> result(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; index /= shape[d]) result[d] = index % shape[d];
  return result;
}

std::int64_t Layout::element_count() const noexcept { return count_elements(shape); }

std::int64_t Layout::extent() const noexcept {
  if (element_count() == 0) return 0;
  std::int64_t last = offset;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    last = saturating_add(last, saturating_multiply(shape[d] - 1, strides[d]));
  }
  return saturating_add(last, 1);
}

std::int64_t Layout::address(std::int64_t i) const noexcept {
  std::int64_t result = offset;
  for (std::size_t d = shape.size(); d-- > 0;) {
    result += i % shape[d] * strides[d];
    i /= shape[d];
  }
  return result;
}

bool Layout::overlaps() const {
  const std::int64_t count = element_count();
  if (count < 2) return false;
  struct Dimension {
    std::int64_t stride, extent;
  };
  std::array<Dimension, kMaxRank> by_stride{};
  std::size_t rank = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    std::size_t place = rank++;
    for (; place > 0 && by_stride[place - 1].stride > strides[d]; --place) by_stride[place] = by_stride[place - 1];
    by_stride[place] = {strides[d], shape[d]};
  }
  const std::span dimensions(by_stride.data(), rank);
  if (dimensions.front().stride == 0) return true;
  // Where every stride steps over all that the smaller ones span, addresses are digits of a mixed radix: unique.
  bool nested = true;
  std::int64_t span = 1;
  for (const Dimension& dimension : dimensions) {
    nested = nested && dimension.stride >= span;
    span = saturating_add(span, saturating_multiply(dimension.extent - 1, dimension.stride));
  }
  if (nested) return false;
  if (count > span) return true;
  std::vector<std::int64_t> addresses(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) addresses[static_cast<std::size_t>(i)] = address(i);
  std::sort(addresses.begin(), addresses.end());
  return std::adjacent_find(addresses.begin(), addresses.end()) != addresses.end();
}

base::Status validate(const Layout& layout, const std::string& name) {
  const auto refuse = [&](const std::string& why) { return base::usage_error("layout of " + name + ": " + why); };
  const std::size_t rank = layout.shape.size();
  if (rank > kMaxRank) return refuse(fmt::format("rank {} exceeds {}", rank, kMaxRank));
  if (layout.strides.size() != rank) {
    return refuse(fmt::format("{} strides for a shape of rank {}", layout.strides.size(), rank));
  }
  for (std::size_t d = 0; d < rank; ++d) {
    if (layout.shape[d] < 0) return refuse(fmt::format("extent {} of dimension {} is negative", layout.shape[d], d));
    if (layout.strides[d] < 0)
      return refuse(fmt::format("stride {} of dimension {} is negative", layout.strides[d], d));
    if (layout.shape[d] > kMaxElements) {
      return refuse(fmt::format("extent {} of dimension {} exceeds {}", layout.shape[d], d, kMaxElements));
    }
    if (layout.strides[d] > kMaxSpan) {
      return refuse(fmt::format("stride {} of dimension {} exceeds {}", layout.strides[d], d, kMaxSpan));
    }
  }
  if (layout.offset < 0) return refuse(fmt::format("offset {} is negative", layout.offset));
  if (layout.offset > kMaxSpan) return refuse(fmt::format("offset {} exceeds {}", layout.offset, kMaxSpan));
  if (layout.element_count() > kMaxElements) return refuse(fmt::format("more than {} elements", kMaxElements));
  if (layout.extent() > kMaxSpan) return refuse(fmt::format("it spans more than {} elements", kMaxSpan));
  return base::Ok{};
}

}  // namespace negzero::tensor
