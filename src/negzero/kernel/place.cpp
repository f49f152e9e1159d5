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

std::string interpreter_text(const Build& build) {
  if (build.interpreter.empty()) return "";
  return build.interpreter + " interpreter: not the GPU's numerics; " +
         (build.cannot_pass() ? "what is right here does not pass the GPU's contract, and counts as vacuous"
                              : "judged by what the interpreter promises");
}

}  // namespace negzero::kernel
