// The folder of findings: cases are written there at once, and named by what they hold.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <negzero/base/result.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/verdict.hpp>

namespace negzero::campaign {

class FindingFiles {
 public:
  /// Empty: the current directory. Writes nothing yet.
  explicit FindingFiles(std::string directory) : directory_(directory.empty() ? "." : std::move(directory)) {}

  [[nodiscard]] const std::string& directory() const { return directory_; }
  /// Cleans up what an earlier run left half written. Infrastructure error where nothing could be written here.
  [[nodiscard]] base::Status open() const;
  /// Writes DIR/<kernel>.<class>.<hash of the content>.<what>.safetensors, so that the same finding is the same file in
  /// every run. Returns the path, or nothing after counting the failure: a full disk must not cost the report.
  [[nodiscard]] std::string save(const operation::Case& value, const operation::Failure& failure,
                                 std::string_view what);
  /// One error for all files that could not be written: what keeps one from it mostly keeps the others too.
  [[nodiscard]] std::optional<base::Error> problem() const;

 private:
  std::string directory_;
  std::uint64_t unsaved_ = 0;
  std::string first_unsaved_;
};

}  // namespace negzero::campaign
