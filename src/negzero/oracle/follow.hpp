// Follows the paths of an element to what they permit together.

#pragma once

#include <cstddef>
#include <vector>

#include <negzero/number/format.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/covers.hpp>
#include <negzero/oracle/paths.hpp>

namespace negzero::oracle {

/// One output element, as its paths ask for it.
class PathElement {
 public:
  explicit PathElement(Detail detail) : detail_(detail) {}
  virtual ~PathElement() = default;
  /// The sum of a path that has one. Nothing of it is reached where its set is empty.
  [[nodiscard]] virtual SumResult sum(const Path& path) = 0;
  /// The rule of a path without a sum.
  [[nodiscard]] virtual verdict::Rule of_nothing() const { return {}; }
  /// How many terms there are, but for C of a product.
  [[nodiscard]] virtual std::size_t terms() const = 0;
  /// C's element under a member that reads it.
  [[nodiscard]] virtual Addend c(const Member& member) const {
    (void)member;
    return {};
  }

 protected:
  /// Calls `evaluate` with a path's sum in the detail that is asked for.
  template <class Evaluate>
  [[nodiscard]] SumResult in_detail(const Sum& sum, const Evaluate& evaluate) const {
    if (sum.detail == detail_) return evaluate(sum);
    Sum own = sum;
    own.detail = detail_;
    return evaluate(own);
  }

 private:
  Detail detail_;
};

/// Paths with what is known of them before an element is: which sums are the same, and which path may cover which.
class Followed {
 public:
  /// `prunes`: those that others cover are left out. They permit nothing else, but their bounds may be wider.
  Followed(Paths paths, const number::Format& output, bool prunes);

  [[nodiscard]] const Paths& paths() const noexcept { return paths_; }
  /// What the paths permit of an element.
  [[nodiscard]] Answer answer(PathElement& element) const;
  /// What each path permits by itself, along each ending; that of a path which reaches nothing is left out.
  [[nodiscard]] std::vector<Reached> reached(PathElement& element) const;

 private:
  struct Link {
    std::size_t sum = 0;  ///< the same number for the same sum of the same terms
    struct Coverer {
      std::size_t path;
      Cover cover;
    };
    std::vector<Coverer> coverers{};
  };
  class Following;

  Paths paths_;
  const number::Format& output_;
  std::vector<Link> links_;
  std::size_t sums_ = 0;  ///< how many different ones
};

/// What the answers under the members of a choice are together: the union of their sets, gaps included, the facts of
/// the first. Requires several.
[[nodiscard]] Answer united(std::vector<Answer> members);

}  // namespace negzero::oracle
