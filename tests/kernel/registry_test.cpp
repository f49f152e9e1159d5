// The registry: what it refuses to hold, exact names, globs and suggestions.

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/kernel/kernel.hpp>

namespace negzero::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Kernel kernel_named(std::string name, Executor executor = Executor::Host) {
  return {.name = std::move(name),
          .operation = "gemm",
          .launch = [](const Args&, Workspace&, engine::Stream&) { return LaunchResult::launched(); },
          .executor = executor};
}

Registry registry_of(const std::vector<std::string>& names) {
  Registry registry;
  for (const std::string& name : names) registry.add(kernel_named(name));
  return registry;
}

std::vector<std::string> matched(const Registry& registry, std::vector<std::string> globs) {
  std::vector<std::string> names;
  for (const Kernel* kernel : registry.match(globs, Executor::Host)) names.push_back(kernel->name);
  return names;
}

TEST(Registry, FindsByExactNameAndExecutor) {
  Registry registry = registry_of({"gemm.naive.f32", "gemm.tiled.f32"});
  ASSERT_NE(registry.find("gemm.naive.f32", Executor::Host), nullptr);
  EXPECT_EQ(registry.find("gemm.naive.f32", Executor::Host)->name, "gemm.naive.f32");
  EXPECT_EQ(registry.find("gemm.naive", Executor::Host), nullptr);
  EXPECT_EQ(registry.find("gemm.naive.f32", Executor::Cuda), nullptr);
  EXPECT_THAT(registry.errors(), IsEmpty());
}

TEST(Registry, HoldsOneKernelForEachExecutor) {
  Registry registry = registry_of({"gemm.naive.f32"});
  EXPECT_TRUE(registry.add(kernel_named("gemm.naive.f32", Executor::Cuda)));
  EXPECT_THAT(registry.errors(), IsEmpty());
  EXPECT_EQ(registry.find("gemm.naive.f32", Executor::Cuda)->executor, Executor::Cuda);
}

TEST(Registry, ReportsASecondKernelOfTheSameNameAndKeepsTheFirst) {
  Registry registry;
  Kernel first = kernel_named("gemm.naive.f32");
  first.about = "the first";
  EXPECT_TRUE(registry.add(first));
  EXPECT_TRUE(registry.add(kernel_named("gemm.naive.f32")));
  EXPECT_THAT(registry.errors(), ElementsAre(HasSubstr("kernel 'gemm.naive.f32': registered twice")));
  EXPECT_EQ(registry.find("gemm.naive.f32", Executor::Host)->about, "the first");
}

TEST(Registry, ReportsWhatCannotBeLaunchedOrCalled) {
  Registry registry;
  Kernel empty = kernel_named("gemm.empty");
  empty.launch = nullptr;
  registry.add(empty);
  Kernel foreign = kernel_named("gemm.foreign");
  foreign.operation = "gem";
  registry.add(foreign);
  EXPECT_THAT(registry.errors(), ElementsAre(HasSubstr("launch is empty"), HasSubstr("no operation is called 'gem'")));
  EXPECT_THAT(matched(registry, {"*"}), IsEmpty());
}

TEST(Registry, LeavesOutAContractThatContradictsItselfAndLimitsThatNoCaseFits) {
  Registry registry;
  Kernel contradicts = kernel_named("gemm.contradicts");
  contradicts.contract.start = contract::Start::C;
  contradicts.contract.beta = contract::BetaPlace::Epilogue;
  registry.add(contradicts);
  Kernel narrow = kernel_named("gemm.narrow");
  narrow.limits.extents["k"] = {.min = 5, .max = 7, .multiple = 4};
  registry.add(narrow);
  EXPECT_THAT(registry.errors(), ElementsAre(HasSubstr("kernel 'gemm.contradicts': contract: start \"c\" contradicts"),
                                             HasSubstr("kernel 'gemm.narrow': limits: no multiple 4 of k lies")));
  EXPECT_THAT(matched(registry, {"*"}), IsEmpty());
}

TEST(Registry, KnowsWhereAKernelIsRegistered) {
  Registry registry;
  registry.add(kernel_named("one", Executor::Host), "../../kernels/gemm/one.cu", 41);
  const Kernel* const one = registry.find("one", Executor::Host);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->file, "kernels/gemm/one.cu") << "builds are started in different folders";
  EXPECT_EQ(one->line, 41);
}

TEST(Registry, NamesTheLineOnceForAllBuildsOfAFile) {
  Registry registry;
  int line = 0;
  for (const Executor executor : {Executor::Host, Executor::Watched, Executor::Cuda}) {
    line = __LINE__ + 1;
    registry.add(kernel_named("no name", executor));
  }
  EXPECT_THAT(registry.errors(), ElementsAre(HasSubstr("registry_test.cpp:" + std::to_string(line) + ": kernel")));
}

TEST(Registry, ReportsInvalidNames) {
  for (const char* name : {"", ".", "a.", ".a", "a..b", "gemm naive", "gemm-naive", "gemm.*", "gemm/naive"}) {
    Registry registry;
    registry.add(kernel_named(name));
    EXPECT_THAT(registry.errors(), ElementsAre(HasSubstr("a name is made of"))) << name;
  }
  EXPECT_THAT(registry_of({"one", "faulty.A1.max_by_value_sign"}).errors(), IsEmpty());
}

TEST(Registry, PointersStayValidWhileKernelsAreAdded) {
  Registry registry = registry_of({"first"});
  const Kernel* const first = registry.find("first", Executor::Host);
  for (int i = 0; i < 100; ++i) registry.add(kernel_named(std::to_string(i)));
  EXPECT_EQ(registry.find("first", Executor::Host), first);
}

TEST(Registry, WithoutGlobsEverythingButFaultyMatchesSorted) {
  const Registry registry = registry_of({"twin.G1.x", "gemm.b", "faulty.G1.x", "gemm.a", "faulty_not"});
  EXPECT_THAT(matched(registry, {}), ElementsAre("faulty_not", "gemm.a", "gemm.b", "twin.G1.x"));
}

TEST(Registry, GlobsMatchAnyOfThemAndEachKernelOnce) {
  const Registry registry = registry_of({"twin.G1.x", "gemm.b", "faulty.G1.x", "gemm.a"});
  EXPECT_THAT(matched(registry, {"gemm.*", "*.a", "faulty.*"}), ElementsAre("faulty.G1.x", "gemm.a", "gemm.b"));
  EXPECT_THAT(matched(registry, {"gemm"}), IsEmpty());
}

TEST(Registry, SuggestsMisspeltNamesAndParts) {
  const Registry registry =
      registry_of({"gemm.naive.f32", "gemm.tiled.f32", "gemm.tiled.f16", "reduce.sum.tree.f32", "faulty.G8.k_tail"});
  EXPECT_THAT(registry.closest("gemm.niave.f32", Executor::Host), ElementsAre("gemm.naive.f32", "gemm.tiled.f32"));
  EXPECT_THAT(registry.closest("g8", Executor::Host), ElementsAre("faulty.G8.k_tail"));
  EXPECT_THAT(registry.closest("tiled", Executor::Host), ElementsAre("gemm.tiled.f16", "gemm.tiled.f32"));
  EXPECT_THAT(registry.closest("softmax.online.f32", Executor::Host), IsEmpty());
  EXPECT_THAT(registry.closest("gemm.naive.f32", Executor::Cuda), IsEmpty());
}

TEST(Registry, SuggestsAtMostThreeNames) {
  const Registry registry = registry_of({"gemm.a", "gemm.b", "gemm.c", "gemm.d", "gemm.e"});
  EXPECT_THAT(registry.closest("gemm", Executor::Host), ElementsAre("gemm.a", "gemm.b", "gemm.c"));
}

TEST(Registry, OneForTheProgram) { EXPECT_EQ(&registry(), &registry()); }

TEST(Executor, HasAName) {
  EXPECT_EQ(name(Executor::Host), "host");
  EXPECT_EQ(name(Executor::Cuda), "cuda");
}

}  // namespace
}  // namespace negzero::kernel
