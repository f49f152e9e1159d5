// `negzero export`: code that needs no negzero, compiled and run.

#include <filesystem>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "on_fake.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRowMax = R"(__global__ void row_max(const float* x, float* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = 0;
  for (int column = 0; column < columns; ++column) best = fmaxf(best, x[row * columns + column]);
  y[row] = best;
}
int main() { return 5; }
)";
constexpr const char* kRowMaxDeclared = R"(kernel    file.row_max
operation reduce.max
contract  nan=ignore all_nan=identity
limits    rows >= 1, columns >= 1
launch    row_max<<<(rows + 63) / 64, 64>>>(x, y, rows, columns);
)";

/// A folder with a CUDA file, what declares it, and a finding of it.
class ExportedFile : public ::testing::Test {
 protected:
  void find(const std::string& file, const std::string& declaration) {
    ::setenv("NEGZERO_CACHE", (folder_ / "cache").c_str(), 1);
    write(path_, file);
    write(folder_ / "row_max.nz", declaration);
    checked_ = run({"check", path_, "--cases", "300", "--save", folder_ / "findings", "--executor", "host", "--json"});
    ASSERT_EQ(checked_.code, 1) << checked_.err;
    const nlohmann::json findings = checked_.json()["kernels"][0]["findings"];
    for (const auto& finding : findings) {
      if (case_.empty()) case_ = finding["case"];
      line_ = finding["as_code"];
    }
  }
  void TearDown() override { ::unsetenv("NEGZERO_CACHE"); }
  [[nodiscard]] Ran exported(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"export", case_, "--kernels", path_, "--executor", "host"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  Directory folder_;
  std::string path_ = folder_ / "row_max.cu", case_, line_;
  Ran checked_;
};

TEST_F(ExportedFile, FailsAsCodeUntilItsKernelIsMended) {
  find(kRowMax, kRowMaxDeclared);
  const Ran code = exported();
  ASSERT_EQ(code.code, 0) << code.err;
  EXPECT_THAT(code.out, AllOf(HasSubstr("#include \"" + path_ + "\""), HasSubstr("row_max<<<(rows + 63) / 64, 64>>>"),
                              HasSubstr("#define main main_of_the_file"), Not(HasSubstr("negzero/"))));
  EXPECT_THAT(line_, AllOf(HasSubstr(" export "), HasSubstr("--kernels " + path_)));
  const Said faulty = run_on_fake(code.out, folder_);
  EXPECT_EQ(faulty.code, 1);
  EXPECT_THAT(faulty.text, HasSubstr("y[0]: permitted "));

  write(path_, replaced(kRowMax, "best = 0", "best = -INFINITY"));
  const Said mended = run_on_fake(code.out, folder_);
  EXPECT_EQ(mended.code, 0) << mended.text;
  // A launch of no thread leaves poison, which the mended kernel is not to blame for, and a program must not pass.
  EXPECT_EQ(run_on_fake(replaced(code.out, "(rows + 63) / 64, 64", "0, 64"), folder_).code, 1);
  static const std::regex kPermitted(R"(!\(h_y\[0\] == 0x\w+\))");
  EXPECT_EQ(run_on_fake(std::regex_replace(code.out, kPermitted, "!(h_y[0] == 0x12345678)"), folder_).code, 1);
}

TEST_F(ExportedFile, ThatWritesBesideItsTensorIsSeenByItsGuards) {
  find(replaced(kRowMax, "y[row] = best;", "y[row] = best; if (row == rows - 1) y[rows] = 1;"), kRowMaxDeclared);
  const Ran code = exported();
  EXPECT_THAT(code.out, AllOf(HasSubstr("out_of_bounds_access"), HasSubstr("GUARD")));
  const Said faulty = run_on_fake(code.out, folder_);
  EXPECT_EQ(faulty.code, 1);
  EXPECT_THAT(faulty.text, HasSubstr("y: a write outside its elements, +"));
  write(path_, replaced(kRowMax, "best = 0", "best = -INFINITY"));
  EXPECT_EQ(run_on_fake(code.out, folder_).code, 0);
}

TEST_F(ExportedFile, HasTheStridesThatItsLaunchNames) {
  const std::string file = replaced(replaced(kRowMax, "columns) {", "columns, int stride) {"), "* columns", "* stride");
  find(file, replaced(replaced(kRowMaxDeclared, "columns);", "columns, x_stride0);"), "launch ",
                      "layout    x row_major near\nlaunch "));
  const Ran code = exported();
  ASSERT_EQ(code.code, 0) << code.err;
  EXPECT_THAT(code.out, AllOf(HasSubstr("  const std::int64_t x_stride0 = "), Not(HasSubstr("x_stride1"))));
  EXPECT_EQ(run_on_fake(code.out, folder_).code, 1);
  write(path_, replaced(file, "best = 0", "best = -INFINITY"));
  const Said mended = run_on_fake(code.out, folder_);
  EXPECT_EQ(mended.code, 0) << mended.text;
}

TEST_F(ExportedFile, HasWhatElseItsLaunchNames) {
  find(
      kRowMax,
      replaced(
          replaced(kRowMaxDeclared, "launch ", "options algorithm 0 3\nlimits columns >= 8\nlaunch "), "row_max<<<",
          "if (algorithm > 3) negzero::refuse(\"none\"); const negzero::element_of<decltype(x)>* all = x; row_max<<<"));
  const Ran code = exported();
  ASSERT_EQ(code.code, 0) << code.err;
  EXPECT_THAT(code.out, AllOf(HasSubstr("  const std::int64_t algorithm = 0;\n"), HasSubstr("using element_of = "),
                              HasSubstr(" void refuse(")));
  EXPECT_TRUE(std::regex_search(code.out, std::regex(R"(h_x\[8\] = \{[^}]+\};  // [-+0-9a-z., ]+\n)"))) << code.out;
  EXPECT_EQ(run_on_fake(code.out, folder_).code, 1);
}

TEST_F(ExportedFile, IsATestAndAScriptToo) {
  find(kRowMax, kRowMaxDeclared);
  EXPECT_THAT(exported({"--format", "gtest"}).out,
              AllOf(HasSubstr("TEST(file_row_max, wrong_"), HasSubstr("EXPECT_EQ("), Not(HasSubstr("int main("))));
  const std::string script = folder_ / "case.py";
  ASSERT_EQ(exported({"--format", "py", "-o", script}).code, 0);
  const char* const named = std::getenv("NEGZERO_PYTHON");
  const std::string python = named == nullptr ? "python3" : named;
  if (shell(python + " -c 'import numpy'", folder_).code != 0) GTEST_SKIP() << python << " has no numpy";
  const Said failed = shell(python + " " + script, folder_);
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.text, HasSubstr("AssertionError: y[0]: permitted "));
  // With what is permitted in the place of what the kernel gave, the assertion holds.
  const std::string text = contents(script);
  std::smatch permitted, gave;
  ASSERT_TRUE(std::regex_search(text, permitted, std::regex(R"(\(\[\((0x\w+), )")));
  ASSERT_TRUE(std::regex_search(text, gave, std::regex(R"(\ny = np\.array\(\[(0x\w+)\])")));
  write(script, replaced(text, gave[0], "\ny = np.array([" + permitted[1].str() + "]"));
  EXPECT_EQ(shell(python + " " + script, folder_).code, 0);
}

TEST_F(ExportedFile, IsShownAsCodeBelowItsFinding) {
  find(kRowMax, kRowMaxDeclared);
  const Ran shown = run({"check", path_, "--cases", "300", "--save", folder_ / "findings", "--executor", "host"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("  as code    "), HasSubstr("\n             int main() {\n")));
}

TEST_F(ExportedFile, ErrorsNameTheThingAndTheCure) {
  find(kRowMax, kRowMaxDeclared);
  const auto error = [&](const std::vector<std::string>& more, int code = 2) {
    const Ran ran = exported(more);
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_EQ(ran.out, "");
    return ran.err;
  };
  EXPECT_THAT(error({"-o", path_}), HasSubstr("that is the file of the kernel; name another one"));
  EXPECT_EQ(contents(path_), kRowMax);
  EXPECT_THAT(error({"--format", "rs"}), HasSubstr("none of the words known here: cu, py, gtest"));
  EXPECT_THAT(error({"--call", "y = x"}), HasSubstr("--format py"));
  EXPECT_THAT(error({"--kernel", "file.other"}), HasSubstr("file.other"));
  EXPECT_THAT(error({"-o", folder_ / "no/such/folder/x.cu"}, 3), HasSubstr("--output"));
  EXPECT_THAT(error({"--format", "py", "--observed", folder_ / "none"}), HasSubstr("--observed"));
}

TEST(Export, WritesEveryKernelOfTheCatalogueWithoutNegzero) {
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(kRegressions)) {
    const std::string name = entry.path().stem().string();
    if (std::islower(static_cast<unsigned char>(name[0])) != 0) continue;  // of systems, which are run on a GPU
    const Ran ran = run({"export", entry.path().string(), "--executor", "host"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("\nint main("), HasSubstr("__global__"), Not(HasSubstr("#include <negzero")),
                               Not(HasSubstr("#include \"")), Not(HasSubstr("registry"))))
        << name;
    ++cases;
  }
  EXPECT_GE(cases, 42);
}

// Kernels that neither wait for other threads nor compute in small formats, so that the fake runs them.
TEST(Export, FailsOnAFaultAndPassesOnItsTwin) {
  const Directory folder;
  const std::pair<const char*, const char*> cases[] = {
      {"A1_max_by_value_sign", "twin.A1.max_by_sign_bit"},
      {"B2_empty_group_unwritten", "twin.B2.empty_group_written"},
      {"G10_unwritten_workspace", "twin.G10.every_slice_written"},
      {"I2_leading_dimension_ignored", "twin.I2.leading_dimension_kept"},
      {"I6_beta_each_slice", "twin.I6.beta_once"},
      {"R24_leading_stride_swapped", "twin.R24.leading_stride_kept"}};
  for (const auto& [name, twin] : cases) {
    const std::string path = kRegressions + "/" + name + ".safetensors";
    const Said faulty = run_on_fake(run({"export", path, "--executor", "host"}).out, folder);
    EXPECT_EQ(faulty.code, 1) << name << ": " << faulty.text;
    const Said right = run_on_fake(run({"export", path, "--kernel", twin, "--executor", "host"}).out, folder);
    EXPECT_EQ(right.code, 0) << twin << ": " << right.text;
  }
}

TEST(Export, OfAShippedKernelCompilesByNvcc) {
  const Directory folder;
  if (shell("command -v nvcc", folder).code != 0) GTEST_SKIP() << "there is no nvcc";
  for (const char* name : {"/A1_max_by_value_sign.safetensors", "/R24_leading_stride_swapped.safetensors"}) {
    const std::string file = folder / "case.cu";
    ASSERT_EQ(run({"export", kRegressions + name, "-o", file, "--executor", "host"}).code, 0);
    const Said compiled = shell("nvcc -std=c++20 -arch=sm_90 -c -o " + file + ".o " + file, folder);
    EXPECT_EQ(compiled.code, 0) << compiled.text;
  }
}

TEST(Export, PrintsAJsonDocument) {
  const Ran ran = run({"export", kCase, "--json", "--executor", "host"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.json()["format"], "cu");
  EXPECT_EQ(ran.json()["kernel"], "faulty.A1.max_by_value_sign");
  EXPECT_THAT(std::string(ran.json()["code"]), HasSubstr("out[0]: permitted -0 (0x80000000)"));
}

TEST(Export, SaysWhatACaseOfAKernelElsewhereNeeds) {
  const std::string path = kRegressions + "/tf32_one_product.safetensors";
  EXPECT_THAT(run({"export", path, "--format", "cu"}).err, HasSubstr("is no kernel in CUDA that a program here has"));
  const Ran ran = run({"export", kRegressions + "/triton_tma_any_n.safetensors"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("--observed FILE"), HasSubstr("--call 'STATEMENTS'")));
  EXPECT_THAT(run({"export", kRegressions + "/triton_tma_any_n.safetensors", "--call", "d = f(a, b)"}).out,
              HasSubstr("\nd = f(a, b)\n"));
}

}  // namespace
}  // namespace negzero::cli_test
