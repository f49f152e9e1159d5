// What the parser of the command line knows of its commands, as data: help, the man page and completion are made of it.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

namespace negzero::cli {

/// A flag, or a word that a command takes by its position.
struct FlagDescription {
  std::vector<std::string> names;    ///< "-x", "--fail-fast"; none of a positional word
  std::string positional{};          ///< the name of a positional word; empty: it is a flag
  std::string value{};               ///< what follows the flag, as N or FILE; empty: nothing
  std::string help{};                ///< one paragraph
  std::vector<std::string> words{};  ///< all values that it takes, where those are known; empty: any
  bool is_required = false;
  bool takes_several = false;
  /// Whether names of kernels may be given for it.
  [[nodiscard]] bool takes_kernels() const;
  /// Whether paths may be given for it.
  [[nodiscard]] bool takes_paths() const;
};

struct CommandDescription {
  std::string name;  ///< empty: of the program itself
  std::string help;  ///< one paragraph
  std::string example{};
  std::vector<FlagDescription> flags{};  ///< in the order of the help text
};

/// The program and then its commands, without what their help hides.
[[nodiscard]] std::vector<CommandDescription> describe(const CLI::App& app);

/// Variables of the environment that the program reads, and what each does.
inline constexpr std::pair<std::string_view, std::string_view> kEnvironment[] = {
    {"NEGZERO_CACHE", "the folder of compiled files of CUDA [negzero in $XDG_CACHE_HOME, or in ~/.cache]"},
    {"NEGZERO_PYTHON", "the Python that runs modules of kernels [that of $VIRTUAL_ENV, else python3]"},
    {"NEGZERO_START_SECONDS", "how long a worker may take to start, in seconds [60]"},
    {"NO_COLOR", "not empty: no colours"},
};

/// {"commands": [{"name", "help", "example", "flags": [{"names", "positional", "value", "help", "words", "required",
/// "several"}]}], "environment": {name: help}}. The first command is the program itself, with an empty name.
[[nodiscard]] nlohmann::ordered_json description_json(const std::vector<CommandDescription>& commands);

/// The words of one_of(), which is how a flag says that it takes no others.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& words);

/// A text for a shell that completes command lines; `shell` is one of kShells.
inline const std::vector<std::string> kShells = {"bash", "zsh", "fish"};
[[nodiscard]] std::string completion(const std::vector<CommandDescription>& commands, const std::string& shell);

/// A page for `man`, in roff.
[[nodiscard]] std::string man_page(const std::vector<CommandDescription>& commands, const std::string& version,
                                   const std::string& exit_codes);

}  // namespace negzero::cli
