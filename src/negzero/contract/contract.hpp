// The declared numerics of a kernel, as data: every field of numerics.md section 1.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/format.hpp>

namespace negzero::contract {

/// Rounding applied to a and b before they are multiplied.
enum class Multiplicand : std::uint8_t {
  Exact,
  Tf32Truncate,
  Tf32NearestAway,
  Tf32NearestEven,
  Bf16,
  F16,
  Tf32Any,      ///< to TF32, all factors by one conversion that is not declared: one of the three
  Tf32OrExact,  ///< so, or not at all
};
enum class AccumulateRounding : std::uint8_t { Nearest, TowardZero, Faithful };
enum class Order : std::uint8_t {
  Any,        ///< every tree, every split
  Ascending,  ///< one chain in k
  Model,      ///< the hardware model's own order
};
/// Whether the products of a GEMM may be summed by tensor cores whose arithmetic is not declared bit for bit: fused
/// steps of several products that truncate (numerics.md 2e).
enum class TensorCore : std::uint8_t {
  No,
  May,   ///< by them, or in the ordinary way
  Only,  ///< by them
};
/// Whose tensor cores. Any: whatever holds for every one that takes the operands' formats.
enum class Unit : std::uint8_t { Any, Volta, Turing, Ampere, Ada, Hopper, Blackwell };
enum class Contraction : std::uint8_t { Fused, Separate, Either };
/// What a chain starts from. Any permits every one of them.
enum class Start : std::uint8_t { PlusZero, FirstTerm, C, Any };
enum class AlphaPlace : std::uint8_t {
  Epilogue,
  Operand,  ///< folded into a or b
  Any,      ///< either of the two
  Partial,  ///< any, and on partial sums: each slice of a split K scaled before the slices meet
};
enum class BetaPlace : std::uint8_t { Epilogue, Leaf, Any };
enum class Subnormals : std::uint8_t { Keep, Flush, Either };
enum class NanPolicy : std::uint8_t {
  Propagate,  ///< maximum / minimum of IEEE 754-2019 9.6
  Ignore,     ///< maximumNumber / minimumNumber
};
/// What max and min under `ignore` give when every input is NaN.
enum class AllNan : std::uint8_t { Nan, Identity, Any };
enum class ZeroSign : std::uint8_t { Default, Ieee, Any };
enum class OverflowPolicy : std::uint8_t {
  Default,  ///< Saturate of a conversion to an integer, as every `cvt` of PTX does; else Ieee
  Ieee,     ///< an integer wraps
  Saturate,
  Nan,
  Either,
};
enum class IntegerOverflow : std::uint8_t { Wrap, Saturate };
enum class Ties : std::uint8_t { First, Last, Any };
enum class MeanForm : std::uint8_t {
  Divide,      ///< the sum over n
  Reciprocal,  ///< the sum times fl(1/n)
  Any,         ///< either of the two
  Terms,       ///< each element over n, or times fl(1/n), which `contraction` may fuse with the addition that follows
};
/// Where the intermediate roundings stand when alpha, beta or C take part: on the sum of products (the F32 fragment
/// goes through F16 and is then added to C), or on alpha * sum + beta * c.
enum class IntermediateAt : std::uint8_t { Result, Sum };
/// What a GEMM is where a scalar is zero, or K is.
enum class Scalars : std::uint8_t {
  Blas,     ///< as the reference BLAS has it: what a zero multiplies is not read, and at K = 0 the result is beta * C
  Formula,  ///< alpha * sum + beta * c, evaluated as IEEE 754 has it whatever they are
};
enum class Determinism : std::uint8_t { NotGuaranteed, RunToRun, GpuToGpu };

/// Partial sums move to a wider accumulator every `every` values of k.
struct Promote {
  std::int64_t every = 0;
  number::FormatId format = number::FormatId::F32;
  friend bool operator==(const Promote&, const Promote&) = default;
};

/// One rounding on the way from the accumulator to memory.
struct RoundingStep {
  number::FormatId format = number::FormatId::F32;
  number::Rounding rounding = number::Rounding::NearestEven;
  friend bool operator==(const RoundingStep&, const RoundingStep&) = default;
};

/// The most roundings that a term of a sum meets: that of its product, and each addition whose operands are both not
/// zero; none of alpha, C or a mean's division. A formula (formula/formula.hpp) over the operation's extents and the
/// options of the launch: "1 + ceil_div(k, 256) + 8". Empty: as many as there are terms.
struct Depth {
  std::string formula{};
  friend bool operator==(const Depth&, const Depth&) = default;
};

/// The version of the defaults. It changes with a default, so that a contract that was stored says what it said: under
/// version 1 the default of `overflow` is Ieee.
inline constexpr std::uint64_t kVersion = 2;

/// A contract. Defaults are the defaults of numerics.md section 1.
struct Contract {
  Multiplicand multiplicand = Multiplicand::Exact;
  /// Of the factors of B alone, and `multiplicand` of those of A; nothing: they are converted alike.
  std::optional<Multiplicand> multiplicand_b{};
  number::FormatId accumulate = number::FormatId::F32;
  AccumulateRounding accumulate_rounding = AccumulateRounding::Nearest;
  std::string model{};  ///< name of a hardware model; empty: none
  bool wider = true;
  bool compensated = false;
  Order order = Order::Any;
  Depth depth{};  ///< of order `any`
  TensorCore tensor_core = TensorCore::No;
  Unit unit = Unit::Any;  ///< of `tensor_core`
  /// Of `tensor_core` and `slice_format`: most parts of k that are summed by themselves; 0: any number.
  std::int64_t slices = 0;
  /// Sums of slices of k may be stored in this narrower format, each once, before they are added in the accumulator
  /// (numerics.md 2f); nothing: they are not. A permission: any of them may stay as it is.
  std::optional<number::FormatId> slice_format{};
  Contraction contraction = Contraction::Either;
  Start start = Start::Any;
  std::optional<Promote> promote{};
  AlphaPlace alpha = AlphaPlace::Any;
  BetaPlace beta = BetaPlace::Any;
  /// alpha and beta are rounded to this first; the epilogue runs in the wider of it and the format that the sum is in,
  /// that of its last `intermediate` rounding or the accumulator's. Nothing: they are taken as they are, and the
  /// epilogue runs in the accumulator's format, or, where `wider` allows, in theirs.
  std::optional<number::FormatId> scalar_format{};
  /// Roundings before the output's own, in order (F32 -> F16 -> F32 is {F16}); usually empty.
  std::vector<RoundingStep> intermediate{};
  IntermediateAt intermediate_at = IntermediateAt::Result;
  number::Rounding output_rounding = number::Rounding::NearestEven;
  Subnormals subnormal_inputs = Subnormals::Keep;
  Subnormals subnormal_results = Subnormals::Keep;
  NanPolicy nan = NanPolicy::Propagate;
  AllNan all_nan = AllNan::Any;
  ZeroSign zero_sign = ZeroSign::Default;  ///< Default: ieee for selections, any for sums
  OverflowPolicy overflow = OverflowPolicy::Default;
  IntegerOverflow integer_overflow = IntegerOverflow::Wrap;
  Ties ties = Ties::Any;
  /// Value (max, min: bits in the output's format) or index (argmax, argmin) of an empty row; nothing: identity for
  /// values (-Inf for max, +Inf for min, +0 for sums), any index.
  std::optional<std::uint64_t> empty{};
  MeanForm mean = MeanForm::Any;
  bool mean_may_overflow = false;
  Scalars scalars = Scalars::Blas;
  bool reads_a_b_at_alpha_zero = false;  ///< true: A and B are read although alpha == 0 (NaN counts)
  bool reads_c_at_beta_zero = false;
  Determinism determinism = Determinism::NotGuaranteed;
  bool position_invariant = false;

  /// Whether A and B count where alpha is 0, and C where beta is.
  [[nodiscard]] bool reads_a_b() const noexcept { return reads_a_b_at_alpha_zero || scalars == Scalars::Formula; }
  [[nodiscard]] bool reads_c() const noexcept { return reads_c_at_beta_zero || scalars == Scalars::Formula; }
  friend bool operator==(const Contract&, const Contract&) = default;
};

/// The preset of that name, or nothing: f32 f64 f16_acc_f32 f16_acc_f16 tf32 bf16_acc_f32 f8_acc_f32 blas.
[[nodiscard]] std::optional<Contract> preset(std::string_view name);
/// Names of all presets, for `negzero list contracts` and messages.
[[nodiscard]] const std::vector<std::string_view>& preset_names();

/// Canonical JSON with only the fields that differ from the default; `{}` for the default contract.
[[nodiscard]] std::string to_json(const Contract& contract);
/// A preset's name, or JSON that may name one to start from: {"preset": "f32", "order": "ascending"}. Unknown fields,
/// unknown words and duplicate keys are usage errors that list what is known. Fields that it leaves out have the
/// defaults of `version`; an unknown one is a usage error.
[[nodiscard]] base::Result<Contract> parse(std::string_view text, std::uint64_t version = kVersion);
/// One line for people: "F32 accumulator, any order, fused or separate, NaN propagates". Every field that differs from
/// its default is in it.
[[nodiscard]] std::string describe(const Contract& contract);

/// How all factors of A, and all of B, are converted for one element.
struct Multiplicands {
  Multiplicand a = Multiplicand::Exact, b = Multiplicand::Exact;
  friend bool operator==(const Multiplicands&, const Multiplicands&) = default;
};
/// The conversions of which one holds for each element of a result, not known which: those that `multiplicand` leaves
/// open, A and B alike, or, where `multiplicand_b` is declared, each of one with each of the other. What rounds the
/// least is first.
[[nodiscard]] std::vector<Multiplicands> conversions(const Contract& contract);

/// The contract with each of those conversions declared. Its permitted set is the union of theirs.
[[nodiscard]] std::vector<Contract> members(const Contract& contract);

/// Finds contradictions (order model without a model, Kahan with toward_zero ...). Errors name both fields.
[[nodiscard]] base::Status validate(const Contract& contract);

}  // namespace negzero::contract
