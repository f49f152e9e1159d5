// All flags of all commands: their names, their help and where their values go.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <negzero/cli/commands.hpp>

namespace negzero::cli {

inline constexpr const char* kVersion = "0.1.0";

/// What every help text says of exit codes.
extern const char* const kExitCodes;

/// Cases a kernel where nothing but the time limits them.
inline constexpr std::uint64_t kMostCases = std::uint64_t{1} << 39;

/// Cases a kernel where none is named: all that ship, which is a look at how they fare, and no search in one of them.
inline constexpr std::uint64_t kCasesOfAll = 300;

struct CommandLine {
  CLI::App app{"negzero: fuzzing and property-based testing for GPU arithmetic", "negzero"};
  Common common;
  ListFlags list_flags;
  CheckFlags check_flags;
  CompareFlags compare_flags;
  ReplayFlags replay_flags;
  JudgeFlags judge_flags;
  ExplainFlags explain_flags;
  DepthFlags depth_flags;
  FuzzFlags fuzz_flags;
  CampaignFlags campaign_flags;
  ShowFlags show_flags;
  NewFlags new_flags;
  CompileFlags compile_flags;
  InitFlags init_flags;
  CompletionFlags completion_flags;
  ExportFlags export_flags;
  ShrinkFlags shrink_flags;
  CLI::App *list_command, *check_command, *compare_command, *replay_command, *judge_command, *explain_command,
      *depth_command, *fuzz_command, *report_command, *show_command, *export_command, *shrink_command, *doctor_command,
      *new_command, *compile_command, *init_command, *completion_command, *man_command;
  CLI::Option* cases;

  CommandLine();

 private:
  CLI::App* add_command(const std::string& name, const std::string& help, const std::string& example);
  void add_list();
  void add_check();
  void add_compare();
  void add_replay();
  void add_judge();
  void add_explain();
  void add_depth();
  void add_fuzz();
  void add_report();
  void add_export();
  void add_shrink();
  void add_compile();
};

}  // namespace negzero::cli
