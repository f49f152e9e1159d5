// The words behind the bound of indices and counts in a declared line.

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/notation/index_words.hpp>

namespace negzero::notation {
namespace {

using DistinctIn = IndexWords::DistinctIn;

/// Reads the words of one tensor.
class WordsReader {
 public:
  WordsReader(LineReader& line, const Signature& signature, TensorSignature& tensor)
      : line_(line), signature_(signature), tensor_(tensor), begin_(line.place()) {}

  void read() {
    while (read_one()) {
    }
    check();
  }

 private:
  [[nodiscard]] const std::string& bound() const {
    return signature_.extents[tensor_.counts_of ? *tensor_.counts_of : *tensor_.index_below];
  }
  [[noreturn]] void fail(std::string what) const { throw Mistake{std::move(what), begin_}; }
  void once(bool is_there, std::string_view word) const {
    if (is_there) throw Mistake{fmt::format("{} is said twice of {}", word, tensor_.name), begin_of_word_};
  }

  bool read_one() {
    begin_of_word_ = line_.place();
    IndexWords& words = tensor_.words;
    if (line_.take_word("ascending")) {
      once(tensor_.is_ascending, "ascending");
      tensor_.is_ascending = true;
      if (tensor_.role == Role::Output) line_.fail("an output may be in any order,");
      read_ends();
    } else if (line_.take_word("distinct")) {
      once(words.distinct != DistinctIn::Nothing, "distinct");
      words.distinct = DistinctIn::Row;
    } else if (line_.take_word("all")) {
      if (!line_.take_word("distinct")) line_.fail("expected 'distinct' behind 'all'");
      once(words.distinct != DistinctIn::Nothing, "distinct");
      words.distinct = DistinctIn::Tensor;
    } else if (line_.take_word("permutation")) {
      once(words.is_permutation, "permutation");
      words.is_permutation = true;
    } else if (line_.take_word("none")) {
      once(words.has_none, "none");
      read_none();
    } else {
      refuse_others();
      return false;
    }
    return true;
  }

  /// What may be behind "ascending".
  void read_ends() {
    if (line_.take_word("from")) {
      if (!line_.take_word("0")) line_.fail("expected 0 behind 'from'");
      tensor_.words.starts_at_zero = true;
    }
    const std::size_t place = line_.place();
    if (!line_.take_word("to")) return;
    const std::string end = line_.word("an extent");
    if (!tensor_.counts_of) {
      throw Mistake{fmt::format("{0} is below {1}, so that it never is {1}; write '<= {1}'", tensor_.name, bound()),
                    place};
    }
    if (end != bound()) {
      throw Mistake{fmt::format("{0} goes to {1}, its bound; write 'to {1}'", tensor_.name, bound()), place};
    }
    tensor_.words.ends_at_bound = true;
  }

  void read_none() {
    tensor_.words.has_none = true;
    const bool is_minus_one =
        line_.take("=") && line_.is_at("-1") &&
        (line_.rest().size() == 2 || std::isalnum(static_cast<unsigned char>(line_.rest()[2])) == 0);
    if (!is_minus_one) line_.fail("-1 alone says that there is no index; write none=-1,");
    line_.take("-1");
  }

  /// Words that people try.
  void refuse_others() const {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOthers{{{"sorted", "ascending"},
                                                                                    {"increasing", "ascending"},
                                                                                    {"unique", "distinct"},
                                                                                    {"from", "ascending from 0"},
                                                                                    {"to", "ascending to"}}};
    for (const auto& [word, right] : kOthers) {
      LineReader ahead = line_;
      if (!ahead.take_word(word)) continue;
      throw Mistake{fmt::format("'{}' is written '{}'{}", word, right,
                                right == "ascending" ? ", which permits equal neighbours" : ""),
                    line_.place()};
    }
  }

  void check() const {
    const IndexWords& words = tensor_.words;
    const std::string& name = tensor_.name;
    const auto both = [&](bool contradict, std::string_view a, std::string_view b, std::string_view why) {
      if (contradict) fail(fmt::format("{} is {} and {}: {}", name, a, b, why));
    };
    const bool is_distinct = words.distinct != DistinctIn::Nothing;
    both(words.is_permutation && tensor_.is_ascending, "ascending", "permutation",
         "that is 0, 1, 2 ... alone; leave one of them out");
    both(words.is_permutation && is_distinct, "distinct", "permutation", "a permutation is; leave 'distinct' out");
    both(words.is_permutation && words.has_none, "permutation", "none=-1",
         "a permutation has every index; write 'distinct none=-1'");
    both(tensor_.is_ascending && words.has_none, "ascending", "none=-1",
         "-1 is below all others; leave one of them out");
    if (tensor_.counts_of && (is_distinct || words.is_permutation || words.has_none)) {
      fail(fmt::format("{} holds counts, of which 'ascending' alone is said; of indices write '< {}'", name, bound()));
    }
    if (words.is_permutation && tensor_.extents.back() != *tensor_.index_below) {
      const std::string& last = signature_.extents[tensor_.extents.back()];
      fail(fmt::format("a permutation has every index below its last dimension once; write {}[{}] < {} permutation",
                       name, tensor_.extents.size() > 1 ? "..., " + last : last, last));
    }
  }

  LineReader& line_;
  const Signature& signature_;
  TensorSignature& tensor_;
  std::size_t begin_, begin_of_word_ = 0;
};

}  // namespace

void read_index_words(LineReader& line, const Signature& signature, TensorSignature& tensor) {
  WordsReader(line, signature, tensor).read();
}

std::string words_text(const Signature& signature, const TensorSignature& tensor) {
  const IndexWords& words = tensor.words;
  std::string text = tensor.is_ascending ? " ascending" : "";
  if (words.starts_at_zero) text += " from 0";
  if (words.ends_at_bound) text += " to " + signature.extents[*tensor.counts_of];
  if (words.distinct != DistinctIn::Nothing)
    text += words.distinct == DistinctIn::Tensor ? " all distinct" : " distinct";
  if (words.is_permutation) text += " permutation";
  if (words.has_none) text += " none=-1";
  return text;
}

std::vector<Relation> relations_of_words(const Signature& signature, const TensorSignature& tensor) {
  const IndexWords& words = tensor.words;
  std::vector<std::string> names;
  for (const std::size_t extent : tensor.extents) names.push_back(signature.extents[extent]);
  std::string text;
  if (words.distinct != DistinctIn::Nothing && !words.has_none) {
    const std::string& below = signature.extents[*tensor.index_below];
    const std::string indices =
        words.distinct == DistinctIn::Row ? names.back() : fmt::format("{}", fmt::join(names, " * "));
    if (indices != below) text = fmt::format("{} <= {}", indices, below);
  }
  if (words.ends_at_bound) {
    const std::string& rows = signature.extents[*tensor.counts_of];
    // Offsets of no group are one number, which is both ends where it begins at 0.
    const int ends = words.starts_at_zero ? 1 : 0;
    text = fmt::format("{0} <= {0} * min(1, {1}{2})", rows, names.back(), ends == 1 ? " - 1" : "");
  }
  if (text.empty()) return {};
  Relation relation = *parse_relation(text);
  relation.is_of_words = true;
  return {std::move(relation)};
}

}  // namespace negzero::notation
