// Chains of launches that follow one another in one process, in the same memory: what state is looked for with.

#include <algorithm>
#include <new>
#include <utility>

#include <negzero/run/executor.hpp>

namespace negzero::run {

namespace {

/// Launches of one request, at most so many.
constexpr std::size_t kMostTogether = 1024;

struct Requests {
  std::vector<std::span<const Turn>> turns{};
  std::size_t bytes = 0;  ///< of the largest image
};

/// Turns that share a request: as many as an image holds beside the room in which they are launched.
Requests requests_of(std::span<const Turn> turns, std::size_t room_bytes) {
  Requests requests;
  for (std::size_t begin = 0; begin < turns.size();) {
    std::size_t end = begin, bytes = parts_at(turns, room_bytes);
    while (end < turns.size() && end - begin < kMostTogether) {
      const std::size_t more = bytes + image_bytes(turns[end].job);
      if (end > begin && more > kCudaImageBytes) break;
      bytes = more;
      ++end;
    }
    requests.turns.push_back(turns.subspan(begin, end - begin));
    requests.bytes = std::max(requests.bytes, bytes);
    begin = end;
  }
  return requests;
}

}  // namespace

std::vector<Outcome> Executor::run_in_turn(std::span<const Turn> turns, const kernel::Kernel& kernel,
                                           std::size_t threads) {
  std::vector<Outcome> outcomes;
  for (int kills = 0; kills < kMostKills; ++kills) {
    if (auto together = run_together(turns, kernel, threads)) return *std::move(together);
    outcomes.clear();
    if (run_one_by_one(turns, kernel, outcomes)) break;
  }
  return outcomes;
}

std::optional<std::vector<Outcome>> Executor::run_together(std::span<const Turn> turns, const kernel::Kernel& kernel,
                                                           std::size_t threads) {
  const bool is_tried =
      place() == kernel::Place::Device && replaces_processes() && policy_.may_share_a_request(kernel.name);
  const bool is_any_distant = std::ranges::any_of(turns, [](const Turn& turn) { return is_distant(turn.job); });
  if (!is_tried || is_any_distant) return std::nullopt;
  const std::size_t room_bytes = most_image_bytes(turns);
  try {
    const Requests requests = requests_of(turns, room_bytes);
    if (requests.turns.size() == turns.size()) return std::nullopt;
    memory_ = memory(requests.bytes);
    std::vector<Outcome> outcomes(turns.size());
    for (const std::span<const Turn> request : requests.turns) {
      image_.lay_out_in_turn(request, room_bytes);
      image_.fill(memory_, threads);
      Launched launched = launch_now(kernel);
      const bool is_error = std::ranges::all_of(launched.outcomes, [](const protocol::LaunchOutcome& outcome) {
        return outcome.status == protocol::LaunchOutcome::Status::Error;
      });
      const bool has_ended =
          !launched.trouble && (launched.outcomes.size() < request.size() ||
                                std::ranges::any_of(launched.outcomes, &protocol::LaunchOutcome::spoilt));
      if (has_ended && !(launched.death && launched.death->is_from_outside())) {
        policy_.keep_one_by_one(kernel.name);
      }
      if (launched.trouble || has_ended || is_error) return std::nullopt;
      take_outcomes(launched, threads, std::span(outcomes).subspan(request.data() - turns.data()));
    }
    return outcomes;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

bool Executor::run_one_by_one(std::span<const Turn> turns, const kernel::Kernel& kernel,
                              std::vector<Outcome>& outcomes) {
  const std::size_t behind = most_image_bytes(turns);
  try {
    // All of it at once: memory that grows moves, and what a kernel remembers of it is gone.
    memory_ = memory(2 * behind);
    for (const Turn& turn : turns) {
      const std::uint8_t stream = turn.other.stream ? 1 : 0;
      image_.lay_out({&turn.job, 1}, OutputPoison::Own, {.at = turn.other.storage ? behind : 0, .stream = stream});
      image_.fill(memory_, 1);
      Launched launched = launch_now(kernel);
      if (launched.death && launched.death->is_from_outside()) {
        outcomes.push_back(unsettled(*launched.death));
        return false;
      }
      if (launched.trouble || launched.outcomes.empty()) {
        outcomes.push_back(launched.trouble ? error(*launched.trouble)
                           : launched.death ? told(*launched.death)
                                            : error("the launch gave no answer"));
        return true;
      }
      const bool is_last = launched.outcomes.front().spoilt;
      take_outcomes(launched, 1, {&outcomes.emplace_back(), 1});
      if (is_last) return true;
    }
  } catch (const std::bad_alloc&) {
    outcomes.push_back(error(kTooLittleMemory));
  }
  return true;
}

}  // namespace negzero::run
