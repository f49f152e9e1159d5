// A crossing has parts of both parents and nothing of its own.

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <negzero/mutate/mutate.hpp>
#include <negzero/operation/views.hpp>

#include "requests.hpp"

namespace negzero::mutate {
namespace {

using operation::Case;
using tensor::Tensor;

std::set<std::uint64_t> words_of(const Tensor& tensor) {
  const std::vector<std::uint64_t> words = tensor.words();
  return {words.begin(), words.end()};
}

generate::Request gemm_request() {
  using enum number::FormatId;
  generate::Request request = generate::gemm_request(F32, F32, F32);
  request.limits.inputs.broadcast = false;
  request.limits.configuration = {{"algorithm", {0, 1, 2}}, {"workspace", {4096, 0}}};
  return request;
}

TEST(Cross, EachPartComesFromOneOfThem) {
  const generate::Request request = gemm_request();
  int from_a = 0, from_b = 0, mixed = 0, layouts_of_b = 0, options_of_b = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case a = small_case(request, 2 * seed), b = small_case(request, 2 * seed + 1);
    base::Random random(seed);
    const Case child = cross(request, a, b, random);
    const auto of_a = operation::extents_of(a.operation), of_b = operation::extents_of(b.operation);
    const auto own = operation::extents_of(child.operation);
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_TRUE(own[i].value == of_a[i].value || own[i].value == of_b[i].value) << own[i].name;
    }
    const auto scalars_a = a.operation.scalars(), scalars_b = b.operation.scalars();
    const auto scalars = child.operation.scalars();
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      EXPECT_TRUE(scalars[i] == scalars_a[i] || scalars[i] == scalars_b[i]);
    }
    EXPECT_TRUE(child.poison == a.poison || child.poison == b.poison);
    EXPECT_TRUE(child.schedule == a.schedule || child.schedule == b.schedule);
    const operation::Options& options = request.limits.configuration;
    const auto whole = [&](const Case& value) { return operation::whole(options, value.configuration); };
    for (const auto& [option, value] : whole(child)) {
      const std::int64_t in_a = whole(a).at(option), in_b = whole(b).at(option);
      EXPECT_TRUE(value == in_a || value == in_b) << option;
      options_of_b += value == in_b && value != in_a ? 1 : 0;
    }
    for (const auto& [name, tensor] : child.tensors) {
      std::set<std::uint64_t> all = words_of(a.tensors.at(name)), others = words_of(b.tensors.at(name));
      const std::set<std::uint64_t> words = words_of(tensor);
      const bool in_a = std::ranges::includes(all, words), in_b = std::ranges::includes(others, words);
      from_a += in_a && !in_b ? 1 : 0;
      from_b += in_b && !in_a ? 1 : 0;
      mixed += !in_a && !in_b ? 1 : 0;
      all.merge(others);
      all.insert(0);  // What is carried over from a tensor without elements.
      EXPECT_TRUE(std::ranges::includes(all, words)) << name;
    }
    for (const auto& [name, layout] : child.layouts) {
      layouts_of_b += layout == b.layouts.at(name) && layout != a.layouts.at(name) ? 1 : 0;
    }
  }
  EXPECT_GT(from_a, 100);
  EXPECT_GT(from_b, 100);
  EXPECT_GT(mixed, 50);
  EXPECT_GT(layouts_of_b, 20);
  EXPECT_GT(options_of_b, 50);
}

TEST(Cross, RangesComeFromTheSamePlaceToo) {
  const generate::Request request = gemm_request();
  Case a = small_case(request, 1), b = a;
  for (auto& [name, tensor] : a.tensors) {
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, static_cast<std::uint64_t>(2 * i));
  }
  for (auto& [name, tensor] : b.tensors) {
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, static_cast<std::uint64_t>(2 * i + 1));
  }
  int same_place = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    base::Random random(seed);
    const Case child = cross(request, a, b, random);
    for (const auto& [name, tensor] : child.tensors) {
      bool has_a = false, has_b = false, is_same_place = true;
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
        const std::uint64_t word = tensor.get(i);
        (word % 2 == 0 ? has_a : has_b) = true;
        is_same_place = is_same_place && word / 2 == static_cast<std::uint64_t>(i);
      }
      same_place += has_a && has_b && is_same_place ? 1 : 0;
    }
  }
  EXPECT_GT(same_place, 10);
}

}  // namespace
}  // namespace negzero::mutate
