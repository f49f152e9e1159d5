// Makes the case that a probe's declaration wants.

#include <fmt/format.h>

#include <negzero/kernel/kernel.hpp>
#include <negzero/measure/prober.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::measure {
namespace {

using operation::Case;

Case case_of(const kernel::Kernel& kernel, const Probe& probe, const Given& given) {
  const notation::Signature& signature = *operation::find_signature(kernel.operation);
  Case value;
  value.operation = operation::Operation(signature);
  value.operation.set_formats(kernel.limits.formats.front());
  std::map<std::size_t, double> scalars = given.numbers;
  for (const auto& [place, size] : given.sizes) {
    const std::string name = fmt::format("s{}", place);
    if (signature.find_extent(name)) {
      value.operation.extent(name) = size;
    } else {
      scalars[place] = static_cast<double>(size);
    }
  }
  for (const auto& [place, length] : given.lengths) value.operation.extent(fmt::format("l{}", place)) = length;
  for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
    operation::Scalar& scalar = value.operation.scalars()[i];
    const std::size_t place = std::stoul(signature.scalars[i].name.substr(1));
    const auto number = scalars.find(place);
    scalar.bits = number::from_double(number::format(scalar.format), number == scalars.end() ? 1 : number->second);
  }
  for (const operation::TensorSpec& spec : operation::input_specs(value.operation)) {
    tensor::Tensor tensor(spec.format, spec.shape);
    const std::size_t place = std::stoul(spec.name.substr(1));
    const auto contents = given.contents.find(place);
    const auto everywhere = given.everywhere.find(place);
    if (spec.name.front() == 'z') {
      // It exists for its extent.
    } else if (contents == given.contents.end()) {
      if (everywhere != given.everywhere.end() && everywhere->second != 0) {
        const auto bits = number::from_double(tensor.format(), everywhere->second);
        for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, bits);
      }
    } else {
      const std::int64_t known = std::min<std::int64_t>(tensor.element_count(), std::ssize(contents->second));
      for (std::int64_t i = 0; i < known; ++i) {
        tensor.set(i, number::from_double(tensor.format(), contents->second[static_cast<std::size_t>(i)]));
      }
    }
    value.tensors.emplace(spec.name, std::move(tensor));
  }
  if (probe.treatment == Treatment::InPlace) value.in_place = fmt::format("q{}", probe.outputs.front());
  operation::pack_missing_layouts(value);
  operation::lay_in_place(value);
  return value;
}

Seen::Kind kind_of(const verdict::Failure& failure) {
  const std::string rule(failure.rule.id());
  if (rule == "run.bounds" || rule == "run.shared" || rule == "run.guard" || rule == "run.crash")
    return Seen::Kind::TooShort;
  if (rule == "run.unwritten") return Seen::Kind::Unwritten;
  if (rule == "run.uninitialised") return Seen::Kind::Uninitialised;
  if (rule == "run.launch") return Seen::Kind::Refused;
  if (rule == "run.equal_stores") return Seen::Kind::Ran;  // Without outputs: a watched run that came to its end.
  return Seen::Kind::Failed;
}

}  // namespace

Prober::Prober() : executor_({.place = kernel::Place::Host, .timeout_ms = 2000}) {}

Seen Prober::run(const Probe& probe, const Given& given, bool watched) {
  if (is_over()) return {.why = "there was no time for more runs; --time gives more"};
  const kernel::Kernel* const kernel = kernel::registry().find(probe.kernel, {kernel::Place::Host, watched});
  if (kernel == nullptr) return {.why = probe.kernel + " is not there"};
  const Case value = case_of(*kernel, probe, given);
  if (const base::Status valid = operation::validate(value); !valid) return {.why = valid.error().message};
  const run::Outcome outcome = executor_.run(value, *kernel, kernel->contract);
  if (outcome.failure) return {.kind = kind_of(*outcome.failure), .why = outcome.failure->message};
  if (outcome.status != run::Outcome::Status::Completed) return {.why = outcome.reason};
  Seen result{.kind = Seen::Kind::Ran};
  for (std::size_t i = 0; i < probe.outputs.size() && i < outcome.outputs.size(); ++i) {
    const tensor::Tensor& tensor = outcome.outputs[i];
    std::vector<double>& values = result.outputs[probe.outputs[i]];
    for (std::int64_t at = 0; at < tensor.element_count(); ++at) {
      values.push_back(number::to_double(tensor.format(), tensor.get(at)));
    }
  }
  return result;
}

}  // namespace negzero::measure
