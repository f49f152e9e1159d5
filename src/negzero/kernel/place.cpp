// The words of places.

#include <algorithm>
#include <iterator>

#include <negzero/kernel/place.hpp>

namespace negzero::kernel {

std::string_view name(Where where) noexcept {
  constexpr AtPlace<std::string_view> kPlain{.host = "host", .device = "cuda"};
  return where.watched ? "watched" : kPlain[where.place];
}

std::optional<Where> where_named(std::string_view word) noexcept {
  const auto* const found = std::ranges::find(kWheres, word, [](Where where) { return name(where); });
  return found == std::end(kWheres) ? std::nullopt : std::optional(*found);
}

}  // namespace negzero::kernel
