// Lines and columns of a text, and of what compilers say of it.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace negzero::source {

/// A place as compilers count it: both begin with 1, columns in bytes. Column 0: the whole line.
struct Place {
  std::size_t line = 0, column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

[[nodiscard]] Place place_of(std::string_view text, std::size_t at);
/// The character of a place; the end of its line where that is shorter, of the text where that is.
[[nodiscard]] std::size_t character_of(std::string_view text, Place place);
/// A line without its end.
[[nodiscard]] std::string_view line_of(std::string_view text, std::size_t line);

/// One line of a compiler: "FILE:LINE:COLUMN: error: what", or "FILE:LINE:COLUMN:   required from here".
struct Message {
  enum class Kind : unsigned char { Error, Note, Context };
  Kind kind = Kind::Error;
  std::string file;
  Place place{};
  std::string text;  ///< behind "error: "; of context all behind the place
};

/// The messages of g++, clang and the assembler, which inline PTX reaches, in what they print, in order. Warnings,
/// source lines and marks below them are left out. Errors about assembly say first that there is no PTX on the host.
[[nodiscard]] std::vector<Message> messages_in(std::string_view printed);

}  // namespace negzero::source
