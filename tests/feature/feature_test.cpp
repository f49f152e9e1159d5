// Each feature at its boundary: one step to either side is another one.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/feature/feature.hpp>
#include <negzero/feature/kinds.hpp>
#include <negzero/number/encoding.hpp>

#include "../oracle/build.hpp"

namespace negzero::feature {
namespace {

using number::Format;
using number::FormatId;
using operation::Case;
using verdict::Verdict;
using verdict::VerdictKind;
using namespace oracle::testing;

const Format& kF16 = number::format(FormatId::F16);
const Format& kF32 = number::format(FormatId::F32);
constexpr double kTwo24 = 16777216;

std::set<std::string> texts_of(const std::vector<std::uint32_t>& numbers) {
  std::set<std::string> texts;
  for (const std::uint32_t number : numbers) {
    const auto feature = feature_of(number);
    EXPECT_TRUE(feature.has_value());
    texts.insert(to_string(*feature));
  }
  return texts;
}

/// What a sum in F32 of these terms shows that gave `observed`.
std::set<std::string> shown_by_sum(const std::vector<double>& terms, double observed, FormatId format = FormatId::F32) {
  Case value = row_case(operation::ReduceKind::Sum, format, format, words(format, terms));
  operation::pack_missing_layouts(value);
  const tensor::Tensor output = tensor_of(format, {1}, words(format, {observed}));
  const contract::Contract contract = accumulating(FormatId::F32);
  const Verdict verdict{.kind = VerdictKind::Pass};
  return texts_of(features_of({value, verdict, {&output, 1}, &contract}, Depth::Sums));
}

#define EXPECT_SHOWS(set, text) EXPECT_EQ((set).count(text), 1u) << testing::PrintToString(set)
#define EXPECT_NOT_SHOWN(set, text) EXPECT_EQ((set).count(text), 0u) << testing::PrintToString(set)

TEST(Features, ExtentsByPowersOfTwoAndWhatStandsBesideThem) {
  EXPECT_EQ(extent_bucket(0), 0u);
  const auto text = [](std::int64_t extent) { return to_string({Kind::Extent, value_of(1, extent_bucket(extent))}); };
  EXPECT_EQ(text(0), "extent 1: 0");
  EXPECT_EQ(text(1), "extent 1: 2^0");
  EXPECT_EQ(text(2), "extent 1: 2^1");
  EXPECT_EQ(text(3), "extent 1: 2^2 - 1");
  EXPECT_EQ(text(31), "extent 1: 2^5 - 1");
  EXPECT_EQ(text(32), "extent 1: 2^5");
  EXPECT_EQ(text(33), "extent 1: 2^5 + 1");
  EXPECT_EQ(text(34), "extent 1: between 2^5 and 2^6");
  EXPECT_EQ(text(62), text(34));
  EXPECT_NE(text(65), text(33));
}

TEST(Features, LayoutsByWhatMovesElementsApart) {
  const auto bits = [](std::vector<std::int64_t> strides, std::int64_t offset) {
    return layout_bits({{3, 4}, std::move(strides), offset});
  };
  EXPECT_EQ(bits({4, 1}, 0), 0u);
  EXPECT_EQ(bits({4, 1}, 1), kOffset);
  EXPECT_EQ(bits({5, 1}, 0), kGaps);
  EXPECT_EQ(bits({1, 3}, 0), kTransposed);
  EXPECT_EQ(bits({0, 1}, 0), kBroadcast);
  EXPECT_EQ(bits({8, 2}, 0), kGaps | kApart);
  EXPECT_EQ(layout_bits({{1, 4}, {0, 1}, 0}), 0u) << "a stride that is never stepped";
  EXPECT_EQ(layout_bits({{0, 4}, {1, 7}, 9}), 0u) << "no element lies anywhere";
}

TEST(Features, ClassesOfEncodingsAtTheirLimits) {
  const auto classes = [](const Format& format, std::uint64_t word) {
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < kElementClasses.size(); ++i) {
      if ((classes_of(format, word) >> i & 1) != 0) names.insert(std::string(kElementClasses[i]));
    }
    return names;
  };
  using Names = std::set<std::string>;
  for (const Format* format : {&kF16, &kF32, &number::format(FormatId::BF16), &number::format(FormatId::F64)}) {
    const Format& f = *format;
    SCOPED_TRACE(f.name);
    EXPECT_EQ(classes(f, number::zero(f)), Names{"+0"});
    EXPECT_EQ(classes(f, number::zero(f, true)), Names{"-0"});
    EXPECT_EQ(classes(f, number::min_subnormal(f)), (Names{"positive subnormal", "smallest subnormal"}));
    EXPECT_EQ(classes(f, number::min_subnormal(f) + 1), Names{"positive subnormal"});
    EXPECT_EQ(classes(f, number::max_subnormal(f, true)), (Names{"negative subnormal", "largest subnormal"}));
    EXPECT_EQ(classes(f, number::min_normal(f)), (Names{"positive normal", "smallest normal", "power of two"}));
    EXPECT_EQ(classes(f, number::min_normal(f) + 1), Names{"positive normal"});
    EXPECT_EQ(classes(f, number::one(f, true)), (Names{"negative normal", "one", "power of two"}));
    EXPECT_EQ(classes(f, number::max_finite(f)), (Names{"positive normal", "largest finite"}));
    EXPECT_EQ(classes(f, number::max_finite(f) - 1), Names{"positive normal"});
    EXPECT_EQ(classes(f, number::infinity(f)), Names{"+inf"});
    EXPECT_EQ(classes(f, number::infinity(f, true)), Names{"-inf"});
    EXPECT_EQ(classes(f, number::infinity(f) + 1), Names{"signalling NaN"});
    EXPECT_EQ(classes(f, number::canonical_nan(f)), Names{"quiet NaN"});
  }
  const Format& e4m3 = number::format(FormatId::F8_E4M3);
  EXPECT_EQ(classes(e4m3, 0x7e), (Names{"positive normal", "largest finite"}));
  EXPECT_EQ(classes(e4m3, 0x7f), Names{"quiet NaN"});
  const Format& i32 = number::format(FormatId::I32);
  EXPECT_EQ(classes(i32, 0), Names{"+0"});
  EXPECT_EQ(classes(i32, 0xffffffff), (Names{"negative normal", "one"}));
  EXPECT_EQ(classes(i32, 0x80000000), (Names{"negative normal", "largest finite"}));
  EXPECT_EQ(classes(i32, 0x80000001), Names{"negative normal"});
}

TEST(Features, NeighboursThatAreEqualOrOpposite) {
  const auto has = [](const std::vector<double>& values, ElementClass one) {
    const auto size = static_cast<std::int64_t>(values.size());
    return (classes_in(tensor_of(FormatId::F32, {size}, words(FormatId::F32, values))) >> one & 1) != 0;
  };
  EXPECT_FALSE(has({1, 2, 1}, kEqualNeighbours));
  EXPECT_TRUE(has({1, 2, 2}, kEqualNeighbours));
  EXPECT_FALSE(has({1, 2, -1}, kOppositeNeighbours));
  EXPECT_TRUE(has({1, 2, -2}, kOppositeNeighbours));
  EXPECT_FALSE(has({1, 2, 2}, kOppositeNeighbours));
  EXPECT_TRUE(has({0.0, -0.0}, kOppositeNeighbours));
}

TEST(Features, TheSpreadOfExponents) {
  const auto spread = [](const std::vector<double>& values) {
    const auto size = static_cast<std::int64_t>(values.size());
    return spread_of(tensor_of(FormatId::F32, {size}, words(FormatId::F32, values)));
  };
  EXPECT_EQ(spread({}), 0u);
  EXPECT_EQ(spread({1, 1.5, 0, kInfinity, kNotANumber}), 0u) << "one binade; zeros and specials have none";
  EXPECT_EQ(spread({1, 2}), 1u);
  EXPECT_EQ(spread({1, 4}), 2u);
  EXPECT_EQ(spread({1, 8}), 2u);
  EXPECT_EQ(spread({1, -16}), 3u);
}

TEST(Features, EachValueOfEachOptionIsOne) {
  Case value = row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32, words(FormatId::F32, {1}));
  operation::pack_missing_layouts(value);
  const Verdict verdict{.kind = VerdictKind::Pass};
  std::vector<std::int64_t> many;
  for (std::int64_t i = 0; i < 4096; ++i) many.push_back(-i);
  const operation::Options options{{"algorithm", {0, 7, 9}}, {"tile", many}, {"workspace", {4096, 0}}};
  const auto shown = [&](const operation::Configuration& configuration) {
    value.configuration = configuration;
    feature::Run run{value, verdict};
    run.options = &options;
    return texts_of(features_of(run, Depth::Setting));
  };
  EXPECT_SHOWS(shown({}), "option 0: value 0 of its list") << "the default is a value too";
  EXPECT_SHOWS(shown({{"algorithm", 9}}), "option 0: value 2 of its list");
  EXPECT_NOT_SHOWN(shown({{"algorithm", 9}}), "option 0: value 0 of its list");
  EXPECT_SHOWS(shown({{"workspace", 0}}), "option 2: value 1 of its list");
  EXPECT_SHOWS(shown({{"tile", -63}}), "option 1: value 63 of its list");
  EXPECT_SHOWS(shown({{"tile", -64}}), "option 1: one of the values 64 to 127 of its list");
  EXPECT_EQ(shown({{"tile", -127}}), shown({{"tile", -64}}));
  EXPECT_SHOWS(shown({{"tile", -4095}}), "option 1: one of the values 2048 to 4095 of its list");
  EXPECT_SHOWS(shown({{"algorithm", 5}}), "option 0: value 3 of its list") << "one that is none of the list";
  value.configuration = {{"algorithm", 9}};
  for (const std::string& text : texts_of(features_of({value, verdict}, Depth::Setting))) {
    EXPECT_FALSE(text.starts_with("option")) << "nothing is known of a kernel's options: " << text;
  }
}

TEST(Features, CancellationCountsBinades) {
  EXPECT_SHOWS(shown_by_sum({1, 2, 4}, 7), "cancellation: 0 binades");
  EXPECT_SHOWS(shown_by_sum({4, -2}, 2), "cancellation: 1 binades");
  EXPECT_SHOWS(shown_by_sum({1024, -1023}, 1), "cancellation: 10 binades");
  EXPECT_SHOWS(shown_by_sum({1024, -1024}, 0), "cancellation: complete");
  EXPECT_NOT_SHOWN(shown_by_sum({1024, -1024, 0x1p-100}, 0x1p-100), "cancellation: complete");
  EXPECT_SHOWS(shown_by_sum({1024, -1024, 0x1p-100}, 0x1p-100), "cancellation: 111 binades");
  EXPECT_SHOWS(shown_by_sum({0, -0.0}, 0), "cancellation: 0 binades");
}

TEST(Features, TermsThatAreNotZero) {
  EXPECT_SHOWS(shown_by_sum({0, 0}, 0), "terms: below 2^0");
  EXPECT_SHOWS(shown_by_sum({1, 0, 2}, 3), "terms: below 2^2");
  EXPECT_SHOWS(shown_by_sum({1, 1, 1, 1}, 4), "terms: below 2^3");
}

TEST(Features, RoundingSaysWhereTheExactSumLiesAndWhatWasSeen) {
  EXPECT_SHOWS(shown_by_sum({kTwo24, 2}, kTwo24 + 2), "rounding: exact, down");
  EXPECT_SHOWS(shown_by_sum({kTwo24, 1}, kTwo24), "rounding: tie, down");
  EXPECT_SHOWS(shown_by_sum({kTwo24, 1}, kTwo24 + 2), "rounding: tie, up");
  EXPECT_SHOWS(shown_by_sum({kTwo24, 1, -0x1p-60}, kTwo24), "rounding: below half, down");
  EXPECT_SHOWS(shown_by_sum({kTwo24, 1, 0x1p-60}, kTwo24 + 2), "rounding: above half, up");
  EXPECT_SHOWS(shown_by_sum({kTwo24, 1, 0x1p-60}, kTwo24), "rounding: above half, down");
  EXPECT_SHOWS(shown_by_sum({kTwo24, 1}, kTwo24 + 4), "rounding: tie, neither neighbour");
  EXPECT_SHOWS(shown_by_sum({kTwo24, 1}, kNotANumber), "rounding: tie, neither neighbour");
}

TEST(Features, OverflowOfTheResultAndOfTheAccumulator) {
  constexpr double kLargest = 65504;
  const auto f16 = [](const std::vector<double>& terms, double observed) {
    return shown_by_sum(terms, observed, FormatId::F16);
  };
  EXPECT_NOT_SHOWN(f16({kLargest}, kLargest), "overflow: to +inf");
  EXPECT_NOT_SHOWN(f16({kLargest}, kLargest), "overflow: beyond the largest finite number, which it rounds to");
  EXPECT_SHOWS(f16({kLargest, 15}, kLargest), "overflow: beyond the largest finite number, which it rounds to");
  EXPECT_SHOWS(f16({kLargest, 16}, kInfinity), "overflow: to +inf");
  EXPECT_SHOWS(f16({-kLargest, -16}, -kInfinity), "overflow: to -inf");
  const double largest = number::to_double(kF32, number::max_finite(kF32));
  const std::string in_some_order = "overflow: of the accumulator in some order, not of the sum";
  EXPECT_SHOWS(shown_by_sum({largest, 0x1p100, -0x1p101}, largest), in_some_order);
  EXPECT_NOT_SHOWN(shown_by_sum({largest}, largest), in_some_order);
  EXPECT_NOT_SHOWN(shown_by_sum({largest, 0x1p120}, kInfinity), in_some_order);
}

TEST(Features, UnderflowOfTheResult) {
  constexpr double kSmallest = 0x1p-24, kNormal = 0x1p-14;  // of F16
  const auto f16_of_f32 = [](const std::vector<double>& terms) {
    Case value = row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F16, words(FormatId::F32, terms));
    operation::pack_missing_layouts(value);
    const tensor::Tensor output = tensor_of(FormatId::F16, {1}, {0});
    const contract::Contract contract = accumulating(FormatId::F32);
    const Verdict verdict{.kind = VerdictKind::Pass};
    return texts_of(features_of({value, verdict, {&output, 1}, &contract}, Depth::Sums));
  };
  const auto none = [](const std::set<std::string>& texts) {
    return std::ranges::none_of(texts, [](const std::string& text) { return text.starts_with("underflow"); });
  };
  EXPECT_TRUE(none(f16_of_f32({kNormal})));
  EXPECT_TRUE(none(f16_of_f32({0})));
  EXPECT_SHOWS(f16_of_f32({kNormal, -kSmallest}), "underflow: to a subnormal, exactly");
  EXPECT_SHOWS(f16_of_f32({kNormal, -kSmallest / 4}), "underflow: to a subnormal, rounded");
  EXPECT_SHOWS(f16_of_f32({kSmallest / 2}), "underflow: to a subnormal, rounded");
  EXPECT_SHOWS(f16_of_f32({kSmallest / 4}), "underflow: below half of the smallest subnormal");
}

TEST(Features, MarginsByPowersOfTwo) {
  Case value = row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32, {0});
  operation::pack_missing_layouts(value);
  const auto shown = [&](double margin) {
    const Verdict verdict{.kind = VerdictKind::Pass, .margin = margin};
    return texts_of(features_of({value, verdict}, Depth::Setting));
  };
  EXPECT_SHOWS(shown(0), "margin: 0");
  EXPECT_SHOWS(shown(1), "margin: 2^0");
  EXPECT_SHOWS(shown(0.99), "margin: 2^-1");
  EXPECT_SHOWS(shown(0.5), "margin: 2^-1");
  EXPECT_SHOWS(shown(0.49), "margin: 2^-2");
  EXPECT_SHOWS(shown(1e-300), "margin: 2^-31");
}

TEST(Features, TheRuleThatDecidedAndTheOneThatFailed) {
  EXPECT_SHOWS(shown_by_sum({1, 2}, 3), "rule: sum.exact");
  EXPECT_SHOWS(shown_by_sum({1, kNotANumber}, kNotANumber), "rule: sum.special");
  Case value = row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32, {0});
  operation::pack_missing_layouts(value);
  Verdict verdict{.kind = VerdictKind::Fail};
  verdict.failure = verdict::Failure{.kind = verdict::FailureClass::WrongZeroSign, .rule = "zero.sign"};
  const auto shown = texts_of(features_of({value, verdict}, Depth::Setting));
  EXPECT_SHOWS(shown, "failure: zero.sign, wrong_zero_sign");
  EXPECT_SHOWS(shown, "verdict: fail");
}

TEST(Features, TheSettingOfACase) {
  Case value = row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32, {0, 0});
  operation::pack_missing_layouts(value);
  const Verdict verdict{.kind = VerdictKind::Pass};
  const auto shown = [&] { return texts_of(features_of({value, verdict}, Depth::Setting)); };
  EXPECT_SHOWS(shown(), "setting: plain");
  EXPECT_SHOWS(shown(), "strategy: unknown");
  EXPECT_SHOWS(shown(), "operation: reduce.sum");
  value.poison = operation::Poison::Large;
  EXPECT_SHOWS(shown(), "setting: large poison");
  value.schedule = {.order = operation::Schedule::Order::Random, .preempt = true};
  EXPECT_SHOWS(shown(), "setting: large poison, random order, preemption");
  value.strategy = "tie";
  EXPECT_SHOWS(shown(), "strategy: tie");
  value.strategy = "mutated.tie";
  EXPECT_SHOWS(shown(), "strategy: tie, changed");
  value.layouts.at("x").offset = 5;
  EXPECT_SHOWS(shown(), "layout of tensor 0: offset");
}

TEST(Features, DepthAddsKindsAndTakesNoneAway) {
  Case value = dot_case({.a = words(FormatId::F32, {1, 2}), .b = words(FormatId::F32, {3, 4})});
  operation::pack_missing_layouts(value);
  const tensor::Tensor output = tensor_of(FormatId::F32, {1, 1, 1}, words(FormatId::F32, {11}));
  const contract::Contract contract = accumulating(FormatId::F32);
  const Verdict verdict{.kind = VerdictKind::Pass};
  std::vector<std::uint32_t> before;
  const std::vector<std::pair<Depth, Kind>> last{{Depth::Setting, Kind::Failure},
                                                 {Depth::Elements, Kind::Spread},
                                                 {Depth::Sums, Kind::Underflow},
                                                 {Depth::Code, Kind::Code}};
  const std::vector<watch::CoveredBlock> covered{{0x4000, 1}};
  for (const auto& [depth, kind] : last) {
    const auto numbers = features_of({value, verdict, {&output, 1}, &contract, covered}, depth);
    EXPECT_TRUE(std::ranges::is_sorted(numbers));
    EXPECT_EQ(std::set<std::uint32_t>(numbers.begin(), numbers.end()).size(), numbers.size());
    EXPECT_TRUE(std::ranges::includes(numbers, before));
    EXPECT_GT(numbers.size(), before.size());
    for (const std::uint32_t number : numbers) EXPECT_LE(feature_of(number)->kind, kind);
    before = numbers;
  }
}

TEST(Features, OfCodeAreTheBlocksAndHowOftenTheyRan) {
  Case value = dot_case({.a = words(FormatId::F32, {1}), .b = words(FormatId::F32, {3})});
  operation::pack_missing_layouts(value);
  const Verdict verdict{.kind = VerdictKind::Pass};
  const auto of_code = [&](const std::vector<watch::CoveredBlock>& covered) {
    std::vector<std::uint32_t> numbers =
        features_of({.value = value, .verdict = verdict, .covered = covered}, Depth::Code);
    std::erase_if(numbers, [](std::uint32_t number) { return !code_block_of(number); });
    return numbers;
  };
  EXPECT_TRUE(of_code({}).empty());
  const std::vector<std::pair<std::uint32_t, std::string>> steps{{0, "once"},
                                                                 {1, "once"},
                                                                 {2, "twice"},
                                                                 {3, "three times"},
                                                                 {4, "4 to 7 times"},
                                                                 {7, "4 to 7 times"},
                                                                 {8, "8 to 15 times"},
                                                                 {15, "8 to 15 times"},
                                                                 {16, "16 to 31 times"},
                                                                 {31, "16 to 31 times"},
                                                                 {32, "32 to 127 times"},
                                                                 {127, "32 to 127 times"},
                                                                 {128, "128 times or more"},
                                                                 {~0u, "128 times or more"}};
  for (const auto& [times, text] : steps) {
    const auto numbers = of_code({{0x1235, times}});
    ASSERT_EQ(numbers.size(), 1u);
    EXPECT_EQ(to_string(*feature_of(numbers.front())), "code: about 0x1234, " + text) << times;
  }
  const auto two = of_code({{0x1234, 1}, {0x1239, 1}});
  ASSERT_EQ(two.size(), 2u) << "five bytes apart";
  EXPECT_NE(code_block_of(two[0]), code_block_of(two[1]));
  EXPECT_EQ(of_code({{0x1234, 1}, {0x1234, 2}}).size(), 2u);
  EXPECT_EQ(code_block_of(of_code({{0x1234, 1}}).front()), code_block_of(of_code({{0x1234, 9}}).front()));
  EXPECT_EQ(of_code({{~0u, ~0u}}).size(), 1u) << "what no program has";
  EXPECT_FALSE(code_block_of(Feature{Kind::Underflow, 0x1234}.number()).has_value());
}

TEST(Features, NumbersComeBackAndEveryKindIsNamed) {
  std::set<std::string> words;
  for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
    for (const std::uint32_t value : {0u, 1u, 0x10003u, 0xffffffu}) {
      const Feature feature{static_cast<Kind>(kind), value};
      EXPECT_EQ(feature_of(feature.number()), feature);
      EXPECT_FALSE(to_string(feature).empty());
    }
    const std::string text = to_string({static_cast<Kind>(kind), 0});
    EXPECT_TRUE(words.insert(text.substr(0, text.find_first_of(" :"))).second) << text;
  }
  EXPECT_FALSE(feature_of(kKinds << 24).has_value());
}

}  // namespace
}  // namespace negzero::feature
