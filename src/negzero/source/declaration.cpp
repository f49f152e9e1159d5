// Turns the lines of a declaration into the JSON that programs declare their kernels by.

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/base/nearest.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/notation/signature.hpp>
#include <negzero/operation/limits_json.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/source/declaration.hpp>
#include <negzero/source/declaration_words.hpp>
#include <negzero/source/declared_fields.hpp>
#include <negzero/source/line_names.hpp>
#include <negzero/source/variants.hpp>

namespace negzero::source {
namespace {

using Json = nlohmann::ordered_json;

bool is_statement(std::string_view word) { return word == "launch" || word == "torch"; }

/// The lines of one declaration, by their words.
using Lines = std::vector<std::pair<std::string, Said>>;

class DeclarationOf {
 public:
  DeclarationOf(const Lines& lines, const std::string& file) : lines_(lines), file_(file) {}

  base::Result<Declaration> read() {
    Declaration result{.kernel = lines_.front().second.text, .line = lines_.front().second.line};
    const Said* operation = nullptr;
    for (const auto& [word, said] : lines_) {
      if (word == "operation") operation = &said;
      if (!is_statement(word)) continue;
      result.launch = said;
      result.is_of_tensors = word == "torch";
    }
    const std::string what = fmt::format("kernel '{}'", result.kernel);
    if (operation == nullptr) {
      return mistake(result.line, what +
                                      " has no operation: a name of `negzero list operations`, or a line of its own, "
                                      "operation NAME: y[n] <- x[n]");
    }
    if (result.launch.text.empty()) {
      return mistake(
          result.line,
          what +
              " has no launch: the C++ statement that calls it, launch k<<<GRID, BLOCK>>>(...); or that calls a "
              "function of an extension, torch y = f(x);");
    }
    const auto known = operation::signature_of(operation->text);
    if (!known) return mistake(operation->line, known.error().message);
    const notation::Signature& signature = **known;
    if (const auto why = wrong_names(signature)) return mistake(operation->line, *why);
    result.operation = signature.identity();
    Json json{{"name", result.kernel}, {"operation", result.operation}, {"shows", "all"}};
    DeclaredFields fields(signature, json);
    json["contract"] = Json::object();
    for (const auto& [word, said] : lines_) {
      if (word == "layout" && result.is_of_tensors) {
        return mistake(said.line, "tensors of torch are packed, so that there is no other layout");
      }
      try {
        if (word == "accept") {
          auto accepted = accepted_by(said);
          if (!accepted) return accepted.error();
          result.accepted.push_back(*std::move(accepted));
        }
        say(word, said.text, fields, json);
      } catch (const std::exception& wrong) {
        return mistake(said.line, wrong.what());
      }
    }
    if (!json.contains("formats")) fields.formats("{}");
    if (json.contains("reference") && !json["reference"].contains("kernel")) {
      return mistake(result.line, what +
                                      " has an error, a nan or a zero_signs line and no reference: name the kernel "
                                      "that values are compared with, reference NAME");
    }
    if (!signature.scalars.empty() && json["contract"].is_object() && !json["contract"].contains("scalar_format")) {
      json["contract"]["scalar_format"] = json["contract"].value("accumulate", "") == "I32" ? "I32" : "F32";
    }
    if (const std::string wrong = wrong_with(json, signature); !wrong.empty()) {
      return mistake(line_that_says(wrong, signature), what + ": " + wrong);
    }
    result.json = json.dump();
    return result;
  }

 private:
  /// What no case can fit; empty: nothing.
  static std::string wrong_with(const Json& json, const notation::Signature& signature) {
    operation::Limits limits = operation::limits_of(json.value("limits", Json::object()));
    limits.formats = operation::formats_of(json.value("formats", Json::array()), signature);
    const base::Status valid = operation::validate(limits, signature.identity());
    return valid ? "" : valid.error().message;
  }

  /// The first line from which on that is wrong.
  [[nodiscard]] std::size_t line_that_says(const std::string& wrong, const notation::Signature& signature) const {
    Json json = Json::object();
    DeclaredFields fields(signature, json);
    json["contract"] = Json::object();
    for (const auto& [word, said] : lines_) {
      say(word, said.text, fields, json);
      if (wrong_with(json, signature) == wrong) return said.line;
    }
    return lines_.front().second.line;
  }

  /// The entry of a ledger that an accept line is; its kernel is this one.
  [[nodiscard]] base::Result<verdict::LedgerEntry> accepted_by(const Said& said) const {
    Json entry{{"kernel", lines_.front().second.text}};
    entry.update(fields_of(said.text));
    const Json ledger{{"version", 1}, {"accepted", Json::array({entry})}};
    const auto parsed = verdict::parse_ledger(ledger.dump(), fmt::format("{}:{}", file_, said.line));
    if (!parsed) return parsed.error();
    return parsed->entries().front();
  }

  /// "launch, limits". Throws where it names anything else.
  static std::vector<std::string> guesses_of(std::string_view text) {
    std::vector<std::string> result;
    for (const std::string_view part : split(text, ',')) {
      const std::string word(trimmed(part));
      if (std::ranges::find(kernel::kMayBeGuessed, word) == kernel::kMayBeGuessed.end()) {
        throw Wrong(fmt::format("guessed: '{}'; {}there are {}", word,
                                base::did_you_mean(word, std::span(kernel::kMayBeGuessed)),
                                fmt::join(kernel::kMayBeGuessed, ", ")));
      }
      result.push_back(word);
    }
    return result;
  }

  /// Throws what is wrong with a line, before any code is made of it.
  static void say(const std::string& word, const std::string& text, DeclaredFields& fields, Json& json) {
    if (word == "about") json["about"] = text;
    if (word == "formats") fields.formats(text);
    if (word == "limits") fields.limits(text);
    if (word == "values") fields.values(text);
    if (word == "layout") fields.layout(text);
    if (word == "error") fields.error(text);
    if (word == "reference") json["reference"]["kernel"] = text;
    if (word == "nan") json["reference"]["nan"] = text;
    if (word == "guessed") json["guessed"] = guesses_of(text);
    if (word == "zero_signs") {
      json["reference"]["zero_signs"] = value_of(text);
      if (!json["reference"]["zero_signs"].is_boolean())
        throw Wrong(fmt::format("zero_signs: '{}' is not true or false", text));
    }
    if (word == "in_place") fields.in_place(text);
    if (word == "options") fields.options(text);
    if (word == "limits" || word == "values" || word == "layout" || word == "in_place" || word == "options") {
      (void)operation::limits_of(json["limits"]);
    }
    if (word != "contract") return;
    if (text.find('=') == std::string::npos && !text.starts_with('{')) {
      json["contract"] = text;
    } else {
      if (json["contract"].is_string())
        throw Wrong("contract: a preset takes no fields; write all fields, or it alone");
      json["contract"].update(fields_of(text));
    }
    const Json& said = json["contract"];
    if (const auto parsed = contract::parse(said.is_string() ? said.get<std::string>() : said.dump()); !parsed) {
      throw Wrong(parsed.error().message);
    }
  }

  [[nodiscard]] base::Error mistake(std::size_t line, const std::string& what) const {
    return base::usage_error(fmt::format("{}:{}: {}", file_, line, what));
  }

  const Lines& lines_;
  const std::string& file_;
};

}  // namespace

std::string declaration_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    constexpr std::string_view kMark = "negzero:";
    if (line.starts_with("//")) {
      line = trimmed(line.substr(2));
      if (line.starts_with(kMark)) {
        line.remove_prefix(kMark.size());
        // One blank parts the mark from the line; more go on with the line before.
        if (line.starts_with(' ')) line.remove_prefix(1);
        result += line;
      }
    }
    result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

base::Result<Declarations> read_declarations(std::string_view text, const std::string& file) {
  Declarations result;
  std::vector<Lines> blocks;
  std::size_t number = 0;
  const auto mistake = [&](const std::string& what) {
    return base::usage_error(fmt::format("{}:{}: {}", file, number, what));
  };
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string_view line = trimmed(whole);
    if (line.empty() || line.starts_with('#')) continue;
    const bool goes_on = whole.front() == ' ' || whole.front() == '\t';
    // C++ may have any bytes in its texts and comments; all else becomes JSON.
    const bool is_code = goes_on ? !blocks.empty() && is_statement(blocks.back().back().first)
                                 : is_statement(line.substr(0, line.find_first_of(" \t")));
    if (!is_code && !files::is_utf8(line)) return mistake("this line is no UTF-8; save the file as UTF-8");
    if (goes_on) {
      if (blocks.empty()) return mistake("this line goes on with the one before, and there is none");
      std::string& before = blocks.back().back().second.text;
      // A launch keeps its lines, so that places in it are right.
      before.append(is_statement(blocks.back().back().first) ? "\n" : " ").append(line);
      continue;
    }
    const std::string word(take_word(line));
    const DeclarationWord* const known = find_declaration_word(word);
    if (known == nullptr) {
      return mistake(fmt::format("no line of a declaration begins with '{}'; {}`negzero list declaration` shows them",
                                 word, base::did_you_mean(word, all_declaration_words())));
    }
    if (line.empty()) return mistake(fmt::format("{} says nothing", word));
    if (line.find("???") != std::string_view::npos) {
      return mistake(fmt::format("a ??? is still to be filled in: {} {}", word, line));
    }
    if (word == "include") {
      result.includes.emplace_back(line);
      continue;
    }
    if (word == "flags") {
      for (const std::string_view flag : split(line, ' ')) result.flags.emplace_back(flag);
      continue;
    }
    if (word == "kernel") {
      blocks.emplace_back();
    } else if (blocks.empty()) {
      return mistake("a declaration begins with: kernel NAME");
    } else if (!known->repeats) {
      const auto is_same = [&](const auto& said) {
        return said.first == word || (is_statement(said.first) && is_statement(word));
      };
      const auto before = std::ranges::find_if(blocks.back(), is_same);
      if (before != blocks.back().end()) {
        return mistake(fmt::format("kernel '{}' has a line of {} already, line {}", blocks.back().front().second.text,
                                   before->first, before->second.line));
      }
    }
    blocks.back().push_back(
        {word, {std::string(line), number, static_cast<std::size_t>(line.data() - whole.data()) + 1}});
  }
  for (const Lines& lines : blocks) {
    auto read = DeclarationOf(lines, file).read();
    if (!read) return read.error();
    auto variants = variants_of(*std::move(read));
    if (!variants) {
      number = lines.front().second.line;
      return mistake(variants.error().message);
    }
    std::ranges::move(*variants, std::back_inserter(result.kernels));
  }
  return result;
}

}  // namespace negzero::source
