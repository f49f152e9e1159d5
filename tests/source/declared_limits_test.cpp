// What a declaration says of extents, memory and options.

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/source/declaration.hpp>
#include <negzero/source/declaration_words.hpp>
#include <negzero/source/glue.hpp>

namespace negzero::source {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string with(std::string_view lines, std::string_view launch = "f();") {
  return "kernel k\noperation gemm\nlaunch " + std::string(launch) + "\n" + std::string(lines);
}

json limits(std::string_view lines) {
  const auto read = read_declarations(with(lines), "x.nz");
  EXPECT_TRUE(read.ok()) << read.error().message;
  return read ? json::parse(read->kernels.at(0).json)["limits"] : json();
}

std::string mistake(std::string_view lines) {
  const auto read = read_declarations(with(lines), "x.nz");
  return read ? "none" : read.error().message;
}

TEST(DeclaredLimits, OfAnExtentFromBothSides) {
  EXPECT_EQ(limits("limits 1 <= k <= 512, 2<=m\n")["extents"],
            json::parse(R"({"k": {"least": 1, "greatest": 512}, "m": {"least": 2}})"));
  EXPECT_EQ(limits("limits 1 < k < 9, 8 >= m\n")["extents"],
            json::parse(R"({"k": {"least": 2, "greatest": 8}, "m": {"greatest": 8}})"));
  EXPECT_THAT(mistake("limits 1 k\n"), HasSubstr("x.nz:4: limits: '1 k' is not N <= EXTENT <= N"));
  EXPECT_THAT(mistake("limits 1 <= q <= 3\n"),
              HasSubstr("x.nz:4: limits: '1 <= q', column 6: the operation has no extent called 'q'"));
  EXPECT_THAT(mistake("limits m >= 1\nlimits 9 <= k <= 3\n"), HasSubstr("x.nz:5: kernel 'k': limits"));
}

TEST(DeclaredLimits, OfProducts) {
  EXPECT_EQ(limits("limits m * n <= 65536, m*n*k <= 1000000\n")["products"],
            json::parse(R"([{"of": ["m", "n"], "greatest": 65536}, {"of": ["m", "n", "k"], "greatest": 1000000}])"));
  EXPECT_THAT(mistake("limits m * q <= 4\n"),
              HasSubstr("x.nz:4: limits: 'm * q <= 4', column 5: the operation has no extent called 'q'"));
  EXPECT_THAT(mistake("limits m * n % 4\n"), HasSubstr("limits: 'm * n % 4' is none of"));
}

TEST(DeclaredLimits, OfRelations) {
  EXPECT_EQ(limits("limits k <= n, n = m + k - 1, m = k / 8, k % 8, min(m, n) > 2, 2*m<=n\n"),
            json::parse(R"({"extents": {"k": {"multiple": 8}}, "inputs": {"order": "packed", "broadcast": false,
                            "greatest_offset": 0}, "output": {"order": "packed", "broadcast": false,
                            "greatest_offset": 0}, "relations": ["k <= n", "n = m + k - 1", "m = k / 8",
                            "min(m, n) > 2", "2 * m <= n"]})"));
  // A chain is two, the simplest are limits of one extent, and a product keeps its own.
  EXPECT_EQ(limits("limits 1 <= k <= n, m <= n <= 2 * m\n")["relations"],
            json::parse(R"(["k <= n", "m <= n", "n <= 2 * m"])"));
  EXPECT_EQ(limits("limits 1 <= n - k\n")["relations"], json::parse(R"(["1 <= n - k"])"));
  EXPECT_EQ(limits("limits m * n <= k\n")["relations"], json::parse(R"(["m * n <= k"])"));
  EXPECT_EQ(limits("limits m = n\n")["equal"], json::parse(R"([["m", "n"]])"));
  const std::pair<const char*, const char*> mistakes[] = {
      {"k <= ", "limits: 'k <=', column 5: expected "},
      {"k <= n n", "limits: 'k <= n n', column 8: unexpected text at 'n'"},
      {"m = n, k <= q + 1", "limits: 'k <= q + 1', column 6: the operation has no extent called 'q'"},
      {"k <= alpha", "limits: 'k <= alpha', column 6: the operation has no extent called 'alpha'"},
      {"1 = 1", "limits: '1 = 1', column 1: 1 = 1 is no relation of extents"},
      {"n = _a", "limits: 'n = _a', column 5: "},
      {"k >= 9, n <= 8, k <= n", "no extents keep the relations: k = 9, n = 8: the limits want k <= n"},
      {"n >= 4, m <= 2, n = m + 1", "the limits want n = m + 1, and n = 3 is outside"}};
  for (const auto& [said, why] : mistakes) {
    EXPECT_THAT(mistake("limits " + std::string(said) + "\n"), HasSubstr(why)) << said;
  }
  EXPECT_THAT(mistake("limits {\"relations\": [\"k <= q\"]}\n"),
              HasSubstr("limits: relations: 'k <= q', column 6: gemm has no extent q; "));
  EXPECT_THAT(mistake("limits {\"relations\": [\"k <\"]}\n"), HasSubstr("relations: 'k <', column 4: "));
}

TEST(DeclaredLimits, LayoutsOfAllTensorsOrOfOne) {
  const json near = json::parse(R"({"order": "row_major", "greatest_span": 2147483648})");
  const json all = limits("layout row_major near\n");
  EXPECT_EQ(all["inputs"], near);
  EXPECT_EQ(all["output"], near);
  EXPECT_EQ(limits("layout a column_major near\n")["tensors"]["a"],
            json::parse(R"({"order": "column_major", "greatest_span": 2147483648})"));
  EXPECT_EQ(limits("layout b row_or_column_major, stride % 8, stride <= 4096, offset % 4, offset <= 64, span <= 99, "
                   "align 16, broadcast no\n")["tensors"]["b"],
            json::parse(R"({"order": "row_or_column_major", "stride_multiple": 8, "greatest_stride": 4096,
                            "offset_multiple": 4, "greatest_offset": 64, "greatest_span": 99, "alignment": 16,
                            "broadcast": false})"));
  // Packed where no order is named.
  EXPECT_EQ(limits("layout b shared batch\n")["tensors"]["b"],
            json::parse(R"({"order": "packed", "broadcast": false, "greatest_offset": 0, "shared": ["batch"]})"));
  EXPECT_EQ(limits("layout row_major, offset = 0\n")["inputs"],
            json::parse(R"({"order": "row_major", "greatest_offset": 0})"));
  EXPECT_EQ(limits("layout any, broadcast yes\n")["output"], json::parse(R"({"order": "any", "broadcast": true})"));
  EXPECT_THAT(mistake("layout b\n"), HasSubstr("x.nz:4: layout: nothing is said of how b lies"));
  EXPECT_THAT(mistake("layout q row_major\n"), HasSubstr("x.nz:4: layout: the operation has no tensor called 'q'"));
  EXPECT_THAT(mistake("layout far\n"), HasSubstr("x.nz:4: layout: 'far' is none of packed, row_major"));
  EXPECT_THAT(mistake("layout b row_major, stride = 4\n"), HasSubstr("layout: 'stride = 4' is none of"));
  EXPECT_THAT(mistake("layout d shared batch\n"), HasSubstr("each element of an output has memory of its own"));
  EXPECT_THAT(mistake("about a\nlayout b align 3\n"), HasSubstr("x.nz:5: kernel 'k': limits"));
  EXPECT_THAT(mistake("layout row_major column_major\n"),
              HasSubstr("x.nz:4: layout: 'row_major column_major' has two"));
  EXPECT_THAT(mistake("layout b near row_major\n"), HasSubstr("layout: the order comes first: row_major near"));
  EXPECT_THAT(mistake("layout b near\nlayout b row_major\n"), HasSubstr("x.nz:5: layout: b has a layout already"));
  EXPECT_THAT(mistake("layout near\nlayout row_major\n"), HasSubstr("layout: all tensors has a layout already"));
}

TEST(DeclaredLimits, AnInputInPlaceAlwaysOrPerhaps) {
  EXPECT_EQ(limits("in_place c\n")["in_place"], json::parse(R"({"input": "c", "always": true})"));
  EXPECT_EQ(limits("in_place c perhaps\n")["in_place"]["always"], false);
  EXPECT_THAT(mistake("in_place c never\n"), HasSubstr("x.nz:4: in_place: 'c never' is not INPUT"));
}

TEST(DeclaredLimits, OptionsOfALaunch) {
  EXPECT_EQ(limits("options algorithm 2 0 1, slices -1..2 8\n")["configuration"],
            json::parse(R"({"algorithm": [2, 0, 1], "slices": [-1, 0, 1, 2, 8]})"));
  EXPECT_THAT(mistake("options algorithm\n"), HasSubstr("x.nz:4: options: algorithm has no value"));
  EXPECT_THAT(mistake("options a1 0..4096\n"), HasSubstr("x.nz:4: options: 0..4096 of a1 is no range of up to 4096"));
  EXPECT_THAT(mistake("options a1 9223372036854775807..-9223372036854775808\n"), HasSubstr("is no range"));
  EXPECT_EQ(limits("options a1 9223372036854775806..9223372036854775807\n")["configuration"]["a1"].size(), 2u);
  EXPECT_THAT(mistake("options s 1, s 2\n"), HasSubstr("options: s has values already"));
  EXPECT_THAT(mistake("options m 1 2\n"), HasSubstr("x.nz:4: kernel 'k': limits"));
  EXPECT_THAT(mistake("options algo 0,1,2\n"), HasSubstr("x.nz:4: options: a name and its values, with blanks"));
  EXPECT_THAT(mistake("options algo = 0 1\n"), HasSubstr("x.nz:4: options: a name and its values"));
  EXPECT_THAT(mistake("options stream 0 1\n"), HasSubstr("options: stream is the CUDA stream"));
}

TEST(DeclaredLimits, ALaunchHasTheNamesThatItUses) {
  const auto read = read_declarations(with("options algorithm 0 1, unused 1 2\n", "f<a_t>(a, algorithm);"), "x.nz");
  ASSERT_TRUE(read.ok()) << read.error().message;
  for (const bool is_for_gpu : {false, true}) {
    const auto glue = glue_for({}, "x.nz", read->kernels, {}, is_for_gpu);
    ASSERT_TRUE(glue.ok()) << glue.error().message;
    EXPECT_THAT(*glue, HasSubstr("const std::int64_t algorithm = negzero_args.option(\"algorithm\");"));
    EXPECT_THAT(*glue, Not(HasSubstr("unused = ")));
    EXPECT_THAT(*glue, Not(HasSubstr(" a_t ="))) << "it is the author's";
  }
}

TEST(DeclaredLimits, WhatIsSaidOfAReferenceNeedsOne) {
  for (const char* line : {"error y ulps=1", "nan any", "zero_signs true"}) {
    const std::string text = std::string("kernel k\noperation own: y[n] <- x[n]\nlaunch f();\n") + line + "\n";
    EXPECT_THAT(read_declarations(text, "x.nz").error().message, HasSubstr("and no reference: name the kernel"));
  }
  const auto read =
      read_declarations("kernel k\noperation own: y[n] <- x[n]\nreference r\nzero_signs maybe\nlaunch f();\n", "x.nz");
  EXPECT_EQ(read.error().message, "x.nz:4: zero_signs: 'maybe' is not true or false");
}

TEST(DeclaredLimits, EveryWordIsListedWithAnExampleThatIsRead) {
  for (const DeclarationWord& each : declaration_words()) {
    SCOPED_TRACE(each.word);
    EXPECT_FALSE(each.form.empty());
    EXPECT_FALSE(each.says.empty());
    EXPECT_EQ(find_declaration_word(each.word), &each);
    const bool is_own =
        each.word == "kernel" || each.word == "operation" || each.word == "launch" || each.word == "torch";
    const bool is_of_own_operation = each.word == "values" || each.word == "error" || each.word == "reference" ||
                                     each.word == "nan" || each.word == "zero_signs";
    const std::string operation = is_of_own_operation ? "own: y[n] <- x[n], p[n], lse[n], q[n]" : "gemm";
    const bool refers = each.word == "error" || each.word == "nan" || each.word == "zero_signs";
    const std::string text = "kernel k\noperation " + operation + "\n" + std::string(each.word) + " " +
                             std::string(each.form) + (refers ? "\nreference r" : "") + "\nlaunch f();\n";
    const auto read = read_declarations(is_own ? with("") : text, "x.nz");
    EXPECT_TRUE(read.ok()) << read.error().message << "\n" << text;
  }
  EXPECT_EQ(find_declaration_word("limit"), nullptr);
}

}  // namespace
}  // namespace negzero::source
