// The registry of kernels: what may be added, and how names are found, matched and suggested.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/glob.hpp>
#include <negzero/base/nearest.hpp>
#include <negzero/formula/formula.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::kernel {
namespace {

/// Letters, digits and underscores in parts with dots between them, no part empty.
bool is_valid_name(std::string_view name) {
  char before = '.';
  for (const char c : name) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (!word && (c != '.' || before == '.')) return false;
    before = c;
  }
  return before != '.';
}

bool by_name(const Kernel* a, const Kernel* b) { return a->name < b->name; }

/// Why an accumulator cannot add what a kernel of defined sums takes: integers and floats do not mix (numerics.md 2c).
/// Empty: nothing, as far as the kernel names its formats.
std::string mixture_in(const Kernel& kernel) {
  const notation::Signature& signature = *operation::find_signature(kernel.operation);
  const auto adds = [](const auto& output) { return output.combine && !notation::selects(*output.combine); };
  if (signature.is_declared || std::ranges::none_of(signature.outputs, adds)) return "";
  const number::Format& accumulator = number::format(kernel.contract.accumulate);
  operation::Operation operation = *operation::operation_named(kernel.operation);
  for (const auto& formats : kernel.limits.formats) {
    operation.set_formats(formats);
    const auto differs = [&](std::size_t tensor) {
      return number::format(operation.format_of(tensor)).is_integer() != accumulator.is_integer();
    };
    if (std::ranges::none_of(signature.factors, differs)) continue;
    return fmt::format("contract: accumulate \"{}\" does not fit {} of {}: integers and floats do not mix; {}",
                       accumulator.name, signature.name, operation::formats_text(formats, signature),
                       accumulator.is_integer() ? "declare a floating-point accumulator"
                                                : "declare accumulate I32 (in a .nz: contract accumulate=I32)");
  }
  return "";
}

/// The first name in a kernel's depth that neither an extent nor an option has; empty: there is none.
std::string unknown_in_depth(const Kernel& kernel) {
  const auto depth = formula::Formula::parse(kernel.contract.depth.formula);
  if (!depth) return "";
  const notation::Signature& signature = *operation::find_signature(kernel.operation);
  std::vector<std::string> options;
  for (const auto& [name, values] : kernel.limits.configuration) options.push_back(name);
  for (const std::string& name : depth->names()) {
    if (signature.find_extent(name) || std::ranges::find(options, name) != options.end()) continue;
    return fmt::format(
        "contract: depth \"{}\" names {}, which is neither an extent of {} ({}) nor an option of its "
        "launch ({})",
        depth->to_string(), name, signature.name, fmt::join(signature.extents, ", "),
        options.empty() ? "it has none" : fmt::format("{}", fmt::join(options, ", ")));
  }
  return "";
}

/// What keeps a kernel out of the registry, whatever else is there; empty: nothing.
std::string mistake_in(const Kernel& kernel) {
  if (!is_valid_name(kernel.name)) return "a name is made of letters, digits and _, in parts joined by dots";
  if (const auto known = operation::signature_of(kernel.operation); !known) return known.error().message;
  if (const auto valid = contract::validate(kernel.contract); !valid) return valid.error().message;
  if (const auto valid = operation::validate(kernel.limits, kernel.operation); !valid) return valid.error().message;
  const auto& signature = *operation::find_signature(kernel.operation);
  if (const auto valid = validate(kernel.reference, signature); !valid) return valid.error().message;
  if (kernel.reference.kernel == kernel.name) return "it is its own reference, which shows nothing";
  std::string unknown = unknown_in_depth(kernel);
  return unknown.empty() ? mixture_in(kernel) : unknown;
}

/// What people call the source of a kernel.
std::string program_name(const Kernel& kernel) {
  return kernel.build.program.empty() ? "this program" : fmt::format("{}", fmt::join(kernel.build.program, " "));
}

}  // namespace

bool Registry::add(Kernel kernel, const char* file, int line) {
  std::string wrong = mistake_in(kernel);
  if (wrong.empty() && !kernel.launch) wrong = "launch is empty";
  if (wrong.empty() && find(kernel.name, kernel.where()) != nullptr) wrong = "registered twice; the first one is kept";
  // The builds of a file are started in different folders, which shows in its path.
  std::string_view path = file;
  while (path.starts_with("../")) path.remove_prefix(3);
  if (wrong.empty()) {
    kernel.operation = operation::find_signature(kernel.operation)->identity();
    kernel.file = path;
    kernel.line = line;
    kernels_.push_back(std::make_unique<Kernel>(std::move(kernel)));
    return true;
  }
  const std::string what = ": kernel '" + kernel.name + "': " + wrong;
  const auto same = [&](const std::string& error) { return error.ends_with(what); };
  if (std::ranges::none_of(errors_, same)) {
    errors_.push_back(std::string(path) + ":" + std::to_string(line) + what);
  }
  return true;
}

void Registry::declare(Kernel kernel) {
  const std::string wrong = mistake_in(kernel);
  if (!wrong.empty()) return note_error("kernel '" + kernel.name + "': " + wrong);
  kernel.operation = operation::find_signature(kernel.operation)->identity();
  // All builds of a name are of one program: a plain one and a watched one of two programs are two kernels.
  const auto known = std::ranges::find_if(kernels_, [&](const auto& each) { return each->name == kernel.name; });
  if (known != kernels_.end() && (*known)->build.program != kernel.build.program) {
    return note_error(fmt::format("kernel '{}' is in {} and in {}; give one of them another name", kernel.name,
                                  program_name(**known), program_name(kernel)));
  }
  if (find(kernel.name, kernel.where()) == nullptr) kernels_.push_back(std::make_unique<Kernel>(std::move(kernel)));
}

bool Kernel::takes(const operation::Case& value) const {
  return !operation::outside(limits, value) && (!admits || admits(value));
}

base::Status Registry::narrow(std::string_view name, const operation::ByName<operation::ValueRange>& values) {
  for (const auto& kernel : kernels_) {
    if (kernel->name != name) continue;
    operation::Limits limits = kernel->limits;
    const notation::Signature& signature = *operation::find_signature(kernel->operation);
    for (const auto& [of, range] : values) {
      const auto is_it = [&of = of](const notation::ScalarSignature& scalar) { return scalar.name == of; };
      if (std::ranges::any_of(signature.scalars, is_it)) {
        operation::ScalarRange& said = limits.scalars[of];
        said = {std::max(said.least, range.least), std::min(said.greatest, range.greatest)};
      } else {
        const operation::ValueRange* const said = kernel->limits.values.find(of);
        limits.values[of] = said != nullptr ? operation::intersection(*said, range) : range;
      }
    }
    if (const auto valid = operation::validate(limits, kernel->operation); !valid) return valid.error();
    kernel->limits = std::move(limits);
  }
  return base::Ok{};
}

void Registry::leave_out(const std::string& name, const std::string& why) {
  for (const auto& kernel : kernels_) {
    if (kernel->name != name) continue;
    const std::string place = kernel->file.empty() ? "" : fmt::format("{}:{}: ", kernel->file, kernel->line);
    note_error(fmt::format("{}kernel '{}': {}", place, name, why));
  }
  std::erase_if(kernels_, [&](const auto& kernel) { return kernel->name == name; });
}

void Registry::note_error(std::string error) {
  if (std::ranges::find(errors_, error) == errors_.end()) errors_.push_back(std::move(error));
}

bool Registry::note_absent(AbsentFile absent) {
  if (std::ranges::find(absent_, absent) == absent_.end()) absent_.push_back(std::move(absent));
  return true;
}

const Kernel* Registry::find(std::string_view name, Where where) const {
  const auto found = std::ranges::find_if(
      kernels_, [&](const auto& kernel) { return kernel->where() == where && kernel->name == name; });
  return found == kernels_.end() ? nullptr : found->get();
}

const Kernel* Registry::find_anywhere(std::string_view name) const {
  for (const Where where : kWheres) {
    if (const Kernel* const found = find(name, where)) return found;
  }
  return nullptr;
}

std::vector<const Kernel*> Registry::match(std::span<const std::string> globs, Where where) const {
  std::vector<const Kernel*> result;
  std::set<std::string_view> references;
  for (const auto& kernel : kernels_) references.insert(kernel->reference.kernel);
  const auto is_usual = [&](const Kernel& kernel) {
    return !kernel.is_faulty() && (kernel.reference.exists() || !references.contains(kernel.name));
  };
  for (const auto& kernel : kernels_) {
    const bool wanted = globs.empty() ? is_usual(*kernel) : std::ranges::any_of(globs, [&](const std::string& glob) {
      return base::matches_glob(glob, kernel->name);
    });
    if (wanted && kernel->where() == where) result.push_back(kernel.get());
  }
  std::ranges::sort(result, by_name);
  return result;
}

std::vector<const Kernel*> Registry::all() const {
  std::vector<const Kernel*> result;
  for (const auto& kernel : kernels_) result.push_back(kernel.get());
  return result;
}

std::vector<std::vector<std::string>> Registry::programs() const {
  std::vector<std::vector<std::string>> result;
  for (const auto& kernel : kernels_) {
    const auto& program = kernel->build.program;
    if (std::ranges::find(result, program) == result.end()) result.push_back(program);
  }
  return result;
}

std::vector<std::string> Registry::closest(std::string_view name, Where where) const {
  constexpr std::size_t kMostSuggestions = 3;
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const auto& kernel : kernels_) {
    if (kernel->where() != where) continue;
    if (const auto distance = base::distance_to_known(name, kernel->name)) ranked.emplace_back(*distance, kernel->name);
  }
  std::ranges::sort(ranked);
  std::vector<std::string> result;
  for (auto& [distance, text] : ranked) {
    if (result.size() < kMostSuggestions) result.push_back(std::move(text));
  }
  return result;
}

std::string declared_text(const Kernel& kernel) {
  const notation::Signature* const signature = operation::find_signature(kernel.operation);
  if (signature == nullptr || !signature->is_declared) return contract::describe(kernel.contract);
  std::string text = kernel.reference.exists() ? describe(kernel.reference, *signature) : "values not judged";
  const contract::Contract& claims = kernel.contract;
  if (claims.determinism != contract::Determinism::NotGuaranteed) text += ", deterministic";
  if (claims.position_invariant) text += ", position_invariant";
  return text;
}

Registry& registry() {
  // Local, because static initialisers of kernel files run in any order, and never destroyed, because they are
  // destroyed in any order too.
  static Registry* const instance = new Registry;
  return *instance;
}

}  // namespace negzero::kernel
