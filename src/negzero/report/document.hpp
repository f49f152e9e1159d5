// What a command has to tell, in one form that every file of a report is written from: page, SARIF, JUnit, Markdown.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/compare.hpp>
#include <negzero/campaign/observation.hpp>
#include <negzero/campaign/replay.hpp>
#include <negzero/report/places.hpp>

namespace negzero::report {

/// How the program was called: what its caller knows and no campaign does.
struct Invocation {
  std::string command;  ///< how the user calls the program: the first word of lines to paste
  std::string repeat;   ///< one line for a shell that does the same again, with the seed
  std::string version;
  std::string written;  ///< when this is, as "2026-05-04 03:02:01 UTC"
  Sources sources;      ///< where the files lie that kernels were compiled from
};

/// One failure, shrunk.
struct FindingEntry {
  std::string kernel, operation;
  verdict::Failure failure;
  std::string heading;                           ///< "gemm.tiled.f32: wrong_value"
  std::string text;                              ///< everything, as on the console
  std::string case_text;                         ///< the shrunk case over several lines; empty: `text` has it
  std::string case_path;                         ///< empty: not saved
  std::string replay;                            ///< one line for a shell; empty: there is no file
  std::string watched;                           ///< what a watched run says; or empty
  std::optional<campaign::Acceptance> accepted;  ///< by an entry of a ledger: then it is no reason to fail
  std::vector<std::string> facts;  ///< a sentence each: how often it fails, whether it could be shrunk further ...
  std::vector<campaign::Observation> observations;
  std::vector<SourcePlace> places;  ///< in source, that a watched run or the runtime names; may be empty
  SourcePlace registration;         ///< of the kernel; its file is empty where it is not known
};

/// One kernel of a check.
struct KernelEntry : campaign::Counts {
  std::string name, operation, about;
  std::string contract;  ///< in words
  double worst_margin = 0;
  std::uint64_t accepted = 0;      ///< of the failing cases, those of accepted findings
  std::vector<std::string> notes;  ///< warnings, what it printed, why it stopped early
  std::map<std::string, campaign::MarginsBySize> margins;
};

/// One thing that was judged: a test case of JUnit.
struct Judgement {
  enum class Status : unsigned char {
    Passed,
    Failed,   ///< a finding
    Error,    ///< ours
    Skipped,  ///< it did not run, nothing was decided, or it failed as a ledger accepts it: never a pass
  };
  std::string suite;   ///< the operation
  std::string kernel;  ///< empty: of no kernel
  std::string name;    ///< what was judged of it: "conformance", the path of a case
  Status status = Status::Passed;
  std::string message{};  ///< one line: the claim, why it was skipped
  std::string text{};     ///< of Failed: the counterexamples
};

/// How far a campaign had come at some time.
struct Point {
  std::uint64_t elapsed_ms = 0;
  std::uint64_t cases = 0, features = 0, findings = 0;  ///< until then
};

/// Rows of words and numbers that no other part of a document has.
struct Table {
  std::string title, about;  ///< a heading, and a sentence about what the columns are
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows{};  ///< as long as `head`: a word, then numbers
};

struct Document {
  std::string title;  ///< "negzero check: 2 findings"
  Invocation invocation;
  std::vector<std::pair<std::string, std::string>> facts;  ///< name and value: seed, executor, time, counts
  std::vector<KernelEntry> kernels;
  std::vector<FindingEntry> findings;
  std::vector<Judgement> judgements;
  std::vector<Point> over_time;      ///< in their order; empty where nothing was measured over time
  std::vector<Table> tables;         ///< what belongs to one command only; those without rows are left out
  std::vector<std::string> not_run;  ///< what an accepted crash kept from being run, a line each
  std::vector<std::string> errors;   ///< ours, and entries of a ledger that nothing came of
  bool interrupted = false;
};

/// What `check` has to tell. A kernel with findings is one failed judgement, however many they are; each accepted one
/// is a skipped judgement of its own.
[[nodiscard]] Document document_of(const campaign::CheckReport& report, const Invocation& invocation);
/// What `compare` has to tell: differences are findings; `bitwise`: those that both contracts permit too.
[[nodiscard]] Document document_of(const campaign::CompareReport& report, const Invocation& invocation, bool bitwise);
/// What `replay` has to tell: findings are verdicts that are not as expected.
[[nodiscard]] Document document_of(const campaign::ReplayReport& report, const Invocation& invocation);

}  // namespace negzero::report
