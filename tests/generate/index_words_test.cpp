// Cases of lines with words behind bounds: valid however they come about, of every kind that people meet, and small
// once they are shrunk.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::generate {
namespace {

using operation::Case;
using Indices = std::vector<std::int64_t>;

constexpr const char* kPermutation = "argsort: y[n] <- x[n], order[n] < n permutation";
constexpr const char* kOffsets = "ragged: y[rows] <- x[rows], o[groups + 1] <= rows ascending from 0 to rows";
constexpr const char* kPlaces = "moe: y[slots] <- x[tokens], place[tokens] < slots distinct none=-1";
constexpr const char* kWordLines[] = {
    kPermutation,
    kOffsets,
    kPlaces,
    "csr: y[rows] <- x[nnz], o[rows + 1] <= nnz ascending from 0",
    "ends: y[rows] <- x[nnz], o[rows] <= nnz ascending to nnz",
    "topk: y[rows, columns] <- at[rows, k] < columns distinct",
    "many: y[a, n] <- order[a, n] < n permutation",
    "unique: y[n] <- at[b, k] < n ascending distinct",
    "paged: y[b, n] <- cache[pages, page], table[b, m] < pages all distinct none=-1, lengths[b] <= n with n <= m * "
    "page "
    "reads cache[table[b, i / page], i % page] for b, i < lengths[b]",
    "append: out[pages, page] <- cache[pages, page], key[b], table[b, m] < pages all distinct none=-1, at[b] < n with "
    "n = m * page, b * m <= pages writes out[table[s, at[s] / page], at[s] % page] for s < b",
    "table: y[n] <- table[b, m] < n all distinct",
    "dropped: y[n] <- at?[t] < n none=-1, order?[t] < t permutation",
};

Request words_request(const std::string& line) {
  Request request{.operation = line};
  const base::Status status = validate(request);
  EXPECT_TRUE(status.ok()) << line << ": " << (status.ok() ? "" : status.error().message);
  return request;
}

Indices elements(const Case& value, const std::string& name) {
  Indices result;
  const tensor::Tensor& tensor = value.tensors.at(name);
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    result.push_back(number::ordinal(tensor.format(), tensor.get(i)));
  }
  return result;
}

void expect_kept(const Request& request, const Case& value) {
  const base::Status status = operation::validate(value);
  ASSERT_TRUE(status.ok()) << status.error().message;
  const auto why = operation::outside(request.limits, value);
  ASSERT_FALSE(why.has_value()) << *why;
}

TEST(IndexWords, CasesTheirChildrenAndCrossesKeepThem) {
  for (const char* line : kWordLines) {
    for (const bool is_free : {false, true}) {
      SCOPED_TRACE(line);
      Request request = words_request(line);
      if (is_free) request.limits.inputs = {.order = operation::LayoutOrder::Any};
      std::set<std::size_t> sizes;
      Case parent = make_case(request, 5, 0);
      for (std::uint64_t index = 0; index < 400; ++index) {
        SCOPED_TRACE(index);
        const Case value = make_case(request, 3, index);
        ASSERT_NO_FATAL_FAILURE(expect_kept(request, value));
        ASSERT_EQ(make_case(request, 3, index), value);
        std::size_t size = 0;
        for (const auto& [name, tensor] : value.tensors) size += static_cast<std::size_t>(tensor.element_count());
        sizes.insert(size);
        base::Random random(index);
        const Case crossed = mutate::cross(request, value, parent, random);
        ASSERT_NO_FATAL_FAILURE(expect_kept(request, crossed));
        parent = mutate::mutate(request, index % 16 == 0 ? value : parent, random);
        ASSERT_NO_FATAL_FAILURE(expect_kept(request, parent));
      }
      EXPECT_GT(sizes.size(), 30u);
    }
  }
}

/// How many of 1000 cases each test is true of, at least as many as is said.
void expect_kinds(const std::string& line, const std::string& tensor, std::size_t least_length,
                  const std::map<std::string, std::function<bool(const Indices&, const Case&)>>& kinds, int least) {
  const Request request = words_request(line);
  std::map<std::string, int> seen;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const Case value = make_case(request, 1, index);
    const Indices indices = elements(value, tensor);
    if (indices.size() < least_length) continue;
    for (const auto& [name, is_of_kind] : kinds) seen[name] += is_of_kind(indices, value) ? 1 : 0;
  }
  for (const auto& [name, unused] : kinds) EXPECT_GE(seen[name], least) << name;
}

std::int64_t displaced(const Indices& order) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < order.size(); ++i) count += order[i] != static_cast<std::int64_t>(i) ? 1 : 0;
  return count;
}

TEST(IndexWords, PermutationsAreOfAllKinds) {
  expect_kinds(
      kPermutation, "order", 5,
      {{"identity", [](const Indices& order, const Case&) { return displaced(order) == 0; }},
       {"backwards", [](const Indices& order, const Case&) { return std::ranges::is_sorted(order, std::greater()); }},
       {"one swap", [](const Indices& order, const Case&) { return displaced(order) == 2; }},
       {"rotation",
        [](const Indices& order, const Case&) {
          Indices turned = order;
          std::ranges::rotate(turned, std::ranges::find(turned, 0));
          return displaced(order) > 2 && displaced(turned) == 0;
        }},
       {"any", [](const Indices& order,
                  const Case&) { return displaced(order) > 3 && !std::ranges::is_sorted(order, std::greater()); }}},
      30);
}

TEST(IndexWords, OffsetsAreOfAllKinds) {
  const auto sizes = [](const Indices& offsets) {
    Indices result;
    for (std::size_t i = 1; i < offsets.size(); ++i) result.push_back(offsets[i] - offsets[i - 1]);
    return result;
  };
  const auto rows = [](const Case& value) { return value.operation.extent("rows"); };
  expect_kinds(kOffsets, "o", 5,
               {{"first empty", [&](const Indices& o, const Case& value) { return rows(value) > 0 && o[1] == 0; }},
                {"last empty",
                 [&](const Indices& o, const Case& value) { return rows(value) > 0 && o[o.size() - 2] == o.back(); }},
                {"empty between",
                 [&](const Indices& o, const Case&) {
                   const Indices all = sizes(o);
                   const auto first = std::ranges::find_if(all, [](auto size) { return size > 0; });
                   const auto empty = std::find(first, all.end(), 0);
                   return std::any_of(empty, all.end(), [](auto size) { return size > 0; });
                 }},
                {"one has all",
                 [&](const Indices& o, const Case& value) {
                   return rows(value) > 8 && std::ranges::count(sizes(o), rows(value)) == 1;
                 }},
                {"equal",
                 [&](const Indices& o, const Case& value) {
                   const Indices all = sizes(o);
                   return rows(value) > 8 && std::ranges::all_of(all, [&](auto size) { return size == all[0]; });
                 }},
                {"all full", [&](const Indices& o, const Case&) { return std::ranges::count(sizes(o), 0) == 0; }}},
               10);
}

TEST(IndexWords, NoIndexIsNowhereAtTheEndAllOverAndEverywhere) {
  const auto nones = [](const Indices& at) { return static_cast<std::size_t>(std::ranges::count(at, -1)); };
  expect_kinds(kPlaces, "place", 4,
               {{"nowhere", [&](const Indices& at, const Case&) { return nones(at) == 0; }},
                {"everywhere", [&](const Indices& at, const Case&) { return nones(at) == at.size(); }},
                {"at the end",
                 [&](const Indices& at, const Case&) {
                   const auto first = std::ranges::find(at, -1);
                   return nones(at) > 0 && nones(at) < at.size() &&
                          static_cast<std::size_t>(at.end() - first) == nones(at);
                 }},
                {"all over", [&](const Indices& at, const Case&) { return at.back() != -1 && nones(at) > 0; }}},
               20);
}

/// The smallest case that still fails, from the first that does.
Case shrunk(const std::string& line, const std::function<bool(const Case&)>& fails) {
  const Request request = words_request(line);
  const auto verdict_of = [&](const Case& value) {
    verdict::Verdict verdict{.kind = fails(value) ? verdict::VerdictKind::Fail : verdict::VerdictKind::Pass};
    if (fails(value)) verdict.failure = verdict::Failure{.output = "y"};
    return verdict;
  };
  const shrink::EvaluateBatch evaluate = [&](std::span<const Case> cases) {
    std::vector<verdict::Verdict> verdicts;
    for (const Case& value : cases) {
      EXPECT_TRUE(operation::validate(value).ok());
      verdicts.push_back(verdict_of(value));
    }
    return verdicts;
  };
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const Case value = make_case(request, 1, index);
    if (fails(value)) return shrink::minimise(value, verdict_of(value), evaluate, {.limits = request.limits}).value;
  }
  ADD_FAILURE() << "no case fails";
  return {};
}

TEST(IndexWords, PermutationsShrinkTowardsTheIdentity) {
  const Case two = shrunk(kPermutation, [](const Case& value) {
    const Indices order = elements(value, "order");
    return order.size() >= 6 && displaced(order) > 0;
  });
  EXPECT_EQ(elements(two, "order").size(), 6u);
  EXPECT_EQ(displaced(elements(two, "order")), 2) << "two neighbours are exchanged";
}

TEST(IndexWords, OffsetsShrinkTowardsEmptyGroups) {
  const Case empty = shrunk(kOffsets, [](const Case& value) {
    const Indices o = elements(value, "o");
    for (std::size_t i = 1; i + 1 < o.size(); ++i) {
      if (o[i] == o[i - 1] && o[i] > 0 && o[i + 1] > o[i]) return true;
    }
    return false;
  });
  EXPECT_EQ(elements(empty, "o"), (Indices{0, 1, 1, 2})) << "a group, an empty one, a group";
}

TEST(IndexWords, DroppedTokensShrinkToOne) {
  const Case dropped = shrunk(kPlaces, [](const Case& value) {
    const Indices place = elements(value, "place");
    return std::ranges::count(place, -1) > 0 && std::ranges::count(place, -1) < std::ssize(place);
  });
  Indices place = elements(dropped, "place");
  std::ranges::sort(place);
  EXPECT_EQ(place, (Indices{-1, 0}));
}

}  // namespace
}  // namespace negzero::generate
