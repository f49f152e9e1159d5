// What a sum says of itself.

#include <fmt/format.h>

#include <negzero/contract/words.hpp>
#include <negzero/oracle/sum.hpp>

namespace negzero::oracle {

bool Sum::is_compensated() const {
  const auto* const any = std::get_if<AnyOrder>(&order);
  return any != nullptr && any->compensated;
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
