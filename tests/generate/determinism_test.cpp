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
    {"special", 0x0c178ca8b0cfced1u, 0xd874bbdf95b55282u, 0xb89327b7b31c33dau, 0x7bcd2778562a3369u},
    {"exact", 0x0ee985aa2da738b1u, 0x033d3be7666c7ed3u, 0x1acd66c218562ef6u, 0x875361973dcdd39du},
    {"sparse", 0xb187c2970a47b2f9u, 0x33e48232ab4452a4u, 0x548d600566e5d706u, 0x6c333510d34879a2u},
    {"cancel", 0x63eb13776a60e185u, 0x432d7e3deed4fbb0u, 0x87ccda32ca38041du, 0x722b9b8ccf1ce0f8u},
    {"skew", 0x2528daa945b7f144u, 0xf26f4cf106a57bddu, 0xad19438fabd24918u, 0x7afe86bbdd407550u},
    {"tie", 0xa4146935c9de8c45u, 0xccc07715f994d5ccu, 0x72942749b629c136u, 0xb17d64c60af80598u},
    {"extreme", 0xad341eacc034483eu, 0x180dec619d7e3243u, 0xa87180d264299fdfu, 0x6b1746be9acd9f9du},
    {"bits", 0x696075841777fa21u, 0xe030920c77e5ba6au, 0x4863ee26528d7d26u, 0xdc94d61e613b50ceu},
    {"normal", 0xeab6cb1be8fc0428u, 0x04723f36c597def8u, 0x951a294aac21ad26u, 0x077879c4ce6d0b1au},
    {"uniform", 0x5da5cc71f8141770u, 0x0ce527bef9277158u, 0x63e63e60c643be70u, 0x4fdc36c7ff0947acu},
    {"structural", 0x746d308ab3819a8fu, 0x26e3fd3b4acfe178u, 0xe636071be69b5485u, 0x1e71b00f2d143becu},
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
