// An operation with its extents, formats and scalars: what a kernel is asked to compute, apart from the numbers in it.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <negzero/notation/signature.hpp>
#include <negzero/number/format.hpp>

namespace negzero::operation {

/// A scalar with its format, as bits.
struct Scalar {
  number::FormatId format = number::FormatId::F32;
  std::uint64_t bits = 0;
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

struct Gemm;
struct Reduce;
struct Scatter;

/// A signature with values for its extents, formats and scalars. Its extents, formats and scalars stand in the
/// signature's order.
class Operation {
 public:
  /// Extents 0, formats F32 (I32 for indices), scalars in F32 at their plain values, whole ones 0 in I32.
  explicit Operation(const notation::Signature& signature);
  Operation();
  Operation(const Gemm& gemm);
  Operation(const Reduce& reduce);
  Operation(const Scatter& scatter);

  /// The signature of the variant: without the optional inputs that are absent.
  [[nodiscard]] const notation::Signature& signature() const noexcept { return *signature_; }
  /// Makes it another variant of its family; extents, formats and scalars stay. Requires what variant() returns.
  void set_variant(const notation::Signature& variant) noexcept { signature_ = &variant; }
  [[nodiscard]] std::span<std::int64_t> extents() noexcept { return {extents_.data(), signature_->extents.size()}; }
  [[nodiscard]] std::span<const std::int64_t> extents() const noexcept {
    return {extents_.data(), signature_->extents.size()};
  }
  [[nodiscard]] std::span<number::FormatId> formats() noexcept { return {formats_.data(), signature_->formats.size()}; }
  [[nodiscard]] std::span<const number::FormatId> formats() const noexcept {
    return {formats_.data(), signature_->formats.size()};
  }
  /// Sets formats to those of the first slots; a slot beyond them has its usual one. Scalars of a shipped operation that
  /// are integers where the factors are not, or the other way round, become 1, or 0 of an addend. Requires at least
  /// Signature::own_formats and at most one for each slot.
  void set_formats(std::span<const number::FormatId> named) noexcept;
  /// The slots that must be named for set_formats() to give these formats: the first own_formats, then those up to the
  /// last one whose format is not its usual one.
  [[nodiscard]] std::span<const number::FormatId> named_formats() const noexcept;
  [[nodiscard]] std::span<Scalar> scalars() noexcept { return {scalars_.data(), signature_->scalars.size()}; }
  [[nodiscard]] std::span<const Scalar> scalars() const noexcept {
    return {scalars_.data(), signature_->scalars.size()};
  }
  /// The extent of that name. Requires the signature to have it.
  [[nodiscard]] std::int64_t& extent(std::string_view name) { return extents_[*signature_->find_extent(name)]; }
  [[nodiscard]] std::int64_t extent(std::string_view name) const { return extents_[*signature_->find_extent(name)]; }
  /// The format and the elements of a tensor, by its place in the signature.
  [[nodiscard]] number::FormatId format_of(std::size_t tensor) const noexcept;
  [[nodiscard]] std::vector<std::int64_t> shape_of(std::size_t tensor) const;

  friend bool operator==(const Operation&, const Operation&) = default;

 private:
  const notation::Signature* signature_;
  std::array<std::int64_t, notation::kMostExtents> extents_{};
  std::array<number::FormatId, notation::kMostTensors> formats_{};
  std::array<Scalar, notation::kMostScalars> scalars_{};
};

/// d[b, i, j] = alpha * sum_k a[b, i, k] * b[b, k, j] + beta * c[b, i, j], as a struct.
///
/// a is batch x m x k, b is batch x k x n, c and d are batch x m x n; where they lie (transposes, leading dimensions,
/// offsets, broadcasts) is their layouts' affair. Any extent may be 0. c has d's format where it has none of its own.
struct Gemm {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  number::FormatId a = number::FormatId::F32, b = number::FormatId::F32, d = number::FormatId::F32;
  Scalar alpha{number::FormatId::F32, 0x3f800000}, beta{};
  std::optional<number::FormatId> c{};  ///< another one than d's
  friend bool operator==(const Gemm&, const Gemm&) = default;
};

enum class ReduceKind : std::uint8_t { Sum, Mean, Max, Min, Argmax, Argmin };

/// y[i] = reduction of x[i, 0..columns), as a struct: of rows of a matrix, and of nothing else. Argmax and argmin give
/// the index, as I32 or I64. (Lines has the terms of reductions along any dimension.)
struct Reduce {
  ReduceKind kind = ReduceKind::Sum;
  std::int64_t rows = 0, columns = 0;
  number::FormatId x = number::FormatId::F32, y = number::FormatId::F32;
  friend bool operator==(const Reduce&, const Reduce&) = default;
};

enum class ScatterKind : std::uint8_t { Add, Max, Min };

/// out[index[i]] = combine(out[index[i]], x[i]) for every i in any order, out starting as `init`, as a struct.
///
/// x has `updates` elements, index (I32 or I64) as many, each in [0, destinations); init and out have `destinations`.
struct Scatter {
  ScatterKind kind = ScatterKind::Add;
  std::int64_t updates = 0, destinations = 0;
  number::FormatId x = number::FormatId::F32, index = number::FormatId::I32;
  friend bool operator==(const Scatter&, const Scatter&) = default;
};

/// The operation as one of these structs; nothing where it is another operation.
template <typename Struct>
[[nodiscard]] std::optional<Struct> view_if(const Operation& operation);
template <>
std::optional<Gemm> view_if<Gemm>(const Operation& operation);
template <>
std::optional<Reduce> view_if<Reduce>(const Operation& operation);
template <>
std::optional<Scatter> view_if<Scatter>(const Operation& operation);
/// The same where the operation is known to be that one; another throws std::logic_error.
template <typename Struct>
[[nodiscard]] Struct view(const Operation& operation) {
  if (auto found = view_if<Struct>(operation)) return *found;
  throw std::logic_error(operation.signature().name + " is taken for another operation");
}

/// A grouped GEMM as the GEMM of its padded buffers: each group a batch of `capacity` rows, alpha 1, beta 0; nothing
/// where it is another operation.
[[nodiscard]] std::optional<Gemm> gemm_of_groups(const Operation& operation);

/// What a kernel may read although the scalar that it is multiplied by is zero, as a contract says.
struct ReadsAtZero {
  bool factors = false;  ///< A and B at alpha = 0
  bool addend = false;   ///< C at beta = 0
};
/// When an input is not to be read: "at beta = 0", "at alpha = 0"; empty: it may be read. Requires a tensor of the
/// operation.
[[nodiscard]] std::string_view when_unread(const Operation& operation, std::string_view tensor,
                                           const ReadsAtZero& reads) noexcept;

/// "gemm", "reduce.sum", "scatter.max", "softmax": the operation's name in messages.
[[nodiscard]] const std::string& name(const Operation& operation);
/// Whether it is the one that has this identity, in any of its variants.
[[nodiscard]] bool is_of(const Operation& operation, std::string_view identity);
/// Why it is not: "a gemm, not a reduce.sum"; of two lines with one name, both, so that a change shows.
[[nodiscard]] std::string unlike(const Operation& operation, std::string_view identity);
/// Every operation that ships.
[[nodiscard]] std::span<const notation::Signature> signatures();
/// Their names.
[[nodiscard]] std::span<const std::string_view> operation_names();

/// Most different lines that one process takes: each stays until it ends, and files of cases may hold any.
inline constexpr std::size_t kMostDeclared = 4096;
/// The signature that Signature::identity() is of: the name of a shipped operation, or the line of a declared one.
/// Every line that says the same has one signature, which lives as long as the process. A usage error says why it is
/// neither: no such name, a line that cannot be read, one with a definition, the name of a shipped operation. Safe to
/// call from several threads.
[[nodiscard]] base::Result<const notation::Signature*> signature_of(std::string_view identity);
/// The variant without these optional inputs of the family that a signature is of, which is one of signature_of() or of
/// variant(). Each set of absent inputs has one signature, which lives as long as the process. Names that are no
/// optional input of it do not count. Safe to call from several threads.
[[nodiscard]] const notation::Signature& variant(const notation::Signature& any_of_family,
                                                 std::span<const std::string> absent);
/// Ends the life of every declared line, for a fuzzer, whose one process reads more of them than kMostDeclared.
/// Requires that nothing is left of their operations.
void forget_declared();
/// The same, or nullptr.
[[nodiscard]] const notation::Signature* find_signature(std::string_view identity);
/// Its operation as Operation's constructor leaves it, or nothing.
[[nodiscard]] std::optional<Operation> operation_named(std::string_view identity);
/// Whether it is meant as a line: it has a colon.
[[nodiscard]] bool is_line(std::string_view identity) noexcept;
/// The name in an identity: what a line has before its colon.
[[nodiscard]] std::string_view name_in(std::string_view identity) noexcept;

}  // namespace negzero::operation
