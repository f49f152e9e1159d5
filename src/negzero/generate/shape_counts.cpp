// Counts of shapes, and whether limits permit more than one.

#include <algorithm>
#include <ranges>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/shape_counts.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::generate {
namespace {

/// Whether the limits accept another shape than the least one, with no extent of 0.
bool permits_others(const notation::Signature& signature, const operation::Limits& limits) {
  const std::vector<std::int64_t> least = operation::least_extents(signature, limits);
  for (std::size_t e = 0; e < least.size(); ++e) {
    const auto longer = limits.extents[signature.extents[e]].at_least(least[e] + 1);
    if (!longer || *longer <= least[e]) continue;
    std::vector<std::int64_t> other = least;
    other[e] = *longer;
    operation::keep_relations(other, signature, limits, e);
    const bool is_accepted = std::ranges::all_of(std::views::iota(std::size_t{0}, other.size()), [&](std::size_t i) {
      return limits.extents[signature.extents[i]].accepts(other[i]);
    });
    if (other != least && is_accepted && !operation::breaks_relation(other, signature, limits)) return true;
  }
  return false;
}

std::int64_t tile_of(const operation::ExtentLimit& limit) {
  constexpr std::int64_t kUsual = 32;
  if (!limit.tiles.empty()) return std::max<std::int64_t>(1, std::ranges::max(limit.tiles));
  return limit.multiple > 1 ? limit.multiple : kUsual;
}

}  // namespace

Shape shape_of(const operation::Operation& operation, const std::map<std::string, tensor::Layout>& layouts) {
  Shape shape{.extents = {operation.extents().begin(), operation.extents().end()}};
  for (const auto& [name, layout] : layouts) shape.farthest = std::max(shape.farthest, layout.extent() - 1);
  return shape;
}

ShapeCounts::ShapeCounts(const Request& request) {
  const notation::Signature& signature = *operation::find_signature(request.operation);
  const operation::Limits limits = narrowed(request.limits, request.mix.extents, signature);
  extents_ = signature.extents;
  for (const std::string& extent : extents_) tiles_.push_back({extent, tile_of(limits.extents[extent])});
  row_ = inner_extent(signature);
  permits_others_ = permits_others(signature, limits);
  const std::int64_t least = operation::Workload(signature, request.limits).least();
  only_least_ = request.mix.extents.empty() && least > most_work(signature) ? least : 0;
}

void ShapeCounts::add(const Shape& shape) {
  ++cases_;
  if (shapes_.size() < kMostDistinct || shapes_.contains(shape.extents)) ++shapes_[shape.extents];
  for (std::size_t e = 0; e < tiles_.size(); ++e) {
    const std::int64_t extent = shape.extents[e], tile = tiles_[e].tile;
    const std::int64_t tiles = extent < tile ? 0 : (extent + tile - 1) / tile;
    ++tiles_[e].cases[static_cast<std::size_t>(std::min<std::int64_t>(tiles, 4))];
  }
  longest_row_ = std::max(longest_row_, shape.extents[row_]);
  past_int_ += shape.farthest >> 31 != 0 ? 1 : 0;
  largest_offset_ = std::max(largest_offset_, shape.farthest);
}

std::pair<std::vector<std::int64_t>, std::uint64_t> ShapeCounts::commonest() const {
  return *std::ranges::max_element(shapes_, {}, [](const auto& each) { return each.second; });
}

bool ShapeCounts::is_collapsed() const {
  constexpr std::uint64_t kFew = 10;  // Cases of which nothing can be said.
  return permits_others_ && cases_ >= kFew && 10 * commonest().second >= 9 * cases_;
}

}  // namespace negzero::generate
