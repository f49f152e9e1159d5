// Reads calls "f(x, y)" and "k<T><<<g, b>>>(x, y)" of a statement.

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <negzero/number/format.hpp>
#include <negzero/source/parameter_types.hpp>
#include <negzero/source/parts.hpp>
#include <negzero/source/pointees.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {
namespace {

/// Whether a type has the bits of a format without being it: an integer of its width.
bool holds_bits(const std::string& type, const std::string& format) {
  // CUDA's names of bytes that hold one.
  const bool is_byte = is_one_of(type, {"__nv_fp8_storage_t", "__nv_fp6_storage_t"});
  const auto own = number::parse_format(is_byte ? "U8" : format_of_type(type)), wanted = number::parse_format(format);
  if (!own || !wanted) return false;
  const number::Format &held = number::format(*own), &named = number::format(*wanted);
  if (!held.is_integer() || held.bits != 8 * named.bytes()) return false;
  return named.is_integer() || (held.bits <= 16 && !held.is_signed());
}

/// Whether a type is two elements of a format side by side, as complex numbers are of tensors whose last extent is 2.
bool holds_pairs(std::string type, const std::string& format) {
  std::erase(type, ' ');
  if (format == "F16") return is_one_of(type, {"half2", "__half2"});
  if (format == "BF16") return is_one_of(type, {"__nv_bfloat162", "nv_bfloat162"});
  if (format != "F32" && format != "F64") return false;
  const std::string real = format == "F32" ? "float" : "double";
  for (const char* const complex : {"thrust::complex<", "cuda::std::complex<", "std::complex<", "c10::complex<"}) {
    if (type == complex + real + ">") return true;
  }
  return format == "F32" ? is_one_of(type, {"float2", "cuComplex", "cuFloatComplex"})
                         : is_one_of(type, {"double2", "cuDoubleComplex"});
}

/// Tokens [begin, end).
using Piece = std::pair<std::size_t, std::size_t>;

/// Parts of what is between the brackets `open` and `close`, at commas that are in no brackets.
std::vector<Piece> parts_between(const Code& code, std::size_t open, std::size_t close) {
  std::vector<Piece> result;
  std::size_t from = open + 1;
  for (std::size_t i = from; i < close; ++i) {
    if (code.is_sign(i, ",")) {
      result.emplace_back(from, i);
      from = i + 1;
      continue;
    }
    const std::size_t end = code.is_sign(i, "<") ? code.angle_end_of(i) : code.partner_of(i);
    if (end != kNone && end > i) i = end;
  }
  result.emplace_back(from, close);
  return result;
}

struct Call {
  std::string name;  ///< without namespaces
  std::vector<std::string> templates{};
  std::vector<Piece> arguments{};
};

/// The call, or the launch, that begins with the word at `i`.
std::optional<Call> call_at(const Code& code, std::size_t i) {
  if (!code.is_word(i)) return std::nullopt;
  Call result{.name = std::string(code.text_of(i)), .templates = {}, .arguments = {}};
  std::size_t at = i + 1;
  if (code.is_sign(at, "<")) {
    const std::size_t end = code.angle_end_of(at);
    if (end == kNone) return std::nullopt;
    for (const auto& [from, to] : parts_between(code, at, end)) result.templates.push_back(code.joined(from, to));
    at = end + 1;
  }
  if (code.is_sign(at, "<<<")) {
    while (at < code.size() && !code.is_sign(at, ">>>"))
      at = code.partner_of(at) == kNone ? at + 1 : code.partner_of(at) + 1;
    ++at;
  }
  const std::size_t close = code.is_sign(at, "(") ? code.partner_of(at) : kNone;
  if (close == kNone) return std::nullopt;
  result.arguments = parts_between(code, at, close);
  return result;
}

/// The element of the parameter at `place` of all functions that a call may be of; empty: they differ, or it is none.
std::string element_at(std::size_t place, const Call& call, std::span<const KernelSignature> functions) {
  std::string result;
  for (const KernelSignature& each : functions) {
    if (short_name(each) != call.name || place >= each.parameters.size()) continue;
    std::string element = each.parameters[place].is_pointer ? each.parameters[place].element : "";
    for (std::size_t t = 0; t < std::min(call.templates.size(), each.templates.size()); ++t) {
      if (each.templates[t].name == element) element = call.templates[t];
    }
    if (element.empty() || (!result.empty() && result != element)) return "";
    result = std::move(element);
  }
  return result;
}

}  // namespace

std::string type_of(const std::string& format) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{"F64", "double"},
                                                                      {"F32", "float"},
                                                                      {"F16", "__half"},
                                                                      {"BF16", "__nv_bfloat16"},
                                                                      {"F8_E4M3", "__nv_fp8_e4m3"},
                                                                      {"F8_E5M2", "__nv_fp8_e5m2"},
                                                                      {"I32", "int"},
                                                                      {"I64", "std::int64_t"},
                                                                      {"I16", "std::int16_t"},
                                                                      {"I8", "std::int8_t"},
                                                                      {"U32", "std::uint32_t"},
                                                                      {"U16", "std::uint16_t"},
                                                                      {"U8", "std::uint8_t"},
                                                                      {"BOOL", "bool"},
                                                                      {"I4", "std::uint8_t"},
                                                                      {"U4", "std::uint8_t"},
                                                                      {"F4", "std::uint8_t"},
                                                                      {"F6_E2M3", "std::uint8_t"},
                                                                      {"F6_E3M2", "std::uint8_t"},
                                                                      {"F8_E8M0", "std::uint8_t"}};
  for (const auto& [name, type] : kTypes) {
    if (name == format) return std::string(type);
  }
  return "";
}

std::string pointee_of(const std::string& tensor, const std::string& format, std::string_view statement,
                       std::span<const KernelSignature> functions) {
  const std::vector<Token> tokens = tokens_of(statement);
  const Parts parts = parts_of(statement, tokens);
  for (std::size_t i = 0; i < parts.code.size(); ++i) {
    const std::optional<Call> call = call_at(parts.code, i);
    if (!call) continue;
    for (std::size_t place = 0; place < call->arguments.size(); ++place) {
      const auto& [from, to] = call->arguments[place];
      if (to != from + 1 || !parts.code.is_word(from, tensor)) continue;
      const std::string element = element_at(place, *call, functions);
      if (format_of_type(element) == format || holds_bits(element, format) || holds_pairs(element, format)) {
        return element;
      }
    }
  }
  return type_of(format);
}

std::vector<KernelSignature> functions_called(std::string_view text, std::span<const std::string> statements) {
  const auto is_called = [&](const KernelSignature& function) {
    return std::ranges::any_of(
        statements, [&](const std::string& each) { return each.find(short_name(function)) != std::string::npos; });
  };
  const std::vector<Token> tokens = tokens_of(text);
  std::vector<KernelSignature> result = kernels_of(text, tokens);
  std::ranges::move(host_functions_of(text, tokens), std::back_inserter(result));
  std::erase_if(result, [&](const KernelSignature& each) { return !is_called(each); });
  return result;
}

}  // namespace negzero::source
