// Matrices times matrices and vectors, and vectors times vectors.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/measure/candidate.hpp>
#include <negzero/measure/lines.hpp>

namespace negzero::measure {
namespace {

/// Which sizes are the extents of the product; nothing: it is 1.
struct Roles {
  std::optional<std::size_t> batch, m, n, k;
};

/// Whether these are the factors of a length, in any order.
bool is_product_of(Places factors, Places sizes) {
  std::ranges::sort(factors);
  std::ranges::sort(sizes);
  return factors == sizes;
}

Places present(std::initializer_list<std::optional<std::size_t>> sizes) {
  Places result;
  for (const auto& size : sizes) {
    if (size) result.push_back(*size);
  }
  return result;
}

void add(const Measured& measured, std::vector<Candidate>& candidates, std::size_t a, std::size_t b,
         const Roles& extents, bool has_addend) {
  const std::size_t out = measured.probe.outputs.front();
  const Places numbers = measured.callee->places_of(Parameter::Role::Number);
  Candidate result{.says = "gemm", .tolerance = 1e-4};
  result.expected = [=](const Observation& each) {
    const auto size = [&](const std::optional<std::size_t>& place) {
      return place ? each.given.extents.at(*place) : std::int64_t{1};
    };
    const std::int64_t rows = size(extents.batch) * size(extents.m), m = size(extents.m), n = size(extents.n),
                       k = size(extents.k);
    const std::vector<double>&left = each.given.contents.at(a), &right = each.given.contents.at(b);
    std::vector<double> values;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t first = i / m * k;  // of the rows of b
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t t = 0; t < k; ++t) {
          sum += left[static_cast<std::size_t>(i * k + t)] * right[static_cast<std::size_t>((first + t) * n + j)];
        }
        if (has_addend) {
          const double before = each.given.contents.at(out)[static_cast<std::size_t>(i * n + j)];
          sum = each.given.numbers.at(numbers[0]) * sum + each.given.numbers.at(numbers[1]) * before;
        }
        values.push_back(sum);
      }
    }
    return values;
  };
  result.text = [a, b, out, extents, has_addend, numbers](const Measured& seen, const std::string& name) {
    Lines lines(seen, name);
    lines.call(a, "a");
    lines.call(b, "b");
    lines.call(out, "d");
    std::vector<std::string> limits;
    for (const auto& [word, place] :
         {std::pair{"batch", extents.batch}, {"m", extents.m}, {"n", extents.n}, {"k", extents.k}}) {
      if (place) lines.call(*place, word);
      limits.push_back(place ? lines.range(*place, word) : fmt::format("{} = 1", word));
    }
    if (extents.m && extents.n == extents.m) {
      lines.call(*extents.m, "n");
      limits.emplace_back("m = n, n = k");
    }
    if (!has_addend) limits.emplace_back("alpha = one, beta = zero");
    lines.add("operation", "gemm");
    lines.add_formats({{"a", a}, {"b", b}, {"d", out}});
    lines.add("limits", fmt::format("{}", fmt::join(limits, ", ")));
    lines.add_values({{"a", ".."}, {"b", ".."}});
    if (has_addend) {
      lines.call(numbers[0], "alpha");
      lines.call(numbers[1], "beta");
      lines.add("in_place", "c");
      const auto [reads_inputs, reads_addend] = seen.reads;
      if (reads_inputs && reads_addend) {
        lines.add("contract", "scalars=formula");
      } else if (reads_inputs || reads_addend) {
        lines.add("contract", reads_inputs ? "reads_a_b_at_alpha_zero=true" : "reads_c_at_beta_zero=true");
      }
    } else if (seen.flushes) {
      lines.add("contract", "subnormal_inputs=either subnormal_results=either");
    }
    return lines.text();
  };
  candidates.push_back(std::move(result));
}

}  // namespace

void add_products(const Measured& measured, std::vector<Candidate>& candidates) {
  const Probe& probe = measured.probe;
  const Places numbers = measured.callee->places_of(Parameter::Role::Number);
  const bool has_addend = probe.treatment == Treatment::InPlace && numbers.size() == 2;
  if (probe.inputs.size() != 2 || (probe.treatment == Treatment::InPlace && !has_addend)) return;
  for (const std::size_t each : {probe.inputs[0], probe.inputs[1], probe.outputs[0]}) {
    if (measured.parameter(each).is_integer()) return;
  }
  std::vector<std::optional<std::size_t>> sizes{std::nullopt};
  for (const std::size_t place : measured.extents()) sizes.emplace_back(place);
  const Places& out = measured.factors(probe.outputs.front());
  for (const bool swapped : {false, true}) {
    const std::size_t a = probe.inputs[swapped ? 1 : 0], b = probe.inputs[swapped ? 0 : 1];
    const Places &left = measured.factors(a), &right = measured.factors(b);
    for (const auto& batch : sizes) {
      for (const auto& m : sizes) {
        for (const auto& n : sizes) {
          for (const auto& k : sizes) {
            const bool fits = k && is_product_of(left, present({batch, m, k})) &&
                              is_product_of(right, present({batch, k, n})) &&
                              is_product_of(out, present({batch, m, n}));
            // One size for two of them alone has no word.
            const bool is_square = !batch && m && m == n && n == k;
            Places all = present({batch, m, n, k});
            std::ranges::sort(all);
            const bool repeats = std::ranges::adjacent_find(all) != all.end();
            if (fits && (is_square || !repeats)) add(measured, candidates, a, b, {batch, m, n, k}, has_addend);
          }
        }
      }
    }
  }
}

}  // namespace negzero::measure
