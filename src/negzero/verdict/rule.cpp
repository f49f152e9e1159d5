// Rules of other versions, and how a rule is printed.

#include <algorithm>
#include <deque>
#include <mutex>
#include <ostream>
#include <string>

#include <negzero/verdict/rule.hpp>

namespace negzero::verdict {

namespace {

constexpr std::size_t kMostForeign = 1000;

/// Ids that no row has, in the order in which they came. Texts stay where they are.
struct Foreign {
  std::mutex mutex;
  std::deque<std::string> ids;
};

Foreign& foreign() {
  static Foreign* const instance = new Foreign;
  return *instance;
}

}  // namespace

Rule Rule::named(std::string_view id) {
  if (const auto known = parse(id)) return *known;
  Rule rule;
  if (id.empty()) return rule;
  const std::lock_guard lock(foreign().mutex);
  std::deque<std::string>& ids = foreign().ids;
  const auto found = std::ranges::find(ids, id);
  const auto place = static_cast<std::size_t>(found - ids.begin());
  if (place == kMostForeign) return rule;
  if (found == ids.end()) ids.emplace_back(id);
  rule.place_ = static_cast<std::uint16_t>(kNone + 1 + place);
  return rule;
}

std::string_view Rule::foreign_id() const noexcept {
  const std::lock_guard lock(foreign().mutex);
  return foreign().ids[place_ - kNone - 1];
}

std::ostream& operator<<(std::ostream& to, Rule rule) { return to << rule.id(); }

}  // namespace negzero::verdict
