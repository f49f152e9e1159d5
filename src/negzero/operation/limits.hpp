// What a kernel accepts: outside its limits it must refuse a case, inside them refusing is a failure.

#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::operation {

/// Values that an extent may have: min <= extent <= max, and a multiple of `multiple`. The default accepts everything.
struct ExtentLimit {
  std::int64_t min = 0;
  std::int64_t max = tensor::kMaxElements;
  std::int64_t multiple = 1;
  /// Sizes at which the kernel changes its path (tiles, slices), for generators: extents are drawn around them and
  /// their multiples. They limit nothing.
  std::vector<std::int64_t> tiles{};

  [[nodiscard]] constexpr bool accepts(std::int64_t extent) const noexcept {
    return extent >= min && extent <= max && extent % multiple == 0;
  }
};

/// What limits say of extents, by the names that the operation's line gives them. An extent of which nothing is said
/// may have any value.
class ExtentLimits {
 public:
  ExtentLimits() = default;
  ExtentLimits(std::initializer_list<std::pair<const std::string, ExtentLimit>> said) : said_(said) {}

  [[nodiscard]] ExtentLimit& operator[](std::string_view extent);
  [[nodiscard]] const ExtentLimit& operator[](std::string_view extent) const;
  [[nodiscard]] auto begin() const { return said_.begin(); }
  [[nodiscard]] auto end() const { return said_.end(); }

 private:
  std::map<std::string, ExtentLimit, std::less<>> said_;
};

/// Which values alpha or beta may have. Zero means +0 and -0; the value counts, not the format.
enum class ScalarLimit : std::uint8_t { Any, ZeroOrOne, Zero, One };

/// How the elements of a tensor may lie. A stride of a dimension with extent 0 or 1 never matters.
enum class LayoutOrder : std::uint8_t {
  Any,               ///< every stride
  RowOrColumnMajor,  ///< stride 1 in the last dimension or in the one before it (a transpose)
  RowMajor,          ///< stride 1 in the last dimension
  Packed,            ///< as Layout::packed, behind an offset
};

/// Which layouts of a tensor a kernel accepts. Alignments are in elements.
struct LayoutLimit {
  LayoutOrder order = LayoutOrder::Any;
  bool broadcast = true;  ///< elements may share an address (stride 0, rows that overlap)
  std::int64_t max_offset = tensor::kMaxElements;
  std::int64_t offset_multiple = 1;  ///< the offset is a multiple of this
  std::int64_t stride_multiple = 1;  ///< so is every stride that is not 1: leading dimension, batch stride
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
///                .inputs = {.order = LayoutOrder::RowMajor}}
///
/// The default accepts every case.
struct Limits {
  /// Accepted combinations, each as Signature::formats lists them: {a, b, d} of a gemm, {x, y} of a reduction, {x} of a
  /// scatter. Empty: every combination.
  std::vector<std::vector<number::FormatId>> formats{};
  ExtentLimits extents{};
  ScalarLimit alpha = ScalarLimit::Any, beta = ScalarLimit::Any;  ///< scalars that scale the result, or an addend
  LayoutLimit inputs{}, output{};
  InPlaceLimit in_place{};
};

/// An extent of an operation with its name in files and messages.
struct Extent {
  std::string_view name;
  std::int64_t value;
};
/// In the order of the operation's line: batch, m, n, k of a Gemm.
[[nodiscard]] std::vector<Extent> extents_of(const Operation& operation);

/// An error that names what no case can fit: a combination of too few or too many formats, or of formats that the
/// operation cannot have; an extent that the operation does not have, or whose greatest value is below its least; a
/// multiple of 0. `operation` is one of operation_names().
[[nodiscard]] base::Status validate(const Limits& limits, std::string_view operation);

/// Why a kernel with these limits must refuse the case, as one line that names the thing, the value and the limit;
/// nothing when the case lies inside. A tensor without a layout counts as packed. `in_place` is Case::in_place.
/// Requires layouts that validate() accepts.
[[nodiscard]] std::optional<std::string> outside(const Limits& limits, const Operation& operation,
                                                 const std::map<std::string, tensor::Layout>& layouts,
                                                 std::string_view in_place = {});

/// The limits of a kernel of that operation in one line for people: "F16 x F16 x F32; k a multiple of 16; row-major
/// inputs". Only what excludes something is said; "every case" where nothing does.
[[nodiscard]] std::string describe(const Limits& limits, std::string_view operation);

}  // namespace negzero::operation
