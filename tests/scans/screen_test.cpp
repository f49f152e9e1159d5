// The screen of scans against the oracle without it: the same elements fail, and the same outputs can reject garbage.

#include <vector>

#include <gtest/gtest.h>

#include "lines.hpp"

namespace negzero::scans {
namespace {

/// A word near what is right, or one that seldom is.
std::uint64_t near_word(const oracle::Oracle& oracle, std::int64_t element, const number::Format& format,
                        base::Random& random) {
  const oracle::Permitted set = oracle.permitted(element);
  const std::int64_t steps = static_cast<std::int64_t>(random.below(3)) - 1;
  switch (random.below(12)) {
    case 0:
      return number::zero(format, random.one_in(2));
    case 1:
      return format.has_infinity ? number::infinity(format, random.one_in(2)) : number::canonical_nan(format);
    case 2:
      return number::canonical_nan(format);
    case 3:
      return set.finite ? set.low.round_to(format) : 0;
    case 4:
      return set.finite ? set.high.round_to(format) : 0;
    case 5:
      return random.next() & format.word_mask();
    default:
      break;
  }
  const std::uint64_t exact = oracle.exact(element).value_or(0);
  if (number::classify(format, exact) >= number::Class::Infinity) return exact;
  const std::int64_t most = number::ordinal(format, number::max_finite(format));
  return number::from_ordinal(format, std::clamp(number::ordinal(format, exact) + steps, -most, most));
}

TEST(ScanScreen, FailsAndDecidesAsTheOracleDoes) {
  base::Random random = base::Random(6).split(77);
  std::int64_t settled = 0, failed = 0, undecided = 0;
  for (int round = 0; round < 1200; ++round) {
    const Formats& formats = kFormats[random.below(std::size(kFormats))];
    const notation::Signature& signature =
        *operation::find_signature(random.one_in(2) ? "scan.inclusive" : "scan.exclusive");
    const auto columns = static_cast<std::int64_t>(1 + random.below(random.one_in(6) ? 400 : 30));
    operation::Case value =
        scan_case(signature, formats.x, formats.y, {static_cast<std::int64_t>(1 + random.below(2)), columns});
    fill(value.tensors.at("x"), random.below(5), random);
    contract::Contract contract = draw_contract(formats, random);
    // As many of the contracts that a screen knows as of all others.
    if (random.one_in(2)) {
      contract.accumulate_rounding = contract::AccumulateRounding::Nearest;
      contract.compensated = false;
      contract.promote.reset();
      contract.intermediate.clear();
    }
    if (!contract::validate(contract)) continue;
    const auto screened = oracle::Oracle::make(value, contract),
               plain = oracle::Oracle::make(value, contract, {.screen = false});
    ASSERT_TRUE(screened && plain);
    tensor::Tensor output(formats.y, value.operation.shape_of(1));
    for (std::int64_t i = 0; i < output.element_count(); ++i) {
      output.set(i, near_word(*plain, i, output.format(), random));
    }
    const oracle::Look ours = screened->look({&output, 1}, {}), wanted = plain->look({&output, 1}, {});
    ASSERT_EQ(ours.failing, wanted.failing) << contract::to_json(contract);
    ASSERT_EQ(screened->judge(output).kind, plain->judge(output).kind) << contract::to_json(contract);
    settled += ours.judged - ours.open;
    failed += ours.failed;
    // Whether a set can reject garbage shows where it is the only one that is looked at, and is met.
    for (std::int64_t i = 0; i < output.element_count(); i += 1 + static_cast<std::int64_t>(random.below(5))) {
      const std::int64_t place[] = {i};
      const oracle::Looking how{.elements = place};
      const oracle::Look one = screened->look({&output, 1}, how);
      if (one.failed != 0) continue;
      ASSERT_EQ(one.decided, plain->look({&output, 1}, how).decided)
          << contract::to_json(contract) << ", element " << i;
      undecided += one.decided ? 0 : 1;
    }
  }
  EXPECT_GT(settled, 1'000);
  EXPECT_GT(failed, 1'000);
  EXPECT_GT(undecided, 10);
}

}  // namespace
}  // namespace negzero::scans
