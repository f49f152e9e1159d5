// The flags of the commands that run kernels or judge what they gave.

#include <limits>

#include <fmt/format.h>

#include <negzero/cli/command_line.hpp>
#include <negzero/cli/common_flags.hpp>
#include <negzero/cli/description.hpp>

namespace negzero::cli {

void CommandLine::add_check() {
  check_command = add_command("check", "make cases, run kernels on them, judge, shrink what fails and save it",
                              "negzero check 'gemm.*' --time 5m --seed 0");
  check_command
      ->add_option("kernels", check_flags.globs,
                   "names of kernels, * and ? allowed (`negzero list kernels`); none: all but faulty.* and\nreferences "
                   "of others. Or FILE.cu, compiled as it is for the host, and FILE.nz, which declares its\nkernels; "
                   "words behind -- are flags as to nvcc. Or FILE.py with CUDA as text for load_inline()")
      ->type_name("");
  cases = add_number(check_command, "--cases", check_flags.cases, 1, kMostCases,
                     "cases for each kernel [1000; 300 where no kernel is named]");
  add_making(check_command, check_flags.making);
  add_duration(check_command, "--time", check_flags.time_ms,
               "stop making cases after this time (500ms, 30s, 5m, 1h30m), for all kernels together, and\n"
               "shrink what failed. Without --cases there is no other limit");
  check_command
      ->add_option("--save", check_flags.save,
                   "directory for findings, made when there is one: KERNEL.CLASS.HASH.original.safetensors as found,\n"
                   ".case.safetensors shrunk, .partial.safetensors where shrinking was interrupted or ran out of time "
                   "[findings]")
      ->type_name("DIR");
  add_duration(check_command, "--shrink-time", check_flags.running.shrink_time_ms,
               "longest time for the shrinking of one finding; 0s: findings are saved as generated [60s]", true);
  add_first_finding(check_command, check_flags.first_finding);
  add_accept(check_command, check_flags.accept);
  add_allow_not_judged(check_command, check_flags.allow_not_judged);
  add_reports(check_command, check_flags.reports);
  add_running(check_command, check_flags.running);
}

void CommandLine::add_compare() {
  compare_command = add_command(
      "compare",
      "run two kernels, or one on two executors, on the same cases: bit-identical, permitted, or which one is\n"
      "wrong; or run many such pairs, which a file lists",
      "negzero compare gemm.tiled.f32@host gemm.tiled.f32@cuda --bitwise");
  CLI::Option* const two =
      compare_command
          ->add_option(
              "kernels", compare_flags.kernels,
              "names of two kernels of one operation; @host, @watched or @cuda behind a name replaces --executor\n"
              "for it; cases are made for the limits and the contract of the first")
          ->expected(2)
          ->type_name("");
  compare_command
      ->add_option("--list", compare_flags.list,
                   "a text file with one such pair a line, in the place of two names; a * in both pairs all kernels\n"
                   "that have the same text there; # begins a comment; - is a list on standard input")
      ->excludes(two)
      ->type_name("FILE");
  add_number(compare_command, "--cases", compare_flags.cases, 1, kMostCases, "cases to compare a pair on [1000]");
  add_duration(compare_command, "--time", compare_flags.time_ms,
               "stop making cases of a pair after this time (500ms, 30s, 5m, 1h30m), and shrink what differed");
  add_making(compare_command, compare_flags.making);
  compare_command->add_flag("--bitwise", compare_flags.bitwise,
                            "a difference that both contracts permit is a finding too");
  add_first_finding(compare_command, compare_flags.first_finding);
  compare_command
      ->add_option("--save", compare_flags.save,
                   "directory for the smallest case of each kind of difference [findings]")
      ->type_name("DIR");
  add_duration(compare_command, "--shrink-time", compare_flags.running.shrink_time_ms,
               "longest time for the shrinking of one kind of difference; 0s: cases stay as generated [60s]", true);
  add_reports(compare_command, compare_flags.reports);
  add_running(compare_command, compare_flags.running);
  compare_command->get_option("--watch")->group("");  // A side is watched by its name.
}

void CommandLine::add_replay() {
  replay_command =
      add_command("replay", "run case files and compare each verdict with what the file expects, or with a pass",
                  "negzero replay corpus/regressions --junit out.xml");
  replay_command
      ->add_option("paths", replay_flags.paths,
                   "case files; a folder means every *.safetensors below it, and - a case on standard input")
      ->type_name("");
  replay_command
      ->add_option("--list", replay_flags.list,
                   "a text file with one path a line, replayed after those; - is one on standard input, as in\n"
                   "`find . -name '*.safetensors' | negzero replay --list -`")
      ->type_name("FILE");
  replay_command
      ->add_option("--kernel", replay_flags.kernels,
                   "run on the kernels of this name or glob instead of those that the files name, and expect a\n"
                   "pass by the contracts that they declare; cases of other operations are skipped; repeatable")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  add_reports(replay_command, replay_flags.reports);
  add_allow_not_judged(replay_command, replay_flags.allow_not_judged);
  replay_command->add_flag("--record", replay_flags.record,
                           "write each verdict into its file, as what that kernel is expected to do from now on (with\n"
                           "--kernel by its own contract, which replaces the one in the file)");
  replay_command
      ->add_option(
          "--save-outputs", replay_flags.save_outputs,
          "write the outputs of each kernel into this folder, as CASE.KERNEL.outputs.safetensors, for `negzero\n"
          "judge`; a run without outputs (a crash, a refusal) writes none")
      ->type_name("DIR");
  replay_command->add_flag("--debug", replay_flags.running.in_process,
                           "the same as --in-process, to break inside a kernel with gdb");
  add_running(replay_command, replay_flags.running);
}

void CommandLine::add_judge() {
  judge_command = add_command("judge", "judge outputs that were recorded elsewhere, without any kernel",
                              "negzero judge case.safetensors --observed outputs.safetensors --contract f32");
  judge_command->add_option("case", judge_flags.path, "case file")->required()->type_name("");
  judge_command
      ->add_option("--observed", judge_flags.observed,
                   "a safetensors file with every output of the operation by its name (d, y, out ...), in the\n"
                   "case's format and shape; `negzero replay --save-outputs` writes such files")
      ->required()
      ->type_name("FILE");
  judge_command
      ->add_option(
          "--contract", judge_flags.contract,
          "the contract that results are held to: a preset of `negzero list contracts`, JSON with fields of a\n"
          "contract, or default, which is assumed where nothing is declared [that of the case, or the one\n"
          "that the file of outputs names]")
      ->type_name("CONTRACT");
  judge_command
      ->add_option("--sets", judge_flags.sets, "write the permitted set of every element to a safetensors file")
      ->type_name("FILE");
  judge_command
      ->add_option("--elements", judge_flags.elements, "all, or sample: as many as can be judged in --time [all]")
      ->check(one_of({"all", "sample"}))
      ->type_name("WHICH");
  add_duration(judge_command, "--time", judge_flags.time_ms, "about how long a sample may take [2s]");
  add_number(judge_command, "--seed", judge_flags.seed, 0, std::numeric_limits<std::uint64_t>::max(),
             "seed of a sample's random elements [1]");
  add_number(judge_command, "--jobs", judge_flags.jobs, 1, 1024, "threads that judge [one a core]");
}

void CommandLine::add_explain() {
  explain_command = add_command(
      "explain", "print what each path of a contract permits of one element, and which of them gives its bits",
      "negzero explain case.safetensors --element d[0,1,2] --observed outputs.safetensors");
  explain_command->add_option("case", explain_flags.path, "case file")->required()->type_name("");
  explain_command
      ->add_option("--element", explain_flags.element,
                   "an element of an output, as y[0,3] [the worst of those that were observed, or the first]")
      ->type_name("ELEMENT");
  explain_command
      ->add_option("--observed", explain_flags.observed,
                   "a safetensors file with every output of the operation by its name, as for `negzero judge`")
      ->type_name("FILE");
  explain_command
      ->add_option("--contract", explain_flags.contract,
                   "the contract whose paths are followed: a preset, JSON, or default [that of the case, or the one\n"
                   "that the file of outputs names]")
      ->type_name("CONTRACT");
}

void CommandLine::add_fuzz() {
  fuzz_command = add_command("fuzz",
                             "search for as long as you like: learn which cases show something new, keep them in a "
                             "folder,\nshrink what fails, go on from there the next time",
                             "negzero fuzz 'gemm.*' --folder campaign --time 8h");
  fuzz_command
      ->add_option("kernels", fuzz_flags.globs,
                   "names of kernels, * and ? allowed (`negzero list kernels`); none: all but faulty.* and\nreferences "
                   "of others. Or FILE.cu, compiled as it is for the host, and FILE.nz, which declares its\nkernels; "
                   "words behind -- are flags as to nvcc. Or FILE.py with CUDA as text for load_inline()")
      ->type_name("");
  fuzz_command
      ->add_option("--folder", fuzz_flags.folder,
                   "folder of the campaign, with corpus/, findings/ and shards/; a search goes on from what is there,\n"
                   "and several may share it")
      ->required()
      ->type_name("DIR");
  fuzz_command
      ->add_option("--shard", fuzz_flags.shard,
                   "which of several searches in the folder this is, as 2/4: each makes cases of its own and reads "
                   "what\nthe others keep [1/1]")
      ->type_name("I/N");
  add_number(fuzz_command, "--cases", fuzz_flags.cases, 1, kMostCases,
             "stop after this many cases, for all kernels together [no limit]");
  add_making(fuzz_command, fuzz_flags.making);
  add_duration(fuzz_command, "--time", fuzz_flags.time_ms,
               "stop after this time (30s, 5m, 8h), shrinking included [no limit: Ctrl-C saves and stops]");
  add_duration(fuzz_command, "--shrink-time", fuzz_flags.running.shrink_time_ms,
               "longest time for the shrinking of one finding; 0s: findings are saved as generated [60s]", true);
  CLI::Option* const merge =
      fuzz_command->add_flag("--merge", fuzz_flags.merge,
                             "do not search: remove the cases of the corpus that show nothing beyond what others show");
  add_number(fuzz_command, "--most", fuzz_flags.most, 1, kMostCases,
             "with --merge: keep at most this many cases of a kernel, those that show most together [all that show\n"
             "something of their own]")
      ->needs(merge);
  add_first_finding(fuzz_command, fuzz_flags.first_finding)->excludes(merge);
  add_accept(fuzz_command, fuzz_flags.accept)->excludes(merge);
  add_allow_not_judged(fuzz_command, fuzz_flags.allow_not_judged);
  add_reports(fuzz_command, fuzz_flags.reports);
  add_running(fuzz_command, fuzz_flags.running);
}

void CommandLine::add_report() {
  report_command =
      add_command("report",
                  "report what a campaign of `negzero fuzz` has found, running or ended, with all shards of its\n"
                  "folder together; every finding runs once more",
                  "negzero report campaign -o campaign.html");
  report_command->add_option("folder", campaign_flags.folder, "the --folder of the campaign; nothing in it is changed")
      ->required()
      ->type_name("");
  add_allow_not_judged(report_command, campaign_flags.allow_not_judged);
  add_reports(report_command, campaign_flags.reports, "-o,");
  add_running(report_command, campaign_flags.running);
}

void CommandLine::add_shrink() {
  shrink_command = add_command("shrink", "make a failing case smaller, keeping its failure class",
                               "negzero shrink found.safetensors -o small.safetensors");
  shrink_command->add_option("case", shrink_flags.path, "case file")->required()->type_name("");
  shrink_command
      ->add_option("-o,--output", shrink_flags.output,
                   "where the smaller case goes; after Ctrl-C it goes to *.partial.safetensors beside it")
      ->required()
      ->type_name("FILE");
  shrink_command
      ->add_option("--kernel", shrink_flags.kernel, "kernel it fails on, by its exact name [the one the case names]")
      ->type_name("NAME");
  add_duration(shrink_command, "--shrink-time", shrink_flags.running.shrink_time_ms,
               "longest time; the smallest case found by then is written [60s]");
  add_running(shrink_command, shrink_flags.running);
}

}  // namespace negzero::cli
