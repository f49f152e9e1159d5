// Runs the host build and the GPU build of every kernel on the same cases and compares their outputs bit for bit.
//
//   cuda_agreement [CASES] [SEED] [KERNEL-GLOB]
//
// A kernel that promises gpu_to_gpu determinism must give the same bits (NaN compared as NaN), both builds must end
// alike, and the GPU's outputs must be permitted. Of a planted fault only that it ran is asked: where it races or reads
// lanes that do not exist, each executor may have its own luck. Exit code: 0 agreement, 1 not, 3 the GPU failed, 77 no
// GPU.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <negzero/device/probe.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/ulp_distance.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/run/local_executor.hpp>

namespace negzero {
namespace {

using operation::Case;
using run::Outcome;
using tensor::Tensor;
using verdict::VerdictKind;

constexpr std::uint64_t kChunk = 64;

/// One thread's executors.
struct Lane {
  run::HostExecutor host;
  std::unique_ptr<run::Executor> cuda;
};

/// What is counted about a kernel.
struct Tally {
  std::uint64_t compared = 0, identical = 0, host_fails = 0, gpu_fails = 0, unlike = 0, errors = 0;
  std::string first{};  ///< what went wrong first

  void add(const Tally& other) {
    compared += other.compared;
    identical += other.identical;
    host_fails += other.host_fails;
    gpu_fails += other.gpu_fails;
    unlike += other.unlike;
    errors += other.errors;
    if (first.empty()) first = other.first;
  }
};

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t o = 0; o < a.size(); ++o) {
    for (std::int64_t i = 0; i < a[o].element_count(); ++i) {
      if (!number::same_result(a[o].format(), a[o].get(i), b[o].get(i))) return false;
    }
  }
  return true;
}

bool fails(const Case& value, const kernel::Kernel& kernel, const Outcome& outcome, std::string& message) {
  if (outcome.status == Outcome::Status::Failed) message = outcome.failure->message;
  if (outcome.status != Outcome::Status::Completed) return outcome.status == Outcome::Status::Failed;
  // Values of a declared operation are held to a reference, which no oracle knows.
  const auto oracle = oracle::Oracle::make(value, kernel.contract);
  if (!oracle) return false;
  const auto verdict = oracle->judge(outcome.outputs);
  if (verdict.failure) message = verdict.failure->message;
  return verdict.kind == VerdictKind::Fail;
}

void compare_one(const Case& value, const kernel::Kernel& kernel, const Outcome& host, const Outcome& cuda,
                 Tally& tally) {
  const bool fixed = kernel.contract.determinism == contract::Determinism::GpuToGpu;
  const auto note = [&](const std::string& what) {
    if (tally.first.empty()) tally.first = fmt::format("case {} (strategy {}): {}", value.index, value.strategy, what);
  };
  if (cuda.status == Outcome::Status::Error) {
    ++tally.errors;
    note(cuda.reason);
    return;
  }
  ++tally.compared;
  const bool both = host.status == Outcome::Status::Completed && cuda.status == Outcome::Status::Completed;
  if (host.status != cuda.status && !kernel.is_faulty()) {
    ++tally.unlike;
    note(fmt::format("the host ends with status {}, the GPU with {}", static_cast<int>(host.status),
                     static_cast<int>(cuda.status)));
  }
  const bool same = both ? same_bits(host.outputs, cuda.outputs) : host.status == cuda.status;
  tally.identical += same ? 1 : 0;
  if (fixed && !same) note("the bits differ");
  std::string message;
  tally.host_fails += fails(value, kernel, host, message) ? 1 : 0;
  if (fails(value, kernel, cuda, message)) {
    ++tally.gpu_fails;
    if (!kernel.is_faulty()) note(message);
  }
}

void compare_chunk(Lane& lane, const kernel::Kernel& host, const kernel::Kernel& cuda, std::uint64_t seed,
                   std::uint64_t begin, std::uint64_t end, Tally& tally) {
  generate::Request request{host.operation, host.limits, host.contract, {}};
  // This process runs both: what a fault reads far from all memory would end it.
  request.limits.distant = !host.is_faulty();
  std::vector<Case> cases;
  std::vector<run::Job> jobs;
  cases.reserve(end - begin);
  for (std::uint64_t index = begin; index < end; ++index) {
    cases.push_back(generate::make_case(request, seed, index));
    jobs.push_back({&cases.back(), &host.contract});
  }
  const std::vector<Outcome> on_gpu = lane.cuda->run(jobs, cuda);
  const std::vector<Outcome> on_host = lane.host.run(jobs, host);
  for (std::size_t i = 0; i < cases.size(); ++i) compare_one(cases[i], host, on_host[i], on_gpu[i], tally);
}

/// Compares one kernel; returns whether the two builds agree.
bool compare(const kernel::Kernel& host, const kernel::Kernel& cuda, std::uint64_t cases, std::uint64_t seed,
             std::vector<Lane>& lanes) {
  const auto start = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  Tally tally;
  {
    std::vector<std::jthread> threads;
    for (Lane& lane : lanes) {
      threads.emplace_back([&] {
        Tally mine;
        for (std::uint64_t from = next.fetch_add(kChunk); from < cases; from = next.fetch_add(kChunk)) {
          compare_chunk(lane, host, cuda, seed, from, std::min(cases, from + kChunk), mine);
        }
        const std::lock_guard hold(mutex);
        tally.add(mine);
      });
    }
  }
  const bool fixed = host.contract.determinism == contract::Determinism::GpuToGpu;
  const bool right = tally.gpu_fails == 0 && (!fixed || tally.identical == tally.compared);
  const bool agrees = tally.compared > 0 && tally.errors == 0 && tally.unlike == 0 && (right || host.is_faulty());
  fmt::print(
      "{:<5} {:<34} {:>7} cases  {:>7} identical{}  failing: host {}, GPU {}  {:.1f} s  {}\n", agrees ? "ok" : "FAIL",
      host.name, tally.compared, tally.identical, fixed ? " (promised)" : "", tally.host_fails, tally.gpu_fails,
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), agrees ? "" : tally.first);
  std::fflush(stdout);
  return agrees;
}

int program(int argc, char** argv) {
  const device::Probe probe = device::probe();
  if (!probe.usable()) {
    fmt::print(stderr, "cuda_agreement: {}; {}\n", probe.why_not, probe.cure);
    return std::getenv("NEGZERO_REQUIRE_GPU") != nullptr ? 1 : 77;
  }
  const std::uint64_t cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string glob = argc > 3 ? argv[3] : "*";
  std::vector<Lane> lanes(std::max(1u, std::thread::hardware_concurrency()));
  for (Lane& lane : lanes) {
    auto made = run::CudaExecutor::make({.gpu = probe.usable_gpus().front()});
    if (!made) {
      fmt::print(stderr, "cuda_agreement: {}\n", made.error().message);
      return 3;
    }
    lane.cuda = std::move(*made);
  }
  bool agrees = true;
  for (const kernel::Kernel* host : kernel::registry().match(std::span(&glob, 1), kernel::Place::Host)) {
    const kernel::Kernel* cuda = kernel::registry().find(host->name, kernel::Place::Device);
    if (cuda == nullptr) {
      fmt::print("FAIL  {} has no GPU build\n", host->name);
      agrees = false;
      continue;
    }
    // An endless loop and a misaligned access cost this process its GPU, and the kernels behind them theirs: `negzero
    // check`, which has workers to lose, shows those.
    if (host->name.starts_with("faulty.A5") || host->name.starts_with("faulty.I3")) {
      fmt::print("left  {} ends its process\n", host->name);
      continue;
    }
    agrees = compare(*host, *cuda, cases, seed, lanes) && agrees;
  }
  return agrees ? 0 : 1;
}

}  // namespace
}  // namespace negzero

int main(int argc, char** argv) { return negzero::program(argc, argv); }
