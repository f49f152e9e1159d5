// The same case from the same seed and index, on every platform, compiler and optimisation level.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>

#include "requests.hpp"

namespace negzero::generate {
namespace {

/// FNV-1a over everything that was drawn, spelled out here so that no other module's change can move the goldens.
class Hash {
 public:
  void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) add_byte(static_cast<std::uint8_t>(word >> (8 * byte)));
  }
  void add(const std::string& text) {
    for (const char c : text) add_byte(static_cast<std::uint8_t>(c));
    add(text.size());
  }
  void add(const operation::Case& value) {
    add(value.strategy);
    for (const auto& extent : operation::extents_of(value.operation)) add(static_cast<std::uint64_t>(extent.value));
    if (const auto gemm = operation::view_if<operation::Gemm>(value.operation)) {
      add(gemm->alpha.bits);
      add(gemm->beta.bits);
    }
    for (const auto& [name, layout] : value.layouts) {
      add(name);
      for (const std::int64_t stride : layout.strides) add(static_cast<std::uint64_t>(stride));
      add(static_cast<std::uint64_t>(layout.offset));
    }
    for (const auto& [name, tensor] : value.tensors) {
      add(std::string(tensor.format().name));
      for (const std::byte byte : tensor.bytes()) add_byte(std::to_integer<std::uint8_t>(byte));
    }
    add(static_cast<std::uint64_t>(value.poison));
    add(static_cast<std::uint64_t>(value.schedule.order));
    add(value.schedule.seed + (value.schedule.preempt ? 1 : 0));
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  void add_byte(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3u; }
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

std::uint64_t hash_of(const Request& request, const std::string& strategy) {
  Request one = request;
  one.mix.weights = {{strategy, 1.0}};
  Hash hash;
  for (std::uint64_t index = 0; index < 20; ++index) hash.add(make_case(one, 42, index));
  return hash.value();
}

struct Golden {
  const char* strategy;
  std::uint64_t gemm, add, max, sum;
};

// Generated cases are named by (seed, index) in reports, so a change of these numbers is a change that users see.
constexpr Golden kGoldens[] = {
    {"special", 0x71ab191e5d33545au, 0xd874bbdf95b55282u, 0x903f3144f90815feu, 0x5eef2f94637b934fu},
    {"exact", 0x1631e8eaf00b5a6du, 0x033d3be7666c7ed3u, 0x1d611a2f710882d4u, 0x1cfce1b349654599u},
    {"sparse", 0x466fb5baf61d37d6u, 0x33e48232ab4452a4u, 0xe7352adbc9a95c65u, 0x3a55d90b02e54468u},
    {"cancel", 0xc4e8cdd2733401dcu, 0x432d7e3deed4fbb0u, 0x18a0983d933a676eu, 0x97a8db7508f20d3bu},
    {"skew", 0x43c2e8cfe305e597u, 0xf26f4cf106a57bddu, 0x2e7310d836a7c86du, 0x76e1667beb983479u},
    {"tie", 0x0bcb0c53a951ae4au, 0xccc07715f994d5ccu, 0xfdc1f819882fba59u, 0x3d076c20d3e2085eu},
    {"extreme", 0xa8fd51039942b9b9u, 0x180dec619d7e3243u, 0xf9d045ec4fd4688au, 0xc68735e55ea66b4cu},
    {"bits", 0x4744c1efdf1e2fb5u, 0xe030920c77e5ba6au, 0xf63fd57286c838e1u, 0x66c2cb11e218a0f8u},
    {"normal", 0x53d956a29013c5c1u, 0x04723f36c597def8u, 0x37dd50c7ab125373u, 0x8f389339d3c037bau},
    {"uniform", 0x39f8cd9ace740adeu, 0x0ce527bef9277158u, 0xbe6ff2aec3e9a4d2u, 0x69ce1f1a5263a6f7u},
    {"structural", 0x11d67f7169a2ab37u, 0x26e3fd3b4acfe178u, 0x5519000225ac1d7fu, 0xc69d52e163e367ceu},
};

TEST(Determinism, CasesHaveTheBitsTheyAlwaysHad) {
  using enum number::FormatId;
  ASSERT_EQ(std::size(kGoldens), strategies().size());
  for (const Golden& golden : kGoldens) {
    SCOPED_TRACE(golden.strategy);
    EXPECT_EQ(hash_of(gemm_request(F16, F32, F32), golden.strategy), golden.gemm);
    EXPECT_EQ(hash_of(scatter_request("scatter.add", BF16), golden.strategy), golden.add);
    EXPECT_EQ(hash_of(scatter_request("scatter.max", F32), golden.strategy), golden.max);
    EXPECT_EQ(hash_of(reduce_request("reduce.sum", F64, F64, F64), golden.strategy), golden.sum);
  }
}

TEST(Determinism, AnIndexDoesNotDependOnTheOthers) {
  const Request request = all_requests().front();
  const operation::Case alone = make_case(request, 9, 17);
  for (std::uint64_t index = 0; index < 17; ++index) {
    EXPECT_FALSE(make_case(request, 9, index) == alone);
  }
  EXPECT_EQ(make_case(request, 9, 17), alone);
  EXPECT_EQ(alone.seed, 9u);
  EXPECT_EQ(alone.index, 17u);
}

TEST(Determinism, ExpandingAPlanIsMakingTheCase) {
  for (const Request& request : all_requests()) {
    operation::Case expanded = expand(request, draw(request, 3, 5));
    expanded.seed = 3;
    expanded.index = 5;
    EXPECT_EQ(expanded, make_case(request, 3, 5));
  }
}

TEST(Determinism, SeedsAndIndicesMakeOtherCases) {
  const Request request = all_requests().front();
  int equal = 0;
  for (std::uint64_t index = 0; index < 100; ++index) {
    const operation::Case value = make_case(request, 1, index);
    operation::Case other = make_case(request, 2, index);
    other.seed = 1;
    equal += value == other ? 1 : 0;
  }
  EXPECT_EQ(equal, 0);
}

}  // namespace
}  // namespace negzero::generate
