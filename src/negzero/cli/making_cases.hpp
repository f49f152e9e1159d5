// What the commands that make cases share: the mix of strategies, the seed, a line of progress.

#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/accepting.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::cli {

/// What --weight STRATEGY=WEIGHT, --extents m=4096,k=64:4096:64 and --finite ask for; --values x=-1e4..1e4 narrows the
/// limits of the kernels in the registry. Usage errors: a text that is none of these, a negative weight, an extent or a
/// tensor twice, and one that the first of the kernels does not have with such values.
[[nodiscard]] base::Result<generate::Mix> mix_of(const Making& making, std::span<const kernel::Kernel* const> kernels);

/// The seed itself; for 0 one that nobody knows yet.
[[nodiscard]] std::uint64_t seed_or_another(std::uint64_t seed);

/// The ledger of --accept, then what declarations of files of CUDA accept; one that accepts nothing where there is
/// neither. Errors name the flag.
[[nodiscard]] base::Result<campaign::LedgerFile> accepted_findings(const std::string& path, const Common& common);
/// A line on standard error for each entry of a ledger that nothing came of. Whether there is one.
bool complain_of_stale(const campaign::LedgerOutcome& ledger);

/// "found  gemm.naive.f32  wrong_value by sum.exact: ...  (FILE)" on standard error.
void tell_failure(const std::string& kernel, const verdict::Failure& failure, const std::string& path);
/// That it is about to be shrunk, and for how long; nothing where it is not.
void tell_shrinking(const std::string& kernel, const verdict::Failure& failure,
                    const campaign::EvaluationOptions& evaluation);

/// "; shrinking gemm.mine.f32, 31 s left", the end of a line of progress; empty where nothing is shrunk.
[[nodiscard]] std::string shrinking_text(const campaign::BeingShrunk& shrinking);

/// Progress on standard error: a line rewritten on a terminal; elsewhere a line after two seconds, then every ten.
class Progress {
 public:
  Progress();
  /// Whether it is time for another line, which show() prints without asking.
  [[nodiscard]] bool is_due();
  void show(const std::string& line) const;
  /// Makes room for other text.
  void clear() const;

 private:
  bool terminal_;
  std::chrono::milliseconds interval_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace negzero::cli
