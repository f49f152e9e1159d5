// An explanation says of each path what its set says, and names the words that would permit what was observed.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/judgement/explanation.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/judge.hpp>

#include "../oracle/build.hpp"
#include "drawn.hpp"

namespace negzero::judgement {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A case of reductions over rows of these numbers, in F32.
operation::Case rows_of(operation::Operation operation, const std::vector<std::vector<double>>& rows) {
  operation::Case value;
  value.operation = std::move(operation);
  tensor::Tensor x(number::FormatId::F32, operation::input_specs(value.operation).front().shape);
  std::int64_t i = 0;
  for (const auto& row : rows) {
    for (const double number : row) x.set(i++, number::from_double(x.format(), number));
  }
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}
operation::Case row_sums(const std::vector<std::vector<double>>& rows) {
  return rows_of(operation::Reduce{.rows = std::ssize(rows), .columns = std::ssize(rows.front())}, rows);
}
std::vector<tensor::Tensor> y_of(const std::vector<double>& numbers) {
  tensor::Tensor y(number::FormatId::F32, {std::ssize(numbers)});
  for (std::int64_t i = 0; i < y.element_count(); ++i) {
    y.set(i, number::from_double(y.format(), numbers[static_cast<std::size_t>(i)]));
  }
  return {y};
}

std::string refusal_of(const operation::Case& value, const std::string& name) {
  const auto place = element_named(value, name);
  EXPECT_FALSE(place.ok()) << name;
  return place ? "" : place.error().message;
}

TEST(Explain, FindsAnElementByItsName) {
  operation::Case value;
  value.operation = operation::Gemm{.batch = 2, .m = 3, .n = 4, .k = 5};
  for (const char* name : {"d[1,2,3]", "[1,2,3]"}) {
    const auto place = element_named(value, name);
    ASSERT_TRUE(place.ok()) << place.error().message;
    EXPECT_EQ(*place, (oracle::OutputElement{0, 23}));
  }
  EXPECT_EQ(element_named(value, "d[0,1,0]")->element, 4);
  EXPECT_EQ(refusal_of(value, "e[0,0,0]"), "element \"e[0,0,0]\": there is no output e; known: d");
  for (const char* name :
       {"", "d", "d[]", "d[0,0]", "d[0,0,0,0]", "d[0,0,0", "d[0,0,0]]", "d[0,0,0] ", "d[0;0;0]", "d[2,0,0]", "d[0,3,0]",
        "d[0,0,4]", "d[-1,0,0]", "d[0,,0]", "d[0,0,x]", "d[0,0,1.5]", "d[0,0,99999999999999999999]"}) {
    EXPECT_EQ(refusal_of(value, name), "element \"" + std::string(name) +
                                           "\": give an index for each of the extents [2,3,4], as in \"d[0,0,0]\"");
  }
}

TEST(Explain, AsksForTheOutputWhereThereAreSeveral) {
  operation::Case value;
  value.operation = operation::Operation(**operation::signature_of("reduce.max_index"));
  value.operation.extent("rows") = 2;
  EXPECT_EQ(*element_named(value, "at[0]"), (oracle::OutputElement{1, 0}));
  EXPECT_EQ(refusal_of(value, "[0]"), "element \"[0]\": of which output? known: y, at");
}

TEST(Explain, AnOutputWithoutElementsHasNoneToName) {
  operation::Case value;
  value.operation = operation::Gemm{.batch = 2, .m = 0, .n = 4, .k = 5};
  for (const char* name : {"d[0,0,0]", "d", "[]"}) {
    EXPECT_EQ(refusal_of(value, name),
              "element \"" + std::string(name) + "\": the output d has no elements; its extents are [2,0,4]");
  }
}

TEST(Explain, AnOutputHasDimensions) {
  for (const char* line : {"total: y <- x[n]", "total: y[] <- x[n]"}) {
    EXPECT_FALSE(operation::signature_of(line).ok()) << "element_named() would take the name alone: " << line;
  }
}

TEST(Explain, WithoutOutputsItSaysWhatIsPermitted) {
  const auto explanation = explain(row_sums({{1, 2, 3}, {4, 5, 6}}), {}, oracle::OutputElement{0, 1}, {});
  ASSERT_TRUE(explanation.ok()) << explanation.error().message;
  EXPECT_EQ(explanation->name, "y[1]");
  EXPECT_FALSE(explanation->observed);
  EXPECT_TRUE(explanation->words.empty());
  EXPECT_THAT(explanation->facts, HasSubstr("sum.exact"));
  ASSERT_FALSE(explanation->paths.empty());
  const std::uint64_t fifteen = number::from_double(number::format(number::FormatId::F32), 15);
  for (const ExplainedPath& path : explanation->paths) {
    EXPECT_FALSE(path.holds);
    EXPECT_FALSE(path.steps);
    EXPECT_TRUE(path.reached.permitted.contains(fifteen));
    EXPECT_FALSE(path.reached.sum.empty());
    EXPECT_FALSE(path.reached.ending.empty());
  }
  EXPECT_EQ(explain(row_sums({{1, 2, 3}, {4, 5, 6}}), {}, std::nullopt, {})->name, "y[0]") << "the first element";
}

TEST(Explain, APermittedWordNeedsNoOtherContract) {
  const auto explanation = explain(row_sums({{1, 2, 3}}), {}, std::nullopt, y_of({6}));
  ASSERT_TRUE(explanation.ok());
  EXPECT_TRUE(explanation->is_permitted);
  EXPECT_TRUE(explanation->words.empty());
  for (const ExplainedPath& path : explanation->paths) {
    EXPECT_TRUE(path.holds);
    EXPECT_FALSE(path.steps) << "what holds it is no distance away";
  }
}

TEST(Explain, ExplainsTheWorstElementThatWasObserved) {
  const auto explanation = explain(row_sums({{1, 2}, {3, 4}, {5, 6}}), {}, std::nullopt, y_of({3.5, 7, 1000}));
  ASSERT_TRUE(explanation.ok());
  EXPECT_EQ(explanation->name, "y[2]");
  EXPECT_FALSE(explanation->is_permitted);
  EXPECT_EQ(explain(row_sums({{1, 2}, {3, 4}}), {}, std::nullopt, y_of({3, 7}))->name, "y[0]");
}

/// 1 + 2^-11 + 2^-24 + 2^-24 from the first to the last: 1 in F16, 1 + 2^-11 in F32, and one step more in F64.
struct Accumulated {
  operation::Case value = row_sums({{1, 0x1p-11, 0x1p-24, 0x1p-24}});
  contract::Contract contract =
      *contract::parse(R"({"accumulate":"F16","wider":false,"order":"ascending","start":"first_term"})");
  std::vector<tensor::Tensor> outputs = y_of({1 + 0x1p-11});
};

TEST(Explain, NamesTheFormatOfTheAccumulator) {
  const Accumulated given;
  const auto explanation = explain(given.value, given.contract, std::nullopt, given.outputs);
  ASSERT_TRUE(explanation.ok()) << explanation.error().message;
  EXPECT_FALSE(explanation->is_permitted);
  for (const ExplainedPath& path : explanation->paths) {
    EXPECT_FALSE(path.holds);
    EXPECT_EQ(path.steps, 1u << 12) << "2^-11 in steps of 2^-23";
  }
  const auto& words = explanation->words;
  const auto found = std::ranges::find(words, "accumulate \"F32\"", &PermittingWord::text);
  ASSERT_NE(found, words.end());
  EXPECT_FALSE(found->meaning.empty());
  EXPECT_EQ(found->permits, 1);
  // It does permit it, and nothing else of the same field is said.
  contract::Contract other = given.contract;
  other.accumulate = number::FormatId::F32;
  EXPECT_TRUE(explain(given.value, other, std::nullopt, given.outputs)->is_permitted);
  const auto is_accumulate = [](const PermittingWord& word) { return word.text.starts_with("accumulate \""); };
  EXPECT_EQ(std::ranges::count_if(words, is_accumulate), 1);
  // A word comes before two that go together.
  const auto has_two = [](const PermittingWord& word) { return word.text.find("\" and ") != std::string::npos; };
  EXPECT_TRUE(std::ranges::is_partitioned(words, std::not_fn(has_two)));
}

TEST(Explain, SaysWhereNoWordPermitsIt) {
  const operation::Case value = row_sums({{1, 2, 3}});
  const auto outputs = y_of({1e30});
  const auto explanation = explain(value, {}, std::nullopt, outputs);
  ASSERT_TRUE(explanation.ok());
  EXPECT_TRUE(explanation->words.empty());
  EXPECT_THAT(text_of(*explanation, value, {}), HasSubstr("  no single word of the contract permits it\n"));
}

/// A run has poison where nobody is to read, whatever the case has there: a NaN comes of that.
TEST(Explain, WhatIsNotToBeReadIsPoisonInARun) {
  using namespace oracle::testing;
  const auto texts = [](const operation::Case& value, double observed) {
    const std::vector<tensor::Tensor> d{tensor_of(FormatId::F32, {1, 1, 1}, {word(FormatId::F32, observed)})};
    std::vector<std::string> words;
    const auto explanation = explain(value, {}, std::nullopt, d);
    for (const PermittingWord& each : explanation->words) words.push_back(each.text);
    return words;
  };
  const Words ones = words(FormatId::F32, {1, 1});
  EXPECT_THAT(texts(dot_case({.a = ones, .b = ones, .beta = f32(-0.0)}), kNotANumber),
              ::testing::Contains("reads_c_at_beta_zero true"));
  const operation::Case unread = dot_case({.a = ones, .b = ones, .alpha = f32(0), .beta = f32(1)});
  EXPECT_THAT(texts(unread, kNotANumber), ::testing::Contains("reads_a_b_at_alpha_zero true"));
  EXPECT_THAT(texts(unread, 3), ::testing::IsEmpty()) << "alpha * NaN is no number";
}

/// Each set is printed once, with the first path that gives it.
TEST(Explain, SaysOfPathsThatPermitTheSameHowManyThereAre) {
  const operation::Case value = row_sums({{1, 2, 3}});
  const auto outputs = y_of({7});
  const auto explanation = explain(value, {}, std::nullopt, outputs);
  const std::string text = text_of(*explanation, value, {});
  EXPECT_EQ(explanation->paths.size(), 3u) << "F32, F64, F64 stored to F32";
  EXPECT_EQ(text.find("  path "), text.rfind("  path "));
  EXPECT_THAT(text, HasSubstr("  2 more paths permit the same\n"));
}

TEST(Explain, SelectionsAndConversionsHaveNoPaths) {
  const operation::Case selection =
      rows_of(operation::Reduce{.kind = operation::ReduceKind::Max, .rows = 1, .columns = 3}, {{1, 2, 3}});
  operation::Operation convert(**operation::signature_of("convert"));
  convert.extent("count") = 1;
  const operation::Case conversion = rows_of(convert, {{3}});
  for (const operation::Case& value : {selection, conversion}) {
    for (const double observed : {3.0, 2.5}) {
      const auto explanation = explain(value, {}, std::nullopt, y_of({observed}));
      ASSERT_TRUE(explanation.ok()) << explanation.error().message;
      EXPECT_TRUE(explanation->paths.empty());
      EXPECT_EQ(explanation->is_permitted, observed == 3);
      EXPECT_FALSE(explanation->facts.empty());
    }
  }
}

TEST(Explain, RefusesWhatHasNoElements) {
  const operation::Case value = rows_of(operation::Reduce{.rows = 0, .columns = 3}, {});
  const auto explanation = explain(value, {}, std::nullopt, {});
  ASSERT_FALSE(explanation.ok());
  EXPECT_THAT(explanation.error().message, HasSubstr("no elements"));
}

TEST(Explain, IsSaidInLinesAndInJson) {
  const Accumulated given;
  const auto explanation = explain(given.value, given.contract, std::nullopt, given.outputs);
  ASSERT_TRUE(explanation.ok());
  const std::string text = text_of(*explanation, given.value, given.contract);
  EXPECT_THAT(text, StartsWith("y[0] of reduce.sum  rows 1, columns 4  (F32 -> F32)\n  contract   F16 accumulator"));
  EXPECT_THAT(text, HasSubstr("\n  observed   1.0004883 (0x3f801000), not permitted\n"));
  EXPECT_THAT(text, HasSubstr("\n  path "));
  EXPECT_THAT(text, HasSubstr(": 1 (0x3f800000), 4096 steps away\n"));
  EXPECT_THAT(text, HasSubstr("\n  permitted under accumulate \"F32\" (1 "));
  EXPECT_TRUE(text.ends_with('\n'));
  const std::string dumped = json_of(*explanation, given.value, given.contract).dump();
  const auto json = nlohmann::json::parse(dumped, nullptr, false);
  ASSERT_TRUE(json.is_object()) << dumped;
  EXPECT_EQ(json["element"], "y[0]");
  EXPECT_EQ(json["contract"]["accumulate"], "F16");
  EXPECT_EQ(json["observed"], (nlohmann::json{"1.0004883", "0x3f801000"}));
  EXPECT_EQ(json["is_permitted"], false);
  EXPECT_EQ(json["text"], text);
  ASSERT_EQ(json["paths"].size(), explanation->paths.size());
  EXPECT_EQ(json["paths"][0]["holds"], false);
  EXPECT_EQ(json["paths"][0]["steps"], 4096);
  EXPECT_EQ(json["paths"][0]["permitted"], "1 (0x3f800000)");
  EXPECT_EQ(json["words"].size(), explanation->words.size());

  const auto without = explain(given.value, given.contract, std::nullopt, {});
  EXPECT_THAT(text_of(*without, given.value, given.contract), Not(HasSubstr("observed")));
  const auto unobserved = json_of(*without, given.value, given.contract);
  EXPECT_TRUE(unobserved["observed"].is_null());
  EXPECT_TRUE(unobserved["is_permitted"].is_null());
  EXPECT_TRUE(unobserved["paths"][0]["holds"].is_null());
  EXPECT_TRUE(unobserved["paths"][0]["steps"].is_null());
}

/// Of drawn cases of every operation: a path holds what its set has, together they permit what the contract does, and
/// each word permits what it is said to.
TEST(Explain, SaysWhatTheOracleSays) {
  int holding = 0, missing = 0, words = 0;
  for (const std::string_view name : operation::operation_names()) {
    for (std::uint64_t i = 0; i < 60; ++i) {
      const operation::Case value = drawn_case(name, 6, i);
      base::Random random(i);
      const auto contract = drawn_contract(value, random);
      if (!contract) continue;
      const auto oracle = oracle::Oracle::make(value, *contract);
      const auto outputs = drawn_outputs(value, sets_of(value, *oracle), false, random);
      const auto explanation = explain(value, *contract, std::nullopt, outputs);
      if (!explanation) {
        EXPECT_THAT(explanation.error().message, HasSubstr("no elements")) << name << " " << i;
        continue;
      }
      const auto [output, element] = explanation->place;
      const std::uint64_t word = outputs[output].get(element);
      EXPECT_EQ(explanation->observed, word);
      const auto before = std::span(outputs).first(output);
      EXPECT_EQ(explanation->is_permitted, oracle->permitted(element, output, before).contains(word));
      bool held = false;
      for (const ExplainedPath& path : explanation->paths) {
        EXPECT_EQ(path.holds, path.reached.permitted.contains(word)) << name << " " << i;
        EXPECT_EQ(path.steps, path.holds ? std::nullopt : oracle::steps_from(path.reached.permitted, word));
        held = held || path.holds;
        ++(path.holds ? holding : missing);
      }
      if (!explanation->paths.empty()) {
        EXPECT_EQ(held, explanation->is_permitted) << name << " " << i << "\n"
                                                   << text_of(*explanation, value, *contract);
      }
      if (explanation->is_permitted) {
        EXPECT_TRUE(explanation->words.empty());
      }
      words += static_cast<int>(explanation->words.size());
      for (const PermittingWord& each : explanation->words) {
        EXPECT_GE(each.permits, 1) << name << " " << i << " " << each.text;
        EXPECT_FALSE(each.meaning.empty()) << each.text;
      }
      EXPECT_TRUE(nlohmann::json::accept(json_of(*explanation, value, *contract).dump())) << name << " " << i;
    }
  }
  EXPECT_GT(holding, 200);
  EXPECT_GT(missing, 200);
  EXPECT_GT(words, 100);
}

}  // namespace
}  // namespace negzero::judgement
