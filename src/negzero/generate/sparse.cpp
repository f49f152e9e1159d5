// `sparse`: at most three nonzero products to a result, at places where kernels lose them.

#include <algorithm>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {

void fill_sparse(Work& work) {
  if (is_selection(work.plan.operation)) return select_sparse(work);
  base::Random& random = work.random;
  const bool swapped = work.right() != nullptr && random.below(2) == 0;
  const Rows rows = work.rows(swapped);
  const number::Format format = rows.terms->format();
  // Few terms leave few permitted results (rule b), so full significands are worth more here than anywhere else.
  const std::uint64_t most = 1 + random.below(3);
  const int spread = random.below(3) == 0 ? 0 : 1 + static_cast<int>(random.below(4));
  const bool signed_zeros = random.below(4) == 0;
  const base::Random zeros = random.split(1);
  fill(*rows.terms, [&](std::int64_t i) {
    return number::zero(format, signed_zeros && (zeros.at(static_cast<std::uint64_t>(i)) & 1) != 0);
  });
  const int highest = std::min(work.highest_exponent(*rows.terms), format.max_exponent() - 2);
  base::Random places = random.split(2);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const std::int64_t length = rows.length(row);
    if (length == 0) continue;
    const std::uint64_t terms = 1 + places.below(most);
    for (std::uint64_t term = 0; term < terms; ++term) {
      const std::int64_t k = work.adversarial_position(length, places);
      const auto exponent = static_cast<int>(places.between(-spread, spread));
      const int low = format.min_normal_exponent(), high = std::max(low, highest);
      const std::uint64_t bits = places.next();
      rows.row(row).set(k, word_in_binade(format, std::clamp(exponent, low, high), bits));
    }
  }
  if (work.right() != nullptr) {
    tensor::Tensor& other = *work.factors(swapped).terms;
    const bool ones = random.below(4) == 0;
    const base::Random factors = random.split(3);
    fill_encoded(other, [&](auto encoding, std::int64_t i) {
      const std::uint64_t bits = factors.at(static_cast<std::uint64_t>(i));
      return ones ? number::one(encoding, (bits & 1) != 0) : word_in_binade(encoding, 0, bits);
    });
  }
  fill_plain_addend(work);
}

void fill_plain_addend(Work& work) {
  tensor::Tensor* const addend = work.addend();
  if (addend == nullptr) return;
  const std::uint64_t kind = work.random.below(8);
  const base::Random words = work.random.split(9);
  fill_encoded(*addend, [&](auto format, std::int64_t i) {
    const std::uint64_t bits = words.at(static_cast<std::uint64_t>(i));
    if (kind == 0) return number::zero(format, false);
    if (kind == 1) return number::zero(format, true);
    if (kind == 2) return number::one(format, (bits & 1) != 0);
    return word_in_binade(format, 0, bits);
  });
}

}  // namespace negzero::generate
