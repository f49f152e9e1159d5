// What one checked case costs: generation, the host executor and the oracle apart, and all three together.
//
// Prints cases a second of one core. The shares of a case within one run are what to compare; absolute numbers vary
// twofold from machine to machine.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/local_executor.hpp>

namespace negzero {
namespace {

/// A kernel with limits that leave one shape: what a row of the table of targets names.
struct Subject {
  kernel::Kernel kernel;
  generate::Request request;
};

Subject subject(const std::string& name, std::int64_t extent) {
  const kernel::Kernel* found = kernel::registry().find(name, kernel::Place::Host);
  if (found == nullptr) throw std::runtime_error("no kernel " + name);
  Subject result{*found, {}};
  operation::Limits& limits = result.kernel.limits;
  const operation::ExtentLimit fixed{.min = extent, .max = extent}, one{.min = 1, .max = 1};
  for (const std::string& each : operation::find_signature(found->operation)->extents) {
    limits.extents[each] = each == "batch" || each == "rows" ? one : fixed;
  }
  limits.inputs.order = limits.output.order = operation::LayoutOrder::Packed;
  result.request = {found->operation, limits, found->contract, {}};
  return result;
}

/// The same with cases of one strategy only and nothing to scale.
Subject subject(const std::string& name, const std::string& strategy, std::int64_t extent) {
  Subject result = subject(name, extent);
  result.kernel.limits.alpha = result.request.limits.alpha = operation::ScalarLimit::One;
  result.kernel.limits.beta = result.request.limits.beta = operation::ScalarLimit::Zero;
  result.request.mix.weights = {{strategy, 1.0}};
  return result;
}

void generate_only(benchmark::State& state, const char* name, const char* strategy, std::int64_t extent) {
  const Subject s = subject(name, strategy, extent);
  std::uint64_t index = 0;
  for (auto _ : state) benchmark::DoNotOptimize(generate::make_case(s.request, 1, index++));
  state.SetItemsProcessed(state.iterations());
}

void run_only(benchmark::State& state, const char* name, const char* strategy, std::int64_t extent) {
  const Subject s = subject(name, strategy, extent);
  const operation::Case value = generate::make_case(s.request, 1, 0);
  run::HostExecutor executor;
  for (auto _ : state) benchmark::DoNotOptimize(executor.run(value, s.kernel, s.kernel.contract));
  state.SetItemsProcessed(state.iterations());
}

void judge_only(benchmark::State& state, const char* name, const char* strategy, std::int64_t extent, bool screen) {
  const Subject s = subject(name, strategy, extent);
  const operation::Case value = generate::make_case(s.request, 1, 0);
  run::HostExecutor executor;
  const run::Outcome outcome = executor.run(value, s.kernel, s.kernel.contract);
  for (auto _ : state) {
    const auto oracle = oracle::Oracle::make(value, s.kernel.contract, {.screen = screen});
    benchmark::DoNotOptimize(oracle->judge(outcome.outputs));
  }
  state.SetItemsProcessed(state.iterations());
}

/// What generation costs in a campaign, as judge_campaign() below.
void generate_campaign(benchmark::State& state, const std::string& name, const std::string& strategy) {
  Subject s = subject(name, 32);
  if (!strategy.empty()) s.request.mix.weights = {{strategy, 1.0}};
  std::uint64_t index = 0;
  for (auto _ : state) benchmark::DoNotOptimize(generate::make_case(s.request, 1, index++));
  state.SetItemsProcessed(state.iterations());
}

/// What judging costs in a campaign: many cases with every alpha, beta and C that the generator draws, of one strategy
/// or, without a name, of the default mix.
void judge_campaign(benchmark::State& state, const std::string& name, const std::string& strategy) {
  Subject s = subject(name, 32);
  if (!strategy.empty()) s.request.mix.weights = {{strategy, 1.0}};
  constexpr std::uint64_t kCases = 128;
  run::HostExecutor executor;
  std::vector<operation::Case> cases;
  std::vector<run::Outcome> outcomes;
  for (std::uint64_t index = 0; index < kCases; ++index) {
    cases.push_back(generate::make_case(s.request, 1, index));
    outcomes.push_back(executor.run(cases.back(), s.kernel, s.kernel.contract));
  }
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCases; ++i) {
      const auto oracle = oracle::Oracle::make(cases[i], s.kernel.contract, {});
      benchmark::DoNotOptimize(oracle->judge(outcomes[i].outputs));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCases));
}

const bool campaigns = [] {
  std::vector<std::string> strategies = {""};
  for (const generate::Strategy& strategy : generate::strategies()) strategies.emplace_back(strategy.name);
  for (const char* kernel : {"gemm.tiled.f32", "gemm.naive.f32", "gemm.split_k.f32", "gemm.tiled.f16",
                             "gemm.tiled.f16_acc_f16", "gemm.tiled.f64"}) {
    for (const std::string& strategy : strategies) {
      const std::string label = std::string(kernel) + "/" + (strategy.empty() ? "mix" : strategy);
      benchmark::RegisterBenchmark(("judge_campaign/" + label).c_str(), judge_campaign, kernel, strategy);
      benchmark::RegisterBenchmark(("generate_campaign/" + label).c_str(), generate_campaign, kernel, strategy);
    }
  }
  return true;
}();

void whole(benchmark::State& state, const char* name, const char* strategy, std::int64_t extent) {
  const Subject s = subject(name, strategy, extent);
  run::HostExecutor executor;
  std::uint64_t index = 0;
  for (auto _ : state) {
    const operation::Case value = generate::make_case(s.request, 1, index++);
    if (property::conformance(value, s.kernel, executor).kind == verdict::VerdictKind::Fail) {
      state.SkipWithError("a correct kernel failed");
    }
  }
  state.SetItemsProcessed(state.iterations());
}

#define NEGZERO_ROWS(label, name, strategy, extent)                                 \
  BENCHMARK_CAPTURE(generate_only, label, name, strategy, extent);                  \
  BENCHMARK_CAPTURE(run_only, label, name, strategy, extent);                       \
  BENCHMARK_CAPTURE(judge_only, label, name, strategy, extent, true);               \
  BENCHMARK_CAPTURE(judge_only, label##_unscreened, name, strategy, extent, false); \
  BENCHMARK_CAPTURE(whole, label, name, strategy, extent)

NEGZERO_ROWS(gemm_32_f32, "gemm.tiled.f32", "normal", 32);
NEGZERO_ROWS(gemm_32_f32_bits, "gemm.tiled.f32", "bits", 32);
NEGZERO_ROWS(gemm_32_split_k, "gemm.split_k.f32", "normal", 32);
NEGZERO_ROWS(gemm_32_f16, "gemm.tiled.f16", "normal", 32);
NEGZERO_ROWS(reduce_1k_f32, "reduce.sum.tree.f32", "normal", 1024);

}  // namespace
}  // namespace negzero

BENCHMARK_MAIN();
