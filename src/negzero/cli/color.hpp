// Colours of lines on a terminal: one table of what begins a line decides.
//
// Writers know nothing of colours, so that no file and no document can hold any. A line gets its colour here, after
// base::printable() has taken out of it what a terminal would obey.

#pragma once

#include <string>
#include <string_view>

namespace negzero::cli {

/// What a line says.
enum class Style : unsigned char {
  Plain,
  Finding,    ///< the heading of a finding, counts with a failure, an error: red
  Warning,    ///< yellow
  Pass,       ///< green
  Secondary,  ///< where files are, what to paste, why a rule is right, progress: dim
};

/// The style of a line of ours, without its newline.
[[nodiscard]] Style style_of(std::string_view line);

/// The line as a terminal shows it in that style; an empty one stays empty.
[[nodiscard]] std::string styled(std::string_view line, Style style);

/// Each line of a text in its own style.
[[nodiscard]] std::string colored(std::string_view text);

/// Whether to colour, by a word of --color: "always", "never", or "auto", which is a terminal that knows colours (TERM
/// is not "dumb") and a user who has not set NO_COLOR to anything (https://no-color.org).
[[nodiscard]] bool wants_color(std::string_view word, bool is_terminal);

}  // namespace negzero::cli
