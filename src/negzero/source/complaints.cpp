// Maps places of compilers' messages back, and prints the lines that they name.

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/files/input_file.hpp>
#include <negzero/operation/operation.hpp>
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

/// Whether a message has the word `name`.
bool names(std::string_view message, std::string_view name) {
  const auto is_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (name.empty()) return false;
  for (std::size_t at = message.find(name); at != std::string_view::npos; at = message.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_of_word(message[at - 1])) && (end == message.size() || !is_of_word(message[end]))) return true;
  }
  return false;
}

/// The types in quotes of a message, "float*" and "const unsigned char*", whichever quotes the locale has.
std::vector<std::string> quoted(std::string text) {
  // CUDA's types are in a namespace of each build, which no author writes.
  for (const auto& [before, after] : {std::pair("\u2018", "'"), {"\u2019", "'"}, {"host_build::", ""}}) {
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
      text.replace(at, std::string_view(before).size(), after);
    }
  }
  std::vector<std::string> result;
  for (std::size_t open = text.find('\''); open != std::string::npos; open = text.find('\'', open + 1)) {
    const std::size_t close = text.find('\'', open + 1);
    if (close == std::string::npos) break;
    result.push_back(text.substr(open + 1, close - open - 1));
    open = close;
  }
  return result;
}

/// The names of an operation that a launch has in scope, where a message misses another one; empty: it does not.
std::string names_in_scope(const std::string& text, const Declaration& declaration) {
  const bool misses = text.find("not declared in this scope") != std::string::npos ||
                      text.find("use of undeclared identifier") != std::string::npos;
  if (!misses) return "";
  const notation::Signature& signature = *operation::find_signature(declaration.operation);
  std::vector<std::string> all;
  for (const notation::TensorSignature& tensor : signature.tensors) {
    if (tensor.role != notation::Role::Initial) all.push_back(tensor.name);
  }
  all.insert(all.end(), signature.extents.begin(), signature.extents.end());
  for (const notation::ScalarSignature& scalar : signature.scalars) all.push_back(scalar.name);
  return fmt::format(
      "\na launch of {} has {}, stream, strides such as {}_stride0, and what the file declares (`negzero list "
      "declaration`); a leading dimension is the stride1 of a tensor whose layout is row_major, the stride2 of one in "
      "column_major",
      signature.name, fmt::join(all, ", "), all.front());
}

/// The word that begins at a column of a line; "..." where there is none.
std::string_view word_at(std::string_view line, std::size_t column) {
  const std::size_t begin = std::min(std::max<std::size_t>(column, 1) - 1, line.size());
  std::size_t end = begin;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) ++end;
  return end > begin ? line.substr(begin, end - begin) : "...";
}

/// What to write in a launch whose pointer is not of the type that a function takes; empty: the message says something
/// else. `at` is the word at the message's place: g++ points to the argument, clang to the function.
std::string cure_of_pointer(const std::string& text, std::string_view at) {
  const std::vector<std::string> types = quoted(text);
  const auto is_pointer = [](const std::string& type) { return type.find('*') != std::string::npos; };
  if (types.size() < 2 || !is_pointer(types[0]) || !is_pointer(types[1])) return "";
  const bool is_of_gcc = text.starts_with("cannot convert ");
  const bool is_of_launch = text.starts_with("cannot initialize a parameter of type ");
  const bool is_of_candidate = text.find("no known conversion ") != std::string::npos;
  if (!is_of_gcc && !is_of_launch && !is_of_candidate) return "";
  return fmt::format(
      "\nname its format in `formats`, or, where the bytes are those that it takes, write reinterpret_cast<{}>({})",
      types[is_of_launch ? 0 : 1], is_of_gcc ? at : "...");
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
  const auto named = std::ranges::find_if(left_out_, [&](const LeftOut& each) { return names(why.text, each.name); });
  LeftOut added{name.substr(0, name.find(" (")),
                fmt::format("{} was left out: {}:{}:{}: {}", name, why.file, place.line, place.column, why.text),
                named == left_out_.end() ? left_out_.size() : named->first};
  left_out_.push_back(std::move(added));
}

std::vector<std::string> Complaints::first_causes() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < left_out_.size(); ++i) {
    if (left_out_[i].first == i) result.push_back(left_out_[i].why);
  }
  return result;
}

std::string Complaints::shown(const Project& project, const std::vector<Message>& messages,
                              const std::string& printed) const {
  std::string text;
  std::size_t errors = 0;
  for (const Message& message : messages) {
    // Of a function that does not match, a note has the types.
    if (message.kind == Message::Kind::Note && errors == 1 && text.find(declared_in_) == 0) {
      text += cure_of_pointer(message.text, "...");
    }
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
    if (message.file != declared_in_) continue;
    text += cure_of_pointer(message.text, word_at(line, place.column));
    const auto after = std::ranges::find_if(declared_->kernels,
                                            [&](const Declaration& each) { return each.launch.line > place.line; });
    if (after != declared_->kernels.begin()) text += names_in_scope(message.text, *std::prev(after));
  }
  if (errors > kMostShown) text += fmt::format("\nand {} more errors", errors - kMostShown);
  if (errors == 0) text = printed;
  std::set<std::size_t> said;
  for (std::size_t i = 0; i < left_out_.size(); ++i) {
    const bool is_missed = std::ranges::any_of(messages, [&](const Message& message) {
      return message.kind == Message::Kind::Error && names(message.text, left_out_[i].name);
    });
    if (!is_missed) continue;
    for (const std::size_t which : {i, left_out_[i].first}) {
      if (said.insert(which).second) text += "\n" + left_out_[which].why;
    }
  }
  for (const std::string& name : project.missing()) {
    text += fmt::format("\nno header is called {}: it counted as empty", name);
  }
  return text;
}

}  // namespace negzero::source
