// What parsers of both kinds of lines share: the text, the signature that they make of it, and its limits.

#pragma once

#include <string>
#include <utility>

#include <negzero/notation/line_reader.hpp>
#include <negzero/notation/signature.hpp>

namespace negzero::notation {

class LineParser {
 protected:
  /// `named`: the signature with its name, of a line that is read from `line` on.
  LineParser(LineReader line, Signature named) : line_(line), signature_(std::move(named)) {}

  std::size_t new_extent(const std::string& name);
  /// The scalar of that name, as a leaf. Throws where it is there already.
  Expression new_scalar(std::string name);
  /// Throws where names are too long, things too many, or a name is there twice.
  void check() const;

  LineReader line_;
  Signature signature_;
};

/// Parses a line with "<-", a declared operation's. Throws a Mistake.
[[nodiscard]] Signature parse_declared(LineReader line, Signature named);

}  // namespace negzero::notation
