// A judgement as text and as JSON.

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/base/printable.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/judgement/hints.hpp>
#include <negzero/judgement/observed.hpp>
#include <negzero/judgement/words.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/judge.hpp>

namespace negzero::judgement {
namespace {

using Json = nlohmann::ordered_json;

const char* word(verdict::Direction direction) {
  switch (direction) {
    case verdict::Direction::TooLow:
      return "too_low";
    case verdict::Direction::TooHigh:
      return "too_high";
    case verdict::Direction::None:
      break;
  }
  return "";
}

std::string percent(double share) {
  const double percent = 100 * share;
  // Neither all nor nothing is said where it is not so.
  if (percent > 0 && percent < 1) return "less than 1 %";
  if (percent > 99 && percent < 100) return "more than 99 %";
  return fmt::format("{:.0f} %", percent);
}

std::string verdict_line(const Judgement& judgement) {
  const std::string of = judgement.judged == judgement.of
                             ? fmt::format("all {} elements", judgement.of)
                             : fmt::format("{} of {} elements, a sample", judgement.judged, judgement.of);
  std::string line;
  switch (judgement.kind) {
    case Kind::Pass:
      line = fmt::format("permitted: {}", of);
      break;
    case Kind::Fail:
      line = fmt::format("not permitted: {} of {} judged elements", judgement.failing, judgement.judged);
      if (judgement.judged != judgement.of) line += fmt::format(", a sample of {}", judgement.of);
      break;
    case Kind::Vacuous:
      line = fmt::format("vacuous: {} ({})", judgement.reason, of);
      break;
    case Kind::Undecided:
      return fmt::format("undecided: {}", judgement.reason);
  }
  if (judgement.blind && judgement.kind != Kind::Vacuous) {
    line += fmt::format("; {} of their terms could be dropped unnoticed", percent(*judgement.blind));
  }
  return line;
}

operation::TensorSpec spec_of(const operation::Case& value, const oracle::Miss& miss) {
  return operation::output_specs(value.operation)[miss.place.output];
}

std::string distance(const oracle::Miss& miss, const number::Format& format) {
  std::string text{verdict::name(miss.kind)};
  if (miss.direction != verdict::Direction::None) {
    text += miss.direction == verdict::Direction::TooLow ? ", too low" : ", too high";
  }
  if (miss.steps && *miss.steps > 0) {
    text += fmt::format(" by {} {} of {}", *miss.steps, *miss.steps == 1 ? "step" : "steps", format.name);
  }
  return text;
}

Json element_json(const oracle::Miss& miss, const operation::TensorSpec& spec) {
  const number::Format& format = number::format(spec.format);
  const verdict::Failure failure = oracle::failure_of(miss, spec);
  const auto ends = ends_of(miss.permitted);
  const auto bits = [&](std::uint64_t of) { return ends ? Json(number::to_hex(format, of)) : Json(); };
  const Json rule{{"id", miss.rule.id()}, {"claim", miss.rule.claim()}, {"source", miss.rule.source()}};
  return {{"output", spec.name},
          {"index", failure.coordinates},
          {"element", failure.element},
          {"observed", failure.observed_text},
          {"observed_bits", number::to_hex(format, miss.observed)},
          {"permitted", failure.permitted_text},
          {"low_bits", bits(ends ? ends->low : 0)},
          {"high_bits", bits(ends ? ends->high : 0)},
          {"class", verdict::name(miss.kind)},
          {"direction", word(miss.direction)},
          {"ulps", miss.steps ? Json(*miss.steps) : Json()},
          {"rule", rule},
          {"explained", miss.explained}};
}

}  // namespace

std::string text_of(const Judgement& judgement, const Subjects& subjects) {
  std::string text = verdict_line(judgement) + "\n";
  if (judgement.kind == Kind::Undecided) return text;
  text += fmt::format("  operation  {}\n", describe(subjects.value.operation));
  text += fmt::format("  contract   {}\n", contract::describe(subjects.contract));
  if (!subjects.assumed.empty()) text += fmt::format("  assumed    {}\n", subjects.assumed);
  for (const oracle::Miss& miss : judgement.worst) {
    const operation::TensorSpec spec = spec_of(subjects.value, miss);
    text += describe(oracle::failure_of(miss, spec));
    text += fmt::format("  class      {}\n", distance(miss, number::format(spec.format)));
  }
  for (const std::string& hint : hint_lines(judgement.permitted_under)) {
    text += fmt::format("  hint       {}\n", hint);
  }
  return text;
}

Json json_of(const Judgement& judgement, const Subjects& subjects) {
  Json worst = Json::array();
  for (const oracle::Miss& miss : judgement.worst) worst.push_back(element_json(miss, spec_of(subjects.value, miss)));
  return {{"verdict", name(judgement.kind)},
          {"reason", base::one_line(judgement.reason)},
          {"judged", judgement.judged},
          {"of", judgement.of},
          {"failing", judgement.failing},
          {"blind", judgement.blind ? Json(*judgement.blind) : Json()},
          {"open", judgement.open},
          {"contract", Json::parse(contract::to_json(subjects.contract))},
          {"contract_text", contract::describe(subjects.contract)},
          {"assumed", subjects.assumed},
          {"worst", worst},
          {"hints", hint_lines(judgement.permitted_under)},
          {"text", text_of(judgement, subjects)}};
}

}  // namespace negzero::judgement
