// The files of a stranger's project that one CUDA file reaches, and their copies for the host.

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/source/edit.hpp>
#include <negzero/source/flags.hpp>
#include <negzero/source/kit.hpp>
#include <negzero/source/place.hpp>
#include <negzero/source/units.hpp>

namespace negzero::source {

/// A file as its author has it, and what is to be changed of it for the host.
struct SourceFile {
  std::string text{};
  std::vector<Edit> edits{};
  std::vector<Unit> units{};         ///< whose views are of nothing that moves: they hold positions
  std::set<std::size_t> left_out{};  ///< units that are
};

/// Files are copied, with their edits, to `FOLDER/copies/ABSOLUTE/PATH`, so that what they include by relative paths is
/// found there too. Headers that are nowhere become empty files of `FOLDER/missing`.
class Project {
 public:
  /// Finds the files that `mains` reach, which the compiler lists. Usage errors: a file cannot be read.
  [[nodiscard]] static base::Result<Project> of(const std::vector<std::string>& mains, const Kit& kit,
                                                const HostFlags& flags, const std::string& folder);

  /// What a copy is for: a host compiler, or nvcc, for which nothing is edited and the same host code is left out.
  enum class For : unsigned char { Host, Gpu };

  /// Writes the copies.
  [[nodiscard]] base::Status write(For what = For::Host) const;
  /// Where the copy of a file is.
  [[nodiscard]] std::string copy_of(const std::string& path, For what = For::Host) const {
    return folder_ + (what == For::Gpu ? "/gpu" : "/copies") + path;
  }
  /// The flags that compile a copy: the author's folders are looked for among the copies first.
  [[nodiscard]] std::vector<std::string> flags(For what = For::Host) const;

  [[nodiscard]] const std::map<std::string, SourceFile>& files() const { return files_; }
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Where a place of a copy is in its author's file.
  [[nodiscard]] Place before(const std::string& path, Place place) const;
  /// Whether one of the files has a volatile in its code.
  [[nodiscard]] bool has_volatile() const { return has_volatile_; }
  /// Counts a header that is nowhere as empty.
  [[nodiscard]] base::Status add_missing(const std::string& name);
  /// Leaves out the declaration of host code at that place of a copy; returns "NAME (FILE:LINE)". Nothing where there
  /// is none, or code of the device.
  [[nodiscard]] std::optional<std::string> leave_out(const std::string& path, Place place);

 private:
  /// Reads one of the files that the compiler has listed.
  [[nodiscard]] base::Status take(const std::string& name, const std::vector<std::string>& listed, const Kit& kit);

  std::string folder_, missing_folder_;
  HostFlags flags_;
  std::map<std::string, SourceFile> files_;  ///< by absolute path
  std::vector<std::string> missing_;
  std::vector<std::string> notes_;
  bool has_volatile_ = false;
};

}  // namespace negzero::source
