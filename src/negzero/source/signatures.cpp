// Reads the heads of the units that are kernels.

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <negzero/source/parts.hpp>
#include <negzero/source/signatures.hpp>
#include <negzero/source/units.hpp>

namespace negzero::source {
namespace {

/// Tokens [begin, end).
using Piece = std::pair<std::size_t, std::size_t>;

bool qualifies(std::string_view word) {
  return is_one_of(word, {"const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__",
                          "typename", "struct", "class", "union", "enum", "register"});
}
/// Words that are a type or a part of one, so that they are no parameter's name.
bool is_built_in(std::string_view word) {
  return qualifies(word) ||
         is_one_of(word, {"void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned",
                          "auto", "wchar_t", "char8_t", "char16_t", "char32_t"});
}

class SignatureReader {
 public:
  explicit SignatureReader(const Code& code) : code_(code) {}

  /// The kernel, or the other function, whose unit is at tokens [begin, end).
  std::optional<KernelSignature> function(std::size_t begin, std::size_t end, const Unit& unit) const {
    if (!code_.is_sign(end - 1, "}")) return std::nullopt;
    KernelSignature result;
    std::size_t i = begin;
    while (i < end && code_.is_word(i, "template")) {
      const std::size_t close = code_.is_sign(i + 1, "<") ? code_.angle_end_of(i + 1) : kNone;
      if (close == kNone || close == i + 2) return std::nullopt;
      for (const auto& [from, to] : pieces(i + 2, close)) result.templates.push_back(template_parameter(from, to));
      i = close + 1;
    }
    bool is_found = !unit.is_kernel;
    for (; i < end; ++i) {
      if (code_.is_word(i, "__global__")) is_found = true;
      if (code_.is_sign(i, "[") || code_.is_sign(i, "{")) i = std::min(code_.partner_of(i), end);
      if (!code_.is_sign(i, "(")) continue;
      const std::size_t close = code_.partner_of(i);
      if (close == kNone || close >= end) return std::nullopt;
      // Parentheses before the name are of attributes: __launch_bounds__(256).
      if (code_.is_word(i - 1, unit.name) && is_found) break;
      i = close;
    }
    if (i >= end) return std::nullopt;
    result.name = unit.scope.empty() ? unit.name : unit.scope + "::" + unit.name;
    result.line = code_.line_of(i - 1);
    result.result = code_.joined(begin, i - 1);
    for (const auto& [from, to] : pieces(i + 1, code_.partner_of(i))) {
      if (to - from == 1 && code_.is_word(from, "void")) continue;
      auto parameter = this->parameter(from, to);
      if (!parameter) return std::nullopt;
      result.parameters.push_back(std::move(*parameter));
    }
    return result;
  }

 private:
  /// Parts [begin, end) at commas that are in no brackets.
  [[nodiscard]] std::vector<Piece> pieces(std::size_t begin, std::size_t end) const {
    std::vector<Piece> result;
    std::size_t from = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (code_.is_sign(i, ",")) {
        result.emplace_back(from, i);
        from = i + 1;
      }
      if (const std::size_t close = bracket_end(i); close != kNone) i = close;
    }
    if (from < end) result.emplace_back(from, end);
    return result;
  }

  /// The bracket that closes the one at `i`; kNone: there is none at `i`.
  [[nodiscard]] std::size_t bracket_end(std::size_t i) const {
    if (code_.is_sign(i, "<")) return code_.angle_end_of(i);
    const bool opens = code_.is_sign(i, "(") || code_.is_sign(i, "[") || code_.is_sign(i, "{");
    return opens ? code_.partner_of(i) : kNone;
  }

  /// Where a default value's '=' is, or `end`.
  [[nodiscard]] std::size_t value_of(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (code_.is_sign(i, "=")) return i;
      if (const std::size_t close = bracket_end(i); close != kNone) i = close;
    }
    return end;
  }

  [[nodiscard]] TemplateParameter template_parameter(std::size_t begin, std::size_t end) const {
    const std::size_t equals = value_of(begin, end);
    TemplateParameter result;
    if (equals < end) result.value = code_.joined(equals + 1, end);
    std::size_t last = equals;
    if (has_name(begin, equals)) result.name = code_.text_of(--last);
    result.kind = code_.joined(begin, last);
    const std::size_t word = result.kind.rfind("class");
    const bool is_class = word != std::string::npos && (word == 0 || result.kind[word - 1] == ' ') &&
                          result.kind.find_first_not_of(" .", word + 5) == std::string::npos;
    if (is_class) result.kind.replace(word, 5, "typename");
    return result;
  }

  /// Whether the last of the tokens [begin, end) is a name: behind a type, which is more than qualifiers.
  [[nodiscard]] bool has_name(std::size_t begin, std::size_t end) const {
    if (end < begin + 2 || !code_.is_word(end - 1) || is_built_in(code_.text_of(end - 1))) return false;
    if (code_.is_sign(end - 2, "::")) return false;
    for (std::size_t i = begin; i + 1 < end; ++i) {
      const bool is_kind = code_.is_word(i, "typename") || code_.is_word(i, "class");
      if (is_kind || !code_.is_word(i) || !qualifies(code_.text_of(i))) return true;
    }
    return false;
  }

  [[nodiscard]] std::optional<KernelParameter> parameter(std::size_t begin, std::size_t end) const {
    end = value_of(begin, end);
    std::size_t name_end = end;
    while (name_end > begin && code_.is_sign(name_end - 1, "]") && code_.partner_of(name_end - 1) != kNone) {
      name_end = code_.partner_of(name_end - 1);
    }
    KernelParameter result;
    std::size_t type_end = name_end;
    if (has_name(begin, name_end) && !is_typename_of(begin, name_end)) result.name = code_.text_of(--type_end);
    result.type = code_.joined(begin, type_end) + code_.joined(name_end, end);
    result.is_pointer = name_end < end;
    bool is_const = false, has_reference = false;
    std::size_t first = type_end, last = begin;  // of the element
    for (std::size_t i = begin; i < type_end; ++i) {
      if (code_.is_sign(i, "(")) return std::nullopt;  // a pointer to a function
      const bool is_sign = code_.is_sign(i, "*") || code_.is_sign(i, "&");
      if (is_sign && !result.is_pointer && !has_reference) result.is_const = is_const;
      if (code_.is_sign(i, "*")) result.is_pointer = true;
      if (code_.is_sign(i, "&")) has_reference = true;
      if (code_.is_word(i, "const")) is_const = true;
      if (is_sign || (code_.is_word(i) && qualifies(code_.text_of(i))) || has_reference ||
          (result.is_pointer && name_end == end)) {
        continue;
      }
      first = std::min(first, i);
      const std::size_t close = bracket_end(i);
      if (close != kNone) i = std::min(close, type_end - 1);
      last = i + 1;
    }
    if (first >= last) return std::nullopt;
    if (!has_reference && (!result.is_pointer || name_end < end)) result.is_const = is_const;
    // Qualifiers may lie between the words of the element: unsigned const int.
    for (std::size_t i = first; i < last; ++i) {
      if (code_.is_word(i) && qualifies(code_.text_of(i))) continue;
      const bool has_blank = i > first && code_.begin_of(i) != code_.end_of(i - 1);
      if (has_blank && !result.element.empty()) result.element += ' ';
      result.element += code_.text_of(i);
    }
    return result;
  }

  /// Whether the tokens are "typename T" or "struct S", whose word is the type of a parameter without a name.
  [[nodiscard]] bool is_typename_of(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i + 1 < end; ++i) {
      if (!code_.is_word(i) || !qualifies(code_.text_of(i))) return false;
    }
    return true;
  }

  const Code& code_;
};

/// Functions with a body: kernels, or those that are host code.
std::vector<KernelSignature> functions_of(std::string_view text, std::span<const Token> tokens, bool are_kernels) {
  const Parts parts = parts_of(text, tokens);
  const SignatureReader reader(parts.balanced);
  std::vector<KernelSignature> result;
  for (const Unit& unit : units_of(text, tokens).units) {
    if (unit.is_kernel != are_kernels || unit.is_device != are_kernels || unit.name.empty()) continue;
    auto function = reader.function(parts.balanced.index_at(unit.begin), parts.balanced.index_at(unit.end), unit);
    if (function) result.push_back(std::move(*function));
  }
  return result;
}

}  // namespace

std::string short_name(const KernelSignature& function) { return function.name.substr(function.name.rfind(':') + 1); }

std::vector<KernelSignature> kernels_of(std::string_view text, std::span<const Token> tokens) {
  return functions_of(text, tokens, true);
}

std::vector<KernelSignature> host_functions_of(std::string_view text, std::span<const Token> tokens) {
  return functions_of(text, tokens, false);
}

bool is_tensor(const KernelParameter& parameter) {
  return !parameter.is_pointer && is_one_of(parameter.element, {"torch::Tensor", "at::Tensor"});
}

bool is_optional_tensor(const KernelParameter& parameter) {
  std::string element = parameter.element;
  std::erase(element, ' ');
  for (const std::string_view scope : {"std::", "c10::", "at::", "torch::"}) {
    for (const std::string_view tensor : {"torch::Tensor", "at::Tensor"}) {
      if (!parameter.is_pointer && element == fmt::format("{}optional<{}>", scope, tensor)) return true;
    }
  }
  return false;
}

std::vector<KernelSignature> functions_of_tensors(std::string_view text, std::span<const Token> tokens) {
  std::vector<KernelSignature> result = host_functions_of(text, tokens);
  std::erase_if(result, [](const KernelSignature& each) { return std::ranges::none_of(each.parameters, is_tensor); });
  return result;
}

}  // namespace negzero::source
