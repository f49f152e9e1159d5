// A grouped GEMM's element against the sum of products of its own row and column, which the enumerator is held against,
// over contracts of every flavour; and elements that do not count, which may be anything.

#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>

#include "drawing.hpp"
#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using number::FormatId;

constexpr Flavour kDrawn[] = {Flavour::Plain,    Flavour::Chain,        Flavour::Directed, Flavour::Flushing,
                              Flavour::Output,   Flavour::Wider,        Flavour::Mixed,    Flavour::Compensated,
                              Flavour::Promoted, Flavour::Multiplicand, Flavour::Specials};

/// A contract for sums of products that nothing scales and nothing is added to.
Drawn draw_sum_of_products(base::Random& random) {
  while (true) {
    Drawn drawn = draw_scenario(random, kDrawn[random.below(std::size(kDrawn))]);
    if (drawn.scenario.shape != Scenario::Shape::Gemm) continue;
    drawn.scenario.alpha = scalar_of(1);
    drawn.scenario.beta = scalar_of(0);
    // There is no alpha that could be in an operand.
    drawn.scenario.contract.alpha = contract::AlphaPlace::Any;
    if (drawn.scenario.contract.start == contract::Start::C) drawn.scenario.contract.start = contract::Start::Any;
    return drawn;
  }
}

/// Groups with their factors: rows of a and columns of b, as many of each as the buffers have.
struct Groups {
  std::int64_t groups, capacity, n, k;
  std::vector<std::int64_t> rows{};
  std::vector<Codes> a{}, b{};

  [[nodiscard]] bool counts(std::int64_t element) const { return element / n % capacity < rows[group(element)]; }
  [[nodiscard]] std::size_t group(std::int64_t element) const {
    return static_cast<std::size_t>(element / n / capacity);
  }
  [[nodiscard]] OperandSet set_of(std::int64_t element) const {
    const auto row = static_cast<std::size_t>(element / n);
    const auto column = static_cast<std::size_t>(element / n / capacity * n + element % n);
    return {.a = a[row], .b = b[column]};
  }
};

Groups draw_groups(base::Random& random, const Drawn& drawn) {
  Groups groups{random.between(1, 3), random.between(1, 4), random.between(1, 2),
                static_cast<std::int64_t>(drawn.terms)};
  for (std::int64_t g = 0; g < groups.groups; ++g) groups.rows.push_back(random.between(0, groups.capacity));
  for (std::int64_t i = 0; i < groups.groups * groups.capacity; ++i) {
    groups.a.push_back(draw_operands(random, drawn).a);
  }
  for (std::int64_t j = 0; j < groups.groups * groups.n; ++j) groups.b.push_back(draw_operands(random, drawn).b);
  return groups;
}

/// Padding of a is NaN: whatever reads it gives nothing else.
operation::Case case_of(const Groups& groups, const Scenario& scenario) {
  operation::Case value;
  operation::Operation grouped = *operation::operation_named("gemm.grouped");
  grouped.extent("groups") = groups.groups;
  grouped.extent("capacity") = groups.capacity;
  grouped.extent("n") = groups.n;
  grouped.extent("k") = groups.k;
  grouped.formats()[0] = scenario.a;
  grouped.formats()[1] = scenario.b;
  grouped.formats()[2] = scenario.d;
  value.operation = grouped;
  tensor::Tensor a(scenario.a, {groups.groups, groups.capacity, groups.k});
  tensor::Tensor b(scenario.b, {groups.groups, groups.k, groups.n});
  tensor::Tensor rows(FormatId::I32, {groups.groups});
  for (std::int64_t i = 0; i < a.element_count(); ++i) {
    const std::int64_t row = i / groups.k;
    const bool counts = row % groups.capacity < groups.rows[static_cast<std::size_t>(row / groups.capacity)];
    const Code code = groups.a[static_cast<std::size_t>(row)][static_cast<std::size_t>(i % groups.k)];
    a.set(i, counts ? to_word(scenario.a, code) : number::canonical_nan(a.format()));
  }
  for (std::int64_t i = 0; i < b.element_count(); ++i) {
    const std::int64_t column = i / groups.n / groups.k * groups.n + i % groups.n;
    const auto k = static_cast<std::size_t>(i / groups.n % groups.k);
    b.set(i, to_word(scenario.b, groups.b[static_cast<std::size_t>(column)][k]));
  }
  for (std::int64_t g = 0; g < groups.groups; ++g) {
    rows.set(g, static_cast<std::uint64_t>(groups.rows[static_cast<std::size_t>(g)]));
  }
  value.tensors.emplace("a", std::move(a));
  value.tensors.emplace("b", std::move(b));
  value.tensors.emplace("rows", std::move(rows));
  operation::pack_missing_layouts(value);
  return value;
}

void expect_anything(const oracle::Permitted& permitted) {
  const number::Format& format = number::format(permitted.format);
  EXPECT_EQ(permitted.rule, verdict::Rule("counts.padding"));
  for (const bool negative : {false, true}) {
    EXPECT_TRUE(permitted.contains(number::zero(format, negative)));
    EXPECT_TRUE(permitted.contains(number::one(format, negative)));
    EXPECT_TRUE(permitted.contains(number::max_finite(format, negative)));
    EXPECT_TRUE(permitted.contains(number::infinity(format, negative)));
  }
  EXPECT_TRUE(permitted.contains(number::canonical_nan(format)));
}

TEST(Grouped, ARowThatCountsIsAGemmOfItsOwnAndPaddingIsAnything) {
  base::Random random = base::Random(seed_of_run()).split(402);
  Tally tally;
  std::uint64_t compared = 0, padding = 0;
  while (compared < sets_of_run(20'000) / 4) {
    const Drawn drawn = draw_sum_of_products(random);
    const Groups groups = draw_groups(random, drawn);
    const operation::Case value = case_of(groups, drawn.scenario);
    ASSERT_TRUE(operation::validate(value)) << operation::validate(value).error().message;
    const auto oracle = oracle::Oracle::make(value, drawn.scenario.contract);
    ASSERT_TRUE(oracle) << oracle.error().message;
    for (std::int64_t element = 0; element < groups.groups * groups.capacity * groups.n; ++element) {
      const oracle::Permitted permitted = oracle->permitted(element);
      if (!groups.counts(element)) {
        ++padding;
        expect_anything(permitted);
        EXPECT_FALSE(oracle->exact(element));
        continue;
      }
      ++compared;
      const auto disagreement = compare(drawn.scenario, groups.set_of(element), permitted, tally);
      ASSERT_FALSE(disagreement) << *disagreement << " element " << element;
    }
  }
  EXPECT_GT(padding, compared / 4);
  RecordProperty("operand_sets", std::to_string(compared));
  std::cout << "grouped: " << compared << " elements and " << padding << " of padding\n" << tally.to_string();
}

TEST(Grouped, OutputsAreJudgedByWhatCountsAlone) {
  base::Random random = base::Random(seed_of_run()).split(403);
  int wrong = 0;
  for (int turn = 0; turn < 300; ++turn) {
    Drawn drawn = draw_sum_of_products(random);
    drawn.terms = std::min<std::size_t>(drawn.terms, 3);
    const Groups groups = draw_groups(random, drawn);
    const operation::Case value = case_of(groups, drawn.scenario);
    for (const bool screen : {true, false}) {
      const auto oracle = oracle::Oracle::make(value, drawn.scenario.contract, {.screen = screen});
      ASSERT_TRUE(oracle) << oracle.error().message;
      tensor::Tensor observed(drawn.scenario.d, {groups.groups, groups.capacity, groups.n});
      std::int64_t counted = -1;
      for (std::int64_t i = 0; i < observed.element_count(); ++i) {
        std::uint64_t word = random.next() & observed.format().word_mask();
        if (groups.counts(i)) {
          const Codes codes = reach(drawn.scenario, groups.set_of(i));
          word = to_word(drawn.scenario.d, codes[random.below(codes.size())]);
          counted = i;
        }
        observed.set(i, word);
      }
      EXPECT_NE(oracle->judge(observed).kind, verdict::VerdictKind::Fail);
      if (counted < 0) {
        EXPECT_EQ(oracle->judge(observed).kind, verdict::VerdictKind::Pass) << "nothing counts";
        continue;
      }
      const std::uint64_t garbage = number::max_finite(observed.format(), random.one_in(2));
      if (oracle->permitted(counted).contains(garbage)) continue;
      observed.set(counted, garbage);
      const verdict::Verdict verdict = oracle->judge(observed);
      ASSERT_EQ(verdict.kind, verdict::VerdictKind::Fail);
      EXPECT_EQ(verdict.failure->element, counted);
      EXPECT_EQ(verdict.failure->failing_elements, 1);
      ++wrong;
    }
  }
  EXPECT_GT(wrong, 100);
}

TEST(Grouped, AChainThatStartsFromCIsRefused) {
  const Groups groups{1, 1, 1, 1, {1}, {{0}}, {{0}}};
  Scenario scenario = plain_gemm(FormatId::F32);
  scenario.contract.order = contract::Order::Ascending;
  scenario.contract.start = contract::Start::C;
  scenario.contract.beta = contract::BetaPlace::Leaf;
  const operation::Case value = case_of(groups, scenario);
  const auto oracle = oracle::Oracle::make(value, scenario.contract);
  ASSERT_FALSE(oracle);
  EXPECT_EQ(oracle.error().message, "contract: start \"c\" does not fit a gemm.grouped: there is no C");
}

}  // namespace
}  // namespace negzero::oracle_cross
