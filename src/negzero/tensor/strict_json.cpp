// The strict reader: nlohmann's SAX events checked one by one while the document is built.

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/tensor/strict_json.hpp>

namespace negzero::tensor {
namespace {

using Json = nlohmann::json;

/// Receives the events of nlohmann's parser, which is iterative: depth costs no stack. Every handler returns false to
/// stop, with `error` set.
class Builder {
 public:
  Builder(std::string what, const JsonBounds& bounds) : what_(std::move(what)), bounds_(bounds) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) {
    // The parser calls this for "-0" too; one type for every integer >= 0 keeps readers simple.
    return value < 0 ? add(value) : add(static_cast<Json::number_unsigned_t>(value));
  }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t, const std::string& text) {
    return fail(fmt::format("{} is not a 64-bit integer", in_quotes(text)));
  }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return fail("it holds binary data"); }

  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (open_.back()->contains(name))
      return fail(fmt::format("the key {} stands twice in one object", in_quotes(name)));
    key_ = std::move(name);
    return true;
  }

  // The parser's own message quotes the text without a bound, so only the position is taken from it.
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) {
    return fail(fmt::format("it is not JSON (byte {})", position));
  }

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] Json take() { return std::move(root_); }

 private:
  bool fail(const std::string& why) {
    error_ = what_ + ": " + why;
    return false;
  }

  Json* place(Json&& value) {
    if (++values_ > bounds_.values) {
      fail(fmt::format("it holds more than {} values", bounds_.values));
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }

  template <typename T>
  bool add(T&& value) {
    return place(Json(std::forward<T>(value))) != nullptr;
  }

  // Pointers in `open_` stay valid: a parent does not grow while one of its children is open.
  bool open(Json&& empty) {
    if (open_.size() == bounds_.depth) return fail(fmt::format("it nests deeper than {} levels", bounds_.depth));
    Json* const placed = place(std::move(empty));
    if (placed != nullptr) open_.push_back(placed);
    return placed != nullptr;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string what_;
  JsonBounds bounds_;
  Json root_;
  std::vector<Json*> open_;
  std::string key_;
  std::size_t values_ = 0;
  std::string error_;
};

}  // namespace

base::Result<nlohmann::json> parse_strict_json(std::string_view text, const std::string& what,
                                               const JsonBounds& bounds) {
  // nlohmann skips a byte order mark and takes a NUL for the end of the text, whatever follows: both are refused here.
  if (text.empty() || (text.front() != '{' && text.front() != '[')) {
    return base::usage_error(what + ": it does not start with { or [");
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return base::usage_error(fmt::format("{}: it holds a NUL byte (byte {})", what, nul));
  }
  Builder builder(what, bounds);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) return base::usage_error(builder.error());
  return builder.take();
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || text.size() - i < length) return false;
    for (std::size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      // The second byte of E0, ED, F0 and F4 excludes long forms, surrogates and values above U+10FFFF (RFC 3629 4).
      const unsigned low = k > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
      const unsigned high = k > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
      if (byte < low || byte > high) return false;
    }
    i += length;
  }
  return true;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  std::string result = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + (text.size() > kLongest ? "...\"" : "\"");
}

}  // namespace negzero::tensor
