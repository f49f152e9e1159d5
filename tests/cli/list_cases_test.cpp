// `list cases` draws for the executor that is asked for: its build of the kernel, and the launches that `check` makes
// there.

#include <algorithm>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/campaign/looks.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/list_cases.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/run/watched_size.hpp>

namespace negzero::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// A kernel of both executors whose builds take other extents; with `both` false of the GPU alone.
bool add_kernel(const std::string& name, bool both) {
  using enum number::FormatId;
  kernel::Kernel kernel{.name = name,
                        .operation = "reduce.max",
                        .limits = {.formats = {{F32, F32}}, .extents = {{"rows", {.max = 3}}}},
                        .launch = [](const kernel::Args&, kernel::Workspace&, engine::Stream&) {
                          return kernel::LaunchResult::refuse("never launched here");
                        }};
  if (both) (void)kernel::registry().add(kernel);
  kernel.limits.extents["rows"] = {.min = 400, .max = 500};
  kernel.limits.extents["columns"] = {.min = 20, .max = 40};
  kernel.place = kernel::Place::Device;
  return kernel::registry().add(std::move(kernel));
}
/// A kernel with a watched build, for rows of that length.
bool add_watched(const std::string& name, std::int64_t columns) {
  kernel::Kernel kernel = *kernel::registry().find("listed.both", kernel::Place::Host);
  kernel.name = name;
  kernel.limits.extents = {{"rows", {.min = 1, .max = 1}}, {"columns", {.min = columns, .max = columns}}};
  (void)kernel::registry().add(kernel);
  kernel.build.watched = true;
  return kernel::registry().add(std::move(kernel));
}
const bool added[] = {add_kernel("listed.both", true), add_kernel("listed.gpu", false),
                      add_watched("listed.watched", run::kMostWatched),
                      // Twice its work is more than any case has that is watched on purpose.
                      add_watched("listed.large", (std::int64_t{1} << 23) + 1)};

json listed(const std::string& name, const std::string& executor) {
  ListFlags flags;
  flags.what = "cases";
  flags.globs = {name};
  flags.cases = 300;
  flags.executor = executor;
  Common common;
  common.json = true;
  testing::internal::CaptureStdout();
  const int code = list_cases(flags, common);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(code, kClean) << text;
  return json::parse(text);
}

TEST(ListCases, AreThoseOfTheExecutorThatIsAskedFor) {
  for (const auto& [word, place] : {std::pair{"host", kernel::Place::Host}, std::pair{"cuda", kernel::Place::Device}}) {
    const json document = listed("listed.both", word);
    EXPECT_EQ(document["executor"], word);
    const kernel::Kernel& kernel = *kernel::registry().find("listed.both", place);
    const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
    const campaign::Request checked{.source = campaign::GeneratedRange{1, 0, 300, {}}};
    int looks = 0;
    for (const json& each : document["cases"]) {
      const auto index = each["index"].get<std::uint64_t>();
      const generate::Plan plan = generate::draw(request, 1, index);
      EXPECT_EQ(each["extents"]["rows"], operation::extents_of(plan.operation)[0].value);
      const campaign::Looks planned = campaign::looks_of(checked, {.place = place}, &request, index, plan.operation);
      EXPECT_EQ(each["launches"], operation::launches(planned.launches)) << index;
      EXPECT_TRUE(each["launches"] == 0 || run::is_small_enough_to_watch(plan.operation)) << index;
      EXPECT_EQ(each["watched"], false) << "no build of it is";
      looks += index >= 8 && each["launches"] != 0 ? 1 : 0;
    }
    EXPECT_GT(looks, 0) << "of the many launches, which are fewer for a large case on a GPU";
  }
}

TEST(ListCases, SayWhatIsWatchedAndWhatIsTooLargeForThat) {
  for (const std::string name : {"listed.watched", "listed.large"}) {
    const bool is_large = name == "listed.large";
    const json document = listed(name, "host");
    int chosen = 0;
    for (const json& each : document["cases"]) {
      if (each["watch_reason"] == "risk") continue;
      const bool is_chosen = each["watch_reason"] == "chance";
      EXPECT_EQ(each["watch_reason"], is_chosen ? "chance" : "never");
      EXPECT_EQ(each["watched"], is_chosen && !is_large) << each;
      EXPECT_EQ(each["too_large"], is_chosen && is_large) << each;
      chosen += is_chosen ? 1 : 0;
    }
    EXPECT_GT(chosen, 3);
    ListFlags flags;
    flags.globs = {name};
    flags.executor = "host";
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_EQ(list_cases(flags, {}), kClean);
    (void)testing::internal::GetCapturedStderr();
    EXPECT_THAT(testing::internal::GetCapturedStdout(),
                HasSubstr(is_large ? "  too large to watch\n" : "  watched (chance)\n"));
  }
}

TEST(ListCases, OfShapesAloneAreTheCountsOfAllCases) {
  ListFlags flags;
  flags.globs = {"listed.both"};
  flags.executor = "cuda";
  flags.cases = 300;
  flags.shapes = true;
  Common common;
  common.json = true;
  testing::internal::CaptureStdout();
  EXPECT_EQ(list_cases(flags, common), kClean);
  const json document = json::parse(testing::internal::GetCapturedStdout());
  EXPECT_FALSE(document.contains("cases"));
  EXPECT_EQ(document["shapes"], listed("listed.both", "cuda")["shapes"]);
  EXPECT_EQ(document["shapes"]["cases"], 300);
  EXPECT_EQ(document["shapes"]["collapsed"], false);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(list_cases(flags, {}), kClean);
  (void)testing::internal::GetCapturedStderr();
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("0 watched, 0 too large to watch\n"));
}

TEST(ListCases, AKernelWithNoBuildForTheExecutorIsUndecided) {
  ListFlags flags;
  flags.what = "cases";
  flags.globs = {"listed.gpu"};
  flags.executor = "host";
  testing::internal::CaptureStderr();
  EXPECT_EQ(list_cases(flags, {}), kUndecided);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("listed.gpu"));
  EXPECT_EQ(listed("listed.gpu", "cuda")["cases"].size(), 300u);
}

}  // namespace
}  // namespace negzero::cli
