// The kernels of one kind of operation as a target of libFuzzer: which run, on which cases, and what a run showed.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/local_executor.hpp>

namespace negzero::fuzz {

using Bytes = std::span<const std::byte>;

class KernelTarget {
 public:
  /// The host kernels of `operation` ("gemm", "reduce", "scatter") that match any of the globs; without globs all but
  /// faulty ones. Ends the program with a message where there is none.
  KernelTarget(std::string_view operation, std::span<const std::string> globs);

  /// Runs the case that the bytes are, on the kernel that it names or, where it names none of these, on all that
  /// compute its operation: on those inside whose limits it lies, and whose contract it has, or none of its own. Ends
  /// the process with a message where a verdict is Fail or Error.
  void run(Bytes input);

  /// A changed case, or a fresh one where `input` is none; nothing where it does not become `most` bytes or fewer.
  [[nodiscard]] std::optional<std::vector<std::byte>> mutated(Bytes input, std::size_t most, base::Random& random);
  /// A crossing of two cases; nothing where they are no two cases of one operation, or it becomes too long.
  [[nodiscard]] std::optional<std::vector<std::byte>> crossed(Bytes a, Bytes b, std::size_t most, base::Random& random);

 private:
  /// A case beside its file.
  struct Written {
    std::vector<std::byte> bytes;
    operation::Case value;
  };

  void run(const operation::Case& value, const kernel::Kernel& kernel);
  /// The case that the bytes are; nothing where they are none.
  [[nodiscard]] std::optional<operation::Case> read(Bytes input) const;
  /// The case's file; nothing where it is longer than `most`.
  [[nodiscard]] std::optional<std::vector<std::byte>> write(operation::Case value, std::size_t most);
  /// The kernel that the case names, or another one of its operation now and then; nullptr where none computes it.
  [[nodiscard]] const kernel::Kernel* draw_kernel(const operation::Case& value, base::Random& random) const;
  [[nodiscard]] std::vector<const kernel::Kernel*> kernels_of(const operation::Case& value) const;

  std::vector<const kernel::Kernel*> kernels_;
  run::HostExecutor executor_;
  /// libFuzzer runs what was written last, and then mostly asks for a change of just that.
  std::optional<Written> last_written_;
};

/// Features of the run in progress, counted for libFuzzer (section __libfuzzer_extra_counters) by a hash of their
/// numbers and the operation's name.
void count_features(std::string_view operation, std::span<const std::uint32_t> features);

}  // namespace negzero::fuzz
