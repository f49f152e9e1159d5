// A comparison of two kernels as lines for a person and as a JSON document.

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/base/printable.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/report/comparison.hpp>
#include <negzero/report/json.hpp>

namespace negzero::report {

std::string heading_of(const campaign::CompareReport& report, verdict::Rule rule) {
  if (rule == property::kBothPermitted) return "differ, and both contracts permit it";
  if (rule == property::kFirstWrong) return fmt::format("{} is wrong", report.first);
  if (rule == property::kSecondWrong) return fmt::format("{} is wrong", report.second);
  if (rule == property::kBothWrong) return "both are wrong";
  return fmt::format("a worker ended, with neither of them alone ({})", rule.id());
}

std::string difference_text(const campaign::CompareReport& report, const campaign::DifferenceFound& difference,
                            const std::string& command) {
  std::string text = fmt::format("\n{}, {}:\n{}\n", heading_of(report, difference.failure.rule),
                                 difference.cut.empty() ? "shrunk" : difference.cut + ", so there may be smaller cases",
                                 difference.case_text);
  if (difference.failure.element >= 0) {
    text += fmt::format("  {:<40} {}\n  {:<40} {}\n", report.first, difference.failure.observed_text, report.second,
                        difference.failure.permitted_text);
  }
  text += fmt::format("  {}\n", base::one_line(difference.failure.message));
  if (!difference.case_path.empty())
    text += fmt::format("  show it with   {} show {}\n", command, campaign::shell_word(difference.case_path));
  return text;
}

std::string compare_text(const campaign::CompareReport& report, const std::string& command) {
  std::string text = fmt::format("{} against {}: {} cases, seed {}, {:.1f} s\n", report.first, report.second,
                                 report.cases, report.seed, static_cast<double>(report.elapsed_ms) / 1000);
  const auto line = [&](std::uint64_t cases, std::string_view what) {
    if (cases > 0) text += fmt::format("  {:>8}  {}\n", cases, what);
  };
  text += fmt::format("  {:>8}  bit-identical\n", report.identical);
  for (const campaign::DifferenceFound& difference : report.differences) {
    line(difference.cases, heading_of(report, difference.failure.rule));
  }
  line(report.refused, fmt::format("outside the limits of one of them ({})", base::one_line(report.refusal)));
  line(report.error, "not decided: errors, see above");
  if (report.identical + report.differing() == 0) text += "nothing was compared\n";
  for (const campaign::DifferenceFound& difference : report.differences) {
    text += difference_text(report, difference, command);
  }
  if (report.interrupted) text += "\ninterrupted: what follows was not compared\n";
  return text;
}

std::string compare_json(const campaign::CompareReport& report) {
  using Json = nlohmann::ordered_json;
  Json differences = Json::array(), errors = Json::array();
  for (const campaign::DifferenceFound& difference : report.differences) {
    differences.push_back({{"rule", difference.failure.rule},
                           {"class", verdict::name(difference.failure.kind)},
                           {"message", difference.failure.message},
                           {"cases", difference.cases},
                           {"case", difference.case_path},
                           {"interrupted", difference.interrupted},
                           {"cut", difference.cut}});
  }
  for (const base::Error& error : report.errors) errors.push_back(error.message);
  return Json({{"version", kJsonVersion},
               {"first", report.first},
               {"second", report.second},
               {"seed", report.seed},
               {"elapsed_ms", report.elapsed_ms},
               {"interrupted", report.interrupted},
               {"cases", report.cases},
               {"identical", report.identical},
               {"refused", report.refused},
               {"error", report.error},
               {"differences", differences},
               {"errors", errors}})
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace negzero::report
