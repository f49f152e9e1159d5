// Kernels that only a GPU has: what programs say that were built without them, and on a machine without a GPU.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../cli/program.hpp"

namespace negzero::gpu_alone_test {
namespace {

using cli_test::Directory;
using cli_test::How;
using cli_test::Ran;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kAbsent =
    "not in this build: tests/gpu_alone/plain_cuda.cu (for a GPU alone, and this build has no CUDA)";

Ran run(std::vector<std::string> words, const std::string& program) {
  words.insert(words.end(), {"--kernels", program});
  return cli_test::run(words);
}

TEST(GpuAlone, ListNamesTheFilesThatABuildHasNot) {
  const Ran text = run({"list", "kernels"}, NEGZERO_WITHOUT);
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("reduce.argmax.f32"), Not(HasSubstr("plain_cuda"))));
  EXPECT_EQ(text.err, kAbsent + "\n");
  const Ran document = run({"list", "kernels", "--json"}, NEGZERO_WITHOUT);
  EXPECT_EQ(document.json()["absent"], (nlohmann::json{{{"file", "tests/gpu_alone/plain_cuda.cu"},
                                                        {"why", "for a GPU alone, and this build has no CUDA"}}}));
  EXPECT_EQ(document.err, "");
  EXPECT_EQ(run({"list", "kernels", "reduce.*"}, NEGZERO_WITHOUT).err, "") << "those were found";
}

TEST(GpuAlone, ANameThatIsCloseToNoneMayBeOneOfThem) {
  const std::vector<std::vector<std::string>> commands = {{"list", "kernels", "plain.*"},
                                                          {"check", "plain.*", "--executor", "host"}};
  for (const auto& words : commands) {
    const Ran ran = run(words, NEGZERO_WITHOUT);
    EXPECT_EQ(ran.code, 4) << words.front();
    EXPECT_THAT(ran.err, AllOf(HasSubstr("no kernel matches 'plain.*'; "), HasSubstr("; " + kAbsent)));
  }
  const Ran replayed = run({"replay", cli_test::kCase, "--kernel", "plain.largest"}, NEGZERO_WITHOUT);
  EXPECT_THAT(replayed.err + replayed.out, HasSubstr(kAbsent));
  EXPECT_THAT(run({"check", "reduce.argmix.f32", "--executor", "host"}, NEGZERO_WITHOUT).err,
              AllOf(HasSubstr("reduce.argmax.f32"), Not(HasSubstr("plain_cuda"))))
      << "a slip of the pen";
}

TEST(GpuAlone, AProgramOfNothingElseSaysWhy) {
  const Ran ran = run({"check", "--executor", "host"}, NEGZERO_ONLY);
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("this program has no kernels; " + kAbsent));
}

TEST(GpuAlone, KernelsOfABuildWithCudaAreListedAndNeedItsExecutor) {
  const nlohmann::json listed = run({"list", "kernels", "--json"}, NEGZERO_BOTH).json();
  ASSERT_EQ(listed["kernels"].size(), 2u);
  EXPECT_EQ(listed["kernels"][0]["name"], "alone.max");
  EXPECT_EQ(listed["kernels"][0]["executor"], "cuda");
  EXPECT_EQ(listed["kernels"][1]["name"], "both.max");
  EXPECT_FALSE(listed["kernels"][1].contains("executor")) << "both executors have it";
  EXPECT_FALSE(listed.contains("absent"));
  const Ran named = run({"check", "alone.*", "--executor", "host"}, NEGZERO_BOTH);
  EXPECT_EQ(named.code, 4);
  EXPECT_THAT(named.err,
              HasSubstr("no kernel that matches 'alone.*' has a build for the host executor; use --executor cuda"));
  const Ran all = run({"check", "--executor", "host"}, NEGZERO_DECLARED);
  EXPECT_EQ(all.code, 4);
  EXPECT_THAT(all.err, HasSubstr("no kernel here has a build for the host executor; use --executor cuda"));
}

#if defined(NEGZERO_WANTING)
TEST(GpuAlone, AFileWhoseLibraryIsMissingIsLeftOut) {
  const Ran ran = run({"list", "kernels", "plain.*"}, NEGZERO_WANTING);
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("not in this build: tests/gpu_alone/plain_cuda.cu (no::library was not found)"));
}

TEST(GpuAlone, NvccAloneReadsThem) {
  const nlohmann::json listed = run({"list", "kernels", "--json"}, NEGZERO_WITH).json();
  ASSERT_EQ(listed["kernels"].size(), 1u);
  EXPECT_EQ(listed["kernels"][0]["name"], "plain.largest");
  EXPECT_EQ(listed["kernels"][0]["executor"], "cuda");
}
#endif

}  // namespace
}  // namespace negzero::gpu_alone_test
