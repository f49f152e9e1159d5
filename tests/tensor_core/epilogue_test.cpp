// Simulated tensor cores with everything about the sum: alpha and beta in each place, stores, flushing.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>

#include "trial.hpp"

namespace negzero::tensor_core {
namespace {

/// One run of a kernel that the contract permits.
class Execution {
 public:
  Execution(Random& random, const Kernel& kernel, const Trial& drawn)
      : random_(random), kernel_(kernel), drawn_(drawn) {}

  double operator()() {
    std::vector<double> a = drawn_.a, b = drawn_.b;
    if (kernel_.factors ==
        FormatId::F32) {  // Arithmetic before the factors are rounded, which tensor cores take as they are.
      for (double& x : a) x = input(FormatId::F32, x);
      for (double& x : b) x = input(FormatId::F32, x);
    }
    const bool reads_c = drawn_.beta != 0;
    bool in_operand = random_.below(2) == 0 && kernel_.multiplicand != Multiplicand::Exact;
    if (std::fabs(drawn_.alpha) == 1 && random_.below(2) == 0) in_operand = true;
    if (in_operand) {
      const bool into_b = random_.below(2) == 0;
      for (double& x : into_b ? b : a) {
        if (std::fabs(drawn_.alpha) == 1) {  // No operation, but for the sign.
          x *= drawn_.alpha;
          continue;
        }
        const bool in_f16 = kernel_.declared == FormatId::F16 && kernel_.held == FormatId::F16;
        const FormatId in = in_f16 ? FormatId::F16 : FormatId::F32;
        x = result(in, drawn_.alpha * taken(kernel_.factors, in, x));
        x = fl(factor_format(kernel_), x);
      }
    }
    const bool as_leaf = reads_c && (in_operand || drawn_.alpha == 1) && random_.below(2) == 0;
    const double leaf = as_leaf ? addend(kernel_.held, true) : 0;
    double y = summed(a, b, as_leaf, leaf);
    FormatId at = kernel_.held;
    if (kernel_.held != kernel_.declared && random_.below(2) == 0) {
      at = kernel_.declared;
      y = fl(at, y);
    }
    if (as_leaf) return y;
    const double alpha = in_operand ? 1 : drawn_.alpha;
    const double scaled = alpha == 1 ? y : result(at, alpha * input(at, y));
    if (!reads_c) return scaled;
    if (at == FormatId::F32 && random_.below(2) == 0) {
      const double c = input(at, fl(at, taken(drawn_.output, at, drawn_.c)));
      const auto f = [](double x) { return static_cast<float>(x); };
      if (random_.below(2) == 0) return result(at, std::fmaf(f(drawn_.beta), f(c), f(input(at, scaled))));
      if (!in_operand) return result(at, std::fmaf(f(alpha), f(input(at, y)), f(input(at, addend(at)))));
    }
    return add_up(at, scaled, addend(at));
  }

 private:
  double flushed(FormatId id, double x, contract::Subnormals policy) {
    const bool tiny = std::fabs(x) < std::ldexp(1.0, number::format(id).min_normal_exponent());
    return policy != contract::Subnormals::Keep && tiny && random_.below(2) == 0 ? std::copysign(0.0, x) : x;
  }
  double input(FormatId id, double x) { return flushed(id, x, drawn_.contract.subnormal_inputs); }
  /// A number of one format that arithmetic in another one takes: most are normal there.
  double taken(FormatId of, FormatId in, double x) {
    const int own = number::format(of).min_normal_exponent(), there = number::format(in).min_normal_exponent();
    return own <= there ? input(of, x) : x;
  }
  double result(FormatId id, double x) { return flushed(id, fl(id, x), drawn_.contract.subnormal_results); }
  double add_up(FormatId id, double x, double y) { return result(id, input(id, x) + input(id, y)); }
  /// fl(beta * c). An epilogue loads C into its own format first; a leaf may be made of C as it stands in memory.
  double addend(FormatId id, bool is_leaf = false) {
    const double c = taken(drawn_.output, id, drawn_.c);
    const double loaded = is_leaf && random_.below(2) == 0 ? c : fl(id, c);
    return drawn_.beta == 1 ? fl(id, c) : result(id, drawn_.beta * input(id, loaded));
  }
  double chained(std::span<const double> a, std::span<const double> b, double c) {
    if (!kernel_.emulated) return slice(kernel_.machine, a, kernel_.shape, b, kernel_.shape, c);
    for (std::size_t begin = 0; begin < a.size(); begin += 32) {
      std::array<std::vector<double>, 2> x, y;
      for (std::size_t k = begin; k < std::min(a.size(), begin + 32); ++k) {
        x[k / 2 % 2].push_back(a[k]);
        y[k / 2 % 2].push_back(b[k]);
      }
      double sum = 0;
      for (std::size_t half = 0; half < 2; ++half) sum = step(kernel_.machine, x[half], kF16, y[half], kF16, sum);
      c = fl(FormatId::F32, c + sum);
    }
    return c;
  }
  double summed(const std::vector<double>& a, const std::vector<double>& b, bool as_leaf, double leaf) {
    std::size_t parts = 1 + random_.below(4);
    if (drawn_.contract.slices > 0) parts = std::min(parts, static_cast<std::size_t>(drawn_.contract.slices));
    std::vector<std::size_t> cuts{0, a.size()};
    for (std::size_t i = 1; i < parts; ++i) cuts.push_back(random_.below(a.size() + 1));
    std::ranges::sort(cuts);
    const bool first = as_leaf && random_.below(2) == 0;
    std::vector<double> sums;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const std::size_t count = cuts[i + 1] - cuts[i];
      if (count == 0 && !(first && i == 0)) continue;
      sums.push_back(chained(std::span(a).subspan(cuts[i], count), std::span(b).subspan(cuts[i], count),
                             first && i == 0 ? leaf : 0));
    }
    if (as_leaf && !first) sums.push_back(leaf);
    while (sums.size() > 1) {
      const std::size_t i = random_.below(sums.size() - 1);
      sums[i] = add_up(kernel_.held, sums[i], sums[i + 1]);
      sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(i + 1));
    }
    return sums.front();
  }

  Random& random_;
  const Kernel& kernel_;
  const Trial& drawn_;
};

std::uint64_t drawn_number_of(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Epilogues : public testing::TestWithParam<std::size_t> {};

TEST_P(Epilogues, EveryResultIsPermitted) {
  const Kernel& kernel = kKernels[GetParam()];
  const std::uint64_t cases = drawn_number_of("NEGZERO_TENSOR_CORE_SUMS", 2000);
  std::uint64_t vacuous = 0, bounded = 0, failures = 0;
  for (std::uint64_t n = 0; n < cases; ++n) {
    Random random = Random(drawn_number_of("NEGZERO_TENSOR_CORE_SEED", 1)).split(n * 16 + GetParam());
    const Trial drawn = draw_trial(random, kernel);
    const operation::Case value = case_of_trial(kernel, drawn);
    const auto oracle = oracle::Oracle::make(value, drawn.contract);
    ASSERT_TRUE(oracle.ok()) << oracle.error().message;
    const oracle::Permitted set = oracle->permitted(0);
    vacuous += set.vacuous ? 1 : 0;
    bounded += set.rule == "sum.tensor_core" ? 1 : 0;
    Execution run(random, kernel, drawn);
    for (int i = 0; i < 12; ++i) {
      const double result = run();
      const std::uint64_t word = number::from_double(number::format(drawn.output), result);
      if (set.contains(word)) continue;
      ++failures;
      EXPECT_TRUE(set.contains(word)) << n << ": " << result << " " << std::hex << word << std::dec << " K "
                                      << drawn.a.size() << " alpha " << drawn.alpha << " beta " << drawn.beta << " c "
                                      << drawn.c << "\n"
                                      << contract::to_json(drawn.contract) << "\n"
                                      << oracle->explain(0);
      if (failures > 3) return;
      break;
    }
  }
  std::cout << "           " << kernel.name << ": " << cases * 12 << " results permitted; bounded sets " << bounded
            << ", vacuous " << vacuous << " of " << cases << "\n";
  EXPECT_GT(bounded, cases / 8);
}

// -0 products from -0 on: whether the unit gives +0 or -0 there is not known. beta * c underflows to that -0.
TEST(Epilogue, AllTermsMinusZeroMayGiveEitherZero) {
  Trial trial;
  trial.a = {-0.0};
  trial.b = {1};
  trial.beta = 0.5;
  trial.c = -0x1p-149;
  trial.contract.tensor_core = contract::TensorCore::Only;
  trial.contract.wider = false;
  trial.contract.beta = contract::BetaPlace::Leaf;
  trial.contract.zero_sign = contract::ZeroSign::Ieee;
  const auto contains_minus_zero = [&] {
    const operation::Case value = case_of_trial(kKernels[0], trial);
    return oracle::Oracle::make(value, trial.contract)->permitted(0).contains(0x80000000);
  };
  EXPECT_TRUE(contains_minus_zero());
  trial.c = 0x1p-149;
  EXPECT_FALSE(contains_minus_zero());
  trial.c = -0x1p-149;
  trial.a = {0.0};
  EXPECT_FALSE(contains_minus_zero());
}

INSTANTIATE_TEST_SUITE_P(Kernels, Epilogues, testing::Range(std::size_t{0}, std::size(kKernels)));

}  // namespace
}  // namespace negzero::tensor_core