// What draws of operations of all kinds are made of, and the draws of single kinds.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/generate/draw.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::generate {

/// What a plan is drawn for.
struct Drawing {
  const Request& request;               ///< its limits may be narrower than the kernel's, for this case
  const operation::Workload& workload;  ///< of the kernel's limits
  const Traits& traits;
  int attempt = 0;  ///< from 0: later ones are smaller and plainer
};

/// How many products (elements of a reduction, updates of a scatter) a case has at most; `long_sum`: in few results.
struct Size {
  std::int64_t volume = 0;
  bool long_sum = false;
  std::int64_t least_volume = 0;  ///< of a kernel whose least case is no small one: room for so many times that case

  /// At most `most` of the volume, but room for what the kernel takes at least.
  [[nodiscard]] std::int64_t room(std::int64_t most) const { return std::max(std::min(volume, most), least_volume); }
};
/// Mean about 10,000 products; one case in a hundred is large. Where the least case is no small one, 1, 2, 4, ... 64
/// times as many as that has, as far as most_work() goes; of a dear one 1 to 16 times, and mostly few.
[[nodiscard]] Size draw_size(const Drawing& drawing, base::Random& random);

/// Sets the formats to one of the declared combinations; without any, to some that the accumulator holds without loss.
void draw_formats(const Request& request, operation::Operation& operation, base::Random& random);

/// The most terms that a sum may have so that its bound says something; one case in 32 ignores that.
[[nodiscard]] std::int64_t most_terms(const Request& request, const Traits& traits,
                                      const operation::Operation& operation, base::Random& random);

/// `dimension` of the width of packed tensors whose strides must be aligned: where the first attempts have not met that
/// by chance, only widths that do.
[[nodiscard]] Dimension width(Dimension dimension, std::string_view extent, const operation::Limits& limits,
                              const notation::Signature& signature, int attempt);

/// Of an operation that gives each element by itself: as many elements as others have terms.
[[nodiscard]] operation::Operation draw_elements(const Drawing& drawing, const operation::Operation& wanted,
                                                 base::Random& random);
/// Of a declared operation: extents whose work is bounded, one of them 0 now and then, and scalars.
[[nodiscard]] operation::Operation draw_declared(const Drawing& drawing, const operation::Operation& wanted,
                                                 base::Random& random);
/// A GEMM.
[[nodiscard]] operation::Operation draw_products(const Drawing& drawing, const operation::Operation& wanted,
                                                 base::Random& random);
/// As a GEMM of as many batches, in nearly all cases of several groups: what one group does wrong shows in others.
[[nodiscard]] operation::Operation draw_grouped(const Drawing& drawing, const operation::Operation& wanted,
                                                base::Random& random);
/// Of an operation along one dimension of a tensor.
[[nodiscard]] operation::Operation draw_reduction(const Drawing& drawing, const operation::Operation& wanted,
                                                  base::Random& random);

}  // namespace negzero::generate
