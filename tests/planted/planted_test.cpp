// `check` finds each planted kernel with its usual options at nine of ten seeds, and nothing in the same source without
// the fault. The environment says how much is tried:
//
//   NEGZERO_PLANTED_SEEDS   seeds of each planted kernel; one of ten may miss it, and one of fewer (3)
//   NEGZERO_PLANTED_CASES   cases of each right one (150)
//
// bench/planted_shapes.py measures all of it, with the numbers of the cases.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <negzero/campaign/check.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::planted_test {
namespace {

using campaign::CheckOptions;
using campaign::CheckReport;
using verdict::FailureClass;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

/// A folder that goes with the run.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "negzero-planted-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Listener final : public campaign::CheckListener {
 public:
  std::vector<FailureClass> classes;
  std::vector<std::string> messages;

  void on_progress(const campaign::CheckPoint&) override {}
  void on_failure(const std::string&, const verdict::Failure& failure, const std::string&) override {
    classes.push_back(failure.kind);
    messages.push_back(failure.message);
  }
  void on_shrinking(const std::string&, const verdict::Failure&) override {}
  void on_finding(const campaign::Finding&) override {}
};

/// What `check` says of the kernel where nothing is said to it but the seed and the number of cases.
CheckReport checked(const std::string& kernel, std::uint64_t seed, std::uint64_t cases, bool first_finding,
                    Listener& listener) {
  const Folder folder;
  CheckOptions options;
  options.cases = cases;
  options.seed = seed;
  options.save_dir = folder.path();
  options.first_finding = first_finding;
  options.evaluation.shrink_time_ms = 0;
  options.evaluation.timeout_ms = 60000;  // The machine may be busy.
  const kernel::Kernel* const checked = kernel::registry().find(kernel, {kernel::Place::Host, false});
  const auto report = campaign::check({checked}, options, listener, [] { return false; });
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report.ok() ? *report : CheckReport{};
}

/// Names of kernels that begin so, without that.
std::vector<std::string> names(const std::string& prefix) {
  std::vector<std::string> result;
  const kernel::Where where{kernel::Place::Host, false};
  for (const kernel::Kernel* kernel : kernel::registry().match(std::vector<std::string>{prefix + "*"}, where)) {
    result.push_back(kernel->name.substr(prefix.size()));
  }
  return result;
}

std::string as_test(const testing::TestParamInfo<std::string>& each) {
  std::string name = each.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

class Planted : public testing::TestWithParam<std::string> {};

TEST_P(Planted, IsFound) {
  const std::uint64_t seeds = from_environment("NEGZERO_PLANTED_SEEDS", 3);
  std::uint64_t found = 0;
  std::string missed;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Listener listener;
    const CheckReport report = checked("planted." + GetParam(), seed, 1000, true, listener);
    ASSERT_EQ(report.kernels.size(), 1u);
    if (report.kernels[0].fail > 0) {
      ++found;
    } else {
      missed += " " + std::to_string(seed);
    }
  }
  EXPECT_GE(found, seeds - std::max<std::uint64_t>(1, seeds / 10)) << "missed at" << missed;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Planted, testing::ValuesIn(names("planted.")), as_test);

class Right : public testing::TestWithParam<std::string> {};

TEST_P(Right, Passes) {
  Listener listener;
  const std::uint64_t cases = from_environment("NEGZERO_PLANTED_CASES", 150);
  const CheckReport report = checked("right." + GetParam(), 1, cases, false, listener);
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].fail, 0u) << testing::PrintToString(listener.messages);
  EXPECT_EQ(report.kernels[0].error, 0u) << report.kernels[0].note;
  EXPECT_EQ(report.kernels[0].refused, 0u);
  EXPECT_EQ(report.kernels[0].cases, cases) << report.kernels[0].note;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Right, testing::ValuesIn(names("right.")), as_test);

TEST(PlantedKernels, EachHasATwinAndIsRegistered) {
  EXPECT_THAT(kernel::registry().errors(), testing::IsEmpty());
  EXPECT_EQ(names("planted."), names("right."));
  EXPECT_GE(names("planted.").size(), 100u);
}

class Races : public testing::TestWithParam<std::string> {};

TEST_P(Races, AreFoundAsRaces) {
  Listener listener;
  checked("planted." + GetParam(), 1, 200, false, listener);
  EXPECT_THAT(listener.classes, testing::Contains(FailureClass::DataRace));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Races, testing::Values("barrier.16", "barrier.32", "barrier.64"), as_test);

}  // namespace
}  // namespace negzero::planted_test
