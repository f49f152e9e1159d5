// What one line of index notation says of an operation: its extents, tensors, formats, scalars, and what it computes.
//
//     gemm: d[b<batch, i<m, j<n] = alpha * sum(k: a[b,i,k] * b[b,k,j]) + beta * c[b,i,j]
//     scatter.add: out[index[i<updates] < destinations] += x[i]
//     gemm.grouped: d[g<groups, i<rows[g]<=capacity, j<n] = sum(k: a[g,i,k] * b[g,k,j])
//
// The name stands before the first colon. An index goes from 0 to below its extent, which is named where the index
// first stands (b<batch), or has the index's name. A tensor in the place of an index holds indices. An index of the
// output may go to below a count instead, which other indices choose: i<rows[g]<=capacity. Tensors that it indexes are
// padded to `capacity`, the most that a count may be; what lies beyond a count is no part of the operation. `=` gives
// each element of the output a value; `+=`, `max=` and `min=` combine it with what an initial tensor, called init,
// holds there. Factors are tensors, scalars and reductions: sum, mean, max, min, argmax and argmin over one index,
// which goes through all of its extent, or as far as an index of the output: sum(j<=k: ...), sum(j<k: ...). A line may
// have one reduction and one tensor that is added to it, each times a scalar.
//
//     reduce.max_index: y[i<rows], at[i] = max(j<columns: x[i,j]), argmax(j: x[i,j])
//
// Several outputs have the same indices, and reduce the same terms.
//
//     softmax: y[rows, columns] <- x[rows, columns] each rows
//     topk: values[rows, k], at[rows, k] < columns <- x[rows, columns], largest
//     varlen: y[elements] <- x[elements], ends[segments] <= elements ascending
//
// Behind `<-` a line only lists its inputs: such an operation is declared, and has no definition. In brackets
// are extents. A tensor that is bounded holds indices (`< columns`), or counts (`<= elements`): an input that
// has the extents of counts and the one that bounds them is padded as above. `ascending` says that along the last
// dimension no count is less than the one before it. A word without brackets is a scalar, a floating-point number;
// `first int` is a whole number, and `largest bool` a truth value. `each rows` says that the operation is one of its
// own for each index of that extent: outputs, which all have it, depend at one index on what inputs that have it hold
// at the same index, and on inputs that lack it.
//
//     moe: y[slots, d] <- x[tokens, d], place[tokens] < slots distinct none=-1
//     ragged: y[rows, d] <- x[rows, d], offsets[groups + 1] <= rows ascending from 0 to rows
//     argsort: order[n] < n permutation <- x[n]
//
// Further words behind a bound (IndexWords): `distinct` of the indices of each row, `all distinct` of all of a tensor,
// `permutation`, `none=-1`, and of what is ascending `from 0` and `to rows`, its bound. What a word wants of extents,
// as that there are no more distinct indices than the bound has, is a relation that the line does not write.
//
//     gather: y[b, n, d] <- cache[pages, page, d], table[b, blocks] < pages all distinct none=-1, lengths[b] <= n
//       reads cache[table[b, i / page], i % page, d] for b, i < lengths[b], d
//
// At the end of a declared line are elements that it `reads` of an input and `writes` of an output, where those are not
// all. Indices behind `for` go from 0 to below what is said, or to below the extent that they are named as;
// `offsets[g] <= i < offsets[g + 1]` says both ends. A name that is no index is an extent. Elements of index tensors
// may be numbers in it. A place outside the tensor's shape, one that is computed from an element that says that there
// is no index, or by a division by 0, is no element. Other elements of an input are padding; those of an output keep
// what its memory held.
//
//     conv: y[rows, o] <- x[rows, n], w[k] with o = n - k + 1, k <= n
//     csr: y[rows] <- values[nonzeros], column[nonzeros] < columns, ends[rows + 1] <= nonzeros ascending, x[columns]
//     pool: y[o] <- x[n] with o = (n - width) / stride + 1, width <= n
//
//     norm: y[rows, columns] <- x[rows, columns], gain[columns], bias?[columns]
//
// An input of a declared line whose name ends in `?` is optional: a case may be without it. Such a line is a family of
// operations, one for each set of inputs that are there, its variants: the signature of a variant lacks the tensors
// that are absent, and is else the line's. Extents that only absent tensors have keep their places and their values.
//
// Behind `with`, at the end of a declared line, are relations between extents: formulas (negzero/formula) compared by
// =, <=, <, >= or >. They hold in every case. In brackets a formula is an extent of its own, which the relation
// `ends_0 = rows + 1` defines: its name is that of the tensor and the place of the dimension, counted from 0. A name
// that is in relations alone is a parameter: an extent that no tensor has. A number in brackets, x[tokens, 2, d], is a
// formula, too: the extent x_1 = 2.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/notation/relation.hpp>
#include <negzero/number/format.hpp>

namespace negzero::notation {

/// How values become one: in a reduction, or at a destination.
enum class Combine : std::uint8_t { Sum, Mean, Max, Min, Argmax, Argmin };

[[nodiscard]] std::string_view name(Combine combine) noexcept;  ///< "sum", "argmax"
/// Whether one of the values wins, by itself or by its index.
[[nodiscard]] constexpr bool selects(Combine combine) noexcept { return combine >= Combine::Max; }
/// Whether the result is the index of the one that wins.
[[nodiscard]] constexpr bool gives_index(Combine combine) noexcept { return combine >= Combine::Argmax; }
/// Of a combination that selects: whether the greatest wins.
[[nodiscard]] constexpr bool takes_greatest(Combine combine) noexcept {
  return combine == Combine::Max || combine == Combine::Argmax;
}

/// What a tensor is to the operation.
enum class Role : std::uint8_t {
  Input,    ///< numbers that are computed with
  Index,    ///< I32 or I64: places in another tensor, or counts
  Initial,  ///< what an output holds before the operation, in the output's own memory
  Output,
};

/// Words behind the bound of indices and counts, besides `ascending`. Each is about the elements along the last
/// dimension, of each row by itself, but for DistinctIn::Tensor.
struct IndexWords {
  enum class DistinctIn : std::uint8_t { Nothing, Row, Tensor };
  DistinctIn distinct = DistinctIn::Nothing;  ///< `distinct`, `all distinct`: no two are equal, -1 apart
  bool is_permutation = false;                ///< each index below the bound, which is the last dimension, once
  bool has_none = false;                      ///< `none=-1`: -1 says that there is no index
  bool starts_at_zero = false;                ///< `ascending from 0`
  bool ends_at_bound = false;                 ///< `ascending to rows`, of counts

  /// Whether there is one of them.
  [[nodiscard]] constexpr bool any() const noexcept { return *this != IndexWords{}; }
  /// Whether elements must differ, so that no two may share memory.
  [[nodiscard]] constexpr bool keeps_apart() const noexcept {
    return distinct != DistinctIn::Nothing || is_permutation || starts_at_zero || ends_at_bound;
  }
  friend constexpr bool operator==(const IndexWords&, const IndexWords&) = default;
};

struct TensorSignature {
  std::string name;
  Role role = Role::Input;
  std::vector<std::size_t> extents{};           ///< the shape, outermost dimension first: places in Signature::extents
  std::size_t format = 0;                       ///< its place in Signature::formats
  std::optional<std::size_t> index_below{};     ///< of indices: the extent that they stay below
  std::optional<std::size_t> counts_of{};       ///< of counts: the extent that they are at most, whose index they bound
  std::optional<std::size_t> unread_at_zero{};  ///< a scalar: where that is 0 the tensor has no part in the result
  bool is_ascending = false;  ///< of indices and counts: none along the last dimension is below the one before
  IndexWords words{};         ///< of indices and counts of a declared operation
  bool is_optional = false;   ///< an input of a declared operation that a case may be without
};

/// What a scalar may be: a floating-point number, or of a declared operation a whole number or a truth value, both in
/// I32.
enum class ScalarKind : std::uint8_t { Number, Integer, Truth };

[[nodiscard]] std::string_view word_of(ScalarKind kind) noexcept;  ///< behind its name in a line: "", "int", "bool"

struct ScalarSignature {
  std::string name;
  bool is_addend = false;  ///< scales what is added to the result, so that 0 is its plain value; else 1 is
  ScalarKind kind = ScalarKind::Number;

  [[nodiscard]] constexpr bool is_whole() const noexcept { return kind != ScalarKind::Number; }
};

/// A whole number computed from indices, extents and elements of index tensors: at[b] / page.
struct Position {
  enum class Kind : std::uint8_t { Number, Name, Element, Add, Subtract, Multiply, Divide, Modulo };
  Kind kind = Kind::Number;
  std::int64_t number = 0;
  std::string name{};                ///< an index or else an extent; of an Element the tensor
  std::vector<Position> operands{};  ///< two of an operation, the indices of an Element
  friend bool operator==(const Position&, const Position&) = default;
};

/// An index behind `for`: it goes from `from` to below `below`.
struct Loop {
  std::string name;
  std::optional<Position> from{};   ///< nothing: 0
  std::optional<Position> below{};  ///< nothing: the extent of that name
  friend bool operator==(const Loop&, const Loop&) = default;
};

/// Elements that a kernel reads of an input, or writes of an output:
/// reads cache[table[b, i / page], i % page, d] for b, i < lengths[b], d.
struct Access {
  std::string tensor;
  bool writes = false;
  std::vector<Position> at{};  ///< one for each dimension
  std::vector<Loop> loops{};
  friend bool operator==(const Access&, const Access&) = default;
};

/// How far a reduction goes.
enum class Reach : std::uint8_t {
  All,      ///< through the whole extent
  Through,  ///< to an index of the output: j<=k
  Before,   ///< to just below it: j<k
};

/// A node of the tree that the right side of a line is parsed into. Names are looked up: tensors, scalars and extents
/// are places in the signature's lists.
struct Expression {
  enum class Kind : std::uint8_t {
    Tensor,
    Scalar,
    Product,
    Sum,
    Reduction,
    Unknown,  ///< of a declared operation: what its operands come to is not said
  };
  Kind kind = Kind::Tensor;
  std::size_t which = 0;               ///< the tensor, the scalar, or the extent that is reduced over
  Combine combine = Combine::Sum;      ///< of a reduction
  Reach reach = Reach::All;            ///< of a reduction
  std::vector<Expression> operands{};  ///< of a product and a sum two or more, of a reduction one, of Unknown any
  friend bool operator==(const Expression&, const Expression&) = default;
};

struct OutputSignature {
  std::size_t tensor = 0;  ///< its place in Signature::tensors
  Expression result{};
  std::optional<Combine> combine{};  ///< of the outermost reduction, or of the update
};

struct Signature {
  std::string name;                        ///< "gemm", "reduce.sum"
  std::string definition;                  ///< the line without its name; of a declared operation as line_of() has it
  bool is_declared = false;                ///< it has no definition: `<-`
  std::vector<std::string> extents{};      ///< in the order in which the line names them
  std::vector<TensorSignature> tensors{};  ///< those right of the sign, then the left side's indices, init, the outputs
  std::vector<std::string> formats{};      ///< slots, each with the name of the first tensor that has it
  std::size_t own_formats = 0;             ///< so many first slots are always named; the rest have a usual format
  std::vector<ScalarSignature> scalars{};
  std::vector<OutputSignature> outputs{};  ///< in the line's order
  std::optional<Combine> combine{};        ///< of the first output
  std::optional<std::size_t> reduced{};    ///< the extent of that reduction; of an update that of what is combined
  Reach reach = Reach::All;                ///< of that reduction
  bool is_update = false;                  ///< `+=`, `max=`, `min=`
  std::vector<std::size_t>
      factors{};  ///< the tensors that are multiplied under the reduction, or combined; none of a declared one
  std::optional<std::size_t> addend{};  ///< the tensor that is added to the result: C, or initial values
  std::vector<Relation> relations{};    ///< of a declared operation: those in brackets, then those behind `with`
  std::vector<Access> accesses{};       ///< of a declared operation: those behind `reads` and `writes`
  std::vector<std::size_t> each{};      ///< of a declared operation: extents each of whose indices is one by itself
  const Signature* whole = nullptr;     ///< of a variant that lacks inputs: the line's, which has them; else nullptr

  /// The signature of the line: with every optional input. Variants of one line have one family.
  [[nodiscard]] const Signature& family() const noexcept { return whole == nullptr ? *this : *whole; }

  /// What kernels, requests and files call it: the name, or of a declared operation the whole line.
  [[nodiscard]] std::string identity() const { return is_declared ? name + ": " + definition : name; }
  /// The place of an extent or a tensor of that name; nothing where there is none.
  [[nodiscard]] std::optional<std::size_t> find_extent(std::string_view name) const noexcept;
  [[nodiscard]] std::optional<std::size_t> find_tensor(std::string_view name) const noexcept;
  /// The format of a slot where it is not named: I32 of indices, of what is added to the result that of the first
  /// output, and F32 of all others and where `formats`, those of the first slots, has no output yet.
  [[nodiscard]] number::FormatId usual_format(std::size_t slot,
                                              std::span<const number::FormatId> formats) const noexcept;
  /// Whether the formats of a slot are those of indices: of an index tensor, or of an output that gives indices.
  [[nodiscard]] bool holds_indices(std::size_t slot) const noexcept;
  /// Whether an extent is in relations alone: no tensor of the family has it, and none is bounded by it.
  [[nodiscard]] bool is_parameter(std::size_t extent) const noexcept;
  /// Whether an index goes to below counts, of tensors that are there.
  [[nodiscard]] bool has_counts() const noexcept;
};

/// The name of what an output holds before the operation, where that is an input.
inline constexpr std::string_view kInitial = "init";

/// Most extents that tensors of an operation may have, parameters beside them, and both.
inline constexpr std::size_t kMostOwnExtents = 16, kMostParameters = 8,
                             kMostExtents = kMostOwnExtents + kMostParameters;
/// Most tensors and scalars that an operation may have, dimensions of a tensor, and letters of an operation's name and
/// of each of theirs.
inline constexpr std::size_t kMostTensors = 24, kMostScalars = 8, kMostDimensions = 6;
inline constexpr std::size_t kMostOperationName = 64, kMostTensorName = 40;
/// Most inputs of a line that may be optional: each doubles its variants.
inline constexpr std::size_t kMostOptional = 8;
/// Most bytes of a line.
inline constexpr std::size_t kMostLine = 4096;

/// Reads a line. A usage error names the line, the column, from 1, and what is wrong there. Two lines that differ in
/// spaces alone are one declared operation: its definition has one space where a person would write one.
///
/// Formats: each input has a slot of its own, in order, then each output; a destination and its initial values have
/// that of the value that they are combined with. Slots with a usual format follow: what is added to the result without
/// a reduction, and each tensor of indices, which may be an output of a declared operation.
[[nodiscard]] base::Result<Signature> parse_signature(std::string_view line);

/// The variant of a family that lacks some of its optional inputs: those tensors and their operands are gone, and
/// places of tensors follow the shorter list. Requires a family, which must outlive the variant, and names of its
/// optional inputs.
[[nodiscard]] Signature variant_of(const Signature& family, std::span<const std::string> absent);

}  // namespace negzero::notation
