// The loop behind `compare`: generated cases on two kernels, differences counted, shrunk and saved.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/observation.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

struct CompareOptions {
  std::uint64_t cases = 1000;
  std::uint64_t time_ms = 0;  ///< no case begins later; 0: no limit
  std::uint64_t seed = 1;
  bool bitwise = false;        ///< a difference that both contracts permit is a finding too
  bool first_finding = false;  ///< no case begins behind the first one
  /// `executor` is where workers run: Cuda as soon as one of the two kernels does.
  EvaluationOptions evaluation{};
  std::string save_dir = "findings";
  generate::Mix mix{};
};

/// The smallest case found of one kind of difference.
struct DifferenceFound {
  verdict::Failure failure;  ///< of the shrunk case; its rule says who is wrong
  operation::Case shrunk;
  std::string case_text;     ///< the shrunk case as its kernels see it, over several lines
  std::string case_path;     ///< empty where it could not be saved
  bool interrupted = false;  ///< shrinking was
  std::string cut;  ///< why there may be smaller cases; the file is then *.partial.safetensors. Empty: there are none
  std::uint64_t cases = 0;                  ///< generated cases with a difference of this rule
  std::vector<Observation> observations{};  ///< what each side gave, where EvaluationOptions::observe asks for it

  [[nodiscard]] bool is_permitted() const { return failure.rule == property::kBothPermitted; }
};

struct CompareReport {
  std::string first, second;  ///< "gemm.tiled.f32@host"
  std::uint64_t seed = 0, elapsed_ms = 0;
  std::uint64_t cases = 0;  ///< that were compared or tried
  std::uint64_t identical = 0, refused = 0, error = 0;
  std::uint64_t without_results = 0;  ///< of the identical cases, those whose outputs have no element
  /// One a rule: compare.*.
  std::vector<DifferenceFound> differences;
  std::string refusal;  ///< why the first refused case was
  bool interrupted = false;
  std::vector<base::Error> errors;

  [[nodiscard]] std::uint64_t differing() const {
    std::uint64_t sum = 0;
    for (const DifferenceFound& difference : differences) sum += difference.cases;
    return sum;
  }
  /// Cases that differ in a way that both contracts permit.
  [[nodiscard]] std::uint64_t both_permitted() const {
    std::uint64_t sum = 0;
    for (const DifferenceFound& difference : differences) sum += difference.is_permitted() ? difference.cases : 0;
    return sum;
  }
  /// Whether results of any case were compared, or one side gave none where the other did.
  [[nodiscard]] bool decided() const { return identical - without_results + differing() > 0; }
  /// Whether in some case one of the two is wrong.
  [[nodiscard]] bool wrong() const { return differing() > both_permitted(); }
};

/// Why the two cannot be compared, known before anything runs: they are one kernel, or of two operations, or share no
/// formats, or no case of the first can be made.
[[nodiscard]] base::Status comparable(const kernel::Kernel& first, const kernel::Kernel& second,
                                      const CompareOptions& options);

/// Compares two kernels of one operation and output format, which must be in the registry; they may be one kernel on
/// two executors. Cases are made for the limits and the contract of `first`. Errors: kernels that cannot be compared,
/// weights that make no sense, workers that cannot be started. `on_start` is called once all that was asked for makes
/// sense.
[[nodiscard]] base::Result<CompareReport> compare(const kernel::Kernel& first, const kernel::Kernel& second,
                                                  const CompareOptions& options, const std::function<void()>& on_start,
                                                  const std::function<void(std::uint64_t done)>& on_progress,
                                                  const std::function<bool()>& stop);

}  // namespace negzero::campaign
