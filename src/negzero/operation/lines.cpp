// Strides of the reduced tensor, by the dimensions of the output.

#include <vector>

#include <negzero/operation/lines.hpp>

namespace negzero::operation {

Lines::Lines(const Operation& operation) {
  const notation::Signature& signature = operation.signature();
  const std::vector<std::size_t>& factor = signature.tensors[signature.factors.front()].extents;
  const std::vector<std::size_t>& output = signature.tensors[signature.outputs.front().tensor].extents;
  const std::size_t reduced = *signature.reduced;
  longest_ = operation.extents()[reduced];
  scans_ = signature.reach != notation::Reach::All;
  own_ = signature.reach == notation::Reach::Through ? 1 : 0;
  rank_ = output.size();
  for (std::size_t d = rank_; d-- > 0;) {
    const std::int64_t extent = operation.extents()[output[d]];
    dimensions_[d] = {.below = outputs_, .extent = extent, .ends_terms = output[d] == reduced};
    if (output[d] == reduced) abreast_ = outputs_;
    outputs_ *= extent;
  }
  std::int64_t stride = 1;
  for (std::size_t d = factor.size(); d-- > 0;) {
    if (factor[d] == reduced) step_ = stride;
    for (std::size_t o = 0; o < rank_; ++o) {
      if (output[o] == factor[d] && factor[d] != reduced) dimensions_[o].stride = stride;
    }
    stride *= operation.extents()[factor[d]];
  }
}

Line Lines::of(std::int64_t element) const noexcept {
  Line line{.step = step_, .count = longest_};
  for (std::size_t d = 0; d < rank_; ++d) {
    const Dimension& dimension = dimensions_[d];
    const std::int64_t index = element / dimension.below % dimension.extent;
    line.first += index * dimension.stride;
    if (dimension.ends_terms) line.count = index + own_;
  }
  return line;
}

}  // namespace negzero::operation
