// Launches for tests whose kernels are lambdas: a thread that does what no kernel file does.

#pragma once

#include <exception>
#include <type_traits>

#include <negzero/engine/current.hpp>
#include <negzero/engine/stream.hpp>

namespace negzero {

/// Runs `work` as the one thread of a launch, and throws what it throws. On a stream of a device, which in such a test
/// is a fake one, it runs at once.
template <typename Work>
void on_device(engine::Stream& stream, Work&& work) {
  struct Call {
    std::remove_reference_t<Work>* work;
    std::exception_ptr thrown;
  };
  if (stream.is_device()) {
    work();
    return;
  }
  Call call{&work, nullptr};
  Call* const self = &call;
  const auto body = [](const void* data) {
    for (;;) {
      Call& mine = **static_cast<Call* const*>(data);
      // Nothing can be thrown past a thread's first frame.
      try {
        (*mine.work)();
      } catch (...) {
        mine.thrown = std::current_exception();
      }
      if (!engine::advance()) engine::end_thread();
    }
  };
  engine::run_grid(stream, {{1, 1, 1}, {1, 1, 1}, 0, false, body, &self, sizeof self});
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace negzero
