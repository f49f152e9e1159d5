// Changes of elements, written over formats and regions alone.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/mutate/elements.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::mutate {
namespace {

using number::Decoded;
using number::Format;
using tensor::Tensor;

/// Elements begin, begin + step, ... of a tensor, `count` of them.
struct Region {
  std::int64_t begin = 0, count = 1, step = 1;
};

std::int64_t place_below(std::int64_t bound, base::Random& random) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
}

/// One element in half of the draws, else a run of any length or a stride: columns, and steps of powers of two.
Region draw_region(const Tensor& tensor, base::Random& random) {
  const std::int64_t count = tensor.element_count();
  const std::uint64_t kind = random.below(4);
  Region region{.begin = place_below(count, random)};
  if (kind < 2) return region;
  if (kind == 2) {
    const std::int64_t most = random.one_in(4) ? count : std::min<std::int64_t>(count, 16);
    region.count = std::min(count - region.begin, 1 + place_below(most, random));
    return region;
  }
  region.step = random.one_in(2) && !tensor.shape().empty() ? std::max<std::int64_t>(1, tensor.shape().back())
                                                            : std::int64_t{2} << random.below(5);
  region.begin %= region.step;
  region.begin = std::min(region.begin, count - 1);
  region.count = (count - region.begin + region.step - 1) / region.step;
  return region;
}

/// An input with elements; of numbers, or of indices with the bound that goes with them.
struct Chosen {
  Tensor* tensor = nullptr;
  std::int64_t below = 0;
};
std::optional<Chosen> choose(Work& work, bool indices) {
  std::vector<Chosen> all;
  for (const operation::TensorSpec& spec : operation::input_specs(work.value.operation)) {
    Tensor& tensor = work.value.tensors.at(spec.name);
    if (tensor.element_count() > 0 && spec.index_below.has_value() == indices) {
      all.push_back({&tensor, spec.index_below.value_or(0)});
    }
  }
  if (all.empty()) return std::nullopt;
  return all[static_cast<std::size_t>(work.random.below(all.size()))];
}
Tensor* choose_numbers(Work& work) {
  const auto chosen = choose(work, false);
  return chosen ? chosen->tensor : nullptr;
}

/// Replaces each word of a region by word_of(word).
template <typename WordOf>
void change(Tensor& tensor, const Region& region, WordOf&& word_of) {
  for (std::int64_t i = 0; i < region.count; ++i) {
    const std::int64_t at = region.begin + i * region.step;
    tensor.set(at, word_of(tensor.get(at)));
  }
}

std::uint64_t negated(const Format& format, std::uint64_t word) {
  return format.is_integer() ? (std::uint64_t{0} - word) & format.word_mask() : word ^ format.sign_mask();
}

std::uint64_t stepped(const Format& format, std::uint64_t word, std::int64_t steps) {
  for (; steps > 0; --steps) word = number::next_up(format, word);
  for (; steps < 0; ++steps) word = number::next_down(format, word);
  return word;
}

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

/// Another element of any input of numbers, as a word of `format`.
std::uint64_t another(Work& work, const Format& format) {
  const Tensor& from = *choose_numbers(work);
  const std::uint64_t word = from.get(place_below(from.element_count(), work.random));
  return from.format() == format ? word : number::convert(from.format(), word, format, {});
}

/// A format in which something of the case is rounded: an input's, the output's, the accumulator's.
const Format& draw_rounding_format(Work& work, const Tensor& tensor) {
  switch (work.random.below(3)) {
    case 0:
      return tensor.format();
    case 1:
      return number::format(operation::output_spec(work.value.operation).format);
    default:
      return number::format(work.request.contract.accumulate);
  }
}

/// The elements that a strategy makes for the case as it is.
operation::Case redrawn(Work& work) {
  const std::vector<generate::Strategy>& all = generate::strategies();
  const operation::Case& value = work.value;
  const std::string_view strategy = all[static_cast<std::size_t>(work.random.below(all.size()))].name;
  return generate::expand(work.request, {.strategy = std::string(strategy),
                                         .operation = value.operation,
                                         .layouts = value.layouts,
                                         .poison = value.poison,
                                         .schedule = value.schedule,
                                         .element_seed = work.random.next()});
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

bool copy_elements(Work& work) {
  Tensor* const to = choose_numbers(work);
  if (to == nullptr) return false;
  const Tensor from = *choose_numbers(work);
  const Format& format = to->format();
  std::int64_t at = place_below(from.element_count(), work.random);
  change(*to, draw_region(*to, work.random), [&](std::uint64_t) {
    const std::uint64_t word = from.get(at);
    at = (at + 1) % from.element_count();
    return from.format() == format ? word : number::convert(from.format(), word, format, {});
  });
  return true;
}

bool cancel_elements(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr) return false;
  const Format& format = tensor->format();
  const std::int64_t steps = work.random.one_in(2) ? work.random.between(-2, 2) : 0;
  change(*tensor, draw_region(*tensor, work.random),
         [&](std::uint64_t) { return stepped(format, negated(format, another(work, format)), steps); });
  return true;
}

bool tie_elements(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr || tensor->format().is_integer()) return false;
  const Format& format = tensor->format();
  const Format& rounded = draw_rounding_format(work, *tensor);
  const std::int64_t steps = work.random.one_in(2) ? work.random.between(-1, 1) : 0;
  bool any = false;
  change(*tensor, draw_region(*tensor, work.random), [&](std::uint64_t word) {
    const Decoded d = number::decode(format, another(work, format));
    if (!d.is_finite() || d.significand == 0) return word;
    any = true;
    const int leading = d.exponent + std::bit_width(d.significand) - 1;
    const bool negative = work.random.one_in(2);
    // Of a number in [2^e, 2^(e + 1)) the last place weighs 2^(e + 1 - p).
    return stepped(format, number::encode(format, negative, 1, leading - rounded.precision(), false, generate::kFinite),
                   steps);
  });
  return any;
}

bool swap_elements(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr || tensor->element_count() < 2) return false;
  const std::int64_t count = tensor->element_count();
  const std::int64_t length = work.random.one_in(2) ? 1 : 1 + place_below(count / 2, work.random);
  const std::int64_t first = place_below(count - 2 * length + 1, work.random);
  const std::int64_t second = work.random.between(first + length, count - length);
  for (std::int64_t i = 0; i < length; ++i) {
    const std::uint64_t word = tensor->get(first + i);
    tensor->set(first + i, tensor->get(second + i));
    tensor->set(second + i, word);
  }
  return true;
}

bool redirect_indices(Work& work) {
  const auto chosen = choose(work, true);
  if (!chosen) return false;
  Tensor& indices = *chosen->tensor;
  const std::uint64_t kind = work.random.below(4);
  const auto draw = [&]() -> std::uint64_t {
    if (kind == 0) return static_cast<std::uint64_t>(place_below(chosen->below, work.random));
    if (kind == 1) return indices.get(place_below(indices.element_count(), work.random));
    return kind == 2 ? 0 : static_cast<std::uint64_t>(chosen->below - 1);
  };
  const bool one_for_all = work.random.one_in(2);
  const std::uint64_t first = draw();
  change(indices, draw_region(indices, work.random), [&](std::uint64_t) { return one_for_all ? first : draw(); });
  return true;
}

bool redraw_one(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr) return false;
  operation::Case other = redrawn(work);
  for (auto& [name, elements] : work.value.tensors) {
    if (&elements == tensor) elements = std::move(other.tensors.at(name));
  }
  return true;
}

bool redraw_all(Work& work) {
  if (choose_numbers(work) == nullptr) return false;
  operation::Case other = redrawn(work);
  work.value.tensors = std::move(other.tensors);
  work.value.strategy = std::move(other.strategy);
  return true;
}

}  // namespace negzero::mutate
