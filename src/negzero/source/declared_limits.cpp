// Reads what lines say of extents, scalars, memory and options.

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/notation/relation.hpp>
#include <negzero/operation/configuration.hpp>
#include <negzero/source/declared_fields.hpp>

namespace negzero::source {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kOrders[] = {"packed", "row_major", "column_major", "row_or_column_major", "any"};

std::int64_t integer_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    throw Wrong(fmt::format("'{}' is no whole number", text));
  return number;
}

bool is_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Parts between commas, but those of min(a, b).
std::vector<std::string_view> split_outside_brackets(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] != ',' || depth > 0) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (begin < text.size()) parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

/// Takes a sign, and blanks behind it, where the text begins with it.
bool take_sign(std::string_view& text, std::string_view sign) {
  if (!text.starts_with(sign)) return false;
  text = trimmed(text.substr(sign.size()));
  return true;
}

Json layout_of(std::string_view order) {
  if (order == "packed") return {{"order", order}, {"broadcast", false}, {"greatest_offset", 0}};
  return {{"order", order}};
}

/// One part of a layout behind its order.
void say_of_layout(std::string_view part, Json& layout) {
  std::string_view rest = part;
  const std::string_view word = take_word(rest, " \t%<=");
  rest = trimmed(part.substr(word.size()));
  if (word == "near" && rest.empty()) {
    layout["greatest_span"] = std::int64_t{1} << 31;
  } else if (word == "broadcast" && (rest == "yes" || rest == "no")) {
    layout["broadcast"] = rest == "yes";
  } else if (word == "align") {
    layout["alignment"] = integer_of(rest);
  } else if (word == "shared" && !rest.empty()) {
    for (const std::string_view extent : split(rest, ' ')) layout["shared"].push_back(extent);
  } else if ((word == "stride" || word == "offset") && take_sign(rest, "%")) {
    layout[fmt::format("{}_multiple", word)] = integer_of(rest);
  } else if ((word == "stride" || word == "offset" || word == "span") && take_sign(rest, "<=")) {
    layout[fmt::format("greatest_{}", word)] = integer_of(rest);
  } else if (word == "offset" && take_sign(rest, "=") && integer_of(rest) == 0) {
    layout["greatest_offset"] = 0;
  } else {
    throw Wrong(fmt::format(
        "layout: '{}' is none of {}, near, stride % N, stride <= N, offset % N, offset <= N, offset = 0, span <= N, "
        "align N, broadcast yes, broadcast no, shared EXTENT ...",
        part, fmt::join(kOrders, ", ")));
  }
}

}  // namespace

void DeclaredFields::limits(std::string_view text) {
  if (text.starts_with('{')) {
    json_["limits"].update(fields_of(text));
    return;
  }
  for (const std::string_view part : split_outside_brackets(text)) limit(part);
}

void DeclaredFields::layout(std::string_view text) {
  std::string_view rest = text;
  const std::string tensor(take_word(rest, " \t,"));
  const auto is_order = [](std::string_view each) { return std::ranges::find(kOrders, each) != std::end(kOrders); };
  // A tensor may be called as an order is.
  const bool is_of_one = signature_.find_tensor(tensor) && !(rest.empty() && is_order(tensor));
  if (is_of_one) text = rest;
  std::vector<std::string_view> parts = split(text, ',');
  if (parts.empty()) throw Wrong(fmt::format("layout: nothing is said of how {} lies", tensor));
  std::string_view& first = parts.front();
  std::string_view order = "packed", behind = first;
  const std::string_view word = take_word(behind);
  if (is_order(word)) {
    order = word;
    first = behind;
    if (is_order(take_word(behind))) throw Wrong(fmt::format("layout: '{}' has two orders; give one", text));
  } else if (word == "near" && is_order(behind)) {
    throw Wrong(fmt::format("layout: the order comes first: {} near", behind));
  } else if (is_order(take_word(behind))) {
    throw Wrong(fmt::format("layout: the operation has no tensor called '{}'", word));
  }
  if (std::string which = is_of_one ? tensor : "all tensors"; !laid_out_.insert(which).second) {
    throw Wrong(fmt::format("layout: {} has a layout already; write all of it in one line", which));
  }
  Json layout = layout_of(order);
  for (const std::string_view part : parts) {
    if (!part.empty()) say_of_layout(part, layout);
  }
  if (is_of_one) {
    json_["limits"]["tensors"][tensor] = std::move(layout);
  } else {
    for (const char* which : {"inputs", "output"}) json_["limits"][which] = layout;
    json_["limits"]["output"].erase("shared");
  }
}

void DeclaredFields::in_place(std::string_view text) {
  std::string_view how = text;
  const std::string input(take_word(how));
  if (!how.empty() && how != "perhaps") {
    throw Wrong(fmt::format("in_place: '{}' is not INPUT, always in the output's memory, or INPUT perhaps", text));
  }
  json_["limits"]["in_place"] = {{"input", input}, {"always", how.empty()}};
}

void DeclaredFields::options(std::string_view text) {
  for (std::string_view part : split(text, ',')) {
    const std::string name(take_word(part));
    if (name.find_first_not_of("-0123456789.=") == std::string::npos || part.starts_with('=')) {
      throw Wrong("options: a name and its values, with blanks between, are an option: algorithm 0 1 2");
    }
    if (name == "stream") throw Wrong("options: stream is the CUDA stream in a launch; give the option another name");
    Json& values = json_["limits"]["configuration"][name];
    if (!values.is_null()) throw Wrong(fmt::format("options: {} has values already", name));
    values = Json::array();
    for (const std::string_view value : split(part, ' ')) {
      const std::size_t dots = value.find("..");
      if (dots == std::string_view::npos) {
        values.push_back(integer_of(value));
        continue;
      }
      const std::int64_t first = integer_of(value.substr(0, dots)), last = integer_of(value.substr(dots + 2));
      constexpr auto kMost = static_cast<std::uint64_t>(operation::kMostOptionValues);
      if (first > last || static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) >= kMost) {
        throw Wrong(fmt::format("options: {} of {} is no range of up to {} values", value, name, kMost));
      }
      for (std::int64_t each = first; each < last; ++each) values.push_back(each);
      values.push_back(last);
    }
    if (values.empty()) throw Wrong(fmt::format("options: {} has no value; write {} 0 1 2", name, name));
  }
}

void DeclaredFields::limit(std::string_view part) {
  std::string_view rest = part;
  const auto is_scalar = [&](std::string_view name) {
    return std::ranges::any_of(signature_.scalars, [&](const auto& each) { return each.name == name; });
  };
  const bool compares = part.find_first_of("<=>") != std::string_view::npos;
  // "1 <= k <= 512"
  if (part.find_first_of("0123456789-") == 0) {
    if (!compares) throw Wrong(fmt::format("limits: '{}' is not N <= EXTENT <= N", part));
    const std::size_t sign = std::min(part.find("<="), part.size());
    std::string_view bounded = trimmed(part.substr(std::min(sign + 2, part.size())));
    const std::string_view least = trimmed(part.substr(0, sign));
    rest = bounded;
    const std::string_view name = take_word(rest, " \t<");
    rest = trimmed(bounded.substr(name.size()));
    const bool is_known = is_scalar(name) || signature_.find_extent(name);
    if (!is_known || !value_of(least).is_number() || (!rest.empty() && !rest.starts_with("<=")))
      return relation_limit(part);
    limit(fmt::format("{} >= {}", name, least));
    if (!rest.empty()) limit(bounded);
    return;
  }
  const std::string name(take_word(rest, " \t%<>=*"));
  rest = trimmed(part.substr(name.size()));
  if (!is_scalar(name) && !signature_.find_extent(name)) {
    if (compares) return relation_limit(part);
    throw Wrong(fmt::format("limits: the operation has no extent and no scalar called '{}'", name));
  }
  if (is_scalar(name)) return scalar_limit(name, part, rest);
  const auto extent = [&]() -> Json& { return json_["limits"]["extents"][name]; };
  if (compares) {
    if (!product_limit(part)) relation_limit(part);
  } else if (take_sign(rest, "%")) {
    extent()["multiple"] = integer_of(rest);
  } else if (rest == "power_of_two") {
    extent()["power_of_two"] = true;
  } else if (rest.starts_with("tiles ")) {
    take_word(rest);
    for (const std::string_view tile : split(rest, ' ')) extent()["tiles"].push_back(integer_of(tile));
  } else {
    throw Wrong(fmt::format(
        "limits: '{}' is none of EXTENT % N, power_of_two, tiles N ..., or a relation such as k <= n, n = o + k - 1 or "
        "m * n <= N",
        part));
  }
}

void DeclaredFields::relation_limit(std::string_view part) {
  // Of 1 <= a <= b two relations.
  const auto sign_from = [&](std::size_t from) { return std::min(part.find_first_of("<=>", from), part.size()); };
  const std::size_t first = sign_from(0), behind = std::min(part.find_first_not_of("<=>", first), part.size());
  if (const std::size_t second = sign_from(behind); second < part.size()) {
    relation_limit(trimmed(part.substr(0, second)));
    return relation_limit(trimmed(part.substr(behind)));
  }
  auto read = notation::parse_relation(part);
  if (!read) throw Wrong("limits: " + read.error().message);
  for (const std::string& name : read->names()) {
    if (signature_.find_extent(name)) continue;
    throw Wrong(fmt::format("limits: '{}', column {}: the operation has no extent called '{}'", part,
                            notation::column_of(part, name), name));
  }
  const bool is_turned = read->left.constant() && read->right.name();
  const auto name = is_turned ? read->right.name() : read->left.name();
  const auto constant = is_turned ? read->left.constant() : read->right.constant();
  if (const auto other = read->right.name(); name && other && read->comparison == notation::Comparison::Equal) {
    json_["limits"]["equal"].push_back({*name, *other});
    return;
  }
  if (!name || !constant) {
    json_["limits"]["relations"].push_back(read->to_string());
    return;
  }
  Json& extent = json_["limits"]["extents"][*name];
  constexpr notation::Comparison kTurned[] = {notation::Comparison::Equal, notation::Comparison::AtLeast,
                                              notation::Comparison::Above, notation::Comparison::AtMost,
                                              notation::Comparison::Below};
  switch (is_turned ? kTurned[static_cast<std::size_t>(read->comparison)] : read->comparison) {
    case notation::Comparison::Equal:
      extent["least"] = extent["greatest"] = *constant;
      break;
    case notation::Comparison::AtMost:
      extent["greatest"] = *constant;
      break;
    case notation::Comparison::Below:
      extent["greatest"] = *constant - 1;
      break;
    case notation::Comparison::AtLeast:
      extent["least"] = *constant;
      break;
    case notation::Comparison::Above:
      extent["least"] = *constant + 1;
      break;
  }
}

bool DeclaredFields::product_limit(std::string_view part) {
  const std::size_t sign = part.find("<=");
  if (sign == std::string_view::npos || part.find('*') > sign) return false;
  std::vector<std::string> of;
  for (const std::string_view factor : split(part.substr(0, sign), '*')) {
    if (!signature_.find_extent(factor)) return false;
    of.emplace_back(factor);
  }
  const std::string_view most = trimmed(part.substr(sign + 2));
  if (!is_integer(most)) return false;
  json_["limits"]["products"].push_back({{"of", of}, {"greatest", integer_of(most)}});
  return true;
}

void DeclaredFields::scalar_limit(const std::string& name, std::string_view part, std::string_view rest) {
  if (signature_.is_declared) {
    const auto scalar = std::ranges::find(signature_.scalars, name, &notation::ScalarSignature::name);
    const bool is_truth = scalar->kind == notation::ScalarKind::Truth;
    const auto value = [&]() -> Json {
      if (is_truth && (rest == "true" || rest == "false")) return rest == "true" ? 1 : 0;
      Json number = value_of(rest);
      if (scalar->is_whole() && !number.is_number()) {
        throw Wrong(fmt::format("limits: '{}': {} is {}", part, name,
                                is_truth ? "a truth value; give 0 or 1" : "a whole number; give one"));
      }
      return number;
    };
    if (take_sign(rest, "<=")) {
      json_["limits"]["scalars"][name]["greatest"] = value();
    } else if (take_sign(rest, ">=")) {
      json_["limits"]["scalars"][name]["least"] = value();
    } else if (scalar->is_whole() && take_sign(rest, "=")) {
      json_["limits"]["scalars"][name]["least"] = json_["limits"]["scalars"][name]["greatest"] = value();
    } else {
      throw Wrong(fmt::format("limits: '{}' is none of SCALAR <= X, SCALAR >= X{}", part,
                              scalar->is_whole() ? ", SCALAR = N" : ""));
    }
  } else if (take_sign(rest, "=")) {
    json_["limits"][name] = rest == "0" ? "zero" : rest == "1" ? "one" : std::string(rest);
  } else {
    throw Wrong(fmt::format("limits: '{}' is not SCALAR = zero, one, zero_or_one or any", part));
  }
}

}  // namespace negzero::source
