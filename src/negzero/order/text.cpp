// The order of a kernel's sums for people, as JSON, and as the line of a contract.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/order/drawing.hpp>
#include <negzero/order/text.hpp>

namespace negzero::order {

namespace {

bool has_tree(const AtLength& at) { return at.found.tree.has_value(); }

std::string formula_text(const Order& order) {
  const std::string counted = order.has_products ? ", a product's rounding counts 1" : "";
  const std::string formula = formula_of(order);
  if (formula.empty()) return "not found";
  if (!order.fit) {
    const char* const why = order.is_deterministic ? "no formula that was tried fits" : "not found";
    return fmt::format("{}; no order is deeper than {}{}", why, formula, counted);
  }
  if (order.fit->most_above == 0) return fmt::format("{}, at these lengths{}", formula, counted);
  return fmt::format("at most {}, which is up to {} above what was found{}", formula, order.fit->most_above, counted);
}

std::string order_text(const Order& order) {
  std::string text = order.is_deterministic ? "the same in each run" : "differs from run to run";
  if (order.is_deterministic && order.same_shape && order.lengths.size() > 1) {
    text += *order.same_shape ? "; a shorter sum is added as the first terms of a longer one"
                              : "; a shorter sum is added in another order than the first terms of a longer one";
  }
  for (const OtherShape& other : order.others) {
    text += fmt::format("\n       {} at {}", other.is_same ? "the same" : "another one", other.shape);
  }
  return text;
}

/// Whether some addition takes more than two terms. Those of tensor cores do, and truncate them: no depth bounds that.
bool has_steps(const Order& order) {
  return std::ranges::any_of(order.lengths,
                             [](const AtLength& at) { return has_tree(at) && at.found.tree->most_children() > 2; });
}

nlohmann::ordered_json line_of(const Order& order) {
  const std::string formula = formula_of(order);
  if (formula.empty()) return nullptr;
  if (!has_steps(order)) return {{"depth", formula}};
  if (!order.has_products) return nullptr;
  return {{"tensor_core", "only"}};
}

/// A term, or the places of the nodes that an addition takes.
nlohmann::ordered_json nodes_of(const Tree& tree) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const Tree::Node& node : tree.nodes()) {
    node.leaf >= 0 ? nodes.push_back(node.leaf) : nodes.push_back(node.children);
  }
  return nodes;
}

}  // namespace

std::string text_of(const Subject& subject) {
  const Order& order = subject.order;
  std::size_t width = order.length_name.size();
  for (const AtLength& at : order.lengths) width = std::max(width, fmt::format("{}", at.length).size());
  if (order.longer) width = std::max(width, fmt::format("{}", order.longer->length).size());
  std::string text = fmt::format("{}\n  {:>{}}  depth\n", subject.title, order.length_name, width);
  for (std::size_t i = 0; i < order.lengths.size(); ++i) {
    const AtLength& at = order.lengths[i];
    text += fmt::format("  {:>{}}  ", at.length, width);
    text += has_tree(at) ? fmt::format("{:>5}", at.depth) : fmt::format("    -  no tree: {}", at.found.problem);
    if (has_tree(at) && at.found.tree->most_children() > 2) {
      text += fmt::format("  up to {} terms at once", at.found.tree->most_children());
    }
    if (has_tree(at) && at.elements > 1) text += fmt::format("  the deepest of {} elements", at.elements);
    if (i < subject.shapes.size()) text += fmt::format("  ({})", subject.shapes[i]);
    text += "\n";
    if (!subject.with_trees || !has_tree(at)) continue;
    const std::string tree = drawn(*at.found.tree);
    for (std::size_t begin = 0; begin < tree.size();) {
      const std::size_t end = tree.find('\n', begin);
      text += "    " + tree.substr(begin, end - begin) + "\n";
      begin = end + 1;
    }
  }
  if (order.longer) {
    text += fmt::format("  {:>{}}  {:>5} at least, by some of its terms\n", order.longer->length, width,
                        order.longer->depth + (order.has_products ? 1 : 0));
  }
  text += fmt::format("depth: {}\norder: {}\n", formula_text(order), order_text(order));
  if (const auto line = line_of(order); !line.is_null()) {
    const char* const why = has_steps(order) ? " (tensor cores add several terms at once: `depth` is of two)" : "";
    text += fmt::format("contract: {}{}\n", line.dump(), why);
  }
  return text;
}

nlohmann::ordered_json json_of(const Subject& subject) {
  const Order& order = subject.order;
  using Json = nlohmann::ordered_json;
  Json lengths = Json::array();
  for (std::size_t i = 0; i < order.lengths.size(); ++i) {
    const AtLength& at = order.lengths[i];
    Json row{{"length", at.length},
             {"shape", i < subject.shapes.size() ? subject.shapes[i] : ""},
             {"depth", has_tree(at) ? Json(at.depth) : Json()},
             {"elements", at.elements},
             {"problem", at.found.problem},
             {"fused", has_tree(at) ? at.found.tree->most_children() : 0},
             {"sums", at.found.sums}};
    if (subject.with_trees) row["tree"] = has_tree(at) ? drawn(*at.found.tree) : "";
    if (subject.with_trees) row["nodes"] = has_tree(at) ? nodes_of(*at.found.tree) : Json::array();
    lengths.push_back(std::move(row));
  }
  Json formula;
  if (order.fit) {
    formula = {
        {"text", formula_of(order)}, {"is_exact", order.fit->most_above == 0}, {"most_above", order.fit->most_above}};
  }
  Json others = Json::array();
  for (const OtherShape& other : order.others) others.push_back({{"shape", other.shape}, {"is_same", other.is_same}});
  Json longer;
  if (order.longer) {
    longer = {{"length", order.longer->length}, {"depth_at_least", order.longer->depth + (order.has_products ? 1 : 0)}};
  }
  return {{"name", subject.title},
          {"length", order.length_name},
          {"has_products", order.has_products},
          {"lengths", std::move(lengths)},
          {"longer", std::move(longer)},
          {"formula", std::move(formula)},
          {"is_deterministic", order.is_deterministic},
          {"same_shape", order.same_shape ? Json(*order.same_shape) : Json()},
          {"other_shapes", std::move(others)},
          {"line", line_of(order)},
          {"sums", order.sums}};
}

}  // namespace negzero::order
