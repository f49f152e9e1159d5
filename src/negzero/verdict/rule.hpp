// What a failure breaks: one table of stable ids with their claims and sources.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/core.h>

namespace negzero::verdict {

/// What kind of failure; shrinking keeps it. In files and JSON the words in snake_case ("wrong_zero_sign").
enum class FailureClass : std::uint8_t {
  WrongValue,
  WrongSpecialValue,  ///< Inf or NaN where not permitted, or missing where required
  WrongZeroSign,
  OutOfBoundsAccess,
  UnwrittenOutput,
  UninitialisedRead,
  ForbiddenRead,
  DataRace,
  DivergentBarrier,
  NotDeterministic,
  Crash,
  Hang,
  RefusedLegalRequest,
  ChangedEnvironment,  ///< rounding, flushing of subnormals or traps of the host thread were changed
  HostAccess,          ///< host code touched device memory outside a copy or a launch
  Stateful,            ///< right in a fresh process, wrong after other launches
};

/// Whether it is a class of wrong values: those have an output, and special values tell something of them.
[[nodiscard]] constexpr bool is_of_values(FailureClass kind) noexcept { return kind <= FailureClass::WrongZeroSign; }

/// One row of the table of rules.
struct RuleRow {
  std::string_view id;
  std::string_view claim;   ///< one sentence for a counterexample
  std::string_view source;  ///< theorem, standard or measured fact; of "meta.*": when the claim holds bit for bit
  std::optional<FailureClass> kind{};  ///< of what breaks it; none: of the value that is wrong
  bool only_watched = false;           ///< only a watched run of a case breaks it
};

inline constexpr std::string_view kJudgedApart =
    "Each side is judged by its own kernel's contract where their outputs differ";

/// First the rules that a judgement of one case names, which `negzero list rules` lists; then those of comparisons,
/// of replay and of the metamorphic properties.
inline constexpr RuleRow kRuleTable[] = {
    {"sum.exact", "No order of this sum rounds anything, so only the exact sum is right.",
     "S <= 2^p g, g >= eta: every partial sum is a multiple of g below 2^p g (docs/explanation/numerics.md section "
     "2a)"},
    {"sum.hull",
     "Some order of these few terms gives the result; of five or more it lies between the least and the greatest.",
     "Results follow by dynamic programming over subsets; so do the extremes, as rounding is monotone (IEEE 754-2019 "
     "section 4) (docs/explanation/numerics.md section 2b)"},
    {"sum.any_order", "No order of this sum strays further than B from the exact sum.",
     "Rump, BIT 52, 2012; Jeannerod & Rump, SIAM J. Matrix Anal. Appl. 34, 2013 (docs/explanation/numerics.md section "
     "2c)"},
    {"sum.tensor_core",
     "Some order of a tensor core's steps gives the result; of five products or more none strays further than B.",
     "Each step truncates its terms to 2^(E-F), adds them exactly and rounds once: measured on an H200, and Fasi, "
     "Higham, "
     "Mikaitis & Pranesh, PeerJ CS 7:e330, 2021 (docs/explanation/numerics.md section 2e)"},
    {"sum.sliced",
     "However this sum is sliced and ordered, with sums of slices stored in the narrower format, it strays no further "
     "than B from the exact sum.",
     "A store errs by u_G of what it stores, or by underflow, and all stored sums together are at most S + B "
     "(docs/explanation/numerics.md section 2f)"},
    {"sum.ascending", "The chain in ascending k is followed step by step.",
     "Each step is one rounding (IEEE 754-2019 section 4), fused or not as declared (docs/explanation/numerics.md "
     "section 3)"},
    {"sum.overflow",
     "Partial sums overflow in some orders or in all, so infinities are permitted besides the numbers that remain.",
     "P' >= T permits +Inf, N' >= T permits -Inf, both permit NaN (docs/explanation/numerics.md section 3)"},
    {"sum.special", "An infinity or NaN among the terms decides the sum.",
     "IEEE 754-2019 6.1, 6.2: Inf - Inf and Inf * 0 are NaN (docs/explanation/numerics.md section 3)"},
    {"sum.empty", "An empty sum is what the contract declares, +0 by default.",
     "docs/explanation/numerics.md section 1, empty"},
    {"gemm.k_zero", "With K = 0 the result is beta * C, or +0 where beta is zero: A, B and alpha do not matter.",
     "Reference BLAS, xGEMM (docs/explanation/numerics.md section 1, reads_c_at_beta_zero)"},
    {"gemm.alpha_zero", "With alpha = 0 the result is beta * C: A and B are not read.",
     "Reference BLAS, xGEMM (docs/explanation/numerics.md section 1, reads_a_b_at_alpha_zero)"},
    {"integer.wrap", "An integer sum is exact modulo 2^32.",
     "Addition modulo 2^32 is associative (docs/explanation/numerics.md section 2c)"},
    {"integer.saturate", "An integer sum is clamped at each addition.",
     "A clamp loses at most what P or N exceeds the range by (docs/explanation/numerics.md section 2c)"},
    {"output.overflow", "The conversion to the output's format overflows at that format's own threshold.",
     "IEEE 754-2019 7.4 and the contract's overflow policy (docs/explanation/numerics.md section 3)"},
    {"convert.rounded", "A conversion rounds a number once for each format that is declared.",
     "IEEE 754-2019 5.4.2: formatOf-convertFormat; 5.8 for integers (docs/explanation/numerics.md section 5)"},
    {"convert.special", "A conversion keeps NaN a NaN, and an infinity of either sign where the format has it.",
     "IEEE 754-2019 6.1, 6.2; to I32 as PTX cvt does: NaN gives 0, or -2^31 from F64, an infinity the end of the "
     "range"},
    {"zero.sign", "A zero result carries a sign that the contract permits.",
     "IEEE 754-2019 6.3; 9.6 for maximum and minimum (docs/explanation/numerics.md section 4)",
     FailureClass::WrongZeroSign},
    {"select.value", "A selection returns the value of one of its inputs.",
     "IEEE 754-2019 9.6: maximum and minimum with -0 < +0 (docs/explanation/numerics.md section 5)"},
    {"select.nan", "NaN among the inputs of a selection gives what the contract declares.",
     "IEEE 754-2019 9.6: maximum propagates NaN, maximumNumber ignores it (docs/explanation/numerics.md section 5)"},
    {"select.index", "The index points at a permitted value, ties as declared.",
     "docs/explanation/numerics.md section 1, ties"},
    {"select.beside", "An index returned with a value points at an element that has this value.",
     "docs/explanation/numerics.md section 5"},
    {"select.empty", "A selection from no elements is what the contract declares, the identity by default.",
     "docs/explanation/numerics.md section 1, empty"},
    {"scatter.untouched", "A location that no update names keeps its bits.",
     "docs/explanation/numerics.md section 5, n = 0"},
    {"counts.padding", "An element of the output past the count that the case gives may be anything.",
     "docs/explanation/numerics.md section 5, padding"},
    {"declared.bound",
     "An output of indices holds only indices below the extent that bounds it, and one of BOOL or of 6 bits only bytes "
     "of its format.",
     "The line that declares the operation: at[rows, k] < columns; its formats", FailureClass::WrongValue},
    {"declared.words", "No two indices of an output that is distinct or a permutation are equal.",
     "The line that declares the operation: order[n] < n permutation", FailureClass::WrongValue},
    {"reference.error", "A value lies within the declared error of what its reference gives.",
     "The kernel's own declaration: reference, error"},
    {"reference.special",
     "NaN, infinities and signs of zeros are where the reference has them, as far as the declaration asks.",
     "The kernel's own declaration: reference, nan, zero_signs"},
    {"run.guard", "A launch writes its outputs and its workspace, and nothing else.",
     "Guard zones around every buffer, compared byte by byte after the launch", FailureClass::OutOfBoundsAccess},
    {"run.unwritten", "A launch writes every element of its output.", "The output holds poison before the launch",
     FailureClass::UnwrittenOutput},
    {"run.refused", "A request inside the declared limits is not refused.", "The kernel's own limits",
     FailureClass::RefusedLegalRequest},
    {"run.launch", "The launch is one that CUDA accepts, and the launch wrapper does not throw.",
     "CUDA C++ Programming Guide, technical specifications", FailureClass::Crash},
    {"run.environment", "A launch and its wrapper leave rounding, flushing of subnormals and traps as they were.",
     "The host thread's floating-point environment: a GPU has no such state, and what runs next would inherit it",
     FailureClass::ChangedEnvironment},
    {"run.state", "A launch does not depend on launches before it.",
     "The kernel is right in a fresh process, and wrong after the launches that the case's history names",
     FailureClass::Stateful},
    {"run.host_access", "Host code touches device memory only by copies and launches.",
     "CUDA C++ Programming Guide, device memory: anything else is a segmentation fault on the host",
     FailureClass::HostAccess},
    {"run.raised",
     "A function raises no exception, and gives arrays of the right shapes and formats, for a case inside its "
     "limits.",
     "The limits that check() was given", FailureClass::Crash},
    {"run.barrier", "All threads of a block, or all named lanes of a warp, meet at the same barrier.",
     "CUDA C++ Programming Guide, synchronization functions", FailureClass::DivergentBarrier},
    {"run.shared", "A launch writes nothing past either end of a shared array.", "Guard zones between shared arrays",
     FailureClass::OutOfBoundsAccess},
    {"run.hang", "A launch ends.", "A block starts within the time limit; a thread stays within its event budget",
     FailureClass::Hang},
    {"run.crash", "A launch leaves its process, and its GPU, alive.", "Signals, exit codes, sticky CUDA errors",
     FailureClass::Crash},
    {"run.repeat",
     "A kernel that promises determinism gives the same bits on a second run with threads in another order.",
     "docs/explanation/numerics.md section 1, determinism: the words of CUB", FailureClass::NotDeterministic},
    {"run.bounds", "Every access of a watched run lies in a buffer, and inputs and padding are not written.",
     "The layouts of the case; CUDA C++ Programming Guide: anything else is undefined", FailureClass::OutOfBoundsAccess,
     true},
    {"run.uninitialised", "A watched run reads only what was written before.",
     "Shared memory, workspace and outputs hold anything at first (CUDA C++ Programming Guide)",
     FailureClass::UninitialisedRead, true},
    {"run.forbidden_read", "A watched run reads no padding, and no input that the contract says is not read.",
     "Reference BLAS, xGEMM: C at beta = 0, A and B at alpha = 0 (docs/explanation/numerics.md section 1)",
     FailureClass::ForbiddenRead, true},
    {"run.race", "Two accesses of a watched run, one of them a write and not both atomic, are ordered.",
     "PTX ISA, memory consistency model: barriers, __syncwarp, fences with atomics", FailureClass::DataRace, true},
    {"run.equal_stores",
     "Two plain stores of a watched run to one place are ordered, even where both store the same value.",
     "PTX ISA, memory consistency model: a data race, though every order leaves the same value", FailureClass::DataRace,
     true},
    {"run.misaligned", "The address of every access of a watched run is a multiple of its size.",
     "CUDA C++ Programming Guide, device memory accesses: an error on a GPU", FailureClass::Crash, true},
    {"compare.both_permitted", "Two kernels give the same bits where that is asked for.", kJudgedApart},
    {"compare.not_judged", "Two kernels of a declared operation give the same bits.",
     "No oracle knows which of the two is right"},
    {"compare.first_wrong", "The first of two kernels gives what its contract permits.", kJudgedApart},
    {"compare.second_wrong", "The second of two kernels gives what its contract permits.", kJudgedApart},
    {"compare.both_wrong", "Two kernels give what their contracts permit.", kJudgedApart},
    {"replay.expected", "A case does on a kernel what its file expects.",
     "The case file's own expectation, or a pass where it has none"},
    {"meta.run_twice", "a second run, with threads in another order, gives the same bits", "determinism >= run_to_run"},
    {"meta.scale", "multiplying A (and C) or x by a power of two multiplies the output by it",
     "order fixed or a selection; nothing is or becomes subnormal, infinite or flushed; alpha is 1 or -1, beta 0, 1 "
     "or -1"},
    {"meta.negate", "negating A and C, or x, negates the output", "order fixed; zeros exempt from sign"},
    {"meta.permute_rows", "permuting the rows of A and C, or of all that has them, permutes the rows of the output",
     "position_invariant"},
    {"meta.permute_columns", "permuting the columns of B and C permutes the columns of D", "position_invariant"},
    {"meta.embed", "larger leading dimensions and offsets change no bit", "position_invariant"},
    {"meta.batch", "a batch of n is n batches of one", "position_invariant"},
    {"meta.pad_rows", "one more row of A and C changes no other row of D", "position_invariant"},
    {"meta.pad_columns", "one more column of B and C changes no other column of D", "position_invariant"},
    {"meta.other_rows", "the bits of a row depend neither on how many other rows there are nor on where the row lies",
     "position_invariant"},
    {"meta.other_columns",
     "the bits of a column of a GEMM depend neither on how many other columns there are nor on where it lies",
     "position_invariant"},
    {"meta.pad_k", "zeros appended to K, or to the columns of a sum, change no bit",
     "order = ascending; zeros exempt from sign"},
    {"meta.transpose", "(A B)^T = B^T A^T", "order = ascending; alpha acts on the sum or is 1"},
    {"meta.nan_row", "NaN in a row of A, or in a row of x, changes only that row", "determinism >= run_to_run"},
    {"meta.select_again", "max and min depend neither on the order of their inputs nor on repeated ones",
     "zero_sign = ieee"},
};

/// A rule by its id, which the compiler looks up: a text that is no row of the table does not compile.
///
///     failure.rule = "zero.sign";
///     if (failure.rule == "run.crash") ...
///
/// Files may name rules of other versions: such a rule keeps its id, and has no other text.
class Rule {
 public:
  constexpr Rule() = default;  ///< none: its texts are empty
  /// The row of that id; "": none.
  consteval Rule(const char* id) : place_(place_of(id)) {  // NOLINT(google-explicit-constructor): see above
    if (place_ == kNone && *id != '\0') throw "no row of kRuleTable has this id";
  }
  /// The rule of an id from elsewhere, or nothing.
  [[nodiscard]] static constexpr std::optional<Rule> parse(std::string_view id) noexcept {
    Rule rule;
    rule.place_ = place_of(id);
    return rule.is_none() ? std::nullopt : std::optional(rule);
  }

  /// The same; an id that no row has is kept, up to 1,000 of them in a process, and more are none. Threads may call it.
  [[nodiscard]] static Rule named(std::string_view id);

  [[nodiscard]] constexpr bool is_none() const noexcept { return place_ == kNone; }
  [[nodiscard]] constexpr std::string_view id() const noexcept { return place_ > kNone ? foreign_id() : row().id; }
  [[nodiscard]] constexpr std::string_view claim() const noexcept { return row().claim; }
  [[nodiscard]] constexpr std::string_view source() const noexcept { return row().source; }
  /// "sum" of "sum.exact".
  [[nodiscard]] constexpr std::string_view family() const noexcept { return id().substr(0, id().find('.')); }
  [[nodiscard]] constexpr bool only_watched() const noexcept { return row().only_watched; }
  /// The class of what breaks it; none: that of the value that is wrong, or the rule is of another version.
  [[nodiscard]] constexpr std::optional<FailureClass> kind() const noexcept { return row().kind; }
  /// Whether a judgement of one case names it: it is one of judging_rules().
  [[nodiscard]] constexpr bool is_judging() const noexcept { return place_ < place_of("compare.both_permitted"); }
  /// Its row, counted from 0; no row: the number of rows, or more.
  [[nodiscard]] constexpr std::size_t place() const noexcept { return place_; }

  friend constexpr bool operator==(Rule, Rule) = default;
  /// By their ids.
  friend constexpr std::strong_ordering operator<=>(Rule a, Rule b) noexcept { return a.id() <=> b.id(); }

 private:
  static constexpr std::size_t kNone = std::size(kRuleTable);
  [[nodiscard]] std::string_view foreign_id() const noexcept;
  static constexpr std::size_t place_of(std::string_view id) noexcept {
    std::size_t place = 0;
    while (place < kNone && kRuleTable[place].id != id) ++place;
    return place;
  }
  [[nodiscard]] constexpr RuleRow row() const noexcept { return place_ < kNone ? kRuleTable[place_] : RuleRow{}; }

  std::uint16_t place_ = kNone;
};

/// The rules that a judgement of one case names, in the table's order.
[[nodiscard]] inline std::span<const RuleRow> judging_rules() noexcept {
  return {kRuleTable, Rule("compare.both_permitted").place()};
}

/// Those, and the rules of comparisons and of replay: all that a command can report.
[[nodiscard]] inline std::span<const RuleRow> reported_rules() noexcept {
  return {kRuleTable, Rule("meta.run_twice").place()};
}

/// Writes the id.
std::ostream& operator<<(std::ostream& to, Rule rule);
/// The id, for nlohmann's JSON.
template <typename Json>
void to_json(Json& to, Rule rule) {
  to = rule.id();
}

}  // namespace negzero::verdict

template <>
struct fmt::formatter<negzero::verdict::Rule> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(negzero::verdict::Rule rule, Context& context) const {
    return fmt::formatter<std::string_view>::format(rule.id(), context);
  }
};
