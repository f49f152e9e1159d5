// `negzero doctor`: what this machine and this program can do together, and for each "no" why and what to do.

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <negzero/cli/commands.hpp>
#include <negzero/cli/executor_choice.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/kernel_program.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/confine/confinement_report.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/report/json.hpp>
#include <negzero/run/memory_budget.hpp>

namespace negzero::cli {

namespace {

/// One question, its answer, and where the answer is a no, why and what to do.
struct Fact {
  std::string name;
  bool good = true;
  std::string answer;
  std::string cure{};
};

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

std::string cpu_features() {
  std::string text;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const auto add = [&](bool has, const char* name) {
    if (!has) return;
    if (!text.empty()) text += ' ';
    text += name;
  };
  add(__builtin_cpu_supports("fma"), "fma");
  add(__builtin_cpu_supports("avx2"), "avx2");
  add(__builtin_cpu_supports("avx512f"), "avx512f");
#endif
  return text.empty() ? "none of fma, avx2, avx512f: slower, not wrong" : text;
}

Fact memory_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return {"address space", true, "unlimited"};
  return {"address space", false,
          fmt::format("limited to {:.1f} GiB; CUDA reserves far more than it uses", double(limit.rlim_cur) / kGib),
          "ulimit -v unlimited"};
}

Fact host_executor() {
  const std::string all = "*";
  const std::size_t kernels = kernel::registry().match(std::span(&all, 1), kernel::Place::Host).size();
#if defined(NEGZERO_HOST_FMA) && defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) {
    return {"host executor", false, "its kernels were built with FMA instructions, this CPU has none",
            "build again on this machine, or with -DNEGZERO_HOST_FMA=OFF"};
  }
#endif
  if (kernels == 0 && !brings_kernels()) {
    return {"host executor", true, "no kernels of its own: `negzero check FILE.cu` compiles yours"};
  }
  if (kernels == 0) return {"host executor", false, "this program has no kernels", "link some kernel files"};
  return {"host executor", true, fmt::format("{} kernels, {} cores", kernels, std::thread::hardware_concurrency())};
}

Fact cuda_files() {
  const char* const name = "CUDA files";
  const auto kit = own_kit();
  if (kit) {
    return {name, true,
            fmt::format("compiled by {}{}", kit->compiler,
                        kit->nvcc.empty() ? "" : fmt::format(", for a GPU by {}", kit->nvcc.front()))};
  }
  const std::string& text = kit.error().message;
  const std::size_t cure = text.find("; ");
  return {name, false, text.substr(0, cure),
          cure == std::string::npos ? "install negzero again" : text.substr(cure + 2)};
}

Fact fma_objects() {
#if defined(NEGZERO_HOST_FMA)
  return {"FMA in host kernels", true, "on"};
#else
  return {"FMA in host kernels", true, "off: fmaf is a library call, right but slower (-DNEGZERO_HOST_FMA=ON)"};
#endif
}

/// What there is to say about CUDA.
std::vector<Fact> cuda(const device::Probe& probe) {
  std::vector<Fact> result;
  if (!probe.has_cuda && !probe.usable()) return {{"CUDA executor", false, probe.why_not, probe.cure}};
  const std::string all = "*";
  const std::size_t kernels = kernel::registry().match(std::span(&all, 1), kernel::Place::Device).size();
  result.push_back(
      {"CUDA build", probe.has_cuda,
       probe.has_cuda ? fmt::format("CUDA runtime {}, {} kernels", device::version_text(probe.runtime_version), kernels)
                      : "none: kernels in Python run on the GPU, those in CUDA do not",
       "build with -DNEGZERO_CUDA=ON where nvcc is"});
  result.push_back(
      {"NVIDIA driver", probe.driver_version != 0,
       probe.driver_version != 0 ? fmt::format("supports CUDA {}", device::version_text(probe.driver_version)) : "none",
       probe.driver_version != 0 ? "" : probe.cure});
  for (const device::Gpu& gpu : probe.gpus) {
    result.push_back({fmt::format("GPU {}", gpu.number), gpu.trouble.empty(),
                      fmt::format("{}, compute capability {}.{}, {} multiprocessors, {:.1f} of {:.1f} GiB free{}{}",
                                  gpu.name, gpu.major, gpu.minor, gpu.multiprocessors, double(gpu.free_bytes) / kGib,
                                  double(gpu.memory_bytes) / kGib, gpu.trouble.empty() ? "" : "; ", gpu.trouble),
                      gpu.trouble.empty() ? "" : "see nvidia-smi for its other users, its mode and its errors"});
  }
  result.push_back({"CUDA executor", probe.usable(), probe.usable() ? "works" : probe.why_not, probe.cure});
  return result;
}

Fact memory_of_workers() {
  const char* const name = "memory of workers";
  const std::uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const run::MemoryBudget budget = run::memory_budget();
  const std::uint64_t fit = budget.workers_that_fit(cores, run::kWorkerBytes);
  const std::string room =
      budget.together_limit.empty()
          ? "no limit"
          : fmt::format("{:.1f} GiB free ({})", double(budget.together_bytes) / kGib, budget.together_limit);
  const std::string answer =
      fmt::format("{}: {} of {} workers fit, at {} MiB each", room, fit, cores, run::kWorkerBytes >> 20);
  if (budget.each_bytes < run::kWorkerBytes) {
    return {name, false, fmt::format("{}; each may map {} MiB only", answer, budget.each_bytes >> 20),
            budget.each_limit + " unlimited"};
  }
  if (fit == cores && budget.together_bytes >= run::kWorkerBytes) return {name, true, answer};
  return {name, false, answer, fmt::format("free some memory or raise the limit, or run slower with --jobs {}", fit)};
}

Fact float_environment(const base::FloatEnvironment& found) {
  const char* const name = "floating point";
  const std::string changes = found.changes_since(base::FloatEnvironment::cuda_default());
  if (changes.empty()) return {name, true, "as CUDA computes: to nearest, with subnormals, without traps"};
  return {name, false,
          fmt::format("this process started with another environment ({}); set right for this run", changes),
          "look at LD_PRELOAD for a library that was built with -ffast-math"};
}

std::vector<Fact> examine(const Common& common) {
  const device::Probe probe = device::probe();
  std::vector<Fact> result{{"CPU", true, cpu_features()},
                           {"compiler", true, NEGZERO_COMPILER},
                           host_executor(),
                           cuda_files(),
                           fma_objects(),
                           float_environment(common.started_with)};
  for (Fact& fact : cuda(probe)) result.push_back(std::move(fact));
  result.push_back(memory_limit());
  result.push_back(memory_of_workers());
  for (const confine::Ability& ability : confine::describe(confine::try_confinement(confine::Profile::Host))) {
    result.push_back({ability.name, ability.there, ability.answer, ability.cure});
  }
  const auto choice = choose_executor("auto", probe);
  result.push_back({"--executor auto", true, std::string(kernel::name(choice->place))});
  return result;
}

}  // namespace

int doctor(const Common& common) {
  const std::vector<Fact> facts = examine(common);
  std::string text;
  if (common.json) {
    nlohmann::ordered_json items = nlohmann::ordered_json::array();
    for (const Fact& fact : facts) {
      nlohmann::ordered_json item{{"name", fact.name}, {"ok", fact.good}, {"answer", fact.answer}};
      if (!fact.good) item["cure"] = fact.cure;
      items.push_back(std::move(item));
    }
    text = nlohmann::ordered_json{{"version", report::kJsonVersion}, {"doctor", items}}.dump(
               2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
           "\n";
  } else {
    for (const Fact& fact : facts) {
      text += fmt::format("{:<4} {:<20} {}\n", fact.good ? "ok" : "no", fact.name, fact.answer);
      if (!fact.good) text += fmt::format("     {:<20} to do: {}\n", "", fact.cure);
    }
  }
  if (!(common.json ? print_document(text) : print_text(text))) return kInfrastructure;
  // With neither, nothing can be checked.
  const bool checks = host_executor().good && (brings_kernels() || cuda_files().good);
  return checks ? kClean : kInfrastructure;
}

}  // namespace negzero::cli
