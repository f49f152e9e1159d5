// Completion for shells. bash and zsh share a table in the shell's own `case`; fish has a line a flag.

#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/cli/description.hpp>

namespace negzero::cli {

namespace {

/// What may be given there: "words a b", "files", "kernels", "kernels files", or "any", of which nothing is known.
std::string kind_of(const FlagDescription& flag) {
  if (!flag.words.empty()) return fmt::format("words {}", fmt::join(flag.words, " "));
  const bool kernels = flag.takes_kernels(), paths = flag.takes_paths();
  if (kernels) return paths ? "kernels files" : "kernels";
  return paths ? "files" : "any";
}

using Patterns = std::map<std::string, std::vector<std::string>>;

std::string rows(const Patterns& patterns) {
  std::string text;
  for (const auto& [kind, which] : patterns) {
    text += fmt::format("    {}) kind=\"{}\" ;;\n", fmt::join(which, "|"), kind);
  }
  return text;
}

/// A `case` that sets `kind` by "COMMAND:FLAG" or "COMMAND:POSITION"; `further` are patterns for all other positions.
std::string table(std::string_view function, const Patterns& patterns, const Patterns& further = {}) {
  return fmt::format("{}() {{\n  case \"$1\" in\n{}{}    *) kind= ;;\n  esac\n}}\n", function, rows(patterns),
                     rows(further));
}

/// The functions that bash and zsh have both.
std::string tables(const std::vector<CommandDescription>& commands) {
  Patterns values, words, further;
  std::string flags, names;
  for (const CommandDescription& command : commands) {
    std::string all;
    std::size_t position = 0;
    for (const FlagDescription& flag : command.flags) {
      for (const std::string& name : flag.names) {
        all += " " + name;
        if (!flag.value.empty()) values[kind_of(flag)].push_back(command.name + ":" + name);
      }
      if (flag.positional.empty()) continue;
      if (flag.takes_several) {
        further[kind_of(flag)].push_back(command.name + ":*");
      } else {
        words[kind_of(flag)].push_back(fmt::format("{}:{}", command.name, position));
      }
      ++position;
    }
    if (!command.name.empty()) names += " " + command.name;
    flags += fmt::format("    {}) flags=\"{}\" ;;\n", command.name.empty() ? "''" : command.name, all.substr(1));
  }
  words["words" + names].push_back(":0");
  return "# Sets kind: what follows a flag. Nothing: the flag takes no value.\n" + table("_negzero_value", values) +
         "# Sets kind: what a command takes at a position.\n" + table("_negzero_word", words, further) +
         "# Sets flags.\n_negzero_flags() {\n  case \"$1\" in\n" + flags + "    *) flags= ;;\n  esac\n}\n" +
         R"nz(# Names of kernels, as the program lists them; $1 is the program.
_negzero_kernels() {
  "$1" list kernels --json 2>/dev/null | sed -n 's/^      "name": "\(.*\)",$/\1/p'
}
)nz";
}

constexpr std::string_view kBash = R"nz(
_negzero() {
  local current="${COMP_WORDS[COMP_CWORD]}" before="" command="" position=0 kind flags word i offered=""
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    [ "$word" = "=" ] && continue
    if [ -n "$before" ]; then
      before=""
    elif [ "${word:0:1}" = "-" ]; then
      _negzero_value "$command:$word"
      [ -n "$kind" ] && before="$word"
    elif [ -z "$command" ]; then
      command="$word"
    else
      position=$((position + 1))
    fi
  done
  [ "$current" = "=" ] && current=""
  if [ -n "$before" ]; then
    _negzero_value "$command:$before"
  elif [ "${current:0:1}" = "-" ]; then
    _negzero_flags "$command"
    kind="words $flags"
  else
    _negzero_word "$command:$position"
  fi
  case "$kind" in words*) offered="${kind#words }" ;; esac
  case "$kind" in kernels*) offered="$(_negzero_kernels "${COMP_WORDS[0]}")" ;; esac
  for word in $offered; do
    case "$word" in "$current"*) COMPREPLY+=("$word") ;; esac
  done
  case "$kind" in files | "kernels files")
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
    ;;
  esac
  return 0
}
complete -F _negzero negzero
)nz";

constexpr std::string_view kZsh = R"nz(
_negzero() {
  local before="" command="" position=0 kind flags word i
  for ((i = 2; i < CURRENT; i++)); do
    word="${words[i]}"
    if [ -n "$before" ]; then
      before=""
    elif [[ "$word" = -* ]]; then
      _negzero_value "$command:$word"
      [ -n "$kind" ] && before="$word"
    elif [ -z "$command" ]; then
      command="$word"
    else
      position=$((position + 1))
    fi
  done
  if [ -n "$before" ]; then
    _negzero_value "$command:$before"
  elif [[ "${words[CURRENT]}" = -* ]]; then
    _negzero_flags "$command"
    kind="words $flags"
  else
    _negzero_word "$command:$position"
  fi
  case "$kind" in words*) compadd -- ${=kind#words } ;; esac
  case "$kind" in kernels*) compadd -- ${(f)"$(_negzero_kernels "${words[1]}")"} ;; esac
  case "$kind" in files | "kernels files") _files ;; esac
}
compdef _negzero negzero
)nz";

/// A text between single quotes of fish.
std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_line(const CommandDescription& command, const FlagDescription& flag) {
  std::string line = "complete -c negzero";
  line += command.name.empty() ? " -n __fish_use_subcommand"
                               : fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& name : flag.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  const std::string kind = kind_of(flag);
  if (kind.starts_with("words")) line += fmt::format(" -xa '{}'", fmt::join(flag.words, " "));
  if (kind.starts_with("kernels")) line += fmt::format(" {} '(__negzero_kernels)'", flag.names.empty() ? "-a" : "-xa");
  if (kind.ends_with("files")) line += flag.names.empty() ? " -F" : " -rF";
  if (kind == "any" && !flag.value.empty()) line += " -x";
  return line + (flag.names.empty() ? "" : " -d " + fish_quoted(flag.help.substr(0, flag.help.find_first_of(";:[(")))) +
         "\n";
}

std::string fish(const std::vector<CommandDescription>& commands) {
  std::string text =
      "function __negzero_kernels\n"
      "  negzero list kernels --json 2>/dev/null | string replace -rf '^      \"name\": \"(.*)\",$' '$1'\n"
      "end\n"
      "complete -c negzero -f\n";
  for (const CommandDescription& command : commands) {
    if (!command.name.empty()) {
      text += fmt::format("complete -c negzero -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          fish_quoted(command.help.substr(0, command.help.find_first_of(";:["))));
    }
    for (const FlagDescription& flag : command.flags) text += fish_line(command, flag);
  }
  return text;
}

}  // namespace

std::string completion(const std::vector<CommandDescription>& commands, const std::string& shell) {
  if (shell == "fish") return "# fish completion of negzero\n" + fish(commands);
  if (shell == "zsh") return "#compdef negzero\n" + tables(commands) + std::string(kZsh);
  return "# bash completion of negzero\n" + tables(commands) + std::string(kBash);
}

}  // namespace negzero::cli
