// Changes of elements where they stand, written over formats and regions alone.

#include <algorithm>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/mutate/elements.hpp>
#include <negzero/mutate/region.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::mutate {
namespace {

using number::Decoded;
using number::Format;
using tensor::Tensor;

std::uint64_t scaled(const Format& format, std::uint64_t word, int shift) {
  const Decoded d = number::decode(format, word);
  if (!d.is_finite() || d.significand == 0) return word;
  return number::encode(format, d.negative, d.significand, d.exponent + shift, false, generate::kFinite);
}

/// A shift that matters: small mostly, else as far as the format's exponents go.
int draw_shift(const Format& format, base::Random& random) {
  const int far = std::max(8, format.max_exponent() - format.eta_exponent());
  const auto most = static_cast<std::int64_t>(random.one_in(4) ? far : 4);
  const auto shift = static_cast<int>(random.between(1, most));
  return random.one_in(2) ? shift : -shift;
}

bool flip_bit(Work& work, int low, int bits, Tensor& tensor) {
  if (bits <= 0) return false;
  const std::uint64_t mask = std::uint64_t{1}
                             << (low + static_cast<int>(work.random.below(static_cast<unsigned>(bits))));
  change(tensor, draw_region(tensor, work.random), [&](std::uint64_t word) { return word ^ mask; });
  return true;
}

}  // namespace

bool negate(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr) return false;
  const Format& format = tensor->format();
  change(*tensor, draw_region(*tensor, work.random), [&](std::uint64_t word) { return negated(format, word); });
  return true;
}

bool flip_exponent_bit(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr) return false;
  const Format& format = tensor->format();
  return flip_bit(work, format.unused_bits + format.fraction_bits, format.exponent_bits, *tensor);
}

bool flip_significand_bit(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr) return false;
  const Format& format = tensor->format();
  return flip_bit(work, format.unused_bits, format.fraction_bits, *tensor);
}

bool place_special(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr) return false;
  const std::vector<std::uint64_t>& grid = generate::special_grid(tensor->format());
  const auto draw = [&] { return grid[static_cast<std::size_t>(work.random.below(grid.size()))]; };
  const bool one_for_all = work.random.one_in(2);
  const std::uint64_t first = draw();
  change(*tensor, draw_region(*tensor, work.random), [&](std::uint64_t) { return one_for_all ? first : draw(); });
  return true;
}

bool step_to_neighbour(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr) return false;
  const Format& format = tensor->format();
  const std::int64_t steps = work.random.between(1, 3) * (work.random.one_in(2) ? 1 : -1);
  change(*tensor, draw_region(*tensor, work.random), [&](std::uint64_t word) { return stepped(format, word, steps); });
  return true;
}

bool scale_by_power(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr) return false;
  const Format& format = tensor->format();
  const int shift = draw_shift(format, work.random);
  change(*tensor, draw_region(*tensor, work.random), [&](std::uint64_t word) { return scaled(format, word, shift); });
  return true;
}

}  // namespace negzero::mutate
