// What one small case costs through the worker protocol, in microseconds of wall time, by the plans of a request:
// laying it out, launching it in the worker, and looking at what it left.
//
//   worker_bench PROGRAM KERNEL     PROGRAM: as of --kernels; KERNEL: a reduce.sum or a gemm that takes F32
//
// The shares within one run are what to compare: absolute times vary twofold from machine to machine.

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <negzero/generate/generate.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/run/describe.hpp>
#include <negzero/run/image.hpp>
#include <negzero/run/shared_memory.hpp>
#include <negzero/run/worker.hpp>

namespace negzero {
namespace {

constexpr std::uint64_t kTimeoutMs = 10000;
constexpr std::int64_t kExtent = 2;

/// A case in which every extent is kExtent.
operation::Case small_case(const kernel::Kernel& kernel) {
  operation::Limits limits = kernel.limits;
  for (const std::string& extent : operation::find_signature(kernel.operation)->extents) {
    limits.extents[extent] = {.min = kExtent, .max = kExtent};
  }
  return generate::make_case({kernel.operation, limits, kernel.contract, {}}, 1, 0);
}

struct Launching {
  Launching(const kernel::Kernel& kernel, std::size_t count)
      : value(small_case(kernel)), contract(kernel.contract), jobs(count, run::Job{&value, &contract}) {
    fill();
    auto start = run::Worker::start({}, kernel, memory);
    if (!start.worker) throw std::runtime_error(start.trouble);
    worker = std::move(*start.worker);
  }
  void fill() {
    image.lay_out(jobs, run::OutputPoison::Own);
    memory.reserve(image.size_bytes());
    image.fill(memory.image(), 1);
  }
  std::vector<protocol::LaunchOutcome> launch() { return worker.launch(image.plans(), false, kTimeoutMs).outcomes; }
  void look(const std::vector<protocol::LaunchOutcome>& outcomes) {
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      benchmark::DoNotOptimize(image.outcome(i, outcomes[i], memory.image()));
    }
  }

  operation::Case value;
  contract::Contract contract;
  std::vector<run::Job> jobs;
  run::Image image;
  run::SharedMemory memory;
  run::Worker worker;
};

void launch_only(benchmark::State& state, const kernel::Kernel* kernel) {
  Launching launching(*kernel, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(launching.launch());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void all_of_ours(benchmark::State& state, const kernel::Kernel* kernel) {
  Launching launching(*kernel, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    launching.fill();
    launching.look(launching.launch());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

int measure(const std::string& program, const std::string& name) {
  kernel::Registry registry;
  const auto text = run::describe_kernels({program});
  const auto known = text ? kernel::declare({{program}, *text}, registry) : base::Status(text.error());
  const kernel::Kernel* const kernel = registry.find(name, kernel::Place::Host);
  if (!known || kernel == nullptr) {
    std::fprintf(stderr, "%s\n", known ? "the program has no such kernel" : known.error().message.c_str());
    return 1;
  }
  const auto add = [&](const char* what, void (*function)(benchmark::State&, const kernel::Kernel*)) {
    benchmark::RegisterBenchmark(what, function, kernel)->RangeMultiplier(4)->Range(1, 256)->UseRealTime();
  };
  add("launch/plans", launch_only);
  add("lay_out_launch_look/plans", all_of_ours);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace negzero

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 3) {
    std::fputs("usage: worker_bench PROGRAM KERNEL\n", stderr);
    return 2;
  }
  return negzero::measure(argv[1], argv[2]);
}
