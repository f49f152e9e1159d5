// How a process ended that launched kernels, in words and as an outcome.

#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include <negzero/base/duration.hpp>
#include <negzero/base/printable.hpp>
#include <negzero/protocol/worker_wire.hpp>
#include <negzero/run/death.hpp>
#include <negzero/run/image.hpp>
#include <negzero/run/memory_budget.hpp>
#include <negzero/run/printed.hpp>

namespace negzero::run {

namespace {

std::string how(const Death& death) {
  switch (death.kind) {
    case Death::Kind::Signal:
      return fmt::format("killed by signal {} ({})", death.code, ::strsignal(death.code));
    case Death::Kind::Exit:
      return fmt::format("the process ended itself with exit status {}", death.code);
    case Death::Kind::Hang:
      return "no answer within " + base::duration_text(static_cast<std::uint64_t>(death.code));
    case Death::Kind::Memory:
      return "the system gave the process no more memory";
    case Death::Kind::Garbage:
      // In ours nothing but a kernel does that, and what it wrote means nothing.
      return death.where == protocol::Whereabouts::InFunction
                 ? "what the process sent is no answer of the worker protocol, or it closed its socket"
                 : "the process wrote to, or closed, the socket to its parent";
    case Death::Kind::Version:
      return protocol::other_version_text(static_cast<std::uint8_t>(death.code));
  }
  return "unknown";
}

}  // namespace

std::string Death::to_string() const {
  static constexpr const char* kWhen[] = {" outside the kernel's launch", " in the kernel's launch wrapper",
                                          " while the kernel ran", " in the kernel's function"};
  const char* const when = kind == Kind::Version ? ""
                           : is_start            ? " before it was ready to run the kernel"
                                                 : kWhen[static_cast<std::size_t>(where)];
  return how(*this) + when + (touched.empty() ? "" : ": " + touched) +
         (printed.empty() ? "" : "; the last that it printed: " + base::quoted(printed, kMostQuoted));
}

bool Death::is_from_outside() const { return kind == Kind::Memory || (kind == Kind::Signal && code == SIGKILL); }

Outcome outcome_of(const Death& death) {
  if (death.kind != Death::Kind::Hang) return failed(protocol::Fault::Crash, death.to_string());
  std::string message = death.to_string();
  if (death.where == protocol::Whereabouts::InKernel) {
    message +=
        " (on the host executor a loop that waits for another thread needs an atomic, a fence, __nanosleep or a "
        "volatile access in a file of kernels/: nothing else lets others run)";
  }
  return failed(protocol::Fault::Hang, std::move(message));
}

Outcome told(const Death& death) {
  const MemoryBudget budget = memory_budget();
  if (death.kind == Death::Kind::Hang || budget.each_bytes >= kWorkerBytes) return outcome_of(death);
  return error(fmt::format("{}: but a process may map {} MiB here ({}), and one that runs kernels needs {}; raise it",
                           death.to_string(), budget.each_bytes >> 20, budget.each_limit, kWorkerBytes >> 20));
}

Outcome unsettled(const Death& death) {
  if (death.kind == Death::Kind::Memory) return error(kTooLittleMemory);
  return error(fmt::format(
      "the process that ran the kernel was killed from outside {} times (signal 9): by too little memory, most likely; "
      "try fewer --jobs, and see `negzero doctor`",
      kMostKills));
}

}  // namespace negzero::run
