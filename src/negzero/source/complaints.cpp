// Maps places of compilers' messages back, and prints the lines that they name.

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <negzero/files/input_file.hpp>
#include <negzero/source/complaints.hpp>
#include <negzero/source/edit.hpp>
#include <negzero/source/prepared.hpp>

namespace negzero::source {
namespace {

/// Messages about code of the device that are shown at most.
constexpr std::size_t kMostShown = 5;

/// Where a place of the glue is in the launch that it is of: a launch has its edits there. Nothing elsewhere.
std::optional<Place> in_launch(const Said& launch, Place place) {
  const auto more = static_cast<std::size_t>(std::ranges::count(launch.text, '\n'));
  if (place.line < launch.line || place.line > launch.line + more || place.column == 0) return std::nullopt;
  const std::vector<Edit> edits = host_edits(launch.text).edits;
  const std::string copy = edited(launch.text, edits);
  const std::size_t lines = launch.line - 1, columns = std::max<std::size_t>(launch.column, 1) - 1;
  Place in_copy{place.line - lines, place.column};
  if (in_copy.line == 1) in_copy.column -= std::min(in_copy.column, columns);
  Place result = place_of(launch.text, place_before(edits, character_of(copy, in_copy)));
  if (result.line == 1) result.column += columns;
  result.line += lines;
  return result;
}

}  // namespace

Place Complaints::before(const Project& project, const Message& message) const {
  if (message.file == declared_in_) {
    for (const Declaration& each : declared_->kernels) {
      if (const auto place = in_launch(each.launch, message.place)) return *place;
    }
  }
  return project.before(message.file, message.place);
}

void Complaints::note_left_out(const std::string& name, const Project& project, const Message& why) {
  const Place place = project.before(why.file, why.place);
  reasons_.emplace_back(name.substr(0, name.find(" (")), fmt::format("{} was left out: {}:{}:{}: {}", name, why.file,
                                                                     place.line, place.column, why.text));
}

std::string Complaints::shown(const Project& project, const std::vector<Message>& messages,
                              const std::string& printed) const {
  std::string text;
  std::size_t errors = 0;
  for (const Message& message : messages) {
    if (message.kind != Message::Kind::Error) continue;
    if (++errors > kMostShown) continue;
    const Place place = before(project, message);
    text += fmt::format("{}{}:{}:{}: {}", errors > 1 ? "\n" : "", message.file, place.line, place.column, message.text);
    const auto file = project.files().find(message.file);
    const auto other = files::read_text(message.file);
    if (file == project.files().end() && !other) continue;
    const std::string_view line = line_of(file == project.files().end() ? *other : file->second.text, place.line);
    text += fmt::format("\n{:5} | {}\n      | {}^", place.line, line,
                        std::string(place.column > 0 ? place.column - 1 : 0, ' '));
  }
  if (errors > kMostShown) text += fmt::format("\nand {} more errors", errors - kMostShown);
  if (errors == 0) text = printed;
  for (const auto& [name, reason] : reasons_) {
    const bool is_missed = std::ranges::any_of(messages, [&missed = name](const Message& message) {
      return message.kind == Message::Kind::Error && message.text.find(missed) != std::string::npos;
    });
    if (is_missed) text += "\n" + reason;
  }
  for (const std::string& name : project.missing()) {
    text += fmt::format("\nno header is called {}: it counted as empty", name);
  }
  return text;
}

}  // namespace negzero::source
