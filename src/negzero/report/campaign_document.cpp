// What `fuzz` and `report` have to tell: kernels that were searched, and how far the search had come when.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/base/duration.hpp>
#include <negzero/base/printable.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/report/arms.hpp>
#include <negzero/report/document_parts.hpp>
#include <negzero/report/options.hpp>

namespace negzero::report {

namespace {

KernelEntry kernel_entry(const campaign::FuzzedKernel& kernel, const campaign::LedgerOutcome& ledger) {
  KernelEntry entry = counted_entry(kernel.name, kernel, kernel.note, ledger);
  // A search counts no cases by causes: where all findings are accepted, so are the cases.
  const bool all_accepted = !kernel.has_new() && kernel.known_accepted.size() + kernel.findings.size() > 0;
  entry.accepted = all_accepted ? kernel.fail : 0;
  entry.options = kernel.options;
  entry.searched = {.corpus = kernel.corpus,
                    .arms = kernel.arms,
                    .shard = ShardKnows{.features = kernel.features,
                                        .code_blocks = kernel.code_blocks,
                                        .known = kernel.known,
                                        .known_accepted = kernel.known_accepted}};
  for (const std::string& file : kernel.known) entry.notes.push_back("a finding from before: " + file);
  for (const auto& [file, accepted] : kernel.known_accepted) {
    entry.notes.push_back(fmt::format("from before: {}, {}", file, accepted.to_string()));
  }
  return entry;
}

KernelEntry kernel_entry(const campaign::KernelTotal& kernel) {
  KernelEntry entry = counted_entry(kernel.name, kernel, "", {});
  entry.options = kernel.options;
  entry.searched = {.corpus = kernel.corpus, .arms = kernel.arms, .shard = std::nullopt};
  entry.notes.insert(entry.notes.begin(), plural(kernel.corpus, "case") + " in the corpus");
  return entry;
}

FindingEntry entry_of(const campaign::FoundAgain& finding, const Invocation& invocation) {
  FindingEntry entry = report::entry_of(static_cast<const campaign::Finding&>(finding), invocation);
  using enum campaign::FoundAgain::Size;
  if (finding.size == Partly) entry.heading += ", shrunk in part";
  if (finding.size == AsMet) entry.heading += ", as it was met";
  if (!finding.unseen.empty()) entry.notes.push_back("Not seen again: " + finding.unseen + ".");
  for (const std::string& file : finding.also) entry.notes.push_back("The same cause: " + file + ".");
  entry.again = {.size = finding.size, .unseen = finding.unseen, .also = finding.also};
  return entry;
}

ShardRow row_of(const campaign::ShardEntry& entry) {
  const auto& points = entry.state.points;
  return {.shard = entry.shard.to_string(),
          .seed = entry.state.seed,
          .elapsed_ms = entry.state.elapsed_ms,
          .latest = points.empty() ? campaign::FuzzPoint() : points.back()};
}

Table shards_table(const std::vector<ShardRow>& shards) {
  Table table{
      .title = "Shards",
      .about =
          "Time of all runs of a shard, shrinking included; features, code blocks and findings that it knew of when "
          "it saved last, those of other shards among them.",
      .head = {"shard", "seed", "time", "cases", "cases a second", "features", "code blocks", "findings"}};
  for (const auto& [shard, seed, ms, last] : shards) {
    table.rows.push_back(
        {shard, std::to_string(seed), long_time(ms), std::to_string(last.cases),
         ms == 0 ? "-" : fmt::format("{:.0f}", 1000 * static_cast<double>(last.cases) / static_cast<double>(ms)),
         std::to_string(last.features), std::to_string(last.code_blocks), std::to_string(last.findings)});
  }
  return table;
}

/// The sum over kernels of one number.
template <typename Kernels, typename Number>
std::uint64_t sum_of(const Kernels& kernels, Number number) {
  std::uint64_t sum = 0;
  for (const auto& kernel : kernels) sum += kernel.*number;
  return sum;
}

}  // namespace

Document document_of(const campaign::FuzzReport& report, const Invocation& invocation) {
  using campaign::FuzzedKernel;
  Document document{.invocation = invocation,
                    .lists = {List::Kernels, List::Ledger, List::Points, List::Errors},
                    .over_time = report.points,
                    .interrupted = report.interrupted,
                    .told = true};
  std::size_t known = 0, known_accepted = 0;
  for (const FuzzedKernel& kernel : report.kernels) {
    document.kernels.push_back(kernel_entry(kernel, report.ledger));
    for (const campaign::Finding& finding : kernel.findings) {
      document.findings.push_back(report::entry_of(finding, invocation));
    }
    known += kernel.known.size();
    known_accepted += kernel.known_accepted.size();
  }
  judge_kernels(document);
  add_ledger(report.ledger, document);
  add_errors(report.errors, document);
  document.tables = {arms_table(document.kernels), options_table(document.kernels)};
  const std::size_t accepted = count_accepted(document), findings = document.findings.size() - accepted;
  const bool decided = std::ranges::any_of(report.kernels, &FuzzedKernel::decided);
  document.title = "negzero fuzz: " + ending(findings, decided, report.interrupted) + guess_ending(document) +
                   ledger_ending(accepted, report.ledger);
  document.facts = {{"folder", "folder", report.folder}, {"shard", "shard", report.shard.to_string()}};
  add_count_facts(document);
  const std::uint64_t code_blocks = sum_of(report.kernels, &FuzzedKernel::code_blocks);
  document.facts.insert(document.facts.end(), {{"seed", "seed", report.seed},
                                               {"executor", "executor", std::string(kernel::name(report.place))},
                                               {"elapsed_ms", "time", report.elapsed_ms, seconds(report.elapsed_ms)},
                                               {"run_ms", "", report.run_ms},
                                               {"resumed", "", report.resumed},
                                               {"interrupted", "", report.interrupted},
                                               {"", "features", sum_of(report.kernels, &FuzzedKernel::features)},
                                               {"", "code blocks", code_blocks, code_blocks_text(code_blocks)},
                                               {"", "corpus", sum_of(report.kernels, &FuzzedKernel::corpus)}});
  document.closing =
      fmt::format("shard {} of {}, seed {}, {} executor: {} cases in {} (this run {}): ", report.shard.to_string(),
                  base::one_line(report.folder), report.seed, kernel::name(report.place),
                  sum_of(report.kernels, &FuzzedKernel::cases), base::duration_text(report.elapsed_ms),
                  base::duration_text(report.run_ms));
  document.closing += findings + known > 0 ? fmt::format("{}, {} known before", plural(findings, "new finding"), known)
                                           : ending(0, !report.kernels.empty(), false);
  document.closing += guess_ending(document) + ledger_ending(accepted + known_accepted, report.ledger) + "\n";
  return document;
}

Document document_of(const std::vector<campaign::MergedKernel>& merged, const Invocation& invocation) {
  Document document{.invocation = invocation, .lists = {List::Merged, List::Totals}, .merged = merged};
  std::uint64_t failing = 0;
  for (const campaign::MergedKernel& kernel : merged) {
    KernelEntry& entry = document.kernels.emplace_back(declared_entry(kernel.name));
    entry.notes.push_back(
        fmt::format("{} of {} cases stay, {} features", kernel.after, kernel.before, kernel.features));
    document.judgements.push_back({.suite = entry.operation, .kernel = kernel.name, .name = "merge"});
    for (const std::string& file : kernel.failing) {
      ++failing;
      entry.notes.push_back(file + " does not pass now, and stays");
      document.judgements.push_back({.suite = entry.operation,
                                     .kernel = kernel.name,
                                     .name = file,
                                     .status = Judgement::Status::Failed,
                                     .message = "does not pass now, and stays"});
    }
  }
  const std::uint64_t before = sum_of(merged, &campaign::MergedKernel::before);
  const std::uint64_t after = sum_of(merged, &campaign::MergedKernel::after);
  const std::uint64_t features = sum_of(merged, &campaign::MergedKernel::features);
  document.totals = {{"before", "cases before", before},
                     {"after", "cases that stay", after},
                     {"features", "features", features},
                     {"failing", "cases that do not pass", failing}};
  document.facts = document.totals;
  for (Fact& fact : document.facts) fact.key.clear();  // JSON has them as totals.
  document.closing =
      fmt::format("{} together: {} of {} cases stay, {} features, {}\n", plural(merged.size(), "kernel"), after, before,
                  features, failing == 1 ? "1 file does not pass" : fmt::format("{} files do not pass", failing));
  document.title = fmt::format("negzero fuzz --merge: {}",
                               failing == 0 ? "every case that stays passes" : plural(failing, "case") + " that fail");
  return document;
}

Document document_of(const campaign::Survey& survey, const Invocation& invocation) {
  using campaign::KernelTotal;
  Document document{.invocation = invocation,
                    .lists = {List::Shards, List::Kernels, List::Findings, List::Points, List::Errors},
                    .over_time = survey.state.points,
                    .interrupted = survey.interrupted};
  for (const KernelTotal& kernel : survey.state.kernels) document.kernels.push_back(kernel_entry(kernel));
  for (const campaign::FoundAgain& finding : survey.findings) {
    document.findings.push_back(entry_of(finding, invocation));
  }
  for (const campaign::ShardEntry& shard : survey.state.shards) document.shards.push_back(row_of(shard));
  judge_kernels(document);
  add_errors(survey.errors, document);
  document.tables = {arms_table(document.kernels), options_table(document.kernels), shards_table(document.shards)};
  const std::string outcome = ending(survey.findings.size(), survey.decided(), survey.interrupted);
  document.title = "negzero campaign: " + outcome;
  const std::string executor(kernel::name(survey.place));
  const campaign::FuzzPoint latest = survey.latest();
  const std::uint64_t elapsed_ms = survey.elapsed_ms();
  const double rate = survey.cases_a_second();
  document.facts = {{"folder", "folder", survey.folder},
                    {"executor", "", executor},
                    {"", "shards", std::uint64_t{survey.state.shards.size()}},
                    {"elapsed_ms", "time of all shards", elapsed_ms, long_time(elapsed_ms)},
                    {"cases_a_second", "cases a second", rate, fmt::format("{:.0f}", rate)}};
  add_count_facts(document);
  document.facts.insert(document.facts.end(),
                        {{"", "executor", executor},
                         {"features", "features", latest.features},
                         {"code_blocks", "code blocks", latest.code_blocks, code_blocks_text(latest.code_blocks)},
                         {"interrupted", "", survey.interrupted},
                         {"", "corpus", sum_of(survey.state.kernels, &KernelTotal::corpus)},
                         {"", "findings", std::uint64_t{survey.findings.size()}}});
  document.closing = fmt::format("{}: {} cases in {} of all shards together, {:.0f} a second, {}: {}\n",
                                 base::one_line(survey.folder), survey.counts().cases, long_time(elapsed_ms), rate,
                                 features_text(latest.features, latest.code_blocks), outcome);
  return document;
}

}  // namespace negzero::report
