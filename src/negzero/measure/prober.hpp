// Runs probes on chosen sizes, lengths and contents.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <negzero/measure/callee.hpp>
#include <negzero/measure/probe.hpp>
#include <negzero/run/worker_executor.hpp>

namespace negzero::measure {

/// Numbers by place.
using Extents = std::map<std::size_t, std::int64_t>;

/// What a probe is given. Keys are places of parameters.
struct Given {
  Extents sizes{};                                        ///< as they are passed
  Extents extents{};                                      ///< of sizes that are multiples of an extent: that extent
  Extents lengths{};                                      ///< elements of pointers
  std::map<std::size_t, std::vector<double>> contents{};  ///< of inputs
  std::map<std::size_t, double> everywhere{};             ///< what is missing of contents; else 0
  std::map<std::size_t, double> numbers{};
};

/// What became of it.
struct Seen {
  enum class Kind : unsigned char {
    Ran,            ///< `outputs` hold what was written
    TooShort,       ///< something outside a pointer's elements was read or written
    Unwritten,      ///< elements of an output were never written
    Uninitialised,  ///< an output was read before it was written
    Refused,        ///< a launch was no valid one
    Failed,         ///< it raced or hung
  };
  Kind kind = Kind::Failed;
  std::map<std::size_t, std::vector<double>> outputs{};
  std::string why{};  ///< where nothing ran: what was wrong
};

/// Runs the probes of one program, each of whose kernels is in the registry. What a callee does to its process reaches
/// no other.
class Prober {
 public:
  Prober();
  /// `watched`: every load and store is; races count then. Nothing runs after a time limit.
  [[nodiscard]] Seen run(const Probe& probe, const Given& given, bool watched);

  /// Sets the time limit, from now on.
  void allow(std::chrono::milliseconds time) { end_ = Clock::now() + time; }
  [[nodiscard]] bool is_over() const { return Clock::now() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;
  run::WorkerExecutor executor_;
  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace negzero::measure
