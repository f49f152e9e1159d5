// A case: one concrete input of an operation with everything that a failure needs.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/float_environment.hpp>
#include <negzero/base/result.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/operation/configuration.hpp>
#include <negzero/operation/history.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/tensor/layout.hpp>
#include <negzero/tensor/tensor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::operation {

/// What memory holds that no element of an input occupies: padding, guard zones, outputs before the run, workspace,
/// and inputs that the contract says are not read.
enum class Poison : std::uint8_t {
  Nan,    ///< every byte 0xff: a NaN in every format that has NaN, -1 in I32
  Large,  ///< the largest finite number of the buffer's format; of unsigned integers half of it, as `Nan` is that
};

/// The encoding that fills poisoned memory: every bit set (0xff of F6, which is no encoding of it), or the largest
/// finite number (0x7f of U8 and BOOL).
[[nodiscard]] std::uint64_t poison_word(Poison poison, const number::Format& format) noexcept;
[[nodiscard]] std::string_view name(Poison poison) noexcept;  ///< "nan", "large"
[[nodiscard]] std::optional<Poison> parse_poison(std::string_view text) noexcept;

/// The order in which the host executor runs the threads of a block.
struct Schedule {
  enum class Order : std::uint8_t { Forward, Backward, Random };
  Order order = Order::Forward;
  bool preempt = false;  ///< may switch at atomics and fences too
  std::uint64_t seed = 0;
  /// How arithmetic is rounded: of runs that show how good a reference is. No file has it.
  base::Rounding rounding = base::Rounding::Nearest;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

[[nodiscard]] std::string_view name(Schedule::Order order) noexcept;  ///< "forward", "backward", "random"
[[nodiscard]] std::optional<Schedule::Order> parse_order(std::string_view text) noexcept;

/// What a kernel is expected to do with a case of a corpus, or did with it.
struct Expectation {
  std::string kernel;
  std::string executor = "*";  ///< "host", "watched", "cuda"; "*" for every executor
  verdict::VerdictKind verdict = verdict::VerdictKind::Pass;
  std::optional<verdict::FailureClass> failure_class{};
  std::string rule{};   ///< empty where any
  std::string needs{};  ///< what a program without this kernel lacks: "--kernels systems/x/kernels.py"; may be empty
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

/// One case. `tensors` holds logical elements, packed; `layouts` says where a kernel finds them.
///
/// Every input of the operation has a tensor, and every input and output a layout of its shape (see input_specs() and
/// output_specs()).
struct Case {
  Operation operation;
  std::map<std::string, tensor::Tensor> tensors;
  std::map<std::string, tensor::Layout> layouts;
  std::string in_place{};  ///< the input that lies in the first output's memory, as C of a GEMM in D's; empty: none
  /// Options of the launch whose value is not the kernel's default. What a kernel's limits do not name means nothing
  /// for that kernel, so that a case of one kernel runs on another.
  Configuration configuration{};
  std::string kernel;                  ///< glob or name of the kernel it was found on; may be empty
  std::string contract;                ///< preset or JSON; empty: the kernel's own
  std::uint64_t contract_version = 1;  ///< contract::kVersion where it was written: what it leaves out means as then
  Poison poison = Poison::Nan;
  Schedule schedule;
  History history{};  ///< launches before it in the same process, where it fails only after them
  /// Provenance: a generated case is number `index` of the stream `seed`, made by `strategy`. A changed case is in no
  /// stream: its strategy is that of its first ancestor, as "mutated.exact", and seed and index are 0
  /// (mutate/mutate.hpp).
  std::string strategy;
  std::uint64_t seed = 0, index = 0;
  std::vector<Expectation> expect;
  /// How it failed when it was found, so that `replay` and `shrink` look for that failure, watched where the executor
  /// is "watched". Nothing is expected of it: a mended kernel passes.
  std::optional<Expectation> found{};
  std::map<std::string, std::string> unknown;  ///< metadata keys that this version does not know: kept

  friend bool operator==(const Case&, const Case&) = default;
};

/// Name, format and shape of a tensor of an operation.
struct TensorSpec {
  std::string name;
  number::FormatId format;
  std::vector<std::int64_t> shape;
  std::optional<std::int64_t>
      index_below{};          ///< its elements are indices in [0, index_below), no numbers to compute with; or counts
  std::string count_of{};     ///< of counts: the extent that each is at most; index_below is one more
  bool is_ascending = false;  ///< TensorSignature::is_ascending
  notation::IndexWords words{};  ///< TensorSignature::words
};
/// Whether the tensor of that name has no memory of its own: the output's holds it before the operation.
[[nodiscard]] bool is_initial(const Operation& operation, std::string_view tensor) noexcept;
/// The name of the first output.
[[nodiscard]] const std::string& first_output(const Operation& operation);
/// The inputs that may lie in the first output's memory: of its format and extents, whose elements stand for no
/// places. None of an update, whose initial values lie there anyway.
[[nodiscard]] std::vector<std::string> may_be_in_place(const Operation& operation);
/// Whether that input is one of them.
[[nodiscard]] bool may_be_in_place(const Operation& operation, std::string_view input);
/// The inputs of an operation, in the signature's order.
[[nodiscard]] std::vector<TensorSpec> input_specs(const Operation& operation);
/// Its outputs, and both.
[[nodiscard]] std::vector<TensorSpec> output_specs(const Operation& operation);
[[nodiscard]] std::vector<TensorSpec> tensor_specs(const Operation& operation);
/// Says of a failure which element of an output it is about.
void locate(verdict::Failure& failure, const TensorSpec& output, std::int64_t element);

/// Most bytes of memory that layouts may span beyond twice the bytes of a case's tensors (1 GiB). Once is for the
/// inputs and once for an output as large; a small file could ask for any extent, and this bounds what running it
/// allocates. Of a distant layout its islands count (tensor/islands.hpp), of which it has at most
/// tensor::kMostIslands.
inline constexpr std::int64_t kMaxPaddingBytes = std::int64_t{1} << 30;

/// Most rows of no columns that a Reduce may have: they cost a file nothing, but each is run and judged. Of any output
/// that has more elements than the case stores, the most elements. (Others stand beside elements of their own: a row's,
/// C, initial values.)
inline constexpr std::int64_t kMaxEmptyRows = std::int64_t{1} << 24;

/// Checks an operation apart from its tensors: extents in [0, kMaxElements]; formats in which tensors can be stored,
/// floating-point but for indices, which are I32 or I64, and sums of integers, in I32; max and min with equal formats
/// of x and y; scalars whose bits fit their format.
[[nodiscard]] base::Status validate(const Operation& operation);

/// Checks everything that code behind relies on: the operation; exactly its tensors, with its formats and shapes;
/// exactly their layouts and the outputs', valid, the outputs' without overlap, all within kMaxPaddingBytes; an input
/// in an output's memory one that may_be_in_place(), with the output's layout; no more empty rows than kMaxEmptyRows;
/// elements of an input that share an address equal (memory holds one of them, the oracle sees all); indices and counts
/// in range; options that may be some kernel's (wrong_configuration()); expectations whose executor is known and whose
/// class goes with `fail`; all text UTF-8, and no key among `unknown` that this version knows. Errors are usage errors
/// that name the tensor, the value and the rule.
[[nodiscard]] base::Status validate(const Case& value);

/// Fills layouts that are missing with packed ones.
void pack_missing_layouts(Case& value);

/// Gives an input in the first output's memory the layout of that output, after layouts have changed.
void lay_in_place(Case& value);

/// Sorts tensors that are ascending, has others keep the words of their indices (keep_words()), and makes 0 or 1 of
/// truth values (the last bit) and elements of 4 and 6 bits of their bytes, after their values have changed.
void keep_order(Case& value);

/// Makes elements of inputs that share an address equal, and the layout of an input in the output's memory that of the
/// output, after values or layouts have changed, and keeps order as keep_order() does. Requires valid layouts of the
/// tensors' shapes.
void unify_shared_elements(Case& value);

/// The keys that this version knows; every other one is kept in Case::unknown.
inline constexpr std::array<std::string_view, 17> kKnownKeys{
    "configuration", "contract", "contract_version", "expect", "found",    "history", "in_place", "index",   "kernel",
    "layout",        "negzero",  "operation",        "poison", "schedule", "scalars", "seed",     "strategy"};

/// The part of validate(Case) that needs no element: all but elements that share an address and indices. `tensors` are
/// those that a file announces; value.tensors are not looked at. Requires an operation that validate() accepts.
[[nodiscard]] base::Status validate_described(const Case& value, const std::map<std::string, files::Declared>& tensors);
/// The rest of validate(Case). Requires tensors as they were announced to validate_described().
[[nodiscard]] base::Status validate_elements(const Case& value);

}  // namespace negzero::operation
