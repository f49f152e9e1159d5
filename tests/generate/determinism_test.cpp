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
    {"special", 0x168fab04963d0f08u, 0xd162cdc0f8e2e65au, 0x825e5b50353fb8cbu, 0x8d72e8973ca7d61eu},
    {"exact", 0x84b526b1db172f1fu, 0xf9e2f9edfba6e980u, 0x864bfed4808f3ca3u, 0xd748379fc03061bbu},
    {"sparse", 0xe0b3b9390a31bae7u, 0x44332479ad5f82c2u, 0x610c67a062454fafu, 0x6cf2f103d1d0e13eu},
    {"cancel", 0x8af25dee9eb870d2u, 0x795a223d0b2072d1u, 0xcf300ca0d07ce944u, 0xb6faea5045c6f034u},
    {"skew", 0x023e243a6f90c7cbu, 0xeba1f889bce7edfcu, 0xb68134a4fd478f0eu, 0x4aab886bfd1baa3du},
    {"tie", 0x9fab9b32a35fd2d1u, 0x794c9ffe9d0e795bu, 0xff85de69e2d832c8u, 0x0925697c2b666dfbu},
    {"extreme", 0x5f17827ca892b0b3u, 0x5afc1a29c043272bu, 0x4d7262280d3234d6u, 0xa2efdc599c7cee49u},
    {"bits", 0xea3c63bb616d4895u, 0x2906c5feb386d637u, 0xbe845bf34c88a890u, 0xbab48da7710a0cb7u},
    {"normal", 0x831868505ccfa69fu, 0xa4cbe1ec54071018u, 0x6ea0c57fb2850367u, 0x2643d0c17a61f085u},
    {"uniform", 0xae6ce4dbd97a0d73u, 0xb3d608784d78e87fu, 0x49ef2a769bcccd70u, 0x24a1c32c482263d5u},
    {"structural", 0x5501c6403eda9c88u, 0xd3ae487ce6567ca3u, 0x4acd80a23da78037u, 0x34817cda876bf1a0u},
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
