// The folder of findings: cases are written there at once, and named by what they hold.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/cause.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::campaign {

/// The files of one failure: the same name before the word that says what each holds. Empty: there is none.
struct FailureFiles {
  std::string name;      ///< "gemm.naive.f32.wrong_value.finite"
  std::string original;  ///< path of the case as it was met
  std::string partial;   ///< of one whose shrinking was cut short
  std::string shrunk;
  std::string same;  ///< of one that another finding explains: it is none itself
  [[nodiscard]] const std::string& smallest() const {
    return !shrunk.empty() ? shrunk : !partial.empty() ? partial : original;
  }
  /// Whether another finding explains it, and no shard has shrunk it to one of its own.
  [[nodiscard]] bool is_explained() const { return !same.empty() && shrunk.empty() && partial.empty(); }
};

/// The failures that a directory holds, in the order of their names; none where it cannot be read.
[[nodiscard]] std::vector<FailureFiles> failures_in(const std::string& directory);

/// Used from several threads.
class FindingFiles {
 public:
  /// What a file is called after its kernel and class: what it holds, so that the same finding is the same file in
  /// every run, or its cause, so that several campaigns that share a folder keep one finding of each: the first.
  enum class Named : unsigned char { ByContent, ByCause };

  /// Empty: the current directory. Writes nothing yet.
  explicit FindingFiles(std::string directory, Named named = Named::ByContent)
      : directory_(directory.empty() ? "." : std::move(directory)), named_(named) {}

  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] Named named() const { return named_; }
  /// Cleans up what an earlier run left half written. Infrastructure error where nothing could be written here.
  [[nodiscard]] base::Status open() const;
  /// Writes DIR/<kernel>.<class>.<hash of the content>.<what>.safetensors, or DIR/<kernel>.<cause>.<what>.safetensors;
  /// where one of that cause is there, it stays. Returns the path, or nothing after counting the failure: a full disk
  /// must not cost the report.
  [[nodiscard]] std::string save(const operation::Case& value, const Cause& cause, std::string_view what);
  /// One error for all files that could not be written: what keeps one from it mostly keeps the others too.
  [[nodiscard]] std::optional<base::Error> problem() const;

 private:
  std::string directory_;
  Named named_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::uint64_t unsaved_ = 0;
  std::string first_unsaved_;
};

}  // namespace negzero::campaign
