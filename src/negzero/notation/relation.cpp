// Texts of relations, and whether values keep them.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <negzero/notation/relation.hpp>

namespace negzero::notation {
namespace {

constexpr std::array<std::string_view, 5> kSigns{"=", "<=", "<", ">=", ">"};

/// a - b, at most the greatest number.
std::int64_t less(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  return a < b ? INT64_MIN : INT64_MAX;
}

}  // namespace

std::string_view sign_of(Comparison comparison) noexcept { return kSigns[static_cast<std::size_t>(comparison)]; }

std::string Relation::to_string() const {
  return fmt::format("{} {} {}", left.to_string(), sign_of(comparison), right.to_string());
}

std::vector<std::string> Relation::names() const {
  std::vector<std::string> names = left.names();
  for (std::string& name : right.names()) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

base::Result<std::int64_t> Relation::broken_by(const formula::Lookup& lookup) const {
  const auto a = left.value(lookup);
  if (!a) return a.error();
  const auto b = right.value(lookup);
  if (!b) return b.error();
  const std::int64_t more = less(*a, *b), fewer = less(*b, *a);
  switch (comparison) {
    case Comparison::Equal:
      return std::max(more, fewer);
    case Comparison::AtMost:
      return std::max<std::int64_t>(0, more);
    case Comparison::AtLeast:
      return std::max<std::int64_t>(0, fewer);
    case Comparison::Below:
      return *a < *b ? 0 : more + (more < INT64_MAX ? 1 : 0);
    case Comparison::Above:
      return *a > *b ? 0 : fewer + (fewer < INT64_MAX ? 1 : 0);
  }
  return 0;
}

}  // namespace negzero::notation
