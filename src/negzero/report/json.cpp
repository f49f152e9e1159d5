// A document as versioned JSON.

#include <cstddef>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/campaign/known_failure.hpp>
#include <negzero/report/json.hpp>
#include <negzero/report/options.hpp>
#include <negzero/report/shapes.hpp>

namespace negzero::report {

namespace {

using Json = nlohmann::ordered_json;

template <typename All, typename Make>
Json list_json(const All& all, const Make& make) {
  Json list = Json::array();
  for (const auto& each : all) list.push_back(make(each));
  return list;
}

Json acceptance_json(const campaign::Acceptance& accepted) {
  return {{"entry", accepted.number}, {"reason", accepted.reason}, {"link", accepted.link}};
}

/// Options that are not the default, where there are some.
void put_configuration(Json& json, const FindingEntry& finding) {
  if (!finding.configuration.empty()) json["configuration"] = finding.configuration;
}

/// Of a finding that a search has made.
Json finding_json(const FindingEntry& finding) {
  const Search search = finding.search.value_or(Search{});
  const auto place = [](const auto& each) { return Json{{"place", each.first.to_string()}, {"cases", each.second}}; };
  Json json{
      {"class", verdict::name(finding.failure.kind)},
      {"rule", finding.failure.rule},
      {"message", finding.failure.message},
      {"permitted_under", list_json(finding.failure.permitted_under, [](const auto& hint) { return hint.words; })},
      {"case", finding.case_path},
      {"as_code", finding.as_code},
      {"original", search.original_path},
      {"original_rule", search.original_rule},
      {"interrupted", finding.interrupted},
      {"cut", finding.cut},
      {"watched", finding.watched},
      {"hit_rate", hit_rate_json(search.hit_rate)},
      {"failing_cases", search.failing_cases},
      {"also_at", list_json(search.also_at, place)},
      {"evaluations", search.evaluations},
      {"guessed", finding.guessed},
      {"accepted", finding.accepted ? acceptance_json(*finding.accepted) : Json()}};
  put_configuration(json, finding);
  return json;
}

/// With its kernel, and what running it again has shown.
Json found_again_json(const FindingEntry& finding) {
  Json entry{{"kernel", finding.kernel}};
  entry.update(finding_json(finding));
  const RunAgain again = finding.again.value_or(RunAgain{});
  entry.update({{"size", campaign::name(again.size)}, {"unseen", again.unseen}, {"also", again.also}});
  return entry;
}

Json facts_json(const std::vector<Fact>& facts) {
  Json json = Json::object();
  for (const Fact& fact : facts) {
    if (!fact.key.empty()) json[fact.key] = std::visit([](const auto& value) { return Json(value); }, fact.value);
  }
  return json;
}

Json difference_json(const FindingEntry& finding) {
  Json json{{"rule", finding.failure.rule},
            {"class", verdict::name(finding.failure.kind)},
            {"message", finding.failure.message},
            {"cases", finding.alike},
            {"case", finding.case_path},
            {"interrupted", finding.interrupted},
            {"cut", finding.cut}};
  put_configuration(json, finding);
  return json;
}

Json pair_json(const Document& document, const PairEntry& pair) {
  Json json = facts_json(pair.facts);
  json["differences"] = Json::array();
  for (std::size_t i = 0; i < pair.count; ++i) {
    json["differences"].push_back(difference_json(document.findings[pair.findings + i]));
  }
  json["errors"] = pair.errors;
  return json;
}

Json alone_json(const campaign::WithoutPartner& each) {
  return {{"kernel", each.kernel}, {"partner", each.partner}, {"line", each.line}};
}

Json kernel_json(const Document& document, const KernelEntry& kernel) {
  Json findings = Json::array();
  for (const FindingEntry& finding : document.findings) {
    if (finding.kernel == kernel.name) findings.push_back(finding_json(finding));
  }
  Json entry{{"name", kernel.name}};
  if (kernel.values_only) entry["shows"] = "values";
  if (!kernel.interpreter.empty()) entry["interpreter"] = kernel.interpreter;
  for (const campaign::Count& count : campaign::kCounts) entry[count.name] = kernel.*count.member;
  if (const auto& checked = kernel.checked) {
    Json blind = Json::object();
    campaign::BlindCases all_blind;
    for (const auto& [strategy, cases] : checked->blind) {
      blind[strategy] = cases.share();
      all_blind.add(cases);
    }
    entry.update(
        {{"accepted", kernel.accepted},
         {"unwatched", checked->unwatched},
         {"decided", kernel.decided()},
         {"worst_margin", kernel.pass > 0 ? Json(kernel.worst_margin) : Json()},
         {"blind", all_blind.cases > 0 ? Json(all_blind.share()) : Json()},
         {"blind_by_strategy", blind},
         {"random_errors", {{"cases", checked->random_errors.cases}, {"beyond", checked->random_errors.beyond}}},
         {"improbable", checked->improbable},
         {"note", kernel.note},
         {"warning", checked->warned.empty() ? "" : checked->warned.front()},
         {"warnings", checked->warnings},
         {"printed", checked->printed},
         {"strategies", checked->strategies}});
    if (checked->warned.size() > 1) {
      entry["more_warnings"] = std::vector(checked->warned.begin() + 1, checked->warned.end());
    }
    if (checked->shapes.cases() > 0) entry["shapes"] = shapes_json(checked->shapes);
    put_options(entry, kernel.options);
    entry["findings"] = findings;
  }
  if (const auto& searched = kernel.searched) {
    const auto& shard = searched->shard;
    Json arms = Json::object();
    for (const campaign::Arm& arm : searched->arms.all()) arms[arm.name] = {{"cases", arm.cases}, {"kept", arm.kept}};
    entry["decided"] = kernel.decided();
    if (shard) entry.update({{"features", shard->features}, {"code_blocks", shard->code_blocks}});
    entry["corpus"] = searched->corpus;
    if (shard) entry["note"] = kernel.note;
    entry["arms"] = std::move(arms);
    put_options(entry, kernel.options);
    const auto known = [](const auto& each) {
      return Json{{"case", each.first}, {"accepted", acceptance_json(each.second)}};
    };
    if (shard) {
      entry.update({{"findings", findings},
                    {"known", shard->known},
                    {"known_accepted", list_json(shard->known_accepted, known)}});
    }
  }
  return entry;
}

Json kernels_json(const Document& document) {
  Json kernels = Json::array();
  for (const KernelEntry& kernel : document.kernels) {
    if (kernel.ran) kernels.push_back(kernel_json(document, kernel));
  }
  return kernels;
}

Json merged_json(const campaign::MergedKernel& kernel) {
  return {{"kernel", kernel.name},
          {"before", kernel.before},
          {"after", kernel.after},
          {"features", kernel.features},
          {"failing", kernel.failing}};
}

Json shard_json(const ShardRow& each) {
  return {{"shard", each.shard},
          {"seed", each.seed},
          {"elapsed_ms", each.elapsed_ms},
          {"cases", each.latest.cases},
          {"features", each.latest.features},
          {"code_blocks", each.latest.code_blocks},
          {"findings", each.latest.findings}};
}

Json results_json(const Document& document) {
  Json results = Json::array();
  for (const Judgement& judgement : document.judgements) {
    if (!judgement.replayed) continue;
    const Replayed& replayed = *judgement.replayed;
    Json result{{"case", judgement.name}, {"operation", judgement.suite}, {"kernel", judgement.kernel}};
    const auto add = [&](const char* key, const std::string& text) {
      if (!text.empty()) result[key] = text;
    };
    if (replayed.skipped.empty()) {
      const auto& failure = replayed.verdict.failure;
      result["verdict"] = verdict::name(replayed.verdict.kind);
      if (failure) {
        result["class"] = verdict::name(failure->kind);
        result["rule"] = failure->rule;
        result["message"] = failure->message;
      } else {
        add("message", replayed.verdict.reason);
      }
      add("warning", fmt::format("{}", fmt::join(replayed.verdict.warnings, "; ")));
      result["margin"] = replayed.verdict.margin;
      result["expected"] = verdict::name(replayed.expected);
    }
    add("skipped", replayed.skipped);
    add("outputs", replayed.outputs);
    result["status"] = campaign::name(replayed.status);
    results.push_back(std::move(result));
  }
  return results;
}

Json recorded_json(const campaign::Recorded& each) {
  Json item{{"case", each.path},
            {"kernel", each.now.kernel},
            {"executor", each.now.executor},
            {"verdict", verdict::name(each.now.verdict)}};
  if (each.now.failure_class) item["class"] = verdict::name(*each.now.failure_class);
  if (!each.now.rule.empty()) item["rule"] = each.now.rule;
  return item;
}

Json ledger_json(const campaign::LedgerOutcome& ledger) {
  const auto not_run = [](const campaign::NotRun& each) {
    return Json{
        {"kernel", each.kernel}, {"watched_only", each.watched_only}, {"accepted", acceptance_json(each.accepted)}};
  };
  return {{"not_run", list_json(ledger.not_run, not_run)}, {"stale", ledger.stale}};
}

Json point_json(const campaign::FuzzPoint& point) {
  return {{"elapsed_ms", point.elapsed_ms},   {"cases", point.cases},   {"features", point.features},
          {"code_blocks", point.code_blocks}, {"corpus", point.corpus}, {"findings", point.findings}};
}

/// A list of JSON, in the order of List.
struct ListWriter {
  List list;
  const char* key;
  Json (*make)(const Document& document);
};
constexpr ListWriter kLists[] = {
    {List::Kernels, "kernels", kernels_json},
    {List::Merged, "merged", [](const Document& all) { return list_json(all.merged, merged_json); }},
    {List::Totals, "totals", [](const Document& all) { return facts_json(all.totals); }},
    {List::Shards, "shards", [](const Document& all) { return list_json(all.shards, shard_json); }},
    {List::Findings, "findings", [](const Document& all) { return list_json(all.findings, found_again_json); }},
    {List::Differences, "differences", [](const Document& all) { return list_json(all.findings, difference_json); }},
    {List::Pairs, "pairs",
     [](const Document& all) {
       return list_json(all.pairs, [&](const PairEntry& pair) { return pair_json(all, pair); });
     }},
    {List::Alone, "without_partner", [](const Document& all) { return list_json(all.alone, alone_json); }},
    {List::Results, "results", results_json},
    {List::Recorded, "recorded", [](const Document& all) { return list_json(all.recorded, recorded_json); }},
    {List::Skipped, "skipped", [](const Document& all) { return Json(all.skipped); }},
    {List::Ledger, "ledger", [](const Document& all) { return ledger_json(all.ledger); }},
    {List::Points, "points", [](const Document& all) { return list_json(all.over_time, point_json); }},
    {List::Errors, "errors", [](const Document& all) { return Json(all.errors); }},
};
static_assert([] {
  for (std::size_t i = 0; i < std::size(kLists); ++i) {
    if (kLists[i].list != static_cast<List>(i)) return false;
  }
  return std::size(kLists) == static_cast<std::size_t>(List::Errors) + 1;
}());

}  // namespace

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json hit_rate_json(const std::optional<double>& rate) { return rate ? Json(*rate) : Json(nullptr); }

std::string json_text(const Document& document) {
  Json json{{"version", kJsonVersion}};
  json.update(facts_json(document.facts));
  for (const List list : document.lists) {
    const ListWriter& writer = kLists[static_cast<std::size_t>(list)];
    json[writer.key] = writer.make(document);
  }
  return dump(json);
}

std::string error_json(const base::Error& error) {
  constexpr const char* kKinds[] = {"usage", "infrastructure", "unavailable", "nothing_decided", "interrupted"};
  return dump({{"version", kJsonVersion},
               {"error", {{"kind", kKinds[static_cast<std::size_t>(error.kind)]}, {"message", error.message}}}});
}

}  // namespace negzero::report
