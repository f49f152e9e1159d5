// `negzero export`.

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/outputs.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/exporting.hpp>
#include <negzero/cli/held_to.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/files/writable.hpp>
#include <negzero/judgement/observed.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

namespace {

using verdict::VerdictKind;

/// The name of the kernel that the case is to show: the one that it names, else the first that it fails on.
std::string kernel_of(const operation::Case& value, const ExportFlags& flags) {
  if (!flags.kernel.empty()) return flags.kernel;
  if (!value.kernel.empty()) return value.kernel;
  if (value.found) return value.found->kernel;
  const auto fails = std::ranges::find(value.expect, VerdictKind::Fail, &operation::Expectation::verdict);
  return fails == value.expect.end() ? "" : fails->kernel;
}

/// How the case fails on that kernel, as far as its file says it.
std::optional<operation::Expectation> failure_on(const operation::Case& value, const std::string& kernel) {
  for (const operation::Expectation& each : value.expect) {
    if (each.kernel == kernel && each.verdict == VerdictKind::Fail) return each;
  }
  return value.found && value.found->kernel == kernel ? value.found : std::nullopt;
}

base::Result<files::Archive> archive_of(const std::string& path) {
  auto file = files::InputFile::open(path);
  if (!file) return base::Error{file.error().kind, "--observed " + file.error().message};
  auto archive = files::read_safetensors(*file);
  if (!archive)
    return base::Error{archive.error().kind, fmt::format("--observed {}: {}", path, archive.error().message)};
  return archive;
}

/// Fills in what the kernel gave: from the file, or from a run.
base::Status observe(as_code::Finding& finding, const kernel::Kernel* kernel, const ExportFlags& flags,
                     files::Archive archive, const campaign::EvaluationOptions& evaluation) {
  if (!flags.observed.empty()) {
    auto outputs = judgement::outputs_of(finding.value, std::move(archive));
    if (!outputs) return base::usage_error(fmt::format("--observed {}: {}", flags.observed, outputs.error().message));
    finding.observed = *std::move(outputs);
    finding.observed_from = "recorded in " + flags.observed;
    return base::Ok{};
  }
  if (kernel == nullptr) return base::Ok{};
  const auto outcome = campaign::outcome_of(finding.value, *kernel, finding.contract, evaluation);
  if (!outcome) return outcome.error();
  if (!campaign::why_nothing(*outcome).empty()) return base::Ok{};
  finding.observed = outcome->outputs;
  finding.observed_from = fmt::format("a run on {}", kernel::name(kernel->where()));
  return base::Ok{};
}

/// What the name of a file asks for; empty: nothing.
std::string format_by_name(const std::string& output) {
  return output.ends_with(".cu") ? "cu" : output.ends_with(".py") ? "py" : "";
}

/// The kernel's own file must not be written over.
base::Status check_output(const std::string& output, const kernel::Kernel* kernel) {
  std::vector<std::string> own;
  if (kernel != nullptr) own = kernel->build.named;
  if (kernel != nullptr) own.push_back(kernel->file);
  std::error_code code;
  for (const std::string& file : own) {
    if (!std::filesystem::equivalent(file, output, code) || code) continue;
    return base::usage_error(fmt::format("--output {}: that is the file of the kernel; name another one", output));
  }
  if (const auto writable = files::check_writable_file(output); !writable) {
    return base::infrastructure_error("--output " + writable.error().message);
  }
  return base::Ok{};
}

base::Error at(const std::string& path, const base::Error& error) {
  const bool has_place = error.message.starts_with(path) || error.message.starts_with("--");
  return {error.kind, has_place ? error.message : path + ": " + error.message};
}

}  // namespace

int export_case(const ExportFlags& flags, const Common& common) {
  const auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error(), common);
  const auto value = campaign::load_case(flags.path);
  if (!value) return fail(value.error(), common);
  const std::string name = kernel_of(*value, flags);
  if (name.empty()) {
    return fail(base::usage_error(flags.path + ": the case names no kernel; say which with --kernel NAME"), common);
  }
  const kernel::Kernel* kernel = kernel::registry().find(name, evaluation->place);
  if (kernel == nullptr) kernel = kernel::registry().find_anywhere(name);
  if (!flags.output.empty()) {
    if (const auto usable = check_output(flags.output, kernel); !usable) return fail(usable.error(), common);
  }
  files::Archive archive;
  if (!flags.observed.empty()) {
    auto read = archive_of(flags.observed);
    if (!read) return fail(read.error(), common);
    archive = *std::move(read);
  }
  const auto of_outputs = contract_of_outputs(archive, value->operation);
  if (!of_outputs) return fail(at("--observed " + flags.observed, of_outputs.error()), common);
  auto finding = finding_of(*value, name, kernel, failure_on(*value, name), *of_outputs, *evaluation);
  if (!finding) return fail(at(flags.path, finding.error()), common);
  finding->from = flags.path;
  const CodeFormat format = code_format(flags.format.empty() ? format_by_name(flags.output) : flags.format, kernel);
  if (format == CodeFormat::Python && flags.call.empty()) {
    if (const auto seen = observe(*finding, kernel, flags, std::move(archive), *evaluation); !seen) {
      return fail(at(flags.path, seen.error()), common);
    }
  } else if (format != CodeFormat::Python && !(flags.call + flags.observed).empty()) {
    return fail(base::usage_error("--call and --observed are for --format py: CUDA launches the kernel itself"),
                common);
  }
  const auto code = code_of(*finding, kernel, format, flags.call, common);
  if (!code) return fail(at(flags.path, code.error()), common);
  if (!flags.output.empty()) {
    const auto saved = files::write_file_atomically(flags.output, std::as_bytes(std::span(code->data(), code->size())));
    if (!saved) return fail(saved.error(), common);
  }
  if (common.json) {
    constexpr const char* kFormats[] = {"cu", "py", "gtest"};
    const nlohmann::ordered_json document{{"version", report::kJsonVersion},
                                          {"kernel", name},
                                          {"format", kFormats[static_cast<std::size_t>(format)]},
                                          {"file", flags.output},
                                          {"code", *code}};
    return print_document(report::dump(document)) ? kClean : kInfrastructure;
  }
  if (!flags.output.empty()) return kClean;
  return print_text(*code) ? kClean : kInfrastructure;
}

}  // namespace negzero::cli
