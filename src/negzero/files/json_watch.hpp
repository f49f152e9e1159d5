// What nlohmann's parser lets pass without a word.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace negzero::files {

/// A callback of nlohmann's parser, to be given by std::ref(): notes a key that comes twice in one object, of which
/// the parser keeps the last; and drops what nests deeper than `deepest`, as printing it would recurse. (For JSON that
/// may have fractions: strict_json.hpp reads the rest.)
class JsonWatch {
 public:
  using Json = nlohmann::ordered_json;
  explicit JsonWatch(int deepest) : deepest_(deepest) {}

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key && !open_.back().insert(parsed.get<std::string>()).second) {
      duplicate_ = parsed.get<std::string>();
    }
    is_deep_ = is_deep_ || depth > deepest_;
    return depth <= deepest_;
  }

  /// The last key that came twice; nothing where none did.
  [[nodiscard]] const std::optional<std::string>& duplicate() const noexcept { return duplicate_; }
  /// Whether something was dropped.
  [[nodiscard]] bool is_deep() const noexcept { return is_deep_; }

 private:
  int deepest_;
  std::vector<std::set<std::string>> open_{};  ///< keys of each open object
  std::optional<std::string> duplicate_{};
  bool is_deep_ = false;
};

}  // namespace negzero::files
