// A campaign's folder with each of its findings run again, so that they can be told as when they were made.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/campaign/folder.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/campaign/stop_condition.hpp>

namespace negzero::campaign {

/// A finding of the folder: by its smallest file, as it fails now.
struct FoundAgain : Finding {
  enum class Size : unsigned char {
    Shrunk,  ///< there is no smaller case of it
    Partly,  ///< shrinking was cut short
    AsMet,   ///< no shard has shrunk it yet
  };
  Size size = Size::Shrunk;
  /// Why `failure` is what the file says and not what a run showed, as "it passes now"; empty: a run showed it.
  std::string unseen;
  std::vector<std::string> also;  ///< files of other failures that were shrunk to the same cause
};
[[nodiscard]] std::string_view name(FoundAgain::Size size) noexcept;  ///< "shrunk", "partly_shrunk", "as_met"

struct Survey {
  kernel::Place place = kernel::Place::Host;
  std::string folder;
  FolderState state;
  std::vector<FoundAgain> findings{};
  std::vector<base::Error> errors{};  ///< files of findings that cannot be read
  bool interrupted = false;

  [[nodiscard]] std::uint64_t elapsed_ms() const;  ///< of all shards together
  [[nodiscard]] Counts counts() const;             ///< of all kernels
  /// The sum of what each shard did in a second of its own time.
  [[nodiscard]] double cases_a_second() const;
  [[nodiscard]] FuzzPoint latest() const;  ///< features and code blocks are those of the shard that has seen most
  [[nodiscard]] bool decided() const;
};

/// Reads the folder and runs each finding once on the kernel that it names, on all examiners at once, with an
/// observation where the options ask for it. One that cannot be run here is told by what its file says. `on_run(begun,
/// of)` comes before each. Once `stop` is true no more run. Errors: those of read_folder(), workers that cannot be
/// started.
[[nodiscard]] base::Result<Survey> survey(const std::string& folder, const EvaluationOptions& options,
                                          const std::function<void(std::size_t, std::size_t)>& on_run,
                                          const Stop& stop);

}  // namespace negzero::campaign
