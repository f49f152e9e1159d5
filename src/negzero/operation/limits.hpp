// What a kernel accepts: outside its limits it must refuse a case, inside them refusing is a failure.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/by_name.hpp>
#include <negzero/operation/configuration.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/operation/values.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::operation {

struct Case;

/// Values that an extent may have: min <= extent <= max, and a multiple of `multiple`. The default accepts everything.
struct ExtentLimit {
  std::int64_t min = 0;
  std::int64_t max = tensor::kMaxElements;
  std::int64_t multiple = 1;
  bool power_of_two = false;  ///< 1, 2, 4, 8 ... only: 0 is none
  /// Sizes at which the kernel changes its path (tiles, slices), for generators: extents are drawn around them and
  /// their multiples. They limit nothing.
  std::vector<std::int64_t> tiles{};

  [[nodiscard]] constexpr bool accepts(std::int64_t extent) const noexcept {
    return extent >= min && extent <= max && extent % multiple == 0 &&
           (!power_of_two || std::has_single_bit(static_cast<std::uint64_t>(extent)));
  }
  /// Returns the least accepted extent from `wanted` on, or the greatest up to it; nothing where there is none.
  /// Requires multiple >= 1.
  [[nodiscard]] std::optional<std::int64_t> at_least(std::int64_t wanted) const noexcept;
  [[nodiscard]] std::optional<std::int64_t> at_most(std::int64_t wanted) const noexcept;
};

/// What limits say of extents, by the names that the operation's line gives them. An extent of which nothing is said
/// may have any value.
using ExtentLimits = ByName<ExtentLimit>;

/// The product of some extents is at most `max`: {.of = {"m", "n"}, .max = 1 << 20}.
struct ProductLimit {
  std::vector<std::string> of{};
  std::int64_t max = tensor::kMaxElements;
};

/// Which values alpha or beta may have. Zero means +0 and -0; the value counts, not the format.
enum class ScalarLimit : std::uint8_t { Any, ZeroOrOne, Zero, One };

/// Values that a scalar of a declared operation may have: numbers with least <= value <= greatest, never NaN.
struct ScalarRange {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool accepts(const Scalar& scalar) const;
  /// The number of the format that lies in the range and nearest to `wanted`; to its least where that is NaN. Requires
  /// a range that has one, as validate() sees to.
  [[nodiscard]] Scalar nearest(number::FormatId format, double wanted) const;
  friend bool operator==(const ScalarRange&, const ScalarRange&) = default;
};

/// How the elements of a tensor may lie. A stride of a dimension with extent 0 or 1 never matters.
enum class LayoutOrder : std::uint8_t {
  Any,               ///< every stride
  RowOrColumnMajor,  ///< stride 1 in the last dimension or in the one before it (a transpose)
  RowMajor,          ///< stride 1 in the last dimension
  ColumnMajor,       ///< stride 1 in the dimension before the last; in the only one of a vector
  Packed,            ///< as Layout::packed, behind an offset
};

/// The most that LayoutLimit::alignment may ask for: every executor's buffers begin at a multiple of so many bytes.
inline constexpr std::int64_t kMostAlignment = 256;

/// INT_MAX: the greatest stride that every interface takes.
inline constexpr std::int64_t kMostIntStride = (std::int64_t{1} << 31) - 1;

/// Which layouts of a tensor a kernel accepts. Offsets, strides and their alignments are in elements.
struct LayoutLimit {
  LayoutOrder order = LayoutOrder::Any;
  bool broadcast = true;  ///< elements may share an address (stride 0, rows that overlap)
  std::int64_t max_offset = tensor::kMaxSpan;
  std::int64_t offset_multiple = 1;  ///< the offset is a multiple of this
  /// So is every stride, leading dimension or batch stride, but 1 in the dimension in which `order` has elements side
  /// by side: the stride of rows of one element is a multiple too.
  std::int64_t stride_multiple = 1;
  /// The greatest stride of a dimension with a second element. Unless more is said, strides fit the int of a BLAS's
  /// leading dimensions; {.max_stride = tensor::kMaxSpan} where a launch takes 64 bits.
  std::int64_t max_stride = kMostIntStride;
  /// Most elements of memory from the first element of the tensor to its last one: {.max_span = 1LL << 31} where the
  /// kernel counts places in 32 bits, and says so. Where nothing is said, a product of a row and an int that wraps is
  /// the kernel's fault.
  std::int64_t max_span = tensor::kMaxSpan;
  /// Bytes, a power of two up to kMostAlignment: the address of element 0 is a multiple of it, whatever the format.
  std::int64_t alignment = 1;
  /// Extents along which all elements are the same memory: the stride is 0 there, always. {"batch"} is one matrix for
  /// all batches. Whatever `broadcast` says, these do not count as shared addresses; `order` and the strides of Packed
  /// are those of a tensor without such dimensions. Extents that a tensor lacks mean nothing for it. No output has any.
  std::vector<std::string> shared{};

  friend bool operator==(const LayoutLimit&, const LayoutLimit&) = default;
};

/// A LayoutLimit in the terms of one tensor of one format.
struct LayoutRule {
  LayoutOrder order = LayoutOrder::Any;
  bool broadcast = true;
  std::int64_t max_offset = tensor::kMaxSpan;
  std::int64_t offset_multiple = 1;  ///< in elements: of LayoutLimit::offset_multiple and of the alignment
  std::int64_t stride_multiple = 1;
  std::int64_t max_stride = kMostIntStride;
  std::int64_t max_span = tensor::kMaxSpan;
  unsigned shared = 0;  ///< the dimensions of stride 0, one bit each

  [[nodiscard]] bool shares(std::size_t dimension) const noexcept { return (shared >> dimension & 1) != 0; }
};

/// An input that may lie in the first output's memory, or always does: {"c"} of a GEMM that updates C.
struct InPlaceLimit {
  std::string input{};  ///< empty: none may
  bool always = false;

  /// Whether a case may have that input in place; empty: none.
  [[nodiscard]] bool accepts(std::string_view in_place) const {
    return in_place == input || (in_place.empty() && !always);
  }
};

/// The limits of one kernel, written beside its launch:
///     .limits = {.formats = {{F16, F16, F32}},
///                .extents = {{"batch", {.min = 1, .max = 1}}, {"k", {.multiple = 16, .tiles = {64}}}},
///                .inputs = {.order = LayoutOrder::RowMajor},
///                .tensors = {{"b", {.order = LayoutOrder::RowMajor, .shared = {"batch"}}}},
///                .products = {{.of = {"m", "n"}, .max = 1 << 20}},
///                .equal = {{"n", "k"}}}
///
/// The default accepts every case.
struct Limits {
  /// Accepted combinations, each as Signature::formats lists them: {a, b, d} of a gemm, {x, y} of a reduction, {x} of a
  /// scatter. Empty: every combination.
  std::vector<std::vector<number::FormatId>> formats{};
  ExtentLimits extents{};
  ScalarLimit alpha = ScalarLimit::Any, beta = ScalarLimit::Any;  ///< scalars that scale the result, or an addend
  ByName<ScalarRange> scalars{};                                  ///< of a declared operation: {{"epsilon", {1e-6, 1}}}
  /// Of the elements of inputs, and of what an output holds before: {{"x", {-1e4, 1e4}}}. Index tensors have none.
  ByName<ValueRange> values{};
  LayoutLimit inputs{}, output{};
  ByName<LayoutLimit> tensors{};  ///< of one tensor, in the place of `inputs` or `output`
  std::vector<ProductLimit> products{};
  std::vector<std::vector<std::string>> equal{};  ///< extents that have one value: {"m", "n", "k"}
  InPlaceLimit in_place{};  ///< an input that is in place lies as the output does, whatever is said of itself
  Options configuration{};  ///< choices of a launch beside its operands: {{"algorithm", {0, 1, 2}}}
  /// Whether what launches the kernel can lay out distant tensors (tensor/islands.hpp): no words of a declaration, as
  /// negzero knows it. Functions of Python and programs in other languages get memory in one piece.
  bool distant = true;

  /// What is said of the tensor of that name: of itself, else of all outputs or of all inputs.
  [[nodiscard]] const LayoutLimit& of(std::string_view tensor, bool is_output) const;
};

/// Returns what limits say of a tensor, by its place in the signature.
[[nodiscard]] const LayoutLimit& layout_limit(const Limits& limits, const notation::Signature& signature,
                                              std::size_t tensor);
/// Returns the same for elements of a format.
[[nodiscard]] LayoutRule layout_rule(const Limits& limits, const notation::Signature& signature, std::size_t tensor,
                                     number::FormatId format);
/// Whether a case inside the limits may have that tensor, by its place in the signature, with strides that make it
/// distant (tensor/islands.hpp).
[[nodiscard]] bool permits_distant(const Limits& limits, const notation::Signature& signature, std::size_t tensor);

/// An extent of an operation with its name in files and messages.
struct Extent {
  std::string_view name;
  std::int64_t value;
};
/// In the order of the operation's line: batch, m, n, k of a Gemm.
[[nodiscard]] std::vector<Extent> extents_of(const Operation& operation);

/// An error that names what no case can fit: a combination of too few or too many formats, or of formats that the
/// operation cannot have; an extent or a tensor that the operation does not have; an extent whose greatest value is
/// below its least; a multiple of 0; an alignment that is no power of two or exceeds kMostAlignment; an output with
/// shared elements; equal extents without a common value; a product that exceeds its limit at its least; a range of a
/// scalar that the operation does not have or that no number of F32 lies in; values of a tensor that is no input of
/// numbers, or that one of its formats has no number of; options that wrong_options() names, or one
/// that is called as an extent, a tensor or a scalar is. `operation` is the Signature::identity() of one.
[[nodiscard]] base::Status validate(const Limits& limits, std::string_view operation);

/// Why a kernel with these limits must refuse the case, as one line that names the thing, the value and the limit;
/// nothing when the case lies inside. A tensor without a layout counts as packed. `in_place` is Case::in_place,
/// `configuration` Case::configuration. Requires layouts that validate() accepts.
[[nodiscard]] std::optional<std::string> outside(const Limits& limits, const Operation& operation,
                                                 const std::map<std::string, tensor::Layout>& layouts,
                                                 std::string_view in_place = {},
                                                 const Configuration& configuration = {});
/// The same of a case, whose elements must have the values that the limits say. Requires a valid one.
[[nodiscard]] std::optional<std::string> outside(const Limits& limits, const Case& value);

/// The limits of a kernel of that operation in one line for people: "F16 x F16 x F32; k a multiple of 16; row-major
/// inputs". Only what excludes something is said; "every case" where nothing does.
[[nodiscard]] std::string describe(const Limits& limits, std::string_view operation);
/// The formats of such limits, and one combination: "F16 x F16 x F32, F16 x F16 x F16 with c in F32".
[[nodiscard]] std::string formats_text(const Limits& limits, const notation::Signature& signature);
[[nodiscard]] std::string formats_text(std::span<const number::FormatId> named, const notation::Signature& signature);

}  // namespace negzero::operation
