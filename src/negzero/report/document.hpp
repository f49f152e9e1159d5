// What a command has to tell, in one form that every writer reads: console, JSON, page, SARIF, JUnit, Markdown.
//
// What differs between commands is data here: which facts there are, which lists its JSON has and in which order, what
// a kernel or a finding knows besides what all know. No writer asks which command it was.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/compare.hpp>
#include <negzero/campaign/compare_list.hpp>
#include <negzero/campaign/fuzz.hpp>
#include <negzero/campaign/observation.hpp>
#include <negzero/campaign/replay.hpp>
#include <negzero/campaign/survey.hpp>
#include <negzero/report/places.hpp>

namespace negzero::report {

/// How the program was called: what its caller knows and no campaign does.
struct Invocation {
  std::string command{};  ///< how the user calls the program: the first word of lines to paste
  std::string repeat{};   ///< one line for a shell that does the same again, with the seed
  std::string version{};
  std::string written{};  ///< when this is, as "2026-05-04 03:02:01 UTC"
  Sources sources{};      ///< where the files lie that kernels were compiled from
};

/// One value of a run as a whole.
struct Fact {
  std::string key;    ///< its name in JSON; empty: JSON has it not
  std::string words;  ///< its name for a person; empty: no file shows it
  std::variant<bool, std::uint64_t, double, std::string> value;
  std::string shown{};  ///< the value for a person; empty: as it is
};
/// Its value for a person.
[[nodiscard]] std::string shown(const Fact& fact);

/// What a search knows of a finding.
struct Search {
  std::string original_path{};                                   ///< file of the case as generated
  verdict::Rule original_rule{};                                 ///< what that one fails by
  std::optional<double> hit_rate{};                              ///< share of runs of the shrunk case that fail
  std::uint64_t failing_cases = 0;                               ///< of its cause; 0: they were not counted
  std::vector<std::pair<SourcePlace, std::uint64_t>> also_at{};  ///< with the cases that failed in this way there
  std::int64_t evaluations = 0;                                  ///< cases that shrinking ran
};

/// What running a finding of a folder again adds.
struct RunAgain {
  campaign::FoundAgain::Size size = campaign::FoundAgain::Size::Shrunk;
  std::string unseen{};             ///< why the failure is what the file says; empty: a run showed it
  std::vector<std::string> also{};  ///< files of the same cause
};

/// One failure, shrunk.
struct FindingEntry {
  std::string kernel{}, operation{};
  verdict::Failure failure{};
  std::string heading{};                           ///< "gemm.tiled.f32: wrong_value"
  std::string counterexample{};                    ///< several lines; finding_text() adds what a search knows
  operation::Configuration configuration{};        ///< of the shrunk case: options that are not the default
  std::string case_text{};                         ///< the shrunk case over several lines; empty: not told on its own
  std::string case_path{};                         ///< empty: not saved
  std::string replay{};                            ///< one line for a shell; empty: there is no file
  std::string as_code{};                           ///< one line for a shell that writes the case as code
  std::string code{};                              ///< that code; empty: it is too long for a console
  std::string go_on{};                             ///< one line for a shell that shrinks it further
  std::string watched{};                           ///< what a watched run says; or empty
  bool interrupted = false;                        ///< shrinking was
  std::string cut{};                               ///< why there may be smaller cases; empty: there are none
  std::vector<std::string> guessed{};              ///< kernel::Kernel::guessed: what it rests on
  bool counts = true;                              ///< false: told by text and JSON alone, and no reason to fail
  std::optional<campaign::Acceptance> accepted{};  ///< by an entry of a ledger: then it is no reason to fail
  std::optional<Search> search{};
  std::optional<RunAgain> again{};
  std::uint64_t alike = 0;           ///< generated cases with this kind of difference
  std::vector<std::string> notes{};  ///< a sentence each: how often it fails, whether it could be shrunk further ...
  std::vector<campaign::Observation> observations{};
  std::vector<SourcePlace> places{};  ///< in source, that a watched run or the runtime names; may be empty
  SourcePlace registration{};         ///< of the kernel; its file is empty where it is not known
};

/// What a check knows of a kernel besides its counts.
struct Checked {
  std::string unwatched{};            ///< why `--watch always` watched none of its cases; empty: it did, or was not to
  std::vector<std::string> warned{};  ///< campaign::KernelReport::warned
  std::uint64_t warnings = 0;
  std::string printed{};                                ///< the beginning of what the kernel printed, any bytes
  std::map<std::string, campaign::BlindCases> blind{};  ///< lost terms that would pass, by strategy
  campaign::Improbable random_errors{};                 ///< all cases that were looked at for it
  std::string improbable{};                             ///< that its errors are; empty: they are not
  std::map<std::string, std::uint64_t> strategies{};
  generate::ShapeCounts shapes{};
  std::map<std::string, campaign::MarginsBySize> margins{};
};

/// What one shard of a search knows of a kernel.
struct ShardKnows {
  std::uint64_t features = 0, code_blocks = 0;
  std::vector<std::string> known{};  ///< files of findings that the folder held before
  std::vector<std::pair<std::string, campaign::Acceptance>> known_accepted{};
};

/// What a search knows of a kernel.
struct Searched {
  std::uint64_t corpus = 0;  ///< cases
  campaign::Arms arms{};
  std::optional<ShardKnows> shard{};
};

/// One kernel.
struct KernelEntry : campaign::Counts {
  std::string name{}, operation{}, about{};
  std::string contract{};     ///< in words
  bool ran = false;           ///< it has counts
  bool values_only = false;   ///< kernel::Build::values_only
  std::string interpreter{};  ///< kernel::interpreter_text()
  double worst_margin = 0;
  std::uint64_t accepted = 0;        ///< of the failing cases, those of accepted findings
  campaign::OptionCounts options{};  ///< empty: the kernel has none, or no case ran
  std::string note{};                ///< why it stopped early, the first error; or empty
  std::string undecided{};           ///< that nothing was decided, and why; or empty
  std::vector<std::string> notes{};  ///< for a page: warnings, what it printed, why it stopped early
  std::optional<Checked> checked{};
  std::optional<Searched> searched{};
};

/// What replaying a case on a kernel showed.
struct Replayed {
  campaign::ReplayStatus status = campaign::ReplayStatus::AsExpected;
  verdict::Verdict verdict{};
  verdict::VerdictKind expected = verdict::VerdictKind::Pass;
  std::string skipped{};  ///< why nothing ran; empty: it did
  std::string outputs{};  ///< path of what the kernel gave; empty: not saved
  std::string outcome{};  ///< on one line, as on the console
};

/// One thing that was judged: a test case of JUnit.
struct Judgement {
  enum class Status : unsigned char {
    Passed,
    Failed,   ///< a finding
    Error,    ///< ours
    Skipped,  ///< it did not run, nothing was decided, or it failed as a ledger accepts it: never a pass
  };
  std::string suite{};   ///< the operation
  std::string kernel{};  ///< empty: of no kernel
  std::string name{};    ///< what was judged of it: "conformance", the path of a case
  Status status = Status::Passed;
  std::string message{};  ///< one line: the claim, why it was skipped
  std::string text{};     ///< of Failed: the counterexamples
  std::optional<Replayed> replayed{};
};

/// How far one shard of a campaign has come: `latest` is where it saved last, `elapsed_ms` the time of all its runs.
struct ShardRow {
  std::string shard{};  ///< "2/4"
  std::uint64_t seed = 0, elapsed_ms = 0;
  campaign::FuzzPoint latest{};
};

/// Rows of words and numbers that no other part of a document has.
struct Table {
  std::string title, about;  ///< a heading, and a sentence about what the columns are
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows{};  ///< as long as `head`: a word, then numbers and other words
};

/// Two kernels of a list that were compared.
struct PairEntry {
  std::vector<Fact> facts{};            ///< for JSON: names, outcome, counts
  std::size_t findings = 0, count = 0;  ///< its differences: of Document::findings the first one, and how many
  std::vector<std::string> errors{};    ///< ours
};

/// The lists that a document has in JSON.
enum class List : unsigned char {
  Kernels,
  Merged,
  Totals,
  Shards,
  Findings,
  Differences,
  Pairs,
  Alone,
  Results,
  Recorded,
  Skipped,
  Ledger,
  Points,
  Errors,
};

struct Document {
  std::string title{};  ///< "negzero check: 2 findings"
  Invocation invocation{};
  std::vector<Fact> facts{};  ///< seed, executor, time, counts
  std::vector<List> lists{};  ///< of JSON, in their order there
  std::vector<KernelEntry> kernels{};
  std::vector<FindingEntry> findings{};
  std::vector<Judgement> judgements{};
  std::vector<PairEntry> pairs{};
  std::vector<campaign::WithoutPartner> alone{};  ///< kernels of patterns of a list that make no pair
  std::vector<ShardRow> shards{};
  std::vector<campaign::FuzzPoint> over_time{};  ///< in their order; empty where nothing was measured over time
  std::vector<campaign::MergedKernel> merged{};
  std::vector<Fact> totals{};  ///< of `merged`
  std::vector<campaign::Recorded> recorded{};
  std::vector<std::string> skipped{};  ///< kernels that were asked for and have no build for the executor
  campaign::LedgerOutcome ledger{};
  std::vector<Table> tables{};        ///< what belongs to one command only; those without rows are left out
  std::vector<std::string> errors{};  ///< ours
  bool interrupted = false;
  bool told = false;                 ///< the findings were printed while the command ran
  std::string opening{}, closing{};  ///< lines of the console above and below findings and kernels
};

/// The findings that are a reason to fail, or would be if they were not accepted.
[[nodiscard]] inline auto findings_of(const Document& document) {
  return document.findings | std::views::filter(&FindingEntry::counts);
}
/// Entries of a ledger that nothing came of, and errors of ours.
[[nodiscard]] std::vector<std::string> problems(const Document& document);

/// What `check` has to tell. A kernel with findings is one failed judgement, however many they are; each accepted one
/// is a skipped judgement of its own.
[[nodiscard]] Document document_of(const campaign::CheckReport& report, const Invocation& invocation);
/// What `fuzz` has to tell: findings of this run, counts of all runs of the shard, points in time.
[[nodiscard]] Document document_of(const campaign::FuzzReport& report, const Invocation& invocation);
/// What `fuzz --merge` has to tell: a case that does not pass is a failed judgement.
[[nodiscard]] Document document_of(const std::vector<campaign::MergedKernel>& merged, const Invocation& invocation);
/// What `report` has to tell: all shards together.
[[nodiscard]] Document document_of(const campaign::Survey& survey, const Invocation& invocation);
/// What `compare` has to tell: differences are findings; `bitwise`: those that both contracts permit too.
[[nodiscard]] Document document_of(const campaign::CompareReport& report, const Invocation& invocation, bool bitwise);
/// What `compare --list` has to tell: a judgement a pair, and the differences of all pairs as findings.
[[nodiscard]] Document document_of(const campaign::CompareListReport& report, const Invocation& invocation,
                                   bool bitwise);
/// What `replay` has to tell: findings are verdicts that are not as expected.
[[nodiscard]] Document document_of(const campaign::ReplayReport& report, const Invocation& invocation);

/// A finding of a search, as its document has it: what is printed while the search runs is made of the same.
[[nodiscard]] FindingEntry entry_of(const campaign::Finding& finding, const Invocation& invocation);
/// A failure as a document has it: heading, and the places in source that it or a watched run names.
[[nodiscard]] FindingEntry failure_entry(const std::string& kernel, const verdict::Failure& failure,
                                         const std::string& watched, const Sources& sources);
/// A case on a kernel, as a replay's document has it.
[[nodiscard]] Judgement judgement_of(const campaign::ReplayItem& item, const Invocation& invocation);

}  // namespace negzero::report
