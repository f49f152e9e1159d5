// The kernels that ship, watched: no correct kernel is reported on any case, and faults are found by what they do.

#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/generate/generate.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/ulp_distance.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/local_executor.hpp>
#include <negzero/run/watched_size.hpp>

namespace negzero {
namespace {

using kernel::Place;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

/// Cases a kernel, of which the small ones are watched; NEGZERO_WATCHED_CASES asks for more.
std::uint64_t cases() {
  const char* text = std::getenv("NEGZERO_WATCHED_CASES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 150;
}

generate::Request request_of(const kernel::Kernel& kernel) {
  return {kernel.operation, kernel.limits, kernel.contract, {}};
}

std::vector<std::string> names(const std::string& glob) {
  std::vector<std::string> result;
  for (const kernel::Kernel* kernel : kernel::registry().match(std::vector{glob}, Place::Host)) {
    if (!kernel->is_faulty() || glob != "*") result.push_back(kernel->name);
  }
  return result;
}

TEST(Watched, EveryKernelHasAWatchedBuild) {
  for (const std::string& name : names("*"))
    EXPECT_NE(kernel::registry().find(name, kernel::Where(Place::Host, true)), nullptr) << name;
}

class Clean : public testing::TestWithParam<std::string> {};

TEST_P(Clean, NothingIsReported) {
  const kernel::Kernel& kernel = *kernel::registry().find(GetParam(), kernel::Where(Place::Host, true));
  const generate::Request request = request_of(kernel);
  run::HostExecutor executor;
  for (std::uint64_t index = 0; index < cases(); ++index) {
    operation::Case value = generate::make_case(request, 7, index);
    if (!run::is_small_enough_to_watch(value.operation)) continue;
    value.schedule.preempt = index % 3 == 0;
    const Verdict verdict = property::conformance(value, kernel, executor);
    ASSERT_TRUE(verdict.kind != VerdictKind::Fail && verdict.kind != VerdictKind::Error)
        << "index " << index << " " << (verdict.failure ? verdict.failure->message : verdict.reason);
  }
}

INSTANTIATE_TEST_SUITE_P(Watched, Clean, testing::ValuesIn(names("*")), [](const auto& row) {
  std::string name = row.param;
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
});

/// A watched build computes the same bits.
TEST_P(Clean, OutputsAreThoseOfThePlainBuild) {
  const kernel::Kernel& watched = *kernel::registry().find(GetParam(), kernel::Where(Place::Host, true));
  const kernel::Kernel& plain = *kernel::registry().find(GetParam(), Place::Host);
  const generate::Request request = request_of(plain);
  run::HostExecutor executor;
  for (std::uint64_t index = 0; index < 50; ++index) {
    operation::Case value = generate::make_case(request, 8, index);
    if (!run::is_small_enough_to_watch(value.operation)) continue;
    // The order in which atomics arrive may differ where any access is a point of preemption.
    value.schedule.preempt = false;
    const run::Outcome a = executor.run(value, watched, watched.contract);
    const run::Outcome b = executor.run(value, plain, plain.contract);
    ASSERT_EQ(a.status, b.status);
    const number::Format& format = a.outputs.front().format();
    for (std::int64_t i = 0; a.status == run::Outcome::Status::Completed && i < a.outputs.front().element_count();
         ++i) {
      const std::uint64_t x = a.outputs.front().get(i), y = b.outputs.front().get(i);
      // Which payload comes out of two NaNs is the compiler's choice of operands.
      ASSERT_TRUE(number::same_result(format, x, y)) << "index " << index << " at " << i;
    }
  }
}

struct Fault {
  const char* name;
  FailureClass kind;
  const char* rule;
  const char* text;
};
class Faulty : public testing::TestWithParam<Fault> {};

TEST_P(Faulty, IsFoundByItsRule) {
  const Fault& row = GetParam();
  const kernel::Kernel* kernel = kernel::registry().find(row.name, kernel::Where(Place::Host, true));
  ASSERT_NE(kernel, nullptr);
  const generate::Request request = request_of(*kernel);
  run::HostExecutor executor;
  int found = 0;
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Verdict verdict = property::conformance(generate::make_case(request, 7, index), *kernel, executor);
    if (verdict.kind != VerdictKind::Fail || verdict.failure->kind != row.kind) continue;
    EXPECT_EQ(verdict.failure->rule.id(), row.rule);
    EXPECT_THAT(verdict.failure->message, testing::HasSubstr(row.text));
    ++found;
  }
  EXPECT_GE(found, 5);
}

INSTANTIATE_TEST_SUITE_P(Watched, Faulty,
                         testing::Values(Fault{"faulty.G1.reads_c_at_beta_zero", FailureClass::ForbiddenRead,
                                               "run.forbidden_read", "the contract says that c is not read here"},
                                         Fault{"faulty.G8.k_tail_not_predicated", FailureClass::OutOfBoundsAccess,
                                               "run.bounds", ", past its end"}),
                         [](const auto& row) {
                           std::string name = row.param.name;
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace negzero
