// Features as numbers and as text.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/feature/kinds.hpp>
#include <negzero/generate/generate.hpp>

namespace negzero::feature {
namespace {

std::string from_list(const auto& list, std::uint32_t value) {
  return value < list.size() ? std::string(list[value]) : "unknown";
}

std::uint32_t which(std::uint32_t value) { return value >> 16; }
std::uint32_t low(std::uint32_t value) { return value & 0xffff; }

std::string words_of_bits(std::uint32_t bits, std::initializer_list<std::string_view> words) {
  std::string text;
  for (std::uint32_t bit = 1; const std::string_view word : words) {
    if ((bits & bit) != 0) (text += text.empty() ? "" : ", ") += word;
    bit *= 2;
  }
  return text.empty() ? "plain" : text;
}

std::string operation_text(std::uint32_t value) {
  const auto names = operation::operation_names();
  return ": " + (value == names.size() ? "a declared one" : from_list(names, value));
}

std::string strategy_text(std::uint32_t value) {
  const auto& all = generate::strategies();
  const std::string name = low(value) < all.size() ? std::string(all[low(value)].name) : "unknown";
  return fmt::format(": {}{}", name, which(value) != 0 ? ", changed" : "");
}

std::string extent_text(std::uint32_t value) {
  const std::uint32_t bits = low(value) / 4, place = low(value) % 4;
  std::string text = "0";
  if (bits > 0 && place == 0) text = fmt::format("2^{}", bits - 1);
  if (place == 1) text = fmt::format("2^{} - 1", bits);
  if (place == 2) text = fmt::format("2^{} + 1", bits - 1);
  if (place == 3) text = fmt::format("between 2^{} and 2^{}", bits - 1, bits);
  return fmt::format(" {}: {}", which(value), text);
}

std::string layout_text(std::uint32_t value) {
  return fmt::format(" of tensor {}: {}", which(value),
                     words_of_bits(low(value), {"offset", "broadcast", "gaps", "transposed", "no neighbours"}));
}

std::string class_text(std::uint32_t value) {
  return fmt::format(" {}: {}", which(value), from_list(kElementClasses, low(value)));
}

std::string element_text(std::uint32_t value) { return " of tensor" + class_text(value); }

std::string setting_text(std::uint32_t value) {
  return ": " + words_of_bits(value, {"large poison", "backward", "random order", "preemption", "launches before"});
}

std::string option_text(std::uint32_t value) {
  if (low(value) < kOptionPlaces) return fmt::format(" {}: value {} of its list", which(value), low(value));
  const std::uint32_t from = kOptionPlaces << std::min(low(value) - kOptionPlaces, 16u);
  return fmt::format(" {}: one of the values {} to {} of its list", which(value), from, 2 * from - 1);
}

/// The word of an enumerator: the number may come from anywhere.
template <typename Enum>
std::string_view word_of(std::uint32_t value, Enum last) {
  return value <= static_cast<std::uint32_t>(last) ? verdict::name(static_cast<Enum>(value)) : "unknown";
}

std::string verdict_text(std::uint32_t value) {
  return fmt::format(": {}", word_of(value, verdict::VerdictKind::NotJudged));
}

std::string margin_text(std::uint32_t value) {
  return value == 0 ? ": 0" : fmt::format(": 2^{}", static_cast<int>(value) - 32);
}

std::string rule_text(std::uint32_t value) {
  const auto all = verdict::judging_rules();
  return value < all.size() ? ": " + std::string(all[value].id) : ": unknown";
}

std::string failure_text(std::uint32_t value) {
  return fmt::format("{}, {}", rule_text(which(value)), word_of(low(value), verdict::FailureClass::Stateful));
}

std::string spread_text(std::uint32_t value) {
  return fmt::format(" of tensor {}: exponents below 2^{} apart", which(value), low(value));
}

std::string terms_text(std::uint32_t value) { return fmt::format(": below 2^{}", value); }

std::string cancellation_text(std::uint32_t value) {
  return value == kCompleteCancellation ? ": complete" : fmt::format(": {} binades", value);
}

std::string rounding_text(std::uint32_t value) {
  constexpr std::array<std::string_view, 4> kPlaces{"exact", "below half", "tie", "above half"};
  constexpr std::array<std::string_view, 3> kObserved{"neither neighbour", "down", "up"};
  return fmt::format(": {}, {}", from_list(kPlaces, value / 4), from_list(kObserved, value % 4));
}

std::string overflow_text(std::uint32_t value) { return ": " + from_list(kOverflows, value); }
std::string underflow_text(std::uint32_t value) { return ": " + from_list(kUnderflows, value); }

std::string code_text(std::uint32_t value) {
  return fmt::format(": about {:#x}, {}", value / 8 * 4, from_list(kTimes, value % 8));
}

/// A kind's word, and how its values read behind it. In the order of Kind.
struct Row {
  std::string_view word;
  std::string (*text)(std::uint32_t value);
};
constexpr std::array<Row, kKinds> kRows{{{"operation", operation_text},
                                         {"strategy", strategy_text},
                                         {"extent", extent_text},
                                         {"layout", layout_text},
                                         {"scalar", class_text},
                                         {"setting", setting_text},
                                         {"option", option_text},
                                         {"verdict", verdict_text},
                                         {"margin", margin_text},
                                         {"failure", failure_text},
                                         {"element", element_text},
                                         {"spread", spread_text},
                                         {"rule", rule_text},
                                         {"terms", terms_text},
                                         {"cancellation", cancellation_text},
                                         {"rounding", rounding_text},
                                         {"overflow", overflow_text},
                                         {"underflow", underflow_text},
                                         {"code", code_text}}};

}  // namespace

std::optional<Feature> feature_of(std::uint32_t number) noexcept {
  if (number >> 24 >= kKinds) return std::nullopt;
  return Feature{static_cast<Kind>(number >> 24), number & 0xffffff};
}

std::string to_string(const Feature& feature) {
  const Row& row = kRows[static_cast<std::size_t>(feature.kind)];
  return std::string(row.word) + row.text(feature.value);
}

std::optional<std::uint32_t> code_block_of(std::uint32_t number) noexcept {
  const auto feature = feature_of(number);
  if (!feature || feature->kind != Kind::Code) return std::nullopt;
  return feature->value / 8;
}

std::vector<std::uint32_t> Gathered::take() {
  std::ranges::sort(numbers_);
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  if (numbers_.size() > kMostFeatures) numbers_.resize(kMostFeatures);
  return std::move(numbers_);
}

std::vector<std::uint32_t> features_of(const Run& run, Depth depth) {
  Gathered gathered;
  gather_setting(run, gathered);
  if (depth >= Depth::Elements) gather_elements(run, gathered);
  if (depth >= Depth::Sums) gather_sums(run, gathered);
  if (depth >= Depth::Code) gather_code(run, gathered);
  return gathered.take();
}

}  // namespace negzero::feature
