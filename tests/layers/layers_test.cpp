// A module includes only rows below it, src/ includes nothing outside src/, and CUDA headers stay where they belong.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

// The rows of the design, lowest first. A module that is missing here fails the test below.
const std::vector<std::set<std::string>> kRows = {
    {"number", "base"},
    {"exact", "tensor", "matrix_unit", "formula"},
    {"files", "notation"},
    {"verdict"},
    {"operation", "contract"},
    {"case_file", "engine", "device"},
    {"watch", "generate", "oracle", "kernel", "shrink", "confine"},
    {"protocol"},
    {"cuda", "worker", "mutate", "feature", "judgement"},
    {"run", "testing"},
    {"property", "source", "order"},
    {"campaign", "c", "as_code", "measure"},
    {"report"},
    {"cli"},
};

int row_of(const std::string& module) {
  for (std::size_t row = 0; row < kRows.size(); ++row) {
    if (kRows[row].count(module) != 0) return static_cast<int>(row);
  }
  return -1;
}

struct Include {
  std::string file;
  std::string module;  // of the including file
  std::string target;  // between < and > or quotes
};

/// Every #include of every source file below `root`.
std::vector<Include> includes_below(const fs::path& root) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  std::vector<Include> result;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension();
    if (extension != ".hpp" && extension != ".cpp" && extension != ".cuh" && extension != ".cu") continue;
    std::ifstream file(entry.path());
    const std::string module = *fs::relative(entry.path(), root).begin();
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (std::regex_search(line, match, kInclude)) result.push_back({entry.path().string(), module, match[1]});
    }
  }
  return result;
}

/// What is wrong with an include, or nothing.
std::string violation(const Include& include) {
  static const std::regex kModule(R"(^negzero/([a-z_]+)/)");
  std::smatch match;
  if (std::regex_search(include.target, match, kModule)) {
    const std::string target = match[1];
    if (row_of(target) < 0) return "includes the unknown module " + target;
    if (target != include.module && row_of(target) >= row_of(include.module)) {
      return "module " + include.module + " must not include " + target;
    }
    return "";
  }
  const bool may_use_cuda = include.file.find("/cuda/nvcc.cuh") != std::string::npos ||
                            include.file.find("/cuda/torch_headers.cuh") != std::string::npos ||
                            include.module == "device";
  if (include.target.find("cuda") != std::string::npos && !may_use_cuda) {
    return "only device and the nvcc half of cuda include CUDA headers";
  }
  for (const char* outside : {"kernels/", "properties/", "fuzz/"}) {
    if (include.target.find(outside) != std::string::npos) return "src/ must not include " + std::string(outside);
  }
  return "";
}

TEST(Layers, EveryModuleHasARow) {
  int modules = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(NEGZERO_SOURCE_DIR) / "src/negzero")) {
    if (!entry.is_directory()) continue;
    EXPECT_GE(row_of(entry.path().filename()), 0) << entry.path() << " has no row";
    ++modules;
  }
  EXPECT_GE(modules, 16);
}

TEST(Layers, IncludesPointDownwards) {
  const std::vector<Include> includes = includes_below(fs::path(NEGZERO_SOURCE_DIR) / "src/negzero");
  ASSERT_GT(includes.size(), 100u);
  for (const Include& include : includes) {
    EXPECT_EQ(violation(include), "") << include.file << " includes " << include.target;
  }
}

// What launches kernels must know nothing of what is expected of them: neither the oracle nor the cases' generator.
TEST(Layers, AWorkerHasNothingThatJudges) {
  const std::set<std::string> kWorkers = {"worker", "protocol", "kernel", "engine", "watch", "cuda"};
  const std::set<std::string> kept_out = {"oracle", "generate", "shrink", "exact", "case_file", "run"};
  int files = 0;
  for (const Include& include : includes_below(fs::path(NEGZERO_SOURCE_DIR) / "src/negzero")) {
    if (kWorkers.count(include.module) == 0) continue;
    for (const std::string& module : kept_out) {
      EXPECT_EQ(include.target.find("negzero/" + module + "/"), std::string::npos)
          << include.file << " includes " << include.target;
    }
    ++files;
  }
  EXPECT_GT(files, 50);
}

// What the process of a campaign makes and judges by itself, beside its examiners, is said in CONTRIBUTING.md.
TEST(Layers, WhatACampaignMakesAndJudgesItselfIsDocumented) {
  const fs::path root(NEGZERO_SOURCE_DIR);
  std::ifstream file(root / "CONTRIBUTING.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = text.find("## Processes");
  ASSERT_NE(begin, std::string::npos);
  const std::string section = text.substr(begin, text.find("\n## ", begin + 1) - begin);
  const std::set<std::string> tools = {"negzero/oracle/oracle.hpp", "negzero/shrink/shrink.hpp",
                                       "negzero/campaign/source.hpp"};
  std::set<std::string> files;
  for (const Include& include : includes_below(root / "src/negzero")) {
    if (include.module == "campaign" && tools.count(include.target) != 0) {
      files.insert(fs::path(include.file).stem().string());
    }
  }
  EXPECT_GE(files.size(), 4u);
  for (const std::string& name : files) {
    EXPECT_NE(section.find("`" + name + "`"), std::string::npos)
        << "campaign/" << name << " makes cases or asks the oracle, and the section on processes does not say for what";
  }
}

/// Whether a line of code asks which place or which build it has.
bool branches_on_place_or_build(const std::string& line) {
  static const std::regex kBranch(
      R"(Place::\w+\s*[!=]=|[!=]=\s*(kernel::)?Place::|case\s+(kernel::)?Place::|switch\s*\([^)]*\b(place|build)\b)"
      R"(|\bbuild\.(watched|coverage|program)\s*([!=]=|\?|&&|\|\|)|if\s*\(\S*\bbuild\.(watched|coverage|program)\b)");
  return std::regex_search(line, kBranch);
}

// What differs between places is a row of AtPlace; that kernels can be watched is a build that is found, or not.
TEST(Layers, OnlyTheRoomsThatStartProcessesAndChooseBuildsAskForThePlace) {
  const std::set<std::string> kRooms = {"run", "worker", "kernel"};
  const fs::path root = fs::path(NEGZERO_SOURCE_DIR) / "src/negzero";
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || kRooms.count(*fs::relative(entry.path(), root).begin()) != 0) continue;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      EXPECT_FALSE(branches_on_place_or_build(line)) << entry.path() << ":" << number << ": " << line;
    }
    ++files;
  }
  EXPECT_GT(files, 300);
  for (const char* line : {"if (place == kernel::Place::Host) {", "return kernel::Place::Device != place;",
                           "case Place::Host:", "switch (options.place) {", "if (kernel.build.watched) return;",
                           "kernel.build.watched ? 1 : 0", "kernel.build.program == mine"}) {
    EXPECT_TRUE(branches_on_place_or_build(line)) << line;
  }
  for (const char* line : {"kernel::Place place = kernel::Place::Host;", "kStartMs[options.place]",
                           "replies[i]->watched = build.build.watched;", "first_.place == options_.evaluation.place"}) {
    EXPECT_FALSE(branches_on_place_or_build(line)) << line;
  }
}

/// How far the text of a comment line is indented behind its slashes, and how long it is; nothing for other lines.
struct CommentLine {
  std::size_t indent = 0, length = 0;
};
std::optional<CommentLine> comment_line(const std::string& line) {
  static const std::regex kComment(R"(^\s*///?( *)([^\s/].*)$)");
  std::smatch match;
  if (!std::regex_search(line, match, kComment)) return std::nullopt;
  return CommentLine{static_cast<std::size_t>(match[1].length()), static_cast<std::size_t>(match[2].length())};
}

/// Whether `line` is what clang-format makes of the end of a row that was too long: a word or two below a full line,
/// at the start of the comment, before the row's next line, which is indented.
bool is_broken_row(const std::string& above, const std::string& line, const std::string& below) {
  constexpr std::size_t kFull = 100, kFewLetters = 24;
  const auto before = comment_line(above), here = comment_line(line), after = comment_line(below);
  if (!before || !here || !after || above.size() < kFull || here->length > kFewLetters) return false;
  return after->indent > here->indent && std::string(".:;").find(line.back()) == std::string::npos;
}

TEST(Comments, NoRowOfATableWasBrokenByTheFormatter) {
  const std::string full = "//   stores   " + std::string(100, 'x'),
                    rest = "//            shows that the sum is not exact";
  EXPECT_TRUE(is_broken_row(full, "//   wherever S", rest));
  EXPECT_FALSE(is_broken_row(full, "//            wherever S", rest));
  EXPECT_FALSE(is_broken_row("// short", "//   wherever S", rest));
  EXPECT_FALSE(is_broken_row(full, "//   wherever S:", rest)) << "what follows is an example";
  int lines = 0;
  for (const char* folder : {"src", "kernels"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(NEGZERO_SOURCE_DIR) / folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      std::string above, here;
      int number = 0;
      for (std::string below; std::getline(file, below); ++number, ++lines) {
        EXPECT_FALSE(is_broken_row(above, here, below)) << entry.path() << ":" << number << ": " << here;
        above = std::exchange(here, below);
      }
    }
  }
  EXPECT_GT(lines, 20000);
}

/// How many idioms the comments of a file hold: a reader stops at them, and each has a plain word.
int idioms_in(const fs::path& path) {
  static const std::regex kIdiom(R"(\b([Ww]hoever|[Nn]obody|[Ss]omebody|[Aa]nybody|[Nn]o one|[Ss]tands|[Tt]ells)\b)");
  std::ifstream file(path);
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t comment = line.find("//");
    if (comment == std::string::npos) continue;
    const std::string text = line.substr(comment);
    count += static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), kIdiom), {}));
  }
  return count;
}

// Say who does what, by its name, and "is" and "says". Files that have had none get none; the others' counts only fall.
TEST(Comments, IdiomsOnlyBecomeFewer) {
  const fs::path root(NEGZERO_SOURCE_DIR);
  std::map<std::string, int> known;
  std::ifstream list(root / "tests/layers/idioms.txt");
  std::string name;
  for (int count = 0; list >> count >> name;) known[name] = count;
  ASSERT_FALSE(known.empty());
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    if (!entry.is_regular_file()) continue;
    const std::string path = fs::relative(entry.path(), root).string();
    const auto at = known.find(path);
    const int before = at == known.end() ? 0 : at->second;
    EXPECT_EQ(idioms_in(entry.path()), before)
        << path
        << ": no whoever, nobody, somebody, no one, stands or tells in a comment; where there are fewer now, lower"
        << " the number in tests/layers/idioms.txt";
    if (at != known.end()) known.erase(at);
    ++files;
  }
  EXPECT_GT(files, 500);
  EXPECT_TRUE(known.empty()) << known.begin()->first << " is in tests/layers/idioms.txt and not there";
}

TEST(Layers, AViolationIsSeen) {
  EXPECT_NE(violation({"src/negzero/number/x.hpp", "number", "negzero/oracle/oracle.hpp"}), "");
  EXPECT_NE(violation({"src/negzero/oracle/x.hpp", "oracle", "negzero/kernel/kernel.hpp"}), "");
  EXPECT_NE(violation({"src/negzero/run/x.hpp", "run", "cuda_runtime.h"}), "");
  EXPECT_NE(violation({"src/negzero/run/x.hpp", "run", "../../kernels/gemm/x.cuh"}), "");
  EXPECT_NE(violation({"src/negzero/device/x.hpp", "device", "negzero/engine/stream.hpp"}), "");
  EXPECT_NE(violation({"src/negzero/engine/x.cpp", "engine", "negzero/watch/state.hpp"}), "");
  EXPECT_NE(violation({"src/negzero/watch/x.cpp", "watch", "negzero/cuda/cuda.hpp"}), "");
  EXPECT_NE(violation({"src/negzero/engine/x.cpp", "engine", "cuda_runtime.h"}), "");
  EXPECT_EQ(violation({"src/negzero/cuda/nvcc.cuh", "cuda", "cuda_runtime.h"}), "");
  EXPECT_EQ(violation({"src/negzero/device/x.cpp", "device", "cuda_runtime_api.h"}), "");
  EXPECT_EQ(violation({"src/negzero/oracle/x.hpp", "oracle", "negzero/exact/sum.hpp"}), "");
}

}  // namespace
