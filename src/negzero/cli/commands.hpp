// The commands, after their flags have been parsed.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <negzero/base/float_environment.hpp>
#include <negzero/campaign/accepting.hpp>

namespace negzero::cli {

/// What every command knows.
struct Common {
  bool json = false;                   ///< one JSON document on standard output and nothing else there
  std::string color = "auto";          ///< wants_color()
  std::string command;                 ///< how the user called this program, for lines to paste
  std::vector<std::string> arguments;  ///< the words behind it, the command first
  /// What holds the kernels: programs, modules of Python, files of CUDA, each with its .nz behind it where that is not
  /// beside it. None: the program that ships.
  std::vector<std::string> kernels;
  std::vector<std::string> compiler_flags;  ///< what follows `--`: for files of CUDA
  campaign::LedgerFile accepted;            ///< what declarations of files of CUDA accept; know_kernels() fills it
  /// How its first thread rounded when main() began. Libraries that were loaded before may have changed that.
  base::FloatEnvironment started_with = base::FloatEnvironment::cuda_default();
};

/// Flags of the commands that run kernels.
struct Running {
  std::string executor = "auto";
  std::uint64_t jobs = 0;  ///< 0: not given, one a core
  std::uint64_t timeout_ms = 10000;
  std::uint64_t shrink_time_ms = 60000;  ///< of the commands that shrink; 0: not at all
  bool in_process = false;
  std::string exact;
  std::string watch = "auto";
};

/// Flags of the commands that make cases.
struct Making {
  std::uint64_t seed = 1;
  std::vector<std::string> weights;
  std::string extents;
  std::vector<std::string> values;
  bool finite = false;
  friend bool operator==(const Making&, const Making&) = default;
};

/// Where a report goes: a path for each row of report_files(); empty: it was not asked for.
struct ReportFlags {
  std::array<std::string, 4> paths;
};

struct ListFlags {
  std::string what = "kernels";
  std::vector<std::string> globs;  ///< of kernels
  std::uint64_t cases = 20;        ///< of `list cases`, and what makes them
  std::string executor = "auto";   ///< for which they are made
  std::string watch = "auto";      ///< as `check` is asked for
  bool shapes = false;             ///< of `list cases`: what their shapes are, in place of each
  Making making;
};
struct CheckFlags {
  std::vector<std::string> globs;
  std::uint64_t cases = 1000;
  std::uint64_t time_ms = 0;
  Making making;
  std::string save = "findings";
  bool first_finding = false;
  std::string accept;             ///< the file of a ledger of known findings; empty: none
  bool allow_not_judged = false;  ///< clean runs of declared operations are enough for exit code 0
  ReportFlags reports;
  Running running;
};
struct CompareFlags {
  std::vector<std::string> kernels;  ///< two, or none with a list
  std::string list;                  ///< a file of pairs; empty: there is none
  std::uint64_t cases = 1000;
  std::uint64_t time_ms = 0;
  Making making;
  std::string save = "findings";
  bool bitwise = false;
  bool first_finding = false;
  ReportFlags reports;
  Running running;
};
struct ReplayFlags {
  std::vector<std::string> paths;
  std::string list;  ///< a file of paths; empty: there is none
  std::vector<std::string> kernels;
  ReportFlags reports;
  bool record = false;
  std::string save_outputs;       ///< a folder; empty: outputs are not saved
  bool allow_not_judged = false;  ///< as of CheckFlags
  Running running;
};
struct JudgeFlags {
  std::string path, observed;
  std::string contract;  ///< empty: that of the case, or of what was observed
  std::string sets;      ///< a file; empty: permitted sets are not written
  std::string elements = "all";
  std::uint64_t jobs = 0;  ///< 0: one a core
  std::uint64_t time_ms = 2000;
  std::uint64_t seed = 1;
};
struct ExplainFlags {
  std::string path;
  std::string observed;  ///< a file of outputs; empty: none
  std::string element;   ///< "y[0,3]"; empty: the worst of those observed, or the first
  std::string contract;  ///< empty: that of the case, or of what was observed
};
struct DepthFlags {
  std::vector<std::string> kernels;  ///< names or globs
  std::string extents;               ///< "m=64,n=64"
  std::string lengths;               ///< "96,256,1000"; empty: three that fit
  std::string formats;               ///< "F16,F16,F32"; empty: the first that the kernel takes
  bool tree = false;
  Running running;
};
struct FuzzFlags {
  std::vector<std::string> globs;
  std::string folder;
  std::string shard = "1/1";
  std::uint64_t cases = 0;  ///< 0: no limit
  std::uint64_t time_ms = 0;
  Making making;
  bool merge = false;
  std::uint64_t most = 0;  ///< 0: not given
  bool first_finding = false;
  std::string accept;             ///< as of CheckFlags
  bool allow_not_judged = false;  ///< clean runs of declared operations are enough for exit code 0
  ReportFlags reports;
  Running running;
};
struct NewFlags {
  std::string file, kernel, output;  ///< no kernel: all of the file; no output: FILE.nz beside it
  bool force = false;
  bool guess = false;             ///< by names alone: nothing is compiled and run
  std::uint64_t time_ms = 40000;  ///< for measuring, once all is compiled
};
struct CompileFlags {
  std::string file, declaration, output;
  std::string rule;  ///< a file for what the object was made of; empty: it is not written
};
struct InitFlags {
  std::string folder = ".";
  std::string action;  ///< OWNER/NAME@REF; empty: written as a question
  bool force = false;
};
struct CompletionFlags {
  std::string shell;
};
struct CampaignFlags {
  std::string folder;
  bool allow_not_judged = false;  ///< as of CheckFlags
  ReportFlags reports;
  Running running;
};
struct ShowFlags {
  std::string path;
};
struct ExportFlags {
  std::string path;
  std::string format;    ///< "cu", "py" or "gtest"; empty: what the kernel is
  std::string output;    ///< empty: standard output
  std::string kernel;    ///< empty: the one that the case names
  std::string observed;  ///< a file of outputs; empty: the kernel runs once, where it can
  std::string call;      ///< statements of Python; empty: none
  Running running;
};
struct ShrinkFlags {
  std::string path, output, kernel;
  Running running;
};

// Each returns an exit code.
int list(const ListFlags& flags, const Common& common);
int check(const CheckFlags& flags, const Common& common);
int compare(const CompareFlags& flags, const Common& common);
int replay(const ReplayFlags& flags, const Common& common);
int judge(const JudgeFlags& flags, const Common& common);
int explain(const ExplainFlags& flags, const Common& common);
int depth(const DepthFlags& flags, const Common& common);
int fuzz(const FuzzFlags& flags, const Common& common);
int report_campaign(const CampaignFlags& flags, const Common& common);
int show(const ShowFlags& flags, const Common& common);
int compile(const CompileFlags& flags, const Common& common);
int new_declaration(const NewFlags& flags, const Common& common);
int init(const InitFlags& flags, const Common& common);
int export_case(const ExportFlags& flags, const Common& common);
int shrink(const ShrinkFlags& flags, const Common& common);
int doctor(const Common& common);

}  // namespace negzero::cli
