// The table of strategies, the checks of a request, and the expansion of a plan into a case.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/words.hpp>
#include <negzero/generate/work.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/operation/operands.hpp>

namespace negzero::generate {
namespace {

using Scalars = Traits::Scalars;

/// A row of the table: what the user sees, what drawing needs, and the function that fills.
struct Entry {
  Strategy strategy;
  Traits traits;
  void (*fill)(Work&);
};

constexpr std::array<Entry, 11> kEntries{{
    {{"special", "zeros, subnormals, limits, ones, infinities and NaNs, placed singly, in rows, columns or everywhere",
      "NaN and -0 semantics, identities, padding, beta = 0", 16},
     {.bounded_terms = true},
     fill_special},
    {{"exact", "sums that the declared accumulator holds exactly with all of its bits and no narrower one does",
      "narrower accumulators, TF32, lost or doubled terms, lost updates, alpha and beta mistakes", 14},
     {.structured = true, .shows_each_term = true, .fewest_terms = 2, .scalars = Scalars::Finite},
     fill_exact},
    {{"sparse", "at most three nonzero products to a result, at k = 0, K - 1 and around tiles and splits",
      "K tails, split-K, wrong masks, any wrong rounding step", 12},
     {.structured = true, .shows_each_term = true},
     fill_sparse},
    {{"cancel", "dot products of a chosen condition number, up to 2^(2p) (Ogita, Rump & Oishi 2005)",
      "intermediate precision", 8},
     {.structured = true, .bounded_terms = true, .fewest_terms = 4, .scalars = Scalars::Finite},
     fill_cancel},
    {{"skew", "log-uniform exponents, heavy tails, an outlier among many, the whole range of the format",
      "alignment, block scaling, overflow of narrow formats", 9},
     {.bounded_terms = true},
     fill_skew},
    {{"tie", "results half way between two outputs, and a unit far below to either side of that",
      "rounding mode, double rounding, truncation", 10},
     {.structured = true, .fewest_terms = 5, .scalars = Scalars::Power},
     fill_tie},
    {{"extreme", "intermediate overflow with a finite result, results at the largest, smallest normal and subnormal",
      "overflow handling, FTZ", 8},
     {.structured = true, .ends = true, .fewest_terms = 3, .scalars = Scalars::Small},
     fill_extreme},
    {{"bits", "uniform encodings of the format", "everything unforeseen", 7}, {.bounded_terms = true}, fill_bits},
    {{"normal", "sums of four uniform numbers, close to N(0, 1)", "the baseline, and speed", 4},
     {.independent_terms = true, .bounded_terms = true},
     fill_normal},
    {{"uniform", "uniform in [0, 1) or (-1, 1), times a small power of two", "the baseline, and speed", 4},
     {.independent_terms = true, .bounded_terms = true},
     fill_uniform},
    {{"structural", "identities, one-hot rows, ramps, row and column numbers, constants",
      "indexing, transposes, strides, batch index", 8},
     {.bounded_terms = true},
     fill_structural},
}};

/// Makes elements that share an address by a stride of 0 equal: the first along that dimension stands for all.
void unify(tensor::Tensor& tensor, const tensor::Layout& layout) {
  const std::vector<std::int64_t>& shape = layout.shape;
  std::vector<std::int64_t> packed(shape.size(), 1);
  bool broadcasts = false;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (d + 1 < shape.size()) packed[d] = packed[d + 1] * shape[d + 1];
    broadcasts = broadcasts || (layout.strides[d] == 0 && shape[d] > 1);
  }
  if (!broadcasts) return;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    std::int64_t source = i;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (layout.strides[d] == 0) source -= i / packed[d] % shape[d] * packed[d];
    }
    // The source comes first in row-major order, so it is final.
    if (source != i) tensor.set(i, tensor.get(source));
  }
}

/// Overwrites what the kernel must not read: with NaN mostly, with Inf or ordinary numbers now and then.
void poison_unread(tensor::Tensor& tensor, base::Random random) {
  const number::Format format = tensor.format();
  const std::uint64_t kind = random.below(8);
  if (kind == 0) return;
  const std::uint64_t word = kind == 1 ? number::infinity(format, random.below(2) == 0) : number::canonical_nan(format);
  const std::uint64_t sign = random.below(2) == 0 ? format.sign_mask() : 0;
  fill(tensor, [&](std::int64_t) { return word ^ sign; });
}

}  // namespace

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all = [] {
    std::vector<Strategy> list;
    for (const Entry& entry : kEntries) list.push_back(entry.strategy);
    return list;
  }();
  return all;
}

int find_strategy(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].strategy.name == name) return static_cast<int>(i);
  }
  return -1;
}

const Traits& traits(std::string_view strategy) {
  return kEntries[static_cast<std::size_t>(std::max(0, find_strategy(strategy)))].traits;
}

base::Status validate(const Weights& weights) {
  bool any = weights.empty();
  for (const auto& [name, weight] : weights) {
    if (find_strategy(name) < 0) {
      std::vector<std::string_view> known;
      for (const Entry& entry : kEntries) known.push_back(entry.strategy.name);
      return base::usage_error(fmt::format("unknown strategy '{}': known are {}", name, fmt::join(known, ", ")));
    }
    if (!(weight >= 0) || std::isinf(weight)) {
      return base::usage_error(
          fmt::format("weight {} of strategy {}: give a finite number of at least 0", weight, name));
    }
    any = any || weight > 0;
  }
  if (!any) return base::usage_error("all weights are 0: give at least one strategy a positive weight");
  return base::Ok{};
}

base::Status validate(const Request& request) {
  const auto signature = operation::signature_of(request.operation);
  if (!signature) return signature.error();
  if (const auto valid = validate(request.mix.weights); !valid) return valid.error();
  if (const auto valid = operation::validate(request.limits, request.operation); !valid) return valid.error();
  if (const auto valid = validate(request.mix.extents, request.operation, request.limits); !valid) return valid.error();
  const Plan plan = draw(request, 0, 0);
  if (const auto reason = outside(request.limits, plan)) {
    return base::usage_error(fmt::format("no case fits the limits of {}: {}", (*signature)->name, *reason));
  }
  return base::Ok{};
}

operation::Case expand(const Request& request, const Plan& plan) {
  operation::Case value;
  value.operation = plan.operation;
  value.layouts = plan.layouts;
  value.in_place = plan.in_place;
  value.configuration = plan.configuration;
  value.poison = plan.poison;
  value.schedule = plan.schedule;
  value.strategy = plan.strategy;
  for (operation::TensorSpec& spec : operation::input_specs(plan.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, std::move(spec.shape)));
  }
  operation::pack_missing_layouts(value);
  base::Random random(plan.element_seed);
  const bool is_declared = plan.operation.signature().is_declared;
  Aim aim = is_declared ? Aim{} : make_aim(plan.operation, request, random);
  Work work{request, plan, value, random.split(1), aim};
  const auto unify_one = [&](const std::string& name) { unify(value.tensors.at(name), value.layouts.at(name)); };
  const std::string index = work.signature().is_update ? operation::index_name(work.signature()) : "";
  if (work.signature().is_update) {
    const std::size_t below = *work.signature().tensors[*work.signature().find_tensor(index)].index_below;
    draw_indices(work.tensor(index), plan.operation.extents()[below], work.random.split(64));
    unify_one(index);
  }
  fill_counts(work);
  const int strategy = std::max(0, find_strategy(plan.strategy));
  if (is_declared) {
    fill_declared(work);
  } else {
    kEntries[static_cast<std::size_t>(strategy)].fill(work);
  }
  // Sums that `extreme` makes are finite on purpose; of a declared operation nothing is known.
  if (plan.strategy == "special") coincide(work, true);
  if (plan.strategy == "extreme" && is_declared) coincide(work, false);
  const operation::ReadsAtZero reads{request.contract.reads_a_b(), request.contract.reads_c()};
  const auto poison_if_unread = [&](std::size_t place, std::uint64_t stream) {
    const std::string& name = work.signature().tensors[place].name;
    if (!operation::when_unread(plan.operation, name, reads).empty())
      poison_unread(work.tensor(name), random.split(stream));
  };
  if (work.signature().addend) poison_if_unread(*work.signature().addend, 2);
  for (std::size_t i = 0; i < work.signature().factors.size(); ++i)
    poison_if_unread(work.signature().factors[i], 3 + i);
  for (const auto& [name, tensor] : value.tensors) {
    if (name != index) unify_one(name);
  }
  operation::fold_values(value, request.limits);
  return value;
}

operation::Case make_case(const Request& request, std::uint64_t seed, std::uint64_t index) {
  operation::Case value = expand(request, draw(request, seed, index));
  if (request.mix.finite) make_finite(value, request.limits);
  value.seed = seed;
  value.index = index;
  return value;
}

}  // namespace negzero::generate
