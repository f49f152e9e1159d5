// How wide permitted sets of long sums are beside what trees of additions give, with a declared depth and without one,
// in Markdown; and how many lost terms they let pass.
//
//   depth_table [--trees N] [--lengths 64,512,4096]
//
// Each row is a dot product of k factors, added as 256 threads do: chains of k / 256 products, then a tree. The numbers
// are means of eight draws. Width: greatest less least permitted number, over the same of the results of N random trees
// (10,000): of any tree (half of them chains in a random order), and of trees of the declared depth. Lost: the share of
// terms whose loss passes. Each result must be permitted; the last line counts those that are not.
// Exit code: 0 run, 1 a result was refused, 2 bad input.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/judgement/blind.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero {
namespace {

using contract::Contract;
using number::FormatId;

enum class Data { Normal, Uniform, Cancelling };
constexpr const char* kNames[] = {"normal", "uniform", "cancelling"};

double normal(base::Random& random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum - 6;
}

/// One row of a, one column of b, as words of `format`. Cancelling: each product comes again with the other sign.
operation::Case draw(base::Random& random, FormatId format, std::int64_t k, Data data) {
  const number::Format& numbers = number::format(format);
  operation::Gemm gemm;
  gemm.m = gemm.n = 1;
  gemm.k = k;
  gemm.a = gemm.b = gemm.d = format;
  gemm.alpha = {format, number::one(numbers)};
  gemm.beta = {format, number::zero(numbers)};
  tensor::Tensor a(format, {1, 1, k}), b(format, {1, k, 1});
  for (std::int64_t i = 0; i < k; ++i) {
    const bool is_again = data == Data::Cancelling && i % 2 == 1 && random.below(16) != 0;
    const auto value = [&] { return data == Data::Uniform ? random.uniform() : normal(random); };
    const std::uint64_t sign = std::uint64_t{1} << (numbers.bits - 1);
    a.set(i, is_again ? a.get(i - 1) ^ sign : number::from_double(numbers, value()));
    b.set(i, is_again ? b.get(i - 1) : number::from_double(numbers, value()));
  }
  operation::Case result;
  result.operation = gemm;
  result.tensors.emplace("a", std::move(a));
  result.tensors.emplace("b", std::move(b));
  result.tensors.emplace("c", tensor::Tensor(format, {1, 1, 1}));
  return result;
}

/// Additions and products that round to the format.
class Adder {
 public:
  explicit Adder(FormatId format) : format_(number::format(format)) {}
  [[nodiscard]] double rounded(double x) const {
    if (format_.id == FormatId::F32) return static_cast<float>(x);
    return number::to_double(format_, number::from_double(format_, x));
  }
  [[nodiscard]] double chain(std::span<const double> terms) const {
    return std::accumulate(terms.begin() + 1, terms.end(), terms.front(),
                           [&](double sum, double term) { return rounded(sum + term); });
  }
  /// A random tree in which a term meets `additions` at most.
  [[nodiscard]] double tree(std::span<const double> terms, int additions, base::Random& random) const {
    const auto n = static_cast<std::int64_t>(terms.size());
    if (n == 1) return terms.front();
    const std::int64_t most =
        additions > 30 ? n - 1 : std::min<std::int64_t>(n - 1, std::int64_t{1} << (additions - 1));
    // Ends are as likely as the middle, so that deep trees come, too.
    const std::int64_t least = n - most;
    const std::int64_t count =
        random.below(3) == 0 ? (random.below(2) == 0 ? least : most) : random.between(least, most);
    const auto part = static_cast<std::size_t>(count);
    return rounded(tree(terms.first(part), additions - 1, random) + tree(terms.subspan(part), additions - 1, random));
  }

 private:
  const number::Format& format_;
};

struct Measured {
  double width = 0, lost = 0;
  std::int64_t refused = 0;
};

/// The permitted set of a contract beside the results.
Measured measure(const operation::Case& value, const Contract& contract, std::span<const double> results) {
  const auto oracle = oracle::Oracle::make(value, contract);
  const oracle::Permitted set = oracle->permitted(0);
  const number::Format& format = number::format(contract.accumulate);
  const auto [least, greatest] = std::ranges::minmax(results);
  Measured measured;
  const double spread = std::max(greatest - least, std::ldexp(std::fabs(greatest), -format.precision()));
  measured.width = (set.high - set.low).approximate() / spread;
  for (const double result : results) measured.refused += set.contains(number::from_double(format, result)) ? 0 : 1;
  const std::int64_t element = 0;
  measured.lost = judgement::blindness(value, contract, std::span(&element, 1), 1).share;
  return measured;
}

int run(std::int64_t trees, std::span<const std::int64_t> lengths) {
  std::int64_t refused = 0, all = 0;
  fmt::print(
      "| k | accumulator | factors | depth | width, any order | of that depth | lost, any order | of that depth |\n");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  constexpr int kDraws = 8;
  for (const std::int64_t k : lengths) {
    for (const FormatId format : {FormatId::F32, FormatId::F16, FormatId::BF16}) {
      const Adder adder(format);
      for (const Data data : {Data::Normal, Data::Uniform, Data::Cancelling}) {
        Contract any{.accumulate = format, .wider = false}, flat = any;
        flat.depth.formula = "ceil_div(k, 256) + ceil_log2(min(k, 256))";
        const int additions =
            static_cast<int>((k + 255) / 256) - 1 + static_cast<int>(std::log2(std::min<std::int64_t>(k, 256)));
        Measured of_any, of_flat;
        for (int round = 0; round < kDraws; ++round) {
          base::Random random = base::Random(7).split(static_cast<std::uint64_t>(k * 100 + round * 10) +
                                                      static_cast<std::uint64_t>(data));
          const operation::Case value = draw(random, format, k, data);
          std::vector<double> terms(static_cast<std::size_t>(k)), orders, flats;
          for (std::int64_t i = 0; i < k; ++i) {
            const number::Format& numbers = number::format(format);
            terms[static_cast<std::size_t>(i)] =
                adder.rounded(number::to_double(numbers, value.tensors.at("a").get(i)) *
                              number::to_double(numbers, value.tensors.at("b").get(i)));
          }
          for (std::int64_t i = 0; i < trees / kDraws; ++i) {
            for (std::size_t j = terms.size(); j > 1; --j) std::swap(terms[j - 1], terms[random.below(j)]);
            flats.push_back(adder.tree(terms, additions, random));
            orders.push_back(i % 2 == 0 ? adder.chain(terms) : adder.tree(terms, 1 << 20, random));
          }
          const Measured one = measure(value, any, orders), other = measure(value, flat, flats);
          of_any.width += one.width / kDraws;
          of_any.lost += one.lost / kDraws;
          of_flat.width += other.width / kDraws;
          of_flat.lost += other.lost / kDraws;
          refused += one.refused + other.refused;
          all += static_cast<std::int64_t>(orders.size() + flats.size());
        }
        fmt::print("| {} | {} | {} | {} | {:.3g} | {:.3g} | {:.1f} % | {:.1f} % |\n", k, number::format(format).name,
                   kNames[static_cast<int>(data)], additions + 1, of_any.width, of_flat.width, 100 * of_any.lost,
                   100 * of_flat.lost);
        std::fflush(stdout);
      }
    }
  }
  fmt::print("\n{} of {} results refused\n", refused, all);
  return refused == 0 ? 0 : 1;
}

}  // namespace
}  // namespace negzero

int main(int argc, char** argv) {
  CLI::App app("Widths of permitted sets of long sums, with a declared depth and without one");
  std::int64_t trees = 10'000;
  app.add_option("--trees", trees, "random trees of each kind and row")->check(CLI::Range(8, 100'000'000));
  std::vector<std::int64_t> lengths{64, 512, 4096};
  app.add_option("--lengths", lengths, "terms of the sums")->delimiter(',')->check(CLI::Range(2, 1 << 20));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return negzero::run(trees, lengths);
}
