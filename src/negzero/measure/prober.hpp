// Runs probes on chosen sizes, lengths and contents.

#pragma once

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

/// What a probe is given. Keys are places of parameters.
struct Given {
  std::map<std::size_t, std::int64_t> sizes{};
  std::map<std::size_t, std::int64_t> lengths{};          ///< elements of pointers
  std::map<std::size_t, std::vector<double>> contents{};  ///< of inputs; what is missing is 0
  std::map<std::size_t, double> numbers{};
};

/// What became of it.
struct Seen {
  enum class Kind : unsigned char {
    Ran,            ///< `outputs` hold what was written
    TooShort,       ///< something outside a pointer's elements was read or written
    Unwritten,      ///< elements of an output were never written
    Uninitialised,  ///< an output was read before it was written
    Failed,         ///< it raced, hung, or could not be launched
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
  /// `watched`: every load and store is; races count then.
  [[nodiscard]] Seen run(const Probe& probe, const Given& given, bool watched);

 private:
  run::WorkerExecutor executor_;
};

}  // namespace negzero::measure
