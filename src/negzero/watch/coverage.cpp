// Which basic blocks of watched kernel code a host thread runs, and how often.

#include <negzero/watch/coverage.hpp>

#ifndef NEGZERO_SANITIZE

/// Where the linker puts the program.
extern "C" const char __executable_start;

namespace {

// initial-exec, or each block would ask a function for its address.
constinit thread_local negzero::watch::Coverage* noting __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

/// What compilers call at the beginning of each basic block.
extern "C" void __sanitizer_cov_trace_pc() {
  negzero::watch::Coverage* const coverage = noting;
  if (coverage != nullptr) coverage->note(__builtin_return_address(0));
}

namespace negzero::watch {

void Coverage::start() {
  for (const std::uint16_t slot : used_) slots_[slot] = {};
  used_.clear();
  noting = this;
}

void Coverage::stop() {
  if (noting == this) noting = nullptr;
}

std::vector<CoveredBlock> Coverage::blocks() const {
  const auto start = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&__executable_start));
  std::vector<CoveredBlock> blocks;
  blocks.reserve(used_.size());
  for (const std::uint16_t slot : used_) blocks.push_back({slots_[slot].address - start, slots_[slot].times});
  return blocks;
}

void Coverage::note_elsewhere(std::uint32_t address) {
  std::size_t at = home_of(address);
  while (slots_[at].address != 0 && slots_[at].address != address) at = (at + 1) % kSlots;
  if (slots_[at].address == 0) {
    if (used_.size() == kMost) return;
    used_.push_back(static_cast<std::uint16_t>(at));
    slots_[at].address = address;
  }
  ++slots_[at].times;
}

}  // namespace negzero::watch

#else

namespace negzero::watch {

void Coverage::start() {}
void Coverage::stop() {}
std::vector<CoveredBlock> Coverage::blocks() const { return {}; }
void Coverage::note_elsewhere(std::uint32_t) {}

}  // namespace negzero::watch

#endif
