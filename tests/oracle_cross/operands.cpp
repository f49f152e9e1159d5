// Draws operand sets from a seeded stream.

#include "operands.hpp"

#include <algorithm>

#include "formats.hpp"

namespace negzero::oracle_cross {

namespace {

/// The code of the binade of 2^exponent, clamped to the format, with the fraction given.
Code assemble(const SmallFormat& format, int exponent, Code fraction) {
  const int top = static_cast<int>(format.max_magnitude >> (format.precision - 1)) + format.min_exponent - 1;
  const int clamped = std::clamp(exponent, format.min_exponent, top);
  const auto binade = static_cast<Code>(clamped - format.min_exponent + 1);
  return std::min((binade << (format.precision - 1)) | fraction, format.max_magnitude);
}

Code sparse_fraction(base::Random& random, const SmallFormat& format) {
  const int bits = format.precision - 1;
  Code fraction = 0;
  for (std::uint64_t i = random.below(3); i > 0; --i)
    fraction |= Code{1} << random.below(static_cast<std::uint64_t>(bits));
  if (random.one_in(4)) fraction = (Code{1} << bits) - 1 - fraction;
  return fraction;
}

}  // namespace

Draw draw_style(base::Random& random) {
  Draw draw;
  constexpr Style kStyles[] = {Style::Anything, Style::Near,  Style::Near,  Style::Sparse,  Style::Sparse,
                               Style::Cancel,   Style::Large, Style::Small, Style::Integers};
  draw.style = kStyles[random.below(std::size(kStyles))];
  draw.exponent = static_cast<int>(random.between(-4, 4));
  draw.one_sign = random.one_in(5);
  return draw;
}

Draw draw_partner(base::Random& random, const Draw& draw) {
  Draw partner = draw;
  partner.exponent = static_cast<int>(random.between(-2, 2));
  partner.one_sign = random.one_in(2);
  // Two factors from the ends would always overflow or vanish; one of them decides where the products lie.
  if (draw.style == Style::Large || draw.style == Style::Small || draw.style == Style::Anything) {
    partner.style = random.one_in(3) ? Style::Integers : Style::Near;
  } else if (random.one_in(4)) {
    partner.style = Style::Integers;
  }
  return partner;
}

std::vector<Code> draw_values(base::Random& random, number::FormatId id, std::size_t count, const Draw& draw) {
  const SmallFormat format = small_format(id);
  const Code fractions = format.min_normal();
  const int top = static_cast<int>(format.max_magnitude >> (format.precision - 1)) + format.min_exponent - 1;
  const auto sign = [&] { return !draw.one_sign && random.one_in(2) ? kSignBit : 0; };
  std::vector<Code> values;
  while (values.size() < count) {
    if (draw.specials != 0 && random.one_in(draw.specials)) {
      const bool nan = random.one_in(3) || !format.has_infinity;
      values.push_back(nan ? kNan : format.infinity() | (random.one_in(2) ? kSignBit : 0));
      continue;
    }
    if (random.one_in(16)) {
      values.push_back(sign());
      continue;
    }
    if (draw.subnormals != 0 && random.one_in(draw.subnormals)) {
      values.push_back((1 + random.below(fractions - 1)) | sign());
      continue;
    }
    switch (draw.style) {
      case Style::Anything:
        values.push_back(random.below(format.max_magnitude + 1) | sign());
        break;
      case Style::Near: {
        const int exponent =
            draw.exponent + static_cast<int>(random.between(-format.precision / 2 - 1, format.precision / 2 + 1));
        values.push_back(assemble(format, exponent, random.below(fractions)) | sign());
        break;
      }
      case Style::Sparse: {
        const int exponent = draw.exponent + static_cast<int>(random.between(-format.precision, 1));
        values.push_back(assemble(format, exponent, sparse_fraction(random, format)) | sign());
        break;
      }
      case Style::Cancel: {
        if (!values.empty() && random.one_in(2) && values.back() != kNan) {
          const Code twin = values.back() ^ kSignBit;
          const Code magnitude = twin & ~kSignBit;
          const Code moved = random.one_in(2) ? magnitude : magnitude + random.below(3) - (magnitude > 0 ? 1 : 0);
          values.push_back((twin & kSignBit) | std::min(moved, format.max_magnitude));
        } else {
          const int exponent = draw.exponent + static_cast<int>(random.between(-format.precision, 1));
          values.push_back(assemble(format, exponent, random.below(fractions)) | sign());
        }
        break;
      }
      case Style::Large: {
        const int exponent = top - static_cast<int>(random.below(random.one_in(3) ? 6 : 2));
        const Code fraction = random.one_in(3) ? fractions - 1 : random.below(fractions);
        values.push_back(assemble(format, exponent, fraction) | sign());
        break;
      }
      case Style::Small:
        values.push_back(random.below(4 * fractions) | sign());
        break;
      case Style::Integers: {
        const Rounder rounder{format};
        values.push_back(rounder.round(make_number(random.between(0, 9))) | sign());
        break;
      }
    }
  }
  return values;
}

std::vector<Code> corner_values(number::FormatId id) {
  const SmallFormat format = small_format(id);
  const Rounder rounder{format};
  const Code one = rounder.round(make_number(1));
  const Code half_top = format.max_magnitude - format.min_normal();
  std::vector<Code> values;
  for (const Code magnitude :
       {Code{0}, Code{1}, Code{2}, format.min_normal() - 1, format.min_normal(), format.min_normal() + 1, one - 1, one,
        one + 1, one + format.min_normal(), half_top, half_top + 1, format.max_magnitude - 1, format.max_magnitude}) {
    values.push_back(magnitude);
    values.push_back(magnitude | kSignBit);
  }
  tidy(values);
  return values;
}

}  // namespace negzero::oracle_cross
