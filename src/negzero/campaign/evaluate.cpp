// Verdicts of given cases on given kernels.

#include <algorithm>
#include <utility>

#include <negzero/campaign/evaluate.hpp>
#include <negzero/case_file/case_file.hpp>

namespace negzero::campaign {

using verdict::Verdict;

namespace {

constexpr const char* kStopped = "not evaluated: stopped";

}  // namespace

Evaluator::Evaluator(const EvaluationOptions& options, std::string claim)
    : options_(options), claim_(std::move(claim)), crew_(options) {}

base::Result<std::vector<Verdict>> Evaluator::evaluate(std::span<const operation::Case> cases,
                                                       const kernel::Kernel& kernel, const Stop& stop,
                                                       const Asking& how) {
  const auto examiners = static_cast<std::size_t>(crew_.size());
  const std::size_t share = (cases.size() + examiners - 1) / examiners;
  std::size_t next = 0;
  const auto next_task = [&](int) -> std::optional<Task> {
    if (next == cases.size()) return std::nullopt;
    Task task{.request = {.kernel = kernel.name,
                          .claim = claim_,
                          .watch = how.watch,
                          .repeat = how.repeat,
                          .fresh = how.fresh,
                          .timeout_ms = how.timeout_ms > 0 ? how.timeout_ms : options_.timeout_ms,
                          .source = WholeCases{}},
              .tag = next};
    auto& files = std::get<WholeCases>(task.request.source);
    for (; next < cases.size() && files.size() < share; ++next) {
      const std::vector<std::byte> file = case_file::write(cases[next]);
      if (!has_room(files, file.size())) break;
      files.emplace_back(reinterpret_cast<const char*>(file.data()), file.size());
    }
    return task;
  };
  std::vector<Verdict> verdicts(cases.size(), verdict::error_verdict(kStopped));
  const auto on_reply = [&](std::uint64_t tag, const Reply& reply) {
    if (tag + reply.index < verdicts.size()) verdicts[tag + reply.index] = reply.verdict;
    return true;
  };
  const auto never = [] { return false; };
  if (const auto done = crew_.run(next_task, on_reply, stop ? stop : never); !done) return done.error();
  return verdicts;
}

}  // namespace negzero::campaign
