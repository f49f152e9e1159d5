// Exact sums of products: every method against Boost's mpfr_float of 300 digits, as ratios in one run.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <boost/multiprecision/mpfr.hpp>

#include <negzero/base/random.hpp>
#include <negzero/exact/sum.hpp>
#include <negzero/number/encoding.hpp>

namespace {

using namespace negzero;
using Baseline = boost::multiprecision::mpfr_float;

constexpr const char* kBaselineName = "mpfr_float";

enum class Values { AllExponents, Normal };

struct Data {
  const char* name;
  number::FormatId format;
  Values values;
};

constexpr std::array<Data, 6> kData = {{{"F32 all exponents", number::FormatId::F32, Values::AllExponents},
                                        {"F32 N(0,1)", number::FormatId::F32, Values::Normal},
                                        {"F16 all exponents", number::FormatId::F16, Values::AllExponents},
                                        {"F16 N(0,1)", number::FormatId::F16, Values::Normal},
                                        {"F64 all exponents", number::FormatId::F64, Values::AllExponents},
                                        {"F64 N(0,1)", number::FormatId::F64, Values::Normal}}};
constexpr std::array<int, 3> kLengths = {32, 512, 4096};

// Uniform bit patterns that are finite, or normal deviates by Box and Muller, rounded to the format.
std::vector<std::uint64_t> draw(const Data& data, std::size_t count, std::uint64_t seed) {
  const number::Format& format = number::format(data.format);
  base::Random random(seed);
  std::vector<std::uint64_t> words;
  while (words.size() < count) {
    if (data.values == Values::AllExponents) {
      const std::uint64_t word = random.next() & format.word_mask();
      if (number::decode(format, word).is_finite()) words.push_back(word);
    } else {
      const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
      words.push_back(number::from_double(format, radius * std::cos(2 * std::numbers::pi * random.uniform())));
    }
  }
  return words;
}

/// `rows` vectors of `length` operands, taken apart as the oracle does once a case.
struct Operands {
  Operands(const Data& data, std::size_t rows, std::size_t length_, std::uint64_t seed)
      : length(length_), significand(rows * length_), exponent(rows * length_) {
    const std::vector<std::uint64_t> words = draw(data, rows * length, seed);
    window = exact::take_apart(number::format(data.format), words, significand.data(), exponent.data());
    value.resize(words.size());
    place.resize(words.size());
    is_prepared = exact::prepare({significand.data(), exponent.data(), words.size()}, value.data(), place.data());
  }
  [[nodiscard]] exact::Factors row(std::size_t i) const {
    exact::Factors factors{significand.data() + i * length, exponent.data() + i * length, length};
    if (is_prepared) {
      factors.value = value.data() + i * length;
      factors.place = place.data() + i * length;
    }
    return factors;
  }
  std::size_t length;
  std::vector<std::int64_t> significand;
  std::vector<std::int32_t> exponent, place;
  std::vector<double> value;
  bool is_prepared = false;
  exact::Window window;
};

constexpr std::size_t kRows = 8;

void run_method(benchmark::State& state, const Data& data, std::size_t length, const exact::Method& method) {
  const Operands a(data, kRows, length, 1), b(data, kRows, length, 2);
  const exact::Window window = exact::product_window(a.window, b.window, length);
  if (!method.accepts(window)) {
    state.SkipWithError("outside the method's range");
    return;
  }
  exact::ProductSum result;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kRows; ++j) {
        method.sum(a.row(i), b.row(j), window, result);
        benchmark::DoNotOptimize(result);
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows * kRows * length));
}

void run_baseline(benchmark::State& state, const Data& data, std::size_t length) {
  Baseline::default_precision(300);
  const auto converted = [&](std::uint64_t seed) {
    std::vector<Baseline> values;
    for (std::uint64_t word : draw(data, kRows * length, seed)) {
      values.emplace_back(number::to_double(number::format(data.format), word));
    }
    return values;
  };
  const std::vector<Baseline> a = converted(1), b = converted(2);
  // One row against all: a few sums are enough for a method this slow.
  for (auto _ : state) {
    for (std::size_t j = 0; j < kRows; ++j) {
      Baseline sum = 0;
      for (std::size_t k = 0; k < length; ++k) sum += a[k] * b[j * length + k];
      benchmark::DoNotOptimize(sum);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows * length));
}

void run_take_apart(benchmark::State& state, const Data& data) {
  const std::vector<std::uint64_t> words = draw(data, 4096, 1);
  std::vector<std::int64_t> significand(words.size());
  std::vector<std::int32_t> exponent(words.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        exact::take_apart(number::format(data.format), words, significand.data(), exponent.data()));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(words.size()));
}

/// Prints as usual, then one table: ns a multiply-add and the ratio to the baseline on the same data in this run.
class RatioReporter final : public benchmark::ConsoleReporter {
 public:
  RatioReporter() : ConsoleReporter(OO_None) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto rate = run.counters.find("items_per_second");
      if (run.error_occurred || run.run_type != Run::RT_Iteration || rate == run.counters.end()) continue;
      const std::string& name = run.run_name.function_name;
      const std::size_t slash = name.rfind('/');
      auto [entry, added] = nanoseconds_[name.substr(0, slash)].emplace(name.substr(slash + 1), 1e9 / rate->second);
      // The fastest of several repetitions: everything that disturbs a run only makes it slower.
      if (!added) entry->second = std::min(entry->second, 1e9 / rate->second);
    }
  }

  void Finalize() override {
    std::printf("\n%-28s %-16s %12s %12s\n", "data", "method", "ns/madd", "x baseline");
    for (const auto& [data, methods] : nanoseconds_) {
      const auto baseline = methods.find(kBaselineName);
      if (baseline == methods.end()) continue;
      for (const auto& [method, time] : methods) {
        std::printf("%-28s %-16s %12.3f %12.1f\n", data.c_str(), method.c_str(), time, baseline->second / time);
      }
    }
  }

 private:
  std::map<std::string, std::map<std::string, double>> nanoseconds_;
};

void register_all() {
  for (const Data& data : kData) {
    for (const int length : kLengths) {
      const auto size = static_cast<std::size_t>(length);
      const std::string prefix = std::string(data.name) + " K=" + std::to_string(length) + "/";
      benchmark::RegisterBenchmark((prefix + kBaselineName).c_str(), run_baseline, data, size);
      for (const exact::Method* method : exact::methods()) {
        const std::string name = prefix + std::string(method->name());
        benchmark::RegisterBenchmark(name.c_str(),
                                     [=](benchmark::State& state) { run_method(state, data, size, *method); });
      }
    }
    benchmark::RegisterBenchmark((std::string(data.name) + "/take_apart").c_str(), run_take_apart, data);
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
