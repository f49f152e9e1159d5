// Which elements of a tensor the line of an operation says that it reads or writes: its loops, run.

#include <algorithm>
#include <limits>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/index_words.hpp>
#include <negzero/operation/reached.hpp>

namespace negzero::operation {
namespace {

using notation::Access;
using notation::Loop;
using notation::Position;
using PositionKind = Position::Kind;

/// What is beyond 64 bits is at the end of them: no place, and an end that no index reaches.
std::optional<std::int64_t> computed(PositionKind kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const auto end = [](bool is_low) {
    return is_low ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
  };
  switch (kind) {
    case PositionKind::Add:
      return __builtin_add_overflow(a, b, &result) ? end(a < 0) : result;
    case PositionKind::Subtract:
      return __builtin_sub_overflow(a, b, &result) ? end(a < 0) : result;
    case PositionKind::Multiply:
      return __builtin_mul_overflow(a, b, &result) ? end((a < 0) != (b < 0)) : result;
    default:
      // Rounded down, as in formulas. Only what is positive is divided by.
      if (b <= 0) return std::nullopt;
      result = a / b - (a % b < 0 ? 1 : 0);
      if (kind == PositionKind::Modulo) result = a - result * b;
  }
  return result;
}

/// One clause, with names looked up.
class Walk {
 public:
  Walk(const Case& value, const Access& access, std::int64_t& steps, Reached& reached)
      : value_(value), access_(access), steps_(steps), reached_(reached) {
    for (const Loop& loop : access.loops) {
      Node from = loop.from ? node_of(*loop.from) : Node{};
      Node below = loop.below ? node_of(*loop.below) : Node{.number = extent(loop.name)};
      ends_.emplace_back(std::move(from), std::move(below));
      indices_.push_back(0);  // From here on its name is an index.
    }
    for (const Position& position : access.at) at_.push_back(node_of(position));
    shape_ = value.operation.shape_of(*value.operation.signature().find_tensor(access.tensor));
  }

  /// Returns whether it ended within the steps.
  bool run() { return run(0); }

 private:
  /// A position, its names replaced: by the number of a loop, or an extent's value.
  struct Node {
    PositionKind kind = PositionKind::Number;
    std::int64_t number = 0;
    const tensor::Tensor* elements = nullptr;
    bool has_none = false;
    std::vector<Node> operands{};
  };

  [[nodiscard]] std::int64_t extent(std::string_view name) const {
    return value_.operation.extents()[*value_.operation.signature().find_extent(name)];
  }

  [[nodiscard]] Node node_of(const Position& position) const {
    Node node{.kind = position.kind, .number = position.number};
    if (position.kind == PositionKind::Name) {
      const auto loop = std::ranges::find(access_.loops, position.name, &Loop::name) - access_.loops.begin();
      if (loop < std::ssize(indices_)) return {.kind = PositionKind::Name, .number = loop};
      return {.number = extent(position.name)};
    }
    if (position.kind == PositionKind::Element) {
      const notation::Signature& signature = value_.operation.signature();
      node.elements = &value_.tensors.at(position.name);
      node.has_none = signature.tensors[*signature.find_tensor(position.name)].words.has_none;
    }
    for (const Position& operand : position.operands) node.operands.push_back(node_of(operand));
    return node;
  }

  /// Row-major place in a shape; nothing outside it.
  [[nodiscard]] std::optional<std::int64_t> place(const std::vector<Node>& at,
                                                  const std::vector<std::int64_t>& shape) const {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const auto index = number_of(at[d]);
      if (!index || *index < 0 || *index >= shape[d]) return std::nullopt;
      place = place * shape[d] + *index;
    }
    return place;
  }

  [[nodiscard]] std::optional<std::int64_t> number_of(const Node& node) const {
    if (node.kind == PositionKind::Number) return node.number;
    if (node.kind == PositionKind::Name) return indices_[static_cast<std::size_t>(node.number)];
    if (node.kind == PositionKind::Element) {
      const auto at = place(node.operands, node.elements->shape());
      if (!at) return std::nullopt;
      const std::int64_t element = number::ordinal(node.elements->format(), node.elements->get(*at));
      return node.has_none && element == kNoIndex ? std::nullopt : std::optional(element);
    }
    const auto a = number_of(node.operands[0]), b = number_of(node.operands[1]);
    return a && b ? computed(node.kind, *a, *b) : std::nullopt;
  }

  bool run(std::size_t loop) {
    if (loop == ends_.size()) {
      if (const auto element = place(at_, shape_)) reached_[static_cast<std::size_t>(*element)] = true;
      return true;
    }
    const auto from = number_of(ends_[loop].first), below = number_of(ends_[loop].second);
    if (!from || !below) return true;
    for (std::int64_t i = *from; i < *below; ++i) {
      if (++steps_ > kMostSteps) return false;
      indices_[loop] = i;
      if (!run(loop + 1)) return false;
    }
    return true;
  }

  const Case& value_;
  const Access& access_;
  std::int64_t& steps_;
  Reached& reached_;
  std::vector<std::pair<Node, Node>> ends_{};  ///< of each loop
  std::vector<Node> at_{};
  std::vector<std::int64_t> indices_{}, shape_{};
};

/// Returns whether all clauses ended; nothing where there is none.
std::optional<bool> walk(const Case& value, std::string_view tensor, Reached& reached) {
  const notation::Signature& signature = value.operation.signature();
  std::optional<bool> ended;
  std::int64_t steps = 0;
  for (const Access& access : signature.accesses) {
    if (access.tensor != tensor || ended == false) continue;
    if (!ended) {
      const std::vector<std::int64_t> shape = value.operation.shape_of(*signature.find_tensor(tensor));
      reached.assign(static_cast<std::size_t>(tensor::count_elements(shape)), false);
    }
    ended = Walk(value, access, steps, reached).run();
  }
  return ended;
}

}  // namespace

std::optional<Reached> reached(const Case& value, std::string_view tensor) {
  Reached all;
  const std::optional<bool> ended = walk(value, tensor, all);
  if (!ended) return std::nullopt;
  if (!*ended) all.assign(all.size(), true);
  return all;
}

bool has_few_steps(const Case& value, std::string_view tensor) {
  Reached all;
  return walk(value, tensor, all).value_or(true);
}

}  // namespace negzero::operation
