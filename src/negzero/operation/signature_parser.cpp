// From the text of a line to its names and its tree: recursive descent, one token ahead.

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/operation/signature_parser.hpp>

namespace negzero::operation {
namespace {

using Node = Expression::Kind;

/// Parentheses and brackets inside each other.
constexpr int kMostDepth = 8;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// base::Words with dots between them.
bool is_operation_name(std::string_view name) {
  char before = '.';
  for (const char c : name) {
    if (before == '.' ? !is_letter(c) : !is_word(c) && c != '.') return false;
    before = c;
  }
  return before != '.';
}

/// What went wrong first. Thrown inside this file only: a descent has no other way out that reads as short.
struct Mistake {
  std::string what;
};

/// The definition of a declared operation, with one space where a person would write one.
std::string definition_of(const Signature& signature) {
  const auto tensor_text = [&](const TensorSignature& tensor) {
    std::vector<std::string_view> extents;
    for (const std::size_t extent : tensor.extents) extents.emplace_back(signature.extents[extent]);
    std::string text = fmt::format("{}[{}]", tensor.name, fmt::join(extents, ", "));
    if (tensor.index_below) text += " < " + signature.extents[*tensor.index_below];
    if (tensor.counts_of) text += " <= " + signature.extents[*tensor.counts_of];
    return text + (tensor.is_ascending ? " ascending" : "");
  };
  std::vector<std::string> outputs, operands;
  for (const OutputSignature& output : signature.outputs)
    outputs.push_back(tensor_text(signature.tensors[output.tensor]));
  for (const Expression& leaf : signature.outputs.front().result.operands) {
    operands.push_back(leaf.kind == Node::Scalar ? signature.scalars[leaf.which].name
                                                 : tensor_text(signature.tensors[leaf.which]));
  }
  std::vector<std::string_view> each;
  for (const std::size_t extent : signature.each) each.emplace_back(signature.extents[extent]);
  return fmt::format("{} <-{}{}{}{}", fmt::join(outputs, ", "), operands.empty() ? "" : " ", fmt::join(operands, ", "),
                     each.empty() ? "" : " each ", fmt::join(each, ", "));
}

class Parser {
 public:
  explicit Parser(std::string_view line) : line_(line) {}

  Signature parse() {
    const std::size_t colon = line_.find(':');
    signature_.name = line_.substr(0, colon == std::string_view::npos ? 0 : colon);
    if (!is_operation_name(signature_.name)) throw Mistake{"expected a name and a colon before the definition"};
    at_ = colon + 1;
    skip();
    signature_.definition = line_.substr(at_);
    if (line_.find("<-") != std::string_view::npos) return declared();
    std::vector<TensorSignature> outputs{tensor(word("the output"), Role::Output)};
    binds_ = false;
    while (take(",")) {
      outputs.push_back(tensor(word("an output"), Role::Output));
      if (outputs.back().extents != outputs.front().extents) {
        fail(fmt::format("{} has other indices than {}", outputs.back().name, outputs.front().name));
      }
    }
    const std::size_t indices = signature_.tensors.size();  // of the left side: they come behind the inputs
    const bool is_through_indices = std::ranges::any_of(
        signature_.tensors, [](const TensorSignature& tensor) { return tensor.index_below.has_value(); });
    const std::optional<Combine> update = assignment();
    if (update.has_value() != is_through_indices)
      fail("an output through indices needs +=, max= or min=, and they need it,");
    if (update && outputs.size() > 1) fail("an update has one output,");
    if (update && signature_.has_counts()) fail("an output through indices has no counts,");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (i > 0) expect(",");
      earlier_ = signature_.tensors.size();
      Expression result = sum();
      signature_.outputs.push_back({.result = std::move(result), .combine = update});
    }
    if (at_ != line_.size()) fail("unexpected text");
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
  [[noreturn]] void fail(const std::string& what) const {
    throw Mistake{fmt::format("{} at '{}'", what, line_.substr(std::min(at_, line_.size())))};
  }
  void skip() {
    while (at_ < line_.size() && line_[at_] == ' ') ++at_;
  }
  bool take(std::string_view token) {
    if (!line_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    skip();
    return true;
  }
  bool take_word(std::string_view word) {
    const std::string_view rest = line_.substr(at_);
    if (!rest.starts_with(word) || (rest.size() > word.size() && is_word(rest[word.size()]))) return false;
    return take(word);
  }
  void expect(std::string_view token) {
    if (!take(token)) fail(fmt::format("expected '{}'", token));
  }
  std::string word(std::string_view what) {
    std::size_t end = at_;
    if (end < line_.size() && is_letter(line_[end])) {
      while (end < line_.size() && is_word(line_[end])) ++end;
    }
    if (end == at_) fail(fmt::format("expected {}", what));
    std::string found(line_.substr(at_, end - at_));
    at_ = end;
    skip();
    return found;
  }

  /// A line without a definition, behind its name: outputs, "<-", what they are made of.
  Signature declared() {
    signature_.is_declared = true;
    std::vector<TensorSignature> outputs;
    do {
      outputs.push_back(declared_tensor(word("an output"), Role::Output));
      if (outputs.back().counts_of) fail("an output is bounded by '<' alone,");
    } while (take(","));
    expect("<-");
    Expression operands{.kind = Node::Unknown};
    bool has_each = false;
    while (at_ != line_.size() && !(has_each = take_word("each"))) {
      if (!operands.operands.empty()) expect(",");
      std::string name = word("a tensor or a scalar");
      if (line_.substr(at_).starts_with("[")) {
        signature_.tensors.push_back(declared_tensor(std::move(name), Role::Input));
        operands.operands.push_back({.kind = Node::Tensor, .which = signature_.tensors.size() - 1});
      } else {
        operands.operands.push_back(new_scalar(std::move(name)));
      }
    }
    for (TensorSignature& output : outputs) {
      signature_.outputs.push_back({.tensor = signature_.tensors.size(), .result = operands});
      signature_.tensors.push_back(std::move(output));
    }
    if (has_each) read_each();
    check();
    check_declared();
    signature_.definition = definition_of(signature_);
    return std::move(signature_);
  }

  /// The extents behind "each", to the end of the line.
  void read_each() {
    do {
      const std::string name = word("an extent");
      const std::optional<std::size_t> known = signature_.find_extent(name);
      if (!known) fail(fmt::format("each {}: no tensor has that extent,", name));
      signature_.each.push_back(*known);
    } while (take(","));
    if (at_ != line_.size()) fail("unexpected text");
  }

  void check_declared() const {
    for (const TensorSignature& tensor : signature_.tensors) {
      for (const std::optional<std::size_t>& bound : {tensor.index_below, tensor.counts_of}) {
        if (!bound) continue;
        const std::string& extent = signature_.extents[*bound];
        if (std::ranges::count(tensor.extents, *bound) > 0) {
          throw Mistake{fmt::format("{} is bounded by {}, an extent of its own", tensor.name, extent)};
        }
        if (std::ranges::count(signature_.each, *bound) > 0) {
          throw Mistake{fmt::format("each {}: {} goes from one of its indices to another", extent, tensor.name)};
        }
      }
      for (const std::size_t each : signature_.each) {
        const auto times = std::ranges::count(tensor.extents, each);
        if (times == 1 || (times == 0 && tensor.role != Role::Output)) continue;
        throw Mistake{fmt::format("each {}: {} has it {}", signature_.extents[each], tensor.name,
                                  times == 0 ? "not, and every output must" : "more than once")};
      }
    }
  }

  TensorSignature declared_tensor(std::string name, Role role) {
    TensorSignature tensor{std::move(name), role};
    const auto extent = [&] {
      const std::string extent_name = word("an extent");
      const std::optional<std::size_t> known = signature_.find_extent(extent_name);
      return known ? *known : new_extent(extent_name);
    };
    expect("[");
    do tensor.extents.push_back(extent());
    while (take(","));
    expect("]");
    if (line_.substr(at_).starts_with("<-")) return tensor;
    if (take("<=")) {
      tensor.counts_of = extent();
    } else if (take("<")) {
      tensor.index_below = extent();
    } else {
      return tensor;
    }
    if (role == Role::Input) tensor.role = Role::Index;
    tensor.is_ascending = take_word("ascending");
    if (tensor.is_ascending && role == Role::Output) fail("an output may be in any order,");
    return tensor;
  }

  std::optional<Combine> assignment() {
    if (take("+=")) return Combine::Sum;
    if (take("max=")) return Combine::Max;
    if (take("min=")) return Combine::Min;
    expect("=");
    return std::nullopt;
  }

  /// An index where it first stands, with "<m" behind it or without; the place of its extent.
  std::size_t bind(const std::string& index) {
    if (indices_.contains(index)) fail(fmt::format("index {} appears twice before this", index));
    const bool is_named = line_.substr(at_).starts_with("<");
    const std::string name = is_named && take("<") ? word("an extent") : index;
    if (is_named && line_.substr(at_).starts_with("[")) return indices_[index] = bound_by_counts(name);
    const std::optional<std::size_t> known = signature_.find_extent(name);
    // Indices share an extent where both name it.
    if (known && (!is_named || own_.contains(*known))) fail(fmt::format("extent {} is another index's", name));
    const std::size_t place = known ? *known : new_extent(name);
    if (!is_named) own_.insert(place);
    return indices_[index] = place;
  }
  /// The extent of an index behind "<rows": "[g]<=capacity". No other index has that extent or the one of g, so that a
  /// tensor's shape says which of its dimensions they are.
  std::size_t bound_by_counts(std::string counts) {
    if (!binds_) fail("only an index of the output goes to below counts");
    TensorSignature tensor{std::move(counts), Role::Index};
    expect("[");
    do {
      const std::string outer = word("an index");
      const auto known = indices_.find(outer);
      if (known == indices_.end()) fail(fmt::format("index {} does not stand before this", outer));
      const auto shares = [&](const auto& other) { return other.second == known->second; };
      if (std::ranges::count_if(indices_, shares) > 1 || std::ranges::count(tensor.extents, known->second) > 0) {
        fail(fmt::format("extent {} is another index's", signature_.extents[known->second]));
      }
      own_.insert(known->second);
      tensor.extents.push_back(known->second);
    } while (take(","));
    expect("]");
    expect("<=");
    const std::string name = word("an extent");
    if (signature_.find_extent(name)) fail(fmt::format("extent {} is another index's", name));
    tensor.counts_of = new_extent(name);
    own_.insert(*tensor.counts_of);
    signature_.tensors.push_back(tensor);
    return *tensor.counts_of;
  }
  /// How far a reduction over `index` goes: where that is an index of the output, both have its extent.
  Reach reach(const std::string& index) {
    const std::size_t before = at_;
    const bool through = take("<=");
    if (through || take("<")) {
      const auto end = indices_.find(word("an index"));
      if (end != indices_.end()) {
        if (indices_.contains(index)) fail(fmt::format("index {} appears twice before this", index));
        indices_[index] = end->second;
        return through ? Reach::Through : Reach::Before;
      }
      if (through) fail("'<=' wants an index of the output, before this");
    }
    at_ = before;
    return Reach::All;
  }
  std::size_t use(const std::string& index) {
    if (line_.substr(at_).starts_with("<")) fail(fmt::format("index {} already has an extent", index));
    const auto known = indices_.find(index);
    if (known == indices_.end()) fail(fmt::format("index {} is neither the output's nor reduced over", index));
    used_.insert(index);
    return known->second;
  }
  std::size_t new_extent(const std::string& name) {
    signature_.extents.push_back(name);
    return signature_.extents.size() - 1;
  }
  void descend() {
    if (++depth_ > kMostDepth) fail(fmt::format("more than {} brackets inside each other", kMostDepth));
  }

  /// The indices of a tensor behind its name.
  TensorSignature tensor(std::string name, Role role) {
    TensorSignature result{std::move(name), role};
    expect("[");
    descend();
    do {
      const std::string index = word("an index");
      if (line_.substr(at_).starts_with("[")) {
        TensorSignature places = tensor(index, Role::Index);
        expect("<");
        const std::string extent = word("an extent");
        const std::optional<std::size_t> known = signature_.find_extent(extent);
        const auto is_counted = [&](const TensorSignature& counts) { return counts.counts_of == known; };
        if (known && std::ranges::any_of(signature_.tensors, is_counted)) {
          fail(fmt::format("extent {} is another index's", extent));
        }
        const std::size_t below = known ? *known : new_extent(extent);
        places.index_below = below;
        result.extents.push_back(below);
        signature_.tensors.push_back(std::move(places));
      } else {
        result.extents.push_back(binds_ ? bind(index) : use(index));
      }
    } while (take(","));
    expect("]");
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
    if (!line_.substr(at_).starts_with(sign)) return first;
    Expression result{.kind = kind};
    result.operands.push_back(std::move(first));
    while (take(sign)) result.operands.push_back(part());
    return result;
  }

  Expression factor() {
    std::string name = word("a tensor, a scalar or a reduction");
    if (take("(")) {
      Expression result{.kind = Node::Reduction, .combine = combine(name)};
      descend();
      const std::string index = word("an index");
      result.reach = reach(index);
      // A later result may go through what one before it went through.
      const bool goes_again = !signature_.outputs.empty() && reduced_.contains(index);
      result.which = goes_again ? use(index) : result.reach == Reach::All ? bind(index) : indices_[index];
      reduced_.insert(index);
      expect(":");
      result.operands.push_back(sum());
      expect(")");
      --depth_;
      if (!used_.contains(index)) fail(fmt::format("index {} is reduced over and not used", index));
      return result;
    }
    if (line_.substr(at_).starts_with("[")) {
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
  Expression new_scalar(std::string name) {
    const auto same = [&](const ScalarSignature& scalar) { return scalar.name == name; };
    if (std::ranges::any_of(signature_.scalars, same)) fail(fmt::format("scalar {} appears twice", name));
    signature_.scalars.push_back({std::move(name)});
    return {.kind = Node::Scalar, .which = signature_.scalars.size() - 1};
  }

  Combine combine(const std::string& word) const {
    for (int i = 0; i <= static_cast<int>(Combine::Argmin); ++i) {
      if (operation::name(static_cast<Combine>(i)) == word) return static_cast<Combine>(i);
    }
    fail(fmt::format("'{}' is no reduction (sum, mean, max, min, argmax, argmin)", word));
  }

  /// The tensors of the left side, which were the first `count`, have gone behind the others.
  void shift(Expression& node, std::size_t count) {
    if (node.kind == Node::Tensor) node.which -= count;
    for (Expression& operand : node.operands) shift(operand, count);
  }

  void check() {
    const auto most = [](std::size_t count, std::size_t limit, std::string_view what) {
      if (count > limit) throw Mistake{fmt::format("{} {}, and at most {} are allowed", count, what, limit)};
    };
    most(signature_.name.size(), kMostOperationName, "letters in the name");
    most(signature_.extents.size(), kMostExtents, "extents");
    most(signature_.tensors.size(), kMostTensors, "tensors");
    most(signature_.scalars.size(), kMostScalars, "scalars");
    for (const std::string& extent : signature_.extents)
      most(extent.size(), kMostTensorName, "letters in extent " + extent);
    for (const ScalarSignature& scalar : signature_.scalars) {
      most(scalar.name.size(), kMostTensorName, "letters in scalar " + scalar.name);
    }
    for (std::size_t i = 0; i < signature_.tensors.size(); ++i) {
      const TensorSignature& tensor = signature_.tensors[i];
      most(tensor.extents.size(), kMostDimensions, "dimensions of tensor " + tensor.name);
      most(tensor.name.size(), kMostTensorName, "letters in tensor " + tensor.name);
      const auto same = [&](const ScalarSignature& scalar) { return scalar.name == tensor.name; };
      if (*signature_.find_tensor(tensor.name) != i || std::ranges::any_of(signature_.scalars, same)) {
        throw Mistake{fmt::format("tensor {} appears twice", tensor.name)};
      }
    }
  }

  std::string_view line_;
  std::size_t at_ = 0;
  Signature signature_;
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
    return Parser(line).parse();
  } catch (const Mistake& mistake) {
    return base::usage_error(fmt::format("operation '{}': {}", line, mistake.what));
  }
}

}  // namespace negzero::operation
