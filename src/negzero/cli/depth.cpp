// `negzero depth`.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/campaign/executors.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/numbers.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/order/kernel_source.hpp>
#include <negzero/order/other_shapes.hpp>
#include <negzero/order/text.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

namespace {

using Json = nlohmann::ordered_json;

/// The parts of a list that commas separate.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

base::Result<std::int64_t> extent_of(const std::string& text) {
  const auto number = parse_number(text, 1, static_cast<std::uint64_t>(tensor::kMaxElements));
  if (!number) return number.error();
  return static_cast<std::int64_t>(*number);
}

base::Result<order::Asked> asked(const DepthFlags& flags) {
  order::Asked result;
  for (const std::string& part : parts_of(flags.extents)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      return base::usage_error(fmt::format("--extents {}: write NAME=VALUE, as in m=64", part));
    }
    const auto value = extent_of(part.substr(equals + 1));
    if (!value) return base::usage_error(fmt::format("--extents {}: {}", part, value.error().message));
    if (!result.extents.emplace(part.substr(0, equals), *value).second) {
      return base::usage_error(fmt::format("--extents {}: this extent is given twice; leave one out", part));
    }
  }
  for (const std::string& part : parts_of(flags.lengths)) {
    const auto value = extent_of(part);
    if (!value) return base::usage_error(fmt::format("--lengths {}: {}", part, value.error().message));
    result.lengths.push_back(*value);
  }
  for (const std::string& part : parts_of(flags.formats)) {
    const auto format = number::parse_format(part);
    if (!format) {
      return base::usage_error(fmt::format("--formats {}: no such format; `negzero list formats` has them", part));
    }
    result.formats.push_back(*format);
  }
  return result;
}

/// What became of one kernel: its order, with texts, or an error.
struct Surveyed {
  std::string text{};
  Json json{};
  bool is_whole = false;  ///< a tree was found at each length
};

base::Result<Surveyed> surveyed(const kernel::Kernel& kernel, const order::Asked& asked, bool with_trees,
                                const campaign::EvaluationOptions& options, const std::function<bool()>& stop) {
  campaign::Executors executors(options.gpus.empty() ? 0 : options.gpus.front(), options.in_process);
  executors.set_timeout(options.timeout_ms);
  const auto executor = executors.of(kernel);
  if (!executor) return executor.error();
  auto cases = order::KernelCases::make(kernel, asked);
  if (!cases) return cases.error();
  order::KernelSource source(*std::move(cases), kernel, **executor, stop);
  const order::KernelCases& shapes = source.cases();
  auto found = order::survey(source, shapes.lengths(), shapes.length_name(), shapes.longer());
  if (!found) return found.error();
  auto others = order::in_other_shapes(kernel, **executor, asked, *found, stop);
  if (!others) return others.error();
  found->others = *std::move(others);
  order::Subject subject{*found, fmt::format("{} on {}", kernel.name, kernel::name(kernel.where())), {}, with_trees};
  for (const std::int64_t length : shapes.lengths()) subject.shapes.push_back(shapes.shape_text(length));
  Json json{{"kernel", kernel.name}, {"executor", kernel::name(kernel.where())}};
  json.update(order::json_of(subject));
  json.erase("name");
  const bool is_whole =
      std::ranges::all_of(found->lengths, [](const order::AtLength& at) { return at.found.tree.has_value(); });
  return Surveyed{order::text_of(subject), std::move(json), is_whole};
}

}  // namespace

int depth(const DepthFlags& flags, const Common& common) {
  const auto wanted = asked(flags);
  if (!wanted) return fail(wanted.error(), common);
  if (flags.kernels.empty()) {
    return fail(base::usage_error("name a kernel, as in `negzero depth gemm.naive.f32`, or FILE.cu"), common);
  }
  const auto options = evaluation_options(flags.running);
  if (!options) return fail(options.error(), common);
  const auto kernels = campaign::kernels_matching(flags.kernels, options->place);
  if (!kernels) return fail(kernels.error(), common);
  const auto stop = watch_interrupts();
  Json all = Json::array();
  Outcome outcome;
  bool has_some = false, has_whole = false;
  base::Error without = base::usage_error("");
  for (const kernel::Kernel* const kernel : *kernels) {
    const auto found = surveyed(*kernel, *wanted, flags.tree, *options, stop);
    if (!found && (kernels->size() == 1 || found.error().kind == base::ErrorKind::Interrupted)) {
      return fail(found.error(), common);
    }
    if (!found) {
      // Of several kernels some have no sum; that is no mistake of the user's.
      complain(found.error());
      if (found.error().kind == base::ErrorKind::Usage)
        without = found.error();
      else
        outcome.add(found.error().kind);
      continue;
    }
    has_whole = has_whole || found->is_whole;
    if (!common.json && !print_text((has_some ? "\n" : "") + found->text)) return kInfrastructure;
    all.push_back(found->json);
    has_some = true;
  }
  if (!has_some && !without.message.empty()) return exit_code(without.kind);
  if (common.json) {
    const Json document{{"version", report::kJsonVersion}, {"kernels", std::move(all)}};
    if (!print_document(report::dump(document))) return kInfrastructure;
  }
  outcome.undecided = outcome.undecided || !has_whole;
  return outcome.code();
}

}  // namespace negzero::cli
