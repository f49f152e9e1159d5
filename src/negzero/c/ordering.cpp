// The order of the sums of a function of another language.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <negzero/base/float_environment.hpp>
#include <negzero/c/options.hpp>
#include <negzero/c/ordering.hpp>
#include <negzero/order/survey.hpp>
#include <negzero/order/text.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::c {

namespace {

constexpr std::string_view kKeys[] = {"name",   "lengths",     "length_name", "longer", "format",
                                      "factor", "accumulator", "output",      "trees"};
constexpr std::size_t kMostLengths = 64;

class CalledSums final : public order::Source {
 public:
  CalledSums(const negzero_sums& function, const std::fenv_t& environment, const order::Formats& formats)
      : function_(function), environment_(environment), formats_(formats) {}

  [[nodiscard]] const order::Formats& formats() const override { return formats_; }
  [[nodiscard]] base::Result<std::vector<double>> sums(std::int64_t length, std::int64_t, const order::Scale& scale,
                                                       unsigned,
                                                       std::span<const order::Placement> placements) override {
    const order::Factors factors = order::factors_of(formats_, scale);
    std::vector<negzero_placement> given;
    for (const order::Placement& each : placements) {
      given.push_back({each.plus, each.minus, each.ones_begin, each.ones_end});
    }
    const negzero_terms terms{length,        factors.large_a, factors.one_a, factors.large_b,
                              factors.one_b, given.data(),    given.size()};
    std::vector<double> sums(given.size());
    std::fenv_t own{};
    std::fegetenv(&own);
    std::fesetenv(&environment_);
    const std::int32_t ended = function_.sums(function_.user, &terms, sums.data());
    std::fesetenv(&own);
    if (ended != NEGZERO_RAN) return base::undecided_error("the function is not to be called again");
    for (double& sum : sums) sum = std::ldexp(sum, -scale.one);
    return sums;
  }

 private:
  const negzero_sums& function_;
  const std::fenv_t& environment_;
  order::Formats formats_;
};

base::Result<number::FormatId> format_of(const Json& options, const char* key, number::FormatId usual) {
  if (!options.contains(key)) return usual;
  const Json& given = options[key];
  const auto format = given.is_string() ? number::parse_format(given.get<std::string>()) : std::nullopt;
  if (!format) return wrong_option(key, given, "the name of a format");
  return *format;
}

base::Result<std::string> text_in(const Json& options, const char* key, const std::string& usual) {
  if (!options.contains(key)) return usual;
  if (!options[key].is_string()) return wrong_option(key, options[key], "text");
  return options[key].get<std::string>();
}

base::Result<std::vector<std::int64_t>> lengths_in(const Json& options) {
  constexpr const char* kValid = "a list of 1 to 64 lengths, ascending";
  if (!options.contains("lengths")) return base::usage_error("options: lengths is missing; give the lengths of sums");
  const Json& given = options["lengths"];
  if (!given.is_array() || given.empty() || given.size() > kMostLengths) return wrong_option("lengths", given, kValid);
  std::vector<std::int64_t> lengths;
  for (const Json& each : given) {
    const auto length = integer("lengths", each, {2, tensor::kMaxElements});
    if (!length) return length.error();
    if (!lengths.empty() && *length <= lengths.back()) return wrong_option("lengths", given, kValid);
    lengths.push_back(*length);
  }
  return lengths;
}

}  // namespace

base::Result<std::string> ordered(std::string_view options, const negzero_sums& function,
                                  const std::fenv_t& environment) {
  const auto parsed = parse_options(options, kKeys);
  if (!parsed) return parsed.error();
  order::Formats formats{.has_products = parsed->contains("factor")};
  number::FormatId* const targets[] = {&formats.terms, &formats.factors, &formats.accumulator, &formats.output};
  constexpr const char* kFormats[] = {"format", "factor", "accumulator", "output"};
  for (std::size_t i = 0; i < std::size(targets); ++i) {
    const auto format = format_of(*parsed, kFormats[i], number::FormatId::F32);
    if (!format) return format.error();
    *targets[i] = *format;
  }
  const auto lengths = lengths_in(*parsed);
  if (!lengths) return lengths.error();
  const auto length_name = text_in(*parsed, "length_name", "n");
  if (!length_name) return length_name.error();
  const auto name = text_in(*parsed, "name", "function");
  if (!name) return name.error();
  std::optional<std::int64_t> longer;
  if (parsed->contains("longer")) {
    const auto given = integer("longer", (*parsed)["longer"], {lengths->back() + 1, tensor::kMaxElements});
    if (!given) return given.error();
    longer = *given;
  }
  const bool has_trees = parsed->contains("trees") && (*parsed)["trees"] == true;
  CalledSums source(function, environment, formats);
  const auto found = order::survey(source, *lengths, *length_name, longer);
  if (!found) return found.error();
  constexpr int kReportVersion = 1;
  Json document{{"version", kReportVersion}};
  document.update(order::json_of({*found, *name, {}, has_trees}));
  document["text"] = order::text_of({*found, *name, {}, false});
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace negzero::c
