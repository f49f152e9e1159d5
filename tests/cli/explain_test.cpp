// `negzero explain`: exit codes, elements by name, and what it reads.

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>

#include "program.hpp"
#include "sums_file.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// y = 1 + 2^-11 in F32, and 1 in F16; in each of two rows.
struct Sum {
  Directory directory{};
  operation::Case value{};

  explicit Sum(const std::string& contract) {
    value.operation = operation::Reduce{.rows = 2, .columns = 2};
    tensor::Tensor x(number::FormatId::F32, {2, 2});
    for (std::int64_t i = 0; i < 4; ++i) x.set(i, number::from_double(x.format(), i % 2 == 0 ? 1 : 0x1p-11));
    value.tensors.emplace("x", std::move(x));
    value.contract = contract;
    operation::pack_missing_layouts(value);
    EXPECT_TRUE(case_file::save(file(), value).ok());
  }
  [[nodiscard]] std::string file() const { return directory / "sum.safetensors"; }
  [[nodiscard]] std::string observed(double first, double second, const std::string& name = "y") const {
    return sums_file(directory, first, second, name);
  }
};

const std::string kF16 = R"({"accumulate":"F16","wider":false})";

TEST(Explain, SaysWhatEachPathPermits) {
  const Sum sum(kF16);
  Ran ran = run({"explain", sum.file()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, StartsWith("y[0] of reduce.sum  rows 2, columns 2  (F32 -> F32)\n  contract   F16 accumulator"));
  EXPECT_THAT(ran.out, HasSubstr("\n  path "));
  EXPECT_THAT(ran.out, Not(HasSubstr("observed")));
  ran = run({"explain", sum.file(), "--element", "y[1]"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("y[1] of reduce.sum"));
}

TEST(Explain, SaysWhatWouldPermitWhatWasObserved) {
  const Sum sum(kF16);
  const std::string out = sum.observed(1, 1 + 0x1p-11);
  Ran ran = run({"explain", sum.file(), "--observed", out});
  EXPECT_EQ(ran.code, 0) << "it explains, and judges nothing: " << ran.err;
  EXPECT_THAT(ran.out, StartsWith("y[1] of reduce.sum"));
  EXPECT_THAT(ran.out, HasSubstr("  observed   1.0004883 (0x3f801000), not permitted\n"));
  EXPECT_THAT(ran.out, HasSubstr("  permitted under accumulate \"F"));
  ran = run({"explain", sum.file(), "--observed", out, "--element", "[0]"});
  EXPECT_THAT(ran.out, HasSubstr("  observed   1 (0x3f800000), permitted\n"));
  EXPECT_THAT(ran.out, HasSubstr(", which holds it\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("permitted under")));
}

TEST(Explain, PrintsADocument) {
  const Sum sum(kF16);
  const Ran ran = run({"explain", sum.file(), "--observed", sum.observed(1, 1 + 0x1p-11), "--json"});
  EXPECT_EQ(ran.code, 0);
  const auto document = ran.json();
  EXPECT_TRUE(document["version"].is_number());
  EXPECT_EQ(document["element"], "y[1]");
  EXPECT_EQ(document["contract"]["accumulate"], "F16");
  EXPECT_EQ(document["observed"][1], "0x3f801000");
  EXPECT_EQ(document["is_permitted"], false);
  EXPECT_GT(document["paths"].size(), 0u);
  EXPECT_GT(document["words"].size(), 0u);
  EXPECT_EQ(document["text"], run({"explain", sum.file(), "--observed", sum.directory / "out.safetensors"}).out);
}

TEST(Explain, NamesWhatIsThere) {
  const Sum sum("f32");
  Ran ran = run({"explain", sum.file(), "--element", "z[0]"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("there is no output z; known: y"));
  for (const char* element : {"y[2]", "y", "y[0,0]", "y[-1]", "0"}) {
    ran = run({"explain", sum.file(), "--element", element});
    EXPECT_EQ(ran.code, 2) << element;
    EXPECT_THAT(ran.err, ::testing::AnyOf(HasSubstr("the extents [2], as in \"y[0]\""), HasSubstr("known: y")));
  }
  ran = run({"explain", sum.file(), "--element", "z[0]", "--json"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.json()["error"]["message"].get<std::string>(), HasSubstr("known: y"));
}

TEST(Explain, NamesWhatDoesNotFit) {
  const Sum sum("f32");
  EXPECT_EQ(run({"explain"}).code, 2) << "without a case";
  Ran ran = run({"explain", sum.directory / "nothing"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr(sum.directory / "nothing"));
  ran = run({"explain", sum.file(), "--observed", sum.directory / "nothing"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr(sum.directory / "nothing"));
  write(sum.directory / "damaged", "no tensors");
  ran = run({"explain", sum.file(), "--observed", sum.directory / "damaged"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("damaged"));
  ran = run({"explain", sum.file(), "--observed", sum.observed(1, 1, "z")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("the output y of reduce.sum is missing"));
}

TEST(Explain, AsksForAContractWhereThereIsNone) {
  const Sum sum("");
  const Ran ran = run({"explain", sum.file()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("names no contract"));
  EXPECT_THAT(ran.err, HasSubstr("--contract"));
  EXPECT_EQ(run({"explain", sum.file(), "--contract", "f32"}).code, 0);
  EXPECT_EQ(run({"explain", sum.file(), "--contract", kF16}).code, 0);
  EXPECT_EQ(run({"explain", sum.file(), "--contract", "default"}).code, 0);
  EXPECT_EQ(run({"explain", sum.file(), "--contract", "no_such"}).code, 2);
  EXPECT_EQ(run({"explain", sum.file(), "--contract", R"({"order":"model","model":"x"})"}).code, 2);
}

TEST(Explain, ACaseWithoutElementsHasNothingToExplain) {
  Sum sum("f32");
  sum.value.operation.extent("rows") = 0;
  sum.value.tensors.at("x") = tensor::Tensor(number::FormatId::F32, {0, 2});
  sum.value.layouts.clear();
  operation::pack_missing_layouts(sum.value);
  ASSERT_TRUE(case_file::save(sum.file(), sum.value).ok());
  Ran ran = run({"explain", sum.file()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("there is nothing to explain"));
  ran = run({"explain", sum.file(), "--element", "y[0]"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("the output y has no elements"));
}

}  // namespace
}  // namespace negzero::cli_test
