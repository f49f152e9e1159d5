// Contracts as data: presets, JSON both ways, contradictions.

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/contract/contract.hpp>
#include <negzero/contract/fields.hpp>
#include <negzero/contract/words.hpp>

namespace negzero::contract {
namespace {

using ::testing::HasSubstr;

std::string error_of(std::string_view text) {
  const auto result = parse(text);
  return result.ok() ? "" : result.error().message;
}

TEST(Version, OfTheDefaultsIsKnownOrNamed) {
  EXPECT_EQ(*parse("{}", kVersion), Contract());
  EXPECT_FALSE(parse("{}", 0).ok());
  const auto newer = parse("{}", kVersion + 1);
  ASSERT_FALSE(newer.ok());
  EXPECT_EQ(
      newer.error().message,
      "contract: its defaults are those of version 3, and this negzero knows versions 1 to 2: use the newer negzero "
      "that wrote it");
}

TEST(Version, OneHasIeeeAsItsDefaultOfOverflow) {
  const Contract ieee{.overflow = OverflowPolicy::Ieee};
  EXPECT_EQ(*parse("{}", 1), ieee);
  EXPECT_EQ(*parse("f32", 1), ieee);
  EXPECT_EQ(*parse(R"({"preset":"f32"})", 1), ieee);
  EXPECT_EQ(parse(R"({"overflow":"saturate"})", 1)->overflow, OverflowPolicy::Saturate);
  EXPECT_EQ(parse("f8_acc_f32", 1)->overflow, OverflowPolicy::Either);
  EXPECT_EQ(parse("{}")->overflow, OverflowPolicy::Default);
  // Written again it means the same by the defaults of today.
  EXPECT_EQ(to_json(*parse("{}", 1)), R"({"overflow":"ieee"})");
  EXPECT_EQ(*parse(to_json(*parse("{}", 1))), *parse("{}", 1));
}

TEST(Presets, EveryNameParsesIsValidAndSurvivesJson) {
  EXPECT_EQ(preset_names().size(), 8u);
  for (std::string_view name : preset_names()) {
    const auto parsed = parse(name);
    ASSERT_TRUE(parsed.ok()) << name;
    EXPECT_EQ(*parsed, *preset(name)) << name;
    EXPECT_TRUE(validate(*parsed).ok()) << name;
    EXPECT_EQ(*parse(to_json(*parsed)), *parsed) << name;
    EXPECT_FALSE(describe(*parsed).empty());
  }
  EXPECT_FALSE(preset("F32").has_value());
}

TEST(Presets, DifferWhereTheirNamesDo) {
  EXPECT_EQ(preset("f64")->accumulate, number::FormatId::F64);
  EXPECT_EQ(preset("f16_acc_f16")->accumulate, number::FormatId::F16);
  EXPECT_EQ(preset("f16_acc_f32")->accumulate, number::FormatId::F32);
  EXPECT_EQ(preset("tf32")->multiplicand, Multiplicand::Tf32NearestAway);
  EXPECT_EQ(preset("f8_acc_f32")->overflow, OverflowPolicy::Either);
  for (std::string_view name : preset_names()) EXPECT_EQ(preset(name)->tensor_core, TensorCore::No) << name;
}

TEST(Describe, NamesEveryFieldThatDiffersFromItsDefault) {
  const char* const texts[] = {R"({"multiplicand":"bf16"})",
                               R"({"multiplicand_b":"bf16"})",
                               R"({"accumulate":"F64"})",
                               R"({"accumulate_rounding":"faithful"})",
                               R"({"model":"m"})",
                               R"({"wider":false})",
                               R"({"compensated":true})",
                               R"({"order":"ascending"})",
                               R"({"depth":24})",
                               R"x({"depth":"1 + ceil_div(k, 256)"})x",
                               R"({"contraction":"fused"})",
                               R"({"start":"c"})",
                               R"({"promote":{"every":4,"format":"F32"}})",
                               R"({"alpha":"operand"})",
                               R"({"beta":"leaf"})",
                               R"({"scalar_format":"F16"})",
                               R"({"intermediate":["F16"]})",
                               R"({"intermediate":[{"format":"F16","rounding":"up"}]})",
                               R"({"tensor_core":"may"})",
                               R"({"tensor_core":"only"})",
                               R"({"tensor_core":"only","unit":"hopper"})",
                               R"({"tensor_core":"only","slices":4})",
                               R"({"slice_format":"BF16"})",
                               R"({"slice_format":"BF16","slices":4})",
                               R"({"tensor_core":"only","slice_format":"BF16","slices":4})",
                               R"({"multiplicand":"tf32_any"})",
                               R"({"multiplicand":"tf32_or_exact"})",
                               R"({"intermediate_at":"sum"})",
                               R"({"output_rounding":"toward_zero"})",
                               R"({"subnormal_inputs":"flush"})",
                               R"({"subnormal_results":"flush"})",
                               R"({"nan":"ignore"})",
                               R"({"all_nan":"identity"})",
                               R"({"zero_sign":"ieee"})",
                               R"({"overflow":"saturate"})",
                               R"({"overflow":"ieee"})",
                               R"({"accumulate":"I32","integer_overflow":"saturate"})",
                               R"({"ties":"first"})",
                               R"({"empty":"0x1"})",
                               R"({"mean":"divide"})",
                               R"({"mean_may_overflow":true})",
                               R"({"scalars":"formula"})",
                               R"({"reads_a_b_at_alpha_zero":true})",
                               R"({"reads_c_at_beta_zero":true})",
                               R"({"determinism":"run_to_run"})",
                               R"({"position_invariant":true})",
                               "{}"};
  std::set<std::string> seen;
  std::set<std::string_view> touched;
  for (const char* text : texts) {
    const auto contract = parse(text);
    ASSERT_TRUE(contract.ok()) << text << contract.error().message;
    EXPECT_TRUE(seen.insert(describe(*contract)).second) << text << " reads like another one: " << describe(*contract);
    for (const Field& field : fields()) {
      if (!field.same(*contract, {})) touched.insert(field.name);
    }
  }
  EXPECT_EQ(touched.size(), fields().size()) << "a field has no text here";
  EXPECT_EQ(describe(*parse(R"({"ties":"first","position_invariant":true})")),
            "F32 accumulator or wider, any order, fused or separate, NaN propagates, ties first, position_invariant");
}

TEST(Fields, TakeWhatTheySayAndNothingElse) {
  using Json = nlohmann::ordered_json;
  const std::map<Takes::Kind, std::vector<Json>> examples{
      {Takes::Kind::Truth, {true, false}},
      {Takes::Kind::WholeNumber, {0, -3, 1 << 20}},
      {Takes::Kind::Text, {"", "any text"}},
      {Takes::Kind::Formula, {nullptr, 24, "1 + ceil_div(k, 256)", "bogus"}},
      {Takes::Kind::Bits, {nullptr, "0xff800000"}},
      {Takes::Kind::Promotion, {nullptr, {{"every", 128}, {"format", "F32"}}}},
      {Takes::Kind::Roundings, {Json::array(), {"F16", {{"format", "F16"}, {"rounding", "up"}}}}}};
  for (const Field& field : fields()) {
    const std::string name(field.name);
    EXPECT_TRUE(field.meaning.ends_with('.') && field.meaning.size() > 20) << name;
    std::vector<Json> good(field.takes.words.begin(), field.takes.words.end());
    if (field.takes.or_null) good.emplace_back(nullptr);
    if (field.takes.kind != Takes::Kind::Word) good = examples.at(field.takes.kind);
    ASSERT_GE(good.size(), 2u) << name;
    std::set<std::string> read;
    for (const Json& value : good) {
      Contract contract;
      EXPECT_TRUE(field.read(name, value, contract).ok()) << name << " " << value;
      read.insert(field.write(contract).dump());
    }
    EXPECT_EQ(read.size(), good.size()) << name << ": two of them are one";
    EXPECT_TRUE(field.takes.kind != Takes::Kind::Word || read.count(field.write({}).dump())) << name;
    Contract contract;
    EXPECT_FALSE(field.read(name, Json{{"no", "field"}}, contract).ok()) << name;
    if (field.takes.kind == Takes::Kind::Text || field.takes.kind == Takes::Kind::Formula) continue;
    EXPECT_FALSE(field.read(name, "bogus", contract).ok()) << name;
    EXPECT_EQ(field.read(name, nullptr, contract).ok(), good.front().is_null() || field.takes.or_null) << name;
  }
}

TEST(Json, WhatContradictsTensorCoresIsNamed) {
  EXPECT_THAT(error_of(R"({"slices": 2})"), HasSubstr("slices says something of tensor cores"));
  EXPECT_THAT(error_of(R"({"unit": "hopper"})"), HasSubstr("unit says something of tensor cores"));
  EXPECT_THAT(error_of(R"({"unit": "pascal"})"), HasSubstr("any, volta, turing"));
  EXPECT_THAT(error_of(R"({"tensor_core": "may", "slices": -1})"), HasSubstr("slices is -1"));
  EXPECT_THAT(error_of(R"({"tensor_core": "may", "slices": 1.5})"), HasSubstr("a whole number"));
  EXPECT_THAT(error_of(R"({"tensor_core": "may", "accumulate": "F64"})"), HasSubstr("accumulate \"F64\""));
  EXPECT_THAT(error_of(R"({"tensor_core": "may", "order": "ascending"})"), HasSubstr("order \"ascending\""));
  EXPECT_THAT(error_of(R"({"tensor_core": "may", "compensated": true})"), HasSubstr("compensated"));
  EXPECT_THAT(error_of(R"({"tensor_core": "may", "alpha": "partial"})"), HasSubstr("alpha \"partial\""));
  EXPECT_THAT(error_of(R"({"tensor_core": "only", "promote": {"every": 8, "format": "F32"}})"), HasSubstr("slices"));
  EXPECT_THAT(error_of(R"({"tensor_core": "only", "accumulate_rounding": "toward_zero"})"), HasSubstr("its own way"));
}

TEST(Json, ADepthIsAFormulaAndIsPrintedAsOne) {
  EXPECT_EQ(to_json(*parse(R"({"depth": 24})")), R"({"depth":24})");
  EXPECT_EQ(to_json(*parse(R"({"depth": "24"})")), R"({"depth":24})");
  EXPECT_EQ(to_json(*parse(R"x({"depth": "(1+ceil_div(k,256))+8"})x")), R"x({"depth":"1 + ceil_div(k, 256) + 8"})x");
  EXPECT_EQ(to_json(*parse(R"({"depth": null})")), "{}");
  EXPECT_EQ(describe(*parse(R"({"depth": "k / 16"})")),
            "F32 accumulator or wider, any order of depth k / 16, fused or separate, NaN propagates");
  EXPECT_THAT(error_of(R"({"depth": "1 + "})"), HasSubstr("\"depth\": \"1 + \", column 5: expected a number"));
  EXPECT_THAT(error_of(R"({"depth": 1.5})"), HasSubstr("or a formula such as"));
  EXPECT_THAT(error_of(R"({"depth": -3})"), HasSubstr("or a formula such as"));
}

TEST(Json, WhatContradictsADepthIsNamed) {
  const auto with = [](const std::string& fields) {
    const auto contract = parse(R"({"depth": 12, )" + fields + "}");
    if (!contract.ok()) return contract.error().message;
    return validate(*contract).ok() ? "" : validate(*contract).error().message;
  };
  EXPECT_EQ(with(R"("alpha": "partial", "accumulate": "F16")"), "");
  EXPECT_THAT(with(R"("order": "ascending")"), HasSubstr("depth \"12\" contradicts order \"ascending\""));
  EXPECT_THAT(with(R"("accumulate_rounding": "toward_zero")"), HasSubstr("its bound holds for nearest"));
  EXPECT_THAT(with(R"("tensor_core": "may")"), HasSubstr("tensor_core \"may\""));
  EXPECT_THAT(with(R"("compensated": true)"), HasSubstr("compensated"));
  EXPECT_THAT(with(R"("slice_format": "BF16")"), HasSubstr("slice_format"));
  EXPECT_THAT(with(R"("promote": {"every": 8, "format": "F32"})"), HasSubstr("promote"));
  EXPECT_THAT(with(R"("accumulate": "I32")"), HasSubstr("integers are exact"));
  EXPECT_THAT(error_of(R"({"depth": 0})"), HasSubstr("depth is 0; it must be at least 1"));
}

TEST(Json, WhatContradictsStoredSlicesIsNamed) {
  const auto with = [](const std::string& fields) {
    const auto contract = parse(R"({"slice_format": "BF16", )" + fields + "}");
    if (!contract.ok()) return contract.error().message;
    return validate(*contract).ok() ? "" : validate(*contract).error().message;
  };
  EXPECT_EQ(with(R"("slices": 2)"), "");
  EXPECT_EQ(with(R"("accumulate": "F64")"), "");
  EXPECT_EQ(with(R"("tensor_core": "may", "slices": 2)"), "");
  EXPECT_THAT(error_of(R"({"slices": 2})"), HasSubstr("or slice_format, too"));
  EXPECT_THAT(with(R"("slice_format": "F32")"), HasSubstr("twice"));
  EXPECT_THAT(error_of(R"({"slice_format": "F32", "accumulate": "F64"})"), HasSubstr("stored in \"F16\" or \"BF16\""));
  EXPECT_THAT(error_of(R"({"slice_format": "F8_E5M2"})"), HasSubstr("slice_format \"F8_E5M2\""));
  EXPECT_THAT(error_of(R"({"slice_format": "F16", "accumulate": "F16"})"), HasSubstr("rounds nothing"));
  EXPECT_THAT(error_of(R"({"slice_format": "F16", "accumulate": "BF16"})"), HasSubstr("does not hold every number"));
  EXPECT_THAT(with(R"("accumulate": "F16")"), HasSubstr("slice_format \"BF16\" contradicts accumulate \"F16\""));
  EXPECT_THAT(with(R"("accumulate": "I32")"), HasSubstr("integers are exact"));
  EXPECT_THAT(with(R"("order": "ascending")"), HasSubstr("order \"ascending\""));
  EXPECT_THAT(with(R"("compensated": true)"), HasSubstr("compensated"));
  EXPECT_THAT(with(R"("promote": {"every": 8, "format": "F64"})"), HasSubstr("promote"));
  EXPECT_THAT(with(R"("accumulate_rounding": "faithful")"), HasSubstr("accumulate_rounding \"faithful\""));
  EXPECT_THAT(with(R"("alpha": "partial")"), HasSubstr("alpha \"partial\""));
  EXPECT_EQ(describe(*parse(R"({"slice_format": "BF16", "slices": 2})")),
            "F32 accumulator or wider, any order, sums of at most 2 slices of k perhaps rounded to BF16, fused or "
            "separate, NaN propagates");
}

TEST(Members, OfFactorsThatAreConvertedByThemselvesAreAllPairs) {
  using enum Multiplicand;
  EXPECT_EQ(conversions(*parse(R"({"multiplicand_b": "bf16"})")), (std::vector<Multiplicands>{{Exact, Bf16}}));
  EXPECT_EQ(conversions(*parse(R"({"multiplicand": "bf16", "multiplicand_b": "exact"})")),
            (std::vector<Multiplicands>{{Bf16, Exact}}));
  EXPECT_EQ(conversions(*parse(R"({"multiplicand": "f16", "multiplicand_b": null})")),
            (std::vector<Multiplicands>{{F16, F16}}));
  const Contract both = *parse(R"({"multiplicand": "tf32_any", "multiplicand_b": "tf32_or_exact"})");
  EXPECT_EQ(conversions(both).size(), 12u);
  EXPECT_EQ(conversions(both).front(), (Multiplicands{Tf32NearestEven, Exact}));
  const std::vector<Contract> all = members(both);
  ASSERT_EQ(all.size(), 12u);
  EXPECT_EQ(all[0].multiplicand_b, Exact);
  EXPECT_EQ(all[1].multiplicand_b, std::nullopt) << "A and B alike";
  EXPECT_EQ(conversions(all[1]), (std::vector<Multiplicands>{{Tf32NearestEven, Tf32NearestEven}}));
  EXPECT_EQ(to_json(both), R"({"multiplicand":"tf32_any","multiplicand_b":"tf32_or_exact"})");
  EXPECT_THAT(describe(both), HasSubstr("multiplicands tf32_any"));
  EXPECT_THAT(describe(both), HasSubstr("multiplicand_b tf32_or_exact"));
  EXPECT_THAT(error_of(R"({"tensor_core": "only", "multiplicand_b": "tf32_or_exact"})"),
              HasSubstr("contradicts multiplicand_b \"tf32_or_exact\""));
  EXPECT_THAT(error_of(R"({"accumulate": "I32", "multiplicand_b": "bf16"})"), HasSubstr("integers are exact"));
}

TEST(Members, AreOneForEachConversionThatIsOpen) {
  const auto multiplicands = [](const char* text) {
    std::vector<Multiplicand> result;
    const Contract contract = *parse(text);
    for (Contract member : members(contract)) {
      EXPECT_TRUE(validate(member).ok());
      result.push_back(member.multiplicand);
      member.multiplicand = contract.multiplicand;
      EXPECT_EQ(member, contract);
    }
    return result;
  };
  using enum Multiplicand;
  EXPECT_THAT(multiplicands(R"({"multiplicand": "tf32_any", "wider": false})"),
              ::testing::ElementsAre(Tf32NearestEven, Tf32NearestAway, Tf32Truncate));
  EXPECT_THAT(multiplicands(R"({"multiplicand": "tf32_or_exact", "tensor_core": "may"})"),
              ::testing::ElementsAre(Exact, Tf32NearestEven, Tf32NearestAway, Tf32Truncate));
  EXPECT_THAT(multiplicands(R"({"multiplicand": "bf16"})"), ::testing::ElementsAre(Bf16));
  EXPECT_THAT(error_of(R"({"multiplicand": "tf32_or_exact", "tensor_core": "only"})"),
              HasSubstr("multiplicand \"tf32_or_exact\""));
  EXPECT_EQ(error_of(R"({"multiplicand": "tf32_any", "tensor_core": "only"})"), "");
  EXPECT_THAT(error_of(R"({"multiplicand": "tf32_any", "accumulate": "I32"})"), HasSubstr("integers"));
}

TEST(Json, TheDefaultContractIsEmpty) {
  EXPECT_EQ(to_json(Contract{}), "{}");
  EXPECT_EQ(*parse("{}"), Contract{});
}

TEST(Json, AFieldOverridesItsPreset) {
  const auto parsed = parse(R"({"preset": "f16_acc_f16", "order": "ascending", "wider": false})");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->accumulate, number::FormatId::F16);
  EXPECT_EQ(parsed->order, Order::Ascending);
  EXPECT_FALSE(parsed->wider);
  EXPECT_EQ(to_json(*parsed), R"({"accumulate":"F16","wider":false,"order":"ascending"})");
}

TEST(Json, TheOrderOfKeysDoesNotMatter) {
  EXPECT_EQ(*parse(R"({"wider": false, "preset": "f64"})"), *parse(R"({"preset": "f64", "wider": false})"));
}

TEST(Json, ErrorsNameFieldValueAndWhatIsKnown) {
  EXPECT_THAT(error_of("f33"), HasSubstr("f16_acc_f16"));
  EXPECT_THAT(error_of(R"({"ordr": "any"})"),
              HasSubstr("\"ordr\" is unknown; did you mean \"order\"? known: preset, multiplicand"));
  EXPECT_THAT(error_of(R"({"tolerance": 1})"), HasSubstr("\"tolerance\" is unknown; known: preset, multiplicand"));
  EXPECT_THAT(error_of(R"({"accumulator": "F32"})"), HasSubstr("did you mean \"accumulate\"?"));
  EXPECT_THAT(error_of(R"({"order": "ascend"})"),
              HasSubstr("\"order\": \"ascend\" is not one of: any, ascending, model; did you mean \"ascending\"?"));
  EXPECT_THAT(error_of(R"({"accumulate": "f32"})"), HasSubstr("did you mean \"F32\"?"));
  EXPECT_THAT(error_of(R"({"accumulate": "I64"})"), HasSubstr("\"I64\" is not one of: F64"));
  EXPECT_THAT(error_of(R"({"intermediate": ["FP16"]})"), HasSubstr("did you mean \"F16\"?"));
  EXPECT_THAT(error_of(R"({"preset": "fp32"})"), HasSubstr("did you mean \"f32\"?"));
  EXPECT_THAT(error_of("fp32"), HasSubstr("no such preset; did you mean \"f32\"? known: f32"));
  EXPECT_THAT(error_of(R"({"order": "descending"})"), HasSubstr("any, ascending, model"));
  EXPECT_THAT(error_of(R"({"accumulate": "F33"})"), HasSubstr("BF16"));
  EXPECT_THAT(error_of(R"({"wider": 1})"), HasSubstr("true or false"));
  EXPECT_THAT(error_of(R"({"preset": "nope"})"), HasSubstr("f64"));
  EXPECT_THAT(error_of(R"({"wider": true, "wider": false})"), HasSubstr("twice"));
  EXPECT_THAT(error_of(R"({"promote": {"every": 8, "every": 9, "format": "F32"}})"), HasSubstr("twice"));
  EXPECT_THAT(error_of(R"({"promote": {"every": 1.5, "format": "F32"}})"), HasSubstr("promote"));
  EXPECT_THAT(error_of(R"({"promote": {"every": 18446744073709551615, "format": "F32"}})"), HasSubstr("every"));
  EXPECT_THAT(error_of(R"({"promote": {"every": 8, "format": "F32", "x": 1}})"), HasSubstr("promote"));
  EXPECT_THAT(error_of(R"({"empty": "0x"})"), HasSubstr("hexadecimal"));
  EXPECT_THAT(error_of(R"({"empty": "0x12345678901234567"})"), HasSubstr("hexadecimal"));
  EXPECT_THAT(error_of(R"({"empty": -1})"), HasSubstr("hexadecimal"));
  EXPECT_THAT(error_of(R"({"intermediate": "F16"})"), HasSubstr("list"));
  EXPECT_THAT(error_of(R"([1, {}])"), HasSubstr("neither"));
  EXPECT_THAT(error_of("{"), HasSubstr("not JSON"));
}

TEST(Json, HostileNestingAndSizeAreErrors) {
  EXPECT_THAT(error_of("{\"x\":" + std::string(20000, '[') + std::string(20000, ']') + "}"), HasSubstr("nested"));
  EXPECT_THAT(error_of("{" + std::string(70000, ' ') + "}"), HasSubstr("65536"));
}

TEST(Validate, ContradictionsNameBothFields) {
  EXPECT_THAT(error_of(R"({"order": "model"})"), HasSubstr("field model"));
  EXPECT_THAT(error_of(R"({"compensated": true, "accumulate_rounding": "toward_zero"})"),
              HasSubstr("compensated contradicts accumulate_rounding"));
  EXPECT_THAT(error_of(R"({"start": "c", "beta": "epilogue"})"), HasSubstr("start \"c\" contradicts beta"));
  EXPECT_THAT(error_of(R"({"promote": {"every": 0, "format": "F32"}})"), HasSubstr("at least 1"));
  EXPECT_THAT(error_of(R"({"promote": {"every": 4, "format": "F16"}})"), HasSubstr("does not hold every number"));
  EXPECT_THAT(error_of(R"({"accumulate": "F16", "promote": {"every": 4, "format": "BF16"}})"),
              HasSubstr("does not hold every number"));
  EXPECT_THAT(error_of(R"({"accumulate": "I32", "compensated": true})"), HasSubstr("integers are exact"));
  EXPECT_THAT(error_of(R"({"integer_overflow": "saturate"})"), HasSubstr("contradicts accumulate \"F32\""));
  EXPECT_THAT(error_of(R"({"intermediate": ["I32"]})"), HasSubstr("floating-point"));
  EXPECT_THAT(error_of(R"({"scalar_format": "I32"})"), HasSubstr("scalar_format"));
  EXPECT_EQ(error_of(R"({"promote": {"every": 4, "format": "F32"}})"), "");
}

TEST(Validate, AFormulaReadsAllAndStartsWithoutC) {
  EXPECT_EQ(error_of(R"({"scalars": "formula"})"), "");
  EXPECT_EQ(error_of(R"({"scalars": "formula", "reads_c_at_beta_zero": true, "beta": "epilogue"})"), "");
  EXPECT_EQ(error_of(R"({"scalars": "blas", "reads_c_at_beta_zero": false, "start": "c"})"), "");
  EXPECT_THAT(error_of(R"({"reads_c_at_beta_zero": false, "scalars": "formula"})"),
              HasSubstr("scalars \"formula\" contradicts reads_c_at_beta_zero false"));
  EXPECT_THAT(error_of(R"({"scalars": "formula", "reads_a_b_at_alpha_zero": false})"),
              HasSubstr("scalars \"formula\" contradicts reads_a_b_at_alpha_zero false"));
  EXPECT_THAT(error_of(R"({"scalars": "formula", "start": "c"})"),
              HasSubstr("scalars \"formula\" contradicts start \"c\""));
  EXPECT_TRUE(Contract{.scalars = Scalars::Formula}.reads_a_b());
  EXPECT_TRUE(Contract{.scalars = Scalars::Formula}.reads_c());
  EXPECT_FALSE(Contract{}.reads_a_b() || Contract{}.reads_c());
}

TEST(Words, EveryEnumeratorHasOneWordAndReadsBack) {
  const auto check = [](auto sample) {
    for (const auto& [value, text] : words(sample)) EXPECT_EQ(from_word<decltype(sample)>(text), value) << text;
  };
  check(Multiplicand{});
  check(Order{});
  check(Start{});
  check(Subnormals{});
  check(OverflowPolicy{});
  check(number::Rounding{});
  EXPECT_FALSE(from_word<Order>("Any").has_value());
}

template <typename Enum>
Enum any_of_words(Enum) {
  const auto table = words(Enum{});
  return table[*rc::gen::inRange<std::size_t>(0, table.size())].first;
}

RC_GTEST_PROP(Json, EveryValidContractSurvives, ()) {
  const auto any_format = [] { return static_cast<number::FormatId>(*rc::gen::inRange(0, 7)); };
  Contract contract;
  contract.multiplicand = any_of_words(Multiplicand{});
  contract.accumulate = any_format();
  contract.accumulate_rounding = any_of_words(AccumulateRounding{});
  contract.wider = *rc::gen::arbitrary<bool>();
  contract.order = any_of_words(Order{});
  if (*rc::gen::arbitrary<bool>()) contract.model = "hopper.wgmma.f8";
  contract.contraction = any_of_words(Contraction{});
  contract.start = any_of_words(Start{});
  if (*rc::gen::arbitrary<bool>()) contract.promote = Promote{*rc::gen::inRange<std::int64_t>(1, 1000), any_format()};
  contract.alpha = any_of_words(AlphaPlace{});
  contract.beta = any_of_words(BetaPlace{});
  if (*rc::gen::arbitrary<bool>()) contract.scalar_format = any_format();
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    contract.intermediate.push_back({any_format(), any_of_words(number::Rounding{})});
  }
  contract.intermediate_at = any_of_words(IntermediateAt{});
  contract.output_rounding = any_of_words(number::Rounding{});
  contract.subnormal_inputs = any_of_words(Subnormals{});
  contract.subnormal_results = any_of_words(Subnormals{});
  contract.nan = any_of_words(NanPolicy{});
  contract.all_nan = any_of_words(AllNan{});
  contract.zero_sign = any_of_words(ZeroSign{});
  contract.overflow = any_of_words(OverflowPolicy{});
  contract.ties = any_of_words(Ties{});
  if (*rc::gen::arbitrary<bool>()) contract.empty = *rc::gen::arbitrary<std::uint64_t>();
  contract.mean = any_of_words(MeanForm{});
  contract.mean_may_overflow = *rc::gen::arbitrary<bool>();
  contract.scalars = any_of_words(Scalars{});
  contract.reads_a_b_at_alpha_zero = *rc::gen::arbitrary<bool>();
  contract.reads_c_at_beta_zero = *rc::gen::arbitrary<bool>();
  contract.determinism = any_of_words(Determinism{});
  contract.position_invariant = *rc::gen::arbitrary<bool>();
  RC_PRE(validate(contract).ok());
  const auto back = parse(to_json(contract));
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == contract);
  RC_ASSERT(to_json(*back) == to_json(contract));
}

}  // namespace
}  // namespace negzero::contract
