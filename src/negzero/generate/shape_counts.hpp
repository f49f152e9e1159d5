// Which shapes cases have: how many different ones, how common the commonest is, how many tiles they span.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <negzero/generate/generate.hpp>

namespace negzero::generate {

/// What counts of one case.
struct Shape {
  std::vector<std::int64_t> extents{};  ///< in the order of the operation's line
  std::int64_t farthest = 0;            ///< the largest offset of an element from the begin of its tensor's memory
  friend bool operator==(const Shape&, const Shape&) = default;
};
[[nodiscard]] Shape shape_of(const operation::Operation& operation,
                             const std::map<std::string, tensor::Layout>& layouts);

/// How many tiles cases have along one extent.
struct TileCounts {
  std::string extent;
  std::int64_t tile = 1;  ///< the largest that the kernel's limits hint at, or the multiple that they demand; else 32
  std::array<std::uint64_t, 5> cases{};  ///< less than one, at most one, two, three, and more
};

/// Counts the shapes of the cases of one request.
class ShapeCounts {
 public:
  ShapeCounts() = default;
  explicit ShapeCounts(const Request& request);

  /// Requires a shape of the request's operation.
  void add(const Shape& shape);

  [[nodiscard]] std::uint64_t cases() const { return cases_; }
  /// Different shapes, at most kMostDistinct.
  [[nodiscard]] std::size_t distinct() const { return shapes_.size(); }
  /// The shape of most cases, the first in order of those that have as many, and their number. Requires a case.
  [[nodiscard]] std::pair<std::vector<std::int64_t>, std::uint64_t> commonest() const;
  /// Names of the extents, in the order of a shape's.
  [[nodiscard]] const std::vector<std::string>& extents() const { return extents_; }
  [[nodiscard]] const std::vector<TileCounts>& tiles() const { return tiles_; }
  /// The greatest length along which terms are combined, or else elements lie one behind the other in an output.
  [[nodiscard]] std::int64_t longest_row() const { return longest_row_; }
  [[nodiscard]] std::int64_t largest_offset() const { return largest_offset_; }
  /// Cases with an offset that 32 bits with a sign do not hold.
  [[nodiscard]] std::uint64_t past_int() const { return past_int_; }
  /// Whether nine cases of ten have one shape although the limits, and the extents that were asked for, permit others.
  [[nodiscard]] bool is_collapsed() const;
  /// The work of the least case where it exceeds most_work(), so that no other is drawn; else 0.
  [[nodiscard]] std::int64_t only_least() const { return only_least_; }

  /// Shapes beyond so many are not told apart from those before.
  static constexpr std::size_t kMostDistinct = 65536;

 private:
  std::vector<std::string> extents_;
  std::vector<TileCounts> tiles_;
  std::map<std::vector<std::int64_t>, std::uint64_t> shapes_;
  std::uint64_t cases_ = 0, past_int_ = 0;
  std::size_t row_ = 0;
  std::int64_t longest_row_ = 0, largest_offset_ = 0, only_least_ = 0;
  bool permits_others_ = false;
};

}  // namespace negzero::generate
