// `negzero explain`.

#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <negzero/case_file/case_file.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/held_to.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/judgement/explanation.hpp>
#include <negzero/judgement/observed.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

int explain(const ExplainFlags& flags, const Common& common) {
  const auto value = case_file::load(flags.path);
  if (!value) return fail(value.error(), common);
  std::optional<files::Archive> archive;
  if (!flags.observed.empty()) {
    auto loaded = load_observed(flags.observed);
    if (!loaded) return fail(loaded.error(), common);
    archive = *std::move(loaded);
  }
  const auto contract =
      contract_held_to(flags.contract, flags.path, *value, flags.observed, archive ? &*archive : nullptr);
  if (!contract) return fail(contract.error(), common);
  std::vector<tensor::Tensor> observed;
  if (archive) {
    auto outputs = judgement::outputs_of(*value, *std::move(archive));
    if (!outputs) return fail(named(flags.observed, outputs.error()), common);
    observed = *std::move(outputs);
  }
  std::optional<oracle::OutputElement> place;
  if (!flags.element.empty()) {
    const auto asked = judgement::element_named(*value, flags.element);
    if (!asked) return fail(asked.error(), common);
    place = *asked;
  }
  const auto explanation = judgement::explain(*value, contract->contract, place, observed);
  if (!explanation) return fail(named(flags.path, explanation.error()), common);
  if (!common.json) return print_text(text_of(*explanation, *value, contract->contract)) ? kClean : kInfrastructure;
  nlohmann::ordered_json document{{"version", report::kJsonVersion}};
  document.update(json_of(*explanation, *value, contract->contract));
  return print_document(report::dump(document)) ? kClean : kInfrastructure;
}

}  // namespace negzero::cli
