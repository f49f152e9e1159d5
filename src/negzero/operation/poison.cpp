// Another encoding of the same kind as poison_word() has.

#include <negzero/operation/poison.hpp>

namespace negzero::operation {

std::uint64_t input_poison_word(Poison poison, const number::Format& format) noexcept {
  const std::uint64_t word = poison_word(poison, format);
  const bool is_nan = poison == Poison::Nan && !format.is_integer() && !format.only_stores();
  const std::uint64_t sign = std::uint64_t{1} << (format.bits - 1), last = std::uint64_t{1} << format.unused_bits;
  return is_nan ? word ^ sign : word - last;
}

}  // namespace negzero::operation
