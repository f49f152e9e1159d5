// Declarations of kernels as text: every field comes back, and what is no declaration is an error.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/kernel/declaration.hpp>

namespace negzero::kernel {
namespace {

using number::FormatId;
using operation::Limits;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

Kernel plain(const std::string& name) {
  return {.name = name,
          .operation = "gemm",
          .about = "says \"what\", \xe2\x80\xa6 and \\ why",
          .launch = [](const Args&, Workspace&, engine::Stream&) { return LaunchResult::launched(); }};
}

/// All fields of limits that are one number, in one order. A field that is new does not compile here. Those that are
/// lists are in tests/operation/tensor_limits_test.cpp.
template <typename L, typename F>
void for_each_number(L& limits, const F& f) {
  auto& [formats, extents, alpha, beta, scalars, values, inputs, output, tensors, products, equal, relations, in_place,
         configuration, distant] = limits;
  for (const std::string& name : operation::find_signature(plain("any").operation)->extents) {
    auto& [min, max, multiple, power_of_two, tiles] = extents[name];
    f(min, 2);
    f(max, 1000);
    f(multiple, 8);
    f(power_of_two, 1);
  }
  f(alpha, 1);
  f(beta, 2);
  (void)in_place;       // Its words are below.
  (void)configuration;  // Its lists too.
  (void)values;         // Its ranges are below.
  (void)relations;      // They are below.
  (void)distant;        // Of who launches: below.
  (void)scalars;        // Of declared operations: tests/operation/declared_test.cpp.
  for (auto* layout : {&inputs, &output}) {
    auto& [order, broadcast, max_offset, offset_multiple, stride_multiple, max_stride, max_span, alignment, shared] =
        *layout;
    f(order, 3);
    f(broadcast, 0);
    f(max_offset, 12);
    f(offset_multiple, 4);
    f(stride_multiple, 16);
    f(max_stride, 1 << 30);
    f(max_span, 4096);
    f(alignment, 32);
  }
}

std::vector<std::int64_t> numbers_of(const Limits& limits) {
  std::vector<std::int64_t> numbers;
  for_each_number(limits, [&](const auto& field, int) { numbers.push_back(static_cast<std::int64_t>(field)); });
  return numbers;
}

/// The first kernel after a journey through text; the whole text must come back too.
Kernel back(const Kernel& kernel) {
  Registry before, after;
  before.add(kernel);
  EXPECT_THAT(before.errors(), IsEmpty());
  const std::string text = declarations(before);
  const base::Status declared = declare({.declarations = text}, after);
  EXPECT_TRUE(declared.ok()) << (declared.ok() ? "" : declared.error().message);
  EXPECT_EQ(declarations(after), text);
  const Kernel* found = after.find(kernel.name, kernel.where());
  return found == nullptr ? Kernel{} : *found;
}

TEST(Declaration, EveryNumberOfTheLimitsComesBack) {
  const std::size_t count = numbers_of({}).size();
  for (std::size_t changed = 0; changed < count; ++changed) {
    Kernel kernel = plain("one.field");
    std::size_t at = 0;
    for_each_number(kernel.limits, [&](auto& field, int value) {
      if (at++ == changed) field = static_cast<std::remove_reference_t<decltype(field)>>(value);
    });
    const std::vector<std::int64_t> numbers = numbers_of(kernel.limits);
    ASSERT_NE(numbers, numbers_of({})) << "field " << changed << " was not changed: this test shows nothing";
    EXPECT_EQ(numbers_of(back(kernel).limits), numbers) << "field " << changed;
  }
}

TEST(Declaration, DistantTensorsAreForProgramsOfOurOwnRuntime) {
  Kernel kernel = plain("shows");
  EXPECT_TRUE(back(kernel).limits.distant);
  kernel.build.values_only = true;
  EXPECT_FALSE(back(kernel).limits.distant);
}

TEST(Declaration, RelationsBetweenExtentsComeBack) {
  Kernel kernel = plain("ties");
  const auto relation = notation::parse_relation("m <= n + k / 2");
  ASSERT_TRUE(relation.ok()) << relation.error().message;
  kernel.limits.relations = {*relation};
  const Limits limits = back(kernel).limits;
  ASSERT_EQ(limits.relations.size(), 1u);
  EXPECT_EQ(limits.relations.front().to_string(), "m <= n + k / 2");
}

TEST(Declaration, FormatsTilesOptionsValuesAndWhatIsInPlaceComeBack) {
  Kernel kernel = plain("lists");
  for (const bool always : {false, true}) {
    kernel.limits.in_place = {.input = "c", .always = always};
    EXPECT_EQ(back(kernel).limits.in_place.input, "c");
    EXPECT_EQ(back(kernel).limits.in_place.always, always);
  }
  kernel.limits.in_place = {};
  kernel.limits.configuration = {{"algorithm", {2, 0, 1}}, {"workspace", {4096, 0}}};
  EXPECT_EQ(back(kernel).limits.configuration, kernel.limits.configuration);
  kernel.limits.configuration = {};
  using operation::Infinities;
  kernel.limits.values = {{"a", {-1e4, 0x1p-130}},
                          {"b", {.least = 0.1, .infinities = Infinities::Positive}},
                          {"c", {.greatest = 3, .infinities = Infinities::Negative, .nan = true}}};
  EXPECT_EQ(back(kernel).limits.values, kernel.limits.values);
  kernel.limits.values = {{"a", {.infinities = Infinities::Yes}}, {"b", {}}};
  EXPECT_EQ(back(kernel).limits.values, kernel.limits.values);
  kernel.limits.values = {};
  kernel.limits.formats = {{FormatId::F16, FormatId::F16, FormatId::F32},
                           {FormatId::BF16, FormatId::BF16, FormatId::F64},
                           {FormatId::F16, FormatId::F16, FormatId::F16, FormatId::F32}};
  kernel.limits.extents = {{"m", {.tiles = {64, 128}}}, {"k", {.tiles = {16}}}};
  const Limits limits = back(kernel).limits;
  EXPECT_EQ(limits.formats, kernel.limits.formats);
  EXPECT_EQ(limits.extents["m"].tiles, (std::vector<std::int64_t>{64, 128}));
  EXPECT_TRUE(limits.extents["n"].tiles.empty());
  EXPECT_EQ(limits.extents["k"].tiles, std::vector<std::int64_t>{16});
}

TEST(Declaration, AllElseComesBackButTheCode) {
  for (const Where where : kWheres) {
    Kernel kernel = plain("dotted.name");
    kernel.place = where.place;
    kernel.build = {.watched = where.watched, .coverage = where.watched};
    kernel.contract.zero_sign = contract::ZeroSign::Ieee;
    kernel.contract.reads_c_at_beta_zero = true;
    const Kernel seen = back(kernel);
    EXPECT_EQ(seen.name, kernel.name);
    EXPECT_EQ(seen.operation, kernel.operation);
    EXPECT_EQ(seen.about, kernel.about);
    EXPECT_EQ(seen.where(), where);
    EXPECT_EQ(seen.build, kernel.build);
    EXPECT_THAT(seen.file, EndsWith("declaration_test.cpp"));
    EXPECT_GT(seen.line, 0);
    EXPECT_EQ(seen.contract, kernel.contract);
    EXPECT_FALSE(seen.launch);
  }
}

TEST(Declaration, OneThatIsWrittenByHandNeedsLittle) {
  Registry registry;
  const base::Status declared = declare({{"/a/worker"},
                                         R"({"version": 1, "kernels": [
      {"name": "my.gemm", "operation": "gemm", "formats": [{"d": "F32", "b": "F16", "a": "F16"}], "contract": "f32",
       "shows": "values", "limits": {"extents": {"k": {"multiple": 16}}, "beta": "zero"}},
      {"name": "my.sum", "operation": "reduce.sum"}]})"},
                                        registry);
  ASSERT_TRUE(declared.ok()) << declared.error().message;
  EXPECT_THAT(registry.errors(), IsEmpty());
  const Kernel* const gemm = registry.find("my.gemm", Place::Host);
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->limits.formats, (std::vector<std::vector<FormatId>>{{FormatId::F16, FormatId::F16, FormatId::F32}}));
  EXPECT_EQ(gemm->limits.extents["k"].multiple, 16);
  EXPECT_EQ(gemm->limits.beta, operation::ScalarLimit::Zero);
  EXPECT_EQ(gemm->contract, *contract::preset("f32"));
  EXPECT_TRUE(gemm->build.values_only);
  const Kernel* const sum = registry.find("my.sum", Place::Host);
  ASSERT_NE(sum, nullptr);
  EXPECT_TRUE(sum->build.values_only) << "what is written by hand shows no more";
  EXPECT_TRUE(sum->limits.formats.empty());
  Registry again;
  ASSERT_TRUE(declare(sources(registry).front(), again).ok());
  EXPECT_TRUE(again.find("my.gemm", Place::Host)->build.values_only) << "another process knows it too";
}

TEST(Declaration, AnInterpreterPassesItsOwnContractAlone) {
  Registry first, again;
  const base::Status declared = declare({{"/a/worker"},
                                         R"({"version": 1, "kernels": [
      {"name": "gpus", "operation": "gemm", "interpreter": "Triton"},
      {"name": "own", "operation": "gemm", "interpreter": "Triton", "contract_of": "interpreter"},
      {"name": "none", "operation": "gemm"}]})"},
                                        first);
  ASSERT_TRUE(declared.ok()) << declared.error().message;
  ASSERT_TRUE(declare(sources(first).front(), again).ok());
  for (const Registry* const registry : {&first, &again}) {
    const auto build = [&](const char* name) { return registry->find(name, Place::Host)->build; };
    EXPECT_TRUE(build("gpus").cannot_pass());
    EXPECT_THAT(interpreter_text(build("gpus")),
                HasSubstr("Triton interpreter: not the GPU's numerics; what is right"));
    EXPECT_FALSE(build("own").cannot_pass());
    EXPECT_THAT(interpreter_text(build("own")), HasSubstr("Triton interpreter: not the GPU's numerics; judged by"));
    EXPECT_FALSE(build("none").cannot_pass());
    EXPECT_EQ(interpreter_text(build("none")), "");
  }
}

TEST(Declaration, AMistakeIsNamedWithItsKernel) {
  const auto message = [](const std::string& fields) {
    Registry registry;
    const base::Status declared = declare(
        {{"/a/worker"}, R"({"version": 1, "kernels": [{"name": "my.gemm", "operation": "gemm", )" + fields + "}]}"},
        registry);
    return declared.ok() ? "" : declared.error().message;
  };
  const std::string begin = "/a/worker's declaration of its kernels cannot be read: kernel 'my.gemm': ";
  EXPECT_THAT(message(R"("formtas": [])"),
              HasSubstr(begin + R"(no field is called "formtas"; did you mean "formats"?)"));
  EXPECT_THAT(message(R"("limits": {"alpha": "none"})"),
              HasSubstr(begin + R"(alpha "none" is none of any, zero_or_one, zero, one)"));
  EXPECT_THAT(message(R"("limits": {"extents": {"k": {"multple": 16}}})"), HasSubstr(R"(did you mean "multiple"?)"));
  EXPECT_THAT(message(R"("formats": [{"a": "F16", "b": "F16"}])"), HasSubstr(begin + "formats says nothing of d in "));
  EXPECT_THAT(message(R"("contract_of": "me")"), HasSubstr(begin + R"(contract_of "me" is none of gpu, interpreter)"));
  EXPECT_THAT(message(R"("about": 3)"), HasSubstr(begin + "type must be string, but is number"));
  EXPECT_THAT(message(R"("about": ")" + std::string(1025, 'x') + '"'), HasSubstr(begin + "about is longer than 1024"));
}

TEST(Declaration, WhatWasWrongWithOthersComesBack) {
  Registry before, after;
  Kernel kernel = plain("broken");
  kernel.operation = "no such operation";
  before.add(kernel);
  ASSERT_THAT(before.errors(), SizeIs(1));
  ASSERT_TRUE(declare({.declarations = declarations(before)}, after).ok());
  EXPECT_EQ(after.errors(), before.errors());
}

TEST(Declaration, FilesThatAreAbsentComeBack) {
  Registry before, after;
  EXPECT_THAT(declarations(before), Not(HasSubstr("absent")));
  before.note_absent({"kernels/vendor/a \"b\".cu", "for a GPU alone"});
  ASSERT_TRUE(declare({.declarations = declarations(before)}, after).ok());
  EXPECT_EQ(after.absent(), before.absent());
}

TEST(Declaration, AKernelIsRunByTheProgramThatDeclaresIt) {
  Registry first, second, both;
  first.add(plain("one"));
  second.add(plain("two"));
  const KernelSource one{{"/bin/first", "--flag"}, declarations(first)}, two{{"/bin/second"}, declarations(second)};
  ASSERT_TRUE(declare(one, both).ok());
  ASSERT_TRUE(declare(two, both).ok());
  EXPECT_EQ(both.find("one", Place::Host)->build.program, one.program);
  EXPECT_EQ(both.find("two", Place::Host)->build.program, two.program);
  EXPECT_EQ(sources(both), (std::vector{one, two})) << "another process knows the same kernels";
}

TEST(Declaration, AWatchedBuildOfAnotherProgramIsNotTakenForThePlainOne) {
  Registry plainly, watched, both;
  plainly.add(plain("one"));
  Kernel kernel = plain("one");
  kernel.build.watched = true;
  watched.add(kernel);
  ASSERT_TRUE(declare({{"/bin/first"}, declarations(plainly)}, both).ok());
  ASSERT_TRUE(declare({{"/bin/second"}, declarations(watched)}, both).ok());
  EXPECT_EQ(both.find("one", {Place::Host, true}), nullptr);
  EXPECT_EQ(both.errors().size(), 1u);
}

TEST(Declaration, AKernelOfTwoProgramsIsAnErrorThatNamesBoth) {
  Registry holds, both;
  holds.add(plain("one"));
  ASSERT_TRUE(declare({{"/bin/first"}, declarations(holds)}, both).ok());
  ASSERT_TRUE(declare({{"/bin/first"}, declarations(holds)}, both).ok());
  EXPECT_THAT(both.errors(), IsEmpty()) << "the same program, named twice";
  ASSERT_TRUE(declare({{"/bin/second"}, declarations(holds)}, both).ok());
  EXPECT_THAT(both.errors(),
              ElementsAre("kernel 'one' is in /bin/first and in /bin/second; give one of them another name"));
  EXPECT_EQ(both.find("one", Place::Host)->build.program, std::vector<std::string>{"/bin/first"});
}

std::string with(std::string text, const std::string& what, const std::string& instead) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " is not in " << text;
  return at == std::string::npos ? text : text.replace(at, what.size(), instead);
}

TEST(Declaration, WhatIsNoneIsAnError) {
  Registry registry;
  Kernel kernel = plain("one");
  kernel.limits.formats = {{FormatId::F16, FormatId::F16, FormatId::F32}};
  kernel.limits.extents = {{"m", {.min = 1, .tiles = {8}}}};
  kernel.limits.alpha = operation::ScalarLimit::One;
  kernel.limits.inputs.order = operation::LayoutOrder::Packed;
  registry.add(kernel);
  const std::string good = declarations(registry);
  for (const std::string& bad : {std::string("not JSON"),
                                 std::string("[]"),
                                 with(good, R"("version":1)", R"("version":9)"),
                                 with(good, R"("executor":"host")", R"("executor":"moon")"),
                                 with(good, R"("F16")", R"("F17")"),
                                 with(good, R"("a":"F16")", R"("e":"F16")"),
                                 with(good, R"("a":"F16")", R"("a":"F16","e":"F16")"),
                                 with(good, R"("alpha":"one")", R"("alpha":"two")"),
                                 with(good, R"("alpha":"one")", R"("alpha":1)"),
                                 with(good, R"("alpha")", R"("gamma")"),
                                 with(good, R"("least":1)", R"("least":0.5)"),
                                 with(good, R"("least":1)", R"("least":2e43)"),
                                 with(good, R"("least":1)", R"("most":1)"),
                                 with(good, R"("executor":"host")", R"("executor":"watched","shows":"values")"),
                                 with(good, R"("executor":"host")", R"("shows":"nothing")"),
                                 with(good, R"("contract":{})", R"("contract":"f33")"),
                                 with(good, R"("name":"one")", R"("name":")" + std::string(257, 'n') + '"'),
                                 with(good, R"("errors":[])", R"("errors":)" + std::string(1 << 20, '[')),
                                 with(good, R"("order":"packed")", R"("order":4)"),
                                 with(good, R"("extents")", R"("extends")"),
                                 with(good, "[8]", "8"),
                                 with(good, "[8]", R"(["8"])"),
                                 with(good, R"("errors":[])", R"("errors":[3])"),
                                 with(good, R"("file":)", R"("fill":)"),
                                 with(good, R"("line":)", R"("line":"x","lime":)"),
                                 with(good, R"("name":"one")", R"("name":[])")}) {
    Registry into;
    const base::Status declared = declare({.declarations = bad}, into);
    ASSERT_FALSE(declared.ok()) << bad;
    EXPECT_THAT(declared.error().message, HasSubstr("a program's declaration of its kernels cannot be read: "));
    EXPECT_THAT(declared.error().message, HasSubstr("docs/reference/worker_protocol.md"));
    EXPECT_EQ(declared.error().kind, base::ErrorKind::Infrastructure);
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    Registry into;
    EXPECT_FALSE(declare({.declarations = good.substr(0, size)}, into).ok()) << size;
  }
}

TEST(Declaration, AKernelThatTheRegistryLeavesOutIsLeftOutHereToo) {
  Registry registry;
  Kernel kernel = plain("one");
  kernel.limits.extents = {{"m", {.max = 7}}};
  registry.add(kernel);
  const std::string good = declarations(registry);
  for (const std::string& bad :
       {with(good, R"("m":{)", R"("q":{)"), with(good, R"("operation":"gemm")", R"("operation":"gum")"),
        with(good, R"("name":"one")", R"("name":"../one")"), with(good, R"("m":{)", R"("m":{"least":-1,)")}) {
    Registry into;
    ASSERT_TRUE(declare({.declarations = bad}, into).ok());
    EXPECT_EQ(into.find("one", Place::Host), nullptr) << bad;
  }
}

// Which text comes from a program that holds kernels is that program's doing.
RC_GTEST_PROP(DeclarationProperty, AnyTextIsReadOrRefused, ()) {
  Registry registry, into;
  registry.add(plain("one"));
  std::string text = declarations(registry);
  for (int changes = *rc::gen::inRange(1, 6); changes > 0; --changes) {
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  }
  (void)declare({.declarations = text}, into);
}

}  // namespace
}  // namespace negzero::kernel
