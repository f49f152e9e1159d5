// Threads that judge: the floating-point environment of the oracle, and errors that reach the caller.

#pragma once

#include <cstddef>
#include <exception>
#include <mutex>

#include <negzero/base/float_environment.hpp>
#include <negzero/base/parallel.hpp>

namespace negzero::judgement {

/// base::parallel_for() in the oracle's floating-point environment, whatever the caller's is. What `work` throws first
/// is thrown here once all threads have ended; what is left then is not begun.
template <typename Work>
void in_parallel(std::size_t threads, std::size_t count, const Work& work) {
  std::exception_ptr first;
  std::mutex mutex;
  const auto failed = [&] {
    const std::lock_guard lock(mutex);
    return first != nullptr;
  };
  base::parallel_for(threads, count, [&](std::size_t i) {
    const base::FloatScope scope;
    if (failed()) return;
    try {
      work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (first == nullptr) first = std::current_exception();
    }
  });
  if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace negzero::judgement
