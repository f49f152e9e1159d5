// The man page, in the macros of man(7).

#include <string>
#include <string_view>

#include <fmt/format.h>

#include <negzero/cli/description.hpp>

namespace negzero::cli {

namespace {

/// A text in which roff obeys nothing. Dashes are the ones that people type.
std::string roff(std::string_view text) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\'') {
      result += "\\(aq";
    } else if (c == '`') {
      result += "\\(ga";
    } else if (c == '^') {
      result += "\\(ha";
    } else if (c == '~') {
      result += "\\(ti";
    } else {
      result += c;
    }
    begins_line = c == '\n';
  }
  return result;
}

/// "-x, --fail-fast", "--cases N", in bold but for the value.
std::string head(const FlagDescription& flag) {
  if (!flag.positional.empty()) return fmt::format("\\fI{}\\fR", roff(flag.positional));
  std::string text;
  for (const std::string& name : flag.names) text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", roff(name));
  return flag.value.empty() ? text : fmt::format("{} \\fI{}\\fR", text, roff(flag.value));
}

std::string flags_text(const CommandDescription& command) {
  std::string text;
  for (const FlagDescription& flag : command.flags) {
    text += fmt::format(".TP\n{}\n{}{}\n", head(flag), roff(flag.help), flag.is_required ? " (required)" : "");
  }
  return text;
}

std::string synopsis(const CommandDescription& command) {
  std::string words;
  for (const FlagDescription& flag : command.flags) {
    if (flag.positional.empty()) continue;
    const std::string word = fmt::format("\\fI{}\\fR{}", roff(flag.positional), flag.takes_several ? " ..." : "");
    words += flag.is_required ? " " + word : fmt::format(" [{}]", word);
  }
  return fmt::format("\\fBnegzero {}\\fR{} [\\fIflags\\fR]\n", roff(command.name), words);
}

}  // namespace

std::string man_page(const std::vector<CommandDescription>& commands, const std::string& version,
                     const std::string& exit_codes) {
  const CommandDescription& program = commands.front();
  const std::string about = program.help.substr(program.help.find(": ") + 2);
  std::string text = fmt::format(".TH NEGZERO 1 \"\" \"negzero {}\" \"User Commands\"\n", roff(version));
  text += fmt::format(".SH NAME\nnegzero \\- {}\n.SH SYNOPSIS\n", roff(about));
  for (std::size_t i = 1; i < commands.size(); ++i) text += (i > 1 ? ".br\n" : "") + synopsis(commands[i]);
  text += fmt::format(".SH OPTIONS\n{}.SH COMMANDS\n", flags_text(program));
  for (std::size_t i = 1; i < commands.size(); ++i) {
    const CommandDescription& command = commands[i];
    text += fmt::format(".SS negzero {}\n{}\n", roff(command.name), roff(command.help));
    if (!command.example.empty()) text += fmt::format(".PP\nExample:\n.PP\n.EX\n{}\n.EE\n", roff(command.example));
    text += flags_text(command);
  }
  text += fmt::format(".SH EXIT STATUS\n{}\n", roff(exit_codes));
  text += ".SH ENVIRONMENT\n";
  for (const auto& [name, help] : kEnvironment) text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(name), roff(help));
  return text;
}

}  // namespace negzero::cli
