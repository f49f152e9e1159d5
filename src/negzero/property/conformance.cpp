// The claim that every kernel makes: its outcome is one that its contract permits.

#include <cstring>
#include <exception>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/contract/contract.hpp>
#include <negzero/property/conformance.hpp>

namespace negzero::property {

namespace {

using operation::Verdict;
using operation::VerdictKind;

Verdict error(std::string reason) {
  return Verdict{.kind = VerdictKind::Error, .failure = {}, .reason = std::move(reason)};
}

/// Why the kernel cannot run the case at all, or the contract that decides it.
base::Result<contract::Contract> contract_for(const operation::Case& value, const kernel::Kernel& kernel) {
  if (operation::name(value.operation) != kernel.operation) {
    return base::usage_error(fmt::format("kernel {} implements {}, the case is a {}", kernel.name, kernel.operation,
                                         operation::name(value.operation)));
  }
  return contract_of(value, kernel);
}

Verdict judge(const operation::Case& value, const contract::Contract& contract, run::Outcome outcome,
              const oracle::Options& options) {
  switch (outcome.status) {
    case run::Outcome::Status::Refused:
      return Verdict{.kind = VerdictKind::Refused, .failure = {}, .reason = std::move(outcome.reason)};
    case run::Outcome::Status::Error:
      return error(std::move(outcome.reason));
    case run::Outcome::Status::Failed:
      return Verdict{.kind = VerdictKind::Fail, .failure = std::move(outcome.failure), .reason = {}};
    case run::Outcome::Status::Completed:
      break;
  }
  const auto oracle = oracle::Oracle::make(value, contract, options);
  if (!oracle) return error(oracle.error().message);
  return oracle->judge(outcome.output);
}

/// Verdicts on cases that run together.
std::vector<Verdict> judge_together(std::span<const operation::Case> cases, const kernel::Kernel& kernel,
                                    run::Executor& executor, const oracle::Options& options) {
  std::vector<Verdict> verdicts(cases.size());
  std::vector<contract::Contract> contracts(cases.size());
  std::vector<run::Job> jobs;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto contract = contract_for(cases[i], kernel);
    if (!contract) {
      verdicts[i] = error(contract.error().message);
      continue;
    }
    contracts[i] = *std::move(contract);
    jobs.push_back({&cases[i], &contracts[i]});
    owners.push_back(i);
  }
  std::vector<run::Outcome> outcomes = executor.run(jobs, kernel);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    try {
      verdicts[owners[i]] = judge(*jobs[i].value, *jobs[i].contract, std::move(outcomes[i]), options);
    } catch (const std::exception& exception) {
      verdicts[owners[i]] = error(fmt::format("{}: {}", kernel.name, exception.what()));
    }
  }
  return verdicts;
}

/// Most verdicts are passes: they travel as a kind and a margin.
struct Head {
  VerdictKind kind;
  double margin;
};

}  // namespace

base::Result<contract::Contract> contract_of(const operation::Case& value, const kernel::Kernel& kernel) {
  if (value.contract.empty()) return kernel.contract;
  return contract::parse(value.contract);
}

Verdict conformance(const operation::Case& value, const kernel::Kernel& kernel, run::Executor& executor,
                    const oracle::Options& options) {
  return std::move(conformance(std::span(&value, 1), kernel, executor, options).front());
}

std::vector<Verdict> conformance(std::span<const operation::Case> cases, const kernel::Kernel& kernel,
                                 run::Executor& executor, const oracle::Options& options) {
  std::vector<Verdict> verdicts;
  try {
    verdicts = judge_together(cases, kernel, executor, options);
  } catch (const std::exception& exception) {
    return std::vector<Verdict>(cases.size(), error(fmt::format("{}: {}", kernel.name, exception.what())));
  }
  // On the host cases run one after the other, each in memory that was laid out anew.
  if (cases.size() == 1 || executor.kind() == kernel::Executor::Host) return verdicts;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (verdicts[i].kind != VerdictKind::Fail) continue;
    Verdict alone = conformance(cases[i], kernel, executor, options);
    if (alone.kind == VerdictKind::Fail) {
      verdicts[i] = std::move(alone);
    } else {
      verdicts[i].failure->message += fmt::format(
          " (seen when {} cases ran together, not when this one ran alone: results vary from run to run, or another "
          "case of them wrote here)",
          cases.size());
    }
  }
  return verdicts;
}

std::string pack(const Verdict& verdict) {
  const Head head{verdict.kind, verdict.margin};
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  if (verdict.kind == VerdictKind::Pass) return bytes;
  nlohmann::json json{{"reason", verdict.reason}};
  if (const auto& f = verdict.failure) {
    json["failure"] = {static_cast<int>(f->kind),
                       f->rule,
                       static_cast<int>(f->direction),
                       f->message,
                       f->element,
                       f->coordinates,
                       f->observed,
                       f->observed_text,
                       f->permitted_text,
                       f->failing_elements};
  }
  // A kernel's refusal may hold any bytes; the rest of the text is ours.
  return bytes + json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Verdict unpack(std::string_view bytes) {
  Head head;
  if (bytes.size() < sizeof head) return error("a worker's answer was cut short");
  std::memcpy(&head, bytes.data(), sizeof head);
  Verdict verdict{.kind = head.kind, .failure = {}, .reason = {}, .margin = head.margin};
  if (head.kind == VerdictKind::Pass) return verdict;
  try {
    const auto json = nlohmann::json::parse(bytes.substr(sizeof head));
    verdict.reason = json.at("reason");
    if (json.contains("failure")) {
      const auto& f = json.at("failure");
      verdict.failure = operation::Failure{.kind = f.at(0).get<operation::FailureClass>(),
                                           .rule = f.at(1),
                                           .direction = f.at(2).get<operation::Direction>(),
                                           .message = f.at(3),
                                           .element = f.at(4),
                                           .coordinates = f.at(5),
                                           .observed = f.at(6),
                                           .observed_text = f.at(7),
                                           .permitted_text = f.at(8),
                                           .failing_elements = f.at(9)};
    }
  } catch (const nlohmann::json::exception&) {
    return error("a worker's answer could not be read");
  }
  // A kernel may have damaged the worker that answers.
  const bool known = head.kind <= VerdictKind::Error &&
                     (!verdict.failure || (verdict.failure->kind <= operation::FailureClass::RefusedLegalRequest &&
                                           verdict.failure->direction <= operation::Direction::TooHigh));
  if (!known || verdict.failure.has_value() != (head.kind == VerdictKind::Fail)) {
    return error("a worker's answer makes no sense");
  }
  return verdict;
}

}  // namespace negzero::property
