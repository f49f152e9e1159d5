// What a step of a search by changed cases costs: reading, changing and writing a case, running it, and its features.
//
// Prints steps a second of one core, on a reduction of 4 rows of 64. The shares within one run are what to compare.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/feature/feature.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/local_executor.hpp>

namespace negzero {
namespace {

using operation::Case;
using Bytes = std::vector<std::byte>;

const kernel::Kernel& reduction() {
  static const kernel::Kernel* const found = kernel::registry().find("reduce.sum.tree.f32", kernel::Place::Host);
  if (found == nullptr) throw std::runtime_error("no kernel reduce.sum.tree.f32");
  return *found;
}

/// Limits that keep every child as small as its parent.
generate::Request small_request() {
  generate::Request request{reduction().operation, reduction().limits, reduction().contract, {}};
  request.limits.extents["rows"] = {.min = 4, .max = 4};
  request.limits.extents["columns"] = {.min = 64, .max = 64};
  return request;
}

std::vector<Bytes> small_cases(const generate::Request& request) {
  std::vector<Bytes> files;
  for (std::uint64_t index = 0; index < 64; ++index) {
    files.push_back(case_file::write(generate::make_case(request, 1, index)));
  }
  return files;
}

enum class Step { Read, Mutate, MutateAndWrite, Check, Search };

/// One step after another up to the given one; Check is a run of the case as it is read, Search is all of them and the
/// deepest features, as a fuzz target does them.
void step(benchmark::State& state, Step last) {
  const generate::Request request = small_request();
  const std::vector<Bytes> files = small_cases(request);
  run::HostExecutor executor;
  std::uint64_t number = 0;
  for (auto _ : state) {
    base::Random random(++number);
    auto value = case_file::parse(files[number % files.size()]);
    if (last == Step::Check) {
      benchmark::DoNotOptimize(property::conformance(*value, reduction(), executor));
    } else if (last != Step::Read) {
      const Case child = mutate::mutate(request, *value, random);
      benchmark::DoNotOptimize(&child);
      if (last == Step::Mutate) continue;
      const Bytes written = case_file::write(child);
      benchmark::DoNotOptimize(written.data());
      if (last == Step::MutateAndWrite) continue;
      const auto read = case_file::parse(written);
      std::vector<tensor::Tensor> outputs;
      property::Judging how;
      how.observe = [&](const Case&, const run::Outcome& outcome) { outputs = outcome.outputs; };
      const verdict::Verdict verdict = property::conformance(*read, reduction(), executor, how);
      if (verdict.kind == verdict::VerdictKind::Fail) state.SkipWithError("a correct kernel failed");
      benchmark::DoNotOptimize(
          feature::features_of({*read, verdict, outputs, &reduction().contract}, feature::Depth::Sums));
    }
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(step, read, Step::Read);
BENCHMARK_CAPTURE(step, mutate, Step::Mutate);
BENCHMARK_CAPTURE(step, mutate_and_write, Step::MutateAndWrite);
BENCHMARK_CAPTURE(step, check, Step::Check);
BENCHMARK_CAPTURE(step, search, Step::Search);

/// A parent's file, the seed of a change, and what the kernel made of the child.
struct Planned {
  Bytes parent;
  std::uint64_t seed;
  std::vector<tensor::Tensor> outputs;
};

std::vector<Planned> plan(const generate::Request& request) {
  run::HostExecutor executor;
  std::vector<Planned> planned;
  for (const Bytes& parent : small_cases(request)) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      base::Random random(seed);
      property::Judging how;
      how.observe = [&](const Case&, const run::Outcome& outcome) {
        planned.push_back({parent, seed, outcome.outputs});
      };
      (void)property::conformance(mutate::mutate(request, *case_file::parse(parent), random), reduction(), executor,
                                  how);
    }
  }
  return planned;
}

enum class Runs { Nothing, Kernel };
enum class Child { ReadAgain, Kept };

/// What a fuzz target does with one input: its mutator reads a parent, changes it and writes the child; the target
/// reads that, unless it kept what it wrote, and judges an output.
void execution(benchmark::State& state, Runs runs, Child child_is) {
  const generate::Request request = small_request();
  const std::vector<Planned> planned = plan(request);
  run::HostExecutor executor;
  std::size_t number = 0;
  for (auto _ : state) {
    const Planned& next = planned[number++ % planned.size()];
    base::Random random(next.seed);
    const auto parent = case_file::parse(next.parent);
    Case child = mutate::mutate(request, *parent, random);
    const Bytes written = case_file::write(child);
    benchmark::DoNotOptimize(written.data());
    if (child_is == Child::ReadAgain) child = *case_file::parse(written);
    const verdict::Verdict verdict = runs == Runs::Kernel
                                         ? property::conformance(child, reduction(), executor)
                                         : oracle::Oracle::make(child, reduction().contract)->judge(next.outputs);
    if (verdict.kind == verdict::VerdictKind::Fail) state.SkipWithError("a correct kernel failed");
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(execution, without_kernel, Runs::Nothing, Child::ReadAgain);
BENCHMARK_CAPTURE(execution, without_kernel_child_kept, Runs::Nothing, Child::Kept);
BENCHMARK_CAPTURE(execution, with_kernel, Runs::Kernel, Child::ReadAgain);
BENCHMARK_CAPTURE(execution, with_kernel_child_kept, Runs::Kernel, Child::Kept);

void features(benchmark::State& state, feature::Depth depth) {
  const generate::Request request = small_request();
  run::HostExecutor executor;
  const Case value = generate::make_case(request, 1, 0);
  std::vector<tensor::Tensor> outputs;
  property::Judging how;
  how.observe = [&](const Case&, const run::Outcome& outcome) { outputs = outcome.outputs; };
  const verdict::Verdict verdict = property::conformance(value, reduction(), executor, how);
  for (auto _ : state) {
    benchmark::DoNotOptimize(feature::features_of({value, verdict, outputs, &reduction().contract}, depth));
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(features, setting, feature::Depth::Setting);
BENCHMARK_CAPTURE(features, elements, feature::Depth::Elements);
BENCHMARK_CAPTURE(features, sums, feature::Depth::Sums);

}  // namespace
}  // namespace negzero

BENCHMARK_MAIN();
