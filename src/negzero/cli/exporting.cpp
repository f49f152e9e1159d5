// A failing case as code.

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <negzero/as_code/cuda_file.hpp>
#include <negzero/as_code/declared.hpp>
#include <negzero/as_code/memory.hpp>
#include <negzero/as_code/numpy_file.hpp>
#include <negzero/as_code/registered.hpp>
#include <negzero/as_code/values.hpp>
#include <negzero/campaign/outputs.hpp>
#include <negzero/cli/exporting.hpp>
#include <negzero/cli/kernel_program.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/judgement/default_contract.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/reference.hpp>
#include <negzero/property/reference_sets.hpp>
#include <negzero/source/program.hpp>

namespace negzero::cli {

namespace {

using as_code::Finding;

/// The file of CUDA that a kernel is of, and its declaration: what the user named, or what a program was made of that
/// serves its kernels, as one of CMake's; nothing where there is none.
std::optional<std::pair<std::string, std::string>> cuda_files(const kernel::Kernel& kernel) {
  const std::vector<std::string>& named = kernel.build.named;
  if (has_cuda_file(named)) return std::pair(named[0], named.size() > 1 ? named[1] : "");
  if (kernel.file.ends_with(".cu")) return std::pair(kernel.file, std::string());
  if (!kernel.file.ends_with(".nz")) return std::nullopt;
  const std::string beside = kernel.file.substr(0, kernel.file.size() - 3) + ".cu";
  std::error_code code;
  if (!std::filesystem::exists(beside, code)) return std::nullopt;
  return std::pair(beside, kernel.file);
}

/// The file of CUDA that declares a kernel; nothing where it registers its kernels itself, or is of another program.
std::optional<as_code::DeclaredFile> declared_file(const kernel::Kernel* kernel, const Common& common) {
  const auto files = kernel == nullptr ? std::nullopt : cuda_files(*kernel);
  if (!files) return std::nullopt;
  const auto declared = source::declared_in(files->first, files->second);
  const auto is_it = [&](const source::Declaration& each) { return each.kernel == kernel->name; };
  const bool is_named = has_cuda_file(kernel->build.named);
  if (declared ? std::ranges::none_of(declared->declarations.kernels, is_it) : !is_named) return std::nullopt;
  return as_code::DeclaredFile{files->first, files->second, common.compiler_flags};
}

bool is_in_cuda(const kernel::Kernel* kernel) { return kernel != nullptr && cuda_files(*kernel).has_value(); }

base::Status permit_by_oracle(Finding& finding) {
  const auto oracle = oracle::Oracle::make(finding.value, finding.contract);
  if (!oracle) return oracle.error();
  const auto specs = operation::output_specs(finding.value.operation);
  for (std::size_t o = 0; o < specs.size(); ++o) {
    const std::int64_t count = tensor::count_elements(specs[o].shape);
    if (static_cast<std::size_t>(count) > as_code::kMostWords) return base::Ok{};  // The writers say so.
    finding.permitted.emplace_back();
    for (std::int64_t i = 0; i < count; ++i) finding.permitted[o].push_back(oracle->permitted(i, o));
  }
  return base::Ok{};
}

base::Status permit_by_reference(const kernel::Kernel& kernel, const campaign::EvaluationOptions& evaluation,
                                 Finding& finding) {
  const kernel::Reference& said = kernel.reference;
  const kernel::Kernel* const referee = kernel::registry().find_anywhere(said.kernel);
  if (referee == nullptr) {
    return base::usage_error(fmt::format(
        "{} is held to {}, which no program here has; --kernels names the one that does", finding.kernel, said.kernel));
  }
  const operation::Case given = property::case_for_reference(finding.value, finding.contract, *referee);
  const auto outcome = campaign::outcome_of(given, *referee, referee->contract, evaluation);
  if (!outcome) return outcome.error();
  if (const std::string why = campaign::why_nothing(*outcome); !why.empty()) {
    // Wrong values are nothing without what is permitted.
    if (!finding.failure_class || !verdict::is_of_values(*finding.failure_class)) return base::Ok{};
    return base::infrastructure_error(fmt::format("{}, which {} is held to: {}", said.kernel, finding.kernel, why));
  }
  for (std::size_t o = 0; o < operation::output_specs(finding.value.operation).size(); ++o) {
    finding.permitted.push_back(
        property::permitted_by_reference(finding.value, finding.contract, kernel, o, given, outcome->outputs));
  }
  return base::Ok{};
}

}  // namespace

CodeFormat code_format(const std::string& word, const kernel::Kernel* kernel) {
  if (word == "gtest") return CodeFormat::GoogleTest;
  if (word == "py") return CodeFormat::Python;
  const bool is_text_of_module = kernel != nullptr && !kernel->build.named.empty() &&
                                 kernel->build.named.front().ends_with(".py");  // of load_inline()
  return word == "cu" || (is_in_cuda(kernel) && !is_text_of_module) ? CodeFormat::Cuda : CodeFormat::Python;
}

base::Result<Finding> finding_of(const operation::Case& value, const std::string& kernel_name,
                                 const kernel::Kernel* kernel, const std::optional<operation::Expectation>& known,
                                 const std::optional<contract::Contract>& contract,
                                 const campaign::EvaluationOptions& evaluation) {
  if (kernel != nullptr && !operation::is_of(value.operation, kernel->operation)) {
    return base::usage_error(fmt::format("the case is {}, which kernel {} implements; --kernel names another",
                                         operation::unlike(value.operation, kernel->operation), kernel_name));
  }
  Finding finding{.value = value, .kernel = kernel_name};
  finding.configuration = value.configuration;
  if (kernel != nullptr) {
    if (const auto why = operation::outside(kernel->limits.configuration, value.configuration)) {
      return base::usage_error(fmt::format("the case is outside the limits of {}: {}", kernel_name, *why));
    }
    finding.about = kernel->about;
    finding.configuration = operation::whole(kernel->limits.configuration, value.configuration);
  }
  if (value.contract.empty() && !contract && kernel == nullptr) {
    return base::usage_error(fmt::format(
        "no program here has kernel {}, and the case names no contract, so that nothing says what is permitted; "
        "--kernels names its program, or --observed a file of outputs that names the contract",
        kernel_name));
  }
  auto parsed = kernel != nullptr        ? property::contract_of(value, *kernel)
                : value.contract.empty() ? base::Result<contract::Contract>(*contract)
                                         : judgement::named_contract(value);
  if (!parsed) return parsed.error();
  finding.contract = *std::move(parsed);
  if (known) {
    finding.failure_class = known->failure_class;
    finding.rule = known->rule;
    finding.only_watched = known->executor == "watched";
  }
  if (as_code::is(finding, verdict::FailureClass::DataRace))
    finding.has_other_values = as_code::give_values(finding.value);
  const bool is_declared = value.operation.signature().is_declared;
  base::Status permitted = base::Ok{};
  if (!is_declared) permitted = permit_by_oracle(finding);
  if (is_declared && kernel != nullptr && kernel->reference.exists()) {
    permitted = permit_by_reference(*kernel, evaluation, finding);
  }
  if (!permitted) return permitted.error();
  return finding;
}

base::Result<std::string> code_of(const Finding& finding, const kernel::Kernel* kernel, CodeFormat format,
                                  const std::string& call, const Common& common) {
  if (format == CodeFormat::Python) return as_code::numpy_file(finding, call);
  if (!is_in_cuda(kernel)) {
    return base::usage_error(fmt::format(
        "--format {}: {} is no kernel in CUDA that a program here has; --kernels names its file, and --format py has "
        "what a kernel of any kind gave",
        format == CodeFormat::Cuda ? "cu" : "gtest", finding.kernel));
  }
  if (const base::Status whole = as_code::is_in_one_piece(finding); !whole) return whole.error();
  const std::vector<as_code::Buffer> buffers = as_code::buffers_of(finding);
  const auto declared = declared_file(kernel, common);
  const report::Sources sources = invocation_of(common, std::nullopt).sources;
  const auto launch =
      declared ? as_code::launch_of(*declared, finding, buffers)
               : as_code::launch_of(
                     kernel->file, [&](const std::string& path) { return sources.read(path); }, finding, buffers);
  if (!launch) return launch.error();
  return as_code::cuda_file(finding, *launch,
                            format == CodeFormat::Cuda ? as_code::CudaForm::Program : as_code::CudaForm::Test);
}

std::string short_code(const operation::Case& value, const std::string& kernel, const verdict::Failure& failure,
                       const campaign::EvaluationOptions& evaluation, const Common& common) {
  const kernel::Kernel* const known = kernel::registry().find_anywhere(kernel);
  if (!declared_file(known, common) || !verdict::is_of_values(failure.kind)) return "";
  const operation::Expectation seen{.kernel = kernel,
                                    .verdict = verdict::VerdictKind::Fail,
                                    .failure_class = failure.kind,
                                    .rule = std::string(failure.rule.id())};
  const auto finding = finding_of(value, kernel, known, seen, std::nullopt, evaluation);
  if (!finding) return "";
  const auto code = code_of(*finding, known, CodeFormat::Cuda, "", common);
  return code && std::ranges::count(*code, '\n') <= kMostShownLines ? *code : "";
}

}  // namespace negzero::cli
