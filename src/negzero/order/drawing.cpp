// A tree of additions as text.

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include <negzero/order/drawing.hpp>

namespace negzero::order {

namespace {

/// Levels deeper than this are left out, as lines beyond kMostLines are.
constexpr std::size_t kMostLevels = 24;

class Drawing {
 public:
  explicit Drawing(const Tree& tree) : nodes_(tree.nodes()) {
    std::map<std::vector<std::size_t>, std::size_t> numbers;
    for (const Tree::Node& node : nodes_) {
      std::vector<std::size_t> shapes;
      for (const std::size_t child : node.children) shapes.push_back(shapes_[child]);
      shapes_.push_back(node.leaf >= 0 ? 0 : numbers.emplace(std::move(shapes), numbers.size() + 1).first->second);
    }
  }

  std::string all() {
    if (nodes_.empty()) return "";
    draw(nodes_.size() - 1, 0);
    if (is_cut_) text_ += "... (more is left out)\n";
    return std::move(text_);
  }

 private:
  using Places = std::vector<std::size_t>;

  void line(std::size_t level, const std::string& text) {
    if (++lines_ > kMostLines || level > kMostLevels)
      is_cut_ = true;
    else
      text_ += std::string(2 * level, ' ') + text + "\n";
  }

  bool are_alike(const Places& places) const {
    return std::ranges::all_of(places, [&](std::size_t each) { return shapes_[each] == shapes_[places[0]]; });
  }

  /// The terms beneath a node, as additions take them.
  std::vector<std::int64_t> terms(std::size_t place) const {
    std::vector<std::int64_t> result;
    Places left{place};
    while (!left.empty()) {
      const Tree::Node& node = nodes_[left.back()];
      left.pop_back();
      if (node.leaf >= 0) result.push_back(node.leaf);
      left.insert(left.end(), node.children.rbegin(), node.children.rend());
    }
    return result;
  }

  /// The parts of a tree whose additions are all alike, level by level, and how many levels there are.
  std::size_t level_parts(std::size_t place, Places& parts) const {
    parts = {place};
    std::size_t levels = 0;
    while (nodes_[parts[0]].children.size() >= 2 && are_alike(nodes_[parts[0]].children) &&
           nodes_[parts[0]].children.size() == nodes_[place].children.size()) {
      Places below;
      for (const std::size_t part : parts) {
        below.insert(below.end(), nodes_[part].children.begin(), nodes_[part].children.end());
      }
      parts = std::move(below);
      ++levels;
    }
    return levels;
  }

  /// The additions of a chain from its last one down, each of the same kind of parts to what was added before.
  struct Chain {
    std::vector<Places> added{};  ///< by each, the last one first
    std::size_t start = 0;        ///< what the first one adds to
  };
  Chain chain(std::size_t place) const {
    Chain result{.start = place};
    std::vector<std::size_t> kind;
    while (nodes_[result.start].leaf < 0) {
      const Places& children = nodes_[result.start].children;
      const std::size_t trunk =
          *std::ranges::max_element(children, {}, [&](std::size_t child) { return nodes_[child].leaves; });
      Places added;
      std::vector<std::size_t> here;
      for (const std::size_t child : children) {
        if (child == trunk) continue;
        added.push_back(child);
        here.push_back(shapes_[child]);
      }
      if (!result.added.empty() && here != kind) break;
      kind = std::move(here);
      result.added.push_back(std::move(added));
      result.start = trunk;
    }
    return result;
  }

  void draw_parts(const Places& parts, std::size_t level) {
    for (std::size_t i = 0; i < parts.size() && !is_cut_;) {
      std::size_t end = i + 1;
      while (end < parts.size() && shapes_[parts[end]] == shapes_[parts[i]]) ++end;
      if (shapes_[parts[i]] == 0) {
        std::vector<std::int64_t> leaves;
        for (; i < end; ++i) leaves.push_back(nodes_[parts[i]].leaf);
        line(level, terms_text(leaves));
        continue;
      }
      draw(parts[i], level);
      if (end - i > 1) {
        std::vector<std::int64_t> firsts;
        for (std::size_t other = i + 1; other < end; ++other) firsts.push_back(nodes_[parts[other]].least);
        line(level, fmt::format("{} more like it, from {}", end - i - 1, terms_text(firsts)));
      }
      i = end;
    }
  }

  void draw(std::size_t place, std::size_t level) {
    const Tree::Node& node = nodes_[place];
    if (is_cut_) return;
    if (node.leaf >= 0) return line(level, terms_text(terms(place)));
    Places parts;
    const std::size_t levels = level_parts(place, parts), many = node.children.size();
    const std::string way = many == 2 ? "pairs" : fmt::format("{} at once", many);
    if (levels > 0 && shapes_[parts[0]] == 0) {
      const std::string how = levels == 1 ? "" : fmt::format(", {} levels", levels);
      return line(level,
                  fmt::format("{}{}: {}", levels == 1 && many == 2 ? "pair" : way, how, terms_text(terms(place))));
    }
    if (levels > 0) {
      const std::string how =
          levels == 1 ? (many == 2 ? "sum of" : "sum at once of") : way + fmt::format(", {} levels, of", levels);
      line(level, fmt::format("{} {} parts alike; the first:", how, parts.size()));
      return draw(parts[0], level + 1);
    }
    const Chain found = chain(place);
    const Places& last = found.added.back();
    const bool adds_leaves = std::ranges::all_of(last, [&](std::size_t each) { return nodes_[each].leaf >= 0; });
    if (found.added.size() >= 2) {
      std::vector<std::int64_t> firsts;
      for (auto each = found.added.rbegin(); each != found.added.rend(); ++each) {
        for (const std::size_t part : *each) firsts.push_back(nodes_[part].least);
      }
      if (adds_leaves && last.size() == 1) {
        if (nodes_[found.start].leaf >= 0) {
          firsts.insert(firsts.begin(), nodes_[found.start].leaf);
          return line(level, fmt::format("chain of {}: {}", firsts.size(), terms_text(firsts)));
        }
        line(level, fmt::format("chain that adds {} one by one to:", terms_text(firsts)));
        return draw(found.start, level + 1);
      }
      line(level,
           fmt::format("chain of {} steps{}; each adds, from {}:", found.added.size(),
                       last.size() == 1 ? "" : fmt::format(" of {} at once", last.size() + 1), terms_text(firsts)));
      draw_parts(last, level + 1);
      line(level, "to:");
      return draw(found.start, level + 1);
    }
    line(level, many == 2 ? "sum of:" : fmt::format("sum of {} at once:", many));
    draw_parts(node.children, level + 1);
  }

  const std::vector<Tree::Node>& nodes_;
  std::vector<std::size_t> shapes_{};  ///< equal for nodes beneath which all is alike but for the terms; 0 of a leaf
  std::string text_{};
  std::size_t lines_ = 0;
  bool is_cut_ = false;
};

}  // namespace

std::string terms_text(std::span<const std::int64_t> terms) {
  const auto count = terms.size();
  if (count == 1) return fmt::format("x[{}]", terms[0]);
  const std::int64_t step = terms[1] - terms[0];
  bool is_even = count > 2;
  for (std::size_t i = 2; i < count && is_even; ++i) is_even = terms[i] - terms[i - 1] == step;
  if (is_even && step == 1) return fmt::format("x[{}..{}]", terms[0], terms[count - 1]);
  if (is_even) return fmt::format("x[{}, {} .. {}]", terms[0], terms[1], terms[count - 1]);
  constexpr std::size_t kMostShown = 8;
  std::string text = "x[";
  for (std::size_t i = 0; i < std::min(count, kMostShown); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", terms[i]);
  return text + (count > kMostShown ? fmt::format(" .. {}]", terms[count - 1]) : "]");
}

std::string drawn(const Tree& tree) { return Drawing(tree).all(); }

}  // namespace negzero::order
