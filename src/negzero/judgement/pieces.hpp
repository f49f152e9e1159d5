// Pieces of a case that are judged apart: which elements of the outputs each has, and what looking at it costs.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/part.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::judgement {

/// A dimension of the outputs, which all have the same.
struct Dimension {
  std::size_t extent = 0;  ///< its place in the signature
  std::int64_t count = 0;
  /// Whether a piece may have some of its indices: not where elements have terms along it (columns of a scan).
  bool may_be_cut = true;
};

/// Part of a case, and which of its elements are looked at.
struct Piece {
  operation::Kept kept{};
  /// Of each output, in the piece's own numbers, ascending; nothing: all.
  std::optional<std::vector<std::int64_t>> elements{};
};

/// How a case's outputs are cut. The case must outlive it.
class Cutter {
 public:
  explicit Cutter(const operation::Case& value);

  [[nodiscard]] const std::vector<Dimension>& dimensions() const noexcept { return dimensions_; }
  /// Elements of one output.
  [[nodiscard]] std::int64_t outputs() const noexcept { return outputs_; }
  /// Terms that an element has, more or less.
  [[nodiscard]] std::int64_t depth() const noexcept { return depth_; }

  /// What looking at a piece costs, in additions: that many elements of it, with so many indices of each dimension.
  [[nodiscard]] double cost(std::span<const std::int64_t> counts, std::int64_t elements) const;
  [[nodiscard]] double cost(const Piece& piece) const;

  /// The whole case in pieces of about that many elements: near-squares, whose terms are shared by many elements.
  [[nodiscard]] std::vector<Piece> tiles(std::int64_t elements) const;
  /// The piece of those indices of each dimension; nothing: all. Its elements are listed where a dimension that must
  /// not be cut has a list.
  [[nodiscard]] Piece piece(std::vector<std::optional<std::vector<std::int64_t>>> indices) const;
  /// The elements of a piece in the numbers of the whole, each at its place in the piece.
  [[nodiscard]] std::vector<std::int64_t> elements_of(const Piece& piece) const;
  /// A piece with those elements of the whole, one or more, among others, which are not listed.
  [[nodiscard]] Piece around(std::vector<std::int64_t> elements) const;

 private:
  [[nodiscard]] std::vector<std::int64_t> counts_of(const Piece& piece) const;

  const operation::Case& value_;
  std::vector<Dimension> dimensions_{};
  std::int64_t outputs_ = 1, depth_ = 1;
  std::int64_t added_ = 1;  ///< terms that are added for an element: of a scan the one that the element before lacks
};

}  // namespace negzero::judgement
