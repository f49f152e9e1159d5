// What a .nz file may say, and what is wrong with one.

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/source/declaration.hpp>

namespace negzero::source {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Declaration only(std::string_view text) {
  auto read = read_declarations(text, "x.nz");
  EXPECT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->kernels.size(), 1u);
  return read->kernels.at(0);
}

std::string mistake(std::string_view text) {
  const auto read = read_declarations(text, "x.nz");
  return read ? "none" : read.error().message;
}

TEST(Declaration, FourLinesAreEnoughForAGemm) {
  const Declaration declared = only(
      "kernel sgemm\noperation gemm\nlimits batch = 1, m % 64\nlaunch k<<<dim3(n / 64, m / 64), 64>>>(m, n, k, a, b, "
      "d);\n");
  EXPECT_EQ(declared.kernel, "sgemm");
  EXPECT_EQ(declared.line, 1u);
  EXPECT_EQ(declared.launch.line, 4u);
  const json said = json::parse(declared.json);
  EXPECT_EQ(said["formats"], json::parse(R"([{"a": "F32", "b": "F32", "d": "F32"}])"));
  EXPECT_EQ(said["limits"]["extents"], json::parse(R"({"batch": {"least": 1, "greatest": 1}, "m": {"multiple": 64}})"));
  EXPECT_EQ(said["limits"]["inputs"]["order"], "packed");
  EXPECT_EQ(said["contract"]["scalar_format"], "F32");
}

TEST(Declaration, EveryLimit) {
  const json said = json::parse(only("kernel k\noperation gemm\nlaunch f();\n"
                                     "limits m >= 2, m <= 9, n power_of_two, k tiles 32 64, m = n, beta = 0\n"
                                     "limits alpha = zero_or_one\nlayout a row_major\nin_place c\n")
                                    .json)["limits"];
  EXPECT_EQ(said["extents"], json::parse(R"({"m": {"least": 2, "greatest": 9}, "n": {"power_of_two": true},
                                             "k": {"tiles": [32, 64]}})"));
  EXPECT_EQ(said["equal"], json::parse(R"([["m", "n"]])"));
  EXPECT_EQ(said["beta"], "zero");
  EXPECT_EQ(said["alpha"], "zero_or_one");
  EXPECT_EQ(said["tensors"]["a"]["order"], "row_major");
  EXPECT_EQ(said["in_place"], json::parse(R"({"input": "c", "always": true})"));
}

TEST(Declaration, AcceptsFindingsAsALedgerDoes) {
  const Declaration declared = only(
      "kernel k\noperation gemm\nlaunch f();\n"
      "accept class=data_race place=watched reason=\"stores of equal values\" link=owner/repo#12\n"
      "accept {\"rule\": \"run.unwritten\", \"reason\": \"of a tail\", \"link\": \"https://example.org\"}\n");
  ASSERT_EQ(declared.accepted.size(), 2u);
  EXPECT_EQ(declared.accepted[0], (verdict::LedgerEntry{.kernel = "k",
                                                        .kind = verdict::FailureClass::DataRace,
                                                        .place = verdict::RunsAt::Watched,
                                                        .reason = "stores of equal values",
                                                        .link = "owner/repo#12"}));
  EXPECT_EQ(declared.accepted[1].rule, verdict::Rule("run.unwritten"));
  for (const auto& [line, what] : {std::pair("class=race", "is no class of failures"),
                                   {"class=data_race", "reason"},
                                   {"class=data_race reason=\"a", "never closed"},
                                   {"data_race", "FIELD=VALUE"},
                                   {"class=data_race reason=x link=12", "link"}}) {
    EXPECT_THAT(mistake(std::string("kernel k\noperation gemm\nlaunch f();\naccept ") + line),
                ::testing::AllOf(::testing::StartsWith("x.nz:4: "), HasSubstr(what)));
  }
}

TEST(Declaration, OfAFunctionOfTensors) {
  const Declaration declared = only("kernel k\noperation gemm\ntorch d =\n  f(a);\n");
  EXPECT_TRUE(declared.is_of_tensors);
  EXPECT_EQ(declared.launch.text, "d =\nf(a);");
  EXPECT_THAT(mistake("kernel k\noperation gemm\ntorch d = f(a);\nlayout a row_major\n"), HasSubstr("x.nz:4: tensors"));
}

TEST(Declaration, OfAnOperationOfItsOwn) {
  const Declaration declared = only(
      "kernel soft\noperation soft: y[n, c] <- x[n, c], t each n\nlimits t >= 1, t <= 2\n"
      "reference soft.f64\nerror y ulps=4 relative=1e-6\nnan any\nlaunch f(y,\n       x);\n");
  const json said = json::parse(declared.json);
  EXPECT_EQ(said["reference"], json::parse(R"({"kernel": "soft.f64", "errors": {"y": {"ulps": 4, "relative": 1e-6}},
                                               "nan": "any"})"));
  EXPECT_EQ(said["limits"]["scalars"], json::parse(R"({"t": {"least": 1, "greatest": 2}})"));
  EXPECT_EQ(declared.launch.text, "f(y,\nx);");
}

TEST(Declaration, FlagsAndCommentsAndSeveralKernels) {
  const auto read = read_declarations(
      "# of a file\nflags -I.. -DN=4\n\nkernel a\noperation reduce.sum\nlaunch f();\nkernel b\noperation "
      "reduce.sum\nlaunch g();\n",
      "x.nz");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->flags, (std::vector<std::string>{"-I..", "-DN=4"}));
  ASSERT_EQ(read->kernels.size(), 2u);
  EXPECT_EQ(read->kernels[1].line, 7u);
}

TEST(Declaration, MistakesNameTheLineAndTheCure) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"operation gemm\n", "x.nz:1: a declaration begins with: kernel NAME"},
      {"kernel k\nlimit m % 4\n", "x.nz:2: no line of a declaration begins with 'limit'; did you mean \"limits\""},
      {"kernel k\nlaunch f();\n", "x.nz:1: kernel 'k' has no operation"},
      {"kernel k\noperation gemm\n", "x.nz:1: kernel 'k' has no launch"},
      {"kernel k\noperation gemmm\nlaunch f();\n", "x.nz:2: no operation is called 'gemmm'"},
      {"kernel k\noperation gemm\nlaunch f<<<??\?>>>();\n", "x.nz:3: a ??\? is still to be filled in"},
      {"kernel k\noperation gemm\nlaunch f();\nlimits q % 4\n",
       "x.nz:4: limits: the operation has no extent and no scalar called 'q'"},
      {"kernel k\noperation gemm\nlaunch f();\nlimits m ~ 4\n", "x.nz:4: limits: 'm ~ 4' is none of EXTENT % N"},
      {"kernel k\noperation gemm\nlaunch f();\nlimits m % x\n", "x.nz:4: 'x' is no whole number"},
      {"kernel k\noperation gemm\nlaunch f();\noperation gemm\n",
       "x.nz:4: kernel 'k' has a line of operation already, line 2"},
      {"kernel k\noperation gemm\nlaunch f();\ntorch d = f(a);\n",
       "x.nz:4: kernel 'k' has a line of launch already, line 3"},
      {"kernel k\noperation gemm\nlaunch f();\ncontract order\n",
       "x.nz:4: contract \"order\": no such preset; known: f32"},
      {"kernel k\noperation gemm\nlaunch f();\ncontract f32\ncontract order=any\n",
       "x.nz:5: contract: a preset takes no fields; write all fields, or it alone"},
      {"kernel k\noperation gemm\nlaunch f();\ncontract scalar_format=3\n", "x.nz:4: contract field \"scalar_format\""},
      {"kernel k\noperation gemm\nlaunch f();\nlimits {\"extents\": 3}\n", "x.nz:4: the limit of "},
      {"kernel k\noperation gemm\nlaunch f();\nlimits {\"extents\": {\"m\": {\"least\": \"a\"}}}\n",
       "x.nz:4: the limit of m: least"},
      {"kernel k\noperation gemm\nlaunch f();\nabout \xff\n", "x.nz:4: this line is no UTF-8; save the file as UTF-8"},
      {"kernel k\noperation gemm\nlaunch f();\nabout a\n \xff\n", "x.nz:5: this line is no UTF-8"},
      {"kernel k\noperation gemm\nlaunch f();\ncontract order= =\n", "x.nz:4: '=' is not of the form FIELD=VALUE"},
      {"kernel k\noperation gemm\nlaunch f();\nlayout z packed\n",
       "x.nz:4: layout: the operation has no tensor called 'z'"},
      {"kernel k\noperation f: y[n] <- int[n]\nlaunch f();\n",
       "x.nz:2: operation f: a tensor is called int, a word of C++; give it another name"},
      {"kernel k\noperation f: y[n] <- stream[n]\nlaunch f();\n",
       "x.nz:2: operation f: a tensor is called stream, which is the CUDA stream"},
      {"kernel k\noperation f: y[n] <- n[n]\nlaunch f();\n",
       "x.nz:2: operation f: a tensor and an extent are both called n"},
      {"kernel k\noperation f: y[n] <- x[n + 1], x_0 bool\nlaunch f();\n", "column 22: x_0 is a scalar, and relations"},
      {" launch f();\n", "x.nz:1: this line goes on with the one before, and there is none"},
      {"kernel\n", "x.nz:1: kernel says nothing"},
  };
  for (const auto& [text, what] : mistakes) EXPECT_THAT(mistake(text), HasSubstr(what)) << text;
}

TEST(Declaration, ATensorMayBeCalledAsAnOrderIs) {
  EXPECT_EQ(only("kernel k\noperation q: y[n] <- packed[n]\nlaunch f();\n").kernel, "k");
  const Declaration declared =
      only("kernel k\noperation q: y[n, m] <- packed[n, m]\nlayout packed column_major\nlaunch f();\n");
  EXPECT_THAT(declared.json, HasSubstr(R"("tensors":{"packed")"));
}

TEST(Declaration, CodeAndCommentsMayHaveAnyBytes) {
  const Declaration declared = only("# \xe9\nkernel k\noperation gemm\nlaunch f();  // \xe9\n  // \xe9\n");
  EXPECT_EQ(declared.launch.text, "f();  // \xe9\n// \xe9");
}

TEST(Declaration, JsonOfManyLevelsIsAMistake) {
  const std::string levels(100000, '[');
  EXPECT_THAT(mistake("kernel k\noperation gemm\nlaunch f();\nlimits {\"a\": " + levels), HasSubstr("x.nz:4: "));
}

TEST(Declaration, LinesOfACudaFileKeepTheirNumbers) {
  EXPECT_EQ(declaration_lines("int x;\n// negzero: kernel k\n  //negzero:   goes on\n// other\n"),
            "\nkernel k\n  goes on\n\n");
}

}  // namespace
}  // namespace negzero::source
