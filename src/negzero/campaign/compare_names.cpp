// Kernels to compare, by the names that a person types.

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/printable.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/compare_names.hpp>
#include <negzero/campaign/kernel_names.hpp>

namespace negzero::campaign {

namespace {

constexpr const char* kHowToWrite = "write a pair a line, as in `torch.mm.f32 torch.bmm.of_one.f32`";

/// "gemm.*@cuda" in its parts.
struct Named {
  std::string name;
  std::optional<std::string> executor;
  [[nodiscard]] bool is_pattern() const { return name.find('*') != std::string::npos; }
  /// A pattern with this text for its star.
  [[nodiscard]] std::string with(std::string_view text) const {
    std::string result = name;
    return result.replace(result.find('*'), 1, text);
  }
};

Named parts_of(const std::string& text) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

/// Where the kernels of a text run; the error of an executor that it names itself begins with the text.
base::Result<kernel::Where> where(const std::string& text, const Named& named, const WhereOf& where_of) {
  auto found = where_of(named.executor);
  if (found || !named.executor) return found;
  return base::Error{found.error().kind, text + ": " + found.error().message};
}

/// Names of the kernels there that fit a pattern, each as the text that its star is; at least one.
base::Result<std::vector<std::string>> stars_of(const Named& pattern, kernel::Where where) {
  const auto kernels = kernels_matching({pattern.name}, where);
  if (!kernels) return kernels.error();
  const std::size_t before = pattern.name.find('*'), behind = pattern.name.size() - before - 1;
  std::vector<std::string> texts;
  for (const kernel::Kernel* kernel : *kernels) {
    texts.push_back(kernel->name.substr(before, kernel->name.size() - before - behind));
  }
  return texts;
}

/// The pairs of one line.
class Line {
 public:
  Line(const std::string& first, const std::string& second, const WhereOf& where_of, std::size_t number)
      : texts_{first, second}, named_{parts_of(first), parts_of(second)}, where_of_(where_of), number_(number) {}

  base::Status add_to(PairList& list) const {
    for (const Named& side : named_) {
      if (side.name.find('?') != std::string::npos) {
        return base::usage_error(fmt::format("{}: a pattern has a * and no ?", side.name));
      }
      if (std::ranges::count(side.name, '*') > 1) {
        return base::usage_error(fmt::format("{}: a pattern has one *; write a line for each part", side.name));
      }
    }
    if (named_[0].is_pattern() != named_[1].is_pattern()) {
      return base::usage_error(fmt::format("{}: only one side has a *; write it on both, as the same text", text()));
    }
    return named_[0].is_pattern() ? add_pattern(list) : add_names(list);
  }

 private:
  [[nodiscard]] std::string text() const { return texts_[0] + " " + texts_[1]; }

  base::Status add_names(PairList& list) const {
    const auto first = kernel_to_compare(texts_[0], where_of_);
    if (!first) return first.error();
    const auto second = kernel_to_compare(texts_[1], where_of_);
    if (!second) return second.error();
    add(**first, **second, list);
    return base::Ok{};
  }

  base::Status add_pattern(PairList& list) const {
    kernel::Where there[2];
    std::vector<std::string> stars[2];
    for (std::size_t i = 0; i < 2; ++i) {
      const auto found = where(texts_[i], named_[i], where_of_);
      if (!found) return found.error();
      there[i] = *found;
      auto fitting = stars_of(named_[i], there[i]);
      if (!fitting) return fitting.error();
      stars[i] = *std::move(fitting);
    }
    const auto has = [&](std::size_t side, const std::string& star) {
      return std::ranges::find(stars[side], star) != stars[side].end();
    };
    std::size_t pairs = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const std::string& star : stars[side]) {
        if (!has(1 - side, star)) {
          list.alone.push_back({named_[side].with(star), named_[1 - side].with(star), number_});
        } else if (side == 0) {
          ++pairs;
          add(*kernel::registry().find(named_[0].with(star), there[0]),
              *kernel::registry().find(named_[1].with(star), there[1]), list);
        }
      }
    }
    if (pairs > 0) return base::Ok{};
    return base::usage_error(
        fmt::format("{}: no pair: {} has no partner {}, and so on; the same text goes in the place of both stars",
                    text(), named_[0].with(stars[0].front()), named_[1].with(stars[0].front())));
  }

  void add(const kernel::Kernel& first, const kernel::Kernel& second, PairList& list) const {
    const auto is_it = [&](const KernelPair& pair) { return pair.first == &first && pair.second == &second; };
    if (std::ranges::none_of(list.pairs, is_it)) list.pairs.push_back({&first, &second, number_});
  }

  std::string texts_[2];
  Named named_[2];
  const WhereOf& where_of_;
  std::size_t number_;
};

/// The words of a line before its comment.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line.substr(0, line.find('#')));
  return {std::istream_iterator<std::string>(text), {}};
}

}  // namespace

base::Result<const kernel::Kernel*> kernel_to_compare(const std::string& text, const WhereOf& where_of) {
  const Named named = parts_of(text);
  const auto there = where(text, named, where_of);
  if (!there) return there.error();
  return kernel_named(named.name, *there);
}

std::string place_in_list(const std::string& path, std::size_t line) {
  return fmt::format("--list {}, line {}: ", base::one_line(path), line);
}

base::Result<PairList> read_pairs(const std::string& path, const WhereOf& where_of) {
  const auto lines = lines_of_list(path, kHowToWrite);
  if (!lines) return lines.error();
  PairList list{.path = path, .pairs = {}, .alone = {}};
  for (std::size_t i = 0; i < lines->size(); ++i) {
    const std::vector<std::string> words = words_of((*lines)[i]);
    if (words.empty()) continue;
    base::Status added =
        words.size() == 2 ? Line(words[0], words[1], where_of, i + 1).add_to(list)
                          : base::usage_error(fmt::format(
                                "{}: {} where two kernels go; {}", fmt::join(words, " "),
                                words.size() == 1 ? "one word" : fmt::format("{} words", words.size()), kHowToWrite));
    if (!added) {
      return base::Error{added.error().kind, base::one_line(place_in_list(path, i + 1) + added.error().message)};
    }
  }
  if (list.pairs.empty()) {
    return base::undecided_error(
        fmt::format("--list {}: names no pair, so nothing was decided; {}", base::one_line(path), kHowToWrite));
  }
  return list;
}

}  // namespace negzero::campaign
