// Errors beside those of random roundings: right kernels in any order stay within, a lost term does not.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/judgement/improbable.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::judgement {
namespace {

using contract::Contract;
using number::FormatId;

/// Ways to add, each right under order `any`.
enum class Way { Chain, Fused, Ascending, Descending, Pairwise, Tree };
constexpr Way kWays[] = {Way::Chain, Way::Fused, Way::Ascending, Way::Descending, Way::Pairwise, Way::Tree};
enum class Data { Normal, Positive, BothSigns };
constexpr Data kData[] = {Data::Normal, Data::Positive, Data::BothSigns};

double draw(base::Random& random, Data data) {
  if (data == Data::Positive) return random.uniform();
  if (data == Data::BothSigns) return 2 * random.uniform() - 1;
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum - 6;
}

/// Arithmetic that rounds to a format.
struct Adder {
  const number::Format& format;

  [[nodiscard]] double rounded(double x) const {
    return format.id == FormatId::F32 ? static_cast<float>(x)
                                      : number::to_double(format, number::from_double(format, x));
  }
  [[nodiscard]] double chain(std::span<const double> terms) const {
    return std::accumulate(terms.begin(), terms.end(), 0.0, [&](double a, double b) { return rounded(a + b); });
  }
  [[nodiscard]] double tree(std::span<const double> terms, const std::function<std::size_t(std::size_t)>& cut) const {
    if (terms.size() == 1) return terms.front();
    const std::size_t at = cut(terms.size());
    return rounded(tree(terms.first(at), cut) + tree(terms.subspan(at), cut));
  }
  /// The dot product of two rows of numbers of the format.
  [[nodiscard]] double dot(std::span<const double> a, std::span<const double> b, Way way, base::Random& random) const {
    double fused = 0;
    std::vector<double> terms;
    for (std::size_t i = 0; i < a.size(); ++i) {
      terms.push_back(rounded(a[i] * b[i]));
      if (way != Way::Fused) continue;
      // A product of two F32 fits in F64, and fmaf rounds its sum once.
      fused = format.id == FormatId::F32
                  ? std::fma(static_cast<float>(a[i]), static_cast<float>(b[i]), static_cast<float>(fused))
                  : rounded(fused + a[i] * b[i]);
    }
    const auto less = [](double x, double y) { return std::fabs(x) < std::fabs(y); };
    if (way == Way::Ascending || way == Way::Descending) std::ranges::sort(terms, less);
    if (way == Way::Descending) std::ranges::reverse(terms);
    switch (way) {
      case Way::Fused:
        return fused;
      case Way::Pairwise:
        return tree(terms, [](std::size_t n) { return n / 2; });
      case Way::Tree:
        return tree(terms, [&](std::size_t n) { return n < 3 || random.below(4) != 0 ? 1 : 1 + random.below(n - 1); });
      default:
        return chain(terms);
    }
  }
};

/// An m x n GEMM of m n dot products, with operands of one format.
struct Products {
  FormatId id;
  std::int64_t m, n, k;
  operation::Case value{};
  std::vector<double> a{}, b{};  ///< rows of A, columns of B

  Products(FormatId id_, std::int64_t m_, std::int64_t n_, std::int64_t k_, const std::function<double()>& next)
      : id(id_), m(m_), n(n_), k(k_), a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(n * k)) {
    operation::Gemm gemm{.m = m, .n = n, .k = k};
    gemm.a = gemm.b = gemm.d = id;
    value.operation = gemm;
    tensor::Tensor left(id, {1, m, k}), right(id, {1, k, n});
    const auto put = [&](tensor::Tensor& tensor, std::int64_t at, double& number) {
      tensor.set(at, number::from_double(tensor.format(), next()));
      number = number::to_double(tensor.format(), tensor.get(at));
    };
    for (std::int64_t i = 0; i < m * k; ++i) put(left, i, a[static_cast<std::size_t>(i)]);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < k; ++i) put(right, i * n + j, b[static_cast<std::size_t>(j * k + i)]);
    }
    value.tensors = {{"a", left}, {"b", right}, {"c", tensor::Tensor(id, {1, m, n})}};
    operation::pack_missing_layouts(value);
  }
  [[nodiscard]] std::span<const double> row(std::int64_t i) const {
    return std::span(a).subspan(static_cast<std::size_t>(i * k), static_cast<std::size_t>(k));
  }
  [[nodiscard]] std::span<const double> column(std::int64_t j) const {
    return std::span(b).subspan(static_cast<std::size_t>(j * k), static_cast<std::size_t>(k));
  }
  [[nodiscard]] tensor::Tensor result(const std::function<double(std::int64_t, std::int64_t)>& dot) const {
    tensor::Tensor d(id, {1, m, n});
    for (std::int64_t i = 0; i < m * n; ++i) d.set(i, number::from_double(d.format(), dot(i / n, i % n)));
    return d;
  }
};

/// What a right kernel's errors are at most, over ways to add and data: 10^3 sums of each.
void expect_random(FormatId id, std::int64_t k, const Contract& contract) {
  const Adder adder{number::format(id)};
  constexpr int kCases = 16;
  for (const Data data : kData) {
    std::map<Way, double> worst, sum;
    for (int seed = 0; seed < kCases; ++seed) {
      base::Random random = base::Random(11).split(static_cast<std::uint64_t>(seed));
      const Products products(id, 8, 8, k, [&] { return draw(random, data); });
      for (const Way way : kWays) {
        const auto d = products.result([&](std::int64_t i, std::int64_t j) {
          return adder.dot(products.row(i), products.column(j), way, random);
        });
        const auto errors = random_errors(products.value, contract, d);
        ASSERT_TRUE(errors) << "k " << k << ", data " << static_cast<int>(data);
        EXPECT_LE(errors->terms, k);
        worst[way] = std::max(worst[way], errors->squares);
        sum[way] += errors->squares;
      }
    }
    for (const Way way : kWays) {
      SCOPED_TRACE(fmt::format("k {}, data {}, way {}", k, static_cast<int>(data), static_cast<int>(way)));
      EXPECT_LT(sum[way] / kCases, 1) << "V bounds the mean";
      EXPECT_LT(worst[way], 4);
    }
  }
}

TEST(Improbable, RightSumsInAnyOrderAreNot) {
  for (const std::int64_t k : {64, 512, 4096}) expect_random(FormatId::F32, k, {});
  expect_random(FormatId::F16, 64, {.accumulate = FormatId::F16});
}

TEST(Improbable, ALostTermOfALongSumIs) {
  const Adder adder{number::format(FormatId::F32)};
  int permitted = 0, beyond = 0;
  for (int seed = 0; seed < 100; ++seed) {
    base::Random random = base::Random(5).split(static_cast<std::uint64_t>(seed));
    const Products products(FormatId::F32, 1, 1, 4096, [&] { return draw(random, Data::Normal); });
    const auto d = products.result([&](std::int64_t, std::int64_t) {
      return adder.dot(products.row(0).subspan(1), products.column(0).subspan(1), Way::Chain, random);
    });
    if (!oracle::Oracle::make(products.value, {})->permitted(0).contains(d.get(0))) continue;
    ++permitted;
    beyond += random_errors(products.value, {}, d)->squares > 36 ? 1 : 0;
    Contract flat;
    flat.depth.formula = "24";
    EXPECT_GE(random_errors(products.value, flat, d)->squares, random_errors(products.value, {}, d)->squares);
  }
  EXPECT_GT(permitted, 30) << "without a depth the bound is wider than many terms";
  EXPECT_GT(4 * beyond, 3 * permitted) << beyond << " of " << permitted;
}

TEST(Improbable, TruncationOfOneSignedSumsIs) {
  const auto truncated = [](double x) -> double {
    const float nearest = static_cast<float>(x);
    return std::fabs(nearest) > std::fabs(x) ? std::nextafterf(nearest, 0) : nearest;
  };
  for (const Data data : {Data::Positive, Data::Normal}) {
    base::Random random(3);
    const Products products(FormatId::F32, 1, 1, 4096, [&] { return draw(random, data); });
    double sum = 0;
    for (std::size_t i = 0; i < 4096; ++i) sum = truncated(sum + truncated(products.a[i] * products.b[i]));
    const auto d = products.result([&](std::int64_t, std::int64_t) { return sum; });
    EXPECT_TRUE(oracle::Oracle::make(products.value, {})->permitted(0).contains(d.get(0)));
    // Of both signs truncation has no direction.
    EXPECT_EQ(random_errors(products.value, {}, d)->squares > 36, data == Data::Positive);
  }
}

}  // namespace
}  // namespace negzero::judgement
