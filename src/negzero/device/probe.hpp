// Which GPUs this process could use, and why none where there is none.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace negzero::device {

struct Gpu {
  int number = 0;
  std::string name{};
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0, free_bytes = 0;
  std::string trouble{};  ///< why it cannot be used although it is there; empty: it can
};

struct Probe {
  bool has_cuda = false;    ///< this program was built with CUDA: it can run kernels of its own on a GPU
  int runtime_version = 0;  ///< 13000 is 13.0; of the runtime that is linked in
  int driver_version = 0;   ///< newest CUDA that the driver supports; 0: no driver
  std::vector<Gpu> gpus{};  ///< all that the driver shows, usable or not
  std::string why_not{};    ///< one line, when no GPU can be used
  std::string cure{};       ///< what to do about it

  [[nodiscard]] bool usable() const { return why_not.empty(); }
  /// Numbers of the GPUs that can be used.
  [[nodiscard]] std::vector<int> usable_gpus() const;
};

/// Asks the driver, in a child process that ends at once: a process that has touched CUDA must never fork again, and a
/// driver that crashes or hangs (30 s) is an answer too. `on_delay` is called once where it has not answered in 3 s:
/// one that has just lost a GPU to an illegal access takes half a minute.
[[nodiscard]] Probe probe(const std::function<void()>& on_delay = {});

/// "13.0" for 13000.
[[nodiscard]] std::string version_text(int version);

}  // namespace negzero::device
