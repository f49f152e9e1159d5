// Drawing where a change takes place.

#include <algorithm>
#include <vector>

#include <negzero/mutate/region.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::mutate {

using number::Format;
using tensor::Tensor;

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

std::optional<Chosen> choose(Work& work, bool indices) {
  std::vector<Chosen> all;
  for (const operation::TensorSpec& spec : operation::input_specs(work.value.operation)) {
    Tensor& tensor = work.value.tensors.at(spec.name);
    if (tensor.element_count() > 0 && spec.index_below.has_value() == indices) {
      all.push_back({&tensor, spec.index_below.value_or(0), spec.words.has_none});
    }
  }
  if (all.empty()) return std::nullopt;
  return all[static_cast<std::size_t>(work.random.below(all.size()))];
}

Tensor* choose_numbers(Work& work) {
  const auto chosen = choose(work, false);
  return chosen ? chosen->tensor : nullptr;
}

std::uint64_t negated(const Format& format, std::uint64_t word) {
  return format.is_integer() ? number::detail::integer_word(format, true, word) : word ^ format.sign_mask();
}

std::uint64_t stepped(const Format& format, std::uint64_t word, std::int64_t steps) {
  for (; steps > 0; --steps) word = number::next_up(format, word);
  for (; steps < 0; ++steps) word = number::next_down(format, word);
  return word;
}

}  // namespace negzero::mutate
