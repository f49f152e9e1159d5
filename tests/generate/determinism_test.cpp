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
    {"special", 0x316d6b38eeb5915au, 0x13b7e34569563d1fu, 0x38ad0a930615917fu, 0x621d3e6cb1b97689u},
    {"exact", 0x29191012a8324bf1u, 0x425f460bc7e99f05u, 0x049da3188c6c38f4u, 0x45b08d27a39e0789u},
    {"sparse", 0x05b444cd28a86794u, 0x293809435f0cfb66u, 0x202b874d8888f765u, 0x9f4bc97963caaad5u},
    {"cancel", 0x786fa49b4e22b319u, 0xb1dcb84f045bc600u, 0xf60135f6927216c0u, 0xfb065bb292ec4e7cu},
    {"skew", 0xdbcd4c1c06b657d6u, 0x21e196ea2ff29736u, 0x6a132c9b109ce598u, 0xdc96021dbd393c6du},
    {"tie", 0x2eaac0cb2d9fc650u, 0xab30761f01f906c2u, 0xf01a35f4e2de9349u, 0x0d5aa661c58ad53fu},
    {"extreme", 0x30766bd1172e83cdu, 0x1a9e9250deeb8212u, 0x9e166aac24cd7f14u, 0x51e6f46097b9b0b6u},
    {"bits", 0x842303042a8f8f95u, 0xb3ca3a3d73d1c530u, 0xa56107f39cb4df02u, 0x13d27c9e4047d2c5u},
    {"normal", 0xbbae94c930638b0eu, 0x000fad9fab824f52u, 0xdf1fdcc1af0a250bu, 0x049d12c56a1634c8u},
    {"uniform", 0x1a65e5c6b78ff8b2u, 0xd851ee9652449f96u, 0xb8369e09a5e05f79u, 0xdf40c47128c4eca2u},
    {"structural", 0x9c88847ba85ea52bu, 0xd734f8a5807cceddu, 0x3623285a1129079au, 0xab249e96d3e9582fu},
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
