// Adversarial cases for other languages.

#include <string_view>
#include <vector>

#include <negzero/c/drawing.hpp>
#include <negzero/c/request.hpp>
#include <negzero/generate/generate.hpp>

namespace negzero::c {

base::Result<operation::Case> drawn(std::string_view options) {
  std::vector<std::string_view> known(request_keys().begin(), request_keys().end());
  known.emplace_back("index");
  const auto parsed = parse_options(options, known);
  if (!parsed) return parsed.error();
  const auto wanted = c::wanted(*parsed);
  if (!wanted) return wanted.error();
  std::uint64_t index = 0;
  if (parsed->contains("index")) {
    const auto given = large_number("index", (*parsed)["index"]);
    if (!given) return given.error();
    index = *given;
  }
  operation::Case value = generate::make_case(wanted->request, wanted->seed, index);
  if (wanted->has_contract) {
    value.contract = contract::to_json(wanted->request.contract);
    value.contract_version = contract::kVersion;
  }
  return value;
}

}  // namespace negzero::c
