// What extension_text() keeps of a module of Python.

#include <string>

#include <gtest/gtest.h>

#include <negzero/source/extension_text.hpp>

namespace negzero::source {
namespace {

TEST(ExtensionText, KeepsStringsOfCppInTheirLinesAndColumns) {
  EXPECT_EQ(extension_text("import torch\nsource = \"\"\"__global__ void k();\n  int x;\"\"\"\nload(source)\n"),
            "#include <torch/extension.h>\n            __global__ void k();\n  int x;   \n            \n");
}

TEST(ExtensionText, IncludesNothingWhereAStringBeginsInTheFirstLine) {
  EXPECT_EQ(extension_text("s = '''#include <a.h>\n'''"), "       #include <a.h>\n   ");
}

TEST(ExtensionText, LeavesOutDocstringsAndOtherTexts) {
  for (const char* module :
       {"def f():\n  \"\"\"Returns a torch::Tensor.\"\"\"\n", "s = \"\"\"only words\"\"\"\n",
        "s = '__global__ void k();'\n", "# s = \"\"\"__global__\"\"\"\n", "s = f\"\"\"__global__ {name}\"\"\"\n", ""}) {
    EXPECT_EQ(extension_text(module), "") << module;
  }
}

TEST(ExtensionText, TakesStringsOfEveryKindOfQuoteAndPlace) {
  for (const std::string before : {"f(", "f(name=", "[", "x, ", "x = a + ", "x = (\n"}) {
    for (const std::string quotes : {"'''", "\"\"\""}) {
      for (const std::string prefix : {"", "r", "R", "u", "rb"}) {
        const std::string module = "\n" + before + prefix + quotes + "__global__ 'x' \"y\" # z" + quotes + "\n";
        EXPECT_NE(extension_text(module).find("__global__ 'x' \"y\" # z"), std::string::npos) << module;
      }
    }
  }
}

TEST(ExtensionText, ReadsEscapesAsPythonDoes) {
  EXPECT_NE(extension_text("\ns = '''#include \"a\\\\n\"'''").find("#include \"a\\n\" "), std::string::npos);
  EXPECT_NE(extension_text("\ns = r'''#include \"a\\\\n\"'''").find("#include \"a\\\\n\""), std::string::npos);
  EXPECT_NE(extension_text("\ns = '''#include \\'''x'''").find("#include \\'''x"), std::string::npos);
}

TEST(ExtensionText, EndsWithAModuleThatClosesNothing) {
  EXPECT_EQ(extension_text("\ns = '''#include <a>"), "#include <torch/extension.h>\n       #include <a>");
  EXPECT_EQ(extension_text("s = '"), "");
  EXPECT_EQ(extension_text("s = '''__global__\\"), "       __global__\\");
}

}  // namespace
}  // namespace negzero::source
