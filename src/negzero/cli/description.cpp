// Walks the parser's options.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/cli/description.hpp>

namespace negzero::cli {

namespace {

/// What the name of a validator begins with that knows all words.
constexpr std::string_view kOneOf = "one of ";

/// A help text is broken for a terminal; its reader here breaks it anew.
std::string paragraph(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::vector<std::string> words_of(const CLI::Option& option) {
  // The parser has no way to ask how many validators an option has.
  try {
    const std::string name = const_cast<CLI::Option&>(option).get_validator(0)->get_name();
    if (name.starts_with(kOneOf)) return split(std::string_view(name).substr(kOneOf.size()));
  } catch (const CLI::OptionNotFound&) {
  }
  return {};
}

FlagDescription flag_of(const CLI::Option& option) {
  FlagDescription flag;
  flag.help = paragraph(option.get_description());
  if (option.get_positional()) {
    flag.positional = option.get_name(true);
  } else {
    for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
    if (option.get_items_expected_max() > 0) flag.value = option.get_type_name();
  }
  flag.words = words_of(option);
  flag.is_required = option.get_required();
  flag.takes_several = flag.positional.empty() ? false : option.get_items_expected_max() > 1;
  return flag;
}

CommandDescription command_of(const CLI::App& app, const std::string& name) {
  constexpr std::string_view kExample = "Example: ";
  CommandDescription command{.name = name, .help = paragraph(app.get_description())};
  const std::string footer = app.get_footer();
  if (footer.starts_with(kExample))
    command.example = footer.substr(kExample.size(), footer.find('\n') - kExample.size());
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* each) { return !each->get_group().empty(); })) {
    command.flags.push_back(flag_of(*option));
  }
  return command;
}

}  // namespace

bool FlagDescription::takes_kernels() const {
  if (positional == "kernels" || positional == "globs") return true;
  return std::ranges::find(names, "--kernel") != names.end();
}

bool FlagDescription::takes_paths() const {
  if (!positional.empty()) return words.empty() && positional != "globs";
  return value == "FILE" || value == "DIR" || value == "PROGRAM";
}

std::vector<CommandDescription> describe(const CLI::App& app) {
  std::vector<CommandDescription> commands{command_of(app, "")};
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command_of(*each, each->get_name()));
  }
  return commands;
}

nlohmann::ordered_json description_json(const std::vector<CommandDescription>& commands) {
  using Json = nlohmann::ordered_json;
  Json document{{"commands", Json::array()}, {"environment", Json::object()}};
  for (const CommandDescription& command : commands) {
    Json flags = Json::array();
    for (const FlagDescription& flag : command.flags) {
      flags.push_back({{"names", flag.names},
                       {"positional", flag.positional},
                       {"value", flag.value},
                       {"help", flag.help},
                       {"words", flag.words},
                       {"required", flag.is_required},
                       {"several", flag.takes_several}});
    }
    document["commands"].push_back(
        {{"name", command.name}, {"help", command.help}, {"example", command.example}, {"flags", std::move(flags)}});
  }
  for (const auto& [name, help] : kEnvironment) document["environment"][std::string(name)] = help;
  return document;
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    return fmt::format("'{}' is none of the words known here: {}", text, fmt::join(words, ", "));
  };
  // Its description is empty, as the help text lists the words already; its name is for words_of().
  return CLI::Validator(check, "", fmt::format("{}{}", kOneOf, fmt::join(words, " ")));
}

}  // namespace negzero::cli
