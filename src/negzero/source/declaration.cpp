// Turns the lines of a declaration into the JSON that programs declare their kernels by.

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/base/nearest.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/operation/signature.hpp>
#include <negzero/source/declaration.hpp>

namespace negzero::source {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kWords[] = {"kernel",     "operation", "about",     "formats", "limits",
                                       "layout",     "contract",  "reference", "error",   "nan",
                                       "zero_signs", "in_place",  "launch",    "flags",   "include"};

/// What is wrong with what a line says; its place is put before it.
using Wrong = std::invalid_argument;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// Takes what is before the first of `signs` from the text.
std::string_view take_word(std::string_view& text, std::string_view signs = " \t") {
  const std::size_t end = std::min(text.find_first_of(signs), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(std::min(end + 1, text.size())));
  return word;
}

std::vector<std::string_view> split(std::string_view text, char sign) {
  std::vector<std::string_view> parts;
  while (!text.empty()) parts.push_back(trimmed(take_word(text, std::string_view(&sign, 1))));
  return parts;
}

/// A number or a truth value as such, everything else as text.
Json value_of(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::string(text);
  return Json::parse(text, nullptr, false).is_number() ? Json::parse(text) : Json(number);
}

std::int64_t integer_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    throw Wrong(fmt::format("'{}' is no whole number", text));
  return number;
}

/// "{...}" as it is, or "field=value field=value".
Json fields_of(std::string_view text) {
  if (text.starts_with('{')) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) throw Wrong(fmt::format("'{}' is no JSON", text));
    return json;
  }
  Json json = Json::object();
  while (!text.empty()) {
    std::string_view pair = take_word(text);
    const std::size_t sign = pair.find('=');
    if (sign == std::string_view::npos || sign == 0)
      throw Wrong(fmt::format("'{}' is not of the form FIELD=VALUE", pair));
    json[pair.substr(0, sign)] = value_of(pair.substr(sign + 1));
  }
  return json;
}

class Reader {
 public:
  Reader(const operation::Signature& signature, Json& json) : signature_(signature), json_(json) {}

  void formats(std::string_view text) {
    if (!text.starts_with('[')) {
      json_["formats"] = Json::array({fields_of(text)});
      return;
    }
    Json list = Json::parse(text, nullptr, false);
    if (list.is_discarded() || list.size() != 1) {
      throw Wrong("formats is one combination: the launch has one type for each pointer; declare a kernel for each");
    }
    json_["formats"] = std::move(list);
  }

  /// "m % 64, k <= 512, batch = 1, columns power_of_two, m = n, beta = zero, k tiles 32 64", or JSON.
  void limits(std::string_view text) {
    if (text.starts_with('{')) {
      json_["limits"].update(fields_of(text));
      return;
    }
    for (const std::string_view part : split(text, ',')) limit(part);
  }

  /// "ORDER" for all tensors, or "TENSOR ORDER" for one.
  void layout(std::string_view text) {
    std::string_view order = text;
    const std::string_view tensor = take_word(order);
    if (order.empty()) {
      for (const char* which : {"inputs", "output"}) json_["limits"][which] = layout_of(tensor);
    } else if (signature_.find_tensor(tensor)) {
      json_["limits"]["tensors"][std::string(tensor)] = layout_of(order);
    } else {
      throw Wrong(fmt::format("layout: the operation has no tensor called '{}'", tensor));
    }
  }

  /// "y ulps=4 relative=1e-6" or "y any".
  void error(std::string_view text) {
    const std::string_view output = take_word(text);
    if (output.empty() || text.empty()) throw Wrong("error is of the form OUTPUT ulps=N relative=X, or OUTPUT any");
    json_["reference"]["errors"][std::string(output)] = text == "any" ? Json("any") : fields_of(text);
  }

 private:
  void limit(std::string_view part) {
    std::string_view rest = part;
    const std::string name(take_word(rest, " \t%<>="));
    const std::size_t name_end = name.size();
    rest = trimmed(part.substr(name_end));
    const bool is_scalar = std::ranges::any_of(signature_.scalars, [&](const auto& each) { return each.name == name; });
    if (!is_scalar && !signature_.find_extent(name)) {
      throw Wrong(fmt::format("limits: the operation has no extent and no scalar called '{}'", name));
    }
    const auto take = [&](std::string_view sign) {
      if (!rest.starts_with(sign)) return false;
      rest = trimmed(rest.substr(sign.size()));
      return true;
    };
    if (is_scalar) return scalar_limit(name, part, take, rest);
    const auto extent = [&]() -> Json& { return json_["limits"]["extents"][name]; };
    if (take("%")) {
      extent()["multiple"] = integer_of(rest);
    } else if (take("<=")) {
      extent()["greatest"] = integer_of(rest);
    } else if (take(">=")) {
      extent()["least"] = integer_of(rest);
    } else if (take("=")) {
      if (signature_.find_extent(rest)) {
        json_["limits"]["equal"].push_back({name, rest});
      } else {
        extent()["least"] = extent()["greatest"] = integer_of(rest);
      }
    } else if (rest == "power_of_two") {
      extent()["power_of_two"] = true;
    } else if (take("tiles")) {
      for (const std::string_view tile : split(rest, ' ')) extent()["tiles"].push_back(integer_of(tile));
    } else {
      throw Wrong(fmt::format(
          "limits: '{}' is none of EXTENT % N, <= N, >= N, = N, = EXTENT, power_of_two, tiles N ...", part));
    }
  }

  template <typename Take>
  void scalar_limit(const std::string& name, std::string_view part, const Take& take, const std::string_view& rest) {
    if (signature_.is_declared) {
      if (take("<=")) {
        json_["limits"]["scalars"][name]["greatest"] = value_of(rest);
      } else if (take(">=")) {
        json_["limits"]["scalars"][name]["least"] = value_of(rest);
      } else {
        throw Wrong(fmt::format("limits: '{}' is none of SCALAR <= X, SCALAR >= X", part));
      }
    } else if (take("=")) {
      json_["limits"][name] = rest == "0" ? "zero" : rest == "1" ? "one" : std::string(rest);
    } else {
      throw Wrong(fmt::format("limits: '{}' is not SCALAR = zero, one, zero_or_one or any", part));
    }
  }

  static Json layout_of(std::string_view order) {
    if (order == "packed") return {{"order", "packed"}, {"broadcast", false}, {"greatest_offset", 0}};
    return {{"order", order}};
  }

  const operation::Signature& signature_;
  Json& json_;
};

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
      if (word == "launch") result.launch = said;
    }
    const std::string what = fmt::format("kernel '{}'", result.kernel);
    if (operation == nullptr) {
      return mistake(result.line, what +
                                      " has no operation: a name of `negzero list operations`, or a line of its own, "
                                      "operation NAME: y[n] <- x[n]");
    }
    if (result.launch.text.empty()) {
      return mistake(result.line,
                     what + " has no launch: the C++ statement that calls it, launch k<<<GRID, BLOCK>>>(...);");
    }
    const auto known = operation::signature_of(operation->text);
    if (!known) return mistake(operation->line, known.error().message);
    const operation::Signature& signature = **known;
    result.operation = signature.identity();
    Json json{{"name", result.kernel}, {"operation", result.operation}, {"shows", "all"}};
    Reader reader(signature, json);
    reader.layout("packed");
    json["contract"] = Json::object();
    for (const auto& [word, said] : lines_) {
      try {
        say(word, said.text, reader, json);
      } catch (const std::exception& wrong) {
        return mistake(said.line, wrong.what());
      }
    }
    if (!json.contains("formats")) {
      Json& formats = json["formats"] = Json::array({Json::object()});
      for (std::size_t i = 0; i < signature.own_formats; ++i) {
        formats[0][signature.formats[i]] = signature.holds_indices(i) ? "I32" : "F32";
      }
    }
    if (!signature.scalars.empty() && json["contract"].is_object() && !json["contract"].contains("scalar_format")) {
      json["contract"]["scalar_format"] = "F32";
    }
    result.json = json.dump();
    return result;
  }

 private:
  static void say(const std::string& word, const std::string& text, Reader& reader, Json& json) {
    if (word == "about") json["about"] = text;
    if (word == "formats") reader.formats(text);
    if (word == "limits") reader.limits(text);
    if (word == "layout") reader.layout(text);
    if (word == "error") reader.error(text);
    if (word == "reference") json["reference"]["kernel"] = text;
    if (word == "nan") json["reference"]["nan"] = text;
    if (word == "zero_signs") json["reference"]["zero_signs"] = value_of(text);
    if (word == "in_place") json["limits"]["in_place"] = {{"input", text}, {"always", true}};
    if (word != "contract") return;
    if (text.find('=') == std::string::npos && !text.starts_with('{')) {
      json["contract"] = text;
    } else {
      json["contract"].update(fields_of(text));
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
    if (whole.front() == ' ' || whole.front() == '\t') {
      if (blocks.empty()) return mistake("this line goes on with the one before, and there is none");
      std::string& before = blocks.back().back().second.text;
      // A launch keeps its lines, so that places in it are right.
      before.append(blocks.back().back().first == "launch" ? "\n" : " ").append(line);
      continue;
    }
    const std::string word(take_word(line));
    if (std::ranges::find(kWords, word) == std::end(kWords)) {
      return mistake(
          fmt::format("no line of a declaration begins with '{}'; {}", word, base::did_you_mean(word, kWords)));
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
    }
    blocks.back().push_back(
        {word, {std::string(line), number, static_cast<std::size_t>(line.data() - whole.data()) + 1}});
  }
  for (const Lines& lines : blocks) {
    auto read = DeclarationOf(lines, file).read();
    if (!read) return read.error();
    result.kernels.push_back(*std::move(read));
  }
  return result;
}

}  // namespace negzero::source
