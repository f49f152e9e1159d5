// Verdicts never depend on the screen: outputs of real kernels, and the same outputs a step away, with and without it.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/screen.hpp>
#include <negzero/oracle/witness.hpp>
#include <negzero/run/local_executor.hpp>

#include "../screen_of.hpp"

namespace negzero::oracle {
namespace {

using operation::Case;
using verdict::Verdict;

/// One element moved: to a neighbour, a few steps away, to a special value, or its sign turned.
tensor::Tensor disturbed(const tensor::Tensor& output, base::Random& random) {
  tensor::Tensor result = output;
  if (output.element_count() == 0) return result;
  const auto at = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(output.element_count())));
  const number::Format& format = output.format();
  std::uint64_t word = output.get(at);
  switch (random.below(6)) {
    case 0:
      word = number::next_up(format, word);
      break;
    case 1:
      word = number::next_down(format, word);
      break;
    case 2:
      for (std::uint64_t steps = random.below(40); steps > 0; --steps) word = number::next_up(format, word);
      break;
    case 3:
      word ^= format.sign_mask();
      break;
    case 4:
      word = number::zero(format, random.one_in(2));
      break;
    default:
      word = random.next() & format.word_mask();
  }
  result.set(at, word);
  return result;
}

/// Judges an output with the screen and without; whether it fails.
bool fails_alike(const Oracle& with, const Oracle& without, const std::vector<tensor::Tensor>& outputs,
                 const std::string& what) {
  std::vector<OutputElement> a_failing, b_failing;
  const Verdict a = with.judge(outputs, &a_failing), b = without.judge(outputs, &b_failing);
  EXPECT_EQ(a.kind, b.kind) << what << ": " << (b.failure ? b.failure->message : "");
  EXPECT_EQ(a.failure, b.failure) << what;
  EXPECT_EQ(a_failing, b_failing) << what;
  return a.kind == verdict::VerdictKind::Fail;
}

/// At most two batches, 40 terms a sum, and so many rows and columns of results.
void shrink(operation::Limits& limits, const std::string& operation, std::int64_t lines) {
  for (const std::string& name : operation::find_signature(operation)->extents) {
    limits.extents[name].max = name == "batch" ? 2 : name == "k" || name == "columns" ? 40 : lines;
  }
}

TEST(Screen, NeverChangesAVerdict) {
  // NEGZERO_SCREEN_TOTAL asks for so many elements: of 10^7 each operation has more than 10^4.
  const char* const asked = std::getenv("NEGZERO_SCREEN_TOTAL");
  const std::int64_t most = asked == nullptr ? 400'000 : std::atoll(asked);
  struct Count {
    std::int64_t elements = 0;
    int screened = 0, judged = 0, failing = 0;
  };
  std::map<std::string, Count> counts;
  std::vector<const kernel::Kernel*> kernels = kernel::registry().match(std::array<std::string, 1>{"*"}, {});
  std::erase_if(kernels, [](const kernel::Kernel* kernel) { return kernel->is_faulty(); });
  run::HostExecutor executor;
  std::int64_t compared = 0;
  for (std::uint64_t index = 0; compared < most && !HasFailure(); ++index) {
    for (const kernel::Kernel* const kernel : kernels) {
      operation::Limits small = kernel->limits;
      shrink(small, kernel->operation, 9);
      contract::Contract contract = index % 3 == 2 ? contract::Contract{} : kernel->contract;
      contract.scalar_format = kernel->contract.scalar_format;  // In no other does the kernel take them.
      if (index % 3 == 1) contract.order = contract::Order::Any;
      if (index % 3 == 1) contract.wider = false;
      const Case value = generate::make_case({kernel->operation, small, contract, {}}, 11, index);
      const auto with = Oracle::make(value, contract, {.screen = true}),
                 without = Oracle::make(value, contract, {.screen = false});
      if (!with.ok()) continue;
      run::Outcome outcome = executor.run(value, *kernel, contract);
      ASSERT_EQ(outcome.status, run::Outcome::Status::Completed) << kernel->name << " " << index;
      base::Random random(index);
      Count& count = counts[kernel->operation];
      count.screened += with->make_screens().empty() ? 0 : 1;
      for (int i = 0; i < 6; ++i) {
        if (i > 0) outcome.outputs.front() = disturbed(outcome.outputs.front(), random);
        count.failing += fails_alike(*with, *without, outcome.outputs, kernel->name + " case " + std::to_string(index));
        ++count.judged;
        for (const tensor::Tensor& output : outcome.outputs) {
          count.elements += output.element_count();
          compared += output.element_count();
        }
      }
    }
  }
  // The comparison means something: many cases had a screen, and many outputs were wrong.
  const std::set<std::string> sums{"gemm",        "gemm.grouped",   "reduce.sum",
                                   "reduce.mean", "scan.inclusive", "scatter.add"};
  for (const auto& [operation, count] : counts) {
    std::printf("%-20s %9lld elements, %6d of %6d outputs fail, %6d cases with a screen\n", operation.c_str(),
                static_cast<long long>(count.elements), count.failing, count.judged, count.screened);
    EXPECT_GT(count.failing, count.judged / 10) << operation;
    EXPECT_EQ(sums.contains(operation) && count.screened == 0, false) << operation;
  }
}

/// Contracts under which each argument of the screen holds somewhere, and fails somewhere.
std::vector<contract::Contract> variations(const contract::Contract& base, base::Random& random, int count) {
  using namespace contract;
  std::vector<Contract> contracts;
  const auto one_of = [&](auto... values) {
    const std::array all{values...};
    return all[random.below(all.size())];
  };
  for (int i = 0; i < count; ++i) {
    Contract contract = base;
    contract.order = one_of(Order::Any, Order::Any, Order::Any, Order::Ascending);
    contract.contraction = one_of(Contraction::Fused, Contraction::Separate, Contraction::Either);
    contract.start = one_of(Start::PlusZero, Start::FirstTerm, Start::C, Start::Any);
    contract.alpha =
        one_of(AlphaPlace::Epilogue, AlphaPlace::Epilogue, AlphaPlace::Operand, AlphaPlace::Any, AlphaPlace::Partial);
    contract.beta = one_of(BetaPlace::Epilogue, BetaPlace::Epilogue, BetaPlace::Leaf, BetaPlace::Any);
    contract.wider = random.one_in(4);
    contract.zero_sign = one_of(ZeroSign::Ieee, ZeroSign::Any);
    contract.overflow = one_of(OverflowPolicy::Ieee, OverflowPolicy::Ieee, OverflowPolicy::Saturate,
                               OverflowPolicy::Nan, OverflowPolicy::Either);
    if (random.one_in(3)) contract.scalar_format.reset();
    contract.subnormal_inputs = one_of(Subnormals::Keep, Subnormals::Keep, Subnormals::Flush, Subnormals::Either);
    contract.subnormal_results = one_of(Subnormals::Keep, Subnormals::Keep, Subnormals::Flush, Subnormals::Either);
    if (random.one_in(6)) contract.accumulate = number::FormatId::BF16;
    if (random.one_in(3)) contract.slice_format = one_of(number::FormatId::F16, number::FormatId::BF16);
    if (contract.slice_format && random.one_in(3)) contract.slices = random.between(1, 3);
    if (random.one_in(8)) contract.output_rounding = number::Rounding::TowardZero;
    if (validate(contract)) contracts.push_back(contract);
  }
  return contracts;
}

/// What stands at the ends of a permitted set, one step inside and one step outside, and everything special.
std::vector<std::uint64_t> words_around(const Permitted& permitted, base::Random& random) {
  const number::Format& format = number::format(permitted.format);
  std::vector<std::uint64_t> words = permitted.only;
  if (permitted.finite) {
    // Modulo 2^64: the ordinals of F64 lie further apart than a signed difference holds.
    const auto low = static_cast<std::uint64_t>(permitted.hull().low);
    const auto inside =
        static_cast<std::int64_t>(low + random.below(static_cast<std::uint64_t>(permitted.hull().high) - low + 1));
    for (const std::int64_t position : {permitted.hull().low, permitted.hull().high, inside}) {
      const std::uint64_t word = number::from_ordinal(format, position);
      words.insert(words.end(), {word, number::next_up(format, word), number::next_down(format, word)});
    }
  }
  for (const bool negative : {false, true}) {
    words.insert(words.end(), {number::zero(format, negative), number::infinity(format, negative),
                               number::max_finite(format, negative)});
  }
  words.push_back(number::canonical_nan(format));
  return words;
}

TEST(Screen, PassesNothingThatIsNotPermitted) {
  std::array<int, 2> settled{};  // by the values that the permitted set holds: one, several
  int infinities = 0, rejected = 0;
  for (const char* name : {"gemm.tiled.f32", "gemm.tiled.f16", "gemm.tiled.f16_acc_f16", "gemm.tiled.bf16",
                           "gemm.tiled.f64", "reduce.sum.tree.f32"}) {
    const kernel::Kernel* kernel = kernel::registry().find(name, kernel::Place::Host);
    ASSERT_NE(kernel, nullptr) << name;
    operation::Limits small = kernel->limits;
    shrink(small, kernel->operation, 5);
    base::Random random(7);
    std::uint64_t index = 0;
    for (const contract::Contract& contract : variations(kernel->contract, random, 3000)) {
      const Case value = generate::make_case({kernel->operation, small, contract, {}}, 12, index++);
      const auto screen = screen_of(value, contract);
      const auto oracle = Oracle::make(value, contract, {});
      // Not every contract fits a reduction.
      if (screen == nullptr || !oracle.ok()) continue;
      const std::int64_t outputs = tensor::Tensor(operation::output_specs(value.operation).front().format,
                                                  operation::output_specs(value.operation).front().shape)
                                       .element_count();
      for (std::int64_t element = 0; element < std::min<std::int64_t>(outputs, 6); ++element) {
        const Permitted permitted = oracle->permitted(element);
        for (const std::uint64_t word : words_around(permitted, random)) {
          const Settled seen = screen->settle(element, word);
          if (!seen.passes) {
            ++rejected;
            continue;
          }
          ASSERT_TRUE(permitted.contains(word))
              << name << " case " << index - 1 << " element " << element << ": "
              << number::to_hex(number::format(permitted.format), word) << " is not in " << permitted.to_string()
              << " by " << permitted.rule << ", " << contract::to_json(contract);
          ASSERT_FALSE(screen->decides(element) && permitted.vacuous)
              << name << " case " << index - 1 << " element " << element << ", " << contract::to_json(contract);
          ++settled[permitted.finite && permitted.low < permitted.high ? 1 : 0];
          infinities += number::is_infinity(number::format(permitted.format), word) ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(settled[0], 50000);
  EXPECT_GT(settled[1], 10000);
  EXPECT_GT(infinities, 2000);
  EXPECT_GT(rejected, 100000);
}

/// A Gemm of one output with the values of a and b.
Case dot_case(const std::vector<float>& a, const std::vector<float>& b) {
  Case value;
  value.operation = operation::Gemm{.m = 1, .n = 1, .k = static_cast<std::int64_t>(a.size())};
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  const number::Format& f32 = number::format(number::FormatId::F32);
  for (std::size_t i = 0; i < a.size(); ++i) {
    value.tensors.at("a").set(static_cast<std::int64_t>(i), number::from_double(f32, static_cast<double>(a[i])));
    value.tensors.at("b").set(static_cast<std::int64_t>(i), number::from_double(f32, static_cast<double>(b[i])));
  }
  operation::pack_missing_layouts(value);
  return value;
}

/// The same with a scaled sum and one C, under a contract that rounds each product and each addition.
Settled settle_separately(Case value, double alpha, double beta, double c, std::uint64_t word,
                          contract::Subnormals results = contract::Subnormals::Keep) {
  const number::Format& f32 = number::format(number::FormatId::F32);
  value.operation.scalars()[0] = {number::FormatId::F32, number::from_double(f32, alpha)};
  value.operation.scalars()[1] = {number::FormatId::F32, number::from_double(f32, beta)};
  value.tensors.at("c").set(0, number::from_double(f32, c));
  contract::Contract contract;
  contract.wider = false;
  contract.contraction = contract::Contraction::Separate;
  contract.alpha = contract::AlphaPlace::Epilogue;
  contract.beta = contract::BetaPlace::Epilogue;
  contract.subnormal_results = results;
  const Settled settled = screen_of(value, contract)->settle(0, word);
  const auto oracle = Oracle::make(value, contract, {});
  EXPECT_TRUE(!settled.passes || oracle->permitted(0).contains(word));
  return settled;
}

TEST(Screen, LooksAtWhatOverflowsInTheEpilogue) {
  // s = -2^126 with sums of several ulps to either side: four times the lower ones overflow, the upper ones do not.
  std::vector<float> a(16), ones(16, 1.0f);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = i % 2 == 0 ? -0x1.000002p122f : -0x0.fffffep122f;
  const Case value = dot_case(a, ones);
  EXPECT_TRUE(settle_separately(value, 2, 1, 0x1p105, 0xfefffffc).passes);
  // -max is no number plus 2^105, and -max itself was an infinity before C came.
  EXPECT_FALSE(settle_separately(value, 4, 1, 0x1p105, 0xff7fffff).passes);
}

TEST(Screen, GivesNoInfinityToSumsThatMeetAnother) {
  std::vector<float> a(16, 0x1p125f);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += static_cast<float>(i) * 0x1p102f;
  const Case value = dot_case(a, std::vector<float>(16, 1.0f));
  constexpr std::uint32_t kInfinity = 0x7f800000;
  EXPECT_TRUE(settle_separately(value, 1, 1, -0x1p126, kInfinity).passes);
  // fl(beta * c) is -Inf.
  EXPECT_FALSE(settle_separately(value, 1, 2, -0x1p127, kInfinity).passes);
}

TEST(Screen, LeavesLongSumsInNarrowAccumulatorsOpen) {
  // 200 roundings of 2^-8 each may add up to more than half of S: vacuous, whatever was observed.
  std::vector<float> a(200);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = 1 + static_cast<float>(i % 128) / 128;
  const Case value = dot_case(a, std::vector<float>(200, 1.0f));
  contract::Contract contract;
  contract.accumulate = number::FormatId::BF16;
  contract.wider = false;
  const Permitted permitted = Oracle::make(value, contract, {})->permitted(0);
  ASSERT_TRUE(permitted.vacuous);
  const auto screen = screen_of(value, contract);
  const number::Format &own = number::format(permitted.format), &narrow = number::format(contract.accumulate);
  const std::uint64_t exact = number::from_double(own, permitted.exact);
  const std::uint64_t word = number::convert(narrow, number::from_double(narrow, permitted.exact), own, {});
  EXPECT_TRUE(screen->settle(0, word).passes);
  EXPECT_FALSE(screen->settle(0, exact).passes) << "no number of BF16";
  EXPECT_FALSE(permitted.contains(exact));
  EXPECT_FALSE(screen->decides(0));
}

TEST(Screen, LeavesWhatMayBeFlushedToTheExactOracle) {
  // Products of 2^-128 with a sum that is a normal number.
  const Case value = dot_case(std::vector<float>(16, 0x1p-64f), std::vector<float>(16, 0x1.8p-64f));
  const Case subnormal = dot_case(std::vector<float>(16, 0x1p-128f), std::vector<float>(16, 0x1.8p20f));
  contract::Contract contract;
  const std::uint64_t word = number::from_double(number::format(number::FormatId::F32), 0x1.8p-124);
  const std::uint64_t other = number::from_double(number::format(number::FormatId::F32), 0x1.8p-104);
  EXPECT_TRUE(screen_of(value, contract)->settle(0, word).passes);
  EXPECT_TRUE(screen_of(subnormal, contract)->settle(0, other).passes);
  contract.subnormal_results = contract::Subnormals::Flush;
  EXPECT_FALSE(screen_of(value, contract)->settle(0, word).passes);
  EXPECT_TRUE(screen_of(subnormal, contract)->settle(0, other).passes);
  contract.subnormal_inputs = contract::Subnormals::Flush;
  EXPECT_EQ(screen_of(subnormal, contract), nullptr);
}

TEST(Screen, LeavesEachStepThatMayBeFlushedToTheExactOracle) {
  const auto expect_left = [](const Case& value, double alpha, double beta, double c, double result) {
    const std::uint64_t word = number::from_double(number::format(number::FormatId::F32), result);
    EXPECT_TRUE(settle_separately(value, alpha, beta, c, word).passes);
    EXPECT_FALSE(settle_separately(value, alpha, beta, c, word, contract::Subnormals::Flush).passes);
  };
  // The sum is a subnormal, and so is no other number.
  expect_left(dot_case({0x1.00001p-60f, -0x1p-60f}, {0x1p-60f, 0x1p-60f}), 0x1p20, 0, 0, 0x1p-120);
  const Case normal = dot_case({0x1p-60f, 0x1p-60f}, {0x1p-60f, 0x1p-60f});
  expect_left(normal, 0x1p-30, 0, 0, 0x1p-149);
  expect_left(normal, 1, -0x1p-20, 0x1.00001p-99, -0x1p-139);
}

TEST(Screen, LeavesExactSumsToTheirOneValue) {
  // Sixteen ones: every order gives 16 exactly, although a bound would allow its neighbours.
  const Case value = dot_case(std::vector<float>(16, 1.0f), std::vector<float>(16, 1.0f));
  const contract::Contract contract;
  const auto screen = screen_of(value, contract);
  ASSERT_NE(screen, nullptr);
  EXPECT_TRUE(screen->settle(0, 0x41800000).passes);
  EXPECT_TRUE(screen->decides(0));
  EXPECT_FALSE(screen->settle(0, 0x41800001).passes);
  EXPECT_FALSE(screen->settle(0, 0x417fffff).passes);
}

TEST(Screen, SettlesNothingWhereItsArgumentsDoNotHold) {
  const Case value = dot_case(std::vector<float>(16, 1.5f), std::vector<float>(16, 0.1f));
  contract::Contract contract;
  contract.compensated = true;
  EXPECT_EQ(screen_of(value, contract), nullptr);
  contract = {};
  contract.accumulate = number::FormatId::F8_E5M2;
  EXPECT_EQ(screen_of(value, contract), nullptr);
  contract = {};
  contract.promote = contract::Promote{4, number::FormatId::F32};
  EXPECT_EQ(screen_of(value, contract), nullptr);
}

TEST(Screen, LeavesTinySumsToTheExactOracle) {
  // Products of 2^-149 lose everything: vacuous, which only the exact oracle may say.
  const Case value = dot_case(std::vector<float>(16, 0x1p-75f), std::vector<float>(16, 0x1.8p-75f));
  const contract::Contract contract;
  const auto screen = screen_of(value, contract);
  ASSERT_NE(screen, nullptr);
  EXPECT_FALSE(screen->settle(0, 0).passes && screen->decides(0));
}

/// Factors of a few products among zeros, subnormals, infinities and NaNs.
template <class Value>
GemmFactors<Value> some_factors(std::int64_t batch, GemmShape shape, base::Random& random) {
  tensor::Tensor a(number::FormatId::F32, {batch, shape.m, shape.k}),
      b(number::FormatId::F32, {batch, shape.k, shape.n});
  for (tensor::Tensor* tensor : {&a, &b}) {
    for (std::int64_t i = 0; i < tensor->element_count(); ++i) {
      const std::uint64_t word = random.next() >> 32;
      tensor->set(i, random.below(4) == 0 ? word & 0x80000003 : random.below(8) != 0 ? word & 0xbfffffff : word);
    }
  }
  return {batch, shape, values_of<Value>(a, contract::Multiplicand::Exact),
          values_of<Value>(b, contract::Multiplicand::Exact)};
}

template <class Arithmetic>
void expect_blocks_like_elements(base::Random& random) {
  using Value = typename Arithmetic::Value;
  const auto same = [](auto x, auto y) { return x == y || (x != x && y != y); };
  for (int round = 0; round < 200; ++round) {
    const auto extent = [&](std::int64_t most) { return random.between(0, most); };
    const GemmFactors<Value> factors = some_factors<Value>(extent(3), {extent(5), extent(20), extent(40)}, random);
    const GemmShape& shape = factors.shape;
    const std::vector<Known> all = known_of(factors);
    const Chains<Arithmetic> chains = chains_of<Arithmetic>(factors, ChainKinds::Both);
    ASSERT_EQ(static_cast<std::int64_t>(all.size()), factors.batch * shape.m * shape.n);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto element = static_cast<std::int64_t>(i);
      const Known one = known_of(factors, element);
      ASSERT_TRUE(same(one.sum, all[i].sum) && same(one.magnitude, all[i].magnitude)) << i;
      ASSERT_EQ(one.terms, all[i].terms) << i;
      ASSERT_EQ(one.lowest_bit, all[i].lowest_bit) << i;
      Value fused = 0, separate = 0;
      for (std::int64_t k = 0; k < shape.k; ++k) {
        const Value x = factors.a.value[shape.a_begin(element) + static_cast<std::size_t>(k)];
        const Value y = factors.b.value[shape.b_begin(element) + static_cast<std::size_t>(k * shape.n)];
        fused = Arithmetic::multiply_add(x, y, fused);
        separate = Arithmetic::add(Arithmetic::multiply(x, y), separate);
      }
      ASSERT_TRUE(same(fused, chains.fused[i]) && same(separate, chains.separate[i])) << i;
    }
  }
}

TEST(Witness, BlocksOfColumnsGiveWhatElementsGiveOneByOne) {
  base::Random random(3);
  expect_blocks_like_elements<HostF32>(random);
  expect_blocks_like_elements<HostF64>(random);
  expect_blocks_like_elements<HostNarrow<number::FormatId::F16>>(random);
  expect_blocks_like_elements<HostNarrow<number::FormatId::BF16>>(random);
}

}  // namespace
}  // namespace negzero::oracle
