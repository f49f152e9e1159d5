// Lines without a definition: what a declared operation takes and gives.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <negzero/notation/accesses.hpp>
#include <negzero/notation/index_words.hpp>
#include <negzero/notation/line_parser.hpp>
#include <negzero/notation/print.hpp>

namespace negzero::notation {
namespace {

using Node = Expression::Kind;

class DeclaredParser : LineParser {
 public:
  DeclaredParser(LineReader line, Signature named) : LineParser(line, std::move(named)) {}

  /// Outputs, "<-", what they are made of.
  Signature parse() {
    signature_.is_declared = true;
    std::vector<TensorSignature> outputs;
    do {
      std::string name = line_.word("an output");
      if (line_.is_at("?")) line_.fail(fmt::format("only an input may be missing; write {} without '?',", name));
      outputs.push_back(declared_tensor(std::move(name), Role::Output));
      if (outputs.back().counts_of) line_.fail("an output is bounded by '<' alone,");
    } while (line_.take(","));
    line_.expect("<-");
    Expression operands{.kind = Node::Unknown};
    bool has_each = false, has_relations = false;
    while (!line_.is_at_end() && !(has_each = line_.take_word("each")) && !is_at_access(operands.operands.empty()) &&
           !(has_relations = begins_relations(operands.operands.empty()))) {
      if (!operands.operands.empty()) line_.expect(",");
      std::string name = line_.word("a tensor or a scalar");
      const bool is_optional = takes_optional(name);
      if (line_.is_at("[")) {
        signature_.tensors.push_back(declared_tensor(std::move(name), Role::Input));
        signature_.tensors.back().is_optional = is_optional;
        operands.operands.push_back({.kind = Node::Tensor, .which = signature_.tensors.size() - 1});
      } else {
        operands.operands.push_back(new_scalar(std::move(name)));
        signature_.scalars.back().kind = scalar_kind();
      }
    }
    for (TensorSignature& output : outputs) {
      signature_.outputs.push_back({.tensor = signature_.tensors.size(), .result = operands});
      signature_.tensors.push_back(std::move(output));
    }
    if (has_each) has_relations = read_each();
    if (has_relations) read_relations();
    while (is_at_access(false)) {
      const bool writes = line_.take_word("writes") || !line_.take_word("reads");
      signature_.accesses.push_back(read_access(line_, signature_, writes));
    }
    if (!line_.is_at_end()) line_.fail("unexpected text");
    for (const TensorSignature& tensor : signature_.tensors) {
      for (Relation& relation : relations_of_words(signature_, tensor)) {
        signature_.relations.push_back(std::move(relation));
      }
    }
    check();
    check_declared();
    signature_.definition = definition_of(signature_);
    return std::move(signature_);
  }

 private:
  /// Goes past the '?' behind an input's name. Returns whether there is one.
  bool takes_optional(const std::string& name) {
    const std::size_t place = line_.place();
    if (!line_.take("?")) return false;
    if (!line_.is_at("[")) {
      throw Mistake{fmt::format("{0} is a scalar, and only a tensor may be missing; write {0}?[...], or {0}", name),
                    place};
    }
    const auto others = std::ranges::count(signature_.tensors, true, &TensorSignature::is_optional);
    if (static_cast<std::size_t>(others) < kMostOptional) return true;
    throw Mistake{fmt::format("{} optional inputs, and at most {} are allowed; write {} without '?'", others + 1,
                              kMostOptional, name),
                  place};
  }

  /// The word behind a scalar's name. A scalar may well be called int or bool itself.
  ScalarKind scalar_kind() {
    for (const ScalarKind kind : {ScalarKind::Integer, ScalarKind::Truth}) {
      if (line_.take_word(word_of(kind))) return kind;
    }
    return ScalarKind::Number;
  }

  /// The extents behind "each". Returns whether relations follow.
  bool read_each() {
    do {
      const std::string name = line_.word("an extent");
      const std::optional<std::size_t> known = signature_.find_extent(name);
      if (!known) line_.fail(fmt::format("each {}: no tensor has that extent,", name));
      signature_.each.push_back(*known);
    } while (line_.take(","));
    return line_.take_word("with");
  }

  /// Goes past "with" where relations follow. As the first operand it may be a tensor or a scalar of that name: then
  /// nothing that a relation begins with follows.
  bool begins_relations(bool is_first) {
    const std::size_t before = line_.place();
    if (!line_.take_word("with")) return false;
    if (!is_first || (!line_.is_at_end() && !line_.is_at(",") && !line_.is_at("["))) return true;
    line_.go_back_to(before);
    return false;
  }

  /// Whether "reads" or "writes" follows, and as the first operand behind it a name: else it is one of that name.
  [[nodiscard]] bool is_at_access(bool is_first) const {
    LineReader ahead = line_;
    if (!ahead.take_word("reads") && !ahead.take_word("writes")) return false;
    return !is_first || (!ahead.is_at_end() && !ahead.is_at(",") && !ahead.is_at("[") && !ahead.is_at("?"));
  }

  /// What follows "with". Names that are no extent yet are parameters.
  void read_relations() {
    do {
      const std::size_t begin = line_.place();
      Relation relation = line_.relation();
      for (const std::string& name : relation.names()) new_name(name, begin);
      signature_.relations.push_back(std::move(relation));
    } while (line_.take(","));
  }

  /// The extent of a name in a formula, which begins at `place`.
  void new_name(const std::string& name, std::size_t place) {
    if (!signature_.find_extent(name)) new_extent(name, place);
  }

  void check_declared() const {
    for (const TensorSignature& tensor : signature_.tensors) {
      for (const std::optional<std::size_t>& bound : {tensor.index_below, tensor.counts_of}) {
        if (!bound) continue;
        const std::string& extent = signature_.extents[*bound];
        if (bound == tensor.counts_of && std::ranges::count(tensor.extents, *bound) > 0) {
          fail_at(tensor, fmt::format("{} counts indices of {}, an extent of its own", tensor.name, extent));
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

  /// An extent, or a formula, which is one of its own.
  std::size_t extent_in_brackets(const TensorSignature& tensor) {
    const std::size_t begin = line_.place();
    if (line_.is_at_end() || line_.is_at("]") || line_.is_at(",")) line_.fail("expected an extent");
    const formula::Formula extent = line_.formula();
    if (const auto name = extent.name()) {
      const std::optional<std::size_t> known = signature_.find_extent(*name);
      return known ? *known : new_extent(*name, begin);
    }
    if (extent.names().empty() && extent.constant().value_or(0) < 1) {
      throw Mistake{fmt::format("expected an extent, not {}", extent.to_string()), begin};
    }
    for (const Relation& relation : signature_.relations) {
      if (relation.right == extent) return *signature_.find_extent(*relation.left.name());
    }
    const std::string name = fmt::format("{}_{}", tensor.name, tensor.extents.size());
    if (signature_.find_extent(name)) {
      throw Mistake{fmt::format("{} is also the name of {}", name, extent.to_string()), begin};
    }
    const std::size_t place = new_extent(name, begin);
    for (const std::string& each : extent.names()) new_name(each, begin);
    signature_.relations.push_back({.left = formula::Formula::of(name), .right = extent, .is_in_brackets = true});
    return place;
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
    do tensor.extents.push_back(extent_in_brackets(tensor));
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
    read_index_words(line_, signature_, tensor);
    return tensor;
  }
};

}  // namespace

Signature parse_declared(LineReader line, Signature named) { return DeclaredParser(line, std::move(named)).parse(); }

}  // namespace negzero::notation
