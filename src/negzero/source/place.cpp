// Counts lines and columns, and reads what compilers print.

#include <algorithm>
#include <charconv>

#include <negzero/source/place.hpp>

namespace negzero::source {
namespace {

/// Takes ":NUMBER" from the front of `rest`; nothing where it does not begin so.
std::optional<std::size_t> number_at(std::string_view& rest) {
  std::size_t number = 0;
  if (!rest.starts_with(':')) return std::nullopt;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), number);
  if (error != std::errc{}) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return number;
}

bool take(std::string_view& rest, std::string_view prefix) {
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  return true;
}

/// Whether a compiler complains about an asm statement, by its constraints or by the instructions in it.
bool is_about_assembly(std::string_view text) {
  constexpr std::string_view kSigns[] = {"‘asm’", "'asm'", "in asm", "output constraint",
                                         "invalid instruction mnemonic"};
  return std::ranges::any_of(kSigns,
                             [text](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}

std::optional<Message> message_in(std::string_view line) {
  // g++ begins the chain of includes so; its places say nothing of what is wrong.
  if (line.starts_with("In file included from ") || line.starts_with("                 from ")) return std::nullopt;
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
    std::string_view rest = line.substr(colon);
    const auto number = number_at(rest);
    if (!number) continue;
    Message message;
    message.file = line.substr(0, colon);
    message.place = {*number, number_at(rest).value_or(0)};
    if (!take(rest, ": ")) return std::nullopt;
    if (take(rest, "warning: ")) return std::nullopt;
    bool is_assembly = false;
    if (take(rest, "note: ")) {
      const bool is_context = rest.find("requested here") != std::string_view::npos;
      message.kind = is_context ? Message::Kind::Context : Message::Kind::Note;
    } else if (take(rest, "Error: ")) {
      is_assembly = true;
    } else if (take(rest, "error: ") || take(rest, "fatal error: ") || take(rest, "sorry, unimplemented: ")) {
      is_assembly = is_about_assembly(rest);
    } else {
      message.kind = Message::Kind::Context;
      rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    message.text = (is_assembly ? "inline PTX is not on the host: " : "") + std::string(rest);
    return message;
  }
  return std::nullopt;
}

}  // namespace

Place place_of(std::string_view text, std::size_t at) {
  const std::string_view head = text.substr(0, at);
  const std::size_t line_begin = head.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<std::size_t>(std::ranges::count(head, '\n')) + 1, head.size() - line_begin + 1};
}

std::size_t character_of(std::string_view text, Place place) {
  std::size_t begin = 0;
  for (std::size_t line = 1; line < place.line; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return text.size();
    begin = end + 1;
  }
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  return std::min(begin + (place.column == 0 ? 0 : place.column - 1), end);
}

std::string_view line_of(std::string_view text, std::size_t line) {
  const std::size_t begin = character_of(text, {line, 1});
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

std::vector<Message> messages_in(std::string_view printed) {
  std::vector<Message> messages;
  for (std::size_t begin = 0; begin < printed.size();) {
    const std::size_t end = std::min(printed.find('\n', begin), printed.size());
    if (auto message = message_in(printed.substr(begin, end - begin))) messages.push_back(*std::move(message));
    begin = end + 1;
  }
  return messages;
}

}  // namespace negzero::source
