// Pieces of a case that are judged apart.

#include <algorithm>

#include <negzero/judgement/pieces.hpp>

namespace negzero::judgement {
namespace {

using Indices = std::vector<std::int64_t>;

/// What one element costs beside its terms, and what reading an element of an input costs.
constexpr std::int64_t kElement = 64, kInput = 4;

Indices run(std::int64_t begin, std::int64_t end) {
  Indices result;
  for (std::int64_t i = begin; i < end; ++i) result.push_back(i);
  return result;
}

}  // namespace

Cutter::Cutter(const operation::Case& value) : value_(value) {
  const notation::Signature& signature = value.operation.signature();
  const auto extents = value.operation.extents();
  for (const std::size_t extent : signature.tensors[signature.outputs.front().tensor].extents) {
    const bool has_terms = !signature.is_update && signature.reduced == extent;
    dimensions_.push_back({extent, extents[extent], !has_terms});
    outputs_ *= extents[extent];
    if (has_terms) depth_ = std::max<std::int64_t>(1, extents[extent] / 2);
  }
  if (!signature.reduced) return;
  const std::int64_t terms = extents[*signature.reduced];
  if (signature.is_update) depth_ = 1 + terms / std::max<std::int64_t>(1, outputs_);
  if (signature.reach == notation::Reach::All && !signature.is_update) depth_ = std::max<std::int64_t>(1, terms);
  if (signature.reach == notation::Reach::All || signature.is_update) added_ = depth_;
}

double Cutter::cost(std::span<const std::int64_t> counts, std::int64_t elements) const {
  const notation::Signature& signature = value_.operation.signature();
  double cost = static_cast<double>(elements) * static_cast<double>(added_ + kElement);
  for (const notation::TensorSignature& tensor : signature.tensors) {
    double read = kInput;
    for (const std::size_t extent : tensor.extents) {
      std::int64_t count = value_.operation.extents()[extent];
      for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        if (dimensions_[d].extent == extent && dimensions_[d].may_be_cut) count = counts[d];
      }
      read *= static_cast<double>(count);
    }
    cost += read;
  }
  return cost;
}

std::vector<std::int64_t> Cutter::counts_of(const Piece& piece) const {
  std::vector<std::int64_t> counts;
  for (const Dimension& dimension : dimensions_) {
    const auto& kept = piece.kept[dimension.extent];
    counts.push_back(kept ? static_cast<std::int64_t>(kept->size()) : dimension.count);
  }
  return counts;
}

double Cutter::cost(const Piece& piece) const {
  const Indices counts = counts_of(piece);
  std::int64_t elements = 1;
  for (const std::int64_t count : counts) elements *= count;
  return cost(counts, piece.elements ? static_cast<std::int64_t>(piece.elements->size()) : elements);
}

Piece Cutter::piece(std::vector<std::optional<Indices>> indices) const {
  Piece piece;
  bool is_listed = false;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (!indices[d]) continue;
    if (dimensions_[d].may_be_cut) {
      piece.kept[dimensions_[d].extent] = std::move(indices[d]);
    } else {
      is_listed = true;
    }
  }
  if (!is_listed) return piece;
  // Each element of the piece whose index is listed in every dimension that was not cut.
  const Indices counts = counts_of(piece);
  Indices& elements = piece.elements.emplace(Indices{0});
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const bool cut = dimensions_[d].may_be_cut || !indices[d];
    const Indices here = cut ? run(0, counts[d]) : *indices[d];
    Indices next;
    next.reserve(elements.size() * here.size());
    for (const std::int64_t outer : elements) {
      for (const std::int64_t i : here) next.push_back(outer * counts[d] + i);
    }
    elements = std::move(next);
  }
  return piece;
}

std::vector<std::int64_t> Cutter::elements_of(const Piece& piece) const {
  Indices elements{0};
  for (const Dimension& dimension : dimensions_) {
    const auto& kept = piece.kept[dimension.extent];
    Indices next;
    next.reserve(elements.size() *
                 (kept ? kept->size() : static_cast<std::size_t>(std::max<std::int64_t>(0, dimension.count))));
    for (const std::int64_t outer : elements) {
      const std::int64_t first = outer * dimension.count;
      if (kept) {
        for (const std::int64_t i : *kept) next.push_back(first + i);
      } else {
        for (std::int64_t i = 0; i < dimension.count; ++i) next.push_back(first + i);
      }
    }
    elements = std::move(next);
  }
  return elements;
}

std::vector<Piece> Cutter::tiles(std::int64_t elements) const {
  std::vector<std::int64_t> cuts(dimensions_.size(), 1);  // into how many pieces each dimension is cut
  std::int64_t size = outputs_;
  while (size > elements) {
    std::optional<std::size_t> longest;
    const auto side = [&](std::size_t d) { return dimensions_[d].count / cuts[d]; };
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      if (dimensions_[d].may_be_cut && side(d) > 1 && (!longest || side(d) > side(*longest))) longest = d;
    }
    if (!longest) break;
    cuts[*longest] *= 2;
    size = (size + 1) / 2;
  }
  std::vector<std::vector<std::optional<Indices>>> tiles(1);
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    std::vector<std::vector<std::optional<Indices>>> next;
    for (const auto& tile : tiles) {
      for (std::int64_t i = 0; i < cuts[d]; ++i) {
        next.push_back(tile);
        const std::int64_t count = dimensions_[d].count;
        next.back().push_back(cuts[d] == 1 ? std::nullopt
                                           : std::optional(run(count * i / cuts[d], count * (i + 1) / cuts[d])));
      }
    }
    tiles = std::move(next);
  }
  std::vector<Piece> result;
  for (auto& tile : tiles) result.push_back(piece(std::move(tile)));
  return result;
}

Piece Cutter::around(std::vector<std::int64_t> elements) const {
  std::ranges::sort(elements);
  std::vector<std::optional<Indices>> indices(dimensions_.size());
  std::int64_t stride = 1, size = 1;
  for (std::size_t d = dimensions_.size(); d-- > 0;) {
    const std::int64_t count = dimensions_[d].count;
    if (dimensions_[d].may_be_cut) {
      Indices& list = indices[d].emplace();
      for (const std::int64_t element : elements) list.push_back(element / stride % count);
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
      size *= static_cast<std::int64_t>(list.size());
    } else {
      size *= count;
    }
    stride *= count;
  }
  // Of few outputs more is asked than of many: a piece of many must not be one of few.
  for (std::size_t d = 0; d < dimensions_.size() && outputs_ >= oracle::kManyOutputs; ++d) {
    if (!indices[d]) continue;
    Indices& list = *indices[d];
    for (std::int64_t i = 0; i < dimensions_[d].count && size < oracle::kManyOutputs; ++i) {
      if (std::ranges::binary_search(list, i)) continue;
      size = size / static_cast<std::int64_t>(list.size()) * static_cast<std::int64_t>(list.size() + 1);
      list.insert(std::ranges::lower_bound(list, i), i);
    }
  }
  Piece result = piece(std::move(indices));
  const Indices all = elements_of(result);
  Indices& listed = result.elements.emplace();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::ranges::binary_search(elements, all[i])) listed.push_back(static_cast<std::int64_t>(i));
  }
  return result;
}

}  // namespace negzero::judgement
