// A grid that CUDA refuses, found by `check`: the failure is one of an extent alone, shrunk soon and into a small file.

#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include <negzero/campaign/check.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMostGridY = 65535;

/// A max with a row a block in gridDim.y.
bool add_rows_in_grid_y(const std::string& name, std::int64_t columns_min) {
  kernel::Kernel kernel = *campaign_test::kernel_named("good.max");
  kernel.name = name;
  kernel.limits.extents["rows"] = {.max = 200000};
  kernel.limits.extents["columns"] = {.min = columns_min, .max = 64};
  kernel.launch = [right = kernel.launch](const kernel::Args& args, kernel::Workspace& workspace,
                                          engine::Stream& stream) {
    const auto rows = reduce_args(args).rows;
    if (rows <= kMostGridY) return right(args, workspace, stream);
    engine::run_grid(stream, {.blocks = {1, static_cast<std::uint32_t>(rows), 1}, .threads = {1, 1, 1}});
    return LaunchResult::launched();
  };
  return kernel::registry().add(std::move(kernel));
}
const bool added[] = {add_rows_in_grid_y("grid.any_columns", 0), add_rows_in_grid_y("grid.some_columns", 1)};

class Timing final : public CheckListener {
 public:
  void on_progress(const CheckPoint&) override {}
  void on_shrinking(const std::string&, const verdict::Failure&) override { started = Clock::now(); }
  void on_finding(const Finding&) override { took = Clock::now() - started; }
  Clock::time_point started;
  Clock::duration took{};
};

TEST(RefusedGrid, IsShrunkSoonIntoASmallFile) {
  for (const std::int64_t columns : {0, 1}) {
    const Directory directory;
    Timing listener;
    CheckOptions options;
    options.cases = 1500;
    options.save_dir = directory / "findings";
    options.evaluation.jobs = 2;
    const kernel::Kernel* const kernel =
        campaign_test::kernel_named(columns == 0 ? "grid.any_columns" : "grid.some_columns");
    const auto report = check({kernel}, options, listener, [] { return false; });
    ASSERT_TRUE(report.ok());
    ASSERT_EQ(report->kernels[0].findings.size(), 1u) << report->kernels[0].cases;
    const Finding& finding = report->kernels[0].findings[0];
    EXPECT_EQ(finding.failure.rule, verdict::Rule("run.launch"));
    EXPECT_EQ(finding.cut, "") << "all of the way";
    EXPECT_EQ(finding.hit_rate, 1);
    const auto& shrunk = operation::view<operation::Reduce>(finding.shrunk.operation);
    EXPECT_EQ(shrunk.rows, kMostGridY + 1);
    EXPECT_EQ(shrunk.columns, columns);
    EXPECT_LE(finding.evaluations, 150);
    EXPECT_LT(std::filesystem::file_size(finding.case_path), 4 * columns * (kMostGridY + 1) + 2048);
    EXPECT_LT(listener.took, std::chrono::seconds(15)) << "on a busy machine";
  }
}

}  // namespace
}  // namespace negzero::campaign
