// `skew`, `bits`, `normal` and `uniform`: values without a structure between them.

#include <algorithm>
#include <bit>

#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>

namespace negzero::generate {
namespace {

/// Calls fill_one(tensor, stream) for every input but indices and counts, each with a stream of its own.
template <typename FillOne>
void for_each_input(Work& work, FillOne&& fill_one) {
  std::uint64_t label = 16;
  for (auto& [name, tensor] : work.value.tensors) {
    ++label;
    if (!work.is_index(name)) fill_one(tensor, work.random.split(label));
  }
}

/// Uniform between the least and the greatest number of a range.
void fill_between(tensor::Tensor& tensor, const operation::FormatRange& range, const base::Random& stream) {
  const number::Format format = tensor.format();
  const double low = number::to_double(format, range.least()), high = number::to_double(format, range.greatest());
  fill(tensor, [&](std::int64_t i) {
    const double at = static_cast<double>(stream.at(static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53;
    return range.nearest(number::from_double(format, low * (1 - at) + high * at));
  });
}

}  // namespace

void fill_bits(Work& work) {
  // Raw bits give a NaN in one F32 of 256: a long sum sees nothing else. So two cases in three are finite.
  const bool raw = work.random.below(3) == 0;
  for_each_input(work, [&](tensor::Tensor& tensor, const base::Random& stream) {
    fill_encoded(tensor, [&](auto format, std::int64_t i) {
      const std::uint64_t drawn = stream.at(static_cast<std::uint64_t>(i));
      return raw ? bits_word(format, drawn) : finite_bits_word(format, drawn);
    });
  });
}

void fill_normal(Work& work) {
  const std::uint64_t choice = work.random.below(8);
  const int scale = choice == 0 ? -3 : choice == 1 ? 3 : 0;
  for_each_input(work, [&](tensor::Tensor& tensor, const base::Random& stream) {
    const int fitting = std::min(scale, work.highest_exponent(tensor) - 2);
    fill_encoded(tensor, [&](auto format, std::int64_t i) {
      return normal_word(format, stream.at(static_cast<std::uint64_t>(i)), fitting);
    });
  });
}

void fill_uniform(Work& work) {
  const bool both_signs = work.random.below(2) == 0;
  const int scale = work.random.below(4) == 0 ? static_cast<int>(work.random.between(-2, 3)) : 0;
  for_each_input(work, [&](tensor::Tensor& tensor, const base::Random& stream) {
    const auto values = work.values(tensor);
    // Half of the time between the ends of the values that limits ask for.
    if (values && stream.split(1).at(0) >> 63 != 0) return fill_between(tensor, *values, stream);
    fill_encoded(tensor, [&](auto format, std::int64_t i) {
      return uniform_word(format, stream.at(static_cast<std::uint64_t>(i)), scale, both_signs);
    });
  });
}

void fill_skew(Work& work) {
  enum class Form : std::uint8_t { LogUniform, WholeRange, HeavyTail, Outliers, Overflowing };
  const std::uint64_t choice = work.random.below(17);
  const Form form = choice == 16 ? Form::Overflowing : static_cast<Form>(choice % 4);
  const bool left_is_wide = work.random.below(2) == 0;
  const Aim& aim = work.aim;
  const std::int64_t terms = work.terms();
  // Below this exponent no sum of that many products overflows. It goes to one factor, or half of it to each.
  const int growth = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(1, terms)));
  const int ceiling = std::min(aim.accumulator_powers.high, aim.output_powers.high) - growth - 2;
  for_each_input(work, [&](tensor::Tensor& tensor, base::Random stream) {
    const number::Format format = tensor.format();
    const bool is_factor = work.right() != nullptr && &tensor != work.addend();
    const int bottom = format.min_normal_exponent(), top = work.highest_exponent(tensor);
    int limit = is_factor ? ceiling / 2 : ceiling;
    int floor = -limit;
    if (form == Form::WholeRange) {
      const bool wide = !is_factor || (&tensor == &work.left()) == left_is_wide;
      limit = wide ? ceiling - 1 : 0;
      floor = wide ? bottom : -3;
    } else if (form == Form::Overflowing) {
      limit = top;
      floor = bottom;
    }
    limit = std::clamp(limit, bottom, top);
    floor = std::clamp(floor, bottom, limit);
    const auto span = static_cast<std::uint64_t>(limit - floor) + 1;
    const int typical = std::clamp(0, floor, limit);
    const auto rarity = static_cast<std::uint64_t>(std::clamp<std::int64_t>(terms, 2, 256));
    const base::Random exponents = stream.split(1);
    fill_encoded(tensor, [&](auto encoding, std::int64_t i) {
      const std::uint64_t word = stream.at(static_cast<std::uint64_t>(i));
      const std::uint64_t drawn = exponents.at(static_cast<std::uint64_t>(i));
      int exponent = typical;
      if (form == Form::HeavyTail) {
        // Each step of four binades is half as likely as the one before.
        exponent += 4 * std::countr_zero(drawn | (std::uint64_t{1} << 40)) + static_cast<int>(drawn >> 62);
      } else if (form == Form::Outliers) {
        const bool outlier = (static_cast<unsigned __int128>(drawn) * rarity >> 64) == 0;
        exponent = outlier ? limit : typical - static_cast<int>(drawn & 3);
      } else {
        exponent = floor + static_cast<int>(static_cast<unsigned __int128>(drawn) * span >> 64);
      }
      return word_in_binade(encoding, std::clamp(exponent, floor, limit), word);
    });
  });
}

}  // namespace negzero::generate
