// A judgement of all elements is the oracle's; one of a sample is part of it, and takes the time that it was given.

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/judgement/hints.hpp>
#include <negzero/judgement/judgement.hpp>
#include <negzero/judgement/observed.hpp>
#include <negzero/judgement/words.hpp>
#include <negzero/operation/workload.hpp>
#include <negzero/oracle/judge.hpp>

#include "drawn.hpp"

namespace negzero::judgement {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using verdict::VerdictKind;

Kind kind_of(const verdict::Verdict& verdict) {
  return verdict.kind == VerdictKind::Pass   ? Kind::Pass
         : verdict.kind == VerdictKind::Fail ? Kind::Fail
                                             : Kind::Vacuous;
}

TEST(Judge, SaysOfAllElementsWhatTheOracleSays) {
  std::map<Kind, int> kinds;
  for (const std::string_view name : operation::operation_names()) {
    for (std::uint64_t i = 0; i < 40; ++i) {
      const operation::Case value = drawn_case(name, 24, i);
      base::Random random(i);
      const auto contract = drawn_contract(value, random);
      if (!contract) continue;
      const auto oracle = oracle::Oracle::make(value, *contract);
      const auto outputs = drawn_outputs(value, sets_of(value, *oracle), random.one_in(2), random);
      std::vector<oracle::OutputElement> failing;
      const verdict::Verdict verdict = oracle->judge(outputs, &failing);
      const auto judged = judge(value, *contract, outputs, {.threads = 3});
      ASSERT_TRUE(judged.ok()) << judged.error().message;
      if (judged->of == 0) {
        EXPECT_EQ(judged->kind, Kind::Undecided);
        continue;
      }
      ++kinds[judged->kind];
      EXPECT_EQ(judged->kind, kind_of(verdict)) << name << " " << i;
      EXPECT_EQ(judged->judged, judged->of);
      EXPECT_EQ(judged->failing, verdict.failure ? verdict.failure->failing_elements : 0) << name << " " << i;
      // What is said of a kernel's results and of recorded ones is the same, a large case apart.
      EXPECT_EQ(judged->permitted_under, hints(value, *contract, outputs, failing));
      if (operation::work_of(value.operation, kMostHeld) <= kMostHeld) {
        EXPECT_EQ(judged->permitted_under, hints(value, *contract, outputs, failing, Held::Some));
      }
      ASSERT_EQ(judged->worst.empty(), !verdict.failure.has_value());
      if (verdict.failure) {
        EXPECT_EQ(judged->worst.front().kind, verdict.failure->kind);
      }
      for (const oracle::Miss& miss : judged->worst) {
        EXPECT_FALSE(miss.permitted.contains(outputs[miss.place.output].get(miss.place.element)));
        EXPECT_FALSE(miss.explained.empty());
      }
    }
  }
  EXPECT_GT(kinds[Kind::Pass], 50);
  EXPECT_GT(kinds[Kind::Fail], 50);
}

/// A GEMM with outputs that are right but for one wrong row and one wrong element.
struct Large {
  operation::Case value;
  contract::Contract contract{};
  tensor::Tensor d{};

  Large() {
    value.operation = operation::Gemm{.m = 300, .n = 260, .k = 200};
    base::Random random(7);
    for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
      tensor::Tensor& tensor = value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape)).first->second;
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
        tensor.set(i, number::from_double(tensor.format(), random.uniform() - 0.5));
      }
    }
    operation::pack_missing_layouts(value);
    const tensor::Tensor &a = value.tensors.at("a"), &b = value.tensors.at("b");
    d = tensor::Tensor(number::FormatId::F32, {1, 300, 260});
    for (std::int64_t i = 0; i < d.element_count(); ++i) {
      float sum = 0;
      for (std::int64_t k = 0; k < 200; ++k) {
        sum += static_cast<float>(number::to_double(a.format(), a.get(i / 260 * 200 + k)) *
                                  number::to_double(b.format(), b.get(k * 260 + i % 260)));
      }
      d.set(i, number::from_double(d.format(), i / 260 == 299 || i == 150 * 260 + 77 ? sum + 0.5 : sum));
    }
  }
};

/// A clock that goes on by a millisecond whenever it is asked.
std::function<std::uint64_t()> steady() {
  return [now = std::uint64_t{0}]() mutable { return now += 1000; };
}

TEST(Judge, ASampleIsPartOfTheWholeAndTakesItsTime) {
  const Large large;
  const auto all = judge(large.value, large.contract, {&large.d, 1}, {.threads = 2});
  ASSERT_EQ(all->failing, 261);
  EXPECT_EQ(all->judged, 300 * 260);
  std::int64_t before = 0;
  for (const double seconds : {0.004, 0.008}) {
    Options options{.all = false, .seconds = seconds, .threads = 2, .clock = steady()};
    const auto sample = judge(large.value, large.contract, {&large.d, 1}, options);
    EXPECT_EQ(sample->kind, Kind::Fail) << "the last row is one of the corners";
    EXPECT_EQ(sample->of, all->of);
    EXPECT_GT(sample->judged, before) << "more time, more elements";
    EXPECT_LT(sample->judged, sample->of);
    EXPECT_GT(sample->failing, 0);
    EXPECT_LT(sample->failing, 262);
    for (const oracle::Miss& miss : sample->worst) {
      EXPECT_TRUE(miss.place.element / 260 == 299 || miss.place.element == 150 * 260 + 77);
      EXPECT_GT(*miss.steps, 1000u);
    }
    before = sample->judged;
    options.clock = steady();
    const auto again = judge(large.value, large.contract, {&large.d, 1}, options);
    EXPECT_EQ(again->judged, sample->judged) << "the same seed and the same clock";
    EXPECT_EQ(again->failing, sample->failing);
    EXPECT_EQ(again->blind, sample->blind);
    options.clock = steady();
    options.seed = 2;
    EXPECT_NE(judge(large.value, large.contract, {&large.d, 1}, options)->worst.size(), 0u);
  }
  const auto enough = judge(large.value, large.contract, {&large.d, 1}, {.all = false, .seconds = 1e5, .threads = 2});
  EXPECT_EQ(enough->judged, enough->of) << "where all fit, all are judged";
  EXPECT_EQ(enough->failing, 261);
}

// One special value among a million, wherever it is: the first thing that a sample looks at.
TEST(Judge, ASampleMissesNoSpecialValue) {
  operation::Gemm gemm;
  gemm.m = gemm.n = 512;
  gemm.k = 96;
  gemm.a = gemm.b = gemm.d = number::FormatId::F16;
  operation::Case value;
  value.operation = gemm;
  base::Random random(5);
  const auto tensor = [&](std::vector<std::int64_t> shape) {
    tensor::Tensor result(number::FormatId::F16, std::move(shape));
    for (std::int64_t i = 0; i < result.element_count(); ++i) result.set(i, 0x3800 + random.below(1 << 11));
    return result;
  };
  value.tensors.emplace("a", tensor({1, gemm.m, gemm.k}));
  value.tensors.emplace("b", tensor({1, gemm.k, gemm.n}));
  value.tensors.emplace("c", tensor::Tensor(number::FormatId::F16, {1, gemm.m, gemm.n}));
  operation::pack_missing_layouts(value);
  const contract::Contract contract;
  // Every result is within a factor of four of another, so that they are extremes of no kind.
  std::vector<tensor::Tensor> outputs{tensor({1, gemm.m, gemm.n})};
  const auto oracle = oracle::Oracle::make(value, contract);
  for (std::int64_t i = 0; i < outputs[0].element_count(); ++i) outputs[0].set(i, *oracle->exact(i));
  std::uint64_t clock = 0;
  const Options sample{.all = false, .seconds = 1e-3, .clock = [&] { return clock += 1000; }};
  EXPECT_EQ(judge(value, contract, outputs, sample)->failing, 0);
  for (const std::uint64_t special : {0x7e00, 0x7c00, 0xfc00}) {
    for (int i = 0; i < 8; ++i) {
      std::vector<tensor::Tensor> wrong = outputs;
      const auto element = static_cast<std::int64_t>(random.below(512 * 512));
      wrong[0].set(element, special);
      const auto judged = judge(value, contract, wrong, sample);
      ASSERT_LT(judged->judged, judged->of / 4) << "this is no sample";
      EXPECT_EQ(judged->failing, 1) << special << " at " << element;
    }
  }
}

// What a library did without saying so, and the field that declares it.
TEST(Judge, NamesTheFieldThatWouldPermit) {
  const auto hints = [](number::FormatId format, std::vector<double> a, std::vector<double> b, double observed) {
    operation::Gemm gemm;
    gemm.m = gemm.n = 1;
    gemm.k = static_cast<std::int64_t>(a.size());
    gemm.a = gemm.b = gemm.d = format;
    operation::Case value;
    value.operation = gemm;
    const auto tensor = [&](std::vector<std::int64_t> shape, const std::vector<double>& values) {
      tensor::Tensor result(format, std::move(shape));
      for (std::size_t i = 0; i < values.size(); ++i) {
        result.set(static_cast<std::int64_t>(i), number::from_double(result.format(), values[i]));
      }
      return result;
    };
    value.tensors.emplace("a", tensor({1, 1, gemm.k}, a));
    value.tensors.emplace("b", tensor({1, gemm.k, 1}, b));
    value.tensors.emplace("c", tensor({1, 1, 1}, {0}));
    operation::pack_missing_layouts(value);
    const std::vector<tensor::Tensor> outputs{tensor({1, 1, 1}, {observed})};
    std::vector<std::string> words;
    const auto judged = judge(value, {}, outputs);
    for (const verdict::Hint& hint : judged->permitted_under) words.push_back(hint.words);
    return words;
  };
  using number::FormatId;
  using ::testing::Contains;
  using ::testing::IsEmpty;
  // 2048 + 1 + 1 in F16, one after the other: each 1 is lost.
  EXPECT_THAT(hints(FormatId::F16, {2048, 1, 1}, {1, 1, 1}, 2048), Contains(R"(accumulate "F16")"));
  EXPECT_THAT(hints(FormatId::F16, {2048, 1, 1}, {1, 1, 1}, 2040), Not(Contains(R"(accumulate "F16")")));
  EXPECT_THAT(hints(FormatId::F32, {1 + 0x1p-12}, {1}, 1), Contains(R"(multiplicand "tf32_nearest_away")"));
  EXPECT_THAT(hints(FormatId::F32, {1 + 0x1p-9}, {1}, 1), Contains(R"(multiplicand "bf16")"));
  // {1, 2^-8}, twice, are stored as 1 in BF16, and {1, 2^-11} in F16. F16 is asked about where a tensor is of it.
  EXPECT_THAT(hints(FormatId::BF16, {1, 0x1p-8, 1, 0x1p-8, -2}, {1, 1, 1, 1, 1}, 0),
              Contains(R"(slice_format "BF16")"));
  EXPECT_THAT(hints(FormatId::BF16, {1, 0x1p-8, 1, 0x1p-8, -2}, {1, 1, 1, 1, 1}, 0),
              Not(Contains(R"(slice_format "F16")")));
  EXPECT_THAT(hints(FormatId::F16, {1, 0x1p-11, 1, 0x1p-11, -2}, {1, 1, 1, 1, 1}, 0),
              Contains(R"(slice_format "F16")"));
  EXPECT_THAT(hints(FormatId::F32, {1, 0x1p-11, 1, 0x1p-11, -2}, {1, 1, 1, 1, 1}, 0),
              Not(Contains(R"(slice_format "F16")")));
  EXPECT_THAT(hints(FormatId::BF16, {1, 0x1p-7, 1, 0x1p-7}, {1, 1, 1, 1}, 2.0625),
              Not(Contains(R"(slice_format "BF16")")));
  EXPECT_THAT(hints(FormatId::F32, {1 + 0x1p-11}, {1 + 0x3p-11}, 1 + 0x1p-9),
              Contains(R"(multiplicand "tf32_nearest_even")"));
  // Factors that were rounded explain it better than a sum of few bits.
  EXPECT_THAT(hints(FormatId::F32, {1 + 0x1p-12}, {1}, 1).front(), ::testing::StartsWith("multiplicand \"tf32_"));
  EXPECT_THAT(hints(FormatId::F16, {2047, 1}, {2, 5}, 4096), Contains(R"(output_rounding "toward_zero")"));
  EXPECT_THAT(hints(FormatId::F16, {65504}, {2}, 65504), Contains(R"(overflow "saturate")"));
  EXPECT_THAT(hints(FormatId::F32, {3}, {1}, 5), IsEmpty());
}

TEST(Judge, TextAndJsonSayHowMany) {
  const Large large;
  const auto sample = judge(large.value, large.contract, {&large.d, 1},
                            {.all = false, .seconds = 0.004, .worst = 2, .clock = steady()});
  const Subjects subjects{large.value, large.contract, "nothing"};
  EXPECT_THAT(text_of(*sample, subjects), HasSubstr("judged elements, a sample of 78000; "));
  EXPECT_THAT(text_of(*sample, subjects), HasSubstr("  class      wrong_value, too high by "));
  const auto json = json_of(*sample, subjects);
  EXPECT_EQ(json["verdict"], "fail");
  EXPECT_EQ(json["of"], 78000);
  EXPECT_EQ(json["worst"].size(), 2u);
  EXPECT_EQ(json["worst"][0]["rule"]["id"], "sum.any_order");
  EXPECT_EQ(json["worst"][0]["direction"], "too_high");
  EXPECT_THAT(json["worst"][0]["low_bits"].get<std::string>(), ::testing::StartsWith("0x"));
  EXPECT_EQ(json["assumed"], "nothing");
}

TEST(Judge, NothingToJudgeIsUndecided) {
  operation::Case value;
  value.operation = operation::Reduce{.kind = operation::ReduceKind::Max, .rows = 0, .columns = 3};
  value.tensors.emplace("x", tensor::Tensor(number::FormatId::F32, {0, 3}));
  operation::pack_missing_layouts(value);
  const tensor::Tensor y(number::FormatId::F32, {0});
  const auto judged = judge(value, {}, {&y, 1});
  EXPECT_EQ(judged->kind, Kind::Undecided);
  EXPECT_FALSE(judged->reason.empty());
  contract::Contract model;
  model.order = contract::Order::Model;
  model.model = "some_tensor_core";
  value.operation = operation::Reduce{.kind = operation::ReduceKind::Sum, .rows = 1, .columns = 3};
  value.tensors.clear();
  value.layouts.clear();
  value.tensors.emplace("x", tensor::Tensor(number::FormatId::F32, {1, 3}));
  operation::pack_missing_layouts(value);
  const tensor::Tensor one(number::FormatId::F32, {1});
  EXPECT_EQ(judge(value, model, {&one, 1})->kind, Kind::Undecided);
  EXPECT_FALSE(judge(value, {}, {&y, 1}).ok()) << "another shape";
}

TEST(Judge, VacuousWhereEverySetIs) {
  operation::Case value;
  value.operation = operation::Reduce{.rows = 20, .columns = 4096, .x = number::FormatId::F16};
  tensor::Tensor x(number::FormatId::F16, {20, 4096});
  base::Random random(3);
  for (std::int64_t i = 0; i < x.element_count(); ++i)
    x.set(i, number::from_double(x.format(), random.uniform() - 0.5));
  value.tensors.emplace("x", x);
  operation::pack_missing_layouts(value);
  const tensor::Tensor y(number::FormatId::F32, {20});
  const contract::Contract narrow{.accumulate = number::FormatId::F16};
  for (const bool all : {true, false}) {
    const auto judged = judge(value, narrow, {&y, 1}, {.all = all});
    EXPECT_EQ(judged->kind, Kind::Vacuous);
    EXPECT_EQ(judged->blind, 1.0);
    EXPECT_FALSE(judged->reason.empty());
  }
}

TEST(Observed, SetsHoldWhatIsPermitted) {
  for (const std::string_view name : operation::operation_names()) {
    int seen = 0;
    for (std::uint64_t i = 0; i < 20; ++i) {
      const operation::Case value = drawn_case(name, 12, i);
      base::Random random(i);
      const auto contract = drawn_contract(value, random);
      if (!contract) continue;
      const auto oracle = oracle::Oracle::make(value, *contract);
      const auto archive = permitted_sets(value, *contract, 2);
      const auto specs = operation::output_specs(value.operation);
      for (std::size_t o = 0; o < specs.size(); ++o) {
        const tensor::Tensor &low = archive->tensors.at(specs[o].name + ".low"),
                             &high = archive->tensors.at(specs[o].name + ".high"),
                             &flags = archive->tensors.at(specs[o].name + ".flags");
        const number::Format& format = low.format();
        for (std::int64_t e = 0; e < low.element_count(); ++e) {
          const oracle::Permitted permitted = oracle->permitted(e, o);
          const std::uint64_t bits = flags.get(e);
          const auto has = [&](Permission bit) { return (bits & bit) != 0; };
          for (int n = 0; n < 8; ++n) {
            const std::uint64_t word = drawn_word(permitted, random);
            bool in = false;
            if (number::is_nan(format, word)) {
              // A NaN of a list is permitted in those bits alone, which no flag says.
              if (!permitted.only.empty()) continue;
              in = has(kNan);
            } else if (number::is_infinity(format, word)) {
              in = has(number::is_negative(format, word) ? kMinusInfinity : kPlusInfinity);
            } else if (number::is_zero(format, word)) {
              in = has(number::is_negative(format, word) && !format.is_integer() ? kMinusZero : kPlusZero);
            } else {
              const std::int64_t at = number::ordinal(format, word);
              if (has(kWithGaps)) continue;
              in = has(kNumbers) && at >= number::ordinal(format, low.get(e)) &&
                   at <= number::ordinal(format, high.get(e));
            }
            EXPECT_EQ(in, permitted.contains(word)) << name << " " << i << " " << permitted.to_string();
            ++seen;
          }
          EXPECT_EQ(has(kVacuous), permitted.vacuous);
        }
      }
    }
    EXPECT_GT(seen, 100) << name;
  }
}

TEST(NamedContract, OfVersionOneIsTodaysButWhereIntegersAreConvertedTo) {
  using contract::OverflowPolicy;
  const auto overflow_of = [](const char* operation, std::vector<FormatId> formats, const char* text,
                              std::uint64_t version) {
    operation::Case value;
    value.operation = *operation::operation_named(operation);
    value.operation.set_formats(formats);
    value.contract = text;
    value.contract_version = version;
    return named_contract(value)->overflow;
  };
  using enum FormatId;
  EXPECT_EQ(overflow_of("convert", {F32, I32}, "{}", 1), OverflowPolicy::Ieee);
  EXPECT_EQ(overflow_of("convert", {F32, I32}, "f32", 1), OverflowPolicy::Ieee);
  EXPECT_EQ(overflow_of("convert", {F32, I32}, "{}", 2), OverflowPolicy::Default);
  EXPECT_EQ(overflow_of("convert", {F32, F16}, "{}", 1), OverflowPolicy::Default);
  EXPECT_EQ(overflow_of("reduce.argmax", {F32, I32}, "{}", 1), OverflowPolicy::Default);
  EXPECT_EQ(overflow_of("convert", {F32, F16}, R"({"overflow":"saturate"})", 1), OverflowPolicy::Saturate);
  EXPECT_EQ(overflow_of("convert", {F32, F16}, R"({"overflow":"ieee"})", 2), OverflowPolicy::Ieee);
}

TEST(DefaultContract, FitsEveryOperation) {
  for (const std::string_view name : operation::operation_names()) {
    for (std::uint64_t i = 0; i < 60; ++i) {
      const operation::Case value = drawn_case(name, 6, i);
      const Assumed assumed = default_contract(value.operation);
      EXPECT_THAT(assumed.text, HasSubstr("no contract was given"));
      EXPECT_THAT(assumed.text, HasSubstr(contract::describe(assumed.contract)));
      const auto oracle = oracle::Oracle::make(value, assumed.contract);
      // Sums of one kind into another have no contract at all.
      std::set<bool> kinds;
      for (const number::FormatId id : value.operation.formats()) kinds.insert(number::format(id).is_integer());
      if (kinds.size() == 1) {
        EXPECT_TRUE(oracle.ok()) << name << " " << oracle.error().message;
      }
    }
  }
}

}  // namespace
}  // namespace negzero::judgement
