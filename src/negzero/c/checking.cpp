// Checks a function of another language: its launches are calls back.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <negzero/c/caller.hpp>
#include <negzero/c/check_request.hpp>
#include <negzero/c/checking.hpp>
#include <negzero/c/preparation.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/judgement/default_contract.hpp>
#include <negzero/judgement/hints.hpp>
#include <negzero/property/search.hpp>
#include <negzero/property/value_hint.hpp>

namespace negzero::c {
namespace {

/// The reference as a kernel.
base::Result<kernel::Kernel> reference_kernel(const CheckRequest& asked) {
  const notation::Signature& signature = *operation::find_signature(asked.wanted.request.operation);
  const auto line = operation::signature_of(kernel::line_for(asked.reference, signature));
  if (!line) return base::usage_error("reference: " + line.error().message);
  return kernel::Kernel{.name = asked.reference.kernel,
                        .operation = (*line)->identity(),
                        .contract = {.accumulate = number::FormatId::F64}};
}

/// A contract that keeps those promises too.
base::Result<contract::Contract> with(const contract::Contract& contract, const Json& promises) {
  if (promises.empty()) return contract;
  Json fields = Json::parse(contract::to_json(contract));
  fields.update(promises);
  return contract::parse(fields.dump());
}

/// What is declared of a function of a declared operation; empty of another one, whose contract says it.
std::string held_text(const kernel::Kernel& kernel) {
  const bool is_declared = operation::find_signature(kernel.operation)->is_declared;
  return is_declared ? kernel::declared_text(kernel) : "";
}

Json json_of(const property::Found& found, const contract::Contract& contract, const kernel::Kernel& kernel) {
  const verdict::Failure& failure = *found.verdict.failure;
  judgement::Subject subject{.name = kernel.name, .held = held_text(kernel)};
  if (auto hint = property::value_hint(found.value, failure, kernel.limits, property::DeclaredBy::Python)) {
    subject.hints.push_back(*std::move(hint));
  }
  return Json{{"class", verdict::name(failure.kind)},
              {"rule", failure.rule},
              {"message", failure.message},
              {"output", failure.output},
              {"coordinates", failure.coordinates},
              {"observed", failure.observed_text},
              {"permitted", failure.permitted_text},
              {"failing", failure.failing_elements},
              {"claim", found.claim},
              {"hints", judgement::hint_lines(failure.permitted_under)},
              {"evaluations", found.evaluations},
              {"came_again", found.came_again},
              {"runs", found.runs},
              {"hits", found.hits},
              {"is_cut", found.is_cut},
              {"contract_text", kernel::declared_text(kernel)},
              {"text", judgement::counterexample(subject, found.value, &contract, failure, "")}};
}

}  // namespace

base::Result<Checked> checked(std::string_view options, const negzero_function& function,
                              const negzero_function& reference, const negzero_function& prepare,
                              std::span<const negzero_bytes> first, const std::fenv_t& environment) {
  auto asked = check_request(options);
  if (!asked) return asked.error();
  for (const negzero_bytes& bytes : first) {
    auto value = case_file::parse({static_cast<const std::byte*>(bytes.data), bytes.size});
    if (!value) return base::usage_error("first: " + value.error().message);
    if (!operation::is_of(value->operation, asked->wanted.request.operation)) {
      return base::usage_error("first: the case is " +
                               operation::unlike(value->operation, asked->wanted.request.operation));
    }
    value->contract.clear();
    asked->search.first.push_back(*std::move(value));
  }
  // A default contract says nothing of places.
  asked->search.position_is_named = !asked->search.claims.empty() && !asked->wanted.request.contract.position_invariant;
  auto contract = with(asked->wanted.request.contract, asked->promises);
  if (!contract) return contract.error();
  asked->wanted.request.contract = *contract;
  if (!asked->wanted.has_contract) {
    asked->search.contract = [&](const operation::Operation& operation) {
      return *with(judgement::default_contract(operation).contract, asked->promises);
    };
  }
  Caller caller(function, environment), reference_caller(reference, environment);
  std::optional<kernel::Kernel> held_to;
  if (asked->reference.exists()) {
    if (reference.launch == nullptr || reference.memory == nullptr) {
      return base::usage_error("reference: it cannot be called; give its launch and its memory");
    }
    auto made = reference_kernel(*asked);
    if (!made) return made.error();
    held_to = *std::move(made);
    asked->search.referee = property::Referee{&*held_to, &reference_caller.executor()};
  }
  Preparation preparation(prepare, asked->wanted.request.limits);
  if (preparation.exists() && prepare.memory == nullptr) {
    return base::usage_error("prepare: it has no memory; give its memory beside its launch");
  }
  if (preparation.exists()) asked->search.prepare = [&](operation::Case& value) { return preparation.prepare(value); };
  asked->search.stop = [&] {
    return preparation.is_stopped() || caller.executor().is_stopped() || reference_caller.executor().is_stopped();
  };
  asked->search.progress = [&](std::uint64_t index) { caller.is_at(index); };
  asked->search.shrinks = [&] { caller.shrinks(); };
  kernel::Kernel kernel{.name = asked->name,
                        .operation = asked->wanted.request.operation,
                        .contract = *contract,
                        .limits = asked->wanted.request.limits,
                        .reference = asked->reference};
  if (preparation.exists()) kernel.admits = [&](const operation::Case& value) { return preparation.leaves(value); };
  const auto searched = property::search(asked->wanted.request, kernel, caller.executor(), asked->search);
  if (!searched) return searched.error();
  if (searched->unprepared > 0) return base::usage_error("prepare: " + preparation.problem());
  Json report{{"version", 1},
              {"passed", searched->passed},
              {"vacuous", searched->vacuous},
              {"empty", searched->empty},
              {"not_judged", searched->not_judged},
              {"refused", searched->refused},
              {"errors", searched->errors},
              {"error", searched->error},
              {"warnings", searched->warnings},
              {"warning", searched->warning},
              {"held", searched->held},
              {"known", searched->known},
              {"launches", caller.executor().launches()},
              {"stopped", searched->is_stopped},
              {"contract_text", kernel::declared_text(kernel)},
              {"assumed", asked->wanted.assumed},
              {"found", nullptr}};
  Checked result;
  if (searched->found) {
    const auto decides = judgement::named_contract(searched->found->value);
    kernel::Kernel held = kernel;
    if (decides) held.contract = *decides;
    report["found"] = json_of(*searched->found, held.contract, held);
    const std::vector<std::byte> file = case_file::write(searched->found->value);
    result.found_case.assign(reinterpret_cast<const char*>(file.data()), file.size());
  }
  result.report = report.dump(-1, ' ', false, Json::error_handler_t::replace);
  return result;
}

}  // namespace negzero::c
