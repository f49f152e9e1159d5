// Sizes and formats of a plan, whatever its operation.

#include <algorithm>
#include <array>
#include <numeric>

#include <negzero/generate/kinds.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

using number::FormatId;

/// Formats that a kernel without declared ones may get: those that its accumulator holds without loss.
std::vector<FormatId> storable_formats(int most_bits) {
  std::vector<FormatId> formats;
  for (const number::Format& format : number::all_formats()) {
    if (!format.is_integer() && !format.only_stores() && format.unused_bits == 0 && format.precision() <= most_bits)
      formats.push_back(format.id);
  }
  return formats;
}

/// The first attempt whose widths are aligned by construction, and the first that is as small and plain as can be.
constexpr int kAligned = 2, kPlainest = 9;

}  // namespace

void draw_formats(const Request& request, operation::Operation& operation, base::Random& random) {
  const auto& declared = request.limits.formats;
  if (!declared.empty()) {
    return operation.set_formats(declared[static_cast<std::size_t>(random.below(declared.size()))]);
  }
  const notation::Signature& signature = operation.signature();
  const bool adds = operation.signature().combine && !is_selection(operation);
  const int bits = adds ? number::format(request.contract.accumulate).precision() : 53;
  std::vector<FormatId> formats = storable_formats(bits);
  if (formats.empty()) formats = storable_formats(53);
  std::vector<FormatId> drawn(signature.own_formats);
  const bool uniform = random.below(2) == 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    drawn[i] = uniform && i != 0 ? drawn[0] : formats[static_cast<std::size_t>(random.below(formats.size()))];
  }
  if (is_selection(operation) && !signature.is_update) {
    for (const notation::OutputSignature& output : signature.outputs) {
      const bool is_index = notation::gives_index(*output.combine);
      drawn[signature.tensors[output.tensor].format] = is_index ? FormatId::I32 : drawn[0];
    }
  }
  operation.set_formats(drawn);
}

std::size_t inner_extent(const notation::Signature& signature) {
  return signature.reduced ? *signature.reduced : signature.tensors.back().extents.back();
}

std::int64_t most_work(const notation::Signature& signature) {
  return std::int64_t{1} << (signature.is_declared ? 20 : 23);
}

namespace {

/// The usual size of a case, whatever the kernel.
Size usual_size(int attempt, base::Random& random) {
  const std::uint64_t draw = random.below(100);
  if (attempt >= kPlainest) return {64, false};
  if (draw == 0) return {std::int64_t{1} << (random.below(8) == 0 ? 21 : random.between(17, 20)), random.below(4) == 0};
  if (draw < 20) return {64, false};
  if (draw < 35) return {2048, false};
  if (draw < 60) return {16384, false};
  if (draw < 88) return {65536, false};
  return {12 * 5000, true};
}

/// How many times as much work as the least case one has.
std::int64_t draw_factor(std::int64_t least, base::Random& random) {
  // Shares of 32. Two directions in three have a second length within twice the work.
  constexpr std::array<std::int64_t, 32> kFactors{1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2,  2,  2,  4,  4,  4,
                                                  4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 16, 16, 16, 32, 32, 64};
  constexpr std::array<std::int64_t, 32> kFactorsOfDear{1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3,  3,
                                                        4, 4, 4, 4, 4, 4, 6, 6, 6, 6, 8, 8, 8, 8, 16, 16};
  constexpr std::int64_t kDear = std::int64_t{1} << 16;
  return (least < kDear ? kFactors : kFactorsOfDear)[static_cast<std::size_t>(random.below(32))];
}

}  // namespace

Size draw_size(const Drawing& drawing, base::Random& random) {
  constexpr std::int64_t kSmall = 16, kFewForLongSums = 4096;
  Size size = usual_size(drawing.attempt, random);
  const std::int64_t least = drawing.workload.least();
  if (least <= kSmall || drawing.attempt >= kPlainest) return size;
  size.long_sum = size.long_sum && least <= kFewForLongSums;
  const std::int64_t most = std::max(least, most_work(drawing.workload.signature()));
  size.least_volume = std::min(most, least * draw_factor(least, random));
  return size;
}

std::int64_t most_terms(const Request& request, const Traits& traits, const operation::Operation& operation,
                        base::Random& random) {
  const bool bounded = random.below(32) != 0;
  return traits.bounded_terms && bounded ? bounded_terms(operation, request.contract) : operation::ExtentLimit{}.max;
}

Dimension width(Dimension dimension, std::string_view extent, const operation::Limits& limits,
                const notation::Signature& signature, int attempt) {
  const auto is_packed = [](const operation::LayoutLimit& layout) {
    return layout.order == operation::LayoutOrder::Packed && layout.stride_multiple > 1;
  };
  std::vector<const operation::LayoutLimit*> layouts{&limits.inputs, &limits.output};
  for (const auto& [name, layout] : limits.tensors) {
    const auto place = signature.find_tensor(name);
    if (place && signature.extents[signature.tensors[*place].extents.back()] == extent) layouts.push_back(&layout);
  }
  for (const operation::LayoutLimit* const layout : layouts) {
    if (attempt < kAligned || !is_packed(*layout)) continue;
    operation::ExtentLimit aligned = dimension.limit;
    aligned.multiple = std::lcm(std::max<std::int64_t>(1, aligned.multiple), layout->stride_multiple);
    if (aligned.accepts(nearest_extent(aligned, aligned.multiple))) dimension.limit = aligned;
  }
  return dimension;
}

}  // namespace negzero::generate
