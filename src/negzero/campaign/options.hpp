// How cases are to be evaluated: where kernels run, for how long, what is watched.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <negzero/kernel/kernel.hpp>

namespace negzero::campaign {

/// Which runs are watched: every load and store reported, for about ten times the time. Large cases
/// (run::is_small_enough_to_watch) are watched only where a given case is to be watched alone.
enum class Watch : unsigned char {
  Auto,  ///< a given case: plainly, and watched where it passes; `check`: one in twenty and risky ones, the same for a
         ///< seed; `fuzz`: small ones besides (looks.hpp)
  Always,  ///< watched alone
  First,   ///< a given case: watched, and plainly where the watch sees nothing; others as with Auto
  Never,
};

struct EvaluationOptions {
  kernel::Place place = kernel::Place::Host;  ///< where kernels run
  std::vector<int> gpus{};                    ///< numbers of the GPUs of Place::Device, shared by the examiners in turn
  int jobs = 1;                               ///< examiners, each with a worker at a time; on a GPU, cores to keep busy
  std::uint64_t timeout_ms = 10000;           ///< see run::WorkerOptions
  std::uint64_t shrink_time_ms = 60000;       ///< longest time for the shrinking of one failure; 0: none is shrunk
  bool in_process = false;                    ///< no other processes: for debuggers; a crash then ends the program
  std::string exact{};                        ///< force a method of exact by name
  Watch watch = Watch::Auto;                  ///< a kernel with no watched build is never watched
  bool observe = false;  ///< findings come with what their case gave, element by element: observation.hpp
};

}  // namespace negzero::campaign
