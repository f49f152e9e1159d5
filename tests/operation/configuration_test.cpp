// A configuration: which options a kernel may have, what a case says of them, what a launch gets, and simpler ones.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/limits_json.hpp>

#include "reasons.hpp"

namespace negzero::operation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Options kTwo{{"algorithm", {0, 1, 2}}, {"workspace", {4194304, 0}}};

std::vector<std::int64_t> numbers(std::int64_t count) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(i);
  return values;
}

Options options(std::size_t count) {
  Options result;
  for (std::size_t i = 0; i < count; ++i) result["option_" + std::to_string(i)] = {0};
  return result;
}

std::string mistake_in(Options options) { return mistake({.configuration = std::move(options)}, "gemm"); }

TEST(Configuration, OptionsThatNoLaunchCanHaveAreAMistake) {
  EXPECT_EQ(mistake_in(kTwo), "none");
  EXPECT_EQ(mistake_in({{"a", {0}}}),
            "limits: configuration: a tensor of gemm is called a; give the option another name");
  EXPECT_EQ(mistake_in({{"k", {0}}}),
            "limits: configuration: an extent of gemm is called k; give the option another name");
  EXPECT_EQ(mistake_in({{"beta", {0}}}),
            "limits: configuration: a scalar of gemm is called beta; give the option another name");
  EXPECT_EQ(mistake_in({{"x", {0}}}), "none") << "a tensor of other operations";
  EXPECT_EQ(mistake_in({{"algorithm", {}}}),
            "limits: configuration: option algorithm has no values; give at least one, the default first");
  EXPECT_EQ(mistake_in({{"algorithm", {3, 1, 3}}}), "limits: configuration: option algorithm has the value 3 twice");
  EXPECT_EQ(mistake_in({{"algorithm", numbers(4096)}}), "none");
  EXPECT_EQ(mistake_in({{"algorithm", numbers(4097)}}),
            "limits: configuration: option algorithm has 4097 values; at most 4096");
  EXPECT_EQ(mistake_in(options(16)), "none");
  EXPECT_EQ(mistake_in(options(17)), "limits: configuration: 17 options; at most 16");
}

TEST(Configuration, NamesAreIdentifiers) {
  const std::string longest(32, 'q');
  for (const std::string& name : {std::string("q"), std::string("split_k2"), longest}) {
    EXPECT_TRUE(is_option_name(name)) << name;
  }
  for (const std::string& name : {std::string(), std::string("Algo"), std::string("2k"), std::string("_k"),
                                  std::string("split-k"), std::string("split k"), std::string("k\n"), longest + "q"}) {
    EXPECT_FALSE(is_option_name(name)) << name;
    EXPECT_THAT(mistake_in({{name, {0}}}), HasSubstr("1 to 32 of a-z, 0-9 and _, and begins with a letter"));
  }
}

TEST(Configuration, AValueThatIsNotInTheListIsOutside) {
  const auto said = [](const Configuration& configuration) {
    return outside({.configuration = kTwo}, Gemm{}, {}, "", configuration).value_or("inside");
  };
  EXPECT_EQ(said({}), "inside");
  EXPECT_EQ(said({{"algorithm", 2}, {"workspace", 0}}), "inside");
  EXPECT_EQ(said({{"algorithm", 0}}), "inside") << "the default, said";
  EXPECT_EQ(said({{"algorithm", 3}}), "option algorithm = 3 is none of 0 to 2");
  EXPECT_EQ(said({{"workspace", -1}}), "option workspace = -1 is none of 4194304 or 0");
  EXPECT_EQ(said({{"tile", 7}}), "inside") << "an option of another kernel";
  Case value;
  value.operation = Gemm{};
  value.configuration = {{"algorithm", 3}};
  EXPECT_EQ(outside({.configuration = kTwo}, value), "option algorithm = 3 is none of 0 to 2");
  EXPECT_EQ(outside({}, value), std::nullopt);
}

TEST(Configuration, ALaunchGetsAllOptionsOfTheKernelAndNoOthers) {
  EXPECT_EQ(whole(kTwo, {}), (Configuration{{"algorithm", 0}, {"workspace", 4194304}}));
  EXPECT_EQ(whole(kTwo, {{"tile", 7}, {"workspace", 0}}), (Configuration{{"algorithm", 0}, {"workspace", 0}}));
  EXPECT_EQ(whole({}, {{"tile", 7}}), Configuration{});
}

TEST(Configuration, TheDefaultIsNotStored) {
  Configuration configuration;
  set_option(configuration, kTwo, "algorithm", 2);
  EXPECT_EQ(configuration, (Configuration{{"algorithm", 2}}));
  set_option(configuration, kTwo, "workspace", 4194304);
  EXPECT_EQ(configuration, (Configuration{{"algorithm", 2}}));
  set_option(configuration, kTwo, "algorithm", 0);
  EXPECT_EQ(configuration, Configuration{});
  EXPECT_EQ(accepted(kTwo, {{"algorithm", 9}, {"tile", 7}, {"workspace", 0}}), (Configuration{{"workspace", 0}}));
  EXPECT_EQ(accepted(kTwo, {{"algorithm", 0}}), Configuration{});
}

std::vector<std::string> simpler(const Options& options, const Configuration& configuration) {
  std::vector<std::string> texts;
  EXPECT_TRUE(each_simpler(options, configuration, [&](const Configuration& simpler) {
    EXPECT_LT(complexity(options, simpler), complexity(options, configuration)) << describe(simpler);
    texts.push_back(describe(simpler));
    return true;
  }));
  return texts;
}

TEST(Configuration, SimplerOnesLeaveAnOptionOutOrHaveAnEarlierValue) {
  EXPECT_THAT(simpler(kTwo, {}), ElementsAre());
  EXPECT_THAT(simpler(kTwo, {{"algorithm", 1}}), ElementsAre(""));
  EXPECT_THAT(simpler(kTwo, {{"algorithm", 2}}), ElementsAre("", "algorithm 1"));
  EXPECT_THAT(simpler(kTwo, {{"algorithm", 2}, {"workspace", 0}}),
              ElementsAre("", "workspace 0", "algorithm 1, workspace 0", "algorithm 2"));
  EXPECT_THAT(simpler(kTwo, {{"tile", 7}}), ElementsAre("")) << "an option that the kernel does not have";
  EXPECT_THAT(simpler(kTwo, {{"algorithm", 0}}), ElementsAre("")) << "the default, said";
  EXPECT_EQ(simpler({{"q", numbers(40)}}, {{"q", 32}}).size(), 32u) << "every earlier value";
  EXPECT_THAT(simpler({{"q", numbers(40)}}, {{"q", 33}}),
              ElementsAre("", "q 1", "q 17", "q 25", "q 29", "q 31", "q 32"))
      << "some of many";
  int given = 0;
  EXPECT_FALSE(each_simpler(kTwo, {{"algorithm", 2}}, [&](const Configuration&) { return ++given < 1; }));
  EXPECT_EQ(given, 1);
}

TEST(Configuration, IsSaidInOneLine) {
  EXPECT_EQ(describe(Configuration{{"workspace", 0}, {"algorithm", 3}}), "algorithm 3, workspace 0");
  EXPECT_EQ(describe({.configuration = kTwo}, "gemm"), "algorithm 0 to 2; workspace 4194304 or 0");
  EXPECT_EQ(values_text({5}), "5");
  EXPECT_EQ(values_text({0, 1}), "0 or 1");
  EXPECT_EQ(values_text({-1, 0, 1}), "-1 to 1");
  EXPECT_EQ(values_text({0, 1, 3}), "0, 1 or 3");
  EXPECT_EQ(values_text({2, 1, 0}), "2, 1 or 0");
  EXPECT_EQ(values_text({9, 7, 5, 3, 1, 0, 2, 4}), "9, 7, 5, 3, 1, 0, 2 or 4");
  EXPECT_EQ(values_text({9, 7, 5, 3, 1, 0, 2, 4, 6}), "9, 7, 5, 3, 1, 0, 2 ... or 6 (9 values)");
}

Limits read(const std::string& json) { return limits_of(nlohmann::json::parse(json)); }

std::string error_in(const std::string& json) {
  try {
    (void)read(json);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(Configuration, GoesThroughJson) {
  const Limits limits{.configuration = kTwo};
  const std::string text = R"({"configuration":{"algorithm":[0,1,2],"workspace":[4194304,0]}})";
  EXPECT_EQ(limits_json(limits).dump(), text);
  EXPECT_EQ(read(text).configuration, kTwo);
  EXPECT_EQ(limits_json({}).dump(), "{}");
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max(), kLeast = std::numeric_limits<std::int64_t>::min();
  const Options ends{{"q", {kMost, kLeast}}};
  EXPECT_EQ(read(limits_json({.configuration = ends}).dump()).configuration, ends);
  EXPECT_THAT(error_in(R"({"configuration":[1]})"), HasSubstr("configuration is [1], and no object of options"));
  EXPECT_THAT(error_in(R"({"configuration":{"q":3}})"), HasSubstr("q is 3, and no list of whole numbers"));
  EXPECT_THAT(error_in(R"({"configuration":{"q":[1.5]}})"), HasSubstr("q is [1.5], and no list of whole numbers"));
  EXPECT_THAT(error_in(R"({"configuration":{"q":[true]}})"), HasSubstr("q is [true], and no list of whole numbers"));
  EXPECT_THAT(error_in(R"({"configuration":{"q":[9223372036854775808]}})"),
              HasSubstr("q is [9223372036854775808], and no list of whole numbers"));
}

TEST(Configuration, ACaseHoldsWhatSomeKernelMayHave) {
  const auto said = [](Configuration configuration) {
    Case value;
    value.operation = Gemm{};
    for (const TensorSpec& spec : input_specs(value.operation)) {
      value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
    }
    pack_missing_layouts(value);
    value.configuration = std::move(configuration);
    const base::Status status = validate(value);
    return status ? "valid" : status.error().message;
  };
  EXPECT_EQ(said({{"algorithm", -3}}), "valid");
  EXPECT_EQ(said({{"Algo", 1}}),
            "metadata configuration: option \"Algo\": a name is 1 to 32 of a-z, 0-9 and _, and begins with a letter");
  Configuration many = whole(options(16), {});
  EXPECT_EQ(said(many), "valid");
  many["one_more"] = 0;
  EXPECT_EQ(said(many), "metadata configuration: 17 options; at most 16");
}

}  // namespace
}  // namespace negzero::operation
