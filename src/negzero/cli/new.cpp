// `negzero new`: a declaration of a CUDA file's kernels, measured where they can be run.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/kernel_program.hpp>
#include <negzero/cli/making_cases.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/measure/conclusion.hpp>
#include <negzero/report/json.hpp>
#include <negzero/run/scratch.hpp>
#include <negzero/source/extension_text.hpp>
#include <negzero/source/proposal.hpp>

namespace negzero::cli {

namespace {

/// What can be run of a file, and how.
struct Probes {
  std::vector<measure::Callee> callees{};             ///< one for each declaration
  std::vector<std::vector<measure::Probe>> probes{};  ///< none: it cannot be measured
  std::string text{};                                 ///< the declarations of all of them
};

Probes probes_of(const source::Proposal& proposal) {
  Probes result;
  for (const source::Proposed& each : proposal.declarations) {
    const std::size_t number = result.callees.size();
    result.callees.push_back(measure::callee_of(each.function, each.kernels));
    const measure::Callee& callee = result.callees.back();
    result.probes.emplace_back();
    if (each.is_of_tensors || !each.function.templates.empty()) continue;
    result.probes.back() = measure::probes_of(callee, number);
    for (const measure::Probe& probe : result.probes.back()) {
      result.text += measure::declaration_of(probe, callee) + "\n";
    }
  }
  return result;
}

/// Compiles the probes and makes their kernels known. A text: why that cannot be.
std::string make_known(const Probes& probes, const NewFlags& flags, const Common& common) {
  const auto scratch = run::scratch_of_run();
  if (!scratch) return scratch.error().message;
  const std::string path = *scratch + "/probes.nz";
  if (std::ofstream file(path); !(file << probes.text).flush()) return path + " cannot be written";
  const auto program = compiled(flags.file, path, false, common.compiler_flags);
  if (!program) return program.error().message;
  Common of_program = common;
  of_program.kernels = {program->path};
  const base::Status known = know_kernels(of_program, false, "host");
  return known.ok() ? "" : known.error().message;
}

/// The text of a declaration with what was seen in front of it.
std::string text_of(const measure::Conclusion& conclusion, const std::string& by_names) {
  std::string text = conclusion.comment.empty() ? "" : fmt::format("# {}\n", conclusion.comment);
  if (conclusion.text.empty()) return text + by_names;
  if (conclusion.guessed.empty()) return text + conclusion.text;
  const std::string line = fmt::format("guessed   {}\n", fmt::join(conclusion.guessed, ", "));
  // Behind the last `kernel`: a reference comes before the kernel that it is for.
  const std::size_t at = conclusion.text.find('\n', conclusion.text.rfind("kernel    ")) + 1;
  return text + conclusion.text.substr(0, at) + line + conclusion.text.substr(at);
}

/// The texts of all declarations.
std::vector<std::string> measured(const source::Proposal& proposal, const NewFlags& flags, const Common& common) {
  std::vector<std::string> texts;
  for (const source::Proposed& each : proposal.declarations) texts.push_back(each.text);
  if (flags.guess) return texts;
  const Probes probes = probes_of(proposal);
  if (probes.text.empty()) return texts;
  if (const std::string why = make_known(probes, flags, common); !why.empty()) {
    tell_line("negzero: nothing is measured, so the declaration is guessed: " + why);
    return texts;
  }
  measure::Prober prober;
  Progress progress;
  std::size_t left =
      static_cast<std::size_t>(std::ranges::count_if(probes.probes, [](const auto& each) { return !each.empty(); }));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(flags.time_ms);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (probes.probes[i].empty()) continue;
    const std::string& name = proposal.declarations[i].name;
    if (progress.is_due()) progress.show(fmt::format("measuring {}, {} to go", name, left));
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    prober.allow(time / left--);
    texts[i] = text_of(measure::conclude(prober, probes.callees[i], probes.probes[i], name), texts[i]);
  }
  progress.clear();
  return texts;
}

}  // namespace

int new_declaration(const NewFlags& flags, const Common& common) {
  const auto text = source::read_source(flags.file);
  if (!text) return fail(text.error(), common);
  const auto proposal = source::propose(*text, flags.file, flags.kernel);
  if (!proposal) return fail(proposal.error(), common);
  const std::string path =
      flags.output.empty() ? std::filesystem::path(flags.file).replace_extension(".nz").string() : flags.output;
  std::error_code code;
  if (std::filesystem::exists(path, code) && !flags.force) {
    return fail(
        base::usage_error(fmt::format("{} is there already; --force writes over it, --output names another", path)),
        common);
  }
  const std::string all = source::file_of(*proposal, flags.file, measured(*proposal, flags, common));
  const auto written = files::write_file_atomically(path, std::as_bytes(std::span(all)));
  if (!written) return fail(written.error(), common);
  const std::size_t questions = source::questions_in(all), kernels = proposal->declarations.size();
  if (common.json) {
    const nlohmann::ordered_json document{{"version", report::kJsonVersion},
                                          {"file", path},
                                          {"kernels", proposal->names},
                                          {"declared", kernels},
                                          {"questions", questions}};
    return print_document(document.dump(2) + "\n") ? kClean : kInfrastructure;
  }
  std::string next = fmt::format("negzero check {}\n", flags.file);
  if (questions > 0) {
    next = fmt::format("fill in the ??? of {} line{}, then: {}", questions, questions == 1 ? "" : "s", next);
  }
  std::size_t guessed = 0;
  for (std::size_t at = all.find("\nguessed "); at != std::string::npos; at = all.find("\nguessed ", at + 1)) ++guessed;
  if (guessed > 0)
    next += fmt::format("{} of them guessed: confirm what its `guessed` line names, then delete it\n", guessed);
  return print_text(fmt::format("{}: {} declaration{}\n{}", path, kernels, kernels == 1 ? "" : "s", next))
             ? kClean
             : kInfrastructure;
}

}  // namespace negzero::cli
