// `negzero new`: a declaration of a CUDA file's kernels to begin with.

#include <filesystem>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/report/json.hpp>
#include <negzero/source/extension_text.hpp>
#include <negzero/source/proposal.hpp>

namespace negzero::cli {

int new_declaration(const NewFlags& flags, const Common& common) {
  const auto text = source::read_source(flags.file);
  if (!text) return fail(text.error(), common);
  const auto proposal = source::propose(*text, flags.file, flags.kernel);
  if (!proposal) return fail(proposal.error(), common);
  const std::string path =
      flags.output.empty() ? std::filesystem::path(flags.file).replace_extension(".nz").string() : flags.output;
  std::error_code code;
  if (std::filesystem::exists(path, code) && !flags.force) {
    return fail(
        base::usage_error(fmt::format("{} is there already; --force writes over it, --output names another", path)),
        common);
  }
  const auto written = files::write_file_atomically(path, std::as_bytes(std::span(proposal->text)));
  if (!written) return fail(written.error(), common);
  if (common.json) {
    const nlohmann::ordered_json document{{"version", report::kJsonVersion},
                                          {"file", path},
                                          {"kernels", proposal->names},
                                          {"declared", proposal->kernels},
                                          {"questions", proposal->questions}};
    return print_document(document.dump(2) + "\n") ? kClean : kInfrastructure;
  }
  const std::string next = proposal->questions == 0
                               ? fmt::format("negzero check {}", flags.file)
                               : fmt::format("fill in {} question{}, each a ???, then: negzero check {}",
                                             proposal->questions, proposal->questions == 1 ? "" : "s", flags.file);
  return print_text(
             fmt::format("{}: {} kernel{}\n{}\n", path, proposal->kernels, proposal->kernels == 1 ? "" : "s", next))
             ? kClean
             : kInfrastructure;
}

}  // namespace negzero::cli
