// The counterexample of a kernel.

#include <negzero/property/conformance.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/property/distance_hint.hpp>
#include <negzero/property/value_hint.hpp>

namespace negzero::property {

std::string counterexample(const kernel::Kernel& kernel, const operation::Case& value, const verdict::Failure& failure,
                           const std::string& replay) {
  judgement::Subject subject{kernel.name, kernel.about};
  if (kernel.limits.formats.empty()) {
    subject.hints.emplace_back("the kernel's limits name no formats, so cases of every format are made for it");
  }
  if (auto hint = value_hint(value, failure, kernel.limits, declared_by(kernel)))
    subject.hints.push_back(*std::move(hint));
  if (auto hint = distance_hint(value, declared_by(kernel))) subject.hints.push_back(*std::move(hint));
  const auto contract = contract_of(value, kernel);
  if (value.operation.signature().is_declared) subject.held = kernel::declared_text(kernel);
  return judgement::counterexample(subject, value, contract ? &*contract : nullptr, failure, replay);
}

}  // namespace negzero::property
