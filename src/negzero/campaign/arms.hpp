// Ways to make a case, and how often each is worth taking.

#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <negzero/base/random.hpp>

namespace negzero::campaign {

/// One way: a strategy by name, or a change of the corpus.
struct Arm {
  std::string name;
  double weight = 1;                   ///< share where nothing is known: a strategy's of the default mix
  std::uint64_t next = 0;              ///< cases handed out: the next one's number
  std::uint64_t cases = 0, kept = 0;   ///< cases that ran, and those that the corpus kept
  double recent = 0, recent_kept = 0;  ///< the same, of the last thousand or so
};

/// Policy: a task goes to an arm with a probability proportional to (recent_kept + 1) / (recent + 32) times its weight,
/// but for one task in kEvenOneIn, which goes by weight alone. `recent` counts halve every kHalf cases of an arm, so
/// that what paid long ago is forgotten, and what never paid is tried now and then.
class Arms {
 public:
  static constexpr std::uint64_t kEvenOneIn = 5;
  static constexpr double kHalf = 1000;

  Arms() = default;
  explicit Arms(std::vector<Arm> all) : all_(std::move(all)) {}

  [[nodiscard]] std::vector<Arm>& all() { return all_; }
  [[nodiscard]] const std::vector<Arm>& all() const { return all_; }

  /// The place of the arm to take. `usable(place)` says which ones there are to choose from, at least one.
  template <typename Usable>
  [[nodiscard]] std::size_t choose(base::Random& random, const Usable& usable) const {
    const bool even = random.one_in(kEvenOneIn);
    double sum = 0;
    std::vector<double> until(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (usable(i)) sum += all_[i].weight * (even ? 1 : (all_[i].recent_kept + 1) / (all_[i].recent + 32));
      until[i] = sum;
    }
    const double drawn = random.uniform() * sum;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (drawn < until[i]) return i;
    }
    return all_.size() - 1;
  }

  /// Counts a case that ran.
  void count(std::size_t place, bool was_kept) {
    Arm& arm = all_[place];
    ++arm.cases;
    arm.kept += was_kept ? 1 : 0;
    constexpr double kForget = 1 - 0.6931 / kHalf;  // ln 2: half is left after kHalf cases.
    arm.recent = arm.recent * kForget + 1;
    arm.recent_kept = arm.recent_kept * kForget + (was_kept ? 1 : 0);
  }

 private:
  std::vector<Arm> all_;
};

}  // namespace negzero::campaign
