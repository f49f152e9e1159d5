// What a compiled program was made of, beside it: so that it is compiled again where that has changed.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <negzero/source/program.hpp>

namespace negzero::source {

/// A program and the hash of every file that it came from.
struct Manifest {
  std::map<std::string, std::string> files{};
  Program program{};

  /// Nothing where there is none, or one that is damaged.
  [[nodiscard]] static std::optional<Manifest> read(const std::string& path);
  void write(const std::string& path) const;
  /// Whether the program is there, and all files are as they were.
  [[nodiscard]] bool is_current() const;
  /// Whether the program and its objects are this user's own files, in folders of a folder that are it too: a manifest
  /// says what is run. Requires that the folder is this user's own.
  [[nodiscard]] bool is_own_in(const std::string& folder) const;
};

/// 32 hexadecimal digits that another text hardly has.
[[nodiscard]] std::string hash_of(std::string_view text);
[[nodiscard]] std::string absolute(const std::string& path);

}  // namespace negzero::source
