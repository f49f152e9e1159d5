// What a sum says of itself.

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <negzero/contract/words.hpp>
#include <negzero/oracle/sum.hpp>

namespace negzero::oracle {

bool Sum::is_compensated() const {
  const auto* const any = std::get_if<AnyOrder>(&order);
  return any != nullptr && any->compensated;
}

Arithmetic Sum::held() const {
  if (const Blocks* const in = blocks()) return arithmetic.promoted(in->promote.format);
  const auto* const any = std::get_if<AnyOrder>(&order);
  return any != nullptr && any->widest ? arithmetic.in(*any->widest) : arithmetic;
}

std::uint64_t Sum::additions(std::uint64_t terms, bool has_c) const {
  const std::uint64_t all = std::max<std::uint64_t>(terms, 1) - 1;
  const auto* const any = std::get_if<AnyOrder>(&order);
  if (any == nullptr || !any->additions) return all;
  // C joins the tree of the others somewhere; and no tree is flatter than a balanced one.
  const auto declared = static_cast<std::uint64_t>(*any->additions) + (has_c ? 1 : 0);
  return std::min(all, std::max(declared, static_cast<std::uint64_t>(std::bit_width(all))));
}

std::vector<Arithmetic> Sum::widths() const {
  const auto* const any = std::get_if<AnyOrder>(&order);
  if (any == nullptr || !any->widest) return {arithmetic};
  // A store to its own format rounds to nearest.
  std::vector<Arithmetic> widths = behind_sum(arithmetic);
  for (const number::FormatId format : wider_formats(arithmetic.format().id)) {
    for (const Arithmetic& each : behind_sum(arithmetic.in(format))) widths.push_back(each);
  }
  return widths;
}

const Stores* Sum::stores() const {
  const auto* const any = std::get_if<AnyOrder>(&order);
  const std::optional<Stores>* const declared = any != nullptr ? &any->stores
                                                : unit_steps() ? &unit_steps()->stores
                                                               : nullptr;
  return declared != nullptr && *declared ? &**declared : nullptr;
}

bool Sum::is_chain() const {
  const bool ascends = std::holds_alternative<Ascending>(order) || (blocks() != nullptr && blocks()->ascending);
  return ascends && ends == Ends::Grid;
}

std::string to_string(const Sum& sum) {
  std::string text = fmt::format("{} {}", sum.arithmetic.format().name, contract::word(sum.arithmetic.rounding()));
  text += sum.is_chain() ? ", one chain" : sum.unit_steps() != nullptr ? ", steps of a matrix unit" : ", any order";
  if (sum.is_compensated()) text += ", compensated";
  const auto* const any = std::get_if<AnyOrder>(&sum.order);
  if (any != nullptr && any->additions) text += fmt::format(" of at most {} additions a term", *any->additions);
  if (sum.held().format() != sum.arithmetic.format() && sum.blocks() == nullptr) {
    text += fmt::format(", each addition in that or up to {}", sum.held().format().name);
  }
  if (const Blocks* const blocks = sum.blocks()) {
    text +=
        fmt::format(", blocks of {} added in {}", blocks->promote.every, number::format(blocks->promote.format).name);
  }
  if (const Stores* const stores = sum.stores()) {
    text += fmt::format(", slices stored in {}", number::format(stores->format).name);
  }
  text += fmt::format(", {}, start {}", contract::word(sum.contraction), contract::word(sum.start));
  if (sum.c != CAt::None) text += sum.c == CAt::Leaf ? ", C a term" : ", C the start of a chain";
  if (sum.lift == Lift::Unbounded) text += ", no upper end of exponents";
  if (sum.ends == Ends::Real) text += ", real ends";
  return text;
}

}  // namespace negzero::oracle
