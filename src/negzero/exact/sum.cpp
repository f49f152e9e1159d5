// The list of methods, the choice among them, and the way from encodings to factors.

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>

#include <negzero/exact/methods.hpp>
#include <negzero/exact/sum.hpp>

namespace negzero::exact {

std::span<const Method* const> methods() noexcept {
  static const Level level = available_levels().back();
  static const std::array<const Method*, 4> list = {&fixed128(level), &ladder(level), &bins(level), &multiprecision()};
  return list;
}

namespace {

// Terms from which reading the rungs is repaid; measured.
constexpr std::uint64_t kTermsForLadder = 128;

base::Error refusal(const Window& window, std::string_view forced) {
  std::string known, accepting;
  bool is_known = false;
  const auto append = [](std::string& list, const Method& method) {
    list.append(list.empty() ? "`" : ", `").append(method.name()).append("`");
  };
  for (const Method* method : methods()) {
    append(known, *method);
    if (method->name() == forced) is_known = true;
    if (method->accepts(window)) append(accepting, *method);
  }
  const std::string flag = "--exact " + std::string(forced) + ": ";
  if (!is_known) return base::usage_error(flag + "no such method; use one of " + known);
  return base::usage_error(flag + "products from 2^" + std::to_string(window.lowest) + " to below 2^" +
                           std::to_string(window.highest) + ", " + std::to_string(window.terms) +
                           " to a sum, are outside its range; use one of " + accepting);
}

}  // namespace

int lowest_bit_of(const Factors& a, const Factors& b) noexcept {
  int lowest = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < a.count; ++i) {
    if (a.significand[i] == 0 || b.significand[i] == 0) continue;
    lowest = std::min(lowest, a.exponent[i] + std::countr_zero(static_cast<std::uint64_t>(a.significand[i])) +
                                  b.exponent[i] + std::countr_zero(static_cast<std::uint64_t>(b.significand[i])));
  }
  return lowest;
}

base::Result<const Method*> choose(const Window& window, std::string_view forced, bool prepared) {
  static const Method& of_prepared = ladder(available_levels().back());
  if (prepared && forced.empty() && window.terms >= kTermsForLadder && of_prepared.accepts(window)) return &of_prepared;
  for (const Method* method : methods()) {
    if ((forced.empty() || method->name() == forced) && method->accepts(window)) return method;
  }
  return refusal(window, forced);
}

Window take_apart(const number::Format& format, std::span<const std::uint64_t> words, std::int64_t* significand,
                  std::int32_t* exponent) {
  Window window;
  window.terms = words.size();
  bool found = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const number::Decoded value = number::decode(format, words[i]);
    assert(value.is_finite());
    if (value.significand == 0) {
      significand[i] = 0;
      exponent[i] = 0;
      continue;
    }
    const int zeros = std::countr_zero(value.significand);
    const std::uint64_t odd = value.significand >> zeros;
    const int lowest = value.exponent + zeros;
    const int width = std::bit_width(odd);
    significand[i] = value.negative ? -static_cast<std::int64_t>(odd) : static_cast<std::int64_t>(odd);
    exponent[i] = lowest;
    window.lowest = found ? std::min(window.lowest, lowest) : lowest;
    window.highest = found ? std::max(window.highest, lowest + width) : lowest + width;
    window.significand_bits = std::max(window.significand_bits, width);
    found = true;
  }
  return window;
}

bool prepare(const Factors& factors, double* value, std::int32_t* place) noexcept {
  for (std::size_t i = 0; i < factors.count; ++i) {
    const std::int64_t significand = factors.significand[i];
    value[i] = 0;
    place[i] = kNoPlace;
    if (significand == 0) continue;
    const int zeros = std::countr_zero(static_cast<std::uint64_t>(significand));
    place[i] = factors.exponent[i] + zeros;
    value[i] = std::ldexp(static_cast<double>(significand), factors.exponent[i]);
    if (!std::isnormal(value[i])) return false;
  }
  return true;
}

Window product_window(const Window& a, const Window& b, std::uint64_t terms) noexcept {
  if (a.significand_bits == 0 || b.significand_bits == 0) return {0, 0, 0, terms};
  return {a.lowest + b.lowest, a.highest + b.highest, a.significand_bits + b.significand_bits, terms};
}

}  // namespace negzero::exact
