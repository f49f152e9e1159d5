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
    {"special", 0xa369652cba872399u, 0xb96ce8e88f5c1956u, 0x8346d2085616b5c2u, 0xd7a22316702bb134u},
    {"exact", 0xbe22406dd2eca543u, 0x7581bb702c669691u, 0xc9ef12f29ffb11a5u, 0xa152e42cc18654deu},
    {"sparse", 0xbf63bf4703951d5fu, 0xe56f818e312307ebu, 0xb20339b3624d4d51u, 0xde5cb06161aa5503u},
    {"cancel", 0x0083a8f7b2aa3c81u, 0x795a223d0b2072d1u, 0xbc700f99dec60baau, 0x290f392de44862b8u},
    {"skew", 0xe831d8346ab14695u, 0x73a345751cdf6fc8u, 0x813a86ab10df5916u, 0x16be9e930bb95f62u},
    {"tie", 0x474c379437d8a0eeu, 0xc7e053debd9b3736u, 0xdc16723af77d137au, 0x5f09967d1f687ec5u},
    {"extreme", 0xb9afe169b39f39dbu, 0xc1af403cb530600au, 0xc53713442d737054u, 0x9c0260ccb66e8da7u},
    {"bits", 0xe1a44615afe5f5dau, 0xdebb80f2c0d7efe3u, 0x8377a13e39e973cau, 0x1107b886961f76cfu},
    {"normal", 0xda459cdeb3a5190bu, 0x2d83bfa36aefe110u, 0x6caf4204ff17890cu, 0x3c9fd872abe2d315u},
    {"uniform", 0xb0a091de767a407fu, 0xee7e079fa6fb9073u, 0xfea03ec03663dfeeu, 0xd69519251ebb9610u},
    {"structural", 0xde5f408f55174206u, 0x5ad6f91e063260bbu, 0x686d5670229ad539u, 0x688d4dab3eca80b9u},
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
