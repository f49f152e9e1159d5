// Looks at the cases of a request, each as its plan says (looks.hpp).

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <negzero/campaign/executors.hpp>
#include <negzero/campaign/wire.hpp>

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
  Setup setup_;
  Executors executors_;
  std::string kernel_;          ///< of the last request
  std::uint64_t together_ = 1;  ///< cases of it that are examined together
};

}  // namespace negzero::campaign
