// Flags that several commands have.

#include <limits>

#include <fmt/format.h>

#include <negzero/cli/common_flags.hpp>
#include <negzero/cli/description.hpp>
#include <negzero/cli/duration.hpp>
#include <negzero/cli/numbers.hpp>
#include <negzero/cli/report_files.hpp>

namespace negzero::cli {

namespace {

/// A flag whose text `parse` turns into a number; errors name the flag.
template <typename Parse>
CLI::Option* add_parsed(CLI::App* app, const std::string& flag, std::uint64_t& target, const std::string& type,
                        const std::string& help, const Parse& parse) {
  const auto set = [&target, flag, parse](const std::string& text) {
    const auto parsed = parse(text);
    if (!parsed) throw CLI::ValidationError(flag + " " + parsed.error().message);
    target = *parsed;
  };
  return app->add_option_function<std::string>(flag, set, help)->type_name(type);
}

}  // namespace

void add_duration(CLI::App* app, const std::string& flag, std::uint64_t& target, const std::string& help,
                  bool may_be_none) {
  add_parsed(app, flag, target, "DURATION", help, [=](const std::string& text) -> base::Result<std::uint64_t> {
    auto parsed = parse_duration_ms(text);
    if (parsed && *parsed == 0 && !may_be_none)
      return base::usage_error(fmt::format("'{}' is no time; at least 1ms is needed", text));
    return parsed;
  });
}

CLI::Option* add_number(CLI::App* app, const std::string& flag, std::uint64_t& target, std::uint64_t low,
                        std::uint64_t high, const std::string& help) {
  return add_parsed(app, flag, target, "N", help,
                    [low, high](const std::string& text) { return parse_number(text, low, high); });
}

void add_executor(CLI::App* app, std::string& executor, const std::string& help) {
  app->add_option("--executor", executor, help)->check(one_of({"auto", "host", "cuda"}))->type_name("NAME");
}

void add_watch(CLI::App* app, std::string& watch, const std::string& help) {
  app->add_option("--watch", watch, help)->check(one_of({"auto", "always", "never"}))->type_name("NAME");
}

void add_running(CLI::App* app, Running& running) {
  add_executor(app, running.executor, "where kernels run: host, cuda, or auto: cuda where there is a GPU [auto]");
  add_number(app, "--jobs", running.jobs, 1, 1024,
             "worker processes; with --executor cuda, cores to keep busy for all GPUs\ntogether [one a core]");
  add_duration(app, "--timeout", running.timeout_ms,
               "longest time that a kernel may take without starting another block, as 500ms, 30s or 1h30m; one\n"
               "that takes longer is a finding of class hang, and shrinking it keeps to this limit too [10s]");
  app->add_flag("--in-process", running.in_process,
                "no worker processes, for debuggers: a crash ends the program, a hang hangs it, Ctrl-C\nwaits for the "
                "case that runs, and a second one ends the program at once");
  add_watch(
      app, running.watch,
      "which cases run with every load and store watched, which takes about ten times as long: auto\n(check: one in "
      "twenty, and the first of each shape at which kernels err; a given case: where it\npasses unwatched), "
      "always or never [auto]");
  app->add_option(
         "--exact", running.exact,
         "force one method of exact sums, to check one against another: fixed128, ladder,\nbins or multiprecision "
         "[the cheapest]")
      ->type_name("NAME");
}

void add_making(CLI::App* command, Making& making) {
  add_number(command, "--seed", making.seed, 0, std::numeric_limits<std::uint64_t>::max(),
             "seed of all cases: the same seed makes the same cases; 0 picks one and prints it [1]");
  command
      ->add_option("--weight", making.weights,
                   "how often a strategy makes the case, against the others: STRATEGY=WEIGHT, repeatable;\n"
                   "strategies not named are not used (`negzero list strategies` has them and their usual weights)")
      ->allow_extra_args(false)
      ->type_name("S=W");
  command
      ->add_option(
          "--extents", making.extents,
          "values of extents, by their names in `negzero list operations`: NAME=VALUE or NAME=LOW:HIGH[:STEP],\n"
          "separated by commas, as in m=4096,n=4096,k=64:4096:64; the others are drawn as usual")
      ->type_name("LIST");
  command
      ->add_option("--values", making.values,
                   "which values the elements of a tensor have, besides what its kernel declares: x=-1e4..1e4, p>=0,\n"
                   "'lse<=1e4 inf=negative', several separated by commas; repeatable")
      ->allow_extra_args(false)
      ->type_name("LIST");
  command->add_flag("--finite", making.finite,
                    "no infinity and no NaN among the inputs, except infinities that a kernel's `values` ask for:\n"
                    "what fails then fails on plain numbers");
}

void add_allow_not_judged(CLI::App* command, bool& allow) {
  command->add_flag(
      "--allow-not-judged", allow,
      "exit with 0 instead of 4 where all kernels are of declared operations, whose values nothing judges,\n"
      "and memory, races, hangs and claims were clean; such cases are counted apart all the same");
}

CLI::Option* add_first_finding(CLI::App* command, bool& first_finding) {
  return command->add_flag(
      "-x,--fail-fast", first_finding,
      "stop at the first finding that is not accepted; files of other failing cases stay as found");
}

CLI::Option* add_accept(CLI::App* command, std::string& path) {
  return command
      ->add_option(
          "--accept", path,
          "a ledger of known findings (JSON, docs/how-to/ci.md): those that it names are found and listed, and do not\n"
          "make exit code 1; kernels of which it accepts a crash are not run; an entry whose kernel ran and\n"
          "whose finding did not occur makes exit code 1")
      ->type_name("FILE");
}

void add_reports(CLI::App* command, ReportFlags& reports, const std::string& page) {
  for (std::size_t i = 0; i < report_files().size(); ++i) {
    const ReportFile& file = report_files()[i];
    command->add_option((i == 0 ? page : "") + file.flag, reports.paths[i], file.help)->type_name("FILE");
  }
}

}  // namespace negzero::cli
