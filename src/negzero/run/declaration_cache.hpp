// Keeps what modules of Python declare, until a file changes that it depends on.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <negzero/run/program.hpp>

namespace negzero::run {

/// What one module declared, in a file below XDG_CACHE_HOME/negzero, or below HOME/.cache/negzero:
///
///     {"version": 1, "command": ["PYTHON", ...], "environment": ["NAME=VALUE", ...],
///      "files": {"PATH": "0123456789abcdef"}, "declaration": "..."}
///
/// `files` are those that the declaration names itself: the module, what it imports from its folder, and the package;
/// each with a hash of its content. Where there is no such folder, or one that others may
/// write, nothing is kept and nothing is believed.
class DeclarationCache {
 public:
  /// Of a module, by how it is started.
  explicit DeclarationCache(const Program& program);

  /// The declaration that is kept, if every one of its files still has the same content. A file of the cache that is
  /// damaged, or of something else, is none.
  [[nodiscard]] std::optional<std::string> find() const;
  /// Keeps a declaration that was asked for at `asked`. Not where it names no files, or one that has changed since. A
  /// cache that cannot be written is no error.
  void keep(const std::string& declaration, std::filesystem::file_time_type asked) const;

 private:
  Program program_;
  std::string path_;
};

}  // namespace negzero::run
