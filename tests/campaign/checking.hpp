// What tests of check share: a listener that remembers, and a check of kernels by their names.

#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/campaign/check.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/case.hpp>

#include "kernels.hpp"

namespace negzero::campaign_test {

/// Keeps what it was told, and runs a function at every case.
class Listener final : public campaign::CheckListener {
 public:
  std::function<void(std::uint64_t done)> at_case;
  std::uint64_t done = 0, total = 0, failing = 0;
  std::vector<std::string> told, shrinking, found;
  std::set<std::string> told_paths;
  bool started = false;
  std::function<void()> at_start;

  void on_start() override {
    started = true;
    shrinking.clear();
    if (at_start) at_start();
  }
  void on_progress(const campaign::CheckPoint& now) override {
    const bool is_case = now.done != done;
    done = now.done;
    total = now.total;
    failing = now.failing;
    if (is_case && at_case) at_case(done);
  }
  void on_failure(const std::string& kernel, const verdict::Failure& failure, const std::string& path) override {
    EXPECT_EQ(std::ranges::count(shrinking, kernel), 0) << "failures of a kernel are told before its first is shrunk";
    EXPECT_TRUE(path.empty() || case_file::load(path).ok()) << path;
    told.push_back(kernel + " " + std::string(verdict::name(failure.kind)));
    told_paths.insert(path);
  }
  void on_shrinking(const std::string& kernel, const verdict::Failure&) override { shrinking.push_back(kernel); }
  void on_finding(const campaign::Finding& finding) override {
    EXPECT_GT(std::ranges::count(shrinking, finding.kernel), 0);
    found.push_back(finding.kernel);
  }
};

inline std::vector<const kernel::Kernel*> kernels(const std::vector<std::string>& names) {
  std::vector<const kernel::Kernel*> result;
  for (const std::string& name : names) result.push_back(kernel_named(name));
  return result;
}

inline campaign::CheckReport run_check(
    const std::vector<std::string>& names, const campaign::CheckOptions& options, Listener& listener,
    const std::function<bool()>& stop = [] { return false; }) {
  const auto report = campaign::check(kernels(names), options, listener, stop);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return *report;
}

inline campaign::CheckOptions options_in(const Directory& directory, std::uint64_t cases, int jobs = 2) {
  campaign::CheckOptions options;
  options.cases = cases;
  options.save_dir = directory / "findings";
  options.evaluation.jobs = jobs;
  return options;
}

inline std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> names;
  if (!std::filesystem::exists(directory)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().string());
  return names;
}

/// Everything in a report but times and paths.
inline std::vector<std::string> summary(const campaign::CheckReport& report) {
  std::vector<std::string> lines;
  for (const campaign::KernelReport& kernel : report.kernels) {
    std::string line = kernel.name + ": ";
    for (const std::uint64_t count :
         {kernel.cases, kernel.pass, kernel.vacuous, kernel.fail, kernel.refused, kernel.error}) {
      line += std::to_string(count) + " ";
    }
    line += std::to_string(kernel.worst_margin) + " " + kernel.note;
    for (const auto& [name, count] : kernel.strategies) line += " " + name + "=" + std::to_string(count);
    lines.push_back(line);
    for (const campaign::Finding& finding : kernel.findings) {
      lines.push_back(std::string(verdict::name(finding.failure.kind)) + " " + finding.failure.message + " " +
                      std::filesystem::path(finding.case_path).filename().string() + " " +
                      std::filesystem::path(finding.original_path).filename().string() + " " +
                      std::to_string(finding.failing_cases));
    }
  }
  return lines;
}

}  // namespace negzero::campaign_test
