// Checks a function of another language: its launches are calls back.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/printable.hpp>
#include <negzero/c/checking.hpp>
#include <negzero/c/request.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/judgement/default_contract.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/property/search.hpp>
#include <negzero/run/caller_executor.hpp>

namespace negzero::c {
namespace {

using base::Status;
using operation::Case;

constexpr std::int64_t kMostCases = 1'000'000'000, kMostShapes = 100'000;
constexpr double kMostShrinking = 86'400;

/// What is asked of a check beside the cases.
struct Asked {
  Wanted wanted{};
  std::string name = "function";
  Json promises = Json::object();
  kernel::Reference reference{};
  property::SearchOptions search{};
};

Status read_names(const Json& given, std::vector<std::string>& names) {
  constexpr const char* kValid = "a list of names of properties";
  if (!given.is_array()) return wrong_option("claims", given, kValid);
  for (const Json& name : given) {
    if (!name.is_string()) return wrong_option("claims", given, kValid);
    names.push_back(name.get<std::string>());
  }
  return base::Ok{};
}

Status read_known(const Json& given, std::vector<property::Known>& known) {
  constexpr const char* kValid = R"(a list of findings, each of a class or of a rule: [{"class": "data_race"}])";
  if (!given.is_array()) return wrong_option("known", given, kValid);
  for (const Json& each : given) {
    const bool is_one = each.is_object() && each.size() == 1 && each.begin()->is_string();
    property::Known& next = known.emplace_back();
    if (is_one && each.contains("rule")) {
      next.rule = verdict::Rule::named(each["rule"].get<std::string>());
    } else if (is_one && each.contains("class")) {
      next.kind = verdict::parse_failure_class(each["class"].get<std::string>());
    }
    if (next.rule.is_none() && !next.kind) return wrong_option("known", each, kValid);
  }
  return base::Ok{};
}

Status read_reference(const Json& given, Asked& asked) {
  try {
    asked.reference = kernel::reference_of(nlohmann::json::parse(given.dump()));
  } catch (const std::exception& exception) {
    return base::usage_error(std::string("reference: ") + exception.what());
  }
  return kernel::validate(asked.reference, *operation::find_signature(asked.wanted.request.operation));
}

/// The reference as a kernel.
base::Result<kernel::Kernel> reference_kernel(const Asked& asked) {
  const operation::Signature& signature = *operation::find_signature(asked.wanted.request.operation);
  const auto line = operation::signature_of(kernel::line_for(asked.reference, signature));
  if (!line) return base::usage_error("reference: " + line.error().message);
  return kernel::Kernel{.name = asked.reference.kernel,
                        .operation = (*line)->identity(),
                        .contract = {.accumulate = number::FormatId::F64}};
}

base::Result<Asked> asked_of(std::string_view options) {
  std::vector<std::string_view> known(request_keys().begin(), request_keys().end());
  known.insert(known.end(), {"name", "promises", "reference", "claims", "known", "cases", "shapes", "shrink_seconds"});
  const auto parsed = parse_options(options, known);
  if (!parsed) return parsed.error();
  auto wanted = c::wanted(*parsed);
  if (!wanted) return wanted.error();
  Asked asked{.wanted = *std::move(wanted)};
  asked.search.seed = asked.wanted.seed;
  for (const auto& [key, given] : parsed->items()) {
    if (key == "name") {
      if (!given.is_string()) return wrong_option(key, given, "text");
      asked.name = base::one_line(given.get<std::string>());
    } else if (key == "promises") {
      if (!given.is_object()) return wrong_option(key, given, "an object of fields of a contract");
      asked.promises = given;
    } else if (key == "reference") {
      if (const Status status = read_reference(given, asked); !status) return status.error();
    } else if (key == "claims") {
      if (const Status status = read_names(given, asked.search.claims); !status) return status.error();
    } else if (key == "known") {
      if (const Status status = read_known(given, asked.search.known); !status) return status.error();
    } else if (key == "cases" || key == "shapes") {
      const auto number = integer(key, given, {0, key == "cases" ? kMostCases : kMostShapes});
      if (!number) return number.error();
      (key == "cases" ? asked.search.cases : asked.search.shapes) = static_cast<std::uint64_t>(*number);
    } else if (key == "shrink_seconds") {
      const double seconds = given.is_number() ? given.get<double>() : -1;
      if (!(seconds >= 0 && seconds <= kMostShrinking)) return wrong_option(key, given, "seconds from 0 to 86400");
      asked.search.shrink_ms = static_cast<std::uint64_t>(seconds * 1000);
    }
  }
  return asked;
}

/// A contract that keeps those promises too.
base::Result<contract::Contract> with(const contract::Contract& contract, const Json& promises) {
  if (promises.empty()) return contract;
  Json fields = Json::parse(contract::to_json(contract));
  fields.update(promises);
  return contract::parse(fields.dump());
}

/// The words of a buffer's use, in the order of protocol::BufferUse.
constexpr std::array<const char*, 5> kUses{"input", "unread", "output", "initialised", "in_output"};

/// A plan as JSON (negzero.h).
std::string text_of(const protocol::LaunchPlan& plan, const char* phase, std::uint64_t index) {
  const protocol::Part part = protocol::part_of(plan);
  std::string text = fmt::format(R"({{"phase":"{}","index":{},"begin":{},"end":{},"buffers":{{)", phase, index,
                                 part.begin, part.begin + part.size_bytes);
  const char* comma = "";
  for (const protocol::PlannedBuffer& buffer : plan.buffers) {
    const std::uint64_t at = buffer.at + static_cast<std::uint64_t>(buffer.layout.offset) * buffer.element_bytes();
    text += fmt::format(R"({}"{}":{{"use":"{}","format":"{}","shape":[{}],"strides":[{}],"at":{}}})", comma,
                        buffer.name, kUses[static_cast<std::size_t>(buffer.use)], number::format(buffer.format).name,
                        fmt::join(buffer.layout.shape, ","), fmt::join(buffer.layout.strides, ","), at);
    comma = ",";
  }
  text += R"(},"scalars":{)";
  comma = "";
  const auto& names = plan.operation.signature().scalars;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const operation::Scalar& scalar = plan.operation.scalars()[i];
    text +=
        fmt::format(R"({}"{}":["{}","{:#x}"])", comma, names[i].name, number::format(scalar.format).name, scalar.bits);
    comma = ",";
  }
  return text + "}}";
}

/// The function's side of a check.
class Caller {
 public:
  explicit Caller(const negzero_function& function) : function_(function) {}

  run::Called launch(const run::Job& job, const protocol::LaunchPlan& plan, std::byte* image) {
    const std::string text = text_of(plan, is_shrinking_ ? "shrink" : "search", index_);
    const std::vector<std::byte> file = file_of(job);
    std::array<char, 4096> message{};
    const negzero_launch launch{
        {text.data(), text.size()}, {file.data(), file.size()}, image, size_bytes_, message.data(), message.size()};
    const std::int32_t how = function_.launch(function_.user, &launch);
    message.back() = 0;
    switch (how) {
      case NEGZERO_RAN:
        return {};
      case NEGZERO_RAISED:
        return {run::Called::How::Raised, base::one_line(message.data())};
      case NEGZERO_REFUSED:
        return {run::Called::How::Refused, base::one_line(message.data())};
      case NEGZERO_CHANGED:
        return {run::Called::How::Changed, base::one_line(message.data())};
      default:
        return {.how = run::Called::How::Stopped};
    }
  }
  std::byte* memory(std::size_t size_bytes) {
    size_bytes_ = size_bytes;
    return static_cast<std::byte*>(function_.memory(function_.user, size_bytes));
  }
  void is_at(std::uint64_t index) {
    index_ = index;
    is_shrinking_ = false;
  }
  void shrinks() { is_shrinking_ = true; }

 private:
  /// The case with its contract, so that the file says all that it is held to.
  std::vector<std::byte> file_of(const run::Job& job) {
    if (!contract_ || !(*contract_ == *job.contract)) {
      contract_ = *job.contract;
      contract_text_ = contract::to_json(*contract_);
    }
    Case value = *job.value;
    value.contract = contract_text_;
    return case_file::write(value);
  }

  const negzero_function& function_;
  std::optional<contract::Contract> contract_;
  std::string contract_text_;
  std::uint64_t index_ = 0;
  std::size_t size_bytes_ = 0;
  bool is_shrinking_ = false;
};

/// What is declared of a function of a declared operation; empty of another one, whose contract says it.
std::string held_text(const kernel::Kernel& kernel) {
  const bool is_declared = operation::find_signature(kernel.operation)->is_declared;
  return is_declared ? kernel::declared_text(kernel) : "";
}

Json json_of(const property::Found& found, const contract::Contract& contract, const kernel::Kernel& kernel) {
  const verdict::Failure& failure = *found.verdict.failure;
  return Json{{"class", verdict::name(failure.kind)},
              {"rule", failure.rule},
              {"message", failure.message},
              {"output", failure.output},
              {"coordinates", failure.coordinates},
              {"observed", failure.observed_text},
              {"permitted", failure.permitted_text},
              {"failing", failure.failing_elements},
              {"claim", found.claim},
              {"hints", failure.permitted_under},
              {"evaluations", found.evaluations},
              {"came_again", found.came_again},
              {"runs", found.runs},
              {"hits", found.hits},
              {"is_cut", found.is_cut},
              {"contract_text", kernel::declared_text(kernel)},
              {"text", judgement::counterexample({.name = kernel.name, .held = held_text(kernel)}, found.value,
                                                 &contract, failure, "")}};
}

}  // namespace

base::Result<Checked> checked(std::string_view options, const negzero_function& function,
                              const negzero_function& reference, std::span<const negzero_bytes> first,
                              const std::fenv_t& environment) {
  auto asked = asked_of(options);
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
  auto contract = with(asked->wanted.request.contract, asked->promises);
  if (!contract) return contract.error();
  asked->wanted.request.contract = *contract;
  if (!asked->wanted.has_contract) {
    asked->search.contract = [&](const operation::Operation& operation) {
      return *with(judgement::default_contract(operation).contract, asked->promises);
    };
  }
  Caller caller(function);
  run::CallerExecutor executor([&](const run::Job& job, const protocol::LaunchPlan& plan,
                                   std::byte* image) { return caller.launch(job, plan, image); },
                               [&](std::size_t size_bytes) { return caller.memory(size_bytes); }, environment);
  Caller reference_caller(reference);
  run::CallerExecutor reference_executor([&](const run::Job& job, const protocol::LaunchPlan& plan,
                                             std::byte* image) { return reference_caller.launch(job, plan, image); },
                                         [&](std::size_t size_bytes) { return reference_caller.memory(size_bytes); },
                                         environment);
  std::optional<kernel::Kernel> held_to;
  if (asked->reference.exists()) {
    if (reference.launch == nullptr || reference.memory == nullptr) {
      return base::usage_error("reference: it cannot be called; give its launch and its memory");
    }
    auto made = reference_kernel(*asked);
    if (!made) return made.error();
    held_to = *std::move(made);
    asked->search.referee = property::Referee{&*held_to, &reference_executor};
  }
  asked->search.stop = [&] { return executor.is_stopped() || reference_executor.is_stopped(); };
  asked->search.progress = [&](std::uint64_t index) { caller.is_at(index); };
  asked->search.shrinks = [&] { caller.shrinks(); };
  const kernel::Kernel kernel{.name = asked->name,
                              .operation = asked->wanted.request.operation,
                              .contract = *contract,
                              .limits = asked->wanted.request.limits,
                              .reference = asked->reference};
  const auto searched = property::search(asked->wanted.request, kernel, executor, asked->search);
  if (!searched) return searched.error();
  Json report{{"version", 1},
              {"passed", searched->passed},
              {"vacuous", searched->vacuous},
              {"empty", searched->empty},
              {"not_judged", searched->not_judged},
              {"refused", searched->refused},
              {"errors", searched->errors},
              {"error", searched->error},
              {"held", searched->held},
              {"known", searched->known},
              {"launches", executor.launches()},
              {"stopped", searched->is_stopped},
              {"contract_text", kernel::declared_text(kernel)},
              {"assumed", asked->wanted.assumed},
              {"found", nullptr}};
  Checked result;
  if (searched->found) {
    const auto decides = contract::parse(searched->found->value.contract);
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
