// Prints formulas, replaces names in them, and computes their values.

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <negzero/formula/formula.hpp>

namespace negzero::formula {

using base::usage_error;

std::string Formula::to_string() const {
  struct Part {
    std::string text;
    int binds;  ///< how tightly: 0 a sum, 1 a product, 2 a number, a name or a call
  };
  std::vector<Part> parts;
  for (const Node& node : nodes_) {
    if (!is_operation(node.kind)) {
      parts.push_back({node.kind == Kind::Name ? node.name : fmt::format("{}", node.number), 2});
      continue;
    }
    const auto first = parts.end() - node.number;
    const auto bracketed = [](const Part& part, int binds) {
      return part.binds < binds ? fmt::format("({})", part.text) : part.text;
    };
    const auto call = [&](std::string_view name) {
      std::string text = fmt::format("{}({}", name, first->text);
      for (auto each = first + 1; each != parts.end(); ++each) text += ", " + each->text;
      return Part{text + ")", 2};
    };
    // Operators of one rank bind to the left.
    const auto joined = [&](char sign, int binds) {
      return Part{fmt::format("{} {} {}", bracketed(first[0], binds), sign, bracketed(first[1], binds + 1)), binds};
    };
    Part whole;
    switch (node.kind) {
      case Kind::Add:
        whole = joined('+', 0);
        break;
      case Kind::Subtract:
        whole = joined('-', 0);
        break;
      case Kind::Multiply:
        whole = joined('*', 1);
        break;
      case Kind::Divide:
        whole = joined('/', 1);
        break;
      case Kind::Modulo:
        whole = joined('%', 1);
        break;
      case Kind::CeilDiv:
        whole = call("ceil_div");
        break;
      case Kind::CeilLog2:
        whole = call("ceil_log2");
        break;
      case Kind::Min:
        whole = call("min");
        break;
      default:
        whole = call("max");
        break;
    }
    parts.erase(first, parts.end());
    parts.push_back(std::move(whole));
  }
  return parts.back().text;
}

std::vector<std::int64_t> Formula::numbers() const {
  std::vector<std::int64_t> numbers;
  for (const Node& node : nodes_) {
    if (node.kind == Kind::Number) numbers.push_back(node.number);
  }
  return numbers;
}

std::vector<std::string> Formula::names() const {
  std::vector<std::string> names;
  for (const Node& node : nodes_) {
    if (node.kind == Kind::Name && std::ranges::find(names, node.name) == names.end()) names.push_back(node.name);
  }
  return names;
}

std::optional<std::int64_t> Formula::constant() const {
  if (nodes_.size() != 1 || nodes_.front().kind != Kind::Number) return std::nullopt;
  return nodes_.front().number;
}

std::optional<std::string> Formula::name() const {
  if (nodes_.size() != 1 || nodes_.front().kind != Kind::Name) return std::nullopt;
  return nodes_.front().name;
}

Formula Formula::with(const Lookup& lookup) const {
  Formula result = *this;
  for (Node& node : result.nodes_) {
    if (node.kind != Kind::Name) continue;
    if (const auto value = lookup(node.name)) node = {Kind::Number, *value, {}};
  }
  return result;
}

base::Result<std::int64_t> Formula::value(const Lookup& lookup) const {
  std::vector<std::int64_t> values;
  const auto wrong = [&](std::string_view what) { return usage_error(fmt::format("{}: {}", to_string(), what)); };
  const auto floored = [](std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  };
  for (const Node& node : nodes_) {
    if (node.kind == Kind::Number) {
      values.push_back(node.number);
      continue;
    }
    if (node.kind == Kind::Name) {
      const auto value = lookup(node.name);
      if (!value) return wrong(fmt::format("{} has no value here", node.name));
      values.push_back(*value);
      continue;
    }
    const std::span<std::int64_t> operands(values.end() - node.number, values.end());
    const std::int64_t a = operands.front(), b = operands.back();
    const bool divides = node.kind == Kind::Divide || node.kind == Kind::Modulo || node.kind == Kind::CeilDiv;
    if (divides && b == 0) return wrong("division by 0");
    // The only quotient that 64 bits do not hold.
    bool is_beyond = divides && b == -1 && a == INT64_MIN;
    std::int64_t result = 0;
    switch (is_beyond ? Kind::Number : node.kind) {
      case Kind::Add:
        is_beyond = __builtin_add_overflow(a, b, &result);
        break;
      case Kind::Subtract:
        is_beyond = __builtin_sub_overflow(a, b, &result);
        break;
      case Kind::Multiply:
        is_beyond = __builtin_mul_overflow(a, b, &result);
        break;
      case Kind::Divide:
        result = floored(a, b);
        break;
      case Kind::Modulo:
        result = a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
        break;
      case Kind::CeilDiv:
        result = floored(a, b) + (a % b != 0 ? 1 : 0);
        break;
      case Kind::CeilLog2:
        while (result < 63 && (std::int64_t{1} << result) < a) ++result;
        break;
      case Kind::Min:
        result = std::ranges::min(operands);
        break;
      case Kind::Max:
        result = std::ranges::max(operands);
        break;
      default:
        break;
    }
    if (is_beyond) return wrong("the result exceeds 64 bits");
    values.erase(values.end() - node.number, values.end());
    values.push_back(result);
  }
  return values.back();
}

}  // namespace negzero::formula
