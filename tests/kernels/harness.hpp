// Runs a kernel directly on hand-written operands, without oracle or generators: what a kernel's own test needs.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/engine/stream.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::kernels_test {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The host kernel of that name. Ends the test program when there is none.
[[nodiscard]] const kernel::Kernel& kernel_named(const std::string& name);
/// Host kernels that match a glob; at least one.
[[nodiscard]] std::vector<const kernel::Kernel*> kernels_like(const std::string& glob);

/// Names a test after the kernel that is its parameter.
[[nodiscard]] inline std::string test_name(const ::testing::TestParamInfo<const kernel::Kernel*>& info) {
  std::string name = info.param->name;
  std::ranges::replace(name, '.', '_');
  return name;
}

/// What fills memory that holds no element: NaN in every format, or something large and finite.
enum class Poison : std::uint8_t { Nan = 0xff, Large = 0x7b };

/// Memory of one tensor between guard zones of 4 KiB.
class Memory {
 public:
  Memory(number::FormatId format, tensor::Layout layout, Poison poison);

  /// The encoding of logical element `i` in row-major order.
  [[nodiscard]] std::uint64_t word(std::int64_t i) const;
  void set_word(std::int64_t i, std::uint64_t word);
  [[nodiscard]] double value(std::int64_t i) const;
  void set(std::int64_t i, double value);

  [[nodiscard]] kernel::Operand operand();
  [[nodiscard]] std::int64_t element_count() const { return layout_.element_count(); }
  [[nodiscard]] const tensor::Layout& layout() const { return layout_; }
  [[nodiscard]] const number::Format& format() const { return *format_; }
  /// Whether every byte that belongs to no element still holds poison.
  [[nodiscard]] bool surroundings_intact() const;

 private:
  [[nodiscard]] std::size_t byte_of(std::int64_t i) const;

  const number::Format* format_;
  tensor::Layout layout_;
  Poison poison_;
  std::vector<std::byte> bytes_;
};

/// How operands lie in memory.
enum class Lie { Packed, Padded, Transposed };
/// A layout of that shape: rows with gaps and an offset, or the last two dimensions swapped.
[[nodiscard]] tensor::Layout lay(std::vector<std::int64_t> shape, Lie lie);

/// One way of running threads on the host.
struct How {
  Poison poison = Poison::Nan;
  engine::Schedule schedule{};
};
/// Forward, backward, and random with preemption; both poisons.
[[nodiscard]] const std::vector<How>& runs();

/// A GEMM with elements as functions of their position.
struct Gemm {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  std::function<double(std::int64_t batch, std::int64_t row, std::int64_t column)> a, b, c;
  double alpha = 1, beta = 0;
  Lie lie = Lie::Packed;
  bool shares_b = false;  ///< one matrix for all batches: b is asked for that of batch 0
};
/// A grouped GEMM whose padding is poison.
struct Grouped {
  std::int64_t capacity = 1, n = 1, k = 1;
  std::vector<std::int32_t> rows;  ///< of each group
  std::function<double(std::int64_t group, std::int64_t row, std::int64_t column)> a, b;
  Lie lie = Lie::Packed;
};
/// Rows of a reduction or a scan.
struct Reduce {
  std::int64_t rows = 1, columns = 1;
  std::function<double(std::int64_t row, std::int64_t column)> x;
  Lie lie = Lie::Packed;
};
struct Scatter {
  std::vector<double> init, x;
  std::vector<std::int32_t> index;
  Lie lie = Lie::Packed;
};

struct Convert {
  std::vector<std::uint64_t> x;  ///< encodings
  Lie lie = Lie::Packed;
};

/// An operation without a definition: extents, numbers of each input in row-major order, scalars, by their names.
struct Declared {
  std::map<std::string, std::int64_t> extents;
  std::map<std::string, std::vector<double>> inputs;
  std::map<std::string, double> scalars{};
  Lie lie = Lie::Packed;
};

/// One row of the given numbers.
[[nodiscard]] Reduce row_of(std::vector<double> numbers);

/// What came out: encodings and their values, packed in row-major order.
struct Output {
  std::vector<std::uint64_t> words;
  std::vector<double> values;
  std::vector<std::int32_t> places;  ///< of a maximum with its place
  engine::LaunchReport report;
  std::string refusal;  ///< empty: launched
  bool surroundings_intact = true;
};

[[nodiscard]] Output run(const kernel::Kernel& kernel, const Gemm& gemm, const How& how = {});
[[nodiscard]] Output run(const kernel::Kernel& kernel, const Grouped& grouped, const How& how = {});
[[nodiscard]] Output run(const kernel::Kernel& kernel, const Reduce& reduce, const How& how = {});
[[nodiscard]] Output run(const kernel::Kernel& kernel, const Scatter& scatter, const How& how = {});
[[nodiscard]] Output run(const kernel::Kernel& kernel, const Convert& convert, const How& how = {});

/// What came out of a declared operation: numbers of each output in row-major order.
struct DeclaredOutput {
  std::map<std::string, std::vector<double>> outputs;
  engine::LaunchReport report;
  std::string refusal;  ///< empty: launched
  bool surroundings_intact = true;
};
[[nodiscard]] DeclaredOutput run(const kernel::Kernel& kernel, const Declared& declared, const How& how = {});

/// The same as an operation with layouts, to ask the kernel's limits.
[[nodiscard]] bool inside_limits(const kernel::Kernel& kernel, const Gemm& gemm);

/// alpha A B + beta C in doubles, by the reading rules of the BLAS. Exact for small integers.
[[nodiscard]] std::vector<double> expected(const Gemm& gemm);

/// A small integer in [-most, most] that looks random.
[[nodiscard]] double small_integer(std::int64_t i, std::int64_t j, std::int64_t k, int most);

}  // namespace negzero::kernels_test
