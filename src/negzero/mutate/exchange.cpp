// Changes of elements by other elements, and by strategies.

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include <negzero/generate/words.hpp>
#include <negzero/mutate/elements.hpp>
#include <negzero/mutate/region.hpp>
#include <negzero/mutate/shape.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/optional.hpp>

namespace negzero::mutate {
namespace {

using number::Decoded;
using number::Format;
using tensor::Tensor;

/// The words of any input of numbers, one after another from one place, as words of `format`. They stay as they are
/// while the input changes. Requires such an input.
class Others {
 public:
  Others(Work& work, const Format& format)
      : from_(*choose_numbers(work)), format_(format), at_(place_below(from_.element_count(), work.random)) {}
  [[nodiscard]] std::uint64_t next() {
    const std::uint64_t word = from_.get(at_);
    at_ = (at_ + 1) % from_.element_count();
    return from_.format() == format_ ? word : number::convert(from_.format(), word, format_, {});
  }

 private:
  Tensor from_;
  const Format& format_;
  std::int64_t at_;
};

/// A format in which something of the case is rounded: an input's, the first output's, the accumulator's.
const Format& draw_rounding_format(Work& work, const Tensor& tensor) {
  switch (work.random.below(3)) {
    case 0:
      return tensor.format();
    case 1:
      return number::format(operation::output_specs(work.value.operation).front().format);
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
                                         .in_place = value.in_place,
                                         .poison = value.poison,
                                         .schedule = value.schedule,
                                         .element_seed = work.random.next()});
}

}  // namespace

bool copy_elements(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr) return false;
  Others others(work, tensor->format());
  change(*tensor, draw_region(*tensor, work.random), [&](std::uint64_t) { return others.next(); });
  return true;
}

bool cancel_elements(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr) return false;
  const Format& format = tensor->format();
  Others others(work, format);
  const std::int64_t steps = work.random.one_in(2) ? work.random.between(-2, 2) : 0;
  change(*tensor, draw_region(*tensor, work.random),
         [&](std::uint64_t) { return stepped(format, negated(format, others.next()), steps); });
  return true;
}

bool tie_elements(Work& work) {
  Tensor* const tensor = choose_numbers(work);
  if (tensor == nullptr || tensor->format().is_integer()) return false;
  const Format& format = tensor->format();
  const Format& rounded = draw_rounding_format(work, *tensor);
  Others others(work, format);
  const std::int64_t steps = work.random.one_in(2) ? work.random.between(-1, 1) : 0;
  bool any = false;
  change(*tensor, draw_region(*tensor, work.random), [&](std::uint64_t word) {
    const Decoded d = number::decode(format, others.next());
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
  const std::uint64_t kind = work.random.below(chosen->has_none ? 5 : 4);
  const auto draw = [&]() -> std::uint64_t {
    if (kind == 4) return indices.format().word_mask();  // -1
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

bool change_inputs(Work& work) {
  const notation::Signature& signature = work.value.operation.signature();
  const std::vector<std::string> inputs = operation::optional_inputs(signature);
  if (inputs.empty()) return false;
  const std::string& chosen = inputs[static_cast<std::size_t>(work.random.below(inputs.size()))];
  if (!operation::is_absent(signature, chosen)) {
    work.value = operation::without_input(work.value, chosen);
    return true;
  }
  operation::Operation fuller = work.value.operation;
  fuller.set_variant(operation::variant_with(
      signature, [&](const std::string& each) { return each == chosen || !operation::is_absent(signature, each); }));
  if (has_index_into_nothing(fuller) || !has_room(fuller, work.value.operation)) return false;
  reshape(work.value, fuller, work.request.limits);
  operation::Case other = redrawn(work);
  work.value.tensors.at(chosen) = std::move(other.tensors.at(chosen));
  return true;
}

}  // namespace negzero::mutate
