// What watching costs: one case of a kernel, laid out, run and inspected, plainly and watched. Aim: at most ten times.

#include <cstdint>

#include <benchmark/benchmark.h>

#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/run/local_executor.hpp>

namespace negzero {
namespace {

/// Items are runs of one case, threads in forward order.
void run_case(benchmark::State& state, const char* name, std::int64_t extent, kernel::Where where) {
  const kernel::Kernel* const found = kernel::registry().find(name, where);
  if (found == nullptr) return state.SkipWithError("no such kernel");
  kernel::Kernel kernel = *found;
  operation::Limits& limits = kernel.limits;
  const operation::ExtentLimit fixed{.min = extent, .max = extent}, one{.min = 1, .max = 1};
  for (const std::string& each : operation::find_signature(kernel.operation)->extents) {
    limits.extents[each] = each == "batch" || each == "rows" ? one : fixed;
  }
  limits.inputs.order = limits.output.order = operation::LayoutOrder::Packed;
  limits.alpha = operation::ScalarLimit::One;
  limits.beta = operation::ScalarLimit::Zero;
  operation::Case value =
      generate::make_case({kernel.operation, limits, kernel.contract, {.weights = {{"normal", 1.0}}}}, 1, 0);
  value.schedule = {};
  run::HostExecutor host;
  for (auto _ : state) {
    const run::Outcome outcome = host.run(value, kernel, kernel.contract);
    if (outcome.status != run::Outcome::Status::Completed) return state.SkipWithError("a correct kernel failed");
  }
  state.SetItemsProcessed(state.iterations());
}

#define NEGZERO_ROW(label, name, extent)                                         \
  BENCHMARK_CAPTURE(run_case, label##_plain, name, extent, kernel::Place::Host); \
  BENCHMARK_CAPTURE(run_case, label##_watched, name, extent, kernel::Where(kernel::Place::Host, true))

NEGZERO_ROW(gemm_tiled_32, "gemm.tiled.f32", 32);
NEGZERO_ROW(gemm_naive_32, "gemm.naive.f32", 32);
NEGZERO_ROW(reduce_tree_1k, "reduce.sum.tree.f32", 1024);
NEGZERO_ROW(reduce_shuffle_1k, "reduce.sum.shuffle.f32", 1024);
NEGZERO_ROW(scatter_add, "scatter.add.f32", 32);
// The last block takes it all: fences, and one counter for all blocks.
NEGZERO_ROW(reduce_device_1k, "reduce.sum.device.f32", 1024);

}  // namespace
}  // namespace negzero

BENCHMARK_MAIN();
