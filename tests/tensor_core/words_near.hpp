// Encodings that a test asks a permitted set about.

#pragma once

#include <cstdint>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/permitted.hpp>

namespace negzero::oracle {

/// Words at and just beyond the ends of a set, some inside, and what is no number.
inline std::vector<std::uint64_t> words_near(base::Random& random, const Permitted& set) {
  const number::Format& format = number::format(set.format);
  std::vector<std::uint64_t> words{number::zero(format), number::zero(format, true), number::canonical_nan(format)};
  if (format.has_infinity) {
    words.push_back(number::infinity(format));
    words.push_back(number::infinity(format, true));
  }
  words.push_back(number::max_finite(format));
  words.push_back(number::max_finite(format, true));
  words.insert(words.end(), set.only.begin(), set.only.end());
  if (!set.finite) return words;
  const std::int64_t least = number::ordinal(format, number::max_finite(format, true)),
                     greatest = number::ordinal(format, number::max_finite(format));
  for (const std::int64_t end : {set.hull().low, set.hull().high}) {
    for (std::int64_t step = -2; step <= 2; ++step) {
      if (end + step >= least && end + step <= greatest) words.push_back(number::from_ordinal(format, end + step));
    }
  }
  for (int i = 0; i < 6; ++i)
    words.push_back(number::from_ordinal(format, random.between(set.hull().low, set.hull().high)));
  return words;
}

}  // namespace negzero::oracle
