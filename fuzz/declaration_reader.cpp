// Fuzzes the reader of declarations (.nz), and all that follows from one before anything is compiled: glue, limits, and
// what is printed of them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <negzero/contract/contract.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/source/declaration.hpp>
#include <negzero/source/flags.hpp>
#include <negzero/source/glue.hpp>

#include "require.hpp"

namespace {

using namespace negzero;

constexpr const char* kFile = "x.nz";

/// Whether there is a result; requires that an error says something.
template <typename Result>
bool is_made(const Result& result) {
  if (result) return true;
  fuzz::require(!result.error().message.empty(), "an error says something");
  return false;
}

/// What programs declare of the kernels that a text declares.
std::string declared_by(const source::Declarations& declarations) {
  std::string entries;
  for (const source::Declaration& each : declarations.kernels) entries += (entries.empty() ? "" : ",") + each.json;
  return R"({"version":1,"kernels":[)" + entries + "]}";
}

void check_registered(const source::Declarations& declarations) {
  kernel::Registry registry;
  const kernel::KernelSource source{.program = {"a"}, .declarations = declared_by(declarations), .named = {}};
  if (!is_made(kernel::declare(source, registry))) return;
  for (const kernel::Kernel* const each : registry.all()) {
    fuzz::require(!operation::describe(each->limits, each->operation).empty(), "limits have words");
    fuzz::require(!kernel::declared_text(*each).empty(), "what is declared has words");
  }
  kernel::KernelSource again{.program = {"a"}, .declarations = kernel::declarations(registry, {"a"}), .named = {}};
  kernel::Registry copy;
  fuzz::require(is_made(kernel::declare(again, copy)), "what is declared can be read");
  fuzz::require(copy.all().size() == registry.all().size(), "all kernels are declared again");
  fuzz::require(kernel::declarations(copy, {"a"}) == kernel::declarations(registry, {"a"}) || !copy.errors().empty() ||
                    !registry.errors().empty(),
                "a declaration has one form");
}

void check(std::string_view text) {
  const auto read = source::read_declarations(text, kFile);
  if (!is_made(read)) return;
  (void)is_made(source::host_flags(read->flags, {"/nowhere"}));
  for (const source::Declaration& each : read->kernels) {
    fuzz::require(!each.kernel.empty() && each.line > 0 && !each.launch.text.empty(), "a kernel has a place");
    fuzz::require(operation::find_signature(each.operation) != nullptr, "an operation is known");
  }
  for (const bool is_for_gpu : {false, true}) (void)is_made(source::glue_for({}, kFile, read->kernels, is_for_gpu));
  check_registered(*read);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text);
  check(source::declaration_lines(text));
  // Each input is read as in a process of its own, and no line is one too many.
  operation::forget_declared();
  return 0;
}
