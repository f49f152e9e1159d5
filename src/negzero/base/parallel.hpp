// A loop whose turns share some threads.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace negzero::base {

/// Calls `work(i)` once for each i below `count`, in any order, on at most `threads` threads, of which the calling one
/// is the first. Returns when all calls have. `work` must not throw.
template <typename Work>
void parallel_for(std::size_t threads, std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(threads, count); ++i) helpers.emplace_back(take_turns);
  take_turns();
}

}  // namespace negzero::base
