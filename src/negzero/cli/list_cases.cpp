// `negzero list cases KERNEL`.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/campaign/kernel_names.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/cli/executor_choice.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/list_cases.hpp>
#include <negzero/cli/making_cases.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/number/text.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/report/json.hpp>
#include <negzero/report/shapes.hpp>

namespace negzero::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A case as it is drawn, and how `check` looks at it.
struct Drawn {
  std::uint64_t index = 0;
  generate::Plan plan;
  campaign::Looks looks;
  bool again = false;         ///< the first run, where it passes
  bool second_again = false;  ///< the run in the other build, where there is one
};

Drawn drawn_at(std::uint64_t index, const generate::Request& request, std::uint64_t seed,
               const campaign::Request& checked, const campaign::Builds& builds) {
  Drawn drawn{.index = index, .plan = generate::draw(request, seed, index), .looks = {}};
  drawn.looks = campaign::looks_of(checked, builds, &request, index, drawn.plan.operation);
  const auto runs_again = [&](const campaign::Looks::Run& run) {
    return property::runs_again(seed, index, request.contract, run.repeat);
  };
  drawn.again = runs_again(drawn.looks.first);
  drawn.second_again = drawn.looks.second && runs_again(drawn.looks.second->run);
  return drawn;
}

std::string layout_text(const std::string& name, const tensor::Layout& layout) {
  std::string text = fmt::format("{} ({})", name, fmt::join(layout.strides, ","));
  if (layout.offset != 0) text += fmt::format("+{}", layout.offset);
  return text;
}

std::string text_of(const Drawn& drawn) {
  const operation::Operation& operation = drawn.plan.operation;
  std::string text = fmt::format("{:>5}  {:<10}", drawn.index, drawn.plan.strategy);
  for (const operation::Extent& extent : operation::extents_of(operation)) {
    text += fmt::format(" {}={}", extent.name, extent.value);
  }
  if (const std::string without = operation::absent_text(operation.signature()); !without.empty())
    text += " " + without;
  for (std::size_t i = 0; i < operation.scalars().size(); ++i) {
    const operation::Scalar& scalar = operation.scalars()[i];
    text += fmt::format(" {}={}", operation.signature().scalars[i].name,
                        number::to_decimal(number::format(scalar.format), scalar.bits));
  }
  std::vector<std::string> layouts;
  for (const auto& [name, layout] : drawn.plan.layouts) layouts.push_back(layout_text(name, layout));
  text += fmt::format("  strides {}", fmt::join(layouts, " "));
  if (!drawn.plan.in_place.empty()) text += fmt::format(" ({} in place)", drawn.plan.in_place);
  if (!drawn.plan.configuration.empty()) text += fmt::format("  {}", operation::describe(drawn.plan.configuration));
  const campaign::Looks& looks = drawn.looks;
  if (!looks.launches.empty()) text += fmt::format("  and {} launches", operation::launches(looks.launches));
  if (drawn.again) text += "  twice";
  if (looks.first.watched) text += fmt::format("  watched ({})", name(looks.why));
  if (looks.too_large) text += "  too large to watch";
  return text + "\n";
}

Json json_of(const Drawn& drawn) {
  const operation::Operation& operation = drawn.plan.operation;
  Json extents = Json::object(), formats = Json::object(), scalars = Json::object(), layouts = Json::object();
  for (const operation::Extent& extent : operation::extents_of(operation)) {
    extents[std::string(extent.name)] = extent.value;
  }
  const auto named = operation.named_formats();
  for (std::size_t i = 0; i < named.size(); ++i) {
    formats[operation.signature().formats[i]] = number::format(named[i]).name;
  }
  for (std::size_t i = 0; i < operation.scalars().size(); ++i) {
    const operation::Scalar& scalar = operation.scalars()[i];
    scalars[operation.signature().scalars[i].name] = number::to_decimal(number::format(scalar.format), scalar.bits);
  }
  for (const auto& [name, layout] : drawn.plan.layouts) {
    layouts[name] = {{"shape", layout.shape}, {"strides", layout.strides}, {"offset", layout.offset}};
  }
  const campaign::Looks& looks = drawn.looks;
  Json second = nullptr;
  if (looks.second) {
    second = {
        {"when", name(looks.second->when)}, {"watched", looks.second->run.watched}, {"again", drawn.second_again}};
  }
  Json json{{"index", drawn.index},
            {"strategy", drawn.plan.strategy},
            {"extents", extents},
            {"formats", formats},
            {"scalars", scalars},
            {"layouts", layouts},
            {"launches", operation::launches(looks.launches)},
            {"watched", looks.first.watched},
            {"watch_reason", name(looks.why)},
            {"too_large", looks.too_large},
            {"again", drawn.again},
            {"second", second},
            {"blame", name(looks.blame)}};
  if (!drawn.plan.in_place.empty()) json["in_place"] = drawn.plan.in_place;
  if (!drawn.plan.configuration.empty()) json["configuration"] = drawn.plan.configuration;
  return json;
}

/// As `check` chooses it, but that nothing runs here: a GPU is not needed for its cases.
base::Result<kernel::Place> place_of(const std::string& word) {
  if (const auto named = kernel::where_named(word)) return named->place;
  const auto choice = choose_executor(word);
  if (!choice) return choice.error();
  return choice->place;
}

}  // namespace

int list_cases(const ListFlags& flags, const Common& common) {
  if (flags.globs.size() != 1) {
    return fail(base::usage_error("list cases: name one kernel, as in `negzero list cases gemm.naive.f32`"), common);
  }
  const auto place = place_of(flags.executor);
  if (!place) return fail(place.error(), common);
  const auto kernels = campaign::kernels_matching(flags.globs, *place);
  if (!kernels) return fail(kernels.error(), common);
  if (kernels->size() > 1) {
    return fail(base::usage_error(fmt::format("list cases '{}': {} kernels have such a name; give one of them",
                                              flags.globs.front(), kernels->size())),
                common);
  }
  if (kernels->empty()) return kUndecided;
  const kernel::Kernel& kernel = *kernels->front();
  const auto mix = mix_of(flags.making, *kernels);
  if (!mix) return fail(mix.error(), common);
  const generate::Request request{kernel.operation, kernel.limits, kernel.contract, *mix};
  if (const auto valid = generate::validate(request); !valid) {
    return fail(base::usage_error(fmt::format("kernel {}: {}", kernel.name, valid.error().message)), common);
  }
  const std::uint64_t seed = seed_or_another(flags.making.seed);
  const campaign::Request checked{.watch = campaign::watch_named(flags.watch),
                                  .repeat = property::Repeat::Some,
                                  .source = campaign::GeneratedRange{seed, 0, flags.cases, *mix}};
  const campaign::Builds builds = campaign::builds_of(kernel.name, kernel.place);
  if (!common.json) {
    tell(fmt::format("negzero list cases: {}, seed {}, {} executor\n", kernel.name, seed, kernel::name(kernel.place)));
  }
  Json items = Json::array();
  generate::ShapeCounts shapes(request);
  std::uint64_t watched = 0, too_large = 0;
  for (std::uint64_t index = 0; index < flags.cases; ++index) {
    const Drawn drawn = drawn_at(index, request, seed, checked, builds);
    shapes.add(generate::shape_of(drawn.plan.operation, drawn.plan.layouts));
    watched += drawn.looks.first.watched ? 1 : 0;
    too_large += drawn.looks.too_large ? 1 : 0;
    if (flags.shapes) continue;
    if (common.json) {
      items.push_back(json_of(drawn));
    } else if (!print_text(text_of(drawn))) {
      return kInfrastructure;
    }
  }
  if (!common.json) {
    if (!flags.shapes || flags.cases == 0) return kClean;
    const std::string looks = fmt::format("{} watched, {} too large to watch\n", watched, too_large);
    return print_text(report::shapes_text(shapes) + looks) ? kClean : kInfrastructure;
  }
  Json document{{"version", report::kJsonVersion},
                {"kernel", kernel.name},
                {"executor", kernel::name(kernel.place)},
                {"seed", seed}};
  if (flags.cases > 0) document["shapes"] = report::shapes_json(shapes);
  if (!flags.shapes) document["cases"] = std::move(items);
  return print_document(document.dump(2) + "\n") ? kClean : kInfrastructure;
}

}  // namespace negzero::cli
