// alpha and beta: 1 and 0 mostly, and every value that a kernel may treat apart.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/words.hpp>
#include <negzero/operation/whole.hpp>

namespace negzero::generate {
namespace {

using number::FormatId;
using operation::Scalar;
using operation::ScalarLimit;

/// One value other than 0 and 1 with all signs and sizes that matter.
std::uint64_t odd_scalar(const number::Format& format, Traits::Scalars kind, base::Random& random) {
  const auto pick = [&](std::initializer_list<double> values) {
    return number::from_double(format, *(values.begin() + random.below(values.size())), kFinite);
  };
  if (format.is_integer()) {
    // Small ones, and such as leave nothing of a product's upper bits.
    if (random.below(2) == 0) return pick({-1, 2, 3, -2});
    return random.below(4) == 0 ? number::max_finite(format, random.below(2) == 0)
                                : word_in_binade(format, static_cast<int>(random.below(31)), random.next());
  }
  switch (kind) {
    case Traits::Scalars::Finite:
      return pick({-1, 2, 0.5, 3, -2});
    case Traits::Scalars::Power:
      return pick({-1, 2, 0.5});
    case Traits::Scalars::Small:
      return pick({0.5, 0.0625, -0.5, 2, -1});
    case Traits::Scalars::Any:
      break;
  }
  switch (random.below(12)) {
    case 0:
      return number::canonical_nan(format);
    case 1:
      return number::infinity(format, random.below(2) == 0);
    case 2:
      return number::zero(format, true);
    case 3:
    case 4:
      return word_in_binade(format, 0, random.next());
    default:
      return pick({-1, 2, 0.5, 3, -1, 2});
  }
}

}  // namespace

FormatId scalar_format(const contract::Contract& contract) {
  if (contract.scalar_format) return *contract.scalar_format;
  const bool is_own = contract.accumulate == FormatId::F64 || number::format(contract.accumulate).is_integer();
  return is_own ? contract.accumulate : FormatId::F32;
}

Scalar draw_scalar(FormatId id, ScalarLimit limit, Traits::Scalars kind, bool is_beta, base::Random& random) {
  const number::Format& format = number::format(id);
  const std::uint64_t draw = random.below(32);
  const std::uint64_t minus = random.below(8);
  const std::uint64_t odd = odd_scalar(format, kind, random);
  const std::uint64_t zero = number::zero(format, minus == 0), one = number::one(format);
  switch (limit) {
    case ScalarLimit::Zero:
      return {id, zero};
    case ScalarLimit::One:
      return {id, one};
    case ScalarLimit::ZeroOrOne:
    case ScalarLimit::Any:
      break;
  }
  std::uint64_t bits = one;
  if (is_beta && draw < 18) bits = zero;
  if (!is_beta && draw < 2 && kind == Traits::Scalars::Any) bits = zero;
  if (draw >= 24) bits = limit == ScalarLimit::Any ? odd : is_beta && minus < 4 ? zero : one;
  return {id, bits};
}

Scalar draw_scalar(FormatId id, const operation::ScalarRange& range, base::Random& random) {
  const double far = number::to_double(number::format(id), number::max_finite(number::format(id)));
  const double least = std::max(range.least, -far), greatest = std::min(range.greatest, far);
  const double share = static_cast<double>(random.below(1 << 20)) / (1 << 20);
  switch (random.below(6)) {
    case 0:
      return range.nearest(id, least);
    case 1:
      return range.nearest(id, greatest);
    case 2:
      return range.nearest(id, random.below(2) == 0 ? 0 : 1);
    default:
      break;
  }
  // In one binade as likely as in another where zero is not between, else by size.
  if (least > 0) return range.nearest(id, least * std::exp2(share * std::log2(greatest / least)));
  return range.nearest(id, least + share * (greatest - least));
}

Scalar draw_whole(notation::ScalarKind kind, const operation::ScalarRange* said, std::span<const std::int64_t> extents,
                  base::Random& random) {
  const operation::WholeRange range = operation::whole_range(kind, said);
  if (kind == notation::ScalarKind::Truth) return operation::whole_scalar(random.between(range.least, range.greatest));
  constexpr std::int64_t kSmall = 16;
  const bool is_narrow = range.greatest - range.least <= 4 * kSmall;
  std::int64_t wanted = 0;
  const std::uint64_t draw = random.below(32);
  if (draw < 10) {
    constexpr std::int64_t kPlain[] = {0, 0, 1, 1, -1, 2};
    wanted = kPlain[random.below(std::size(kPlain))];
  } else if (draw < 16) {
    wanted = random.between(-4, kSmall);
  } else if (draw < 27 && !extents.empty()) {
    wanted = extents[static_cast<std::size_t>(random.below(extents.size()))] + random.between(-1, 1);
    if (random.one_in(8)) wanted = -wanted;
  } else if (draw < 30 && said != nullptr) {
    wanted = random.between(range.least, range.greatest);
    if (!is_narrow && random.one_in(2)) wanted >>= random.below(31);  // All magnitudes alike.
  } else if (draw == 31 || said != nullptr) {
    wanted = random.one_in(2) ? range.least : range.greatest;
  } else {
    wanted = random.between(0, 4 * kSmall);
  }
  // What a narrow range lacks would pile up at its ends.
  if (is_narrow && !range.contains(wanted)) wanted = random.between(range.least, range.greatest);
  return operation::whole_scalar(range.nearest(wanted));
}

}  // namespace negzero::generate
