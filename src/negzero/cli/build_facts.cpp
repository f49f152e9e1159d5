// What this program was built of and how.

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/cli/build_facts.hpp>
#include <negzero/cli/command_line.hpp>
#include <negzero/device/probe_here.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

namespace {

constexpr std::string_view kOwnLicence = "Apache-2.0";

constexpr Licence kLicences[] = {
    {"Boost", "Boost Software License 1.0"},
    {"CLI11", "BSD-3-Clause"},
    {"{fmt}", "MIT with an exception for object code"},
    {"JSON for Modern C++", "MIT"},
    {"RapidJSON", "MIT"},
    {"libbacktrace", "BSD-3-Clause"},
    {"libseccomp", "LGPL-2.1-only; no part of the program, which loads it where it is there"},
    {"libstdc++", "GPL 3 with the GCC Runtime Library Exception 3.1"},
};
constexpr Licence kCudaLicence = {"CUDA runtime", "NVIDIA CUDA Toolkit EULA"};

}  // namespace

BuildFacts build_facts() {
  BuildFacts facts;
  facts.version = kVersion;
  facts.compiler = NEGZERO_COMPILER;
  facts.has_cuda = device::kHasCuda;
#ifdef NEGZERO_HAS_WATCHED
  facts.has_watched = true;
#endif
#ifdef NEGZERO_HOST_FMA
  facts.has_fma = true;
#endif
  std::error_code code;
  facts.program = std::filesystem::read_symlink("/proc/self/exe", code).string();
  facts.licences.assign(std::begin(kLicences), std::end(kLicences));
  if (facts.has_cuda) facts.licences.push_back(kCudaLicence);
  return facts;
}

std::string version_text(const BuildFacts& facts) {
  std::string text = fmt::format("negzero {}\n", facts.version);
  text += fmt::format("compiler   {}\n", facts.compiler);
  text += fmt::format("executors  host{}{}\n", facts.has_watched ? ", watched" : "", facts.has_cuda ? ", cuda" : "");
  text += fmt::format("host FMA   {}\n", facts.has_fma ? "on" : "off");
  text += fmt::format("program    {}\n", facts.program);
  text += fmt::format("licence    {}; with compiled code of:\n", kOwnLicence);
  for (const Licence& each : facts.licences) text += fmt::format("           {}: {}\n", each.what, each.licence);
  return text;
}

std::string version_json(const BuildFacts& facts) {
  nlohmann::ordered_json licences = nlohmann::ordered_json::array();
  for (const Licence& each : facts.licences) licences.push_back({{"what", each.what}, {"licence", each.licence}});
  return report::dump({{"version", report::kJsonVersion},
                       {"negzero", facts.version},
                       {"compiler", facts.compiler},
                       {"executors", {{"host", true}, {"watched", facts.has_watched}, {"cuda", facts.has_cuda}}},
                       {"host_fma", facts.has_fma},
                       {"program", facts.program},
                       {"licence", kOwnLicence},
                       {"licences", licences}});
}

}  // namespace negzero::cli
