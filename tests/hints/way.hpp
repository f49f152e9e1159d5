// One way to compute an element of a GEMM or a sum, step by step and exactly: a kernel of any contract.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/exact/dyadic.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/format.hpp>

namespace negzero::hints {

using exact::Dyadic;
using number::FormatId;
using number::Rounding;

/// Where a value is rounded to a format.
struct Stop {
  FormatId format = FormatId::F32;
  Rounding rounding = Rounding::NearestEven;
};

/// What a kernel does between its inputs and its output. Values are numbers: nothing here is infinite or NaN.
struct Way {
  enum class Order : std::uint8_t { Up, Down, Pairs };
  enum class Alpha : std::uint8_t { Epilogue, Operand, Slices };
  std::optional<Stop> factors{};        ///< what factors are rounded to
  std::optional<Stop> other_factors{};  ///< those of every second element, where they differ
  bool every_second = false;            ///< every second element's factors are not rounded
  Stop sum{};                           ///< the accumulator, and how it rounds
  bool faithful = false;                ///< each addition up or down, by chance
  bool fused = true;
  bool kahan = false;
  Order order = Order::Up;
  bool starts_at_c = false;  ///< a chain starts at beta * c
  Alpha alpha = Alpha::Epilogue;
  std::optional<FormatId> scalars{};  ///< alpha and beta are rounded to it
  std::int64_t slice = 0;             ///< so many values of k are summed by themselves; 0: all
  FormatId between = FormatId::F32;   ///< in which their sums are added
  std::optional<FormatId> stored{};   ///< to which they are rounded before
  std::optional<FormatId> at_sum{}, at_result{};
  std::int64_t step = 0;  ///< tensor cores: products of one step; 0: they are not used
  int kept = 0;           ///< tensor cores: fraction bits that an alignment keeps
  int bits = 0;           ///< tensor cores: bits of what a step gives
  bool flushes_inputs = false, flushes_results = false;
  number::EncodeOptions output{};
};

/// The value rounded once.
[[nodiscard]] Dyadic rounded(const Dyadic& value, Stop to, bool flushes = false);

/// alpha * sum a[i] b[i] + beta * c, `c` where it is read, as a word of `output`.
class Computer {
 public:
  Computer(Way way, FormatId output) : way_(way), output_(output) {}
  [[nodiscard]] std::uint64_t element(std::vector<Dyadic> a, std::vector<Dyadic> b, Dyadic alpha, Dyadic beta,
                                      std::optional<Dyadic> c);

 private:
  [[nodiscard]] Dyadic fl(const Dyadic& value);
  [[nodiscard]] Dyadic chain(const std::vector<Dyadic>& a, const std::vector<Dyadic>& b, Dyadic sum, bool is_empty);
  [[nodiscard]] Dyadic pairs(std::vector<Dyadic> terms);
  [[nodiscard]] Dyadic stepped(const std::vector<Dyadic>& a, const std::vector<Dyadic>& b);

  Way way_;
  FormatId output_;
  std::int64_t element_ = 0;
  base::Random random_{7};
};

}  // namespace negzero::hints
