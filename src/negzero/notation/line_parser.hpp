// What parsers of both kinds of lines share: the text, the signature that they make of it, and its limits.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <negzero/notation/line_reader.hpp>
#include <negzero/notation/signature.hpp>

namespace negzero::notation {

class LineParser {
 protected:
  /// `named`: the signature with its name, of a line that is read from `line` on.
  LineParser(LineReader line, Signature named) : line_(line), signature_(std::move(named)) {}

  std::size_t new_extent(const std::string& name) { return new_extent(name, line_.word_place()); }
  /// The same of a name at `place`, for messages.
  std::size_t new_extent(const std::string& name, std::size_t place);
  /// The place of a tensor, for messages. Requires that its name is the last word that was read.
  void note_tensor(const std::string& name) { tensor_places_[name] = line_.word_place(); }
  /// The scalar of that name, as a leaf. Throws where it is there already.
  Expression new_scalar(std::string name);
  /// Throws where names are too long, things too many, or a name is there twice.
  void check() const;
  /// Throws a mistake of a tensor that was noted.
  [[noreturn]] void fail_at(const TensorSignature& tensor, std::string what) const;

  LineReader line_;
  Signature signature_;

 private:
  std::vector<std::size_t> extent_places_, scalar_places_;  ///< where each of the signature's is first
  std::map<std::string, std::size_t> tensor_places_;        ///< where each is last
};

/// Parses a line with "<-", a declared operation's. Throws a Mistake.
[[nodiscard]] Signature parse_declared(LineReader line, Signature named);

}  // namespace negzero::notation
