// `negzero judge`.

#include <algorithm>
#include <thread>

#include <nlohmann/json.hpp>

#include <negzero/case_file/case_file.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/held_to.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/judgement/judgement.hpp>
#include <negzero/judgement/observed.hpp>
#include <negzero/judgement/words.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

int judge(const JudgeFlags& flags, const Common& common) {
  const auto value = case_file::load(flags.path);
  if (!value) return fail(value.error(), common);
  auto archive = load_observed(flags.observed);
  if (!archive) return fail(archive.error(), common);
  const auto contract = contract_held_to(flags.contract, flags.path, *value, flags.observed, &*archive);
  if (!contract) return fail(contract.error(), common);
  const auto outputs = judgement::outputs_of(*value, *std::move(archive));
  if (!outputs) return fail(named(flags.observed, outputs.error()), common);

  judgement::Options options;
  options.all = flags.elements == "all";
  options.seconds = static_cast<double>(flags.time_ms) / 1000;
  options.seed = flags.seed;
  options.threads = flags.jobs != 0 ? flags.jobs : std::max(1u, std::thread::hardware_concurrency());
  const auto judged = judgement::judge(*value, contract->contract, *outputs, options);
  if (!judged) return fail(judged.error(), common);
  if (!flags.sets.empty()) {
    const auto sets = judgement::permitted_sets(*value, contract->contract, options.threads);
    if (!sets) return fail(sets.error(), common);
    const auto written = files::write_file_atomically(flags.sets, files::write_safetensors(*sets));
    if (!written) return fail(written.error(), common);
  }
  const judgement::Subjects subjects{*value, contract->contract, contract->text};
  if (common.json) {
    nlohmann::ordered_json document{{"version", report::kJsonVersion}};
    document.update(judgement::json_of(*judged, subjects));
    if (!print_document(report::dump(document))) return kInfrastructure;
  } else if (!print_text(judgement::text_of(*judged, subjects))) {
    return kInfrastructure;
  }
  switch (judged->kind) {
    case judgement::Kind::Pass:
      return kClean;
    case judgement::Kind::Fail:
      return kFinding;
    case judgement::Kind::Vacuous:
    case judgement::Kind::Undecided:
      break;
  }
  return kUndecided;
}

}  // namespace negzero::cli
