// A kernel as negzero knows it, and the registry of all kernels in this program.

#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/engine/stream.hpp>
#include <negzero/kernel/args.hpp>
#include <negzero/kernel/place.hpp>
#include <negzero/kernel/reference.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::kernel {

/// What a declaration that was proposed may guess.
inline constexpr std::array<std::string_view, 3> kMayBeGuessed = {"launch", "limits", "operation"};

/// One implementation of an operation.
struct Kernel {
  std::string name;  ///< dotted: "gemm.tiled.f32", "faulty.A1.max_by_sign", "twin.A1.max_by_sign_bit"
  /// Signature::identity(): "gemm", "reduce.max", "softmax: y[rows, columns] <- x[rows, columns]".
  std::string operation;
  std::string about{};  ///< one line for `negzero list` (for a fault: what is wrong, and where it was seen)
  contract::Contract contract{};
  operation::Limits limits{};
  Reference reference{};  ///< what values are held to, where the operation is declared
  /// What of the declaration rests on a guess that its author has not confirmed, of kMayBeGuessed: findings say so.
  std::vector<std::string> guessed{};
  /// Enqueues the kernel on the stream. Called once a case; must not keep the pointers. Empty in a process that only
  /// knows what the kernel declares.
  std::function<LaunchResult(const Args&, Workspace&, engine::Stream&)> launch{};
  /// Whether it takes a case inside its limits, where values have relations that limits cannot say; absent: all of
  /// them. Only of a kernel whose user is in this process.
  std::function<bool(const operation::Case&)> admits{};
  Place place = kThisPlace;
  Build build{.watched = kThisIsWatched, .coverage = kThisIsWatched};
  /// Where it is registered: the file as its compiler named it, without any "../" before it. Empty and 0: not known.
  std::string file{};
  int line = 0;

  [[nodiscard]] Where where() const { return {place, build.watched}; }
  /// Whether it may be given the case.
  [[nodiscard]] bool takes(const operation::Case& value) const;
  [[nodiscard]] bool is_faulty() const { return name.starts_with("faulty."); }
};

/// Where kernels come from: what can be started to run them, and what it says they are.
struct KernelSource {
  std::vector<std::string> program{};  ///< Build::program of its kernels
  std::string declarations{};          ///< kernel::declarations() of that program
  std::vector<std::string> named{};    ///< Build::named of its kernels

  friend bool operator==(const KernelSource&, const KernelSource&) = default;
};

/// A file of kernels that a program was built without: one for a GPU alone, in a build without CUDA.
struct AbsentFile {
  std::string file{};  ///< from the root of its project
  std::string why{};   ///< a clause: "for a GPU alone, and this build has no CUDA"

  friend bool operator==(const AbsentFile&, const AbsentFile&) = default;
};

/// All kernels that this process knows: those linked into it, which static initialisers in kernel files add, and those
/// that other sources declare.
class Registry {
 public:
  /// Adds a kernel; returns true so that a namespace-scope constant can hold the result. A second kernel of the same
  /// name and place and watch, an invalid name, an unknown operation, an empty launch, a contract that contradicts
  /// itself, an accumulator of floats for integers or of integers for floats, limits that no case fits and a reference
  /// that says nothing are mistakes of that line: the kernel is left out, errors() says why.
  bool add(Kernel kernel, const char* file = __builtin_FILE(), int line = __builtin_LINE());

  /// Adds a kernel whose code is in another program: all but `launch` is held to the same. Of two declarations of one
  /// program the first one is kept.
  void declare(Kernel kernel);
  /// Narrows the values that the limits of a kernel accept, of its tensors and its scalars, in all its builds. A usage
  /// error where the operation has nothing of a name, or the limits accept none of its values.
  base::Status narrow(std::string_view name, const operation::ByName<operation::ValueRange>& values);
  /// Takes out all builds of a kernel, for what only shows when all kernels are known; errors() says why.
  void leave_out(const std::string& name, const std::string& why);
  /// Adds to errors() what another program says of its kernels.
  void note_error(std::string error);

  /// Adds a file that a program was built without, once; returns true as add() does. Kernels' names are not known then.
  bool note_absent(AbsentFile absent);

  /// The kernel of exactly that name, or nullptr.
  [[nodiscard]] const Kernel* find(std::string_view name, Where where) const;
  /// The kernel of that name at the first of kWheres that has it, or nullptr: for what all its builds declare.
  [[nodiscard]] const Kernel* find_anywhere(std::string_view name) const;
  /// Kernels there that match any of the globs (`*`, `?`), sorted by name. No globs: all but `faulty.*` and those that
  /// only say what others are held to.
  [[nodiscard]] std::vector<const Kernel*> match(std::span<const std::string> globs, Where where) const;
  /// All of them, in the order in which they came.
  [[nodiscard]] std::vector<const Kernel*> all() const;
  /// The programs of all kernels, each once, in the order in which they came.
  [[nodiscard]] std::vector<std::vector<std::string>> programs() const;
  /// Names closest to `name`, for "did you mean".
  [[nodiscard]] std::vector<std::string> closest(std::string_view name, Where where) const;
  /// "FILE:LINE: kernel 'NAME': what is wrong", once for the builds of a file.
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  /// Files that programs were built without, in the order in which they came.
  [[nodiscard]] const std::vector<AbsentFile>& absent() const { return absent_; }

 private:
  std::vector<std::unique_ptr<Kernel>> kernels_;  // Pointers stay valid while kernels are added.
  std::vector<std::string> errors_;
  std::vector<AbsentFile> absent_;
};

/// What is declared of a kernel's numerics, in words: its contract, or of a declared operation what its contract claims
/// and what its values are held to.
[[nodiscard]] std::string declared_text(const Kernel& kernel);

/// The registry of this program.
[[nodiscard]] Registry& registry();

}  // namespace negzero::kernel
