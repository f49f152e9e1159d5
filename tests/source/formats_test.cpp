// Formats of a declaration: any of them may be named, and the rest follows.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/number/format.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/source/declaration.hpp>
#include <negzero/source/glue.hpp>
#include <negzero/source/pointees.hpp>

namespace negzero::source {
namespace {

using notation::Signature;
using ::testing::HasSubstr;

/// Lines of a user's own: indices and counts among inputs and outputs, an output of indices alone, no input, scalars.
constexpr std::string_view kOwnLines[] = {
    "add: y[n] <- x[n], w[n]",
    "topk: values[rows, k], at[rows, k] < columns <- x[rows, columns], largest",
    "where: at[n] < columns <- x[n, columns]",
    "varlen: y[elements] <- x[elements], ends[segments] <= elements ascending",
    "made: y[n] <-",
};

std::vector<std::string> all_operations() {
  std::vector<std::string> all;
  for (const Signature& signature : operation::signatures()) all.push_back(signature.identity());
  all.insert(all.end(), std::begin(kOwnLines), std::end(kOwnLines));
  return all;
}

std::string declaration_of(const std::string& operation, const std::string& formats) {
  return fmt::format("kernel k\noperation {}\nformats {}\nlaunch f();\n", operation, formats);
}

base::Result<Declarations> read(const std::string& text) { return read_declarations(text, "x.nz"); }

std::string mistake(const std::string& operation, const std::string& formats) {
  const auto declared = read(declaration_of(operation, formats));
  return declared ? "none" : declared.error().message;
}

/// What another format than the usual one is called.
std::string other_format(const Signature& signature, std::size_t slot) {
  return signature.holds_indices(slot) ? "I64" : "F16";
}

/// The format that a slot has where `named`, a bit for each slot, says which are other_format().
std::string expected(const Signature& signature, unsigned named, std::size_t slot) {
  if ((named >> slot & 1) != 0) return other_format(signature, slot);
  if (signature.holds_indices(slot)) return "I32";
  // C of a gemm is added to D.
  const bool is_addend =
      signature.addend && signature.tensors[*signature.addend].format == slot && !signature.is_update;
  return is_addend ? expected(signature, named, signature.tensors[signature.outputs.front().tensor].format) : "F32";
}

TEST(Formats, AnySubsetOfThemMayBeNamed) {
  for (const std::string& operation : all_operations()) {
    const Signature& signature = *operation::find_signature(operation);
    for (unsigned named = 0; named < 1u << signature.formats.size(); ++named) {
      std::string said;
      for (std::size_t slot = 0; slot < signature.formats.size(); ++slot) {
        if ((named >> slot & 1) == 0) continue;
        said += fmt::format("{}{}={}", said.empty() ? "" : " ", signature.formats[slot], other_format(signature, slot));
      }
      SCOPED_TRACE(operation + ": formats " + said);
      const auto declared = read(said.empty() ? fmt::format("kernel k\noperation {}\nlaunch f();\n", operation)
                                              : declaration_of(operation, said));
      operation::Operation known(signature);
      for (std::size_t slot = 0; slot < signature.formats.size(); ++slot) {
        known.formats()[slot] = *number::parse_format(expected(signature, named, slot));
      }
      // A maximum has the format of what it is chosen from.
      const base::Status possible = operation::validate(known);
      ASSERT_EQ(declared.ok(), possible.ok()) << (declared ? "it is read" : declared.error().message);
      if (!possible) {
        EXPECT_THAT(declared.error().message, HasSubstr("x.nz:3: kernel 'k': limits: " + possible.error().message));
        continue;
      }
      for (const bool is_for_gpu : {false, true}) {
        const auto glue = glue_for({}, "x.nz", declared->kernels, {}, is_for_gpu);
        ASSERT_TRUE(glue.ok()) << glue.error().message;
        for (std::size_t i = 0; i < signature.tensors.size(); ++i) {
          const notation::TensorSignature& tensor = signature.tensors[i];
          const std::string format = expected(signature, named, tensor.format);
          EXPECT_EQ(number::format(known.format_of(i)).name, format) << tensor.name;
          if (tensor.role == notation::Role::Initial) continue;
          EXPECT_THAT(*glue, HasSubstr(fmt::format("{}* const {} =", type_of(format), tensor.name)));
        }
      }
    }
  }
}

TEST(Formats, OfTensorsOfTorchToo) {
  const auto declared = read("kernel k\noperation gemm\nformats a=F16\ntorch d = f(a, b);\n");
  ASSERT_TRUE(declared.ok()) << declared.error().message;
  const auto glue = glue_for({}, "x.nz", declared->kernels, {}, false);
  ASSERT_TRUE(glue.ok()) << glue.error().message;
  EXPECT_THAT(*glue, HasSubstr("operand(\"a\").as<__half>()"));
  EXPECT_THAT(*glue, HasSubstr("operand(\"d\").as<float>()"));
}

TEST(Formats, AsJsonTheyAreTheSame) {
  const auto said = [](const std::string& formats) {
    return read(declaration_of("gemm", formats))->kernels.at(0).json;
  };
  EXPECT_EQ(said("a=F16 c=BF16"), said(R"([{"a": "F16", "c": "BF16"}])"));
  EXPECT_EQ(said("{}"), said("a=F32"));
}

std::vector<std::string> kernels_of(const std::string& operation, const std::string& lines) {
  const auto declared = read(
      fmt::format("kernel k\noperation {}\n{}accept class=hang reason=r link=a/b#1\nlaunch f();\n", operation, lines));
  EXPECT_TRUE(declared.ok()) << declared.error().message;
  std::vector<std::string> result;
  for (const Declaration& each : declared->kernels) {
    const auto json = nlohmann::json::parse(each.json);
    EXPECT_EQ(json["name"], each.kernel);
    EXPECT_EQ(each.accepted.at(0).kernel, each.kernel);
    result.push_back(each.kernel + " " + json["formats"].dump());
  }
  return result;
}

TEST(Formats, OfSeveralCombinationsEachIsAKernel) {
  using ::testing::ElementsAre;
  EXPECT_THAT(kernels_of("reduce.sum", "formats x=F16 y=F16\n"), ElementsAre(R"(k [{"x":"F16","y":"F16"}])"));
  EXPECT_THAT(kernels_of("reduce.sum", "formats x=F16 y=F16\nformats x=BF16 y=BF16\n"),
              ElementsAre(R"(k.f16 [{"x":"F16","y":"F16"}])", R"(k.bf16 [{"x":"BF16","y":"BF16"}])"));
  EXPECT_THAT(kernels_of("reduce.sum", R"(formats [{"x": "F16"}, {"x": "BF16"}])"
                                       "\n"),
              ElementsAre(R"(k.f16 [{"x":"F16","y":"F32"}])", R"(k.bf16 [{"x":"BF16","y":"F32"}])"));
  // Where short names would be one, all slots that differ are named.
  EXPECT_THAT(kernels_of("gemm", "formats a=F16 b=F16\nformats a=F16\nformats d=F16\n"),
              ElementsAre(R"(k.f16_f16_f32_f32 [{"a":"F16","b":"F16","d":"F32"}])",
                          R"(k.f16_f32_f32_f32 [{"a":"F16","b":"F32","d":"F32"}])",
                          R"(k.f32_f32_f16_f16 [{"a":"F32","b":"F32","d":"F16"}])"));
}

TEST(Formats, TwoLinesAreNotOneCombination) {
  const auto declared = read("kernel k\noperation gemm\nformats a=F16 d=F16\nformats a=F16 d=F16 c=F16\nlaunch f();\n");
  ASSERT_FALSE(declared.ok());
  EXPECT_EQ(declared.error().message,
            "x.nz:1: kernel 'k': two lines of formats are one combination; leave one of them out");
}

TEST(Formats, AMistakeNamesTheLineTheNameAndTheCure) {
  EXPECT_EQ(mistake("gemm", "a=F16 q=F16"),
            "x.nz:3: formats: the operation has no tensor called 'q'; it has a, b, d, c");
  EXPECT_EQ(mistake("scatter.add", "out=F16"), "x.nz:3: formats: out has the format of x; name x instead");
  EXPECT_EQ(mistake("gemm", "a=F17"), "x.nz:3: formats: a: no format is called F17; `negzero list formats` shows them");
  for (const char* const wrong : {"a=16", R"([{"a": null}])", R"([{"a": {}}])"}) {
    EXPECT_THAT(mistake("gemm", wrong), HasSubstr("x.nz:3: formats: a: no format is called "));
  }
  EXPECT_THAT(mistake("gemm", "[]"), HasSubstr("x.nz:3: formats: an empty list names no combination"));
  EXPECT_THAT(mistake("gemm", "[3]"), HasSubstr("x.nz:3: formats: 3 is no combination"));
  EXPECT_THAT(mistake("gemm", R"([{"a": "F16"}, {"a": "F16"}])"), HasSubstr("x.nz:3: formats: this combination has"));
  EXPECT_THAT(mistake("gemm", R"([{"a": "F16", "a": "F32"}])"), HasSubstr("x.nz:3: what is said: "));
}

}  // namespace
}  // namespace negzero::source
