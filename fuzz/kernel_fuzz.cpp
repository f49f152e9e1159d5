// Fuzzes kernels on the host executor: every input is a case file, and every run of it is judged.
//
//   gemm_fuzz [--kernel=GLOB ...] [--mutator=bytes] [flags of libFuzzer] [CORPUS ...]
//
// and so reduce_fuzz, scatter_fuzz. Without --kernel: all shipped kernels of the operation but faulty ones.
// --mutator=bytes leaves changes to libFuzzer, which knows no cases: most of its inputs are none and do not run. It
// serves to measure what changing cases buys (bench/first_detection.py). Kernels and judge share this process: what
// ends it is the case file that libFuzzer saves, and counts once `negzero replay` has seen it fail in a worker of its
// own.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_target.hpp"

namespace negzero::fuzz {
namespace {

std::unique_ptr<KernelTarget> target;
bool changes_bytes = false;

/// Flags where the command line names none of that name. A file of 64 KiB holds 16,000 elements of F32, about as many
/// as a changed case may have.
constexpr std::string_view kDefaults[] = {"-max_len=65536"};

std::vector<std::string> arguments;
std::vector<char*> pointers;

void add_defaults(int* argc, char*** argv) {
  arguments.assign(*argv, *argv + *argc);
  for (const std::string_view flag : kDefaults) {
    const std::string_view name = flag.substr(0, flag.find('=') + 1);
    bool is_given = false;
    for (const std::string& argument : arguments) is_given = is_given || argument.starts_with(name);
    if (!is_given) arguments.insert(arguments.begin() + 1, std::string(flag));
  }
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  *argc = static_cast<int>(arguments.size());
  *argv = pointers.data();
}

Bytes bytes_at(const std::uint8_t* data, std::size_t size) { return std::as_bytes(std::span(data, size)); }

std::size_t put(const std::optional<std::vector<std::byte>>& bytes, std::uint8_t* to) {
  if (!bytes) return 0;
  std::memcpy(to, bytes->data(), bytes->size());
  return bytes->size();
}

}  // namespace
}  // namespace negzero::fuzz

// A thread of a block runs on a stack of its own, which the address sanitizer must not replace.
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=0"; }

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace negzero::fuzz;
  constexpr std::string_view kKernel = "--kernel=";
  constexpr std::string_view kMutator = "--mutator=";
  std::vector<std::string> globs;
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (argument.starts_with(kKernel)) globs.emplace_back(argument.substr(kKernel.size()));
    if (!argument.starts_with(kMutator)) continue;
    changes_bytes = argument.substr(kMutator.size()) == "bytes";
    if (!changes_bytes) {
      std::fprintf(stderr, "%s: write --mutator=bytes, or leave it out to change cases\n", (*argv)[i]);
      std::exit(2);
    }
  }
  target = std::make_unique<KernelTarget>(NEGZERO_FUZZ_OPERATION, globs);
  add_defaults(argc, argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  negzero::fuzz::target->run(negzero::fuzz::bytes_at(data, size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  using namespace negzero::fuzz;
  if (changes_bytes) return LLVMFuzzerMutate(data, size, most);
  negzero::base::Random random(seed);
  const std::size_t written = put(target->mutated(bytes_at(data, size), most, random), data);
  return written > 0 ? written : LLVMFuzzerMutate(data, size, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                                 std::size_t b_size, std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  using namespace negzero::fuzz;
  if (changes_bytes) return 0;
  negzero::base::Random random(seed);
  return put(target->crossed(bytes_at(a, a_size), bytes_at(b, b_size), most, random), out);
}
