// Which cases of a stream are watched, and by which launches state is looked for.

#include <limits>
#include <utility>

#include <negzero/base/random.hpp>
#include <negzero/campaign/drawn.hpp>
#include <negzero/property/state_looks.hpp>
#include <negzero/run/watched_size.hpp>

namespace negzero::campaign {

Watched drawn_for_the_watch(const GeneratedRange& range, const generate::Request* wanted, std::uint64_t index) {
  constexpr std::uint64_t kOneIn = 20;
  if (wanted != nullptr && generate::is_risky(*wanted, range.seed, index)) return Watched::ByRisk;
  return base::mix64(range.seed ^ base::mix64(index)) % kOneIn == 0 ? Watched::ByChance : Watched::No;
}

bool is_small_enough(Watched why, const operation::Operation& operation) noexcept {
  return run::is_small_enough_to_watch(operation, why == Watched::ByRisk ? run::kMostWatchedAlone : run::kMostWatched);
}

operation::History launches_for_state(const GeneratedRange& range, std::uint64_t index,
                                      const operation::Operation& operation, kernel::Place place) {
  constexpr std::uint64_t kOneIn = 100, kFirst = 8, kSalt = 0x7374617465000000;
  const base::Random random(base::mix64(range.seed ^ base::mix64(index)));
  if (base::mix64(range.seed ^ kSalt ^ base::mix64(index)) % kOneIn == 0) {
    operation::History launches = property::many_launches(random);
    // Products, elements or updates of all of them together; a case that is small enough to watch has 4 launches.
    constexpr kernel::AtPlace<std::int64_t> kMostWork{.host = std::numeric_limits<std::int64_t>::max(),
                                                      .device = 4 * run::kMostWatched};
    std::uint32_t most = operation::launches(launches);
    while (most > 4 && !run::is_small_enough_to_watch(operation, kMostWork[place] / most)) {
      --most;
    }
    return property::at_most(std::move(launches), most);
  }
  if (index < kFirst) return property::few_launches(random, operation);
  return {};
}

}  // namespace negzero::campaign
