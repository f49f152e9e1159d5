// Running, changing and crossing cases for libFuzzer.

#include "kernel_target.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <negzero/base/glob.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/feature/feature.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/mutate/shape.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/tensor/layout.hpp>

// libFuzzer takes every byte of this section for a counter and clears it before each run. The compiler knows of no
// reader.
constexpr std::size_t kCounterBits = 15;
[[gnu::section("__libfuzzer_extra_counters"), gnu::used]] static std::uint8_t counters[std::size_t{1} << kCounterBits];

namespace negzero::fuzz {
namespace {

using operation::Case;
using verdict::Verdict;
using verdict::VerdictKind;

/// Most bytes that the layouts of a case may span: with poison around them and a sanitizer's shadow it stays far below
/// libFuzzer's limit. The mutator makes none so large; a corpus from elsewhere may hold one.
constexpr std::int64_t kMostSpannedBytes = std::int64_t{1} << 26;

bool is_affordable(const Case& value) {
  std::int64_t bytes = 0;
  for (const auto& [name, layout] : value.layouts) bytes += 8 * layout.extent();
  return bytes <= kMostSpannedBytes;
}

generate::Request request_of(const kernel::Kernel& kernel) {
  return {kernel.operation, kernel.limits, kernel.contract, {}};
}

/// Lets a child name the kernel whose limits it keeps, and be judged by that one's contract.
void make_case_of(const kernel::Kernel& kernel, Case& child) {
  child.kernel = kernel.name;
  child.contract.clear();
}

[[noreturn]] void end_with(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

}  // namespace

void count_features(std::string_view operation, std::span<const std::uint32_t> features) {
  std::uint64_t salt = 0;
  for (const char c : operation) salt = base::mix64(salt ^ static_cast<unsigned char>(c));
  for (const std::uint32_t feature : features) counters[base::mix64(salt ^ feature) >> (64 - kCounterBits)] = 1;
}

KernelTarget::KernelTarget(std::string_view operation, std::span<const std::string> globs) {
  for (const std::string& error : kernel::registry().errors()) std::fprintf(stderr, "left out: %s\n", error.c_str());
  for (const kernel::Kernel* kernel : kernel::registry().match(globs, kernel::Place::Host)) {
    const std::string_view name = kernel->operation;
    if (name.substr(0, name.find('.')) == operation) kernels_.push_back(kernel);
  }
  if (!kernels_.empty()) return;
  std::fprintf(stderr, "no kernel of %.*s matches: see `negzero list kernels`\n", static_cast<int>(operation.size()),
               operation.data());
  std::exit(2);
}

std::vector<const kernel::Kernel*> KernelTarget::kernels_of(const Case& value) const {
  const std::string operation = operation::name(value.operation);
  std::vector<const kernel::Kernel*> all, named;
  for (const kernel::Kernel* kernel : kernels_) {
    if (kernel->operation != operation) continue;
    all.push_back(kernel);
    if (base::matches_glob(value.kernel, kernel->name)) named.push_back(kernel);
  }
  return named.empty() ? all : named;
}

std::optional<Case> KernelTarget::read(Bytes input) const {
  if (last_written_ && tensor::same_bytes(last_written_->bytes, input)) return last_written_->value;
  auto value = case_file::parse(input);
  if (!value) return std::nullopt;
  return *std::move(value);
}

std::optional<std::vector<std::byte>> KernelTarget::write(Case value, std::size_t most) {
  std::vector<std::byte> bytes = case_file::write(value);
  if (bytes.size() > most) return std::nullopt;
  last_written_ = {bytes, std::move(value)};
  return bytes;
}

void KernelTarget::run(Bytes input) {
  const auto value = read(input);
  if (!value || !is_affordable(*value)) return;
  for (const kernel::Kernel* kernel : kernels_of(*value)) run(*value, *kernel);
}

void KernelTarget::run(const Case& value, const kernel::Kernel& kernel) {
  const auto contract = property::contract_of(value, kernel);
  // By another contract than its own a kernel may well fail: a file that holds one is a case of another kernel.
  if (!contract || *contract != kernel.contract || !mutate::is_inside(request_of(kernel), value)) return;
  std::vector<tensor::Tensor> outputs;
  property::Judging how;
  how.observe = [&](const Case&, const run::Outcome& outcome) { outputs = outcome.outputs; };
  const Verdict verdict = property::conformance(value, kernel, executor_, how);
  const feature::Run run{value, verdict, outputs, &kernel.contract, {}, &kernel.limits.configuration};
  count_features(kernel.operation, feature::features_of(run, feature::Depth::Sums));
  if (verdict.kind == VerdictKind::Fail) {
    end_with(property::counterexample(kernel, value, *verdict.failure, "negzero replay FILE --kernel " + kernel.name));
  }
  if (verdict.kind == VerdictKind::Error) {
    end_with("an error of negzero's own, on " + kernel.name + ": " + verdict.reason);
  }
}

const kernel::Kernel* KernelTarget::draw_kernel(const Case& value, base::Random& random) const {
  constexpr std::uint64_t kGoesElsewhere = 8;
  Case anywhere;
  anywhere.operation = value.operation;
  const auto all = kernels_of(random.one_in(kGoesElsewhere) ? anywhere : value);
  return all.empty() ? nullptr : all[static_cast<std::size_t>(random.below(all.size()))];
}

std::optional<std::vector<std::byte>> KernelTarget::mutated(Bytes input, std::size_t most, base::Random& random) {
  constexpr std::uint64_t kStartsAgain = 64;
  constexpr int kDraws = 16;
  const auto parent = read(input);
  for (int draw = 0; draw < kDraws; ++draw) {
    const kernel::Kernel* kernel = parent ? draw_kernel(*parent, random) : nullptr;
    const bool is_fresh = kernel == nullptr || random.one_in(kStartsAgain);
    if (is_fresh) kernel = kernels_[static_cast<std::size_t>(random.below(kernels_.size()))];
    const generate::Request request = request_of(*kernel);
    Case child = is_fresh ? generate::make_case(request, random.next(), 0) : mutate::mutate(request, *parent, random);
    make_case_of(*kernel, child);
    if (auto bytes = write(std::move(child), most)) return bytes;
  }
  return std::nullopt;
}

std::optional<std::vector<std::byte>> KernelTarget::crossed(Bytes a, Bytes b, std::size_t most, base::Random& random) {
  const auto first = read(a), second = read(b);
  if (!first || !second || operation::name(first->operation) != operation::name(second->operation)) return std::nullopt;
  const kernel::Kernel* const kernel = draw_kernel(*first, random);
  if (kernel == nullptr) return std::nullopt;
  Case child = mutate::cross(request_of(*kernel), *first, *second, random);
  make_case_of(*kernel, child);
  return write(std::move(child), most);
}

}  // namespace negzero::fuzz
