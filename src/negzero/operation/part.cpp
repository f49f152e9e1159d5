// Part of a case: the same operation on only some of the indices of its extents.

#include <algorithm>
#include <cstring>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/index_words.hpp>
#include <negzero/operation/part.hpp>

namespace negzero::operation {
namespace {

using Indices = std::vector<std::int64_t>;

/// Copies elements of one tensor, row-major, dimension by dimension.
class Gatherer {
 public:
  Gatherer(const tensor::Tensor& from, const std::vector<const Indices*>& kept) : from_(from), kept_(kept) {
    strides_.resize(kept.size(), 1);
    for (std::size_t d = kept.size(); d-- > 1;) strides_[d - 1] = strides_[d] * from.shape()[d];
    while (whole_from_ > 0 && kept[whole_from_ - 1] == nullptr) --whole_from_;
  }

  void copy_to(tensor::Tensor& to) {
    to_ = to.bytes().data();
    copy(0, 0);
  }

 private:
  void copy(std::size_t d, std::int64_t first) {
    const auto extent = [&](std::size_t dimension) { return from_.shape()[dimension]; };
    if (d >= whole_from_) return block(first, d == 0 ? from_.element_count() : strides_[d - 1]);
    const Indices* const kept = kept_[d];
    const bool is_run = kept != nullptr && !kept->empty() && d + 1 >= whole_from_ &&
                        kept->back() - kept->front() + 1 == static_cast<std::int64_t>(kept->size());
    if (is_run) {
      return block(first + kept->front() * strides_[d], static_cast<std::int64_t>(kept->size()) * strides_[d]);
    }
    const std::int64_t count = kept != nullptr ? static_cast<std::int64_t>(kept->size()) : extent(d);
    for (std::int64_t i = 0; i < count; ++i) {
      copy(d + 1, first + (kept != nullptr ? (*kept)[static_cast<std::size_t>(i)] : i) * strides_[d]);
    }
  }

  void block(std::int64_t first, std::int64_t count) {
    const std::size_t size = from_.element_bytes();
    const std::byte* const source = from_.bytes().data() + static_cast<std::size_t>(first) * size;
    if (count == 1) {
      tensor::store_word(to_, size, tensor::load_word(source, size));
      to_ += size;
    } else if (count > 0) {
      std::memcpy(to_, source, static_cast<std::size_t>(count) * size);
      to_ += static_cast<std::size_t>(count) * size;
    }
  }

  const tensor::Tensor& from_;
  const std::vector<const Indices*>& kept_;
  std::vector<std::int64_t> strides_{};
  std::size_t whole_from_ = kept_.size();  ///< from this dimension on every index is kept
  std::byte* to_ = nullptr;
};

/// The updates that go to a destination that is kept, of those that are kept themselves.
Indices updates_to(const tensor::Tensor& index, const Indices& destinations, const std::optional<Indices>& updates) {
  Indices result;
  const auto take = [&](std::int64_t i) {
    if (std::ranges::binary_search(destinations, static_cast<std::int64_t>(index.get(i)))) result.push_back(i);
  };
  if (updates) {
    for (const std::int64_t i : *updates) take(i);
  } else {
    for (std::int64_t i = 0; i < index.element_count(); ++i) take(i);
  }
  return result;
}

/// A permutation of what is left: its elements keep their order.
void renumber_permutation(tensor::Tensor& indices) {
  const std::int64_t row = indices.shape().back();
  for (std::int64_t first = 0; first < indices.element_count(); first += row) {
    Indices sorted;
    for (std::int64_t i = first; i < first + row; ++i) sorted.push_back(static_cast<std::int64_t>(indices.get(i)));
    std::ranges::sort(sorted);
    for (std::int64_t i = first; i < first + row; ++i) {
      const auto below = std::ranges::lower_bound(sorted, static_cast<std::int64_t>(indices.get(i))) - sorted.begin();
      indices.set(i, static_cast<std::uint64_t>(below));
    }
  }
}

/// Indices and counts of what is left, in its own numbers: how many kept ones lie below, at most `most`. No index stays
/// none.
void renumber(tensor::Tensor& indices, const Indices& kept, std::int64_t most, const notation::IndexWords& words) {
  if (words.is_permutation) return renumber_permutation(indices);
  for (std::int64_t i = 0; i < indices.element_count(); ++i) {
    if (words.has_none && number::ordinal(indices.format(), indices.get(i)) == kNoIndex) continue;
    const auto below = std::ranges::lower_bound(kept, static_cast<std::int64_t>(indices.get(i))) - kept.begin();
    indices.set(i, static_cast<std::uint64_t>(std::clamp<std::int64_t>(below, 0, std::max<std::int64_t>(0, most))));
  }
}

}  // namespace

tensor::Tensor part_of(const notation::Signature& signature, std::size_t place, const tensor::Tensor& elements,
                       const Kept& kept) {
  std::vector<const Indices*> lists;
  std::vector<std::int64_t> shape = elements.shape();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto& list = kept[signature.tensors[place].extents[d]];
    lists.push_back(list ? &*list : nullptr);
    if (list) shape[d] = static_cast<std::int64_t>(list->size());
  }
  tensor::Tensor result(elements.format_id(), std::move(shape));
  Gatherer(elements, lists).copy_to(result);
  return result;
}

Case part_of(const Case& value, const Kept& asked) {
  const notation::Signature& signature = value.operation.signature();
  Kept kept = asked;
  for (const notation::TensorSignature& tensor : signature.tensors) {
    if (!signature.is_update || !tensor.index_below || !kept[*tensor.index_below]) continue;
    std::optional<Indices>& updates = kept[tensor.extents.front()];
    updates = updates_to(value.tensors.at(tensor.name), *kept[*tensor.index_below], updates);
  }
  Case part;
  part.operation = value.operation;
  part.poison = value.poison;
  part.schedule = value.schedule;
  part.in_place = value.in_place;
  for (std::size_t extent = 0; extent < signature.extents.size(); ++extent) {
    if (kept[extent]) part.operation.extents()[extent] = static_cast<std::int64_t>(kept[extent]->size());
  }
  for (std::size_t place = 0; place < signature.tensors.size(); ++place) {
    const notation::TensorSignature& tensor = signature.tensors[place];
    if (const auto layout = value.layouts.find(tensor.name); layout != value.layouts.end()) {
      tensor::Layout& cut = part.layouts[tensor.name] = layout->second;
      for (std::size_t d = 0; d < tensor.extents.size(); ++d) {
        if (kept[tensor.extents[d]]) cut.shape[d] = static_cast<std::int64_t>(kept[tensor.extents[d]]->size());
      }
    }
    const auto elements = value.tensors.find(tensor.name);
    if (elements == value.tensors.end()) continue;
    tensor::Tensor& cut =
        part.tensors.emplace(tensor.name, part_of(signature, place, elements->second, kept)).first->second;
    const auto& numbered = tensor.index_below ? tensor.index_below : tensor.counts_of;
    if (!numbered || !kept[*numbered]) continue;
    const auto count = static_cast<std::int64_t>(kept[*numbered]->size());
    renumber(cut, *kept[*numbered], tensor.index_below ? count - 1 : count, tensor.words);
  }
  for (const TensorSpec& spec : input_specs(part.operation)) {
    const auto indices = part.tensors.find(spec.name);
    if (spec.index_below && spec.words.any() && indices != part.tensors.end()) keep_words(spec, indices->second);
  }
  return part;
}

}  // namespace negzero::operation
