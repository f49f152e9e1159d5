// Modules of Python that register kernels, and the Python that runs them.

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include <negzero/files/input_file.hpp>
#include <negzero/run/child_process.hpp>
#include <negzero/run/python_module.hpp>

namespace negzero::run {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostModuleBytes = std::uint64_t{1} << 26;
constexpr const char* kCure = "NEGZERO_PYTHON names another Python";

/// What a Python says of itself.
struct Python {
  std::string executable;               ///< no script in front of it
  std::vector<std::string> readable{};  ///< its prefixes, and the folders that it imports from
  std::string user_base{};              ///< of packages of the user alone
};

/// Prints facts as JSON. find_spec() looks for packages and imports none of these.
constexpr const char* kQuestion = R"(
import importlib.util, json, os, site, sys
sys.path = [p for p in sys.path if p]
missing = [n for n in ("negzero", "numpy", "ml_dtypes") if importlib.util.find_spec(n) is None]
found = importlib.util.find_spec("negzero")
places = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *sys.path, *site.getsitepackages()]
places += [os.path.dirname(os.path.dirname(found.origin))] if found and found.origin else []
print("\n" + json.dumps({"version": sys.version_info[:2], "executable": sys.executable, "missing": missing,
    "has_worker": bool(found and found.origin and os.path.exists(os.path.join(os.path.dirname(found.origin), "_worker.py"))),
    "places": [os.path.abspath(p) for p in places if p], "user_base": site.getuserbase()}))
)";

std::string text_of(const char* variable) {
  const char* const said = std::getenv(variable);
  return said == nullptr ? "" : said;
}

/// The package that belongs to this program where it was built: a folder for PYTHONPATH, and its library.
struct OwnPackage {
  std::string folder{}, library{};
};
OwnPackage own_package() {
  std::error_code code;
  const fs::path build = fs::read_symlink("/proc/self/exe", code).parent_path().parent_path();
  const fs::path folder = NEGZERO_PYTHON_PACKAGES, library = build / "c" / "libnegzero.so";
  if (!fs::exists(library, code) || !fs::exists(folder / "negzero" / "_worker.py", code)) return {};
  return {folder, library};
}

std::vector<std::string> environment_of(const OwnPackage& own) {
  if (own.folder.empty()) return {};
  const std::string rest = text_of("PYTHONPATH");
  std::vector<std::string> environment{"PYTHONPATH=" + own.folder + (rest.empty() ? "" : ":" + rest)};
  if (text_of("NEGZERO_LIBRARY").empty()) environment.push_back("NEGZERO_LIBRARY=" + own.library);
  return environment;
}

/// The Python that a user means; empty: none is there.
std::string named_python() {
  std::error_code code;
  if (const std::string said = text_of("NEGZERO_PYTHON"); !said.empty()) {
    const std::string found = found_in_path(said);
    return found.empty() || fs::is_regular_file(found, code) ? found : "";
  }
  if (const std::string said = text_of("VIRTUAL_ENV"); !said.empty()) {
    if (const fs::path python = fs::path(said) / "bin" / "python"; fs::exists(python, code)) return python;
  }
  return found_in_path("python3");
}

/// What a program prints; nothing where it cannot be started, or takes longer than a minute.
std::optional<std::string> printed_by(const ChildSpec& spec) {
  constexpr std::chrono::minutes kLimit{1};
  constexpr int kPollMs = 50;
  auto process = ChildProcess::start(spec);
  if (!process) return std::nullopt;
  std::string text;
  const auto drain = [&] {
    char part[4096];
    for (ssize_t got; (got = ::read(process->output(), part, sizeof part)) > 0;) {
      text.append(part, static_cast<std::size_t>(got));
    }
  };
  const Clock::time_point begin = Clock::now();
  bool has_ended = false;
  while (!has_ended && Clock::now() - begin < kLimit) {
    has_ended = process->has_ended();
    pollfd output{process->output(), POLLIN, 0};
    ::poll(&output, 1, has_ended ? 0 : kPollMs);
    drain();
  }
  if (!has_ended) return std::nullopt;
  process->end();
  return text;
}

/// Its last line that holds something.
std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of("\r\n ");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin + 1, end - begin);  // npos + 1 is 0.
}

/// What that Python is, or what is wrong with it and the cure.
base::Result<Python> asked(const std::string& python, const std::vector<std::string>& environment) {
  const auto wrong = [](const std::string& what) { return base::infrastructure_error(what); };
  const auto text = printed_by(
      {.command = {python, "-c", kQuestion}, .captured = true, .confinement = nullptr, .environment = environment});
  if (!text) return wrong(fmt::format("{} cannot be started, or does not answer; {}", python, kCure));
  const auto said = nlohmann::json::parse(last_line(*text), nullptr, false);
  try {
    const auto version = said.at("version").get<std::pair<int, int>>();
    if (version < std::pair(3, 9)) {
      return wrong(
          fmt::format("{} is Python {}.{}, and negzero needs 3.9; {}", python, version.first, version.second, kCure));
    }
    Python known{.executable = said.at("executable")};
    const auto missing = said.at("missing").get<std::vector<std::string>>();
    if (!missing.empty() && missing.front() == "negzero") {
      return wrong(fmt::format("{} has no package negzero; `{} -m pip install PATH-OF-NEGZERO` installs it, or {}",
                               python, known.executable, kCure));
    }
    if (!missing.empty()) {
      return wrong(
          fmt::format("{} lacks {}, which the package negzero needs; `{} -m pip install numpy ml_dtypes` "
                      "installs it, or {}",
                      python, fmt::join(missing, " and "), known.executable, kCure));
    }
    if (!said.at("has_worker").get<bool>()) {
      return wrong(
          fmt::format("the package negzero of {} is older than this program; install it anew, or {}", python, kCure));
    }
    std::set<std::string> places;
    for (const std::string place : said.at("places")) {
      if (place != "/") places.insert(place);
    }
    known.readable.assign(places.begin(), places.end());
    if (said.at("user_base").is_string()) known.user_base = said.at("user_base");
    return known;
  } catch (const nlohmann::json::exception&) {
    return wrong(fmt::format("{} does not answer as a Python does{}{}; {}", python, text->empty() ? "" : ": ",
                             last_line(*text), kCure));
  }
}

}  // namespace

bool is_python_module(const std::string& path) {
  if (!path.ends_with(".py")) return false;
  if (::access(path.c_str(), X_OK) != 0 || !is_script(path)) return true;
  const auto text = files::read_text(path, kMostModuleBytes);
  static const std::regex imports(R"((^|\n)[ \t]*(import|from)[ \t]+([\w., \t]*[ ,\t])?negzero\b)");
  return text && std::regex_search(*text, imports);
}

base::Result<Program> module_to_start(const std::string& path) {
  const auto cannot = [&](const std::string& why) { return base::infrastructure_error(path + ": " + why); };
  std::error_code code;
  const fs::path real = fs::canonical(path, code);
  if (code || ::access(path.c_str(), R_OK) != 0) {
    return cannot(fmt::format("this module cannot be read: {}", std::strerror(code ? code.value() : errno)));
  }
  const std::string python = named_python();
  if (python.empty()) {
    const std::string said = text_of("NEGZERO_PYTHON");
    return cannot(said.empty() ? std::string("no python3 is there to run this module; install it, or name one by "
                                             "NEGZERO_PYTHON")
                               : fmt::format("NEGZERO_PYTHON names {}, which is not there", said));
  }
  static std::mutex mutex;
  static std::map<std::string, base::Result<Python>> answers;
  Program program{.is_module = true};
  program.environment = environment_of(own_package());
  const std::lock_guard lock(mutex);
  auto answer = answers.find(python);
  if (answer == answers.end()) answer = answers.emplace(python, asked(python, program.environment)).first;
  if (!answer->second) return cannot(answer->second.error().message);
  const Python& known = *answer->second;
  program.command = {known.executable, "-u", "-m", "negzero._worker", path};
  program.readable = known.readable;
  for (const fs::path& each : {fs::path(path), real}) {
    program.readable.push_back(each);
    if (each.parent_path() != "/") program.readable.push_back(each.parent_path());
  }
  for (const std::string& each : program.environment) {
    if (each.starts_with("NEGZERO_LIBRARY=")) program.readable.push_back(each.substr(each.find('=') + 1));
  }
  if (const std::string library = text_of("NEGZERO_LIBRARY"); !library.empty()) program.readable.push_back(library);
  // What a module declares depends on it.
  if (const std::string said = text_of("TRITON_INTERPRET"); !said.empty()) {
    program.environment.push_back("TRITON_INTERPRET=" + said);
  }
  // HOME is another one there.
  if (!known.user_base.empty()) program.environment.push_back("PYTHONUSERBASE=" + known.user_base);
  return program;
}

std::vector<std::string> writable_places(const Scratch& scratch) {
  // There is no list of users to read, and getpass.getuser(), which torch.compile() asks, takes this name then.
  std::vector<std::string> environment{"PYTHONDONTWRITEBYTECODE=1", "LOGNAME=negzero"};
  for (const char* const name : {"TMPDIR", "HOME"}) environment.push_back(fmt::format("{}={}", name, scratch.folder()));
  for (const auto& [name, folder] :
       {std::pair("XDG_CACHE_HOME", ""), std::pair("TRITON_CACHE_DIR", "/triton"),
        std::pair("TORCHINDUCTOR_CACHE_DIR", "/inductor"), std::pair("CUDA_CACHE_PATH", "/cuda"),
        std::pair("CUPY_CACHE_DIR", "/cupy"), std::pair("NUMBA_CACHE_DIR", "/numba")}) {
    environment.push_back(fmt::format("{}={}{}", name, scratch.cache(), folder));
  }
  return environment;
}

}  // namespace negzero::run
