// Counts cases beyond random rounding errors, and says when they are too many.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/campaign/improbable.hpp>

namespace negzero::campaign {

void RandomErrorCases::add(const verdict::RandomErrors& errors) {
  const auto terms = static_cast<std::uint64_t>(std::max<std::int64_t>(0, errors.terms));
  Count& count = by_width_[static_cast<std::size_t>(std::bit_width(terms))];
  ++count.cases;
  count.beyond += errors.squares > kImprobable ? 1 : 0;
}

Improbable RandomErrorCases::from(std::size_t width) const {
  Improbable sum{.terms = width == 0 ? 0 : std::int64_t{1} << (width - 1)};
  for (std::size_t i = width; i < by_width_.size(); ++i) {
    sum.cases += by_width_[i].cases;
    sum.beyond += by_width_[i].beyond;
  }
  return sum;
}

std::optional<Improbable> RandomErrorCases::improbable() const {
  constexpr std::uint64_t kFewestCases = 20, kFewestBeyond = 5, kOneIn = 16;
  for (std::size_t width = by_width_.size() - 1; width > 0; --width) {
    const Improbable some = from(width);
    if (some.cases >= kFewestCases && some.beyond >= kFewestBeyond + some.cases / kOneIn) return some;
  }
  return std::nullopt;
}

std::string to_string(const Improbable& improbable) {
  return fmt::format(
      "improbable: errors exceed six standard deviations of random rounding errors in {} of {} passing cases with {} "
      "or "
      "more independent terms. Perhaps a term is lost, or additions truncate",
      improbable.beyond, improbable.cases, improbable.terms);
}

}  // namespace negzero::campaign
