// The kernels that ship, watched, on tensors whose elements lie far apart: what their limits permit they take.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/local_executor.hpp>
#include <negzero/run/watched_size.hpp>
#include <negzero/tensor/islands.hpp>

namespace negzero::distant_test {
namespace {

using operation::Case;
using verdict::Verdict;
using verdict::VerdictKind;

constexpr kernel::Where kWatched{kernel::Place::Host, true};
/// Cases a kernel.
constexpr std::uint64_t kCases = 20;

/// Whether the case with another layout of that tensor is one that the kernel takes.
bool lay(Case& value, const std::string& tensor, const tensor::Layout& layout, const kernel::Kernel& kernel) {
  Case changed = value;
  changed.layouts.at(tensor) = layout;
  operation::unify_shared_elements(changed);
  if (!operation::validate(changed).ok() || operation::outside(kernel.limits, changed)) return false;
  value = std::move(changed);
  return true;
}

/// Takes the elements of a tensor apart along one dimension or more, as far as its limits and a layout go.
bool take_apart(Case& value, const std::string& tensor, const kernel::Kernel& kernel, base::Random& random) {
  static constexpr std::int64_t kLeast[] = {(1LL << 29),        (1LL << 30), (1LL << 31) - 4096, (1LL << 31),
                                            (1LL << 32) + 4096, (3LL << 31), (1LL << 33)};
  bool is_apart = false;
  const std::size_t rank = value.layouts.at(tensor).shape.size();
  for (std::size_t d = 0; d < rank; ++d) {
    tensor::Layout layout = value.layouts.at(tensor);
    const std::int64_t steps = layout.shape[d] - 1;
    if (steps < 1 || layout.strides[d] == 0) continue;
    const std::int64_t wanted = kLeast[random.below(std::size(kLeast))];
    const std::int64_t most = (tensor::kMaxSpan - layout.extent()) / steps;
    // A multiple of everything that limits ask for.
    layout.strides[d] = std::min(wanted, most) / 512 * 512 + (random.below(2) == 0 ? 512 : 0);
    is_apart = lay(value, tensor, layout, kernel) || is_apart;
  }
  return is_apart;
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const kernel::Kernel* kernel : kernel::registry().match(std::vector<std::string>{"*"}, kWatched)) {
    const notation::Signature& signature = *operation::find_signature(kernel->operation);
    bool may = false;
    for (std::size_t t = 0; t < signature.tensors.size(); ++t) {
      may = may || (signature.tensors[t].role != notation::Role::Initial &&
                    operation::permits_distant(kernel->limits, signature, t));
    }
    if (may && !kernel->is_faulty()) result.push_back(kernel->name);
  }
  return result;
}

class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, TakesWhatItsLimitsPermit) {
  kernel::Kernel kernel = *kernel::registry().find(GetParam(), kWatched);
  // Strides are of 64 bits in their arguments, whatever an int holds.
  for (auto* limit : {&kernel.limits.inputs, &kernel.limits.output}) limit->max_stride = tensor::kMaxSpan;
  for (const auto& [name, limit] : kernel::registry().find(GetParam(), kWatched)->limits.tensors) {
    kernel.limits.tensors[name].max_stride = tensor::kMaxSpan;
  }
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract, {}};
  run::HostExecutor executor;
  std::uint64_t apart = 0;
  for (std::uint64_t index = 0; index < 8 * kCases && apart < kCases; ++index) {
    Case value = generate::make_case(request, 11, index);
    if (!run::is_small_enough_to_watch(value.operation)) continue;
    base::Random random(index);
    bool is_apart = false;
    for (const operation::TensorSpec& spec : operation::tensor_specs(value.operation)) {
      if (operation::is_initial(value.operation, spec.name) || spec.name == value.in_place) continue;
      if (random.below(3) != 0) is_apart = take_apart(value, spec.name, kernel, random) || is_apart;
    }
    if (!value.in_place.empty()) operation::lay_in_place(value);
    if (!is_apart || !operation::validate(value).ok()) continue;
    ++apart;
    const Verdict verdict = property::conformance(value, kernel, executor);
    ASSERT_TRUE(verdict.kind != VerdictKind::Fail && verdict.kind != VerdictKind::Error &&
                verdict.kind != VerdictKind::Refused)
        << "index " << index << " " << (verdict.failure ? verdict.failure->message : verdict.reason);
  }
  EXPECT_GE(apart, 10u) << "too few cases could be taken apart for this to show anything";
}

INSTANTIATE_TEST_SUITE_P(Kernels, Shipped, testing::ValuesIn(names()), [](const auto& each) {
  std::string name = each.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace negzero::distant_test
