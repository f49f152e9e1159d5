// What a child prints, of which a parent keeps the beginning and the end.

#pragma once

#include <cstddef>
#include <string>

namespace negzero::run {

/// Most bytes of it in a message of ours, where it is quoted.
inline constexpr std::size_t kMostQuoted = 500;

/// Any bytes.
struct Printed {
  std::string first;  ///< the beginning, some thousands
  std::string last;   ///< the end, some hundreds

  /// Takes what has come through a pipe that is read without waiting. What prints faster than it is read cannot hold up
  /// its reader: a turn takes so much and no more.
  void drain(int output);
};

}  // namespace negzero::run
