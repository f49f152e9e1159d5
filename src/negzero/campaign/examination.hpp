// Looks at the cases of a request: the only place that decides what is watched, what runs again, and in which build.
//
//   generated, host   one case in twenty watched alone (Watch::Auto), and the first in a thousand of each shape at
//                     which kernels err, one tile of 128 x 128 x 32 among them; the others plainly, and one in twenty
//                     of those twice; behind the first 8 a launch like it, and one in a hundred among 4 to 50 launches,
//                     to look for state (property/state_looks.hpp); where features of code are asked for, every case of
//                     at most 2^12 products, elements or updates is watched alone, but for those among other launches,
//                     and twice as the others
//   whole, host       plainly, and watched where that passes (Watch::Auto); twice where the request says so
//   cuda              plainly; twice and for state likewise
//
// Where a process ended in a batch and not again with one case alone, all cases of the batch are looked at for the
// cause: watched, and three times in a row, the one at which it ended fifty times.
//
// A run is watched where the kernel has such a build, and the case is small enough or given alone; replies say which
// were too large.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <negzero/campaign/executors.hpp>
#include <negzero/campaign/wire.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/state_looks.hpp>

namespace negzero::campaign {

class Examination {
 public:
  /// `setup` says where kernels run. The kernels are those of the registry.
  Examination(const Setup& setup, bool in_process) : setup_(setup), executors_(setup.gpu, in_process) {}

  /// Examines all cases of a request, in order. `emit` gets every reply, some at a time; once it returns false the rest
  /// is left. After a case that ended or hung its process, cases come one at a time for a while.
  void examine(const Request& request, const std::function<bool(std::vector<Reply>)>& emit);

  /// What the machine has lost for good: nothing can be examined any more.
  [[nodiscard]] std::optional<std::string> lost() const { return executors_.lost(); }

 private:
  [[nodiscard]] std::size_t threads() const { return static_cast<std::size_t>(setup_.threads); }
  /// `cases`: those of the request, for a kernel that is known.
  std::vector<Reply> examine_some(const Request& request, const class RequestedCases* cases, std::uint64_t begin,
                                  std::uint64_t end);
  /// Gives large cases whose watched run met the time limit the verdict of a plain one: it takes ten times as long, and
  /// that is no hang of the kernel's.
  void judge_what_took_too_long(const Request& request, const std::vector<operation::Case>& cases,
                                const std::vector<Reply*>& replies, const kernel::Kernel& plain);
  /// Looks where the reply is a pass, the case is small, and there are launches.
  void look_for_state(const kernel::Kernel& kernel, const std::vector<property::Look>& looks,
                      const std::vector<Reply*>& replies);
  /// Looks for the case of a batch that is to blame where the process ended, and did not again with one alone.
  void look_for_cause(const kernel::Kernel& plain, const kernel::Kernel* watched,
                      const std::vector<operation::Case>& cases, const std::vector<Reply*>& replies);
  /// What a search learns from besides the verdict.
  struct Ran {
    std::vector<tensor::Tensor> outputs{};       ///< none where the run gave none
    std::vector<watch::CoveredBlock> covered{};  ///< by a watched run
    std::uint32_t took_us = 0;
  };
  static std::vector<std::uint32_t> features_of(const operation::Case& value, const verdict::Verdict& verdict,
                                                const kernel::Kernel& kernel, feature::Depth depth, const Ran& ran);
  /// `ran`: where to put what became of the cases; nullptr: nowhere.
  void judge(const Request& request, const std::vector<operation::Case>& cases, std::vector<Reply*> replies,
             const kernel::Kernel& build, property::Repeat repeat, std::vector<Ran>* ran = nullptr);

  Setup setup_;
  Executors executors_;
  std::string kernel_;          ///< of the last request
  std::uint64_t together_ = 1;  ///< cases of it that are examined together
};

}  // namespace negzero::campaign
