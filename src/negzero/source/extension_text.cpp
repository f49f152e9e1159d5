// Finds strings of Python, and blanks everything but those of C++.

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <negzero/files/input_file.hpp>
#include <negzero/source/extension_text.hpp>

namespace negzero::source {
namespace {

constexpr std::string_view kIncluded = "#include <torch/extension.h>";

/// A string literal of Python: where its text begins and ends, and what is behind it.
struct Literal {
  std::size_t begin = 0, end = 0, behind = 0, quotes = 1;
  bool is_raw = false, is_formatted = false;
  bool is_value = false;  ///< something takes it; a docstring has no sign before it
};

/// The literal whose quotes begin at `at`; it ends with the text where it is never closed.
Literal literal_at(std::string_view text, std::size_t at) {
  Literal result{.end = text.size(), .behind = text.size()};
  std::size_t prefix = at;
  for (; prefix > 0 && std::isalpha(static_cast<unsigned char>(text[prefix - 1])) != 0; --prefix) {
    const int sign = std::tolower(static_cast<unsigned char>(text[prefix - 1]));
    result.is_raw = result.is_raw || sign == 'r';
    result.is_formatted = result.is_formatted || sign == 'f';
  }
  const std::size_t before = text.substr(0, prefix).find_last_not_of(" \t\r\n");
  result.is_value =
      before != std::string_view::npos && std::string_view("=([,+").find(text[before]) != std::string_view::npos;
  const std::string triple(3, text[at]);
  if (text.substr(at).starts_with(triple)) result.quotes = 3;
  result.begin = at + result.quotes;
  const std::string_view closing = std::string_view(triple).substr(0, result.quotes);
  for (std::size_t i = result.begin; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text.substr(i).starts_with(closing)) {
      result.end = i;
      result.behind = i + closing.size();
      break;
    } else if (result.quotes == 1 && text[i] == '\n') {
      result.end = result.behind = i;
      break;
    }
  }
  return result;
}

bool holds_cpp(std::string_view text) {
  constexpr std::string_view kOfCpp[] = {"#include", "__global__", "torch::"};
  return std::ranges::any_of(kOfCpp, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

void add_blanks(std::string& result, std::string_view text) {
  for (const char sign : text) result += sign == '\n' || sign == '\t' ? sign : ' ';
}

}  // namespace

std::string extension_text(std::string_view module) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t i = 0; i < module.size(); ++i) {
    if (module[i] == '#') {
      i = std::min(module.find('\n', i), module.size());
      continue;
    }
    if (module[i] != '"' && module[i] != '\'') continue;
    const Literal literal = literal_at(module, i);
    i = literal.behind - 1;
    const std::string_view text = module.substr(literal.begin, literal.end - literal.begin);
    if (literal.quotes == 1 || literal.is_formatted || !literal.is_value || !holds_cpp(text)) continue;
    add_blanks(result, module.substr(done, literal.begin - done));
    for (std::size_t k = 0; k < text.size(); ++k) {
      result += text[k];
      if (!literal.is_raw && text.substr(k).starts_with("\\\\")) ++k;
    }
    done = literal.end;
  }
  if (done == 0) return {};
  add_blanks(result, module.substr(done));
  const std::size_t line = std::min(result.find('\n'), result.size());
  if (result.find_first_not_of(' ') >= line) result.replace(0, line, kIncluded);
  return result;
}

base::Result<std::string> read_source(const std::string& path) {
  auto text = files::read_text(path);
  if (!text || !path.ends_with(".py")) return text;
  std::string extension = extension_text(*text);
  if (extension.empty()) {
    return base::usage_error(fmt::format(
        "{} has no string of CUDA for load_inline(); a module that declares kernels itself is given by --kernels {}",
        path, path));
  }
  return extension;
}

}  // namespace negzero::source
