// The commands, and the flags of those that run no kernel.

#include <fmt/format.h>

#include <negzero/cli/build_facts.hpp>
#include <negzero/cli/command_line.hpp>
#include <negzero/cli/common_flags.hpp>
#include <negzero/cli/description.hpp>

namespace negzero::cli {

const char* const kExitCodes =
    "Exit codes: 0 clean, 1 at least one finding, 2 usage (a wrong flag, a damaged or missing case file),\n"
    "3 infrastructure (a build that fails, a place that cannot be written, a worker that cannot be\n"
    "started), 4 nothing at all was decided (no kernel matched, no case there, all skipped, vacuous or\n"
    "of operations without a definition, or findings that all rest on guesses: never a pass; one of several kernels\n"
    "for which nothing was decided is a warning), 77 cannot run here (no GPU), 130 interrupted by Ctrl-C or SIGTERM "
    "(what was found is saved). Where several hold:\n"
    "2, 130, 1, 3, 4.";

CommandLine::CommandLine() {
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", [] { return version_text(build_facts()); },
      "version, compiler, executors and licences of this program");
  app.footer(std::string("`negzero COMMAND --help` shows the flags of a command.\n\n") + kExitCodes);
  add_list();
  add_check();
  add_compare();
  add_replay();
  add_judge();
  add_explain();
  add_depth();
  add_fuzz();
  add_report();
  show_command =
      add_command("show", "print a case file: operation, values, layouts, where it came from, what it expects",
                  "negzero show findings/x.case.safetensors");
  show_command->add_option("case", show_flags.path, "case file")->required()->type_name("");
  add_export();
  add_shrink();
  new_command = add_command("new", "draft a declaration (.nz) for the kernels of a CUDA file",
                            "negzero new softmax.cu --kernel softmax_kernel");
  new_command->add_option("file", new_flags.file, "FILE.cu, or FILE.py with CUDA as text for load_inline()")
      ->required()
      ->type_name("");
  new_command->add_option("--kernel", new_flags.kernel, "only this kernel [all that the file defines]")
      ->type_name("NAME");
  new_command->add_option("--output", new_flags.output, "where the declaration goes [FILE.nz beside the file]")
      ->type_name("FILE");
  new_command->add_flag("--force", new_flags.force, "write over a declaration that is there");
  new_command->add_flag("--guess", new_flags.guess, "guess from names alone: compile and run nothing");
  add_duration(new_command, "--time", new_flags.time_ms,
               "about how long running kernels may take, after compiling; the declarations share it [40s]");
  add_compile();
  init_command = add_command("init", "write what continuous integration and coding agents need into a project",
                             "negzero init . --action OWNER/negzero@v0.1.0");
  init_command->add_option("folder", init_flags.folder, "the root of the project [.]")->type_name("");
  init_command
      ->add_option(
          "--action", init_flags.action,
          "repository of negzero, with a tag or commit, from which workflows install it [a question, ???,\nin what is "
          "written]")
      ->type_name("OWNER/NAME@REF");
  init_command->add_flag("--force", init_flags.force, "write over files that are there");
  completion_command = add_command("completion", "print a shell completion script",
                                   "negzero completion bash > ~/.local/share/bash-completion/completions/negzero");
  completion_command->add_option("shell", completion_flags.shell, "bash, zsh or fish")
      ->required()
      ->check(one_of(kShells))
      ->type_name("");
  man_command = add_command("man", "print the page for `man`", "negzero man > negzero.1");
  doctor_command =
      add_command("doctor", "show what works on this machine, and how to enable the rest", "negzero doctor");
}

CLI::App* CommandLine::add_command(const std::string& name, const std::string& help, const std::string& example) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_flag("--json", common.json, "one JSON document on standard output and nothing else there");
  command
      ->add_option(
          "--kernels", common.kernels,
          "where kernels come from: a program that CMake's negzero_worker() makes, a module of Python (MODULE.py),\n"
          "or a CUDA file (FILE.cu, or FILE.py with FILE.nz); repeatable [the program that ships]")
      ->type_name("PROGRAM")
      ->allow_extra_args(false);
  command
      ->add_option("--color", common.color,
                   "colours for people: auto (on a terminal, unless NO_COLOR is set), always or never; never in JSON\n"
                   "and in files [auto]")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("WHEN");
  command->footer("Example: " + example + "\n\n" + kExitCodes);
  return command;
}

void CommandLine::add_depth() {
  depth_command = add_command(
      "depth", "find the order in which a kernel adds, from its outputs: the tree of additions, and how deep it is",
      "negzero depth reduce.sum.tree.f32 --tree");
  depth_command
      ->add_option(
          "kernels", depth_flags.kernels,
          "names of kernels that sum over one extent, * and ? allowed (`negzero list kernels`). Or FILE.cu,\n"
          "compiled as it is for the host, and FILE.nz, which declares its kernels; words behind -- are flags\n"
          "as to nvcc")
      ->type_name("");
  depth_command
      ->add_option("--lengths", depth_flags.lengths,
                   "lengths of the sums, separated by commas [three that the kernel takes, near 96, 256 and 1000; "
                   "and\nsome terms of a much longer one]")
      ->type_name("LIST");
  depth_command
      ->add_option("--extents", depth_flags.extents,
                   "other extents, by their names in `negzero list operations`, as in m=4096,n=4096 [small ones]")
      ->type_name("LIST");
  depth_command
      ->add_option("--formats", depth_flags.formats,
                   "formats of the operation's tensors, as in F16,F16,F32 [the first that the kernel takes]")
      ->type_name("LIST");
  depth_command->add_flag("--tree", depth_flags.tree, "draw the tree of each length");
  add_executor(depth_command, depth_flags.running.executor,
               "where the kernel runs: host, cuda, or auto: cuda where there is a GPU [auto]");
}

void CommandLine::add_compile() {
  compile_command =
      add_command("compile",
                  "compile a CUDA file with its declaration to an object; a program linked with it and with negzero's\n"
                  "worker serves its kernels (CMake's negzero_add_kernels())",
                  "negzero compile row_max.cu -o row_max.o -- -Iinclude");
  compile_command->add_option("file", compile_flags.file, "FILE.cu; words behind -- are flags as to nvcc")
      ->required()
      ->type_name("");
  compile_command->add_option("declaration", compile_flags.declaration, "FILE.nz [beside the file, or lines of it]")
      ->type_name("");
  compile_command->add_option("-o,--output", compile_flags.output, "the object")->required()->type_name("FILE");
  compile_command->add_option("--depfile", compile_flags.rule, "write what the object was made of, as a rule of make")
      ->type_name("FILE");
}

void CommandLine::add_list() {
  list_command = add_command("list", "list what this program knows: kernels, rules, strategies ...",
                             "negzero list kernels 'gemm.*'");
  list_command
      ->add_option(
          "what", list_flags.what,
          "kernels, operations, contracts, fields (of a contract), formats, declaration (the lines of a .nz file),\n"
          "strategies, properties, rules, devices, or cases: those that `check` makes for a kernel, drawn and\n"
          "not run [kernels]")
      ->check(one_of({"kernels", "operations", "contracts", "fields", "formats", "declaration", "strategies",
                      "properties", "rules", "devices", "cases"}))
      ->type_name("");
  list_command
      ->add_option("globs", list_flags.globs,
                   "only kernels of these names, * and ? allowed, as in 'gemm.*'; of cases: one kernel [all]")
      ->type_name("");
  add_number(list_command, "--cases", list_flags.cases, 1, kMostCases, "with cases: how many [20]");
  add_executor(list_command, list_flags.executor,
               "with cases: for which executor they are drawn; cuda needs no GPU here [auto]");
  add_watch(list_command, list_flags.watch, "with cases: how they are looked at where `check` has this flag [auto]");
  list_command->add_flag("--shapes", list_flags.shapes,
                         "with cases: how many shapes they have and how many tiles, in place of each case");
  add_making(list_command, list_flags.making);
}

void CommandLine::add_export() {
  export_command =
      add_command("export",
                  "write a failing case as code that needs no negzero: a CUDA program, a Python script or a "
                  "test",
                  "negzero export findings/x.case.safetensors --kernels softmax.cu -o x.cu");
  export_command->add_option("case", export_flags.path, "case file")->required()->type_name("");
  export_command
      ->add_option("--format", export_flags.format,
                   "cu: a program for nvcc, whose main() returns 1 where the case fails and 0 where it does not;\n"
                   "gtest: the same as a TEST() without main(); py: a script for Python with NumPy, whose\n"
                   "assertion fails [cu for a kernel in CUDA, else py]")
      ->check(one_of({"cu", "py", "gtest"}))
      ->type_name("FORMAT");
  export_command
      ->add_option("-o,--output", export_flags.output, "where the code goes, whole or not at all [standard output]")
      ->type_name("FILE");
  export_command
      ->add_option("--kernel", export_flags.kernel, "kernel it fails on, by its exact name [the one the case names]")
      ->type_name("NAME");
  export_command
      ->add_option("--observed", export_flags.observed,
                   "with py: a safetensors file with what the kernel gave, as `negzero replay --save-outputs` writes\n"
                   "it [the kernel runs once, where it can]")
      ->type_name("FILE");
  export_command
      ->add_option("--call", export_flags.call,
                   "with py: statements of Python that compute the outputs again, with each input and output by\n"
                   "its name, as 'd = np.matmul(a, b)' [the file has what the kernel gave]")
      ->type_name("CODE");
  add_executor(export_command, export_flags.running.executor,
               "where the kernel, or what it is held to, runs: host, cuda, or auto: cuda where there is a GPU [auto]");
}

}  // namespace negzero::cli
