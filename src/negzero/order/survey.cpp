// What is to be said of the order of a kernel's sums.

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/order/survey.hpp>

namespace negzero::order {

namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

/// Sums that are repeated, and how often.
constexpr int kRepeated = 48, kRuns = 4;
/// Neighbours of a term at each distance of a power of two, in each direction.
constexpr std::int64_t kNeighbours = 17;
/// Elements of a scan whose sums are repeated.
constexpr std::size_t kChecked = 8;

/// Pairs of different terms: neighbours, ends, and any. Requires two terms or more.
std::vector<Pair> probes(std::int64_t terms) {
  std::vector<Pair> pairs{{0, 1}, {0, terms - 1}, {terms - 1, 0}, {terms / 2, terms - 1 - terms / 2 % 2}};
  base::Random random(static_cast<std::uint64_t>(terms) ^ 0x6f72646572);
  while (pairs.size() < kRepeated) pairs.emplace_back(random.between(0, terms - 1), random.between(0, terms - 1));
  std::erase_if(pairs, [](const Pair& pair) { return pair.first == pair.second; });
  return pairs;
}

class Surveyor {
 public:
  Surveyor(Source& source, std::int64_t length, std::int64_t terms) : source_(source), length_(length), terms_(terms) {}

  [[nodiscard]] std::int64_t sums() const { return sums_; }

  /// What the first scale shows by which a tree is found, else what the first of all shows.
  /// `is_checked`: sums are repeated, and the tree is held against others.
  base::Result<Found> found(bool is_checked, bool& is_deterministic) {
    const auto scales = scales_of(source_.formats(), terms_);
    if (!scales) return scales.error();
    Found first;
    for (const Scale& scale : *scales) {
      const auto alike = is_checked ? repeats(scale) : true;
      if (!alike) return alike.error();
      if (!*alike) {
        is_deterministic = false;
        first.problem = "sums differ from run to run";
        return first;
      }
      auto here = found_by(scale, is_checked);
      if (!here || here->tree) return here;
      if (first.problem.empty()) first = *std::move(here);
    }
    return first;
  }

  /// Whether the sums of some pairs are those of the tree, by the first scale that counts them all.
  base::Result<bool> adds_along(const Tree& tree) {
    const auto scales = scales_of(source_.formats(), terms_);
    if (!scales) return scales.error();
    const std::vector<Pair> pairs = probes(terms_);
    const std::vector<std::int64_t> expected = tree.meetings(pairs);
    for (const Scale& scale : *scales) {
      const auto leaves = count_meetings(sum(scale, 0), pairs);
      if (!leaves) return leaves.error();
      if (std::ranges::equal(*leaves, expected)) return true;
    }
    return false;
  }

  /// How many additions some terms meet at least: as many as meet there with neighbours at usual distances. Pairs that
  /// meet in one addition leave the same ones over, so other sums are of other additions, even if a narrow format
  /// rounds them and no count is exact.
  base::Result<std::int64_t> least_depth() {
    const auto scales = scales_of(source_.formats(), terms_);
    if (!scales) return scales.error();
    std::int64_t least = 0;
    for (const std::int64_t term : {std::int64_t{0}, terms_ / 3}) {
      std::vector<Placement> placements;
      for (std::int64_t step = 1; step < terms_; step *= 2) {
        for (std::int64_t i = -kNeighbours; i <= kNeighbours; ++i) {
          const std::int64_t other = term + i * step;
          if (i % 2 != 0 && other >= 0 && other < terms_) placements.push_back({term, other, 0, terms_});
        }
      }
      for (const Scale& scale : *scales) {
        const auto values = sum(scale, 0).sums(placements);
        if (!values) return values.error();
        if (!std::ranges::all_of(*values, [](double value) { return value >= 0 && std::isfinite(value); })) continue;
        least = std::max(least, std::ssize(std::set<double>(values->begin(), values->end())));
        break;
      }
    }
    return least;
  }

 private:
  /// Whether repeated sums come out alike.
  base::Result<bool> repeats(const Scale& scale) {
    if (terms_ < 2) return true;
    const std::vector<Pair> pairs = probes(terms_);
    std::vector<std::optional<std::int64_t>> first;
    for (unsigned run = 0; run < kRuns; ++run) {
      auto leaves = count_meetings(sum(scale, run), pairs);
      if (!leaves) return leaves.error();
      if (run == 0)
        first = *std::move(leaves);
      else if (*leaves != first)
        return false;
    }
    return true;
  }

  /// The tree, held against sums of other pairs.
  base::Result<Found> found_by(const Scale& scale, bool is_checked) {
    auto result = search(sum(scale, 0));
    if (!is_checked || !result || !result->tree || terms_ < 2) return result;
    const std::vector<Pair> pairs = probes(terms_);
    const auto leaves = count_meetings(sum(scale, 0), pairs);
    if (!leaves) return leaves.error();
    const std::vector<std::int64_t> expected = result->tree->meetings(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if ((*leaves)[i] == expected[i]) continue;
      result->problem = fmt::format("x[{}] and x[{}] meet among {} terms by other sums, and not by their own",
                                    pairs[i].first, pairs[i].second, expected[i]);
      result->tree.reset();
      break;
    }
    return result;
  }

  Sum sum(const Scale& scale, unsigned run) {
    return {terms_, most_ones(source_.formats()), [this, scale, run](std::span<const Placement> placements) {
              sums_ += static_cast<std::int64_t>(placements.size());
              return source_.sums(length_, terms_, scale, run, placements);
            }};
  }

  Source& source_;
  std::int64_t length_, terms_, sums_ = 0;
};

}  // namespace

base::Result<bool> adds_along(Source& source, const Tree& tree) {
  return Surveyor(source, tree.leaves(), tree.leaves()).adds_along(tree);
}

std::string formula_of(const Order& order) {
  if (order.fit) return order.fit->formula.text;
  const auto is_found = [](const AtLength& at) { return at.found.tree.has_value(); };
  if (order.is_deterministic && !std::ranges::all_of(order.lengths, is_found)) return "";
  return order.has_products ? order.length_name : order.length_name + " - 1";
}

namespace {

/// A formula is used at shorter lengths, too, where a depth below that of a balanced tree is an error: then the larger
/// of the two is one. `missing`: how many terms the longest sum has less than its length.
void hold_up(Formula& formula, std::string_view length_name, std::int64_t more, std::int64_t missing,
             std::int64_t longest) {
  const auto balanced = [=](std::int64_t length) { return ceil_log2(length - missing) + more; };
  std::int64_t length = missing + 2;
  while (length <= longest && formula.depth_at(length) >= balanced(length)) ++length;
  if (length > longest) return;
  const std::string flattest =
      more == 0 ? fmt::format("ceil_log2({})", length_name) : fmt::format("ceil_log2({}) + {}", length_name, more);
  formula.text = fmt::format("max({}, {})", formula.text, flattest);
  formula.depth_at = [own = formula.depth_at, more](std::int64_t at) {
    return std::max(own(at), ceil_log2(at) + more);
  };
}

}  // namespace

base::Result<Order> survey(Source& source, std::span<const std::int64_t> lengths, const std::string& length_name,
                           std::optional<std::int64_t> longer) {
  Order order{.length_name = length_name, .has_products = source.formats().has_products};
  const std::int64_t more = order.has_products ? 1 : 0;
  std::vector<DepthAt> depths;
  std::vector<Tree> longest;  // of each length, the tree of its longest sum
  for (const std::int64_t length : lengths) {
    AtLength& at = order.lengths.emplace_back(AtLength{.length = length, .elements = 0});
    const std::vector<std::int64_t> all = source.sums_of(length);
    for (std::size_t i = all.size(); i-- > 0;) {  // The longest shows most of what is wrong.
      Surveyor surveyor(source, length, all[i]);
      auto found = surveyor.found((all.size() - 1 - i) % (all.size() / kChecked + 1) == 0, order.is_deterministic);
      if (!found) return found.error();
      order.sums += surveyor.sums();
      ++at.elements;
      if (found->tree && at.elements == 1) longest.push_back(*found->tree);
      const bool is_deepest = !found->tree || at.elements == 1 || found->tree->depth() > at.found.tree->depth();
      if (is_deepest) at.found = *std::move(found);
      if (!at.found.tree) break;
    }
    if (!at.found.tree) continue;
    depths.push_back({length, at.found.tree->depth()});
    at.depth = at.found.tree->depth() + more;
  }
  if (depths.size() == lengths.size()) {
    std::vector<DepthAt> at_least;
    if (longer && scales_of(source.formats(), *longer)) {
      Surveyor surveyor(source, *longer, source.sums_of(*longer).back());
      const auto least = surveyor.least_depth();
      if (!least) return least.error();
      order.sums += surveyor.sums();
      order.longer = at_least.emplace_back(DepthAt{*longer, *least});
    }
    order.fit = fit(depths, length_name, more, at_least);
    const std::int64_t missing = lengths.front() - source.sums_of(lengths.front()).back();
    const bool has_steps =
        std::ranges::any_of(order.lengths, [](const AtLength& at) { return at.found.tree->most_children() > 2; });
    if (order.fit && !has_steps) hold_up(order.fit->formula, length_name, more, missing, lengths.back());
  }
  for (const Tree& tree : longest) {
    const bool is_part = tree.same_as(longest.back().of_first(tree.leaves()));
    order.same_shape = order.same_shape.value_or(true) && is_part;
  }
  return order;
}

}  // namespace negzero::order
