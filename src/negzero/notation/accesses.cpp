// Elements that a declared line reads or writes, as the clauses at its end say it.

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/notation/accesses.hpp>

namespace negzero::notation {
namespace {

using Kind = Position::Kind;
using Sign = std::pair<std::string_view, Kind>;

constexpr Sign kSums[] = {{"+", Kind::Add}, {"-", Kind::Subtract}};
constexpr Sign kProducts[] = {{"*", Kind::Multiply}, {"/", Kind::Divide}, {"%", Kind::Modulo}};

/// What binds more closely has a higher level.
int level_of(Kind kind) {
  if (kind == Kind::Add || kind == Kind::Subtract) return 1;
  return kind >= Kind::Multiply ? 2 : 3;
}

std::string position_text(const Position& position) {
  std::vector<std::string> operands;
  for (const Position& each : position.operands) operands.push_back(position_text(each));
  if (position.kind == Kind::Number) return std::to_string(position.number);
  if (position.kind == Kind::Name) return position.name;
  if (position.kind == Kind::Element) return fmt::format("{}[{}]", position.name, fmt::join(operands, ", "));
  const int level = level_of(position.kind);
  const auto operand = [&](std::size_t i, bool has_brackets) {
    return has_brackets ? "(" + operands[i] + ")" : operands[i];
  };
  std::string_view sign;
  for (const auto& [each, kind] : kSums) sign = kind == position.kind ? each : sign;
  for (const auto& [each, kind] : kProducts) sign = kind == position.kind ? each : sign;
  return fmt::format("{} {} {}", operand(0, level_of(position.operands[0].kind) < level), sign,
                     operand(1, level_of(position.operands[1].kind) <= level));
}

void add_tensors(const Position& position, std::vector<std::string>& names) {
  if (position.kind == Kind::Element) names.push_back(position.name);
  for (const Position& each : position.operands) add_tensors(each, names);
}

class AccessReader {
 public:
  AccessReader(LineReader& line, const Signature& signature, bool writes) : line_(line), signature_(signature) {
    access_.writes = writes;
  }

  Access read() {
    const std::size_t begin = line_.place();
    access_.tensor = line_.word(access_.writes ? "an output" : "an input");
    const auto place = signature_.find_tensor(access_.tensor);
    const bool is_output = place && signature_.tensors[*place].role == Role::Output;
    if (!place || is_output != access_.writes) {
      throw Mistake{fmt::format("{} {}: it is no {} of the line", access_.writes ? "writes" : "reads", access_.tensor,
                                access_.writes ? "output" : "input"),
                    begin};
    }
    if (signature_.tensors[*place].role == Role::Index) {
      throw Mistake{
          fmt::format("reads {0}: it holds indices, which may all be read; leave 'reads {0}' out", access_.tensor),
          begin};
    }
    access_.at = positions(access_.tensor);
    if (line_.take_word("for")) {
      do {
        loops_known_ = access_.loops.size();
        access_.loops.push_back(loop());
      } while (line_.take(","));
    }
    check(begin);
    return std::move(access_);
  }

 private:
  /// What is in the brackets behind a tensor's name.
  std::vector<Position> positions(const std::string& tensor) {
    const std::size_t begin = line_.place();
    line_.expect("[");
    std::vector<Position> at;
    do at.push_back(sum());
    while (line_.take(","));
    line_.expect("]");
    const std::size_t dimensions = signature_.tensors[*signature_.find_tensor(tensor)].extents.size();
    if (at.size() == dimensions) return at;
    throw Mistake{fmt::format("{} has {} dimensions, and here are {} places", tensor, dimensions, at.size()), begin};
  }

  Position sum() {
    return chain(kSums, [&] { return chain(kProducts, [&] { return factor(); }); });
  }

  template <std::size_t Count, typename Next>
  Position chain(const Sign (&signs)[Count], Next&& next) {
    Position left = next();
    while (true) {
      const auto* const sign = std::ranges::find_if(signs, [&](const Sign& each) { return line_.take(each.first); });
      if (sign == std::end(signs)) return left;
      Position both{.kind = sign->second};
      both.operands.push_back(std::move(left));
      both.operands.push_back(next());
      left = std::move(both);
    }
  }

  Position factor() {
    if (++nested_ > kMostNestedPositions) {
      line_.fail(fmt::format("more than {} positions within each other", kMostNestedPositions));
    }
    Position position;
    if (line_.take("(")) {
      position = sum();
      line_.expect(")");
    } else if (!line_.is_at_end() && std::isdigit(static_cast<unsigned char>(line_.rest().front())) != 0) {
      position.number = line_.number();
    } else {
      position = name_or_element();
    }
    --nested_;
    return position;
  }

  Position name_or_element() {
    const std::size_t begin = line_.place();
    Position position{.kind = Kind::Name, .name = line_.word("a number, an index, an extent or a tensor of indices")};
    if (!line_.is_at("[")) {
      names_.push_back({position.name, begin, loops_known_});
      return position;
    }
    const auto place = signature_.find_tensor(position.name);
    if (!place || signature_.tensors[*place].role != Role::Index) {
      throw Mistake{fmt::format("{} is no input of indices or counts, which alone are places", position.name), begin};
    }
    position.kind = Kind::Element;
    position.operands = positions(position.name);
    return position;
  }

  Loop loop() {
    const std::size_t begin = line_.place();
    Position first = sum();
    Loop loop;
    if (line_.take("<=")) {
      loop.from = std::move(first);
      loop.name = line_.word("an index");
      line_.expect("<");
      loop.below = sum();
    } else {
      if (first.kind != Kind::Name) throw Mistake{"expected an index, or its least value and '<='", begin};
      names_.pop_back();
      loop.name = first.name;
      if (line_.take("<")) loop.below = sum();
    }
    const bool is_extent = signature_.find_extent(loop.name).has_value();
    if (!loop.below && !is_extent) {
      throw Mistake{fmt::format("{0} is no extent; say how far it goes, as in '{0} < n'", loop.name), begin};
    }
    const bool is_scalar = std::ranges::count(signature_.scalars, loop.name, &ScalarSignature::name) > 0;
    if ((loop.below && is_extent) || is_scalar || signature_.find_tensor(loop.name)) {
      throw Mistake{fmt::format("{} is {}; give the index another name", loop.name,
                                is_extent   ? "an extent"
                                : is_scalar ? "a scalar"
                                            : "a tensor"),
                    begin};
    }
    if (is_index(loop.name)) throw Mistake{fmt::format("the index {} is there twice", loop.name), begin};
    return loop;
  }

  [[nodiscard]] bool is_index(const std::string& name) const {
    return std::ranges::count(access_.loops, name, &Loop::name) > 0;
  }

  /// Names are known once the loops are. `begin`: where the tensor is.
  void check(std::size_t begin) const {
    for (const Named& each : names_) {
      const auto index = std::ranges::find(access_.loops, each.name, &Loop::name) - access_.loops.begin();
      if (is_index(each.name) && static_cast<std::size_t>(index) >= each.known) {
        throw Mistake{fmt::format("the index {} comes later; write it before what it bounds", each.name), each.place};
      }
      if (is_index(each.name) || signature_.find_extent(each.name)) continue;
      throw Mistake{fmt::format("{0} is no extent and no index; write 'for {0} < ...'", each.name), each.place};
    }
    const std::vector<std::size_t>& extents = signature_.tensors[*signature_.find_tensor(access_.tensor)].extents;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const Position& position = access_.at[d];
      const std::string& extent = signature_.extents[extents[d]];
      if (position.kind != Kind::Name || is_index(position.name) || position.name != extent) continue;
      throw Mistake{fmt::format("{0} is an extent, which no place in it is; write 'for {0}' for all places", extent),
                    begin};
    }
  }

  struct Named {
    std::string name;
    std::size_t place, known;  ///< its character; how many of the indices may be meant
  };

  LineReader& line_;
  const Signature& signature_;
  Access access_{};
  std::vector<Named> names_{};
  std::size_t loops_known_ = ~std::size_t{0};  ///< all, before `for`
  int nested_ = 0;
};

}  // namespace

Access read_access(LineReader& line, const Signature& signature, bool writes) {
  return AccessReader(line, signature, writes).read();
}

std::string access_text(const Access& access) {
  std::vector<std::string> at, loops;
  for (const Position& position : access.at) at.push_back(position_text(position));
  for (const Loop& loop : access.loops) {
    std::string text = loop.from ? position_text(*loop.from) + " <= " + loop.name : loop.name;
    if (loop.below) text += " < " + position_text(*loop.below);
    loops.push_back(std::move(text));
  }
  return fmt::format("{} {}[{}]{}{}", access.writes ? "writes" : "reads", access.tensor, fmt::join(at, ", "),
                     loops.empty() ? "" : " for ", fmt::join(loops, ", "));
}

std::vector<std::string> tensors_of(const Access& access) {
  std::vector<std::string> names;
  for (const Position& position : access.at) add_tensors(position, names);
  for (const Loop& loop : access.loops) {
    for (const auto& end : {loop.from, loop.below}) {
      if (end) add_tensors(*end, names);
    }
  }
  return names;
}

}  // namespace negzero::notation
