// Lines without a definition: what a declared operation takes and gives.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/notation/line_parser.hpp>

namespace negzero::notation {
namespace {

using Node = Expression::Kind;

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

class DeclaredParser : LineParser {
 public:
  DeclaredParser(LineReader line, Signature named) : LineParser(line, std::move(named)) {}

  /// Outputs, "<-", what they are made of.
  Signature parse() {
    signature_.is_declared = true;
    std::vector<TensorSignature> outputs;
    do {
      outputs.push_back(declared_tensor(line_.word("an output"), Role::Output));
      if (outputs.back().counts_of) line_.fail("an output is bounded by '<' alone,");
    } while (line_.take(","));
    line_.expect("<-");
    Expression operands{.kind = Node::Unknown};
    bool has_each = false;
    while (!line_.is_at_end() && !(has_each = line_.take_word("each"))) {
      if (!operands.operands.empty()) line_.expect(",");
      std::string name = line_.word("a tensor or a scalar");
      if (line_.is_at("[")) {
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

 private:
  /// The extents behind "each", to the end of the line.
  void read_each() {
    do {
      const std::string name = line_.word("an extent");
      const std::optional<std::size_t> known = signature_.find_extent(name);
      if (!known) line_.fail(fmt::format("each {}: no tensor has that extent,", name));
      signature_.each.push_back(*known);
    } while (line_.take(","));
    if (!line_.is_at_end()) line_.fail("unexpected text");
  }

  void check_declared() const {
    for (const TensorSignature& tensor : signature_.tensors) {
      for (const std::optional<std::size_t>& bound : {tensor.index_below, tensor.counts_of}) {
        if (!bound) continue;
        const std::string& extent = signature_.extents[*bound];
        if (std::ranges::count(tensor.extents, *bound) > 0) {
          fail_at(tensor, fmt::format("{} is bounded by {}, an extent of its own", tensor.name, extent));
        }
        if (std::ranges::count(signature_.each, *bound) > 0) {
          fail_at(tensor, fmt::format("each {}: {} goes from one of its indices to another", extent, tensor.name));
        }
      }
      for (const std::size_t each : signature_.each) {
        const auto times = std::ranges::count(tensor.extents, each);
        if (times == 1 || (times == 0 && tensor.role != Role::Output)) continue;
        fail_at(tensor, fmt::format("each {}: {} has it {}", signature_.extents[each], tensor.name,
                                    times == 0 ? "not, and every output must" : "more than once"));
      }
    }
  }

  TensorSignature declared_tensor(std::string name, Role role) {
    note_tensor(name);
    TensorSignature tensor{std::move(name), role};
    const auto extent = [&] {
      const std::string extent_name = line_.word("an extent");
      const std::optional<std::size_t> known = signature_.find_extent(extent_name);
      return known ? *known : new_extent(extent_name);
    };
    line_.expect("[");
    do tensor.extents.push_back(extent());
    while (line_.take(","));
    line_.expect("]");
    if (line_.is_at("<-")) return tensor;
    if (line_.take("<=")) {
      tensor.counts_of = extent();
    } else if (line_.take("<")) {
      tensor.index_below = extent();
    } else {
      return tensor;
    }
    if (role == Role::Input) tensor.role = Role::Index;
    tensor.is_ascending = line_.take_word("ascending");
    if (tensor.is_ascending && role == Role::Output) line_.fail("an output may be in any order,");
    return tensor;
  }
};

}  // namespace

Signature parse_declared(LineReader line, Signature named) { return DeclaredParser(line, std::move(named)).parse(); }

}  // namespace negzero::notation
