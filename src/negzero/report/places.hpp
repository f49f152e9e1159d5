// Places in source that messages name: which file of a kernel's that is, and the lines around them.
//
// Messages hold names of files without folders, the same on every machine. A place is looked for among the file that a
// kernel is registered in and what that one includes in quotes, or beside the one of its declaration: a file of that
// name elsewhere could be another one, and a wrong place is worse than none.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/operation/source_line.hpp>

namespace negzero::report {

/// Files of source below some folders.
class Sources {
 public:
  Sources() = default;
  /// Relative paths are looked for in each folder, in this order.
  explicit Sources(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  /// What a file holds; nothing where it is not there, is no regular file, has more than 4 MiB, or is not called as
  /// C++ and CUDA are: what a kernel's program says of itself must not make a report show any other file.
  [[nodiscard]] std::optional<std::string> read(const std::string& path) const;

 private:
  std::vector<std::string> folders_;
};

struct SourcePlace : operation::SourceLine {
  std::string file{};  ///< its path as the kernel's build names it, mostly from the root of a project; empty: not known
  std::vector<std::pair<int, std::string>> lines{};  ///< those around it, with their numbers; empty: not readable
};

/// operation::source_lines_in(), with no file and no lines yet.
[[nodiscard]] std::vector<SourcePlace> places_in(std::string_view text);

/// Fills in the file and the lines of places that a run of a kernel named. `registered_in` is the file of the kernel's
/// registration, empty where that is not known.
void locate(std::vector<SourcePlace>& places, const std::string& registered_in, const Sources& sources);

/// The texts of the lines that places name, without blanks, ascending; of those that are known.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<SourcePlace>& places);
/// The same of lines that a run of a kernel named.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<operation::SourceLine>& lines,
                                                const std::string& registered_in, const Sources& sources);

/// The place of a registration, with its lines. An empty one where `file` is empty.
[[nodiscard]] SourcePlace place_of(const std::string& file, int line, const Sources& sources);

}  // namespace negzero::report
