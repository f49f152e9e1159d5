// A search that learns from the code of a kernel comes to a fault that features of values do not lead to.

#include <array>
#include <filesystem>

#include <gtest/gtest.h>

#include <negzero/campaign/fuzz.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/number/encoding.hpp>

#include "kernels.hpp"

namespace negzero::campaign {
namespace {

using namespace campaign_test;

/// How many of the branches of bad.hidden (hidden_kernels.cu) a row of the case takes.
constexpr int kBranches = 7;
int depth_of(const operation::Case& value) {
  const auto& reduce = operation::view<operation::Reduce>(value.operation);
  const tensor::Tensor& x = value.tensors.at("x");
  if (reduce.columns % 16 != 11) return 0;
  constexpr std::array<std::uint64_t, kBranches - 1> kLow{5, 3, 6, 1, 7, 2};
  int deepest = 1;
  for (std::int64_t row = 0; row < reduce.rows; ++row) {
    int depth = 1;
    for (const std::uint64_t low : kLow) {
      if (x.get(row * reduce.columns + depth - 1) % 8 != low) break;
      ++depth;
    }
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

class Findings final : public FuzzListener {
 public:
  int failures = 0;
  void on_progress(const FuzzPoint&, std::uint64_t, const BeingShrunk&) override {}
  void on_failure(const std::string&, const verdict::Failure&, const std::string&) override { ++failures; }
  void on_shrinking(const std::string&, const verdict::Failure&) override {}
  void on_finding(const Finding&) override {}
};

struct Searched {
  FuzzedKernel kernel;
  int failures = 0;
  std::array<int, kBranches + 1> kept{};  ///< cases of the corpus by the branches that they take
};

/// Searches until the first failure, or so many cases.
Searched search(std::uint64_t cases, Watch watch) {
  const Directory directory;
  FuzzOptions options;
  options.folder = directory.path();
  options.cases = cases;
  options.evaluation.jobs = 2;
  options.evaluation.shrink_time_ms = 0;
  options.evaluation.watch = watch;
  Findings listener;
  const auto report = fuzz({kernel_named("bad.hidden")}, options, listener, [&] { return listener.failures > 0; });
  EXPECT_TRUE(report.ok()) << report.error().message;
  Searched searched{.kernel = report->kernels.front(), .failures = listener.failures};
  for (const auto& entry : std::filesystem::directory_iterator(directory / "corpus/bad.hidden")) {
    if (entry.path().extension() != ".safetensors") continue;
    const auto value = case_file::load(entry.path().string());
    EXPECT_TRUE(value.ok());
    ++searched.kept.at(static_cast<std::size_t>(depth_of(*value)));
  }
  return searched;
}

TEST(Learning, CodeLeadsToAFaultBehindAChainOfBranches) {
  // It takes 15,000 to 150,000 cases.
  const Searched searched = search(2000000, Watch::Auto);
  EXPECT_GT(searched.failures, 0) << "one, or one more that the other thread had under way";
  EXPECT_GT(searched.kernel.code_blocks, 10u);
  int deep = 0;
  for (int depth = 3; depth < kBranches; ++depth) deep += searched.kept[static_cast<std::size_t>(depth)];
  EXPECT_GT(deep, 0) << "what comes near is kept, and changed further";
}

TEST(Learning, ValuesAloneDoNot) {
  const Searched searched = search(10000, Watch::Never);
  EXPECT_EQ(searched.failures, 0);
  EXPECT_EQ(searched.kernel.code_blocks, 0u);
  EXPECT_GT(searched.kernel.features, 100u);
}

}  // namespace
}  // namespace negzero::campaign
