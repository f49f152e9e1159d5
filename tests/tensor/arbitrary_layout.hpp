// Layouts for properties of the tensor module: small, nested or not, with broadcasts, empty extents and offsets.

#pragma once

#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include <negzero/tensor/layout.hpp>

namespace negzero::tensor {

/// Any layout of rank 0 to 4 with at most a few hundred elements.
inline rc::Gen<Layout> arbitrary_layout() {
  return rc::gen::exec([] {
    Layout layout;
    const int rank = *rc::gen::inRange(0, 5);
    for (int d = 0; d < rank; ++d) {
      layout.shape.push_back(*rc::gen::weightedOneOf<std::int64_t>(
          {{1, rc::gen::just<std::int64_t>(0)}, {12, rc::gen::inRange<std::int64_t>(1, 5)}}));
      layout.strides.push_back(
          *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 5), rc::gen::inRange<std::int64_t>(0, 20)));
    }
    layout.offset = *rc::gen::inRange<std::int64_t>(0, 10);
    return layout;
  });
}

/// A layout whose elements all have addresses of their own: dimensions in any order, with gaps.
inline rc::Gen<Layout> nested_layout() {
  return rc::gen::exec([] {
    Layout layout;
    const int rank = *rc::gen::inRange(0, 5);
    layout.shape.resize(static_cast<std::size_t>(rank));
    layout.strides.resize(static_cast<std::size_t>(rank));
    std::vector<std::size_t> order;
    for (int d = 0; d < rank; ++d)
      order.insert(order.begin() + *rc::gen::inRange(0, d + 1), static_cast<std::size_t>(d));
    std::int64_t span = 1;
    for (const std::size_t d : order) {
      layout.shape[d] = *rc::gen::inRange<std::int64_t>(1, 5);
      layout.strides[d] = span + *rc::gen::inRange<std::int64_t>(0, 3);
      span += (layout.shape[d] - 1) * layout.strides[d];
    }
    layout.offset = *rc::gen::inRange<std::int64_t>(0, 10);
    return layout;
  });
}

}  // namespace negzero::tensor
