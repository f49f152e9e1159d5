// Verdicts never depend on the screen: outputs of real kernels, and the same outputs a step away, with and without it.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/screen.hpp>
#include <negzero/run/host_executor.hpp>

namespace negzero::oracle {
namespace {

using operation::Case;
using operation::Verdict;

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

void expect_same(const Case& value, const contract::Contract& contract, const tensor::Tensor& output,
                 const std::string& what) {
  const auto with = Oracle::make(value, contract, {.screen = true});
  const auto without = Oracle::make(value, contract, {.screen = false});
  ASSERT_TRUE(with.ok() && without.ok()) << what;
  const Verdict a = with->judge(output), b = without->judge(output);
  ASSERT_EQ(a.kind, b.kind) << what << ": " << (b.failure ? b.failure->message : "");
  EXPECT_EQ(a.failure, b.failure) << what;
}

TEST(Screen, NeverChangesAVerdict) {
  int compared = 0, screened = 0, failing = 0;
  run::HostExecutor executor;
  for (const char* name : {"gemm.naive.f32", "gemm.tiled.f32", "gemm.tiled.f16", "gemm.tiled.bf16", "gemm.split_k.f32",
                           "gemm.tiled.f16_acc_f16", "gemm.tiled.f64", "reduce.sum.tree.f32", "reduce.sum.shuffle.f32",
                           "reduce.sum.shuffle.f16"}) {
    const kernel::Kernel* kernel = kernel::registry().find(name, kernel::Executor::Host);
    ASSERT_NE(kernel, nullptr) << name;
    operation::Limits small = kernel->limits;
    small.m.max = small.n.max = 9;
    small.k.max = small.columns.max = 40;
    small.rows.max = 9;
    small.batch.max = 2;
    std::vector<contract::Contract> contracts = {kernel->contract, kernel->contract, {}};
    contracts[1].order = contract::Order::Any;
    contracts[1].wider = false;
    for (std::uint64_t index = 0; index < 120; ++index) {
      const contract::Contract& contract = contracts[index % contracts.size()];
      const Case value = generate::make_case({kernel->operation, small, contract, {}}, 11, index);
      const run::Outcome outcome = executor.run(value, *kernel, contract);
      ASSERT_EQ(outcome.status, run::Outcome::Status::Completed) << name << " " << index;
      base::Random random(index);
      screened += make_screen(value, contract) != nullptr ? 1 : 0;
      for (int i = 0; i < 6; ++i) {
        const tensor::Tensor output = i == 0 ? outcome.output : disturbed(outcome.output, random);
        expect_same(value, contract, output, std::string(name) + " case " + std::to_string(index));
        const auto oracle = Oracle::make(value, contract, {});
        failing += oracle->judge(output).kind == operation::VerdictKind::Fail ? 1 : 0;
        ++compared;
      }
    }
  }
  // The comparison means something: many cases had a screen, and many outputs were wrong.
  EXPECT_GT(screened, 300);
  EXPECT_GT(failing, compared / 10);
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

TEST(Screen, LeavesExactSumsToTheirOneValue) {
  // Sixteen ones: every order gives 16 exactly, although a bound would allow its neighbours.
  const Case value = dot_case(std::vector<float>(16, 1.0f), std::vector<float>(16, 1.0f));
  const contract::Contract contract;
  const auto screen = make_screen(value, contract);
  ASSERT_NE(screen, nullptr);
  EXPECT_TRUE(screen->passes(0, 0x41800000));
  EXPECT_FALSE(screen->passes(0, 0x41800001));
  EXPECT_FALSE(screen->passes(0, 0x417fffff));
}

TEST(Screen, SettlesNothingWhereItsArgumentsDoNotHold) {
  const Case value = dot_case(std::vector<float>(16, 1.5f), std::vector<float>(16, 0.1f));
  contract::Contract contract;
  contract.compensated = true;
  EXPECT_EQ(make_screen(value, contract), nullptr);
  contract = {};
  contract.accumulate = number::FormatId::F8_E5M2;
  EXPECT_EQ(make_screen(value, contract), nullptr);
  contract = {};
  contract.subnormal_results = contract::Subnormals::Flush;
  EXPECT_EQ(make_screen(value, contract), nullptr);
  contract = {};
  contract.promote = contract::Promote{4, number::FormatId::F32};
  EXPECT_EQ(make_screen(value, contract), nullptr);
}

TEST(Screen, LeavesTinySumsToTheExactOracle) {
  // Products of 2^-149 lose everything: vacuous, which only the exact oracle may say.
  const Case value = dot_case(std::vector<float>(16, 0x1p-75f), std::vector<float>(16, 0x1.8p-75f));
  const contract::Contract contract;
  const auto screen = make_screen(value, contract);
  ASSERT_NE(screen, nullptr);
  EXPECT_FALSE(screen->passes(0, 0));
}

}  // namespace
}  // namespace negzero::oracle
