// What one legal implementation gives, the oracle permits: random contracts over every field, random small cases,
// random evaluations (legal.hpp).
//
// NEGZERO_LEGAL_RESULTS asks for more results than by default, NEGZERO_LEGAL_THREADS for more threads,
// NEGZERO_LEGAL_EXAMPLES for more refused results of each class.

#include "legal.hpp"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <negzero/base/parallel.hpp>
#include <negzero/contract/fields.hpp>
#include <negzero/oracle/oracle.hpp>

#include "../../oracle_paths/drawn.hpp"
#include "known.hpp"
#include "legal_run.hpp"
#include "shrinking.hpp"

namespace negzero::oracle_legal {
namespace {

const std::vector<std::string>& operations() {
  static const std::vector<std::string> list{
      "gemm",    "gemm.grouped", "reduce.sum", "reduce.mean",   "scan.inclusive", "scan.exclusive", "scatter.add",
      "convert", "reduce.max",   "reduce.min", "reduce.argmax", "reduce.argmin",  "scatter.max",    "scatter.min"};
  return list;
}
/// Products have the most fields, and selections the fewest.
std::size_t drawn_operation(base::Random& random) {
  constexpr std::size_t kOfSums = 7;
  if (random.one_in(2)) return 0;
  return random.below(random.one_in(3) ? operations().size() : kOfSums);
}

/// The value of a field that a contract is drawn around. Half of them are of fields that say how sums are made.
const oracle_paths::Value& drawn_value(base::Random& random) {
  const std::vector<oracle_paths::Value>& values = oracle_paths::values();
  static const std::vector<std::string> of_sums{"multiplicand",
                                                "multiplicand_b",
                                                "accumulate",
                                                "accumulate_rounding",
                                                "wider",
                                                "compensated",
                                                "order",
                                                "tensor_core",
                                                "unit",
                                                "slices",
                                                "slice_format",
                                                "contraction",
                                                "start",
                                                "promote",
                                                "alpha",
                                                "beta",
                                                "scalar_format",
                                                "intermediate",
                                                "intermediate_at",
                                                "mean",
                                                "scalars",
                                                "output_rounding",
                                                "subnormal_inputs",
                                                "subnormal_results",
                                                "overflow"};
  if (random.one_in(2)) return values[random.below(values.size())];
  const std::string& field = of_sums[random.below(of_sums.size())];
  for (;;) {
    const oracle_paths::Value& value = values[random.below(values.size())];
    if (value.field == field) return value;
  }
}

/// What was compared, by a field's value and an operation; and what was refused.
struct Tally {
  std::map<std::string, std::array<std::uint64_t, 14>> by_value{};
  std::map<std::string, std::uint64_t> met{}, refused{};  ///< of each known class
  std::uint64_t compared = 0, spoiled = 0, oracles = 0, unknown = 0;

  void add(const Tally& other) {
    for (const auto& [value, counts] : other.by_value) {
      for (std::size_t i = 0; i < counts.size(); ++i) by_value[value][i] += counts[i];
    }
    for (const auto& [name, count] : other.met) met[name] += count;
    for (const auto& [name, count] : other.refused) refused[name] += count;
    compared += other.compared;
    spoiled += other.spoiled;
    oracles += other.oracles;
    unknown += other.unknown;
  }
};

/// Some refused results of each class, in words.
class Examples {
 public:
  explicit Examples(std::uint64_t most) : most_(most) {}
  /// Whether there is room for one more, which is then expected.
  bool wants(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return expected_[name] < most_ && ++expected_[name] != 0;
  }
  void add(const std::string& name, std::string text) {
    const std::lock_guard lock(mutex_);
    texts_[name].push_back(std::move(text));
  }
  [[nodiscard]] const std::vector<std::string>& of(const std::string& name) { return texts_[name]; }

 private:
  std::uint64_t most_;
  std::mutex mutex_{};
  std::map<std::string, std::uint64_t> expected_{};
  std::map<std::string, std::vector<std::string>> texts_{};
};

/// One case and contract, with several evaluations of each element.
void ask(std::uint64_t index, const base::Random& stream, std::uint64_t evaluations, Tally& tally, Examples& examples) {
  base::Random random = stream.split(index);
  const std::size_t operation = drawn_operation(random);
  const operation::Case value = oracle_paths::drawn_case(operations()[operation], random);
  const auto contract = oracle_paths::drawn_contract(value, drawn_value(random), random);
  if (!contract) return;
  const auto oracle = oracle::Oracle::make(value, *contract);
  if (!oracle) return;
  ++tally.oracles;
  const std::int64_t elements = tensor::count_elements(operation::output_specs(value.operation).front().shape);
  std::uint64_t compared = 0;
  bool is_shown = false;
  for (std::int64_t element = 0; element < elements; ++element) {
    const std::optional<Question> question = question_of(value, element);
    if (!question) continue;
    const oracle::Permitted permitted = oracle->permitted(element);
    for (std::uint64_t i = 0; i < evaluations; ++i) {
      const auto legal = evaluate(*question, *contract, random);
      if (!legal) {
        ++tally.spoiled;
        continue;
      }
      ++compared;
      const KnownClass* known = class_of({*question, *contract, legal->traits});
      if (known != nullptr) ++tally.met[known->name];
      if (permitted.contains(legal->word)) continue;
      const std::string name = known == nullptr ? "UNKNOWN" : known->name;
      ++tally.refused[name];
      tally.unknown += known == nullptr ? 1 : 0;
      if (is_shown || !examples.wants(name)) continue;
      is_shown = true;
      examples.add(name, shrunk({*question, *contract, *legal, known}));
    }
  }
  tally.compared += compared;
  for (const contract::Field& field : contract::fields()) {
    if (field.same(*contract, contract::Contract{})) continue;
    tally.by_value[fmt::format("{} {}", field.name, field.write(*contract).dump())][operation] += compared;
  }
}

TEST(Legal, ResultsArePermitted) {
  const std::uint64_t wanted = number_of("NEGZERO_LEGAL_RESULTS", 200'000);
  const base::Random stream(number_of("NEGZERO_LEGAL_SEED", 1));
  const auto threads = static_cast<std::size_t>(number_of("NEGZERO_LEGAL_THREADS", 1));
  constexpr std::uint64_t kEvaluations = 16, kTogether = 64;
  std::mutex mutex;
  Tally all;
  Examples examples(number_of("NEGZERO_LEGAL_EXAMPLES", 1));
  std::atomic<std::uint64_t> next{0}, compared{0};
  base::parallel_for(threads, threads, [&](std::size_t) {
    while (compared < wanted) {
      Tally tally;
      const std::uint64_t first = next.fetch_add(kTogether);
      for (std::uint64_t i = 0; i < kTogether; ++i) ask(first + i, stream, kEvaluations, tally, examples);
      compared += tally.compared;
      const std::lock_guard lock(mutex);
      all.add(tally);
    }
  });
  std::string table = fmt::format("{:<44}", "field and value");
  for (const std::string& name : operations()) table += fmt::format("{:>15}", name);
  for (const auto& [value, counts] : all.by_value) {
    table += fmt::format("\n{:<44}", value);
    for (const std::uint64_t count : counts) table += fmt::format("{:>15}", count);
  }
  fmt::print("{}\n{} results of {} oracles compared, {} evaluations given up\n", table, all.compared, all.oracles,
             all.spoiled);
  for (const KnownClass& known : known_classes()) {
    fmt::print("{}: {} refused of {} ({})\n", known.name, all.refused[known.name], all.met[known.name], known.what);
    for (const std::string& text : examples.of(known.name)) fmt::print("  {}\n", text);
  }
  for (const std::string& text : examples.of("UNKNOWN")) ADD_FAILURE() << text;
  EXPECT_EQ(all.unknown, 0U) << "legal results are refused";
  EXPECT_GE(all.compared, wanted);
}

}  // namespace
}  // namespace negzero::oracle_legal
