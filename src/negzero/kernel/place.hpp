// Where kernels run, and how their code was built.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace negzero::kernel {

/// Where a kernel runs.
enum class Place : unsigned char {
  Host,    ///< on the engine, whose threads are fibers of a host thread
  Device,  ///< on a GPU
};

/// Every place, in the order in which people read them.
inline constexpr Place kPlaces[] = {Place::Host, Place::Device};

/// One value a place. What differs between places is such a row, and no branch.
template <typename T>
struct AtPlace {
  T host{}, device{};
  [[nodiscard]] constexpr const T& operator[](Place place) const noexcept {
    return place == Place::Device ? device : host;
  }
};

/// Whether kernels can run watched there, and so show which of their code ran.
inline constexpr AtPlace<bool> kCanBeWatched{.host = true, .device = false};

/// How the code of a kernel was built.
struct Build {
  /// The command that starts its workers, but for their own arguments (protocol/worker_wire.hpp). Empty: this program.
  std::vector<std::string> program{};
  /// What the user named by --kernels for it: that program, or the files that it was compiled from. Lines to paste name
  /// it too. Empty: nothing.
  std::vector<std::string> named{};
  bool watched = false;   ///< every load and store reports itself to a watch
  bool coverage = false;  ///< every basic block that runs reports itself
  /// Its worker shows values and nothing else: no watched build, no order of threads, and, where results are copied
  /// into the outputs, neither what is never written nor what is written outside them.
  bool values_only = false;
  /// What computes in the GPU's place, such as "Triton": its numerics are not the GPU's. Empty: nothing does.
  std::string interpreter{};
  bool has_interpreters_contract = false;  ///< the contract is what the interpreter promises, and not the GPU
  /// Whether the kernel's contract is of a machine that did not compute: nothing passes it then.
  [[nodiscard]] bool cannot_pass() const noexcept { return !interpreter.empty() && !has_interpreters_contract; }

  friend bool operator==(const Build&, const Build&) = default;
};

/// What a result of such a kernel is not: "Triton interpreter: not the GPU's numerics; ...". Empty where nothing
/// computes in the GPU's place.
[[nodiscard]] std::string interpreter_text(const Build& build);

/// A place, and whether a run there is watched: what case files, ledgers and reports call an executor.
struct Where {
  Place place = Place::Host;
  bool watched = false;

  constexpr Where() = default;
  constexpr Where(Place at) : place(at) {}  // NOLINT(google-explicit-constructor): a place is a plain run there
  constexpr Where(Place at, bool is_watched) : place(at), watched(is_watched) {}
  friend bool operator==(const Where&, const Where&) = default;
};

/// Every run that there is, in the order in which people read them.
inline constexpr Where kWheres[] = {{Place::Host}, {Place::Device}, {Place::Host, true}};

[[nodiscard]] std::string_view name(Where where) noexcept;  ///< "host", "cuda", "watched"
/// What name() is the inverse of, or nothing.
[[nodiscard]] std::optional<Where> where_named(std::string_view word) noexcept;

#if defined(__CUDACC__) && !defined(NEGZERO_UNMODIFIED)
static constexpr Place kThisPlace = Place::Device;  // Internal linkage: the builds of a file differ here.
#else
static constexpr Place kThisPlace = Place::Host;
#endif
#ifdef NEGZERO_WATCHED  // Its flags have coverage too: cmake/kernels.cmake.
static constexpr bool kThisIsWatched = true;
#else
static constexpr bool kThisIsWatched = false;
#endif

}  // namespace negzero::kernel
