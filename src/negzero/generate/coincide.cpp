// Specials that meet: corresponding elements of several inputs with the same special, or with opposed ones.

#include <algorithm>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

using number::Format;

/// An input of floating-point numbers and its extents.
struct Input {
  std::size_t place;
  const std::vector<std::size_t>* extents;
};

std::vector<Input> inputs_of(const Work& work) {
  std::vector<Input> inputs;
  const auto& tensors = work.signature().tensors;
  for (std::size_t place = 0; place < tensors.size(); ++place) {
    const auto found = work.value.tensors.find(tensors[place].name);
    const bool is_input =
        tensors[place].role == notation::Role::Input || tensors[place].role == notation::Role::Initial;
    if (!is_input || found == work.value.tensors.end()) continue;
    if (found->second.element_count() > 0 && !found->second.format().is_integer()) {
      inputs.push_back({place, &tensors[place].extents});
    }
  }
  return inputs;
}

bool has(const std::vector<std::size_t>& extents, std::size_t extent) {
  return std::ranges::find(extents, extent) != extents.end();
}

std::vector<std::size_t> common_extents(const Input& a, const Input& b) {
  std::vector<std::size_t> common;
  for (const std::size_t e : *a.extents) {
    if (has(*b.extents, e) && !has(common, e)) common.push_back(e);
  }
  return common;
}

/// One of the specials that most often mean something of their own: an empty part, a masked one, an overflow.
std::uint64_t special_word(const Format& format, std::uint64_t kind, bool negative) {
  switch (kind) {
    case 0:
    case 1:
      return number::infinity(format, negative);
    case 2:
      return number::zero(format, negative);
    case 3:
      return number::max_finite(format, negative);
    case 4:
      return number::min_subnormal(format, negative);
    default:
      return number::canonical_nan(format);
  }
}

/// Sets elements whose index along `extents` is `at`: the first of them, or all.
void set_where(Work& work, const Input& input, const std::vector<std::size_t>& extents,
               const std::vector<std::int64_t>& at, std::uint64_t word, bool all) {
  tensor::Tensor& tensor = work.tensor(input.place);
  const std::vector<std::int64_t>& shape = tensor.shape();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    std::int64_t rest = i;
    bool is_there = true;
    for (std::size_t d = shape.size(); d-- > 0 && is_there; rest /= shape[d]) {
      const auto place = std::ranges::find(extents, (*input.extents)[d]) - extents.begin();
      is_there = place == std::ssize(extents) || rest % shape[d] == at[static_cast<std::size_t>(place)];
    }
    if (is_there) tensor.set(i, word);
    if (is_there && !all) return;
  }
}

}  // namespace

void coincide(Work& work, bool with_nan) {
  base::Random random = work.random.split(95);
  if (random.below(4) != 0) return;
  const std::vector<Input> inputs = inputs_of(work);
  // Pairs that share extents; those of one shape, two parts of one kind, twice.
  std::vector<std::pair<Input, Input>> pairs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (common_extents(inputs[i], inputs[j]).empty()) continue;
      pairs.emplace_back(inputs[j], inputs[i]);
      if (*inputs[i].extents == *inputs[j].extents) pairs.emplace_back(inputs[j], inputs[i]);
    }
  }
  if (pairs.empty()) return;
  const auto [first, second] = pairs[static_cast<std::size_t>(random.below(pairs.size()))];
  // The same index, or the same row, column or group.
  std::vector<std::size_t> extents = common_extents(first, second);
  if (extents.size() > 1 && random.below(4) == 0) {
    extents = {extents[static_cast<std::size_t>(random.below(extents.size()))]};
  }
  const bool all = random.below(2) == 0;
  for (std::uint64_t times = 1 + random.below(4); times > 0; --times) {
    std::vector<std::int64_t> at;
    for (const std::size_t e : extents) at.push_back(random.between(0, work.plan.operation.extents()[e] - 1));
    const std::uint64_t kind = random.below(with_nan ? 6 : 5);
    const bool negative = random.below(3) != 0, is_opposed = random.below(4) == 0;
    for (const Input& input : inputs) {
      const bool is_meant = input.place == first.place || input.place == second.place;
      const auto has_it = [&](std::size_t e) { return has(*input.extents, e); };
      if (!is_meant && (!std::ranges::all_of(extents, has_it) || random.below(4) != 0)) continue;
      const bool is_other = is_opposed && input.place != first.place;
      set_where(work, input, extents, at, special_word(work.tensor(input.place).format(), kind, negative != is_other),
                all);
    }
  }
}

}  // namespace negzero::generate
