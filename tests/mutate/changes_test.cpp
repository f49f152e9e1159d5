// Each row of the table changes what it says and nothing else.

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <negzero/generate/work.hpp>
#include <negzero/mutate/mutate.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/views.hpp>

#include "requests.hpp"

namespace negzero::mutate {
namespace {

using number::Format;
using number::FormatId;
using operation::Case;
using tensor::Tensor;

std::set<std::string> names_of_indices(const Case& value) {
  std::set<std::string> names;
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    if (spec.index_below) names.insert(spec.name);
  }
  return names;
}

/// Names of what differs: "operation", "layout.a", "tensor.a", "poison", "schedule", "option.algorithm".
std::set<std::string> differences(const Case& a, const Case& b) {
  std::set<std::string> names;
  if (!(a.operation == b.operation)) names.insert("operation");
  for (const auto* const side : {&a, &b}) {
    const Case& other = side == &a ? b : a;
    for (const auto& [name, layout] : side->layouts) {
      const auto found = other.layouts.find(name);
      if (found == other.layouts.end() || found->second != layout) names.insert("layout." + name);
    }
    for (const auto& [name, tensor] : side->tensors) {
      const auto found = other.tensors.find(name);
      if (found == other.tensors.end() || !(found->second == tensor)) names.insert("tensor." + name);
    }
  }
  if (a.poison != b.poison) names.insert("poison");
  if (!(a.schedule == b.schedule)) names.insert("schedule");
  for (const auto* const side : {&a.configuration, &b.configuration}) {
    for (const auto& [name, value] : *side) {
      const auto in_a = a.configuration.find(name), in_b = b.configuration.find(name);
      const bool is_same = in_a != a.configuration.end() && in_b != b.configuration.end() && *in_a == *in_b;
      if (!is_same) names.insert("option." + name);
    }
  }
  return names;
}

bool all_start_with(const std::set<std::string>& names, std::string_view start) {
  return std::ranges::all_of(names, [&](const std::string& name) { return name.starts_with(start); });
}

/// How many extents, formats and scalars differ.
struct Differing {
  int extents = 0, formats = 0, scalars = 0;
};
Differing differing(const operation::Operation& a, const operation::Operation& b) {
  Differing result;
  const auto count = [](const auto& left, const auto& right, const auto& same) {
    int differ = 0;
    for (std::size_t i = 0; i < left.size(); ++i) differ += same(left[i], right[i]) ? 0 : 1;
    return differ;
  };
  const auto equal = [](const auto& x, const auto& y) { return x == y; };
  result.extents = count(operation::extents_of(a), operation::extents_of(b),
                         [](const operation::Extent& x, const operation::Extent& y) { return x.value == y.value; });
  result.formats = count(a.formats(), b.formats(), equal);
  result.scalars = count(a.scalars(), b.scalars(), equal);
  return result;
}

/// What one change of that row may do to a case within limits.
void expect_only(const Change& change, const operation::Limits& limits, const Case& parent, const Case& child) {
  const std::set<std::string> names = differences(parent, child);
  EXPECT_FALSE(names.empty()) << "something changes";
  switch (change.part) {
    case Part::Elements:
      EXPECT_TRUE(all_start_with(names, "tensor.")) << testing::PrintToString(names);
      if (change.name == "strategy") break;
      EXPECT_EQ(names.size(), 1u) << testing::PrintToString(names);
      for (const std::string& name : names_of_indices(parent)) EXPECT_EQ(names.count("tensor." + name), 0u);
      break;
    case Part::Indices:
      for (const std::string& name : names_of_indices(parent)) EXPECT_EQ(names.count("tensor." + name), 1u);
      EXPECT_EQ(names.size(), 1u) << testing::PrintToString(names);
      break;
    case Part::Operation: {
      const Differing differ = differing(parent.operation, child.operation);
      if (change.name == "extent") {
        // Others follow that are equal to it, or that share a product with it.
        const bool follow = !limits.equal.empty() || !limits.products.empty();
        EXPECT_GE(differ.extents, 1);
        if (!follow) {
          EXPECT_EQ(differ.extents, 1);
        }
        EXPECT_EQ(differ.formats + differ.scalars, 0);
      } else if (change.name == "format") {
        EXPECT_GT(differ.formats, 0);
        EXPECT_EQ(differ.extents + differ.scalars, 0);
      } else {
        EXPECT_EQ(differ.scalars, 1);
        EXPECT_EQ(names, std::set<std::string>{"operation"});
      }
      EXPECT_EQ(parent.poison, child.poison);
      EXPECT_EQ(parent.schedule, child.schedule);
      break;
    }
    case Part::Layouts: {
      // An input in the output's memory lies as the output does.
      const int layouts = names.contains("layout.d") && !parent.in_place.empty() ? 2 : 1;
      EXPECT_EQ(std::ranges::count_if(names, [](const std::string& n) { return n.starts_with("layout."); }), layouts);
      Case expected = parent;
      expected.layouts = child.layouts;
      operation::unify_shared_elements(expected);
      EXPECT_EQ(differences(expected, child), std::set<std::string>{}) << "elements change by sharing alone";
      break;
    }
    case Part::Memory:
      EXPECT_EQ(names, std::set<std::string>{"poison"});
      break;
    case Part::Schedule:
      EXPECT_EQ(names, std::set<std::string>{"schedule"});
      break;
    case Part::Configuration:
      EXPECT_TRUE(all_start_with(names, "option.")) << testing::PrintToString(names);
      EXPECT_EQ(names.size(), 1u) << testing::PrintToString(names);
      EXPECT_EQ(operation::accepted(limits.configuration, child.configuration), child.configuration)
          << "values of the list, and no default";
      break;
    case Part::Inputs: {
      const Differing differ = differing(parent.operation, child.operation);
      EXPECT_EQ(differ.extents + differ.formats + differ.scalars, 0);
      const auto &fewer = parent.tensors.size() < child.tensors.size() ? parent : child,
                 &more = &fewer == &parent ? child : parent;
      EXPECT_EQ(more.tensors.size(), fewer.tensors.size() + 1);
      for (const std::string& name : names) {
        EXPECT_TRUE(name == "operation" || !fewer.layouts.contains(name.substr(name.find('.') + 1))) << name;
      }
      break;
    }
  }
}

TEST(Changes, EachRowChangesItsPartAndNothingElse) {
  std::map<std::string_view, int> applied;
  std::size_t number = 0;
  for (const generate::Request& request : all_requests()) {
    SCOPED_TRACE(request.operation + " request " + std::to_string(number++));
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const Case parent = small_case(request, seed);
      for (const Change& change : changes()) {
        SCOPED_TRACE(change.name);
        base::Random random(seed);
        const auto child = changed(change, request, parent, random);
        if (!child) continue;
        ++applied[change.name];
        expect_only(change, request.limits, parent, *child);
      }
    }
  }
  for (const Change& change : changes()) EXPECT_GT(applied[change.name], 5) << change.name << " hardly ever applies";
}

TEST(Changes, ExtentsThatAreEqualOftenChangeTogether) {
  for (const generate::Request& request : generate::related_requests()) {
    if (request.limits.equal.empty()) continue;
    SCOPED_TRACE(operation::describe(request.limits, request.operation));
    const auto extent = std::ranges::find(changes(), std::string_view("extent"), &Change::name);
    int tries = 0, together = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const Case parent = small_case(request, seed);
      base::Random random(seed);
      const auto child = changed(*extent, request, parent, random);
      ++tries;
      if (!child) continue;
      const notation::Signature& signature = parent.operation.signature();
      const auto place = *signature.find_extent(request.limits.equal.front().front());
      together += child->operation.extents()[place] != parent.operation.extents()[place] ? 1 : 0;
    }
    EXPECT_GE(together, tries / 10);
  }
}

TEST(Changes, NamesAreDifferentAndSaidForPeople) {
  std::set<std::string_view> names;
  for (const Change& change : changes()) {
    EXPECT_TRUE(names.insert(change.name).second) << change.name;
    EXPECT_FALSE(change.changes.empty()) << change.name;
  }
}

/// A reduction of packed elements that no two share, in which every class of number occurs.
struct Packed {
  generate::Request request;
  Case value;
};
Packed packed_case(FormatId format) {
  Packed packed{generate::reduce_request("reduce.sum", format, FormatId::F32, format), {}};
  packed.request.limits.inputs = {.order = operation::LayoutOrder::Packed, .broadcast = false};
  operation::Reduce reduce{.rows = 4, .columns = 16, .x = format, .y = format};
  packed.value.operation = reduce;
  Tensor x(format, {4, 16});
  base::Random random(1);
  for (std::int64_t i = 0; i < x.element_count(); ++i) {
    x.set(i, number::from_double(x.format(), static_cast<double>(random.between(-4096, 4096)) / 64));
  }
  packed.value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(packed.value);
  return packed;
}

/// Whether an element may become that word, by the name of the change.
using May = std::function<bool(const Tensor& before, std::uint64_t from, std::uint64_t to)>;

bool any_word(const Tensor& tensor, const std::function<bool(std::uint64_t)>& is) {
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (is(tensor.get(i))) return true;
  }
  return false;
}

std::int64_t steps_between(const Format& format, std::uint64_t a, std::uint64_t b) {
  return std::abs(number::ordinal(format, a) - number::ordinal(format, b));
}

const std::map<std::string_view, May>& rules() {
  static const std::map<std::string_view, May> all{
      {"negate",
       [](const Tensor& t, std::uint64_t from, std::uint64_t to) { return to == (from ^ t.format().sign_mask()); }},
      {"exponent",
       [](const Tensor& t, std::uint64_t from, std::uint64_t to) {
         const std::uint64_t fraction = (std::uint64_t{1} << t.format().fraction_bits) - 1;
         return std::has_single_bit(from ^ to) && ((from ^ to) & (fraction | t.format().sign_mask())) == 0;
       }},
      {"significand",
       [](const Tensor& t, std::uint64_t from, std::uint64_t to) {
         return std::has_single_bit(from ^ to) && (from ^ to) >> t.format().fraction_bits == 0;
       }},
      {"special",
       [](const Tensor& t, std::uint64_t, std::uint64_t to) {
         const auto& grid = generate::special_grid(t.format());
         return std::ranges::find(grid, to) != grid.end();
       }},
      {"neighbour",
       [](const Tensor& t, std::uint64_t from, std::uint64_t to) {
         // Next to a zero a step goes from one sign of zero to the other.
         return steps_between(t.format(), from, to) <= 3;
       }},
      {"scale",
       [](const Tensor& t, std::uint64_t from, std::uint64_t to) {
         if (number::classify(t.format(), to) != number::Class::Normal || to == number::max_finite(t.format()) ||
             to == number::max_finite(t.format(), true)) {
           return number::classify(t.format(), to) < number::Class::Infinity;
         }
         const std::uint64_t same = t.format().sign_mask() | ((std::uint64_t{1} << t.format().fraction_bits) - 1);
         return (from & same) == (to & same);
       }},
      {"copy", [](const Tensor& t, std::uint64_t,
                  std::uint64_t to) { return any_word(t, [&](std::uint64_t word) { return word == to; }); }},
      {"cancel",
       [](const Tensor& t, std::uint64_t, std::uint64_t to) {
         return any_word(
             t, [&](std::uint64_t word) { return steps_between(t.format(), word ^ t.format().sign_mask(), to) <= 2; });
       }},
      {"tie",
       [](const Tensor& t, std::uint64_t, std::uint64_t to) {
         const Format& format = t.format();
         return any_word(t, [&](std::uint64_t word) {
           const double size = std::abs(number::to_double(format, word));
           if (size == 0) return false;
           for (const FormatId rounded : {format.id, FormatId::F32}) {
             const double half = std::ldexp(1.0, std::ilogb(size) - number::format(rounded).precision());
             const std::uint64_t tie = number::from_double(format, half, {.rounding = number::Rounding::TowardZero});
             if (steps_between(format, tie, to & ~format.sign_mask()) <= 1) return true;
           }
           return false;
         });
       }},
  };
  return all;
}

TEST(Changes, ElementsBecomeWhatTheRowSays) {
  std::map<std::string_view, int> seen;
  for (const FormatId format : {FormatId::F32, FormatId::F16, FormatId::BF16}) {
    const Packed packed = packed_case(format);
    const Tensor& before = packed.value.tensors.at("x");
    for (const Change& change : changes()) {
      const auto rule = rules().find(change.name);
      if (rule == rules().end()) continue;
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(std::string(change.name) + " seed " + std::to_string(seed));
        base::Random random(seed);
        const auto child = changed(change, packed.request, packed.value, random);
        if (!child) continue;
        const Tensor& after = child->tensors.at("x");
        for (std::int64_t i = 0; i < after.element_count(); ++i) {
          if (after.get(i) == before.get(i)) continue;
          ++seen[change.name];
          ASSERT_TRUE(rule->second(before, before.get(i), after.get(i)))
              << number::to_hex(before.format(), before.get(i)) << " became "
              << number::to_hex(before.format(), after.get(i));
        }
      }
    }
  }
  for (const auto& [name, rule] : rules()) EXPECT_GT(seen[name], 100) << name;
}

TEST(Changes, ASwapKeepsTheElements) {
  const Packed packed = packed_case(FormatId::F32);
  const auto swap = std::ranges::find(changes(), "swap", &Change::name);
  ASSERT_NE(swap, changes().end());
  std::vector<std::uint64_t> before = packed.value.tensors.at("x").words();
  std::ranges::sort(before);
  int swapped = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    base::Random random(seed);
    const auto child = changed(*swap, packed.request, packed.value, random);
    if (!child) continue;
    std::vector<std::uint64_t> after = child->tensors.at("x").words();
    std::ranges::sort(after);
    EXPECT_EQ(after, before);
    ++swapped;
  }
  EXPECT_GT(swapped, 50);
}

TEST(Changes, ALongerExtentRepeatsWhatWasThereAndAShorterOneKeepsTheFirst) {
  const Packed packed = packed_case(FormatId::F32);
  const Tensor& before = packed.value.tensors.at("x");
  const auto extent = std::ranges::find(changes(), "extent", &Change::name);
  ASSERT_NE(extent, changes().end());
  int longer = 0, shorter = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    base::Random random(seed);
    const auto child = changed(*extent, packed.request, packed.value, random);
    if (!child) continue;
    const Tensor& after = child->tensors.at("x");
    const std::int64_t rows = after.shape()[0], columns = after.shape()[1];
    (rows > 4 || columns > 16 ? longer : shorter) += 1;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        ASSERT_EQ(after.get(i * columns + j), before.get(i % 4 * 16 + j % 16));
      }
    }
  }
  EXPECT_GT(longer, 20);
  EXPECT_GT(shorter, 20);
}

TEST(Changes, IndicesStayWithinAShorterExtent) {
  const generate::Request request = generate::scatter_request("scatter.add", FormatId::F32);
  Case parent;
  operation::Scatter scatter;
  scatter.updates = 32;
  scatter.destinations = 16;
  parent.operation = scatter;
  for (const operation::TensorSpec& spec : operation::input_specs(parent.operation)) {
    Tensor tensor(spec.format, spec.shape);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, static_cast<std::uint64_t>(i % 16));
    parent.tensors.emplace(spec.name, std::move(tensor));
  }
  operation::pack_missing_layouts(parent);
  const auto extent = std::ranges::find(changes(), "extent", &Change::name);
  ASSERT_NE(extent, changes().end());
  int shorter = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    base::Random random(seed);
    const auto child = changed(*extent, request, parent, random);
    if (!child) continue;
    const std::int64_t destinations = child->tensors.at("init").element_count();
    if (destinations >= 16) continue;
    ++shorter;
    const Tensor& index = child->tensors.at("index");
    for (std::int64_t i = 0; i < index.element_count(); ++i) {
      EXPECT_EQ(static_cast<std::int64_t>(index.get(i)), i % 16 % destinations);
    }
  }
  EXPECT_GT(shorter, 20);
}

}  // namespace
}  // namespace negzero::mutate
