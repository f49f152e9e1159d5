// What of a CUDA file can be called, and what its parameters are by their types.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <negzero/number/format.hpp>
#include <negzero/source/signatures.hpp>

namespace negzero::measure {

/// As many as there are different ones in the sets that lengths are measured at.
inline constexpr std::size_t kMostSizes = 6;

/// Places of parameters.
using Places = std::vector<std::size_t>;

/// One parameter of a callee.
struct Parameter {
  enum class Role : unsigned char {
    Pointer,  ///< to elements of a format that negzero has
    Size,     ///< an integer by value: mostly an extent
    Number,   ///< a float or double by value
    Stream,   ///< a cudaStream_t
    Other,    ///< anything else: what it means is not measured
  };
  Role role = Role::Other;
  std::string name{}, type{};  ///< the element's type: "float"
  std::string format{};        ///< of a pointer: "F32"
  bool is_const = false;       ///< a pointer to const

  /// Whether it points to integers.
  [[nodiscard]] bool is_integer() const {
    const auto known = number::parse_format(format);
    return known && number::format(*known).is_integer();
  }
};

/// A function of host code that launches kernels, or a kernel.
struct Callee {
  std::string name{};                  ///< with its namespaces
  std::size_t line = 0;                ///< in its file
  std::vector<std::string> kernels{};  ///< of a function: those that it launches; empty: it is a kernel
  std::vector<Parameter> parameters{};

  [[nodiscard]] bool is_kernel() const { return kernels.empty(); }
  /// The places of parameters of a role, in order.
  [[nodiscard]] Places places_of(Parameter::Role role) const;
};

/// The callee that a signature is. `kernels`: Callee::kernels.
[[nodiscard]] Callee callee_of(const source::KernelSignature& function, std::vector<std::string> kernels);

/// Whether it can be run with nothing known of it: one pointer that may be written, no parameter of another kind, and
/// no more of them than a probe's operation has extents and scalars for.
[[nodiscard]] bool can_be_measured(const Callee& callee);
/// The sizes that a probe's operation has an extent for: the first ones, as each pointer needs one, too. Others are
/// scalars of it.
[[nodiscard]] Places sizes_with_extent(const Callee& callee);

}  // namespace negzero::measure
