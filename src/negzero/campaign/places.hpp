// Where in source failures of each class were seen: a kernel may have several races, and one of them is shrunk.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include <negzero/operation/source_line.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// Failing cases by a place that their messages name.
using PlaceCounts = std::map<operation::SourceLine, std::uint64_t>;

class Places {
 public:
  void add(const verdict::Failure& failure) {
    PlaceCounts& counts = by_class_[failure.kind];
    for (const operation::SourceLine& place : operation::source_lines_in(failure.message)) {
      if (counts.size() < kMost || counts.contains(place)) ++counts[place];
    }
  }
  /// Those of a failure's class that neither it nor the watch, in what it says of it, names.
  [[nodiscard]] PlaceCounts beside(const verdict::Failure& failure, std::string_view watched) const {
    const auto found = by_class_.find(failure.kind);
    PlaceCounts counts = found == by_class_.end() ? PlaceCounts{} : found->second;
    for (const std::string_view text : {std::string_view(failure.message), watched}) {
      for (const operation::SourceLine& place : operation::source_lines_in(text)) counts.erase(place);
    }
    return counts;
  }

 private:
  static constexpr std::size_t kMost = 16;  ///< places of a class: names in messages are a kernel's own
  std::map<verdict::FailureClass, PlaceCounts> by_class_;
};

}  // namespace negzero::campaign
