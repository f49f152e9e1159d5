// Ways to make a case, and how often each is worth taking.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  double recent = 0, recent_kept = 0;  ///< of the last thousand cases or so: what they cost, and those that were kept
};

/// Policy: a task goes to an arm with a probability proportional to (recent_kept + 1) / (recent + 32) times its weight;
/// but one kEvenOneIn-th of the time goes by weight alone. A case costs the time that it took over that of the average
/// case, between 1/kMostCost and kMostCost: more would let one case with a far extent, which every strategy draws now
/// and then, decide. `recent` counts halve every kHalf cases of an arm, so that what paid long ago is forgotten, and
/// what never paid is tried now and then.
class Arms {
 public:
  static constexpr std::uint64_t kEvenOneIn = 5;
  static constexpr double kHalf = 1000, kMostCost = 16;

  struct Choice {
    std::size_t place = 0;  ///< of the arm
    bool even = false;      ///< by weight alone
  };

  Arms() = default;
  explicit Arms(std::vector<Arm> all) : all_(std::move(all)) {}

  [[nodiscard]] std::vector<Arm>& all() { return all_; }
  [[nodiscard]] const std::vector<Arm>& all() const { return all_; }

  /// The arm to take. `usable(place)` says which ones there are to choose from, at least one.
  template <typename Usable>
  [[nodiscard]] Choice choose(base::Random& random, const Usable& usable) const {
    const bool even = even_us_ * kEvenOneIn <= us_;
    double sum = 0;
    std::vector<double> until(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (usable(i)) sum += all_[i].weight * (even ? 1 : (all_[i].recent_kept + 1) / (all_[i].recent + 32));
      until[i] = sum;
    }
    const double drawn = random.uniform() * sum;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (drawn < until[i]) return {i, even};
    }
    return {all_.size() - 1, even};
  }

  /// Counts a case that ran.
  void count(Choice choice, bool was_kept, std::uint64_t took_us) {
    constexpr double kForget = 1 - 0.6931 / kHalf;  // ln 2: half is left after kHalf cases.
    us_ += took_us;
    even_us_ += choice.even ? took_us : 0;
    const double average_us = static_cast<double>(us_ + 1) / static_cast<double>(++cases_);
    Arm& arm = all_[choice.place];
    ++arm.cases;
    arm.kept += was_kept ? 1 : 0;
    const double cost = std::clamp(static_cast<double>(took_us) / average_us, 1 / kMostCost, kMostCost);
    arm.recent = arm.recent * kForget + cost;
    arm.recent_kept = arm.recent_kept * kForget + (was_kept ? 1 : 0);
  }

 private:
  std::vector<Arm> all_;
  std::uint64_t cases_ = 0, us_ = 0, even_us_ = 0;  ///< of this run: `us_` of all cases, `even_us_` of even choices
};

}  // namespace negzero::campaign
