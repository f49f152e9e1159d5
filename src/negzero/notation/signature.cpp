// What follows from a line once it is parsed: slots of formats, when an input is read, what is reduced and added.

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <negzero/notation/accesses.hpp>
#include <negzero/notation/signature.hpp>
#include <negzero/notation/signature_parser.hpp>

namespace negzero::notation {
namespace {

constexpr std::array<std::string_view, 6> kCombines{"sum", "mean", "max", "min", "argmax", "argmin"};

using Node = Expression::Kind;

template <typename List>
std::optional<std::size_t> place_of(const List& list, std::string_view name) noexcept {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if constexpr (requires { list[i].name; }) {
      if (list[i].name == name) return i;
    } else {
      if (list[i] == name) return i;
    }
  }
  return std::nullopt;
}

template <typename Visit>
void each_leaf(const Expression& node, const Visit& visit) {
  if (node.operands.empty()) visit(node);
  for (const Expression& operand : node.operands) each_leaf(operand, visit);
}

const Expression* reduction_in(const Expression& node) {
  if (node.kind == Node::Reduction) return &node;
  for (const Expression& operand : node.operands) {
    if (const Expression* found = reduction_in(operand)) return found;
  }
  return nullptr;
}

/// One term of the sum that the result is: what its scalar gates, and whether it is added to a reduction. Returns what
/// no signature has room for; empty: nothing.
std::string_view settle_term(Signature& signature, const Expression& term, bool is_only) {
  const Expression* const reduction = reduction_in(term);
  const bool is_addend = reduction == nullptr && !is_only, is_second = is_addend && signature.addend;
  std::optional<std::size_t> gate;
  std::size_t scalars = 0, tensors = 0;
  each_leaf(term, [&](const Expression& leaf) {
    if (leaf.kind == Node::Tensor) ++tensors;
    if (leaf.kind != Node::Scalar) return;
    ++scalars;
    gate = leaf.which;
    signature.scalars[leaf.which].is_addend = is_addend;
  });
  std::size_t inside = 0;
  if (reduction != nullptr) {
    each_leaf(*reduction, [&](const Expression& leaf) { inside += leaf.kind == Node::Scalar ? 1 : 0; });
  }
  if (inside > 0) return "a scalar stands inside a reduction";
  if (scalars > 1) return "a product has two scalars";
  each_leaf(term, [&](const Expression& leaf) {
    if (leaf.kind == Node::Tensor) signature.tensors[leaf.which].unread_at_zero = gate;
    if (leaf.kind == Node::Tensor && is_addend) signature.addend = leaf.which;
  });
  if (is_addend) return tensors != 1 || is_second ? "more than one tensor is added to the result" : "";
  if (!signature.factors.empty()) return "two reductions";
  if (reduction != nullptr && signature.is_update) return "an update of a reduction";
  const Expression& combined = reduction == nullptr ? term : reduction->operands.front();
  if (reduction != nullptr) {
    signature.reduced = reduction->which;
    signature.reach = reduction->reach;
  }
  each_leaf(combined, [&](const Expression& leaf) {
    if (leaf.kind == Node::Tensor) signature.factors.push_back(leaf.which);
  });
  return "";
}

/// What outputs are combined by. Returns a mistake; empty: none.
std::string_view settle_outputs(Signature& signature) {
  const Expression& first = signature.outputs.front().result;
  for (OutputSignature& output : signature.outputs) {
    if (signature.is_update) break;
    const Expression& result = output.result;
    const bool is_like_first = result.kind == Node::Reduction && result.which == first.which &&
                               result.reach == first.reach && result.operands == first.operands;
    if (signature.outputs.size() > 1 && !is_like_first) return "outputs are no reductions of the same terms";
    if (const Expression* const reduction = reduction_in(result)) output.combine = reduction->combine;
  }
  signature.combine = signature.outputs.front().combine;
  return "";
}

/// Whether what a tensor holds are places below an extent, or counts.
bool is_bounded(const TensorSignature& tensor) { return tensor.index_below || tensor.counts_of; }

void settle_formats(Signature& signature) {
  const auto slot = [&](TensorSignature& tensor) {
    tensor.format = signature.formats.size();
    signature.formats.push_back(tensor.name);
  };
  const auto is_combined = [&](const TensorSignature& tensor) {
    return signature.is_update && (tensor.role == Role::Initial || tensor.role == Role::Output);
  };
  const auto has_usual_format = [&](std::size_t tensor) {
    return tensor == signature.addend || is_bounded(signature.tensors[tensor]);
  };
  for (std::size_t i = 0; i < signature.tensors.size(); ++i) {
    if (!is_combined(signature.tensors[i]) && !has_usual_format(i)) slot(signature.tensors[i]);
  }
  signature.own_formats = signature.formats.size();
  for (std::size_t i = 0; i < signature.tensors.size(); ++i) {
    TensorSignature& tensor = signature.tensors[i];
    if (is_combined(tensor)) {
      tensor.format = signature.tensors[signature.factors.front()].format;
    } else if (has_usual_format(i)) {
      slot(tensor);
    }
  }
}

}  // namespace

std::string_view word_of(ScalarKind kind) noexcept {
  constexpr std::array<std::string_view, 3> kWords{"", "int", "bool"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view name(Combine combine) noexcept { return kCombines[static_cast<std::size_t>(combine)]; }

std::optional<std::size_t> Signature::find_extent(std::string_view wanted) const noexcept {
  return place_of(extents, wanted);
}
std::optional<std::size_t> Signature::find_tensor(std::string_view wanted) const noexcept {
  return place_of(tensors, wanted);
}
number::FormatId Signature::usual_format(std::size_t slot, std::span<const number::FormatId> said) const noexcept {
  if (holds_indices(slot)) return number::FormatId::I32;
  const std::size_t result = tensors[outputs.front().tensor].format;
  return slot >= own_formats && result < said.size() ? said[result] : number::FormatId::F32;
}
bool Signature::holds_indices(std::size_t slot) const noexcept {
  // A slot keeps its kind where its tensor is absent.
  for (const TensorSignature& tensor : family().tensors) {
    if (is_bounded(tensor) && tensor.format == slot) return true;
  }
  return std::ranges::any_of(outputs, [&](const OutputSignature& output) {
    return output.combine && gives_index(*output.combine) && tensors[output.tensor].format == slot;
  });
}
bool Signature::has_counts() const noexcept {
  return std::ranges::any_of(tensors, [](const TensorSignature& tensor) { return tensor.counts_of.has_value(); });
}

bool Signature::is_parameter(std::size_t extent) const noexcept {
  return std::ranges::none_of(family().tensors, [&](const TensorSignature& tensor) {
    return std::ranges::find(tensor.extents, extent) != tensor.extents.end() || tensor.index_below == extent ||
           tensor.counts_of == extent;
  });
}

Signature variant_of(const Signature& family, std::span<const std::string> absent) {
  Signature variant = family;
  if (absent.empty()) return variant;
  variant.whole = &family;
  std::vector<std::size_t> places;  // of the family's tensors among those that are left
  std::vector<bool> is_left;
  for (const TensorSignature& tensor : family.tensors) {
    places.push_back(static_cast<std::size_t>(std::ranges::count(is_left, true)));
    is_left.push_back(std::ranges::find(absent, tensor.name) == absent.end());
  }
  std::erase_if(variant.tensors,
                [&](const TensorSignature& tensor) { return !is_left[*family.find_tensor(tensor.name)]; });
  // What is reached by way of a tensor that is absent is not known: then all of the other one is.
  const auto is_absent = [&](std::string_view name) { return std::ranges::find(absent, name) != absent.end(); };
  std::erase_if(variant.accesses, [&](const Access& access) {
    return is_absent(access.tensor) || std::ranges::any_of(family.accesses, [&](const Access& other) {
             return other.tensor == access.tensor && std::ranges::any_of(tensors_of(other), is_absent);
           });
  });
  for (OutputSignature& output : variant.outputs) {
    output.tensor = places[output.tensor];
    std::vector<Expression>& operands = output.result.operands;
    std::erase_if(operands, [&](const Expression& leaf) { return leaf.kind == Node::Tensor && !is_left[leaf.which]; });
    for (Expression& leaf : operands) {
      if (leaf.kind == Node::Tensor) leaf.which = places[leaf.which];
    }
  }
  return variant;
}

base::Result<Signature> parse_signature(std::string_view line) {
  auto parsed = parse_line(line);
  if (!parsed) return parsed.error();
  Signature signature = std::move(*parsed);
  if (signature.is_declared) {
    settle_formats(signature);
    return signature;
  }
  const Expression result = signature.outputs.front().result;
  const bool is_sum = result.kind == Node::Sum;
  std::string_view mistake;
  for (const Expression& term : is_sum ? std::span(result.operands) : std::span(&result, 1)) {
    if (mistake.empty()) mistake = settle_term(signature, term, !is_sum);
  }
  if (mistake.empty()) mistake = settle_outputs(signature);
  if (mistake.empty() && signature.factors.empty()) mistake = "no tensor is reduced, combined or copied";
  if (!mistake.empty()) return base::usage_error(fmt::format("operation '{}': {}", line, mistake));
  if (signature.is_update) {
    signature.addend = signature.find_tensor(kInitial);
    signature.reduced = signature.tensors[signature.factors.front()].extents.back();
  }
  settle_formats(signature);
  return signature;
}

}  // namespace negzero::notation
