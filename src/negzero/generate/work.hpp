// What a strategy works on: the case being filled, seen as rows of terms, and the arithmetic it aims at.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::generate {

/// Exponents e for which 2^e is exact in a format: low <= e <= high.
struct Powers {
  int low = 0, high = 0;
};

/// The numerics that values are aimed at: taken from the contract, the formats and the scalars.
struct Aim {
  number::Format left{}, right{};   ///< a and b of a Gemm; of the other operations x and a factor of exactly one
  number::Format output{};          ///< d, y or out
  number::Format addend{};          ///< c or init; the output's where nothing is added
  number::Format accumulator{};     ///< declared; the location's own format for Scatter
  number::Format rounding_point{};  ///< the format that a `tie` ties in: the output's, or a declared intermediate one
  int precision = 24;               ///< p of the accumulator
  int left_bits = 24, right_bits = 24;  ///< significand bits that survive the multiplicand rounding; right 0: no factor
  Powers left_powers{}, right_powers{}, accumulator_powers{}, output_powers{};
  bool has_addend = false;  ///< beta * c or init takes part
  int reserve_bits = 0;     ///< bits that the scalars and the addend need on top of the sum's
};

/// The precision from which on a bound of numerics.md section 2c may be vacuous: more nonzero terms than this are
/// only drawn where rule a holds. u = 2^-p; m u >= 1/2 at m = 2^(p-1), and 2 u k >= 1/2 at k = 2^(p-2) when not
/// nearest.
[[nodiscard]] std::int64_t bounded_terms(const operation::Operation& operation, const contract::Contract& contract);
/// Whether a sum of terms of one size may lose most of them unseen: what the contract lets it err by, a u S where a
/// term meets `a` additions (numerics.md 2c), is at least S / m, the size of one of m terms.
[[nodiscard]] bool hides_terms(const operation::Operation& operation, const contract::Contract& contract);
/// The format in which the operation's sums are held, as the contract declares it.
[[nodiscard]] number::FormatId accumulator_of(const operation::Operation& operation,
                                              const contract::Contract& contract);
[[nodiscard]] Aim make_aim(const operation::Operation& operation, const Request& request, base::Random& random);

/// Whether the operation adds (Gemm, sum, mean, add) or selects (max, min, argmax, argmin).
[[nodiscard]] bool is_selection(const operation::Operation& operation);
/// For a selection: whether the greatest wins.
[[nodiscard]] bool selects_greatest(const operation::Operation& operation);

/// One row of Rows: the places of its terms.
struct Row {
  tensor::Tensor* terms = nullptr;
  const std::int64_t* order = nullptr;  ///< the elements one by one, or nullptr
  std::int64_t first = 0, stride = 1;   ///< of elements that are equally far apart

  void set(std::int64_t k, std::uint64_t word) const {
    terms->set(order != nullptr ? order[k] : first + k * stride, word);
  }
};

/// The terms of every result, as rows of one tensor.
///
/// The lines of a factor along the extent that is reduced: rows of a (batch * m of length k), columns of b when sides
/// are swapped, rows of x. Of an update: what goes to each destination, in order.
struct Rows {
  tensor::Tensor* terms = nullptr;
  std::int64_t count = 0, uniform_length = 0;
  std::int64_t rows_per_batch = 1, batch_stride = 0, row_stride = 0, term_stride = 1;
  std::vector<std::int64_t> first{}, order{};  ///< Scatter only: updates of r are order[first[r] .. first[r + 1])

  [[nodiscard]] std::int64_t length(std::int64_t row) const {
    const auto r = static_cast<std::size_t>(row);
    return first.empty() ? uniform_length : first[r + 1] - first[r];
  }
  [[nodiscard]] std::int64_t longest() const;
  [[nodiscard]] Row row(std::int64_t row) const {
    if (!first.empty()) return {terms, order.data() + first[static_cast<std::size_t>(row)]};
    return {terms, nullptr, row / rows_per_batch * batch_stride + row % rows_per_batch * row_stride, term_stride};
  }
};

/// A case while its elements are made.
struct Work {
  const Request& request;
  const Plan& plan;
  operation::Case& value;
  base::Random random;  ///< decides what the whole case looks like; elements take streams split from it
  Aim aim;

  [[nodiscard]] tensor::Tensor& tensor(const std::string& name) { return value.tensors.find(name)->second; }
  [[nodiscard]] const notation::Signature& signature() const { return plan.operation.signature(); }
  /// The tensor of that place in the signature.
  [[nodiscard]] tensor::Tensor& tensor(std::size_t place) { return tensor(signature().tensors[place].name); }
  /// Whether that input holds indices or counts.
  [[nodiscard]] bool is_index(std::string_view name) const {
    return signature().tensors[*signature().find_tensor(name)].role == notation::Role::Index;
  }
  /// The range that the limits give that tensor's values; nothing where they give none.
  [[nodiscard]] std::optional<operation::FormatRange> values(const tensor::Tensor& tensor) const;
  /// The exponent of the largest numbers that a tensor may have: 2^e and more; a normal number's.
  [[nodiscard]] int highest_exponent(const tensor::Tensor& tensor) const;
  /// How many terms a result has, of an update how many there are in all.
  [[nodiscard]] std::int64_t terms() const {
    return signature().reduced ? plan.operation.extents()[*signature().reduced] : 1;
  }
  /// The tensor that the terms are in: a, x. Where terms are products, the second factor is in the right one: b.
  [[nodiscard]] tensor::Tensor& left();
  [[nodiscard]] tensor::Tensor* right();
  /// c or init; nullptr where nothing is added.
  [[nodiscard]] tensor::Tensor* addend();
  /// Where it is a GEMM, grouped or not: a group is a batch, and nothing is added.
  [[nodiscard]] std::optional<operation::Gemm> gemm() const {
    const auto groups = operation::gemm_of_groups(plan.operation);
    return groups ? groups : operation::view_if<operation::Gemm>(plan.operation);
  }

  /// Rows of the left factor; `swapped`: of the right one, where there is one, the other side being the factor.
  [[nodiscard]] Rows rows(bool swapped = false);
  /// The other factor of rows(swapped), as rows of equal length: column j of b, or row i of a.
  [[nodiscard]] Rows factors(bool swapped = false);

  /// An index in [0, length) where kernels tend to err: first, last, around tile and split boundaries, anywhere.
  [[nodiscard]] std::int64_t adversarial_position(std::int64_t length, base::Random& stream) const;
};

/// Exchanges the roles of a and b in `aim`.
void swap_sides(Aim& aim);

/// Exponents {left, right} so that integers up to 2^left_top times 2^left, and up to 2^right_top times 2^right, are
/// exact, products have the unit 2^(left + right) within the accumulator, and results below 2^result_top units stay
/// finite in accumulator and output. Nothing where no exponents fit.
struct Scale {
  int left = 0, right = 0;
};
[[nodiscard]] std::optional<Scale> choose_scale(const Aim& aim, int left_top, int right_top, int result_top,
                                                base::Random& random);

// The strategies, one function each; indices and counts are filled before they are called. Each fills every other
// input; what the contract says is not read is overwritten afterwards.
void fill_special(Work& work);
void fill_exact(Work& work);
void fill_sparse(Work& work);
void fill_cancel(Work& work);
void fill_skew(Work& work);
void fill_tie(Work& work);
void fill_extreme(Work& work);
void fill_bits(Work& work);
void fill_normal(Work& work);
void fill_uniform(Work& work);
void fill_structural(Work& work);

// What exact, sparse, cancel, tie and extreme mean for a selection.
void select_exact(Work& work);
void select_sparse(Work& work);
void select_cancel(Work& work);
void select_tie(Work& work);
void select_extreme(Work& work);

/// Makes specials meet in one case of four: corresponding elements of two or more inputs, of the same index, row or
/// group, get the same special, or opposed ones.
void coincide(Work& work, bool with_nan);

/// Indices below `below`: permutations, one of them, few, skewed, runs, uniform.
void draw_indices(tensor::Tensor& indices, std::int64_t below, base::Random random);
/// Indices and offsets whose line has words behind the bound (notation::IndexWords): they keep them. Permutations: the
/// identity, it backwards, with two exchanged or rotated, any. Distinct ones: the first, the last, steps, any. Where
/// -1 may be: nowhere, at the ends of rows, all over, everywhere. Offsets: equal groups, empty ones at the start, the
/// end or between, one with everything, sizes as of words in a text, and around `tiles`.
void draw_words(const operation::TensorSpec& spec, tensor::Tensor& indices, const std::vector<std::int64_t>& tiles,
                base::Random random);
/// The counts of an operation that has some: none, all there is room for, one group with everything, around tiles.
void fill_counts(Work& work);

/// Fills the addend (c, init) as the strategies without a rule of their own do: zeros, ones, or values of one kind.
void fill_plain_addend(Work& work);

/// The inputs of a declared operation: numbers as those of a reduction along one of their dimensions, which is drawn
/// for each, and indices.
void fill_declared(Work& work);

/// Every special encoding of a format: zeros, limits of the subnormal and normal range, ones and their neighbours,
/// infinities, NaNs quiet and signalling of both signs with several payloads.
[[nodiscard]] const std::vector<std::uint64_t>& special_grid(const number::Format& format);

}  // namespace negzero::generate
