// Counts of shapes as JSON, as text and as a table.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/report/document_parts.hpp>
#include <negzero/report/shapes.hpp>

namespace negzero::report {

namespace {

using Json = nlohmann::ordered_json;
using generate::ShapeCounts;

/// What a number of tiles is called: in JSON, and at the head of a column.
constexpr const char* kKeys[] = {"below_one", "one", "two", "three", "more"};
constexpr const char* kHeads[] = {"below one", "one", "two", "three", "more"};

std::string distinct_text(const ShapeCounts& shapes) {
  const bool is_cut = shapes.distinct() == ShapeCounts::kMostDistinct;
  return fmt::format("{}{}", is_cut ? "at least " : "", plural(shapes.distinct(), "shape"));
}

/// Why no other shape than the least is drawn; empty where others are.
std::string only_least_text(const ShapeCounts& shapes) {
  if (shapes.only_least() == 0) return "";
  return fmt::format(
      ": its least case has {} products or elements, and none larger is drawn; name others with --extents",
      shapes.only_least());
}

}  // namespace

std::string shape_text(const std::vector<std::string>& names, const std::vector<std::int64_t>& extents) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i) parts.push_back(fmt::format("{}={}", names[i], extents[i]));
  return fmt::format("{}", fmt::join(parts, " "));
}

Json shapes_json(const ShapeCounts& shapes) {
  const auto [extents, cases] = shapes.commonest();
  Json commonest = Json::object(), tiles = Json::object();
  for (std::size_t i = 0; i < extents.size(); ++i) commonest[shapes.extents()[i]] = extents[i];
  for (const generate::TileCounts& each : shapes.tiles()) {
    Json& counts = tiles[each.extent] = {{"tile", each.tile}};
    for (std::size_t i = 0; i < each.cases.size(); ++i) counts[kKeys[i]] = each.cases[i];
  }
  return {{"cases", shapes.cases()},
          {"distinct", shapes.distinct()},
          {"commonest", {{"extents", std::move(commonest)}, {"cases", cases}}},
          {"tiles", std::move(tiles)},
          {"longest_row", shapes.longest_row()},
          {"largest_offset", shapes.largest_offset()},
          {"past_2_31", shapes.past_int()},
          {"collapsed", shapes.is_collapsed()}};
}

std::string shapes_text(const ShapeCounts& shapes) {
  const auto [extents, cases] = shapes.commonest();
  std::string text =
      fmt::format("{}, {}; {} have {}{}\n", plural(shapes.cases(), "case"), distinct_text(shapes),
                  percent(cases, shapes.cases()), shape_text(shapes.extents(), extents), only_least_text(shapes));
  std::size_t width = std::string_view("tiles").size();
  for (const generate::TileCounts& each : shapes.tiles()) width = std::max(width, each.extent.size());
  text += fmt::format("{:<{}} {:>6}", "tiles", width, "of");
  for (const char* const head : kHeads) text += fmt::format(" {:>9}", head);
  text += "\n";
  for (const generate::TileCounts& each : shapes.tiles()) {
    text += fmt::format("{:<{}} {:>6}", each.extent, width, each.tile);
    for (const std::uint64_t count : each.cases) text += fmt::format(" {:>9}", count);
    text += "\n";
  }
  return text + fmt::format("longest row {}, largest offset {}, {} past 2^31\n", shapes.longest_row(),
                            shapes.largest_offset(), plural(shapes.past_int(), "case"));
}

std::string collapsed_text(const std::vector<campaign::KernelReport>& kernels) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<const campaign::KernelReport*> collapsed;
  for (const campaign::KernelReport& kernel : kernels) {
    if (kernel.shapes.is_collapsed()) collapsed.push_back(&kernel);
  }
  if (collapsed.empty()) return "";
  if (collapsed.size() == 1) {
    const ShapeCounts& shapes = collapsed.front()->shapes;
    const auto [extents, cases] = shapes.commonest();
    return fmt::format(", {} of the cases of {} have one shape ({}){}", percent(cases, shapes.cases()),
                       collapsed.front()->name, shape_text(shapes.extents(), extents), only_least_text(shapes));
  }
  std::vector<std::string> names;
  for (const auto* const kernel : collapsed) {
    if (names.size() < kMostNamed) names.push_back(kernel->name);
  }
  if (collapsed.size() > kMostNamed) names.emplace_back("...");
  const auto has_no_room = [](const campaign::KernelReport* each) { return !only_least_text(each->shapes).empty(); };
  const bool is_work = std::ranges::all_of(collapsed, has_no_room);
  return fmt::format(", {} have one shape in 90 % of their cases or more ({}){}", plural(collapsed.size(), "kernel"),
                     fmt::join(names, ", "), is_work ? ": their least cases are above the bound of work" : "");
}

Table shapes_table(const std::vector<KernelEntry>& kernels) {
  Table table{.title = "Shapes",
              .about =
                  "Different shapes among a kernel's cases, the share of the commonest, the longest row along which "
                  "terms are combined or elements lie, the largest offset of an element in its memory, and the cases "
                  "with one past 2^31.",
              .head = {"kernel", "shapes", "commonest", "its share", "longest row", "largest offset", "past 2^31"}};
  for (const KernelEntry& kernel : kernels) {
    if (!kernel.checked || kernel.checked->shapes.cases() == 0) continue;
    const ShapeCounts& shapes = kernel.checked->shapes;
    const auto [extents, cases] = shapes.commonest();
    table.rows.push_back({kernel.name, std::to_string(shapes.distinct()), shape_text(shapes.extents(), extents),
                          percent(cases, shapes.cases()), std::to_string(shapes.longest_row()),
                          std::to_string(shapes.largest_offset()), std::to_string(shapes.past_int())});
  }
  return table;
}

}  // namespace negzero::report
