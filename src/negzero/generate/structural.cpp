// `structural`: identities, one-hot rows, ramps, index encodings and constants: a wrong index shows as a wrong number.

#include <algorithm>
#include <bit>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

enum class Filling : std::uint8_t { Ramp, Falling, Constant, Row, Column, Alternating, Negative, OneHot };

/// How many different codes a factor may have so that every sum of `terms` products of two stays exact.
std::int64_t modulus_of(const number::Format& format, int highest, const Aim& aim, std::int64_t terms, bool alone) {
  const int growth = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(1, terms)));
  const int range = std::min({aim.accumulator_powers.high, aim.output_powers.high, aim.precision}) - 1;
  const int room = std::max(1, alone ? range : (range - growth) / 2);
  return std::int64_t{1} << std::clamp(std::min({room, format.precision(), highest}), 0, 30);
}

/// The code of element `i` of a tensor with rows of `columns`.
std::int64_t code(Filling filling, std::int64_t i, std::int64_t columns, std::int64_t modulus, std::int64_t hot) {
  const std::int64_t row = i / columns, column = i % columns;
  switch (filling) {
    case Filling::Ramp:
      return i % modulus;
    case Filling::Falling:
      return modulus - 1 - i % modulus;
    case Filling::Constant:
      return 1;
    case Filling::Row:
      return 1 + row % modulus;
    case Filling::Column:
      return 1 + column % modulus;
    case Filling::Alternating:
      return (i & 1) == 0 ? 1 : -1;
    case Filling::Negative:
      return -1 - i % modulus;
    case Filling::OneHot:
      return column == (row * hot) % columns ? 1 : 0;
  }
  return 0;
}

void fill_as(tensor::Tensor& tensor, Filling filling, std::int64_t columns, std::int64_t modulus, std::int64_t hot) {
  const number::Format format = tensor.format();
  const std::int64_t width = std::max<std::int64_t>(1, columns);
  fill(tensor, [&](std::int64_t i) { return encode_integer(format, code(filling, i, width, modulus, hot), 0); });
}

}  // namespace

void fill_structural(Work& work) {
  base::Random& random = work.random;
  const auto draw = [&random] { return static_cast<Filling>(random.below(8)); };
  // Steps of one make an identity, others a permutation-like pattern.
  const std::int64_t hot = random.below(2) == 0 ? 1 : random.between(2, 9);
  if (const auto gemm = work.gemm()) {
    const Filling left = draw(), right = left == Filling::OneHot ? Filling::Ramp : draw(), addend = draw();
    const bool alone = left == Filling::OneHot || right == Filling::OneHot;
    const auto modulus = [&](const tensor::Tensor& tensor, std::int64_t terms, bool is_alone) {
      return modulus_of(tensor.format(), work.highest_exponent(tensor), work.aim, terms, is_alone);
    };
    fill_as(work.left(), left, gemm->k, modulus(work.left(), gemm->k, alone), hot);
    fill_as(*work.right(), right, gemm->n, modulus(*work.right(), gemm->k, alone), hot);
    if (tensor::Tensor* const c = work.addend()) fill_as(*c, addend, gemm->n, modulus(*c, 1, false), hot);
    return;
  }
  const Filling terms = draw();
  const std::int64_t columns = work.terms();
  const bool selection = is_selection(work.plan.operation);
  const int growth = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(1, columns)));
  const number::Format format = work.left().format();
  const int room =
      selection ? format.precision() : std::min(work.aim.precision - growth, work.aim.output.max_exponent());
  const std::int64_t modulus = std::int64_t{1} << std::clamp(std::min(room, work.highest_exponent(work.left())), 1, 30);
  fill_as(work.left(), terms, columns, modulus, hot);
  if (tensor::Tensor* const init = work.addend()) {
    const Filling initial = draw();
    fill_as(*init, initial, init->element_count(), modulus, hot);
  }
}

}  // namespace negzero::generate
