// Text of strangers inside markup: names, printed output, messages, lines of source.

#pragma once

#include <string>
#include <string_view>

namespace negzero::report {

/// Text for the content and the quoted attributes of HTML and of XML 1.0: pure ASCII whatever the bytes are, so that no
/// mail program and no reader can take it for another encoding. Markup and what is not ASCII become character
/// references, a newline too (a reader of XML would make a space of one in an attribute), a tab becomes a space. What a
/// terminal would obey (base/printable.hpp), what is no UTF-8 and what XML forbids becomes '?'.
[[nodiscard]] std::string escape_markup(std::string_view text);

/// Text inside a line of Markdown, also of a table: a code element in which nothing has a meaning, neither Markdown's
/// (every character of it is a reference) nor the one that sites give to @names and #numbers outside code.
[[nodiscard]] std::string markdown_code(std::string_view text);

/// Text of several lines as a fenced block of Markdown, with a fence longer than any in the text.
[[nodiscard]] std::string markdown_block(std::string_view text);

/// A path for a URI reference (RFC 3986): every byte but unreserved characters and slashes becomes %XX. A relative path
/// whose first part holds a colon is still relative, because the colon is written %3A.
[[nodiscard]] std::string uri_path(std::string_view path);

}  // namespace negzero::report
