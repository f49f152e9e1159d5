// The case file: round trips, canonical bytes, forward compatibility, and each rule of the metadata broken once.

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/operation/case.hpp>

#include "../operation/arbitrary_case.hpp"

namespace negzero::case_file {
namespace {

using namespace operation;
using enum number::FormatId;
using testing::HasSubstr;

RC_GTEST_PROP(CaseFile, ReadsWhatItWroteAndEqualCasesAreEqualBytes, ()) {
  const Case value = *arbitrary_case();
  const std::vector<std::byte> file = write(value);
  const base::Result<Case> read = parse(file);
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == value);
  RC_ASSERT(write(*read) == file);
}

RC_GTEST_PROP(CaseFile, DifferentCasesAreDifferentBytes, ()) {
  const Case a = *arbitrary_case();
  const Case b = *arbitrary_case();
  RC_ASSERT((a == b) == (write(a) == write(b)));
}

/// A small valid archive whose metadata a test breaks: d = a b of one element, F16 operands.
files::Archive archive_of_gemm() {
  files::Archive archive;
  archive.tensors.emplace("a", tensor::Tensor(F16, {1, 1, 2}));
  archive.tensors.emplace("b", tensor::Tensor(F16, {1, 2, 1}));
  archive.tensors.emplace("c", tensor::Tensor(F32, {1, 1, 1}));
  archive.metadata = {
      {"negzero", "1"},
      {"operation",
       R"({"name":"gemm","extents":{"batch":1,"m":1,"n":1,"k":2},"formats":{"a":"F16","b":"F16","d":"F32"}})"}};
  return archive;
}

std::string error_of(const files::Archive& archive) {
  const base::Result<Case> value = parse(files::write_safetensors(archive));
  if (value) return "accepted";
  EXPECT_EQ(value.error().kind, base::ErrorKind::Usage);
  return value.error().message;
}

std::string error_with(const std::string& key, const std::string& text) {
  files::Archive archive = archive_of_gemm();
  archive.metadata[key] = text;
  return error_of(archive);
}

TEST(CaseFile, WritesTheDocumentedMetadata) {
  Case value;
  value.operation = Gemm{.m = 1, .n = 1, .k = 2, .a = F16, .b = F16, .beta = {F16, 0x8000}};
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  value.layouts.at("a").offset = 3;
  value.in_place = "c";
  value.configuration = {{"workspace", 0}, {"algorithm", -3}};
  value.seed = ~std::uint64_t{0};
  value.index = 7;
  value.strategy = "sparse";
  value.schedule = {.order = Schedule::Order::Random, .preempt = true, .seed = 9007199254740993u};
  value.expect = {{.kernel = "faulty.g8.k_tail",
                   .verdict = verdict::VerdictKind::Fail,
                   .failure_class = verdict::FailureClass::WrongValue,
                   .rule = "sum.exact"},
                  {.kernel = "twin.g8.k_tail", .executor = "host", .needs = "--kernels k.py"}};
  value.unknown["from.the.future"] = "kept";
  const base::Result<files::Archive> archive = files::parse_safetensors(write(value));
  ASSERT_TRUE(archive.ok());
  const std::map<std::string, std::string> expected{
      {"negzero", "1"},
      {"operation",
       R"({"extents":{"batch":1,"k":2,"m":1,"n":1},"formats":{"a":"F16","b":"F16","d":"F32"},"name":"gemm"})"},
      {"scalars", R"({"alpha":{"bits":"0x3f800000","format":"F32"},"beta":{"bits":"0x8000","format":"F16"}})"},
      {"layout", R"({"a":{"offset":3,"shape":[1,1,2],"strides":[2,2,1]},)"
                 R"("b":{"offset":0,"shape":[1,2,1],"strides":[2,1,1]},)"
                 R"("c":{"offset":0,"shape":[1,1,1],"strides":[1,1,1]},)"
                 R"("d":{"offset":0,"shape":[1,1,1],"strides":[1,1,1]}})"},
      {"in_place", "c"},
      {"configuration", R"({"algorithm":-3,"workspace":0})"},
      {"poison", "nan"},
      {"schedule", R"({"order":"random","preempt":true,"seed":"9007199254740993"})"},
      {"strategy", "sparse"},
      {"seed", "18446744073709551615"},
      {"index", "7"},
      {"expect", R"([{"class":"wrong_value","executor":"*","kernel":"faulty.g8.k_tail","rule":"sum.exact",)"
                 R"("verdict":"fail"},{"executor":"host","kernel":"twin.g8.k_tail","needs":"--kernels k.py",)"
                 R"("verdict":"pass"}])"},
      {"from.the.future", "kept"}};
  EXPECT_EQ(archive->metadata, expected);
}

TEST(CaseFile, MissingKeysGetDefaults) {
  const base::Result<Case> value = parse(files::write_safetensors(archive_of_gemm()));
  ASSERT_TRUE(value.ok()) << value.error().message;
  Case expected;
  expected.operation = Gemm{.m = 1, .n = 1, .k = 2, .a = F16, .b = F16};
  expected.tensors = archive_of_gemm().tensors;
  pack_missing_layouts(expected);
  EXPECT_EQ(*value, expected);
}

TEST(CaseFile, UnknownKeysSurviveARoundTrip) {
  files::Archive archive = archive_of_gemm();
  archive.metadata["format"] = "pt";
  archive.metadata["groups"] = R"({"not":{"even":JSON}})";
  const base::Result<Case> value = parse(files::write_safetensors(archive));
  ASSERT_TRUE(value.ok()) << value.error().message;
  EXPECT_EQ(value->unknown.size(), 2u);
  const base::Result<files::Archive> again = files::parse_safetensors(write(*value));
  EXPECT_EQ(again->metadata.at("groups"), archive.metadata.at("groups"));
  EXPECT_EQ(again->metadata.at("format"), "pt");
}

TEST(CaseFile, CarriesTheVersionOfItsContractsDefaultsWhereItIsNotTheFirst) {
  files::Archive archive = archive_of_gemm();
  archive.metadata["contract"] = "{}";
  const auto written = [&] { return *files::parse_safetensors(write(*parse(files::write_safetensors(archive)))); };
  EXPECT_EQ(parse(files::write_safetensors(archive))->contract_version, 1u);
  EXPECT_FALSE(written().metadata.contains("contract_version"));
  archive.metadata["contract_version"] = "3";
  EXPECT_EQ(parse(files::write_safetensors(archive))->contract_version, 3u);
  EXPECT_EQ(written().metadata.at("contract_version"), "3");
  EXPECT_THAT(error_with("contract_version", "0"), ::testing::HasSubstr("the first is 1"));
  EXPECT_THAT(error_with("contract_version", "x"), ::testing::HasSubstr("contract_version"));
}

TEST(CaseFile, OtherVersionsAndOtherFilesAreNamed) {
  EXPECT_EQ(error_with("negzero", "2"), "case file of version \"2\"; this negzero reads version 1");
  EXPECT_EQ(error_with("negzero", "1.0"), "case file of version \"1.0\"; this negzero reads version 1");
  files::Archive archive = archive_of_gemm();
  archive.metadata.erase("negzero");
  EXPECT_EQ(error_of(archive), "this is no case file: its metadata has no key negzero");
  archive = archive_of_gemm();
  archive.metadata.erase("operation");
  EXPECT_EQ(error_of(archive), "metadata operation is missing");
}

struct Broken {
  const char* key;
  const char* text;
  const char* message;
};

TEST(CaseFile, NamesTheKeyTheValueAndTheRule) {
  const Broken cases[] = {
      {"operation", "gemm", "metadata operation: it does not start with { or ["},
      {"configuration", "[]", "metadata configuration is not an object"},
      {"configuration", "algorithm 3", "metadata configuration: it does not start with { or ["},
      {"configuration", R"({"algorithm":"3"})", "metadata configuration: \"algorithm\" is not an integer of 64 bits"},
      {"configuration", R"({"algorithm":[3]})", "metadata configuration: \"algorithm\" is not an integer of 64 bits"},
      {"configuration", R"({"algorithm":3.5})", "\"3.5\" is not a 64-bit integer"},
      {"configuration", R"({"algorithm":9223372036854775808})", "\"algorithm\" is not an integer of 64 bits with sign"},
      {"configuration", R"({"algorithm":1,"algorithm":1})", "the key \"algorithm\" stands twice"},
      {"configuration", R"({"Algorithm":1})", "metadata configuration: option \"Algorithm\": a name is 1 to 32"},
      {"operation", "[]", "metadata operation is not an object"},
      {"operation", "{}", "field name is missing"},
      {"operation", R"({"name":"gemm"})", "field extents is missing"},
      {"operation", R"({"name":"softmax","extents":{},"formats":{}})",
       "\"softmax\" is none of convert, gemm, gemm.grouped, reduce.sum,"},
      {"operation", R"({"name":"gemm","name":"gemm"})", "the key \"name\" stands twice"},
      {"operation", R"({"name":"gemm","groups":3})", "unknown field \"groups\"; valid: name, extents, formats"},
      {"operation", R"({"name":7})", "field name is not a string"},
      {"operation", R"({"name":"gemm","extents":[],"formats":{}})", "extents is not an object"},
      {"operation", R"({"name":"gemm","extents":{"m":1},"formats":{}})", "field batch is missing"},
      {"operation", R"({"name":"gemm","extents":{"batch":1,"m":"1","n":1,"k":2},"formats":{}})",
       "field m is not a signed 64-bit integer"},
      {"operation", R"({"name":"gemm","extents":{"batch":1,"m":1.5,"n":1,"k":2},"formats":{}})",
       "\"1.5\" is not a 64-bit integer"},
      {"operation", R"({"name":"gemm","extents":{"batch":1,"m":1e30,"n":1,"k":2},"formats":{}})",
       "\"1e30\" is not a 64-bit integer"},
      {"operation", R"({"name":"gemm","extents":{"batch":1,"m":18446744073709551615,"n":1,"k":2},"formats":{}})",
       "field m is not a signed 64-bit integer"},
      {"operation",
       R"({"name":"gemm","extents":{"batch":1,"m":-1,"n":1,"k":2},"formats":{"a":"F16","b":"F16","d":"F32"}})",
       "m = -1 is negative"},
      {"operation",
       R"({"name":"gemm","extents":{"batch":1,"m":1,"n":1,"k":9223372036854775807},"formats":{"a":"F16","b":"F16","d":"F32"}})",
       "k = 9223372036854775807 exceeds 2147483648"},
      {"operation",
       R"({"name":"gemm","extents":{"batch":1,"m":65536,"n":65536,"k":2},"formats":{"a":"F16","b":"F16","d":"F32"}})",
       "tensor a has shape [1, 1, 2] where the operation has [1, 65536, 2]"},
      {"operation",
       R"({"name":"gemm","extents":{"batch":1,"m":1,"n":1,"k":3},"formats":{"a":"F16","b":"F16","d":"F32"}})",
       "tensor a has shape [1, 1, 2] where the operation has [1, 1, 3]"},
      {"operation",
       R"({"name":"gemm","extents":{"batch":1,"m":1,"n":1,"k":2},"formats":{"a":"F32","b":"F16","d":"F32"}})",
       "tensor a has format F16 where the operation has F32"},
      {"operation",
       R"({"name":"gemm","extents":{"batch":1,"m":1,"n":1,"k":2},"formats":{"a":"half","b":"F16","d":"F32"}})",
       "field a = \"half\" is none of F64, F32,"},
      {"operation",
       R"({"name":"gemm","extents":{"batch":1,"m":1,"n":1,"k":2},"formats":{"a":"TF32","b":"F16","d":"F32"}})",
       "a has format TF32"},
      {"operation", R"({"name":"reduce.sum","extents":{"rows":1,"columns":1},"formats":{"x":"F32","y":"F32"}})",
       "tensor \"a\" does not belong to reduce.sum"},
      {"scalars", R"({"alpha":{"bits":"0x1","format":"F16"}})", "field beta is missing"},
      {"scalars", R"({"alpha":{"bits":"1","format":"F16"},"beta":{"bits":"0x0","format":"F16"}})",
       "field bits = \"1\" is not 0x and hexadecimal digits"},
      {"scalars", R"({"alpha":{"bits":"0x","format":"F16"},"beta":{"bits":"0x0","format":"F16"}})", "field bits"},
      {"scalars", R"({"alpha":{"bits":"0x00000000000000000","format":"F16"},"beta":{"bits":"0x0","format":"F16"}})",
       "field bits"},
      {"scalars", R"({"alpha":{"bits":"0x-1","format":"F16"},"beta":{"bits":"0x0","format":"F16"}})", "field bits"},
      {"scalars", R"({"alpha":{"bits":"0x11111111111111111","format":"F16"},"beta":{"bits":"0x0","format":"F16"}})",
       "field bits"},
      {"scalars", R"({"alpha":{"bits":"0x10000","format":"F16"},"beta":{"bits":"0x0","format":"F16"}})",
       "alpha = 0x10000 does not fit the 16 bits of F16"},
      {"scalars", R"({"alpha":{"bits":"0x1","format":"F16"},"beta":{"bits":"0x0","format":"F16"},"gamma":1})",
       "unknown field \"gamma\"; valid: alpha, beta"},
      {"layout", "[]", "metadata layout is not an object"},
      {"layout", R"({"a":{"shape":[1,1,2],"strides":[2,2,1]}})", "metadata layout: \"a\": field offset is missing"},
      {"layout", R"({"a":{"shape":[1,1,2],"strides":[2,2,1],"offset":0},"a":{}})", "the key \"a\" stands twice"},
      {"layout", R"({"a":{"shape":[1,1,2],"strides":[2,2,-1],"offset":0}})", "stride -1 of dimension 2 is negative"},
      {"layout", R"({"a":{"shape":[1,1,2],"strides":[2,2,1],"offset":-1}})", "offset -1 is negative"},
      {"layout", R"({"a":{"shape":[1,1,2],"strides":[2,2,"1"],"offset":0}})", "field strides holds something else"},
      {"layout", R"({"a":{"shape":[1,1,2],"strides":7,"offset":0}})", "field strides is not a list"},
      {"layout", R"({"a":{"shape":[1,1,2],"strides":[2,2,9223372036854775807],"offset":9223372036854775807}})",
       "exceeds 17179869184"},
      {"layout", R"({"a":{"shape":[1,1,2],"strides":[2,2,17179869184],"offset":0}})", "it spans more than"},
      {"layout", R"({"a":{"shape":[1,2],"strides":[2,1],"offset":0}})", "layout of a: shape [1, 2] where"},
      {"layout", R"({"d":{"shape":[1,1,1],"strides":[1,1,1],"offset":17179869184}})", "it spans more than"},
      {"layout", R"({"q":{"shape":[1],"strides":[1],"offset":0}})", "layout of \"q\" does not belong to gemm"},
      {"poison", "zero", "metadata poison = \"zero\" is none of nan, large"},
      {"schedule", R"({"order":"forward","preempt":false,"seed":0})", "field seed is not a string"},
      {"schedule", R"({"order":"forward","preempt":0,"seed":"0"})", "field preempt is neither true nor false"},
      {"schedule", R"({"order":"sideways","preempt":false,"seed":"0"})", "is none of forward, backward, random"},
      {"schedule", R"({"order":"forward","preempt":false,"seed":"-1"})", "is not a decimal number of 64 bits"},
      {"seed", "", "metadata seed = \"\" is not a decimal number"},
      {"seed", "0x10", "is not a decimal number of 64 bits"},
      {"seed", "007", "is not a decimal number of 64 bits"},
      {"seed", "+7", "is not a decimal number of 64 bits"},
      {"index", "18446744073709551616", "metadata index = \"18446744073709551616\" is not a decimal number"},
      {"index", "1e3", "is not a decimal number of 64 bits"},
      {"expect", "{}", "metadata expect is not a list"},
      {"expect", R"([{"kernel":"k"}])", "field verdict is missing"},
      {"expect", R"([{"kernel":"k","verdict":"ok"}])", "is none of pass, fail, vacuous, refused, error"},
      {"expect", R"([{"kernel":"k","verdict":"fail","class":"oops"}])", "is none of wrong_value,"},
      {"expect", R"([{"kernel":"k","verdict":"pass","class":"hang"}])", "class hang goes with verdict fail"},
      {"expect", R"([{"kernel":"k","verdict":"pass","executor":"tpu"}])", "executor \"tpu\" is none of *, cuda, host"},
      {"expect", R"([{"kernel":"k","verdict":"pass","when":"now"}])", "unknown field \"when\""},
      {"expect", R"([7])", "metadata expect is not an object"},
      {"expect", R"([[[[[[[[[]]]]]]]]])", "nests deeper than 8 levels"},
      {"found", "[]", "metadata found is not an object"},
      {"found", R"({"kernel":"k","verdict":"pass","class":"hang"})", "found: class hang goes with verdict fail"},
      {"found", R"({"kernel":"k","verdict":"fail","executor":"tpu"})", "found: executor \"tpu\" is none of"},
  };
  for (const Broken& broken : cases) {
    EXPECT_THAT(error_with(broken.key, broken.text), HasSubstr(broken.message)) << broken.key << " " << broken.text;
  }
}

TEST(CaseFile, ScalarsBelongToGemmOnly) {
  files::Archive archive;
  archive.tensors.emplace("x", tensor::Tensor(F32, {1, 1}));
  archive.metadata = {
      {"negzero", "1"},
      {"operation", R"({"name":"reduce.sum","extents":{"rows":1,"columns":1},"formats":{"x":"F32","y":"F32"}})"}};
  EXPECT_EQ(error_of(archive), "accepted");
  archive.metadata["scalars"] = "{}";
  EXPECT_EQ(error_of(archive), "metadata scalars: reduce.sum has none");
}

TEST(CaseFile, OutputsThatOverlapAreRefused) {
  files::Archive archive;
  archive.tensors.emplace("x", tensor::Tensor(F32, {4, 1}));
  archive.metadata = {
      {"negzero", "1"},
      {"operation", R"({"name":"reduce.sum","extents":{"rows":4,"columns":1},"formats":{"x":"F32","y":"F32"}})"},
      {"layout", R"({"y":{"shape":[4],"strides":[0],"offset":0}})"}};
  EXPECT_EQ(error_of(archive), "layout of y: elements of an output share an address");
}

TEST(CaseFile, LoadAndSaveNameThePath) {
  std::string pattern = (std::filesystem::temp_directory_path() / "negzero-case-test-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::string path = pattern + "/case.safetensors";
  const Case value = *parse(files::write_safetensors(archive_of_gemm()));
  ASSERT_TRUE(save(path, value).ok());
  EXPECT_EQ(*load(path), value);

  Case invalid = value;
  invalid.tensors.erase("a");
  const base::Status refused = save(path, invalid);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, path + ": not a valid case to write: tensor a is missing");
  EXPECT_EQ(*load(path), value);

  ASSERT_TRUE(files::write_file_atomically(path, {}).ok());
  const base::Result<Case> empty = load(path);
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().message,
            path + ": safetensors: 0 bytes are too few for the length of a header; mend the file or fetch it again");
  EXPECT_FALSE(load(path + ".missing").ok());
  std::filesystem::remove_all(pattern);
}

TEST(CaseFile, AWrongCaseIsRefusedBeforeItsElementsAreRead) {
  const auto unread = [](const files::Archive& archive) {
    const std::vector<std::byte> file = files::write_safetensors(archive);
    int ends[2], left = -1;
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::write(ends[1], file.data(), file.size()), static_cast<ssize_t>(file.size()));
    ::close(ends[1]);
    const base::Result<Case> value = load("/dev/fd/" + std::to_string(ends[0]));
    EXPECT_FALSE(value.ok());
    EXPECT_EQ(value.error().message,
              "/dev/fd/" + std::to_string(ends[0]) + ": " + error_of(archive) + "; mend the file or fetch it again");
    EXPECT_EQ(::ioctl(ends[0], FIONREAD, &left), 0);
    ::close(ends[0]);
    return left;
  };
  constexpr int kData = 3 * 4;  // write_safetensors() puts the elements last: 4 bytes of each of a, b and c.
  files::Archive archive = archive_of_gemm();
  archive.metadata["negzero"] = "2";
  EXPECT_EQ(unread(archive), kData) << "a version of the future";
  archive = archive_of_gemm();
  archive.metadata["operation"] =
      R"({"name":"gemm","extents":{"batch":1,"m":1,"n":1,"k":3},"formats":{"a":"F16","b":"F16","d":"F32"}})";
  EXPECT_EQ(unread(archive), kData) << "tensors of another shape";
  archive = archive_of_gemm();
  archive.tensors.erase("c");
  EXPECT_EQ(unread(archive), kData - 4) << "a tensor is missing";
  archive = archive_of_gemm();
  archive.metadata["layout"] = R"({"d":{"shape":[1,1,1],"strides":[1,1,1],"offset":20000000000}})";
  EXPECT_EQ(unread(archive), kData) << "a layout that spans more than any";
  archive = archive_of_gemm();
  const auto launches = [](int times) {
    return fmt::format(R"({{"times":{},"contents":"same","storage":"same","shape":"same","seed":"0"}})", times);
  };
  archive.metadata["history"] = fmt::format("[{},{}]", launches(64), launches(1));
  EXPECT_EQ(unread(archive), kData) << "a longer history than any has";
}

}  // namespace
}  // namespace negzero::case_file
