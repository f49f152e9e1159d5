// Reads the line of an operation word by word.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <negzero/formula/formula.hpp>
#include <negzero/notation/relation.hpp>

namespace negzero::notation {

/// What is wrong with a line, first. Thrown inside the parser only: a descent has no other way out that reads as short.
struct Mistake {
  std::string what;
  std::optional<std::size_t> at{};  ///< the character that is wrong, from 0; nothing where the whole line is
};

/// A place in a line. Spaces behind a token belong to it.
class LineReader {
 public:
  /// Begins at the first token from character `at` on.
  LineReader(std::string_view line, std::size_t at) : line_(line), at_(at) { skip(); }

  [[nodiscard]] std::string_view rest() const { return line_.substr(at_); }
  [[nodiscard]] bool is_at(std::string_view token) const { return rest().starts_with(token); }
  [[nodiscard]] bool is_at_end() const { return at_ == line_.size(); }
  [[nodiscard]] std::size_t place() const { return at_; }
  void go_back_to(std::size_t place) { at_ = place; }
  /// Where the last word() begins.
  [[nodiscard]] std::size_t word_place() const { return word_at_; }

  /// Throws a Mistake that says where.
  [[noreturn]] void fail(const std::string& what) const;
  /// Goes past a token if it is there.
  bool take(std::string_view token);
  /// The same of a whole word.
  bool take_word(std::string_view word);
  /// Goes past a token, or a word of letters, digits and underscores that begins with a letter. Throws where it is not
  /// there; `what` says what is expected.
  void expect(std::string_view token);
  std::string word(std::string_view what);
  /// Goes past a whole number. Throws where there is none, or one of 2^53 or more.
  std::int64_t number();
  /// Goes past a formula, or a relation. Throws where there is none, where a name does not begin with a letter, and
  /// where a relation has no name.
  formula::Formula formula();
  Relation relation();

 private:
  void skip();

  std::string_view line_;
  std::size_t at_;
  std::size_t word_at_ = 0;
};

/// Whether that is words (as above) with dots between them.
[[nodiscard]] bool is_operation_name(std::string_view name);

}  // namespace negzero::notation
