// The tasks of a search that are under way, by the tags that their replies carry.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace negzero::campaign {

/// A task leaves with its last reply, or with the first that is the last one wanted. `What`: what is known of one.
template <typename What>
class Flights {
 public:
  /// Adds a task of so many cases. Returns its tag; nothing for a task without cases, to which no reply would ever
  /// come.
  std::optional<std::uint64_t> begin(What what, std::uint64_t cases) {
    if (cases == 0) return std::nullopt;
    flights_.emplace(next_, Flight{std::move(what), cases});
    return next_++;
  }

  /// Requires a tag that is under way.
  [[nodiscard]] What& at(std::uint64_t tag) { return flights_.at(tag).what; }

  /// Counts a reply. `goes_on`: whether more of the task are wanted. Requires a tag that is under way.
  void answered(std::uint64_t tag, bool goes_on) {
    const auto at = flights_.find(tag);
    if (--at->second.left == 0 || !goes_on) flights_.erase(at);
  }

  /// The tag that the next task gets.
  [[nodiscard]] std::uint64_t next() const { return next_; }
  [[nodiscard]] std::size_t size() const { return flights_.size(); }
  void clear() { flights_.clear(); }

 private:
  struct Flight {
    What what;
    std::uint64_t left = 0;
  };
  std::map<std::uint64_t, Flight> flights_;
  std::uint64_t next_ = 0;
};

}  // namespace negzero::campaign
