// The cases of a request, made where they are needed: in the examiner that looks at them, and in the campaign that
// keeps one.

#include <exception>
#include <span>
#include <utility>

#include <negzero/base/random.hpp>
#include <negzero/campaign/requested_cases.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/mutate/mutate.hpp>

namespace negzero::campaign {

namespace {

base::Result<operation::Case> parsed(const std::string& file) {
  return case_file::parse(std::as_bytes(std::span(file.data(), file.size())));
}

}  // namespace

std::string file_of(operation::Case value) {
  value.kernel.clear();
  value.contract.clear();
  const std::vector<std::byte> file = case_file::write(value);
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

RequestedCases::RequestedCases(const Request& request, const kernel::Kernel& kernel)
    : request_(request), wanted_{kernel.operation, kernel.limits, kernel.contract} {
  if (const GeneratedRange* const range = range_of(request)) wanted_.mix = range->mix;
  const auto* const changed = std::get_if<ChangedRange>(&request.source);
  if (changed == nullptr) return;
  for (const std::string& file : changed->parents) {
    auto value = parsed(file);
    if (value && operation::is_of(value->operation, kernel.operation)) parents_.push_back(*std::move(value));
  }
}

const generate::Request* RequestedCases::drawn_for() const {
  return std::holds_alternative<GeneratedRange>(request_.source) ? &wanted_ : nullptr;
}

base::Result<operation::Case> RequestedCases::at(std::uint64_t number) const try {
  const GeneratedRange* const range = range_of(request_);
  if (range == nullptr) return parsed(std::get<WholeCases>(request_.source)[number]);
  const std::uint64_t index = range->begin + number;
  if (std::holds_alternative<GeneratedRange>(request_.source)) return generate::make_case(wanted_, range->seed, index);
  if (parents_.empty()) return base::usage_error("none of the parents is a case of the kernel's operation");
  base::Random random = base::Random(range->seed).split(index);
  const operation::Case& parent = parents_[random.below(parents_.size())];
  operation::Case child = parents_.size() == 1 || !random.one_in(kCrossedOneIn)
                              ? mutate::mutate(wanted_, parent, random)
                              : mutate::cross(wanted_, parent, parents_[random.below(parents_.size())], random);
  if (wanted_.mix.finite) generate::make_finite(child, wanted_.limits);
  return child;
} catch (const std::exception& exception) {
  return base::infrastructure_error(exception.what());
}

}  // namespace negzero::campaign
