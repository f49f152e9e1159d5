// What the host executor gives to a kernel, and what it notices that a kernel did with it.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/poison.hpp>
#include <negzero/protocol/guarded_buffer.hpp>
#include <negzero/run/local_executor.hpp>

#include "cases.hpp"

namespace negzero::run {
namespace {

using namespace run_test;
using operation::Poison;
using tensor::Layout;
using verdict::FailureClass;

Outcome run_on(const operation::Case& value, const kernel::Kernel& kernel) {
  HostExecutor executor;
  return executor.run(value, kernel, kernel.contract);
}

float output_at(const Outcome& outcome, std::int64_t i) {
  return static_cast<float>(number::to_double(outcome.outputs.front().format(), outcome.outputs.front().get(i)));
}

void expect_failure(const Outcome& outcome, FailureClass kind, const std::string& rule, const std::string& words) {
  ASSERT_EQ(outcome.status, Outcome::Status::Failed) << outcome.reason;
  EXPECT_EQ(outcome.failure->kind, kind);
  EXPECT_EQ(outcome.failure->rule.id(), rule);
  EXPECT_NE(outcome.failure->message.find(words), std::string::npos) << outcome.failure->message;
}

void flip(void* base, std::ptrdiff_t byte) { static_cast<unsigned char*>(base)[byte] ^= 1; }

TEST(HostExecutor, ComputesASum) {
  const Outcome outcome = run_on(sum_case(3, 4), sum_kernel());
  ASSERT_EQ(outcome.status, Outcome::Status::Completed);
  EXPECT_EQ(outcome.outputs.front().shape(), (std::vector<std::int64_t>{3}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(output_at(outcome, i), static_cast<float>(40 * i + 10));
}

// A copy of one column: what a kernel reads and what comes back, through any layouts of both.
RC_GTEST_PROP(HostExecutor, OperandsLieWhereTheLayoutsSay, ()) {
  const auto number = [](std::int64_t low, std::int64_t high) { return *rc::gen::inRange<std::int64_t>(low, high); };
  HostExecutor executor;
  const auto repeats = *rc::gen::inRange(1, 4);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const std::int64_t rows = number(0, 6), columns = number(1, 4);
    operation::Case value = sum_case(rows, columns);
    value.poison = *rc::gen::element(Poison::Nan, Poison::Large);
    value.layouts["x"] = {{rows, columns}, {number(0, 9), number(0, 9)}, number(0, 20)};
    value.layouts["y"] = {{rows}, {number(1, 5)}, number(0, 20)};
    // Elements that share an address are one element.
    const Layout& x = value.layouts["x"];
    tensor::Tensor& elements = value.tensors.at("x");
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      elements.set(i, number::from_double(elements.format(), static_cast<double>(x.address(i))));
    }
    const Outcome outcome = executor.run(value, sum_kernel(), {});
    RC_ASSERT(outcome.status == Outcome::Status::Completed);
    for (std::int64_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < columns; ++j) sum += static_cast<double>(x.address(i * columns + j));
      RC_ASSERT(static_cast<double>(output_at(outcome, i)) == sum);
    }
  }
}

TEST(HostExecutor, StridesOfABatchedTransposedGemm) {
  operation::Gemm gemm{.batch = 2, .m = 2, .n = 3, .k = 4};
  gemm.beta = gemm.alpha;
  operation::Case value = make_case(gemm, [](const std::string& name, std::int64_t i) {
    return static_cast<double>(name == "a" ? i % 7 : name == "b" ? i % 5 - 2 : i);
  });
  const auto packed = run_on(value, device_kernel("gemm", [](const Args& args) { multiply(gemm_args(args)); }));
  value.layouts["a"] = {{2, 2, 4}, {11, 1, 2}, 3};
  value.layouts["b"] = {{2, 4, 3}, {40, 9, 2}, 1};
  value.layouts["c"] = {{2, 2, 3}, {6, 1, 2}, 0};
  value.layouts["d"] = {{2, 2, 3}, {1, 7, 20}, 5};
  const auto strided = run_on(value, device_kernel("gemm", [](const Args& args) { multiply(gemm_args(args)); }));
  ASSERT_EQ(packed.status, Outcome::Status::Completed);
  ASSERT_EQ(strided.status, Outcome::Status::Completed);
  EXPECT_EQ(packed.outputs.front(), strided.outputs.front());
}

TEST(HostExecutor, AScatterStartsFromItsInitialValues) {
  operation::Case value = scatter_case(5, 3);
  value.layouts["out"] = {{3}, {4}, 2};
  const Outcome outcome = run_on(
      value, device_kernel("scatter.add", [](const Args& args) {
        const auto& scatter = scatter_args(args);
        for (std::int64_t i = 0; i < scatter.updates; ++i) {
          const std::int64_t to = scatter.index.as<std::int32_t>()[i * scatter.index.strides[0]];
          scatter.out.as<float>()[to * scatter.out.strides[0]] += scatter.x.as<float>()[i * scatter.x.strides[0]];
        }
      }));
  ASSERT_EQ(outcome.status, Outcome::Status::Completed);
  EXPECT_EQ(output_at(outcome, 0), 5.0f);
  EXPECT_EQ(output_at(outcome, 1), 107.0f);
  EXPECT_EQ(output_at(outcome, 2), 203.0f);
}

TEST(HostExecutor, AWriteOfOneByteOutsideIsSeen) {
  // Three rows of two: x has 24 bytes and y 12.
  const struct {
    bool output;
    std::ptrdiff_t byte;
    const char* words;
  } writes[] = {{true, -1, "1 byte before the 12 bytes of y"},
                {true, 12, "1 byte past the 12 bytes of y"},
                {true, -4096, "4096 bytes before"},
                {true, 12 + 4095, "4096 bytes past"},
                {false, -1, "1 byte before the 24 bytes of x"},
                {false, 24, "1 byte past the 24 bytes of x"},
                {false, 0, "a write to input x, at byte 0"},
                {false, 23, "a write to input x, at byte 23"}};
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    for (const auto& write : writes) {
      operation::Case value = sum_case(3, 2);
      value.poison = poison;
      const Outcome outcome = run_on(value, sum_kernel([&](const ReduceArgs& args, Workspace&) {
                                       flip(write.output ? args.y.data : args.x.data, write.byte);
                                     }));
      expect_failure(outcome, FailureClass::OutOfBoundsAccess, "run.guard", write.words);
    }
  }
}

TEST(HostExecutor, ACopyOfWhatLiesPastAnInputIsSeenPastTheOutput) {
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    operation::Case value = sum_case(3, 1);
    value.poison = poison;
    const auto copying = [](std::int64_t rows) {
      return device_kernel("reduce.sum", [rows](const Args& args) {
        const auto& reduce = reduce_args(args);
        for (std::int64_t i = 0; i < rows; ++i) reduce.y.as<float>()[i] = reduce.x.as<float>()[i];
      });
    };
    EXPECT_EQ(run_on(value, copying(3)).status, Outcome::Status::Completed);
    expect_failure(run_on(value, copying(4)), FailureClass::OutOfBoundsAccess, "run.guard", "past the 12 bytes of y");
  }
}

TEST(HostExecutor, PaddingAndOffsetsAreGuardedToo) {
  operation::Case value = gemm_case(2, 3, 1, 1, 0);
  value.layouts["d"] = {{1, 2, 3}, {16, 8, 2}, 4};  // Elements 4 6 8 12 14 16.
  const auto with_write = [&](std::ptrdiff_t element) {
    return run_on(value, device_kernel("gemm", [=](const Args& args) {
                    const auto& gemm = gemm_args(args);
                    multiply(gemm);
                    flip(gemm.d.data, 4 * (element - 4) + 3);
                  }));
  };
  for (const std::ptrdiff_t element : {5, 7, 9, 10, 11, 13, 15}) {
    expect_failure(with_write(element), FailureClass::OutOfBoundsAccess, "run.guard",
                   "the padding of d, at element " + std::to_string(element));
  }
  for (const std::ptrdiff_t element : {0, 3}) {
    expect_failure(with_write(element), FailureClass::OutOfBoundsAccess, "run.guard", "before the offset of d");
  }
  for (const std::ptrdiff_t element : {4, 6, 8, 12, 14, 16}) {
    EXPECT_EQ(with_write(element).status, Outcome::Status::Completed) << element;
  }
}

TEST(HostExecutor, WorkspaceIsAlignedPoisonedAndGuarded) {
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    operation::Case value = sum_case(1, 1);
    value.poison = poison;
    const auto with_write = [&](int which, std::ptrdiff_t byte) {
      return run_on(value, sum_kernel([=](const ReduceArgs&, Workspace& workspace) {
                      void* const parts[2] = {workspace.allocate(64), workspace.allocate(13)};
                      std::uint32_t first;
                      for (void* part : parts) {
                        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part) % 256, 0u);
                        std::memcpy(&first, part, 4);
                        EXPECT_EQ(first, poison_word(poison, number::format(FormatId::F32)));
                      }
                      std::memset(parts[0], 0, 64);
                      std::memset(parts[1], 0, 13);
                      flip(parts[which], byte);
                    }));
    };
    EXPECT_EQ(with_write(0, 63).status, Outcome::Status::Completed);
    EXPECT_EQ(with_write(1, 12).status, Outcome::Status::Completed);
    const auto guard = FailureClass::OutOfBoundsAccess;
    expect_failure(with_write(0, -1), guard, "run.guard", "1 byte before the 64 bytes of workspace 0");
    expect_failure(with_write(0, 64), guard, "run.guard", "1 byte past the 64 bytes of workspace 0");
    expect_failure(with_write(1, 13), guard, "run.guard", "1 byte past the 13 bytes of workspace 1");
  }
}

TEST(HostExecutor, ASwapOfTheWordAroundTheLastHalfDamagesNoGuard) {
  const auto with_change = [](std::uint32_t change) {
    return run_on(sum_case(1, 1), sum_kernel([=](const ReduceArgs&, Workspace& workspace) {
                    auto* const word = reinterpret_cast<std::uint32_t*>(static_cast<char*>(workspace.allocate(6)) + 4);
                    std::uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
                    __atomic_compare_exchange_n(word, &old, old ^ change, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
                  }));
  };
  EXPECT_EQ(with_change(0x1234).status, Outcome::Status::Completed);
  expect_failure(with_change(0x10000), FailureClass::OutOfBoundsAccess, "run.guard",
                 "1 byte past the 6 bytes of workspace 0");
}

TEST(HostExecutor, AKernelThatReadsItsWorkspaceUnwrittenIsNotRight) {
  // As one that takes fresh memory for zeros.
  const auto kernel = sum_kernel([](const ReduceArgs& args, Workspace& workspace) {
    const auto* const partial = static_cast<const float*>(workspace.allocate(16));
    args.y.as<float>()[0] += partial[3];
  });
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    operation::Case value = sum_case(1, 2);
    value.poison = poison;
    const Outcome right = run_on(value, sum_kernel()), outcome = run_on(value, kernel);
    ASSERT_EQ(outcome.status, Outcome::Status::Completed);
    EXPECT_NE(outcome.outputs.front().get(0), right.outputs.front().get(0)) << operation::name(poison);
  }
}

TEST(HostExecutor, AbsurdWorkspaceIsTheKernelsFailure) {
  const Outcome outcome = run_on(sum_case(1, 1), sum_kernel([](const ReduceArgs&, Workspace& workspace) {
                                   (void)workspace.allocate(~std::size_t{0} / 4);
                                 }));
  expect_failure(outcome, FailureClass::Crash, "run.launch", "asked for more workspace than any machine has");
}

TEST(HostExecutor, UnwrittenElementsAreCountedWhateverThePoison) {
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    operation::Case value = sum_case(4, 1);
    value.poison = poison;
    const auto without = [&](std::set<std::int64_t> rows) {
      return run_on(value, device_kernel("reduce.sum", [rows](const Args& args) {
                      const auto& reduce = reduce_args(args);
                      for (std::int64_t i = 0; i < 4; ++i) {
                        if (!rows.contains(i)) reduce.y.as<float>()[i] = 1;
                      }
                    }));
    };
    EXPECT_EQ(without({}).status, Outcome::Status::Completed);
    Outcome outcome = without({2});
    expect_failure(outcome, FailureClass::UnwrittenOutput, "run.unwritten", "1 of 4");
    EXPECT_EQ(outcome.failure->element, 2);
    EXPECT_EQ(outcome.failure->failing_elements, 1);
    EXPECT_EQ(outcome.failure->coordinates, std::vector<std::int64_t>{2});
    outcome = without({0, 1, 3});
    expect_failure(outcome, FailureClass::UnwrittenOutput, "run.unwritten", "3 of 4");
    EXPECT_EQ(outcome.failure->element, 0);
  }
}

TEST(HostExecutor, AWrittenPoisonValueIsAValue) {
  for (const Poison poison : {Poison::Nan, Poison::Large}) {
    operation::Case value = sum_case(3, 1);
    value.poison = poison;
    int launches = 0;
    const auto writes_poison = device_kernel("reduce.sum", [&](const Args& args) {
      ++launches;
      const auto word = static_cast<std::uint32_t>(poison_word(poison, number::format(FormatId::F32)));
      for (std::int64_t i = 0; i < 3; ++i) reduce_args(args).y.as<std::uint32_t>()[i] = word;
    });
    const Outcome outcome = run_on(value, writes_poison);
    EXPECT_EQ(outcome.status, Outcome::Status::Completed);
    EXPECT_EQ(outcome.outputs.front().get(0), poison_word(poison, number::format(FormatId::F32)));
    EXPECT_EQ(launches, 2) << "only a second look tells";
  }
}

TEST(HostExecutor, OneLaunchIsEnoughWhenNothingLooksUnwritten) {
  int launches = 0;
  (void)run_on(sum_case(3, 2), sum_kernel([&](const ReduceArgs&, Workspace&) { ++launches; }));
  EXPECT_EQ(launches, 1);
}

/// Copies the first element of a, b or c to d, whatever alpha and beta say.
kernel::Kernel copy_kernel(const char* from) {
  return device_kernel("gemm", [from](const Args& args) {
    const auto& gemm = gemm_args(args);
    const kernel::Operand& source = from[0] == 'a' ? gemm.a : from[0] == 'b' ? gemm.b : gemm.c;
    gemm.d.as<std::uint32_t>()[0] = source.as<std::uint32_t>()[0];
  });
}

TEST(HostExecutor, InputsThatMayNotBeReadHoldPoison) {
  const struct {
    const char* tensor;
    float alpha, beta;
    bool hidden;
  } looks[] = {{"c", 1, 0, true},     {"c", 1, -0.0f, true}, {"c", 1, 1, false}, {"a", 0, 1, true},   {"b", 0, 1, true},
               {"b", -0.0f, 0, true}, {"a", 1, 0, false},    {"b", 2, 1, false}, {"a", NAN, 0, false}};
  for (const auto& look : looks) {
    for (const Poison poison : {Poison::Nan, Poison::Large}) {
      operation::Case value = gemm_case(1, 1, 1, look.alpha, look.beta);
      value.poison = poison;
      const Outcome outcome = run_on(value, copy_kernel(look.tensor));
      ASSERT_EQ(outcome.status, Outcome::Status::Completed);
      const std::uint64_t real = value.tensors.at(look.tensor).get(0);
      EXPECT_EQ(outcome.outputs.front().get(0),
                look.hidden ? operation::input_poison_word(poison, number::format(FormatId::F32)) : real)
          << look.tensor;
    }
  }
}

TEST(HostExecutor, AContractMayReadCAtBetaZero) {
  operation::Case value = gemm_case(1, 1, 1, 0, 0);
  contract::Contract reads;
  reads.reads_c_at_beta_zero = true;
  reads.reads_a_b_at_alpha_zero = true;
  HostExecutor executor;
  for (const char* tensor : {"a", "b", "c"}) {
    const Outcome outcome = executor.run(value, copy_kernel(tensor), reads);
    ASSERT_EQ(outcome.status, Outcome::Status::Completed);
    EXPECT_EQ(outcome.outputs.front().get(0), value.tensors.at(tensor).get(0));
  }
}

TEST(HostExecutor, OutsideTheLimitsNothingIsLaunched) {
  int launches = 0;
  kernel::Kernel kernel = sum_kernel([&](const ReduceArgs&, Workspace&) { ++launches; });
  kernel.limits.extents["columns"].max = 7;
  const Outcome outcome = run_on(sum_case(1, 8), kernel);
  EXPECT_EQ(outcome.status, Outcome::Status::Refused);
  EXPECT_NE(outcome.reason.find("columns"), std::string::npos) << outcome.reason;
  EXPECT_EQ(launches, 0);
  EXPECT_EQ(run_on(sum_case(1, 7), kernel).status, Outcome::Status::Completed);
}

TEST(HostExecutor, ScalarsInAnotherFormatThanTheKernelTakesAreOutsideItsLimits) {
  const operation::Case value = gemm_case(1, 1, 1, 1, 0);
  kernel::Kernel kernel = copy_kernel("a");
  kernel.contract.scalar_format = operation::view<operation::Gemm>(value.operation).alpha.format;
  EXPECT_EQ(run_on(value, kernel).status, Outcome::Status::Completed);
  kernel.contract.scalar_format = number::FormatId::F16;
  const Outcome outcome = run_on(value, kernel);
  EXPECT_EQ(outcome.status, Outcome::Status::Refused);
  EXPECT_NE(outcome.reason.find("F32, and the kernel takes F16"), std::string::npos) << outcome.reason;
}

TEST(HostExecutor, RefusingInsideTheLimitsIsAFailure) {
  const auto refuses = [](int from_launch, const char* why) {
    return make_kernel("reduce.sum", [=, launches = 0](const Args&, Workspace&, engine::Stream&) mutable {
      return ++launches >= from_launch ? LaunchResult::refuse(why) : LaunchResult::launched();
    });
  };
  expect_failure(run_on(sum_case(1, 1), refuses(1, "no odd rows")), FailureClass::RefusedLegalRequest, "run.refused",
                 "no odd rows");
  expect_failure(run_on(sum_case(1, 1), refuses(1, "")), FailureClass::RefusedLegalRequest, "run.refused", "no reason");
  expect_failure(run_on(sum_case(1, 1), refuses(2, "the second time")), FailureClass::RefusedLegalRequest,
                 "run.refused", "the second time");
}

TEST(HostExecutor, AThrowingLaunchIsTheKernelsFailure) {
  const auto throws = [](auto what) {
    return make_kernel("reduce.sum", [what](const Args&, Workspace&, engine::Stream&) -> LaunchResult { throw what; });
  };
  expect_failure(run_on(sum_case(1, 1), throws(std::runtime_error("tile table"))), FailureClass::Crash, "run.launch",
                 "tile table");
  expect_failure(run_on(sum_case(1, 1), throws(3)), FailureClass::Crash, "run.launch", "no std::exception");
}

TEST(HostExecutor, TheSchedulePassesToTheStream) {
  operation::Case value = sum_case(1, 1);
  const std::pair<operation::Schedule::Order, engine::Order> orders[] = {
      {operation::Schedule::Order::Forward, engine::Order::Forward},
      {operation::Schedule::Order::Backward, engine::Order::Backward},
      {operation::Schedule::Order::Random, engine::Order::Random}};
  for (const auto& [declared, wanted] : orders) {
    for (const bool preempt : {false, true}) {
      value.schedule = {declared, preempt, 77};
      engine::Settings seen;
      (void)run_on(value, make_kernel("reduce.sum", [&](const Args& args, Workspace&, engine::Stream& stream) {
                     seen = stream.settings();
                     on_device(stream, [&] { sum_rows(reduce_args(args)); });
                     return LaunchResult::launched();
                   }));
      EXPECT_EQ(seen.schedule, (engine::Schedule{wanted, 77, preempt}));
    }
  }
}

TEST(HostExecutor, EmptyOutputsAndEmptySums) {
  EXPECT_EQ(run_on(sum_case(0, 5), sum_kernel()).status, Outcome::Status::Completed);
  const Outcome outcome = run_on(sum_case(2, 0), sum_kernel());
  ASSERT_EQ(outcome.status, Outcome::Status::Completed);
  EXPECT_EQ(output_at(outcome, 1), 0.0f);
}

}  // namespace
}  // namespace negzero::run
