// Extents that somebody asks for: ranges of values, as far as a kernel's limits go.

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/generate/draw.hpp>
#include <negzero/operation/line_relations.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::generate {
namespace {

/// Why a kernel with that limit can have none of the values.
std::string why_none(const std::string& extent, const ExtentRange& range, const operation::ExtentLimit& limit) {
  std::string accepts = limit.max >= operation::ExtentLimit{}.max ? fmt::format("at least {}", limit.min)
                                                                  : fmt::format("{} to {}", limit.min, limit.max);
  if (limit.multiple > 1) accepts += fmt::format(", a multiple of {}", limit.multiple);
  if (limit.power_of_two) accepts += ", a power of two";
  return fmt::format("extent {}: the kernel's limits accept no such value; ask for {}", to_string(extent, range),
                     accepts);
}

/// A tensor whose greatest shape is too large; nothing where there is none. An extent of which nothing is asked counts
/// as 1.
const notation::TensorSignature* too_large(const ExtentRanges& ranges, const notation::Signature& signature) {
  for (const notation::TensorSignature& tensor : signature.tensors) {
    std::int64_t elements = 1;
    for (const std::size_t extent : tensor.extents) {
      const auto range = ranges.find(signature.extents[extent]);
      if (range == ranges.end()) continue;
      // At most 2^62.
      elements *= std::max<std::int64_t>(1, range->second.high);
      if (elements > tensor::kMaxElements) return &tensor;
    }
  }
  return nullptr;
}

}  // namespace

bool is_range(const ExtentRange& range) noexcept {
  return range.low >= 0 && range.high >= range.low && range.high <= tensor::kMaxElements && range.step >= 1 &&
         range.step <= tensor::kMaxElements;
}

std::string to_string(const std::string& extent, const ExtentRange& range) {
  if (range.low == range.high) return fmt::format("{}={}", extent, range.low);
  if (range.step == 1) return fmt::format("{}={}:{}", extent, range.low, range.high);
  return fmt::format("{}={}:{}:{}", extent, range.low, range.high, range.step);
}

std::optional<ExtentRange> accepted(const ExtentRange& range, const operation::ExtentLimit& limit) {
  // The first value from the greater low end on; those that are a multiple come again after at most `multiple` steps.
  if (limit.power_of_two) {
    const auto is_one = [&](std::int64_t value) {
      return limit.accepts(value) && (value - range.low) % range.step == 0;
    };
    ExtentRange powers{0, 0, range.step};
    for (std::int64_t power = 1; power <= range.high; power *= 2) {
      if (power < range.low || !is_one(power)) continue;
      if (powers.low == 0) powers.low = power;
      powers.high = power;
    }
    return powers.low == 0 ? std::nullopt : std::optional(powers);
  }
  const std::int64_t skipped = std::max<std::int64_t>(0, limit.min - range.low + range.step - 1) / range.step;
  const std::int64_t high = std::min(range.high, limit.max);
  std::int64_t low = range.low + skipped * range.step;
  for (std::int64_t tries = 0; low <= high && low % limit.multiple != 0; ++tries, low += range.step) {
    if (tries == limit.multiple) return std::nullopt;
  }
  if (low > high) return std::nullopt;
  const std::int64_t step = range.step / std::gcd(range.step, limit.multiple) * limit.multiple;
  return ExtentRange{low, low + (high - low) / step * step, step};
}

std::int64_t draw_from(const ExtentRange& range, const operation::ExtentLimit& limit, base::Random& random) {
  const std::uint64_t kind = random.below(8);
  if (kind == 0) return range.low;
  if (kind == 1) return range.high;
  if (!limit.power_of_two) return range.low + random.between(0, (range.high - range.low) / range.step) * range.step;
  std::int64_t power = range.high;
  for (auto halvings = random.below(64); halvings > 0; --halvings) power = power > range.low ? power / 2 : range.high;
  while (!limit.accepts(power) || (power - range.low) % range.step != 0) power *= 2;
  return power;
}

bool fits(const ExtentRanges& ranges, const operation::Operation& operation) {
  return std::ranges::all_of(operation::extents_of(operation), [&](const operation::Extent& extent) {
    const auto range = ranges.find(std::string(extent.name));
    if (range == ranges.end()) return true;
    const auto& [low, high, step] = range->second;
    return low <= extent.value && extent.value <= high && (extent.value - low) % step == 0;
  });
}

operation::Limits narrowed(operation::Limits limits, const ExtentRanges& ranges, const notation::Signature& signature) {
  for (const auto& [name, range] : ranges) {
    operation::ExtentLimit& limit = limits.extents[name];
    limit.min = std::max(limit.min, range.low);
    limit.max = std::min(limit.max, range.high);
  }
  return operation::with_common_extents(std::move(limits), signature);
}

base::Status validate(const ExtentRanges& ranges, const std::string& operation, const operation::Limits& limits) {
  const notation::Signature& signature = *operation::find_signature(operation);
  for (const auto& [name, range] : ranges) {
    if (!signature.find_extent(name)) {
      return base::usage_error(fmt::format("extent {}: {} has no extent {}; it has {}", to_string(name, range),
                                           signature.name, name, fmt::join(signature.extents, ", ")));
    }
    if (!is_range(range)) {
      return base::usage_error(fmt::format("extent {}: the values lie between 0 and {}, the low end first",
                                           to_string(name, range), tensor::kMaxElements));
    }
    if (!accepted(range, limits.extents[name])) {
      return base::usage_error(why_none(name, range, limits.extents[name]));
    }
  }
  const operation::Limits tied = narrowed(limits, ranges, signature);
  for (const operation::EqualExtents& group : operation::equal_extents(limits, signature)) {
    std::string asked;
    for (const std::size_t e : group) {
      const auto range = ranges.find(signature.extents[e]);
      if (range != ranges.end()) (asked += asked.empty() ? "" : " ") += to_string(range->first, range->second);
    }
    if (asked.empty() || tied.extents[signature.extents[group.front()]].at_least(0)) continue;
    return base::usage_error(
        fmt::format("extent {}: the kernel's limits want them equal, and they have no value in "
                    "common; ask for one of them",
                    asked));
  }
  if (const auto unmet = ranges.empty() ? std::nullopt : operation::unmet_relation(signature, tied)) {
    return base::usage_error(fmt::format("no case has these extents: {}", *unmet));
  }
  if (const auto* const tensor = too_large(ranges, signature)) {
    return base::usage_error(fmt::format("tensor {} of these extents has more than {} elements; ask for smaller ones",
                                         tensor->name, tensor::kMaxElements));
  }
  return base::Ok{};
}

}  // namespace negzero::generate
