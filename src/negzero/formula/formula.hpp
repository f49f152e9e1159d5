// A whole number that a formula computes from named ones: "1 + ceil_div(k, 256) + 8".

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/base/result.hpp>

namespace negzero::formula {

inline constexpr std::size_t kMostText = 256;   ///< bytes of a formula
inline constexpr std::size_t kMostNested = 32;  ///< brackets within brackets

/// The value of a name, or nothing where it has none.
using Lookup = std::function<std::optional<std::int64_t>(std::string_view)>;

/// A formula of whole numbers in 64 bits.
///
///     sum    = product { ("+" | "-") product }
///     product = factor { ("*" | "/" | "%") factor }
///     factor = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
///
/// Names are letters, digits and _, a letter first. `/` rounds down and `%` is what it leaves, so that x = y * (x / y)
/// + x % y with 0 <= x % y < y for every y > 0. Functions: ceil_div(a, b) is a / b rounded up; ceil_log2(a) is the
/// least e >= 0 with 2^e >= a; min and max take two numbers or more. A name is a function only where "(" follows.
class Formula {
 public:
  /// Constant 0.
  Formula() : Formula(0) {}
  explicit Formula(std::int64_t constant) : nodes_{{Kind::Number, constant, {}}} {}

  /// The value of that name.
  [[nodiscard]] static Formula of(std::string name) {
    Formula formula;
    formula.nodes_ = {{Kind::Name, 0, std::move(name)}};
    return formula;
  }
  /// Usage errors name the column, counted from 1.
  [[nodiscard]] static base::Result<Formula> parse(std::string_view text);

  /// A formula at the start of a longer text.
  struct Prefix;
  /// Reads as far as the formula goes. `end` are the characters that it takes, with the spaces behind it; where there
  /// is none, `mistake` says what is wrong at `end`.
  [[nodiscard]] static Prefix parse_prefix(std::string_view text);

  /// Brackets only where they are needed. parse() of it gives the same formula.
  [[nodiscard]] std::string to_string() const;
  /// Each name once, in the order in which they first appear.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Each number that it has.
  [[nodiscard]] std::vector<std::int64_t> numbers() const;
  /// The number, where the formula is nothing else.
  [[nodiscard]] std::optional<std::int64_t> constant() const;
  /// The name, where the formula is nothing else.
  [[nodiscard]] std::optional<std::string> name() const;

  /// The formula with the names that `lookup` knows replaced by their values. Requires values of at least 0, as a
  /// formula has no negative numbers.
  [[nodiscard]] Formula with(const Lookup& lookup) const;
  /// Its value. Usage errors: a name without a value, a division by 0, a result beyond 64 bits.
  [[nodiscard]] base::Result<std::int64_t> value(const Lookup& lookup) const;

  friend bool operator==(const Formula&, const Formula&) = default;

 private:
  enum class Kind : std::uint8_t { Number, Name, Add, Subtract, Multiply, Divide, Modulo, CeilDiv, CeilLog2, Min, Max };
  /// In postfix order: a node's operands stand before it.
  struct Node {
    Kind kind;
    std::int64_t number = 0;  ///< the value of a Number; of an operation, how many operands
    std::string name{};
    friend bool operator==(const Node&, const Node&) = default;
  };
  class Parser;
  static constexpr bool is_operation(Kind kind) { return kind != Kind::Number && kind != Kind::Name; }

  std::vector<Node> nodes_;
};

struct Formula::Prefix {
  Formula formula{};
  std::size_t end = 0;
  std::string mistake{};  ///< empty: none
};

}  // namespace negzero::formula
