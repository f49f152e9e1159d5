// Asks every path of one element, and every word beside the contract's.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/contract/fields.hpp>
#include <negzero/judgement/candidates.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/judgement/explanation.hpp>
#include <negzero/judgement/hints.hpp>
#include <negzero/number/text.hpp>
#include <negzero/operation/poison.hpp>
#include <negzero/operation/workload.hpp>
#include <negzero/oracle/judge.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::judgement {

using base::usage_error;
using oracle::OutputElement;
using oracle::Permitted;
using Json = nlohmann::ordered_json;

namespace {

std::string name_of(const operation::Case& value, const OutputElement& place) {
  const operation::TensorSpec output = operation::output_specs(value.operation)[place.output];
  return fmt::format("{}[{}]", output.name, fmt::join(tensor::coordinates_of(output.shape, place.element), ","));
}

const number::Format& format_of(const operation::Case& value, const OutputElement& place) {
  return number::format(operation::output_specs(value.operation)[place.output].format);
}

std::string meaning_of(std::string_view field) {
  const auto& fields = contract::fields();
  const auto found = std::ranges::find(fields, field, &contract::Field::name);
  return found == fields.end() ? "" : std::string(found->meaning);
}

/// "1 value", "39386 values, 60 % of F16", "40 values, too wide to reject garbage".
std::string breadth(const PermittingWord& word, const number::Format& format) {
  std::string text = fmt::format("{:.6g} value{}", word.permits, word.permits == 1 ? "" : "s");
  const double share = word.permits / std::ldexp(1.0, format.bits);
  if (share >= 0.01) text += fmt::format(", {:.0f} % of {}", 100 * share, format.name);
  if (word.is_vacuous) text += ", too wide to reject garbage";
  if (word.in_run) text += ", where unread inputs hold poison";
  return text;
}

/// The case with what a run has in the place of inputs that may not be read; nothing where all may be.
std::optional<operation::Case> as_run(const operation::Case& value, const contract::Contract& contract) {
  std::optional<operation::Case> run;
  for (const operation::TensorSpec& input : operation::input_specs(value.operation)) {
    const bool is_read =
        operation::when_unread(value.operation, input.name, {contract.reads_a_b(), contract.reads_c()}).empty();
    if (is_read || operation::is_initial(value.operation, input.name)) continue;
    if (!run) run = value;
    tensor::Tensor& tensor = run->tensors.at(input.name);
    const std::uint64_t poison = operation::input_poison_word(value.poison, tensor.format());
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, poison);
  }
  return run;
}

/// The words that permit what was observed, the likeliest first (hints.hpp has the order).
std::vector<PermittingWord> permitting(const operation::Case& value, const contract::Contract& contract,
                                       const OutputElement& place, std::span<const tensor::Tensor> observed) {
  struct Found {
    Candidate candidate;
    double permits;
    bool is_vacuous, in_run;
  };
  const std::uint64_t word = observed[place.output].get(place.element);
  const std::optional<operation::Case> run = as_run(value, contract);
  std::vector<Found> found;
  for (Candidate& candidate : candidates(value, contract, word)) {
    for (const operation::Case* const each : {&value, run ? &*run : nullptr}) {
      if (each == nullptr) continue;
      const auto oracle = oracle::Oracle::make(*each, candidate.contract);
      if (!oracle) break;
      const Permitted set = oracle->permitted(place.element, place.output, observed.first(place.output));
      if (!set.contains(word)) continue;
      found.push_back({std::move(candidate), set.count(), set.vacuous, each != &value});
      break;
    }
  }
  std::ranges::stable_sort(found, {}, [](const Found& each) {
    return std::tuple(each.is_vacuous, each.candidate.words, !each.candidate.is_usual, each.permits);
  });
  std::vector<PermittingWord> words;
  std::map<std::string_view, std::size_t> fields;
  for (const Found& each : found) {
    const std::string_view field = each.candidate.fields.front().first;
    const auto [at, is_new] = fields.emplace(field, words.size());
    if (is_new) {
      words.push_back({text_of(each.candidate), meaning_of(field), each.permits, each.is_vacuous, each.in_run});
    } else if (PermittingWord& first = words[at->second];
               first.permits == each.permits && first.in_run == each.in_run && each.candidate.fields.size() == 1) {
      // The first words of a field are those that permit least.
      first.text += " or " + text_of(each.candidate);
    }
  }
  return words;
}

}  // namespace

base::Result<OutputElement> element_named(const operation::Case& value, std::string_view name) {
  const std::vector<operation::TensorSpec> outputs = operation::output_specs(value.operation);
  const std::size_t bracket = std::min(name.find('['), name.size());
  OutputElement place;
  const std::string_view output = name.substr(0, bracket);
  const auto found = std::ranges::find(outputs, output, &operation::TensorSpec::name);
  if (found == outputs.end() && !(output.empty() && outputs.size() == 1)) {
    std::vector<std::string> names;
    for (const operation::TensorSpec& each : outputs) names.push_back(each.name);
    return usage_error(
        output.empty()
            ? fmt::format("element \"{}\": of which output? known: {}", name, fmt::join(names, ", "))
            : fmt::format("element \"{}\": there is no output {}; known: {}", name, output, fmt::join(names, ", ")));
  }
  if (found != outputs.end()) place.output = static_cast<std::size_t>(found - outputs.begin());
  const std::vector<std::int64_t>& shape = outputs[place.output].shape;
  if (tensor::count_elements(shape) == 0) {
    return usage_error(fmt::format("element \"{}\": the output {} has no elements; its extents are [{}]", name,
                                   outputs[place.output].name, fmt::join(shape, ",")));
  }
  std::string_view rest = name.substr(bracket);
  const auto wrong = [&] {
    return usage_error(fmt::format("element \"{}\": give an index for each of the extents [{}], as in \"{}\"", name,
                                   fmt::join(shape, ","), name_of(value, {place.output, 0})));
  };
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t index = -1;
    if (rest.empty() || rest.front() != (i == 0 ? '[' : ',')) return wrong();
    const auto [end, failed] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
    if (failed != std::errc() || rest[1] == '-' || index >= shape[i]) return wrong();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    place.element = place.element * shape[i] + index;
  }
  if (shape.empty() ? !rest.empty() && rest != "[]" : rest != "]") return wrong();
  return place;
}

base::Result<Explanation> explain(const operation::Case& value, const contract::Contract& contract,
                                  std::optional<OutputElement> place, std::span<const tensor::Tensor> observed) {
  const auto oracle = oracle::Oracle::make(value, contract);
  if (!oracle) return oracle.error();
  if (!place && !observed.empty()) {
    const oracle::Look look = oracle->look(observed, {.farthest = true, .lists = false});
    if (!look.worst.empty()) place = look.worst.front().place;
  }
  Explanation explanation{.place = place.value_or(OutputElement{}), .name = {}, .facts = {}};
  const OutputElement& at = explanation.place;
  if (tensor::count_elements(operation::output_specs(value.operation)[at.output].shape) == 0) {
    return usage_error("the output has no elements: there is nothing to explain");
  }
  explanation.name = name_of(value, at);
  explanation.facts = oracle->explain(at.element, at.output);
  if (!observed.empty()) {
    explanation.observed = observed[at.output].get(at.element);
    const Permitted set = oracle->permitted(at.element, at.output, observed.first(at.output));
    explanation.is_permitted = set.contains(*explanation.observed);
  }
  for (oracle::Reached& reached : oracle->reached(at.element, at.output)) {
    ExplainedPath path{std::move(reached)};
    if (explanation.observed) {
      path.holds = path.reached.permitted.contains(*explanation.observed);
      if (!path.holds) path.steps = oracle::steps_from(path.reached.permitted, *explanation.observed);
    }
    explanation.paths.push_back(std::move(path));
  }
  if (explanation.observed && !explanation.is_permitted) {
    explanation.is_too_large = operation::work_of(value.operation, kMostHinted) > kMostHinted;
    if (!explanation.is_too_large) explanation.words = permitting(value, contract, at, observed);
  }
  return explanation;
}

namespace {

/// The paths, the first of those alone that permit the same.
std::string paths_text(std::span<const ExplainedPath> paths) {
  std::string text, before;
  std::set<std::string> sets;
  for (const ExplainedPath& path : paths) {
    const std::string set = path.reached.permitted.to_string();
    if (!sets.insert(set).second) continue;
    const std::string& member = path.reached.member;
    const std::string sum = fmt::format("{}{}{}{}", member, member.empty() ? "" : ": ", path.reached.terms,
                                        path.reached.terms.empty() ? path.reached.sum : "; " + path.reached.sum);
    if (sum != before) text += fmt::format("  path {}\n", sum);
    before = sum;
    text += fmt::format("    {}: {}", path.reached.ending, set);
    if (path.holds) text += ", which holds it";
    if (path.steps && *path.steps > 0) {
      text += fmt::format(", {} step{} away", *path.steps, *path.steps == 1 ? "" : "s");
    }
    text += "\n";
  }
  const std::size_t others = paths.size() - sets.size();
  if (others > 0) {
    text += fmt::format("  {} more path{} {} {}\n", others, others == 1 ? "" : "s", others == 1 ? "permits" : "permit",
                        sets.size() == 1 ? "the same" : "one of these");
  }
  return text;
}

}  // namespace

std::string text_of(const Explanation& explanation, const operation::Case& value, const contract::Contract& contract) {
  const number::Format& format = format_of(value, explanation.place);
  std::string text = fmt::format("{} of {}\n  contract   {}\n", explanation.name, describe(value.operation),
                                 contract::describe(contract));
  if (explanation.observed) {
    text += fmt::format("  observed   {}, {}\n", number::with_bits(format, *explanation.observed),
                        explanation.is_permitted ? "permitted" : "not permitted");
  }
  for (std::size_t begin = 0; begin < explanation.facts.size();) {
    const std::size_t end = std::min(explanation.facts.find('\n', begin), explanation.facts.size());
    text += fmt::format("  {}\n", explanation.facts.substr(begin, end - begin));
    begin = end + 1;
  }
  text += paths_text(explanation.paths);
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < std::min(explanation.words.size(), kMost); ++i) {
    const PermittingWord& word = explanation.words[i];
    text += fmt::format("  permitted under {} ({}): {}\n", word.text, breadth(word, format), word.meaning);
  }
  if (explanation.words.size() > kMost) {
    text += fmt::format("  permitted under {} more, which --json lists\n", explanation.words.size() - kMost);
  }
  if (explanation.is_too_large) {
    text += "  the case is too large to try other words of the contract: explain a part of it\n";
  } else if (explanation.observed && !explanation.is_permitted && explanation.words.empty()) {
    text += "  no single word of the contract permits it\n";
  }
  return text;
}

Json json_of(const Explanation& explanation, const operation::Case& value, const contract::Contract& contract) {
  const number::Format& format = format_of(value, explanation.place);
  Json paths = Json::array(), words = Json::array();
  for (const ExplainedPath& path : explanation.paths) {
    paths.push_back({{"member", path.reached.member},
                     {"terms", path.reached.terms},
                     {"sum", path.reached.sum},
                     {"ending", path.reached.ending},
                     {"permitted", path.reached.permitted.to_string()},
                     {"holds", explanation.observed ? Json(path.holds) : Json()},
                     {"steps", path.steps ? Json(*path.steps) : Json()}});
  }
  for (const PermittingWord& word : explanation.words) {
    words.push_back({{"text", word.text},
                     {"meaning", word.meaning},
                     {"permits", word.permits},
                     {"is_vacuous", word.is_vacuous},
                     {"in_run", word.in_run}});
  }
  Json observed;
  if (explanation.observed) {
    observed = {number::to_decimal(format, *explanation.observed), number::to_hex(format, *explanation.observed)};
  }
  return {{"element", explanation.name},
          {"contract", Json::parse(contract::to_json(contract))},
          {"contract_text", contract::describe(contract)},
          {"observed", std::move(observed)},
          {"is_permitted", explanation.observed ? Json(explanation.is_permitted) : Json()},
          {"facts", explanation.facts},
          {"paths", std::move(paths)},
          {"words", std::move(words)},
          {"is_too_large", explanation.is_too_large},
          {"text", text_of(explanation, value, contract)}};
}

}  // namespace negzero::judgement
