// How wide permitted sets of long sums are beside what trees of additions give, with a declared depth and without one,
// in Markdown; and how many lost terms they let pass.
//
//   depth_table [--trees N] [--lengths 64,512,4096] [--scans 1000,100000]
//
// Each row is a dot product of k factors, or the last sum of a scan over k values, added as 256 threads do: chains of
// k / 256 terms, then a tree. "F32, tensor cores" are products of F16 that tensor cores may add where no depth is
// declared. The numbers are means of eight draws. Width: greatest less least permitted number, over the same of the
// results of N random trees (10,000): of any tree (half of them chains in a random order), and of trees of the declared
// depth. Lost: the share of terms whose loss passes. Each result must be permitted; the last line counts those that are
// not. Exit code: 0 run, 1 a result was refused, 2 bad input.

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
#include <negzero/operation/operands.hpp>
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

/// A sum of `k` terms: its operation, and the formats of its operands and of its accumulator and output.
struct Subject {
  const char* name;
  FormatId operands, accumulate;
  bool is_scan = false;
  bool may_use_units = false;  ///< where no depth is declared

  [[nodiscard]] contract::Contract any_order() const {
    Contract contract{.accumulate = accumulate, .wider = false};
    if (may_use_units) contract.tensor_core = contract::TensorCore::May;
    return contract;
  }
  [[nodiscard]] contract::Contract of_depth() const {
    Contract contract{.accumulate = accumulate, .wider = false};
    contract.depth.formula = is_scan ? "ceil_div(columns, 256) - 1 + ceil_log2(min(columns, 256))"
                                     : "ceil_div(k, 256) + ceil_log2(min(k, 256))";
    return contract;
  }
};
constexpr Subject kProducts[] = {{"F32", FormatId::F32, FormatId::F32},
                                 {"F32, tensor cores", FormatId::F16, FormatId::F32, false, true},
                                 {"F16", FormatId::F16, FormatId::F16},
                                 {"BF16", FormatId::BF16, FormatId::BF16}};
constexpr Subject kScan{"F32, scan", FormatId::F32, FormatId::F32, true};

/// The operands: one row of a and one column of b, or one row of x. Cancelling: each term comes again with the other
/// sign.
operation::Case draw(base::Random& random, const Subject& subject, std::int64_t k, Data data) {
  const number::Format& numbers = number::format(subject.operands);
  const auto value = [&] { return data == Data::Uniform ? random.uniform() : normal(random); };
  tensor::Tensor a(subject.operands,
                   subject.is_scan ? std::vector<std::int64_t>{1, k} : std::vector<std::int64_t>{1, 1, k});
  tensor::Tensor b(subject.operands, {1, k, 1});
  for (std::int64_t i = 0; i < k; ++i) {
    const bool is_again = data == Data::Cancelling && i % 2 == 1 && random.below(16) != 0;
    const std::uint64_t sign = std::uint64_t{1} << (numbers.bits - 1);
    a.set(i, is_again ? a.get(i - 1) ^ sign : number::from_double(numbers, value()));
    b.set(i, is_again ? b.get(i - 1) : number::from_double(numbers, value()));
  }
  operation::Case result;
  if (subject.is_scan) {
    result.operation = operation::Operation(*operation::find_signature("scan.inclusive"));
    std::ranges::copy(std::vector<std::int64_t>{1, k}, result.operation.extents().begin());
    result.tensors.emplace("x", std::move(a));
    return result;
  }
  const number::Format& scalars = number::format(subject.accumulate);
  result.operation = operation::Gemm{.m = 1,
                                     .n = 1,
                                     .k = k,
                                     .a = subject.operands,
                                     .b = subject.operands,
                                     .d = subject.accumulate,
                                     .alpha = {scalars.id, number::one(scalars)},
                                     .beta = {scalars.id, number::zero(scalars)}};
  result.tensors.emplace("a", std::move(a));
  result.tensors.emplace("b", std::move(b));
  result.tensors.emplace("c", tensor::Tensor(subject.accumulate, {1, 1, 1}));
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
  const std::int64_t element = tensor::count_elements(operation::output_specs(value.operation).front().shape) - 1;
  const oracle::Permitted set = oracle->permitted(element);
  const number::Format& format = number::format(contract.accumulate);
  const auto [least, greatest] = std::ranges::minmax(results);
  Measured measured;
  const double spread = std::max(greatest - least, std::ldexp(std::fabs(greatest), -format.precision()));
  measured.width = (set.high - set.low).approximate() / spread;
  for (const double result : results) measured.refused += set.contains(number::from_double(format, result)) ? 0 : 1;
  measured.lost = judgement::blindness(value, contract, std::span(&element, 1), 1).share;
  return measured;
}

std::vector<double> terms_of(const operation::Case& value, const Subject& subject, const Adder& adder) {
  const number::Format& numbers = number::format(subject.operands);
  const auto at = [&](const char* tensor, std::int64_t i) {
    return number::to_double(numbers, value.tensors.at(tensor).get(i));
  };
  const std::int64_t k = operation::factor(value).element_count();
  std::vector<double> terms;
  for (std::int64_t i = 0; i < k; ++i) {
    terms.push_back(subject.is_scan ? at("x", i) : adder.rounded(at("a", i) * at("b", i)));
  }
  return terms;
}

class Table {
 public:
  explicit Table(std::int64_t trees) : trees_(trees) {
    fmt::print(
        "| k | accumulator | factors | depth | width, any order | of that depth | lost, any order | of that depth |\n"
        "|---|---|---|---|---|---|---|---|\n");
  }
  void row(const Subject& subject, std::int64_t k, Data data) {
    const Adder adder(subject.accumulate);
    const int additions =
        static_cast<int>((k + 255) / 256) - 1 + static_cast<int>(std::log2(std::min<std::int64_t>(k, 256)));
    Measured of_any, of_flat;
    for (int round = 0; round < kDraws; ++round) {
      base::Random random =
          base::Random(7).split(static_cast<std::uint64_t>(k * 100 + round * 10) + static_cast<std::uint64_t>(data));
      const operation::Case value = draw(random, subject, k, data);
      std::vector<double> terms = terms_of(value, subject, adder), orders, flats;
      for (std::int64_t i = 0; i < trees_ / kDraws; ++i) {
        for (std::size_t j = terms.size(); j > 1; --j) std::swap(terms[j - 1], terms[random.below(j)]);
        flats.push_back(adder.tree(terms, additions, random));
        orders.push_back(i % 2 == 0 ? adder.chain(terms) : adder.tree(terms, 1 << 20, random));
      }
      const Measured one = measure(value, subject.any_order(), orders),
                     other = measure(value, subject.of_depth(), flats);
      of_any.width += one.width / kDraws;
      of_any.lost += one.lost / kDraws;
      of_flat.width += other.width / kDraws;
      of_flat.lost += other.lost / kDraws;
      refused_ += one.refused + other.refused;
      all_ += static_cast<std::int64_t>(orders.size() + flats.size());
    }
    fmt::print("| {} | {} | {} | {} | {:.3g} | {:.3g} | {:.1f} % | {:.1f} % |\n", k, subject.name,
               kNames[static_cast<int>(data)], additions + (subject.is_scan ? 0 : 1), of_any.width, of_flat.width,
               100 * of_any.lost, 100 * of_flat.lost);
    std::fflush(stdout);
  }
  [[nodiscard]] bool finish() const {
    fmt::print("\n{} of {} results refused\n", refused_, all_);
    return refused_ == 0;
  }

 private:
  static constexpr int kDraws = 8;
  std::int64_t trees_, refused_ = 0, all_ = 0;
};

}  // namespace
}  // namespace negzero

int main(int argc, char** argv) {
  CLI::App app("Widths of permitted sets of long sums, with a declared depth and without one");
  std::int64_t trees = 10'000;
  app.add_option("--trees", trees, "random trees of each kind and row")->check(CLI::Range(8, 100'000'000));
  std::vector<std::int64_t> lengths{64, 512, 4096};
  app.add_option("--lengths", lengths, "terms of the sums")->delimiter(',')->check(CLI::Range(2, 1 << 20));
  std::vector<std::int64_t> scans{1000, 100'000};
  app.add_option("--scans", scans, "values of the scans")->delimiter(',')->check(CLI::Range(2, 1 << 20));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  using negzero::Data;
  negzero::Table table(trees);
  const auto rows = [&](const negzero::Subject& subject, std::int64_t k) {
    for (const Data data : {Data::Normal, Data::Uniform, Data::Cancelling}) table.row(subject, k, data);
  };
  for (const std::int64_t k : lengths) {
    for (const negzero::Subject& subject : negzero::kProducts) rows(subject, k);
  }
  for (const std::int64_t n : scans) rows(negzero::kScan, n);
  return table.finish() ? 0 : 1;
}
