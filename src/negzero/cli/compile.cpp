// `negzero compile`: kernels of a CUDA file as an object, for other programs to serve.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/kernel_program.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/device/probe.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

int compile(const CompileFlags& flags, const Common& common) {
  // For the GPU that is here, as `check` does.
  const auto program = compiled(flags.file, flags.declaration, device::probe().usable(), common.compiler_flags);
  if (!program) return fail(program.error(), common);
  if (const auto written = source::write_object(*program, flags.output); !written) return fail(written.error(), common);
  if (!flags.rule.empty()) {
    if (const auto written = source::write_rule(*program, flags.output, flags.rule); !written) {
      return fail(written.error(), common);
    }
  }
  if (!common.json) return kClean;
  const nlohmann::ordered_json document{{"version", report::kJsonVersion}, {"object", flags.output},
                                        {"read", program->read},           {"left_out", program->left_out},
                                        {"missing", program->missing},     {"notes", program->notes}};
  return print_document(document.dump(2) + "\n") ? kClean : kInfrastructure;
}

}  // namespace negzero::cli
