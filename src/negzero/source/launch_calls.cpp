// Looks for the cast at the place of the kernel: the first argument, of ...ExC the second one.

#include <string>

#include <negzero/source/launch_calls.hpp>
#include <negzero/source/parts.hpp>

namespace negzero::source {
namespace {

/// Where "void*" with its const's ends that begins at `i`: the place behind it, or `i` where there is none.
std::size_t behind_void_pointer(const Code& code, std::size_t i) {
  std::size_t at = i;
  if (code.is_word(at, "const")) ++at;
  if (!code.is_word(at, "void")) return i;
  ++at;
  if (code.is_word(at, "const")) ++at;
  if (!code.is_sign(at, "*")) return i;
  ++at;
  return code.is_word(at, "const") ? at + 1 : at;
}

/// The place of the argument behind that at `i`, in a list that ends at `end`; kNone: there is none.
std::size_t next_argument(const Code& code, std::size_t i, std::size_t end) {
  for (; i < end; ++i) {
    if (code.is_sign(i, ",")) return i + 1;
    if (code.is_sign(i, "(") || code.is_sign(i, "[") || code.is_sign(i, "{")) i = code.partner_of(i);
    if (i == kNone) return kNone;
  }
  return kNone;
}

void read(std::string_view text, const Code& code, Prepared& result) {
  const auto erase = [&](std::size_t first, std::size_t last) {
    const std::size_t begin = code.begin_of(first), end = code.end_of(last);
    // A cast over several lines stays: the ends of lines have to.
    if (text.substr(begin, end - begin).find('\n') == std::string_view::npos) {
      result.edits.push_back({begin, end - begin, ""});
    }
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool is_second = code.is_word(i, "cudaLaunchKernelExC");
    if (!is_second && !code.is_word(i, "cudaLaunchKernel") && !code.is_word(i, "cudaLaunchCooperativeKernel")) continue;
    if (!code.is_sign(i + 1, "(")) continue;
    const std::size_t end = code.partner_of(i + 1);
    if (end == kNone) continue;
    const std::size_t at = is_second ? next_argument(code, i + 2, end) : i + 2;
    if (at == kNone) continue;
    if (code.is_sign(at, "(")) {
      const std::size_t close = behind_void_pointer(code, at + 1);
      if (close > at + 1 && code.is_sign(close, ")")) erase(at, close);
    } else if (code.is_word(at, "reinterpret_cast") && code.is_sign(at + 1, "<")) {
      const std::size_t close = behind_void_pointer(code, at + 2);
      if (close > at + 2 && code.is_sign(close, ">")) erase(at, close);
    }
  }
}

}  // namespace

Prepared launch_call_edits(std::string_view text, std::span<const Token> tokens) {
  const Parts parts = parts_of(text, tokens);
  Prepared result;
  read(text, parts.code, result);
  for (const Macro& macro : parts.macros) read(text, macro.body, result);
  put_in_order(result.edits);
  return result;
}

}  // namespace negzero::source
