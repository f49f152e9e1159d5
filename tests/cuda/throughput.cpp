// Cases a second on a GPU, generated, run and judged, and what each of the three costs alone.
//
//   cuda_throughput [SECONDS]
//
// The whole is a campaign with as many jobs as there are cores, the start of its processes included. The parts are
// measured on one thread, cases run in turn and on several streams at once. Exit code: 0, 1 when a correct kernel
// failed, 77 no GPU.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/examiner.hpp>
#include <negzero/device/probe.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/run/local_executor.hpp>

namespace negzero {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Silent final : public campaign::CheckListener {
 public:
  void on_progress(const campaign::CheckPoint&) override {}
  void on_shrinking(const std::string&, const verdict::Failure&) override {}
  void on_finding(const campaign::Finding&) override {}
};

/// A shipped kernel, held to one shape, or as it is.
struct Row {
  const char* name;
  std::int64_t extent;  ///< 0: every shape that the default mix draws
  [[nodiscard]] std::string narrowed() const {
    if (extent == 0) return name;
    return fmt::format("narrowed.{}.{}", extent, name);
  }
};
constexpr Row rows[] = {{"reduce.sum.tree.f32", 0},    {"gemm.naive.f32", 0},       {"reduce.sum.tree.f32", 64},
                        {"reduce.sum.tree.f32", 1024}, {"scatter.max.cas.f32", 64}, {"gemm.tiled.f32", 32},
                        {"gemm.naive.f32", 32},        {"gemm.split_k.f32", 32}};

/// Adds a copy of a row's kernel whose limits leave one shape to the registry.
void add_narrowed(const Row& row) {
  const kernel::Kernel* found = kernel::registry().find(row.name, kernel::Place::Device);
  if (found == nullptr || row.extent == 0) return;
  kernel::Kernel kernel = *found;
  kernel.name = row.narrowed();
  operation::Limits& limits = kernel.limits;
  const operation::ExtentLimit fixed{.min = row.extent, .max = row.extent}, one{.min = 1, .max = 1};
  for (const std::string& name : operation::find_signature(kernel.operation)->extents) {
    limits.extents[name] = name == "batch" || name == "rows" ? one : fixed;
  }
  limits.inputs.order = limits.output.order = operation::LayoutOrder::Packed;
  kernel::registry().add(std::move(kernel));
}

struct Rates {
  double generate = 0, run = 0, run_at_once = 0, judge = 0;  ///< cases a second of one thread
};

Rates parts(const kernel::Kernel& kernel, int gpu, double seconds) {
  constexpr std::uint64_t kChunk = 64;
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
  Rates rates;
  std::vector<operation::Case> cases;
  auto start = Clock::now();
  std::uint64_t count = 0;
  for (; seconds_since(start) < seconds; ++count) {
    operation::Case value = generate::make_case(request, 1, count);
    if (cases.size() < kChunk) cases.push_back(std::move(value));
  }
  rates.generate = static_cast<double>(count) / seconds_since(start);
  std::vector<run::Job> jobs;
  for (const operation::Case& value : cases) jobs.push_back({&value, &kernel.contract});
  std::vector<run::Outcome> outcomes;
  auto executor = run::CudaExecutor::make({.gpu = gpu});
  if (!executor) return rates;
  for (const bool at_once : {false, true}) {
    const run::Batch batch{.at_once = at_once};
    outcomes = (*executor)->run(jobs, kernel, batch);  // Loads the kernel.
    start = Clock::now();
    for (count = 0; seconds_since(start) < seconds; count += kChunk) outcomes = (*executor)->run(jobs, kernel, batch);
    (at_once ? rates.run_at_once : rates.run) = static_cast<double>(count) / seconds_since(start);
  }
  start = Clock::now();
  for (count = 0; seconds_since(start) < seconds; ++count) {
    const std::size_t i = count % kChunk;
    if (outcomes[i].status != run::Outcome::Status::Completed) continue;
    (void)oracle::Oracle::make(cases[i], kernel.contract)->judge(outcomes[i].outputs);
  }
  rates.judge = static_cast<double>(count) / seconds_since(start);
  return rates;
}

/// Cases a second of a campaign; negative when something failed.
double whole(const kernel::Kernel& kernel, int gpu, double seconds) {
  campaign::CheckOptions options;
  options.cases = std::uint64_t{1} << 32;
  options.time_ms = static_cast<std::uint64_t>(1000 * seconds);
  options.evaluation.place = kernel::Place::Device;
  options.evaluation.gpus = {gpu};
  options.evaluation.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  Silent listener;
  const auto report = campaign::check({&kernel}, options, listener, [] { return false; });
  if (!report) {
    fmt::print("{}\n", report.error().message);
    return -1;
  }
  const campaign::KernelReport& seen = report->kernels.front();
  if (seen.fail + seen.error > 0) {
    fmt::print("{}: {} failures, {} errors {}\n", seen.name, seen.fail, seen.error, seen.note);
    return -1;
  }
  return 1000.0 * static_cast<double>(seen.cases) / static_cast<double>(report->elapsed_ms);
}

int program(int argc, char** argv) {
  const device::Probe probe = device::probe();
  if (!probe.usable()) {
    fmt::print(stderr, "cuda_throughput: {}; {}\n", probe.why_not, probe.cure);
    return std::getenv("NEGZERO_REQUIRE_GPU") != nullptr ? 1 : 77;
  }
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 5;
  const int gpu = probe.usable_gpus().front();
  bool right = true;
  // Campaigns first: they start processes, and one that has touched CUDA must not.
  std::vector<const kernel::Kernel*> kernels;
  for (const Row& row : rows) {
    kernels.push_back(kernel::registry().find(row.narrowed(), kernel::Place::Device));
    if (kernels.back() == nullptr) {
      fmt::print("{} has no GPU build\n", row.name);
      return 1;
    }
    const double rate = whole(*kernels.back(), gpu, seconds);
    right = right && rate >= 0;
    fmt::print("{:<26} {:>5}  whole: {:>8.0f} cases/s, {} jobs\n", row.name, row.extent, rate,
               std::thread::hardware_concurrency());
    std::fflush(stdout);
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Rates rates = parts(*kernels[i], gpu, 1);
    fmt::print("{:<26} {:>5}  one thread: generate {:>8.0f}/s, run {:>8.0f}/s (at once {:>8.0f}/s), judge {:>8.0f}/s\n",
               rows[i].name, rows[i].extent, rates.generate, rates.run, rates.run_at_once, rates.judge);
    std::fflush(stdout);
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace negzero

int main(int argc, char** argv) {
  // In the processes that this program starts too, which then know these kernels.
  for (const negzero::Row& row : negzero::rows) negzero::add_narrowed(row);
  if (const auto status = negzero::campaign::serve_if_called(argc, argv)) return *status;
  return negzero::program(argc, argv);
}
