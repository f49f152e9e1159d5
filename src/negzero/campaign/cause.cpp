// What tells the causes of a kernel's failures apart, as far as that can be told from outside.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <negzero/campaign/cause.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/views.hpp>

namespace negzero::campaign {

namespace {

using verdict::FailureClass;

/// By Specials.
constexpr std::array<std::string_view, 4> kWords = {"finite", "inf", "nan", "inf_nan"};

/// Behind the rule; no rule ends so.
constexpr std::string_view kAt = ".at";

Specials special(const number::Format& format, std::uint64_t word) {
  if (format.is_integer()) return kFinite;
  return number::is_nan(format, word) ? kNan : number::is_infinity(format, word) ? kInfinity : kFinite;
}

/// The case as it is when poison, threads and origin do not matter.
std::vector<std::byte> form_of(operation::Case value) {
  const operation::Case plain;
  value.poison = plain.poison;
  value.schedule = plain.schedule;
  value.strategy = plain.strategy;
  value.seed = plain.seed;
  value.index = plain.index;
  value.found = plain.found;
  return case_file::write(value);
}

}  // namespace

Specials specials_of(const operation::Case& value, const contract::Contract& contract) {
  unsigned found = kFinite;
  for (const operation::Scalar& scalar : value.operation.scalars()) {
    found |= special(number::format(scalar.format), scalar.bits);
  }
  const operation::ReadsAtZero reads{contract.reads_a_b(), contract.reads_c()};
  for (const auto& [name, tensor] : value.tensors) {
    if (!operation::when_unread(value.operation, name, reads).empty()) continue;
    for (std::int64_t i = 0; i < tensor.element_count() && found != kAllSpecials; ++i) {
      found |= special(tensor.format(), tensor.get(i));
    }
  }
  return static_cast<Specials>(found);
}

Cause cause_of(FailureClass kind, const operation::Case& value, const contract::Contract& contract) {
  return {kind, is_of_values(kind) ? specials_of(value, contract) : kFinite, {}};
}

Cause located(Cause cause, const verdict::Failure& failure) {
  if (is_of_values(failure.kind)) cause.output = failure.output;
  if (failure.kind == FailureClass::DataRace) {
    cause.lines = operation::source_lines_in(failure.message);
    std::ranges::sort(cause.lines);
  }
  return cause;
}

bool Cause::may_explain(const Cause& met) const {
  // The stores of a race have equal values now and then.
  const bool is_race_of_stores = met.rule == kEqualStores && rule.is_none() && !lines.empty() && lines == met.lines;
  const bool is_of_rule = rule == met.rule || is_race_of_stores;
  const bool is_alike = kind == met.kind && is_of_rule && at == met.at && (specials & ~met.specials) == 0;
  return is_alike && shares_output(met) && shares_line(met);
}

bool Cause::shares_line(const Cause& other) const {
  if (lines.empty() || other.lines.empty()) return true;
  return std::ranges::any_of(
      lines, [&](const operation::SourceLine& line) { return std::ranges::binary_search(other.lines, line); });
}

void keep_specials(operation::Case& value, const operation::Limits& limits, Specials kept) {
  generate::make_finite(value, limits, [kept](const number::Format& format, std::uint64_t word) {
    return (special(format, word) & ~kept) != 0;
  });
}

std::string Cause::to_string() const {
  return fmt::format("{}.{}{}{}{}", verdict::name(kind), kWords[specials], rule.is_none() ? "" : ".", rule.id(),
                     at ? kAt : "");
}

std::optional<Cause> cause_of(const std::string& text) {
  if (text.ends_with(kAt)) {
    auto cause = cause_of(text.substr(0, text.size() - kAt.size()));
    if (!cause || cause->at) return std::nullopt;
    cause->at = true;
    return cause;
  }
  for (std::uint8_t kind = 0; kind <= static_cast<std::uint8_t>(FailureClass::Stateful); ++kind) {
    for (std::uint8_t specials = 0; specials < kWords.size(); ++specials) {
      const Cause cause{static_cast<FailureClass>(kind), static_cast<Specials>(specials)};
      const std::string plain = cause.to_string();
      if (text == plain) return cause;
      if (!text.starts_with(plain + ".") || text.size() == plain.size() + 1) continue;
      return Cause{cause.kind, cause.specials, verdict::Rule::named(text.substr(plain.size() + 1))};
    }
  }
  return std::nullopt;
}

bool differ_by_poison(const operation::Case& a, FailureClass a_kind, const operation::Case& b, FailureClass b_kind) {
  if (!is_of_values(a_kind) || !is_of_values(b_kind) || a.poison == b.poison) return false;
  return form_of(a) == form_of(b);
}

}  // namespace negzero::campaign
