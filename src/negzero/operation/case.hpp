// A case: one concrete input of an operation with everything that a failure needs, and its file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/operation/verdict.hpp>
#include <negzero/tensor/layout.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::operation {

/// What memory holds that no element of an input occupies: padding, guard zones, outputs before the run, workspace,
/// and inputs that the contract says are not read.
enum class Poison : std::uint8_t {
  Nan,    ///< every byte 0xff: a NaN in every format that has NaN, -1 in I32
  Large,  ///< the largest finite number of the buffer's format
};

/// The order in which the host executor runs the threads of a block.
struct Schedule {
  enum class Order : std::uint8_t { Forward, Backward, Random };
  Order order = Order::Forward;
  bool preempt = false;  ///< may switch at atomics and fences too
  std::uint64_t seed = 0;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// What a kernel is expected to do with a case of a corpus.
struct Expectation {
  std::string kernel;
  std::string executor;  ///< "host", "cuda"; "*" for every executor
  VerdictKind verdict = VerdictKind::Pass;
  std::optional<FailureClass> failure_class;
  std::string rule;      ///< empty where any
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

/// One case. `tensors` holds logical elements, packed; `layouts` says where a kernel finds them.
///
/// Tensors by operation: Gemm a, b, c; Reduce x; Scatter x, index, init. Layouts: those and the output, called d, y and
/// out. Every tensor and output has a layout of its shape (see tensor_shapes()).
struct Case {
  Operation operation;
  std::map<std::string, tensor::Tensor> tensors;
  std::map<std::string, tensor::Layout> layouts;
  std::string kernel;     ///< glob or name of the kernel it was found on; may be empty
  std::string contract;   ///< preset or JSON; empty: the kernel's own
  Poison poison = Poison::Nan;
  Schedule schedule;
  std::string strategy;   ///< provenance: strategy, seed, index
  std::uint64_t seed = 0, index = 0;
  std::vector<Expectation> expect;
  std::map<std::string, std::string> unknown;  ///< metadata keys that this version does not know: kept

  friend bool operator==(const Case&, const Case&) = default;
};

/// Name, format and shape of a tensor of an operation.
struct TensorSpec {
  std::string name;
  number::FormatId format;
  std::vector<std::int64_t> shape;
};
/// The inputs of an operation, in the order of their names above.
[[nodiscard]] std::vector<TensorSpec> input_specs(const Operation& operation);
/// The output of an operation: d, y or out.
[[nodiscard]] TensorSpec output_spec(const Operation& operation);

/// Checks everything that code behind relies on: tensors present with format and shape of the operation, layouts valid,
/// output layout without overlap, indices of a Scatter in range. Errors name the tensor, the value and the rule.
[[nodiscard]] base::Status validate(const Case& value);

/// Fills layouts that are missing with packed ones.
void pack_missing_layouts(Case& value);

/// The file's bytes; equal cases give equal bytes. Requires a valid case.
[[nodiscard]] std::vector<std::byte> write_case(const Case& value);
/// Reads and validates. Never undefined behaviour, whatever the bytes.
[[nodiscard]] base::Result<Case> parse_case(std::span<const std::byte> file);
[[nodiscard]] base::Result<Case> load_case(const std::string& path);
[[nodiscard]] base::Status save_case(const std::string& path, const Case& value);

}  // namespace negzero::operation
