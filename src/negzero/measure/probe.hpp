// Ways to call a callee with any sizes and lengths, as declarations of kernels.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <negzero/measure/callee.hpp>

namespace negzero::measure {

/// What the pointers that may be written are taken for.
enum class Treatment : unsigned char {
  Outputs,     ///< all are outputs
  LastOutput,  ///< the last one is, others are inputs that are not const
  Zeroed,      ///< the last one is and holds zeros before the call, others are inputs
  InPlace,     ///< the last one is an input and an output, others are inputs
};

/// One way to call a callee. In its declaration parameter i is the tensor p<i> of l<i> elements, the size s<i>, which
/// the tensor z<i> exists for, or the scalar f<i>, a number or a size; q<i> is what lies in p<i> before a call in
/// place.
struct Probe {
  std::string kernel{};  ///< its name
  std::size_t callee = 0;
  Treatment treatment = Treatment::Outputs;
  std::string launch{};  ///< of a kernel: what lies between <<< and >>>, in names of its own parameters
  Places inputs{};       ///< places of pointers that are read
  Places outputs{};      ///< places of pointers that are written

  /// Places of pointers whose elements the operation reads: the inputs, and what is there before a call in place.
  [[nodiscard]] Places read() const;
};

/// All ways to call callee `number` that make sense; none where it cannot be measured.
[[nodiscard]] std::vector<Probe> probes_of(const Callee& callee, std::size_t number);
/// The declaration of a probe.
[[nodiscard]] std::string declaration_of(const Probe& probe, const Callee& callee);
/// The call of a callee: NAME(ARGUMENTS), a kernel with its launch.
[[nodiscard]] std::string call_of(const Probe& probe, const Callee& callee, std::span<const std::string> arguments);
/// A launch in which the names of the callee's sizes are replaced by `names`, by place.
[[nodiscard]] std::string launch_with(const std::string& launch, const Callee& callee,
                                      std::span<const std::string> names);

}  // namespace negzero::measure
