// Features of kernel code: the basic blocks that ran.

#include <bit>

#include <negzero/feature/kinds.hpp>

namespace negzero::feature {

std::uint32_t times_bucket(std::uint32_t times) noexcept {
  if (times <= 3) return times == 0 ? 0 : times - 1;
  if (times < 32) return static_cast<std::uint32_t>(std::bit_width(times));
  return times < 128 ? 6 : 7;
}

void gather_code(const Run& run, Gathered& to) {
  // Two blocks lie five bytes apart or more. Where a program is so long that two of them share a number, a search takes
  // them for one.
  for (const watch::CoveredBlock& block : run.covered) {
    to.add(Kind::Code, block.place / 4 % (1u << 21) * 8 + times_bucket(block.times));
  }
}

}  // namespace negzero::feature
