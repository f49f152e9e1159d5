// The shared library as another language calls it: the same verdicts as the oracle's, whatever the caller's
// floating-point environment, and one line for whatever is wrong with what it is given.

#include <atomic>
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/base/float_environment.hpp>
#include <negzero/c/negzero.h>
#include <negzero/case_file/case_file.hpp>
#include <negzero/contract/fields.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/judgement/observed.hpp>

#include "../judgement/drawn.hpp"

namespace negzero::judgement {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;

negzero_bytes view(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }
negzero_bytes view(const std::string& text) { return {text.data(), text.size()}; }

struct Answered {
  std::int32_t status = -1;
  std::string bytes{};
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(bytes, nullptr, false); }
};

template <typename Call>
Answered answer_of(const Call& call) {
  negzero_block block{};
  Answered answered;
  answered.status = call(&block);
  if (block.data != nullptr) answered.bytes.assign(static_cast<const char*>(block.data), block.size);
  negzero_free(block);
  return answered;
}
Answered judged(const Bytes& file, const Bytes& observed, const std::string& options) {
  return answer_of([&](negzero_block* out) { return negzero_judge(view(file), view(observed), view(options), out); });
}

Bytes observed_file(const operation::Case& value, const std::vector<tensor::Tensor>& outputs) {
  files::Archive archive;
  const auto specs = operation::output_specs(value.operation);
  for (std::size_t o = 0; o < specs.size(); ++o) archive.tensors.emplace(specs[o].name, outputs[o]);
  return files::write_safetensors(archive);
}

TEST(Library, SaysWhatTheOracleSays) {
  // 7,000 triples of case, contract and output; each verdict of an element is seen by the count of those that fail,
  // as nearly all outputs have a few, and by where the worst ones are.
  constexpr int kOutputs = 4;
  std::int64_t triples = 0, elements = 0, failing = 0, passing = 0;
  for (const std::string_view name : operation::operation_names()) {
    for (std::uint64_t i = 0; i < 110; ++i) {
      operation::Case value = drawn_case(name, 6, i);
      base::Random random(i);
      const auto contract = drawn_contract(value, random);
      if (!contract) continue;
      value.contract = contract::to_json(*contract);
      const Bytes file = case_file::write(value);
      const auto oracle = oracle::Oracle::make(value, *contract);
      const auto sets = sets_of(value, *oracle);
      for (int n = 0; n < kOutputs; ++n) {
        const auto outputs = drawn_outputs(value, sets, n % 4 != 0, random);
        const oracle::Look look = oracle->look(outputs, {.worst = 0});
        const Answered answered =
            judged(file, observed_file(value, outputs), R"({"elements":"all","threads":1,"worst":1000})");
        ASSERT_EQ(answered.status, NEGZERO_DONE) << answered.bytes;
        const auto json = answered.json();
        const char* const verdict = look.judged == 0  ? "undecided"
                                    : look.failed > 0 ? "fail"
                                    : look.decided    ? "pass"
                                                      : "vacuous";
        ASSERT_EQ(json["verdict"], verdict) << name << " " << i << " " << answered.bytes;
        ASSERT_EQ(json["failing"], look.failed);
        std::set<std::pair<std::string, std::int64_t>> here, there;
        for (const auto& each : json["worst"]) here.emplace(each["output"], each["element"]);
        const auto specs = operation::output_specs(value.operation);
        for (const oracle::OutputElement& place : look.failing) there.emplace(specs[place.output].name, place.element);
        ASSERT_EQ(here, there) << name << " " << i;
        ++triples;
        elements += look.judged;
        (look.failed > 0 ? failing : passing) += 1;
      }
    }
  }
  std::printf("%lld triples, %lld elements, %lld failing\n", static_cast<long long>(triples),
              static_cast<long long>(elements), static_cast<long long>(failing));
  EXPECT_GE(triples, 7'000);
  EXPECT_GT(failing, 1'000);
  EXPECT_GT(passing, 2'000);
}

/// A GEMM in F16 whose products are subnormal numbers of F32, as the host gives it in ascending order.
struct Subnormal {
  operation::Case value{};
  std::vector<tensor::Tensor> outputs{};

  Subnormal() {
    value.operation =
        operation::Gemm{.m = 40, .n = 30, .k = 16, .a = number::FormatId::F32, .b = number::FormatId::F32};
    value.contract = "f32";
    base::Random random(5);
    for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
      tensor::Tensor& tensor = value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape)).first->second;
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
        tensor.set(i, number::from_double(tensor.format(), (random.uniform() + 0.5) * 0x1p-66));
      }
    }
    operation::pack_missing_layouts(value);
    tensor::Tensor& d = outputs.emplace_back(number::FormatId::F32, std::vector<std::int64_t>{1, 40, 30});
    const tensor::Tensor &a = value.tensors.at("a"), &b = value.tensors.at("b");
    for (std::int64_t i = 0; i < d.element_count(); ++i) {
      float sum = 0;
      for (std::int64_t k = 0; k < 16; ++k) {
        sum += static_cast<float>(number::to_double(a.format(), a.get(i / 30 * 16 + k)) *
                                  number::to_double(b.format(), b.get(k * 30 + i % 30)));
      }
      d.set(i, number::from_double(d.format(), static_cast<double>(sum)));
    }
  }
};

#if defined(__x86_64__)
TEST(Library, DoesNotCareHowTheCallerRounds) {
  const Subnormal given;
  const Bytes file = case_file::write(given.value), observed = observed_file(given.value, given.outputs);
  const std::string options = R"({"elements":"all","threads":2})";
  const Answered plain = judged(file, observed, options);
  ASSERT_EQ(plain.json()["verdict"], "pass") << plain.bytes;
  ASSERT_LT(plain.json()["open"], 120) << "the screen settles nearly all";
  const base::FloatEnvironment before = base::FloatEnvironment::current();
  // Flush-to-zero, denormals-are-zero, every rounding mode; and flags that were raised.
  for (const std::uint32_t rounding : {0u, 1u, 2u, 3u}) {
    base::FloatEnvironment strange = before;
    strange.control |= 0x8040u | rounding << 13;
    strange.x87 |= rounding << 10;
    strange.set();
    std::feraiseexcept(FE_DIVBYZERO);
    const Answered answered = judged(file, observed, options);
    const base::FloatEnvironment after = base::FloatEnvironment::current();
    const int flags = std::fetestexcept(FE_ALL_EXCEPT);
    before.set();
    EXPECT_EQ(answered.bytes, plain.bytes) << "verdict and what the screen left open";
    EXPECT_EQ(after, strange) << after.changes_since(strange);
    EXPECT_EQ(flags, FE_DIVBYZERO) << "not one flag more or less";
  }
}
#endif

TEST(Library, ManyThreadsJudgeAtOnce) {
  const Subnormal given;
  const Bytes file = case_file::write(given.value), observed = observed_file(given.value, given.outputs);
  const std::string options = R"({"elements":"all","threads":2})";
  const Answered plain = judged(file, observed, options);
  std::atomic<int> same = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { same += judged(file, observed, options).bytes == plain.bytes ? 1 : 0; });
    }
  }
  EXPECT_EQ(same, 8);
}

TEST(Library, SaysWhatThereIs) {
  EXPECT_EQ(negzero_abi(), static_cast<std::uint32_t>(NEGZERO_ABI));
  EXPECT_STREQ(negzero_version(), "0.1.0");
  const Answered listed = answer_of([](negzero_block* out) { return negzero_list(out); });
  ASSERT_EQ(listed.status, NEGZERO_DONE);
  const auto json = listed.json();
  EXPECT_EQ(json["operations"].size(), operation::operation_names().size());
  EXPECT_EQ(json["contracts"].size(), contract::preset_names().size());
  EXPECT_EQ(json["contract_version"], contract::kVersion);
  EXPECT_EQ(json["rules"].size(), verdict::judging_rules().size());
  EXPECT_EQ(json["formats"].size(), 20u) << "TF32 is no dtype";
  EXPECT_EQ(json["operations"][0]["inputs"][0]["name"], "x");
  EXPECT_EQ(json["fields"].size(), contract::fields().size());
  for (const auto& field : json["fields"]) {
    EXPECT_EQ(field.size(), 4u) << field;
    EXPECT_TRUE(field.contains("default") && field["takes"].size() > 0 && field["meaning"].is_string()) << field;
    if (field["name"] == "nan") {
      EXPECT_EQ(field["takes"], (nlohmann::json{"propagate", "ignore"}));
    }
    if (field["name"] == "slice_format") {
      EXPECT_EQ(field["takes"], (nlohmann::json{"F16", "BF16", nullptr}));
    }
    if (field["name"] == "wider") {
      EXPECT_EQ(field["takes"], "truth");
    }
  }
}

/// Sums from the left in F32; `stop`: not at all.
std::int32_t add_from_the_left(void* stop, const negzero_terms* terms, double* sums) {
  if (*static_cast<bool*>(stop)) return NEGZERO_STOP;
  for (std::size_t i = 0; i < terms->count; ++i) {
    const negzero_placement& each = terms->placements[i];
    float sum = 0;
    for (std::int64_t at = 0; at < terms->length; ++at) {
      const bool is_large = at == each.plus || at == each.minus;
      const bool is_one = at >= each.ones_begin && at < each.ones_end;
      const float a = is_large ? std::ldexp(at == each.plus ? 1.0f : -1.0f, terms->large_a)
                      : is_one ? std::ldexp(1.0f, terms->one_a)
                               : 0.0f;
      sum += a * std::ldexp(1.0f, is_large ? terms->large_b : terms->one_b);
    }
    sums[i] = sum;
  }
  return NEGZERO_RAN;
}

TEST(Library, FindsTheOrderOfAFunction) {
  bool stop = false;
  const negzero_sums function{&stop, add_from_the_left};
  const auto ordered = [&](const std::string& options) {
    return answer_of([&](negzero_block* out) { return negzero_order(view(options), function, out); });
  };
  Answered found = ordered(R"({"lengths":[3,40],"length_name":"k","factor":"F32","name":"chain","trees":true})");
  ASSERT_EQ(found.status, NEGZERO_DONE) << found.bytes;
  const auto json = found.json();
  EXPECT_EQ(json["name"], "chain");
  EXPECT_EQ(json["lengths"][1]["depth"], 40);
  EXPECT_EQ(json["lengths"][0]["nodes"].dump(), "[2,1,0,[2,1],[3,0]]") << "x[0] and x[1], and x[2]";
  EXPECT_EQ(json["lengths"][1]["tree"], "chain of 40: x[0..39]\n");
  EXPECT_EQ(json["line"]["depth"], "k");
  for (const auto& [options, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {"{}", "lengths is missing"},
           {R"({"lengths":[40,3]})", "ascending"},
           {R"({"lengths":[1]})", "lengths"},
           {R"({"lengths":[3],"longer":2})", "longer"},
           {R"({"lengths":[3],"format":"F31"})", "the name of a format"},
           {R"({"lengths":[3],"format":"I32","accumulator":"I32"})", "exact in every order"},
           {R"({"lengths":[3],"depth":1})", "depth"}}) {
    const Answered wrong = ordered(options);
    EXPECT_EQ(wrong.status, NEGZERO_USAGE) << options;
    EXPECT_THAT(wrong.bytes, HasSubstr(message));
  }
  stop = true;
  found = ordered(R"({"lengths":[3]})");
  EXPECT_EQ(found.status, NEGZERO_USAGE);
  EXPECT_EQ(negzero_order(view("{}"), {}, nullptr), NEGZERO_USAGE);
}

Answered drawn_by(const std::string& options) {
  return answer_of([&](negzero_block* out) { return negzero_draw(view(options), out); });
}

TEST(Library, DrawsTheCasesOfTheGenerators) {
  generate::Request request{.operation = "gemm"};
  request.limits.distant = false;
  request.limits.formats = {{number::FormatId::F16, number::FormatId::F16, number::FormatId::F32}};
  request.limits.extents["k"] = {.min = 3, .max = 9};
  request.mix.finite = true;
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Answered drawn = drawn_by(
        R"({"operation":"gemm","formats":[["F16","F16","F32"]],"extents":{"k":[3,9]},"finite":true,"seed":5,"index":)" +
        std::to_string(index) + "}");
    ASSERT_EQ(drawn.status, NEGZERO_DONE) << drawn.bytes;
    const Bytes expected = case_file::write(generate::make_case(request, 5, index));
    ASSERT_EQ(drawn.bytes, std::string(reinterpret_cast<const char*>(expected.data()), expected.size())) << index;
  }
}

TEST(Library, DrawsPackedTensorsAndNamesTheContract) {
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Answered drawn = drawn_by(R"({"operation":"gemm","packed":true,"contract":"f16_acc_f16","index":)" +
                                    std::to_string(index) + "}");
    ASSERT_EQ(drawn.status, NEGZERO_DONE) << drawn.bytes;
    const auto value = case_file::parse(std::as_bytes(std::span(drawn.bytes)));
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(contract::parse(value->contract)->accumulate, number::FormatId::F16);
    for (const auto& [name, layout] : value->layouts) EXPECT_EQ(layout, tensor::Layout::packed(layout.shape)) << name;
  }
}

TEST(Library, DrawsInsideLimitsOfTensorsAndOfExtentsTogether) {
  generate::Request request{.operation = "gemm"};
  request.limits.distant = false;
  request.limits.formats = {{number::FormatId::F32, number::FormatId::F32, number::FormatId::F32}};
  request.limits.extents["k"] = {.max = 64, .power_of_two = true};
  request.limits.tensors = {{"a", {.order = operation::LayoutOrder::ColumnMajor, .broadcast = false}},
                            {"b", {.order = operation::LayoutOrder::RowMajor, .alignment = 16, .shared = {"batch"}}}};
  request.limits.products = {{.of = {"m", "n"}, .max = 300}};
  request.limits.equal = {{"n", "k"}};
  request.limits.configuration = {{"algorithm", {0, 1, 2}}};
  for (std::uint64_t index = 0; index < 100; ++index) {
    const Answered drawn = drawn_by(
        R"({"operation":"gemm","formats":[["F32","F32","F32"]],"extents":{"k":{"greatest":64,"power_of_two":true}},)"
        R"("tensors":{"a":"column_major","b":{"order":"row_major","alignment":16,"shared":["batch"]}},)"
        R"("products":[{"of":["m","n"],"greatest":300}],"equal":[["n","k"]],"configuration":{"algorithm":[0,1,2]},"seed":5,"index":)" +
        std::to_string(index) + "}");
    ASSERT_EQ(drawn.status, NEGZERO_DONE) << drawn.bytes;
    const Bytes expected = case_file::write(generate::make_case(request, 5, index));
    ASSERT_EQ(drawn.bytes, std::string(reinterpret_cast<const char*>(expected.data()), expected.size())) << index;
  }
}

TEST(Library, SaysWhatIsWrongWithWhatIsToBeDrawn) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"{}", "operation is missing"},
      {R"({"operation":"gem"})", "gem"},
      {R"({"operation":"gemm","tensors":{"e":"packed"}})", "gemm has no tensor e; it has a, b, c, d"},
      {R"({"operation":"gemm","tensors":{"b":"columns"}})", "column_major"},
      {R"({"operation":"gemm","tensors":["b"]})", "layouts by name"},
      {R"({"operation":"gemm","tensors":{"b":{"ordr":"packed"}}})", "did you mean \"order\""},
      {R"({"operation":"gemm","extents":{"k":{"most":4}}})", "most"},
      {R"({"operation":"gemm","products":3})", "products is no list"},
      {R"({"operation":"gemm","equal":[["m","o"]]})", "gemm has no extent o"},
      {R"({"operation":7})", "operation is"},
      {R"({"operation":"gemm","shape":1})", "shape"},
      {R"({"operation":"gemm","formats":["F16"]})", "lists of formats"},
      {R"({"operation":"gemm","formats":[["F17","F16","F32"]]})", "F17"},
      {R"({"operation":"gemm","formats":[["F16"]]})", "combination of 1 format"},
      {R"({"operation":"gemm","extents":{"q":[1,2]}})", "q"},
      {R"({"operation":"gemm","extents":{"k":[5,2]}})", "from 5"},
      {R"({"operation":"gemm","extents":{"k":[-1,2]}})", "from 0"},
      {R"({"operation":"gemm","extents":{"k":3}})", "least and the greatest"},
      {R"({"operation":"gemm","extents":{"m":[100000,100000],"k":[100000,200000]}})", "tensor a of these extents"},
      {R"({"operation":"gemm","packed":1})", "true or false"},
      {R"({"operation":"gemm","seed":-1})", "2^64 - 1"},
      {R"({"operation":"gemm","contract":"f17"})", "f17"},
      {R"({"operation":"gemm","contract":3})", "contract is"},
      {R"({"operation":"gemm")", "no JSON object"},
  };
  for (const auto& [options, words] : wrong) {
    const Answered drawn = drawn_by(options);
    EXPECT_EQ(drawn.status, NEGZERO_USAGE) << options;
    EXPECT_THAT(drawn.bytes, HasSubstr(words)) << options;
  }
}

constexpr const char* kLedger = R"({"version": 1, "accepted": [
  {"kernel": "test_sum*", "rule": "sum.exact", "reason": "known", "link": "o/r#1"},
  {"kernel": "gemm.*", "class": "data_race", "place": "watched", "reason": "known", "link": "o/r#2"},
  {"kernel": "*", "class": "crash", "place": "cuda", "reason": "known", "link": "o/r#3"}]})";

Answered decided(const std::string& ledger, const std::string& query) {
  return answer_of([&](negzero_block* out) { return negzero_ledger(view(ledger), view(query), out); });
}

TEST(Library, DecidesByALedger) {
  const Answered answered = decided(kLedger, R"({"findings": [
      {"kernel": "test_sum[f16]", "class": "wrong_value", "rule": "sum.exact", "place": "cuda"},
      {"kernel": "test_sum[f16]", "class": "wrong_value", "rule": "sum.hull"},
      {"kernel": "gemm.a", "class": "data_race", "place": "host"},
      {"kernel": "x", "class": "crash", "rule": "run.crash", "place": "cuda"},
      {"kernel": "x", "rule": "run.crash"}],
    "ran": ["test_sum[f16]", {"kernel": "gemm.a", "place": "watched"}, {"kernel": "x", "place": "cuda"}]})");
  ASSERT_EQ(answered.status, NEGZERO_DONE) << answered.bytes;
  EXPECT_EQ(answered.json(),
            nlohmann::json::parse(R"({"version": 1, "accepted": [0, null, null, 2, null], "stale": [1]})"));
  const auto stale = [](const std::string& ran) {
    return decided(kLedger, R"({"findings": [], "ran": [)" + ran + "]}").json()["stale"].dump();
  };
  EXPECT_EQ(stale(R"("test_sum")"), "[0]");
  EXPECT_EQ(stale(R"({"kernel": "test_sum", "whole": false})"), "[]");
  EXPECT_EQ(stale(R"("gemm.a")"), "[]") << "it is not known where it ran";
}

TEST(Library, SaysWhatIsWrongWithALedgerOrAQuery) {
  const std::string nothing = R"({"findings": [], "ran": []})", one = R"({"version": 1, "accepted": []})";
  const struct {
    std::string ledger, query, error;
  } kCases[] = {
      {"", nothing, "ledger: it does not start with { or ["},
      {R"({"version": 1, "accepted": [{"kernel": "x", "rule": "sum.exat", "reason": "r", "link": "o/r#1"}]})", nothing,
       R"(ledger: accepted finding #1: field rule = "sum.exat" is no rule; did you mean "sum.exact"?)"},
      {one, "", "query: it does not start with { or ["},
      {one, R"({"findings": []})", "query: field ran is missing"},
      {one, R"({"findings": {}, "ran": []})", "query: field findings is no list"},
      {one, R"({"findings": [{"kernel": "x"}], "ran": []})", "query: findings[0]: field class is missing"},
      {one, R"({"findings": [{"kernel": "x", "class": "slow"}], "ran": []})", R"(field class = "slow" is none of )"},
      {one, R"({"findings": [], "ran": ["x", 3]})", "query: ran[1] is not an object"},
      {one, R"({"findings": [], "ran": [{"kernel": "x", "place": "gpu"}]})", R"(field place = "gpu" is no place)"},
      {one, R"({"findings": [[[[]]]], "ran": []})", "query: it nests deeper than 3 levels"},
  };
  for (const auto& [ledger, query, error] : kCases) {
    const Answered answered = decided(ledger, query);
    EXPECT_EQ(answered.status, NEGZERO_USAGE);
    EXPECT_THAT(answered.bytes, HasSubstr(error));
  }
}

Answered explained(const Bytes& file, const Bytes& observed, const std::string& options) {
  return answer_of([&](negzero_block* out) { return negzero_explain(view(file), view(observed), view(options), out); });
}

TEST(Library, ExplainsAnElement) {
  Subnormal given;
  const Bytes file = case_file::write(given.value);
  const auto of_first = explained(file, {}, "").json();
  EXPECT_EQ(of_first["version"], 1);
  EXPECT_EQ(of_first["element"], "d[0,0,0]");
  EXPECT_TRUE(of_first["observed"].is_null());
  EXPECT_GT(of_first["paths"].size(), 0u);
  const auto right = explained(file, observed_file(given.value, given.outputs), R"({"element":"d[0,2,17]"})").json();
  EXPECT_EQ(right["element"], "d[0,2,17]");
  EXPECT_EQ(right["is_permitted"], true);
  // Factors that are rounded to F16 would give 0.
  given.outputs[0].set(77, 0);
  const Answered answered =
      explained(file, observed_file(given.value, given.outputs), R"({"contract":{"order":"ascending"}})");
  ASSERT_EQ(answered.status, NEGZERO_DONE) << answered.bytes;
  const auto zero = answered.json();
  EXPECT_EQ(zero["element"], "d[0,2,17]") << "the one that is not permitted";
  EXPECT_EQ(zero["contract"]["order"], "ascending");
  EXPECT_EQ(zero["is_permitted"], false);
  EXPECT_EQ(zero["observed"][1], "0x00000000");
  EXPECT_GT(zero["words"].size(), 0u);
  EXPECT_THAT(zero["text"].get<std::string>(), HasSubstr("permitted under multiplicand \"f16\""));
}

TEST(Library, PermittedAndCaseGiveFiles) {
  const Subnormal given;
  const Bytes file = case_file::write(given.value);
  const Answered sets = answer_of([&](negzero_block* out) {
    return negzero_permitted(view(file), view(std::string(R"({"contract":"default","threads":2})")), out);
  });
  ASSERT_EQ(sets.status, NEGZERO_DONE) << sets.bytes;
  const auto archive = files::parse_safetensors(std::as_bytes(std::span(sets.bytes)));
  ASSERT_TRUE(archive.ok());
  const auto oracle = oracle::Oracle::make(given.value, {});
  const oracle::Permitted permitted = oracle->permitted(77);
  EXPECT_EQ(number::ordinal(number::format(number::FormatId::F32), archive->tensors.at("d.low").get(77)),
            permitted.hull().low);
  EXPECT_EQ(archive->tensors.at("d.flags").get(77), std::uint64_t{kNumbers});
  const Answered again = answer_of([&](negzero_block* out) { return negzero_case(view(file), out); });
  ASSERT_EQ(again.status, NEGZERO_DONE);
  EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(again.bytes)), file)) << "canonical";
}

TEST(Library, AssumesAContractAndSaysSo) {
  Subnormal given;
  given.value.contract.clear();
  const Bytes file = case_file::write(given.value), observed = observed_file(given.value, given.outputs);
  const Answered without = judged(file, observed, "{}");
  EXPECT_EQ(without.status, NEGZERO_USAGE);
  EXPECT_THAT(without.bytes, HasSubstr("names no contract"));
  const auto json = judged(file, observed, R"({"contract":"default"})").json();
  EXPECT_THAT(json["assumed"].get<std::string>(), HasSubstr("no contract was given"));
  EXPECT_EQ(judged(file, observed, R"({"contract":{"preset":"f32","order":"ascending"}})").json()["contract"]["order"],
            "ascending");
}

/// One line of text that says what is wrong.
void expect_refused(const Answered& answered, const std::string& what) {
  EXPECT_EQ(answered.status, NEGZERO_USAGE) << what << ": " << answered.bytes.substr(0, 200);
  EXPECT_FALSE(answered.bytes.empty()) << what;
  EXPECT_EQ(answered.bytes.find('\n'), std::string::npos) << what;
}

TEST(Library, RefusesHostileBytes) {
  const Subnormal given;
  const Bytes file = case_file::write(given.value), observed = observed_file(given.value, given.outputs);
  ::testing::internal::CaptureStderr();
  expect_refused(judged({}, observed, "{}"), "no case");
  expect_refused(judged(file, {}, "{}"), "no outputs");
  base::Random random(11);
  for (std::size_t size = 0; size < file.size(); size += 1 + random.below(file.size() / 150)) {
    expect_refused(judged(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)), observed, "{}"),
                   "a case cut to " + std::to_string(size));
  }
  for (std::size_t size = 0; size < observed.size(); size += 1 + random.below(observed.size() / 150)) {
    expect_refused(judged(file, Bytes(observed.begin(), observed.begin() + static_cast<std::ptrdiff_t>(size)), "{}"),
                   "outputs cut to " + std::to_string(size));
  }
  // Bytes of headers replaced: no crash, and never a status that is not one.
  for (int i = 0; i < 3000; ++i) {
    Bytes damaged = random.one_in(2) ? file : observed;
    const bool is_case = damaged.size() == file.size();
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) damaged[random.below(600)] = std::byte(random.below(256));
    const Answered answered = is_case ? judged(damaged, observed, "{}") : judged(file, damaged, "{}");
    EXPECT_TRUE(answered.status == NEGZERO_DONE || answered.status == NEGZERO_USAGE) << answered.bytes;
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "nothing is printed";
}

TEST(Library, RefusesWhatItCannotExplain) {
  Subnormal given;
  const Bytes file = case_file::write(given.value), observed = observed_file(given.value, given.outputs);
  expect_refused(explained({}, observed, "{}"), "no case");
  expect_refused(explained(file, Bytes(9), "{}"), "no outputs");
  for (const char* options :
       {R"({"element":3})", R"({"element":null})", R"({"element":""})", R"({"element":"d"})",
        R"({"element":"y[0,0,0]"})", R"({"element":"d[1,0,0]"})", R"({"elements":"all"})", R"({"threads":1})",
        R"({"contract":"no_such"})", R"({"contract":{"order":"model","model":"x"}})"}) {
    expect_refused(explained(file, observed, options), options);
  }
  EXPECT_THAT(explained(file, observed, R"({"threads":1})").bytes, HasSubstr("known: element, contract"));
  expect_refused(judged(file, observed, R"({"element":"d[0,0,0]"})"), "a judgement is of all of them");
  given.value.contract.clear();
  const Bytes without = case_file::write(given.value);
  EXPECT_THAT(explained(without, observed, "{}").bytes, HasSubstr("names no contract"));
  EXPECT_EQ(explained(without, observed, R"({"contract":"default"})").status, NEGZERO_DONE);
}

TEST(Library, NamesTheOutputThatDoesNotFit) {
  const Subnormal given;
  const Bytes file = case_file::write(given.value);
  const auto with = [&](const std::string& name, number::FormatId format, std::vector<std::int64_t> shape) {
    files::Archive archive;
    archive.tensors.emplace(name, tensor::Tensor(format, std::move(shape)));
    return judged(file, files::write_safetensors(archive), "{}");
  };
  const Answered missing = with("y", number::FormatId::F32, {1, 40, 30});
  expect_refused(missing, "another name");
  EXPECT_THAT(missing.bytes, HasSubstr("the output d of gemm is missing"));
  const Answered dtype = with("d", number::FormatId::F16, {1, 40, 30});
  expect_refused(dtype, "another dtype");
  EXPECT_THAT(dtype.bytes, HasSubstr("dtype F16, the case's is F32"));
  const Answered shape = with("d", number::FormatId::F32, {40, 30});
  expect_refused(shape, "another shape");
  EXPECT_THAT(shape.bytes, HasSubstr("[40, 30], the case's is [1, 40, 30]"));
}

TEST(Library, RefusesOptionsThatItDoesNotKnow) {
  const Subnormal given;
  const Bytes file = case_file::write(given.value), observed = observed_file(given.value, given.outputs);
  for (const char* options : {"[]",
                              "nonsense",
                              "{",
                              R"({"contact":"f32"})",
                              R"({"elements":"some"})",
                              R"({"elements":1})",
                              R"({"seconds":0})",
                              R"({"seconds":-1})",
                              R"({"seconds":"2"})",
                              R"({"seconds":1e300})",
                              R"({"threads":-1})",
                              R"({"threads":1.5})",
                              R"({"threads":100000})",
                              R"({"threads":18446744073709551615})",
                              R"({"seed":-1})",
                              R"({"seed":"1"})",
                              R"({"worst":-1})",
                              R"({"worst":1e9})",
                              R"({"contract":"no_such"})",
                              R"({"contract":7})",
                              R"({"contract":null})",
                              R"({"contract":{"accumulate":"I32"}})",
                              R"({"contract":{"order":"sideways"}})",
                              R"({"worst":1,"worst":2})",
                              R"({"contract":[[[[[[[[[[[[[[]]]]]]]]]]]]]]})"}) {
    expect_refused(judged(file, observed, options), options);
  }
  EXPECT_EQ(answer_of([&](negzero_block* out) {
              return negzero_permitted(view(file), view(std::string(R"({"elements":"all"})")), out);
            }).status,
            NEGZERO_USAGE)
      << "permitted sets are of all elements";
  EXPECT_EQ(judged(file, observed, "").status, NEGZERO_DONE) << "no options are the usual ones";
  EXPECT_EQ(negzero_list(nullptr), NEGZERO_USAGE);
}

}  // namespace
}  // namespace negzero::judgement
