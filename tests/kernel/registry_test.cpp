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

Kernel kernel_named(std::string name, Where where = Place::Host) {
  return {.name = std::move(name),
          .operation = "gemm",
          .launch = [](const Args&, Workspace&, engine::Stream&) { return LaunchResult::launched(); },
          .place = where.place,
          .build = {.watched = where.watched}};
}

Registry registry_of(const std::vector<std::string>& names) {
  Registry registry;
  for (const std::string& name : names) registry.add(kernel_named(name));
  return registry;
}

std::vector<std::string> matched(const Registry& registry, std::vector<std::string> globs) {
  std::vector<std::string> names;
  for (const Kernel* kernel : registry.match(globs, Place::Host)) names.push_back(kernel->name);
  return names;
}

TEST(Registry, FindsByExactNameAndPlace) {
  Registry registry = registry_of({"gemm.naive.f32", "gemm.tiled.f32"});
  ASSERT_NE(registry.find("gemm.naive.f32", Place::Host), nullptr);
  EXPECT_EQ(registry.find("gemm.naive.f32", Place::Host)->name, "gemm.naive.f32");
  EXPECT_EQ(registry.find("gemm.naive", Place::Host), nullptr);
  EXPECT_EQ(registry.find("gemm.naive.f32", Place::Device), nullptr);
  EXPECT_THAT(registry.errors(), IsEmpty());
}

TEST(Registry, HoldsOneKernelForEachPlace) {
  Registry registry = registry_of({"gemm.naive.f32"});
  EXPECT_TRUE(registry.add(kernel_named("gemm.naive.f32", Place::Device)));
  EXPECT_THAT(registry.errors(), IsEmpty());
  EXPECT_EQ(registry.find("gemm.naive.f32", Place::Device)->place, Place::Device);
}

TEST(Registry, ReportsASecondKernelOfTheSameNameAndKeepsTheFirst) {
  Registry registry;
  Kernel first = kernel_named("gemm.naive.f32");
  first.about = "the first";
  EXPECT_TRUE(registry.add(first));
  EXPECT_TRUE(registry.add(kernel_named("gemm.naive.f32")));
  EXPECT_THAT(registry.errors(), ElementsAre(HasSubstr("kernel 'gemm.naive.f32': registered twice")));
  EXPECT_EQ(registry.find("gemm.naive.f32", Place::Host)->about, "the first");
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

TEST(Registry, LeavesOutAnAccumulatorThatCannotAddWhatTheKernelTakes) {
  using enum number::FormatId;
  const auto errors_of = [](std::string operation, std::vector<number::FormatId> formats, number::FormatId accumulate) {
    Registry registry;
    Kernel kernel = kernel_named("own");
    kernel.operation = std::move(operation);
    kernel.contract.accumulate = accumulate;
    if (!formats.empty()) kernel.limits.formats = {formats};
    registry.add(kernel, "own.cu", 7);
    return registry.errors();
  };
  EXPECT_THAT(
      errors_of("scan.inclusive", {I32, I32}, F32),
      ElementsAre("own.cu:7: kernel 'own': contract: accumulate \"F32\" does not fit scan.inclusive of I32 x I32: "
                  "integers and floats do not mix; declare accumulate I32 (in a .nz: contract accumulate=I32)"));
  EXPECT_THAT(errors_of("reduce.sum", {F32, F32}, I32), ElementsAre(HasSubstr("declare a floating-point accumulator")));
  EXPECT_THAT(errors_of("reduce.sum", {I32, I32}, F64), ElementsAre(HasSubstr("does not fit reduce.sum of I32 x I32")));
  EXPECT_THAT(errors_of("scan.inclusive", {I32, I32}, I32), IsEmpty());
  EXPECT_THAT(errors_of("scan.inclusive", {F16, F32}, F32), IsEmpty());
  EXPECT_THAT(errors_of("scan.inclusive", {}, F32), IsEmpty()) << "which formats it takes is not said";
  EXPECT_THAT(errors_of("reduce.max", {I32, I32}, F32), IsEmpty()) << "a maximum has no accumulator";
  EXPECT_THAT(errors_of("convert", {F32, I32}, F32), IsEmpty());
}

TEST(Registry, KnowsWhereAKernelIsRegistered) {
  Registry registry;
  registry.add(kernel_named("one", Place::Host), "../../kernels/gemm/one.cu", 41);
  const Kernel* const one = registry.find("one", Place::Host);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->file, "kernels/gemm/one.cu") << "builds are started in different folders";
  EXPECT_EQ(one->line, 41);
}

TEST(Registry, NamesTheLineOnceForAllBuildsOfAFile) {
  Registry registry;
  int line = 0;
  for (const Where where : kWheres) {
    line = __LINE__ + 1;
    registry.add(kernel_named("no name", where));
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
  const Kernel* const first = registry.find("first", Place::Host);
  for (int i = 0; i < 100; ++i) registry.add(kernel_named(std::to_string(i)));
  EXPECT_EQ(registry.find("first", Place::Host), first);
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
  EXPECT_THAT(registry.closest("gemm.niave.f32", Place::Host), ElementsAre("gemm.naive.f32", "gemm.tiled.f32"));
  EXPECT_THAT(registry.closest("g8", Place::Host), ElementsAre("faulty.G8.k_tail"));
  EXPECT_THAT(registry.closest("tiled", Place::Host), ElementsAre("gemm.tiled.f16", "gemm.tiled.f32"));
  EXPECT_THAT(registry.closest("softmax.online.f32", Place::Host), IsEmpty());
  EXPECT_THAT(registry.closest("gemm.naive.f32", Place::Device), IsEmpty());
}

TEST(Registry, SuggestsAtMostThreeNames) {
  const Registry registry = registry_of({"gemm.a", "gemm.b", "gemm.c", "gemm.d", "gemm.e"});
  EXPECT_THAT(registry.closest("gemm", Place::Host), ElementsAre("gemm.a", "gemm.b", "gemm.c"));
}

TEST(Registry, OneForTheProgram) { EXPECT_EQ(&registry(), &registry()); }

TEST(Registry, FindsAnywhereTheFirstBuildThereIs) {
  Registry registry = registry_of({"both"});
  registry.add(kernel_named("both", Place::Device));
  registry.add(kernel_named("device", Place::Device));
  EXPECT_EQ(registry.find_anywhere("both")->place, Place::Host);
  EXPECT_EQ(registry.find_anywhere("device")->place, Place::Device);
  EXPECT_EQ(registry.find_anywhere("none"), nullptr);
}

TEST(Where, HasANameThatNamesIt) {
  EXPECT_EQ(name(Place::Host), "host");
  EXPECT_EQ(name(Place::Device), "cuda");
  EXPECT_EQ(name({Place::Host, true}), "watched");
  for (const Where where : kWheres) EXPECT_EQ(where_named(name(where)), where);
  EXPECT_EQ(where_named("moon"), std::nullopt);
}

TEST(Registry, KeepsAFileThatIsAbsentOnce) {
  Registry registry;
  EXPECT_TRUE(registry.note_absent({"a.cu", "for a GPU alone"}));
  EXPECT_TRUE(registry.note_absent({"b.cu", "for a GPU alone"}));
  EXPECT_TRUE(registry.note_absent({"a.cu", "for a GPU alone"}));
  EXPECT_THAT(registry.absent(),
              ElementsAre(AbsentFile{"a.cu", "for a GPU alone"}, AbsentFile{"b.cu", "for a GPU alone"}));
}

}  // namespace
}  // namespace negzero::kernel
