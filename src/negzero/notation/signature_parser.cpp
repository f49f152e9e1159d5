// From the text of a line to its names and its tree: recursive descent, one token ahead. Here: lines with a definition.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <negzero/notation/line_parser.hpp>
#include <negzero/notation/signature_parser.hpp>

namespace negzero::notation {
namespace {

using Node = Expression::Kind;

/// Parentheses and brackets inside each other.
constexpr int kMostDepth = 8;

class DefinedParser : LineParser {
 public:
  DefinedParser(LineReader line, Signature named) : LineParser(line, std::move(named)) {}

  Signature parse() {
    std::vector<TensorSignature> outputs{tensor(line_.word("the output"), Role::Output)};
    binds_ = false;
    while (line_.take(",")) {
      outputs.push_back(tensor(line_.word("an output"), Role::Output));
      if (outputs.back().extents != outputs.front().extents) {
        line_.fail(fmt::format("{} has other indices than {}", outputs.back().name, outputs.front().name));
      }
    }
    const std::size_t indices = signature_.tensors.size();  // of the left side: they come behind the inputs
    const bool is_through_indices = std::ranges::any_of(
        signature_.tensors, [](const TensorSignature& tensor) { return tensor.index_below.has_value(); });
    const std::optional<Combine> update = assignment();
    if (update.has_value() != is_through_indices)
      line_.fail("an output through indices needs +=, max= or min=, and they need it,");
    if (update && outputs.size() > 1) line_.fail("an update has one output,");
    if (update && signature_.has_counts()) line_.fail("an output through indices has no counts,");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (i > 0) line_.expect(",");
      earlier_ = signature_.tensors.size();
      Expression result = sum();
      signature_.outputs.push_back({.result = std::move(result), .combine = update});
    }
    if (!line_.is_at_end()) line_.fail("unexpected text");
    auto& tensors = signature_.tensors;
    std::rotate(tensors.begin(), tensors.begin() + static_cast<std::ptrdiff_t>(indices), tensors.end());
    for (OutputSignature& output : signature_.outputs) shift(output.result, indices);
    if (update) {
      signature_.is_update = true;
      tensors.push_back(outputs.front());
      tensors.back().name = kInitial;
      tensors.back().role = Role::Initial;
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      signature_.outputs[i].tensor = tensors.size();
      tensors.push_back(std::move(outputs[i]));
    }
    check();
    return std::move(signature_);
  }

 private:
  std::optional<Combine> assignment() {
    if (line_.take("+=")) return Combine::Sum;
    if (line_.take("max=")) return Combine::Max;
    if (line_.take("min=")) return Combine::Min;
    line_.expect("=");
    return std::nullopt;
  }

  /// An index where it first stands, with "<m" behind it or without; the place of its extent.
  std::size_t bind(const std::string& index) {
    if (indices_.contains(index)) line_.fail(fmt::format("index {} appears twice before this", index));
    const bool is_named = line_.is_at("<");
    const std::string name = is_named && line_.take("<") ? line_.word("an extent") : index;
    if (is_named && line_.is_at("[")) return indices_[index] = bound_by_counts(name);
    const std::optional<std::size_t> known = signature_.find_extent(name);
    // Indices share an extent where both name it.
    if (known && (!is_named || own_.contains(*known))) line_.fail(fmt::format("extent {} is another index's", name));
    const std::size_t place = known ? *known : new_extent(name);
    if (!is_named) own_.insert(place);
    return indices_[index] = place;
  }
  /// The extent of an index behind "<rows": "[g]<=capacity". No other index has that extent or the one of g, so that a
  /// tensor's shape says which of its dimensions they are.
  std::size_t bound_by_counts(std::string counts) {
    if (!binds_) line_.fail("only an index of the output goes to below counts");
    note_tensor(counts);
    TensorSignature tensor{std::move(counts), Role::Index};
    line_.expect("[");
    do {
      const std::string outer = line_.word("an index");
      const auto known = indices_.find(outer);
      if (known == indices_.end()) line_.fail(fmt::format("index {} does not stand before this", outer));
      const auto shares = [&](const auto& other) { return other.second == known->second; };
      if (std::ranges::count_if(indices_, shares) > 1 || std::ranges::count(tensor.extents, known->second) > 0) {
        line_.fail(fmt::format("extent {} is another index's", signature_.extents[known->second]));
      }
      own_.insert(known->second);
      tensor.extents.push_back(known->second);
    } while (line_.take(","));
    line_.expect("]");
    line_.expect("<=");
    const std::string name = line_.word("an extent");
    if (signature_.find_extent(name)) line_.fail(fmt::format("extent {} is another index's", name));
    tensor.counts_of = new_extent(name);
    own_.insert(*tensor.counts_of);
    signature_.tensors.push_back(tensor);
    return *tensor.counts_of;
  }
  /// How far a reduction over `index` goes: where that is an index of the output, both have its extent.
  Reach reach(const std::string& index) {
    const std::size_t before = line_.place();
    const bool through = line_.take("<=");
    if (through || line_.take("<")) {
      const auto end = indices_.find(line_.word("an index"));
      if (end != indices_.end()) {
        if (indices_.contains(index)) line_.fail(fmt::format("index {} appears twice before this", index));
        indices_[index] = end->second;
        return through ? Reach::Through : Reach::Before;
      }
      if (through) line_.fail("'<=' wants an index of the output, before this");
    }
    line_.go_back_to(before);
    return Reach::All;
  }
  std::size_t use(const std::string& index) {
    if (line_.is_at("<")) line_.fail(fmt::format("index {} already has an extent", index));
    const auto known = indices_.find(index);
    if (known == indices_.end()) line_.fail(fmt::format("index {} is neither the output's nor reduced over", index));
    used_.insert(index);
    return known->second;
  }
  void descend() {
    if (++depth_ > kMostDepth) line_.fail(fmt::format("more than {} brackets inside each other", kMostDepth));
  }

  /// The indices of a tensor behind its name.
  TensorSignature tensor(std::string name, Role role) {
    note_tensor(name);
    TensorSignature result{std::move(name), role};
    line_.expect("[");
    descend();
    do {
      const std::string index = line_.word("an index");
      if (line_.is_at("[")) {
        TensorSignature places = tensor(index, Role::Index);
        line_.expect("<");
        const std::string extent = line_.word("an extent");
        const std::optional<std::size_t> known = signature_.find_extent(extent);
        const auto is_counted = [&](const TensorSignature& counts) { return counts.counts_of == known; };
        if (known && std::ranges::any_of(signature_.tensors, is_counted)) {
          line_.fail(fmt::format("extent {} is another index's", extent));
        }
        const std::size_t below = known ? *known : new_extent(extent);
        places.index_below = below;
        result.extents.push_back(below);
        signature_.tensors.push_back(std::move(places));
      } else {
        result.extents.push_back(binds_ ? bind(index) : use(index));
      }
    } while (line_.take(","));
    line_.expect("]");
    --depth_;
    return result;
  }

  Expression sum() {
    return joined(Node::Sum, "+", [this] { return product(); });
  }
  Expression product() {
    return joined(Node::Product, "*", [this] { return factor(); });
  }

  template <typename Part>
  Expression joined(Node kind, std::string_view sign, const Part& part) {
    Expression first = part();
    if (!line_.is_at(sign)) return first;
    Expression result{.kind = kind};
    result.operands.push_back(std::move(first));
    while (line_.take(sign)) result.operands.push_back(part());
    return result;
  }

  Expression factor() {
    std::string name = line_.word("a tensor, a scalar or a reduction");
    if (line_.take("(")) {
      Expression result{.kind = Node::Reduction, .combine = combine(name)};
      descend();
      const std::string index = line_.word("an index");
      result.reach = reach(index);
      // A later result may go through what one before it went through.
      const bool goes_again = !signature_.outputs.empty() && reduced_.contains(index);
      result.which = goes_again ? use(index) : result.reach == Reach::All ? bind(index) : indices_[index];
      reduced_.insert(index);
      line_.expect(":");
      result.operands.push_back(sum());
      line_.expect(")");
      --depth_;
      if (!used_.contains(index)) line_.fail(fmt::format("index {} is reduced over and not used", index));
      return result;
    }
    if (line_.is_at("[")) {
      // Behind the indices that stand in its brackets.
      TensorSignature found = tensor(std::move(name), Role::Input);
      for (std::size_t i = 0; i < earlier_ && !signature_.outputs.empty(); ++i) {
        const TensorSignature& known = signature_.tensors[i];
        if (known.role == Role::Input && known.name == found.name && known.extents == found.extents) {
          return {.kind = Node::Tensor, .which = i};
        }
      }
      signature_.tensors.push_back(std::move(found));
      return {.kind = Node::Tensor, .which = signature_.tensors.size() - 1};
    }
    return new_scalar(std::move(name));
  }
  Combine combine(const std::string& word) const {
    for (int i = 0; i <= static_cast<int>(Combine::Argmin); ++i) {
      if (notation::name(static_cast<Combine>(i)) == word) return static_cast<Combine>(i);
    }
    line_.fail(fmt::format("'{}' is no reduction (sum, mean, max, min, argmax, argmin)", word));
  }

  /// The tensors of the left side, which were the first `count`, have gone behind the others.
  void shift(Expression& node, std::size_t count) {
    if (node.kind == Node::Tensor) node.which -= count;
    for (Expression& operand : node.operands) shift(operand, count);
  }

  bool binds_ = true;        ///< in the first output: where indices first stand
  std::size_t earlier_ = 0;  ///< tensors that results before this one have, and the left side
  int depth_ = 0;
  std::map<std::string, std::size_t> indices_;  ///< the extent of each
  std::set<std::size_t> own_;                   ///< extents of one index alone
  std::set<std::string> used_;                  ///< indices of tensors right of the sign
  std::set<std::string> reduced_;               ///< indices that are reduced over
};

}  // namespace

base::Result<Signature> parse_line(std::string_view line) {
  try {
    const std::size_t colon = std::min(line.find(':'), line.size());
    Signature named;
    named.name = line.substr(0, colon);
    if (colon == line.size() || !is_operation_name(named.name)) {
      throw Mistake{"expected a name and a colon before the definition", 0};
    }
    const LineReader definition(line, colon + 1);
    named.definition = definition.rest();
    if (line.find("<-") != std::string_view::npos) return parse_declared(definition, std::move(named));
    return DefinedParser(definition, std::move(named)).parse();
  } catch (const Mistake& mistake) {
    const std::string column = mistake.at ? fmt::format(", column {}", *mistake.at + 1) : "";
    return base::usage_error(fmt::format("operation '{}'{}: {}", line, column, mistake.what));
  }
}

}  // namespace negzero::notation
