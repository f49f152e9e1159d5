// Which Python runs a module of kernels, and what is said where none can: with scripts that answer as a Python would,
// as a machine may have no NumPy. python/tests/test_worker_modules.py runs modules.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../cli/program.hpp"

namespace negzero::workers_test {
namespace {

namespace fs = std::filesystem;
using cli_test::Directory;
using cli_test::Ran;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Modules : public ::testing::Test {
 protected:
  Modules() {
    for (const char* const name : {"NEGZERO_PYTHON", "VIRTUAL_ENV", "PATH", "PYTHONPATH", "NEGZERO_LIBRARY"}) {
      const char* const value = std::getenv(name);
      before_.emplace_back(name, value == nullptr ? "" : value);
      if (std::string(name) != "PATH") ::unsetenv(name);
    }
    cli_test::write(module_, "import negzero\n");
  }
  ~Modules() override {
    for (const auto& [name, value] : before_) {
      value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
    }
  }

  [[nodiscard]] Ran check() const {
    return cli_test::run({"check", "--kernels", module_, "--json"}, {.time_limit_s = 60});
  }
  /// A script that prints what a Python says of itself.
  std::string python_that_says(const std::string& name, const std::string& answer) {
    const std::string path = folder_ / name;
    fs::create_directories(fs::path(path).parent_path());
    cli_test::write(path, "#!/bin/sh\necho '" + answer + "'\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  static std::string lacking(const std::string& missing) {
    return R"({"version": [3, 11], "executable": "/python", "missing": [)" + missing +
           R"(], "has_worker": true, "places": [], "user_base": null})";
  }
  void expect_error(const std::string& message) const {
    const Ran ran = check();
    EXPECT_EQ(ran.code, 3) << ran.out;
    EXPECT_THAT(ran.err, AllOf(StartsWith("negzero: " + module_ + ": "), HasSubstr(message)));
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
    EXPECT_THAT(ran.json()["error"]["message"].get<std::string>(), HasSubstr(message));
  }

  Directory folder_;
  std::string module_ = folder_ / "my_kernels.py";

 private:
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(Modules, ThePythonIsNamedElseOfTheEnvironmentElseOfThePath) {
  const std::string named = python_that_says("named", lacking(R"("negzero")"));
  python_that_says("environment/bin/python", lacking(R"("negzero")"));
  python_that_says("path/python3", lacking(R"("negzero")"));
  ::setenv("PATH", (folder_ / "path" + std::string(":/usr/bin:/bin")).c_str(), 1);
  expect_error((folder_ / "path") + "/python3 has no package negzero");
  ::setenv("VIRTUAL_ENV", (folder_ / "environment").c_str(), 1);
  expect_error((folder_ / "environment") + "/bin/python has no package negzero");
  ::setenv("NEGZERO_PYTHON", named.c_str(), 1);
  expect_error(named + " has no package negzero");
}

TEST_F(Modules, WithoutAPythonItSaysWhatToDo) {
  ::setenv("PATH", folder_.path().c_str(), 1);
  expect_error("no python3 is there to run this module; install it, or name one by NEGZERO_PYTHON");
  ::setenv("NEGZERO_PYTHON", "/no/such/python", 1);
  expect_error("/no/such/python");
}

TEST_F(Modules, APythonThatLacksSomethingSaysWhatAndHowToInstallIt) {
  const std::string python = python_that_says("python", lacking(R"("negzero", "numpy")"));
  ::setenv("NEGZERO_PYTHON", python.c_str(), 1);
  expect_error("has no package negzero; `/python -m pip install PATH-OF-NEGZERO` installs it, or NEGZERO_PYTHON names");
  python_that_says("python", lacking(R"("numpy", "ml_dtypes")"));
  expect_error("lacks numpy and ml_dtypes, which the package negzero needs; `/python -m pip install numpy ml_dtypes`");
  python_that_says("python", R"({"version": [3, 8]})");
  expect_error("is Python 3.8, and negzero needs 3.9");
  python_that_says("python", "I am a shell");
  expect_error("does not answer as a Python does: I am a shell; NEGZERO_PYTHON names another Python");
}

TEST_F(Modules, OneThatIsNotThereIsAnError) {
  fs::remove(module_);
  expect_error("this module cannot be read: No such file or directory");
}

TEST_F(Modules, AProgramOfItsOwnIsStartedAsOne) {
  if (std::string(NEGZERO_PYTHON).empty()) GTEST_SKIP() << "Python 3.9 is not there";
  const std::string text = cli_test::contents(NEGZERO_SOURCE_DIR "/tests/workers/worker.py");
  cli_test::write(module_, "#!" NEGZERO_PYTHON + text.substr(text.find('\n')));
  fs::permissions(module_, fs::perms::owner_all);
  EXPECT_THAT(cli_test::run({"list", "kernels", "--kernels", module_}).out, HasSubstr("py.gemm"));
}

}  // namespace
}  // namespace negzero::workers_test
