// What the commands share: standard output that is checked and kept clean, errors on one line, Ctrl-C, the executor.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/cli/color.hpp>
#include <negzero/cli/commands.hpp>

namespace negzero::cli {

/// Takes standard output for print() alone: whatever else writes to it from now on, a kernel's printf in this process
/// included, goes to standard error. Standard descriptors that were closed are filled, so that no file of ours gets
/// their numbers. A file that grows beyond the limit of `ulimit -f` is an error from now on, not the end of the
/// program. Called once, first.
void take_standard_output();
/// Undoes that for a program that takes the place of this one.
void give_back_standard_output();

/// Colours what print_text() writes, and standard error, where wants_color(); with `json` nothing. Nothing is coloured
/// before the first call.
void set_color(std::string_view word, bool json);

/// What the program is called in the lines that it tells the user to type; "negzero" until this is called.
void set_command(const std::string& command);
/// The text with `negzero WORD ...` and the usage and example of a help text as the user would have to type them. What
/// is printed by fail(), complain() and print_text() has gone through it.
[[nodiscard]] std::string as_called(std::string text);

/// Prints "negzero: message" on one line of standard error, with --json {"version", "error"} on standard output too.
/// Returns the error's exit code.
int fail(const base::Error& error, const Common& common);
/// The line on standard error alone: for errors that do not end a command.
void complain(const base::Error& error);

/// Writes a text for people to standard output as base::printable() makes it, since a strange file may have told what
/// it holds, each line in its style where there are colours. False (after a message on standard error, once) when it
/// cannot be written, as on a full disk.
[[nodiscard]] bool print_text(std::string_view text);
/// Writes a JSON document, or a part of one, to standard output as base::printable_json() makes it; false as
/// print_text().
[[nodiscard]] bool print_document(std::string_view text);

/// The options of Running, checked: an executor that is not here is Unavailable, an unknown --exact a usage error.
[[nodiscard]] base::Result<campaign::EvaluationOptions> evaluation_options(const Running& running);

/// Installs handlers for SIGINT, SIGTERM and SIGHUP; the function returned says whether one came. A second signal
/// ends the program at once, but not one that comes within half a second, as the second of `timeout` does. Standard
/// output that is closed early is an error from now on, not the end of the program.
[[nodiscard]] std::function<bool()> watch_interrupts();

/// Writes to standard error what cannot be written elsewhere: a standard error that is full or closed is no reason to
/// stop (a reader that went away, as `| head` does, closes it).
void tell(std::string_view text);
/// A line for standard error in that style, where it is coloured.
[[nodiscard]] std::string for_errors(const std::string& line, Style style);
/// One line of it, in the style of such a line; what a terminal would obey, which a strange path may hold, becomes
/// spaces.
void tell_line(const std::string& line);

}  // namespace negzero::cli
