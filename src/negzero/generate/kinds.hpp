// What draws of operations of all kinds are made of, and the draws of single kinds.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/generate/draw.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::generate {

/// How many products (elements of a reduction, updates of a scatter) a case has at most; `long_sum`: in few results.
struct Size {
  std::int64_t volume = 0;
  bool long_sum = false;
};
/// Mean about 10,000 products; one case in a hundred is large.
[[nodiscard]] Size draw_size(int attempt, base::Random& random);

/// Sets the formats to one of the declared combinations; without any, to some that the accumulator holds without loss.
void draw_formats(const Request& request, operation::Operation& operation, base::Random& random);

/// The most terms that a sum may have so that its bound says something; one case in 32 ignores that.
[[nodiscard]] std::int64_t most_terms(const Request& request, const Traits& traits,
                                      const operation::Operation& operation, base::Random& random);

/// `dimension` of the width of packed tensors whose strides must be aligned: where the first attempts have not met that
/// by chance, only widths that do.
[[nodiscard]] Dimension width(Dimension dimension, std::string_view extent, const operation::Limits& limits,
                              const operation::Signature& signature, int attempt);

/// Of an operation that gives each element by itself: as many elements as others have terms.
[[nodiscard]] operation::Operation draw_elements(const Request& request, const operation::Operation& wanted,
                                                 int attempt, base::Random& random);
/// Of a declared operation: extents whose product is bounded, one of them 0 now and then, and scalars.
[[nodiscard]] operation::Operation draw_declared(const Request& request, const operation::Operation& wanted,
                                                 int attempt, base::Random& random);
/// A GEMM.
[[nodiscard]] operation::Operation draw_products(const Request& request, const operation::Operation& wanted,
                                                 const Traits& traits, int attempt, base::Random& random);
/// As a GEMM of as many batches, in nearly all cases of several groups: what one group does wrong shows in others.
[[nodiscard]] operation::Operation draw_grouped(const Request& request, const operation::Operation& wanted,
                                                const Traits& traits, int attempt, base::Random& random);
/// Of an operation along one dimension of a tensor. A scan is judged in the square of its terms, so that it has fewer
/// of them.
[[nodiscard]] operation::Operation draw_reduction(const Request& request, const operation::Operation& wanted,
                                                  const Traits& traits, int attempt, base::Random& random);

}  // namespace negzero::generate
