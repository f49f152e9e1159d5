// Plans and outcomes as bytes: all of a plan comes back, and bytes that are none are refused.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/protocol/guarded_buffer.hpp>
#include <negzero/protocol/launch_plan.hpp>
#include <negzero/run/image.hpp>
#include <negzero/worker/args.hpp>

#include "../run/cases.hpp"

namespace negzero::protocol {
namespace {

using namespace run;
using namespace run_test;

struct Planned {
  LaunchPlan plan;
  std::size_t image_bytes = 0;
};

Planned plan(const operation::Case& value) {
  const contract::Contract contract;
  Planned planned;
  planned.plan = plan_of({&value, &contract}, planned.image_bytes);
  return planned;
}

/// One of each operation, none of them like the default.
std::vector<Planned> plans() {
  operation::Case gemm = gemm_case(3, 5, 2, 0.0f, 2.5f), sum = sum_case(4, 6), scatter = scatter_case(7, 3);
  sum.layouts["x"] = {{4, 6}, {7, 2}, 5};
  gemm.poison = operation::Poison::Large;
  scatter.schedule = {.order = operation::Schedule::Order::Random, .preempt = true, .seed = 0x123456789abcdef0};
  std::vector<Planned> plans = {plan(gemm), plan(sum), plan(scatter), plan(sum_case(0, 3)), plan(sum_case(2, 0))};
  operation::Case in_place = gemm_case(3, 5, 2, 1.0f, 2.5f);
  in_place.in_place = "c";
  operation::lay_in_place(in_place);
  plans.push_back(plan(in_place));
  EXPECT_EQ(plans.back().plan.buffers[2].use, BufferUse::InOutput);
  EXPECT_EQ(plans.back().plan.buffers[2].at, plans.back().plan.buffers[3].at);
  EXPECT_EQ(plans.back().plan.buffers[3].use, BufferUse::InitialisedOutput);
  // Somewhere in a larger image, and launched elsewhere in it.
  Planned& moved = plans.emplace_back();
  const contract::Contract contract;
  moved.image_bytes = 5 * 4096;
  moved.plan = plan_of({&sum, &contract}, moved.image_bytes);
  moved.plan.moved = 3 * 4096;
  moved.plan.stream = 5;
  moved.plan.configuration = {{"algorithm", -3}, {"workspace", std::int64_t{1} << 40}};
  return plans;
}

std::string bytes_of(const LaunchPlan& plan) {
  base::ByteWriter to;
  write(to, plan);
  return to.take();
}

std::optional<LaunchPlan> read(const std::string& bytes, std::size_t image_bytes) {
  base::ByteReader from(bytes);
  auto plan = read_plan(from, image_bytes);
  return from.is_complete() ? plan : std::nullopt;
}

void expect_same(const LaunchPlan& a, const LaunchPlan& b) {
  EXPECT_EQ(a.operation, b.operation);
  EXPECT_EQ(a.poison, b.poison);
  EXPECT_EQ(a.schedule, b.schedule);
  EXPECT_EQ(a.elements, b.elements);
  EXPECT_EQ(a.stream, b.stream);
  EXPECT_EQ(a.moved, b.moved);
  EXPECT_EQ(a.configuration, b.configuration);
  ASSERT_EQ(a.buffers.size(), b.buffers.size());
  for (std::size_t i = 0; i < a.buffers.size(); ++i) {
    EXPECT_EQ(a.buffers[i].name, b.buffers[i].name);
    EXPECT_EQ(a.buffers[i].format, b.buffers[i].format);
    EXPECT_EQ(a.buffers[i].layout, b.buffers[i].layout);
    EXPECT_EQ(a.buffers[i].use, b.buffers[i].use);
    EXPECT_EQ(a.buffers[i].at, b.buffers[i].at);
  }
}

TEST(LaunchPlan, ArgumentsHaveAllThatTheOperationNames) {
  for (const Planned& each : plans()) {
    const operation::Operation& operation = each.plan.operation;
    const notation::Signature& signature = operation.signature();
    std::vector<std::byte> image(each.image_bytes + each.plan.moved);
    const kernel::Args args = worker::args_of(each.plan, image.data() + each.plan.moved);
    for (std::size_t i = 0; i < signature.extents.size(); ++i) {
      EXPECT_EQ(args.extent(signature.extents[i]), operation.extents()[i]) << signature.extents[i];
    }
    for (std::size_t i = 0; i < signature.scalars.size(); ++i) {
      EXPECT_EQ(args.scalar(signature.scalars[i].name).bits, operation.scalars()[i].bits);
    }
    std::size_t operands = 0;
    for (const notation::TensorSignature& tensor : signature.tensors) {
      if (tensor.role == notation::Role::Initial) continue;
      const PlannedBuffer& buffer = each.plan.buffers[operands++];
      const kernel::Operand& operand = args.operand(tensor.name);
      const auto offset = static_cast<std::size_t>(buffer.layout.offset) * buffer.element_bytes();
      EXPECT_EQ(operand.data, image.data() + buffer.at + offset) << tensor.name;
      for (std::size_t d = 0; d < buffer.layout.strides.size(); ++d) {
        EXPECT_EQ(operand.strides[d], buffer.layout.strides[d]) << tensor.name;
      }
    }
    EXPECT_EQ(operands, each.plan.buffers.size());
  }
}

TEST(LaunchPlan, ArgumentsHaveEveryOptionOfTheKernelAndNoOthers) {
  LaunchPlan made = plan(sum_case(2, 3)).plan;
  made.configuration = {{"algorithm", 2}, {"of_another", 7}};
  const operation::Options options{{"algorithm", {0, 1, 2}}, {"workspace", {4096, 0}}};
  std::vector<std::byte> image(1);
  const kernel::Args args = worker::args_of(made, image.data(), options);  // Addresses only.
  EXPECT_EQ(args.option("algorithm"), 2);
  EXPECT_EQ(args.option("workspace"), 4096) << "the default";
  EXPECT_THROW((void)args.option("of_another"), std::out_of_range);
}

TEST(LaunchPlan, AnImageGivesEachPlanTheKernelsWholeConfiguration) {
  operation::Case value = sum_case(2, 3);
  value.configuration = {{"algorithm", 1}, {"of_another", 7}};
  const operation::Case plain = sum_case(3, 2);
  const contract::Contract contract;
  const std::vector<Job> jobs{{&value, &contract}, {&plain, &contract}};
  Image image;
  image.lay_out(jobs, OutputPoison::Own);
  image.configure({{"algorithm", {0, 1, 2}}, {"workspace", {4096, 0}}});
  using operation::Configuration;
  EXPECT_EQ(image.plans()[0].configuration, (Configuration{{"algorithm", 1}, {"workspace", 4096}}));
  EXPECT_EQ(image.plans()[1].configuration, (Configuration{{"algorithm", 0}, {"workspace", 4096}}));
  image.configure({});
  EXPECT_TRUE(image.plans()[0].configuration.empty());
}

TEST(LaunchPlan, OptionsAreNamedWellAndInOrder) {
  const Planned good = plans().front();
  const std::string bytes = bytes_of(good.plan);
  const auto with = [&](const std::vector<std::string>& names) {
    base::ByteWriter to;
    to.u8(static_cast<std::uint8_t>(names.size()));
    for (const std::string& name : names) {
      to.text(name);
      to.i64(1);
    }
    // In the place of the last byte: no options.
    return read(bytes.substr(0, bytes.size() - 1) + to.take(), good.image_bytes).has_value();
  };
  EXPECT_TRUE(with({}));
  EXPECT_TRUE(with({"algorithm", "workspace"}));
  EXPECT_FALSE(with({"workspace", "algorithm"}));
  EXPECT_FALSE(with({"algorithm", "algorithm"}));
  EXPECT_FALSE(with({"Algorithm"}));
  EXPECT_FALSE(with({""}));
  EXPECT_TRUE(with({std::string(operation::kMostOptionName, 'q')}));
  EXPECT_FALSE(with({std::string(operation::kMostOptionName + 1, 'q')}));
  std::vector<std::string> many;
  for (char c = 'a'; many.size() < operation::kMostOptions; ++c) many.emplace_back(1, c);
  EXPECT_TRUE(with(many));
  many.emplace_back("z");
  EXPECT_FALSE(with(many));
}

TEST(LaunchPlan, AllOfItComesBack) {
  for (const Planned& each : plans()) {
    const auto back = read(bytes_of(each.plan), each.image_bytes);
    ASSERT_TRUE(back);
    expect_same(*back, each.plan);
  }
}

TEST(LaunchPlan, SaysWhatMayNotBeRead) {
  const operation::Case value = gemm_case(3, 5, 2, 0.0f, 0.0f);
  const LaunchPlan made = plan(value).plan;
  ASSERT_EQ(made.buffers.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(made.buffers[i].use, BufferUse::UnreadInput) << i;
  EXPECT_EQ(made.buffers[3].use, BufferUse::Output);
}

TEST(LaunchPlan, EveryTruncationIsRefused) {
  for (const Planned& each : plans()) {
    const std::string bytes = bytes_of(each.plan);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(read(bytes.substr(0, size), each.image_bytes)) << size << " of " << bytes.size();
    }
    EXPECT_FALSE(read(bytes + "x", each.image_bytes));
  }
}

TEST(LaunchPlan, AnImageThatIsTooSmallIsRefused) {
  for (const Planned& each : plans()) {
    const std::string bytes = bytes_of(each.plan);
    const PlannedBuffer& last = each.plan.buffers.back();
    const std::size_t needed = last.at + last.size_bytes() + kGuardBytes;
    EXPECT_TRUE(read(bytes, needed));
    EXPECT_FALSE(read(bytes, needed - 1));
    EXPECT_FALSE(read(bytes, 0));
  }
}

/// What every launcher relies on, of a plan that was read from any bytes.
void expect_inside(const LaunchPlan& plan, std::size_t image_bytes) {
  std::size_t end = 0;
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.use == BufferUse::InOutput) {
      const PlannedBuffer& output = plan.buffers[plan.buffers.size() - plan.operation.signature().outputs.size()];
      EXPECT_EQ(buffer.at, output.at);
      EXPECT_EQ(buffer.layout, output.layout);
      continue;
    }
    EXPECT_GE(buffer.at, end + kGuardBytes);
    EXPECT_EQ(buffer.at % kBufferAlignment, 0u);
    end = buffer.at + buffer.size_bytes() + kGuardBytes;
    EXPECT_LE(end, image_bytes);
  }
  ASSERT_FALSE(plan.buffers.empty());
  EXPECT_LE(plan.moved + kGuardBytes, plan.buffers.front().at);
  EXPECT_EQ(plan.moved % kBufferAlignment, 0u);
  std::vector<std::byte> image(1);
  const kernel::Args args = worker::args_of(plan, image.data());  // Addresses only.
  (void)args;
}

TEST(LaunchPlan, BuffersAreTheTensorsOfTheOperation) {
  const Planned good = plans().front();
  const auto refused = [&](const std::function<void(LaunchPlan&)>& change) {
    LaunchPlan changed = good.plan;
    change(changed);
    return !read(bytes_of(changed), good.image_bytes);
  };
  ASSERT_FALSE(refused([](LaunchPlan&) {}));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers.pop_back(); }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers.clear(); }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers.push_back(p.buffers.back()); }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { std::swap(p.buffers[0], p.buffers[1]); }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers[0].name = "d"; }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers[0].format = FormatId::F64; }));
  EXPECT_TRUE(
      refused([](LaunchPlan& p) { p.buffers[0].layout.shape.push_back(1), p.buffers[0].layout.strides.push_back(1); }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers[0].layout.shape[1] = 1; }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers[0].layout.offset = -1; }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers[0].layout.offset = std::int64_t{1} << 30; }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers[1].at = p.buffers[0].at; }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers[1].at += 4; })) << "not aligned";
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.buffers[3].at = ~std::uint64_t{0xff}; }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.operation.extent("m") = -1; }));
  const std::uint64_t most = good.plan.buffers[0].at - kGuardBytes;
  EXPECT_FALSE(refused([most](LaunchPlan& p) { p.moved = most / kBufferAlignment * kBufferAlignment; }));
  EXPECT_TRUE(refused([most](LaunchPlan& p) { p.moved = (most / kBufferAlignment + 1) * kBufferAlignment; }));
  EXPECT_TRUE(refused([](LaunchPlan& p) { p.moved = 4; })) << "not aligned";
}

RC_GTEST_PROP(LaunchPlanProperty, AnyBytesAreRefusedOrAPlanInsideTheImage, ()) {
  const std::vector<Planned> all = plans();
  const Planned& each = all[*rc::gen::inRange<std::size_t>(0, all.size())];
  std::string bytes = bytes_of(each.plan);
  for (int changes = *rc::gen::inRange(1, 4); changes > 0; --changes) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  }
  if (const auto seen = read(bytes, each.image_bytes)) expect_inside(*seen, each.image_bytes);
}

TEST(LaunchPlanProperty, EveryValueOfEveryByteIsRefusedOrAPlanInsideTheImage) {
  for (const Planned& each : plans()) {
    const std::string good = bytes_of(each.plan);
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bytes = good;
      for (int value = 0; value < 256; ++value) {
        bytes[at] = static_cast<char>(value);
        if (const auto seen = read(bytes, each.image_bytes)) expect_inside(*seen, each.image_bytes);
      }
    }
  }
}

std::string bytes_of(const LaunchOutcome& outcome) {
  base::ByteWriter to;
  write(to, outcome);
  return to.take();
}

/// Of status, fault and message, behind which an outcome may end.
std::size_t bytes_of_beginning(const LaunchOutcome& outcome) {
  const std::string bytes = bytes_of(outcome);
  base::ByteReader reader(bytes);
  return 12 + reader.text(kMostWord).size() + reader.text(kMostWord).size() + outcome.message.size();
}

TEST(LaunchOutcome, AFaultIsNamedWhereThereIsOneAlone) {
  const LaunchOutcome done{.status = LaunchOutcome::Status::Done};
  EXPECT_EQ(bytes_of(done).substr(0, 12), std::string("\4\0\0\0done\0\0\0\0", 12));
  const auto is_read = [](std::string_view status, std::string_view fault) {
    base::ByteWriter to;
    for (const std::string_view word : {status, fault, std::string_view()}) to.text(word);
    base::ByteReader from(to.bytes());
    (void)read_outcome(from);
    return from.is_complete();
  };
  EXPECT_TRUE(is_read("done", ""));
  EXPECT_TRUE(is_read("failed", "raised"));
  EXPECT_FALSE(is_read("done", "raised"));
  EXPECT_FALSE(is_read("failed", ""));
  EXPECT_FALSE(is_read("failed", "no such fault"));
  EXPECT_FALSE(is_read("fine", ""));
}

TEST(LaunchOutcome, AllOfItComesBack) {
  using Status = LaunchOutcome::Status;
  for (const Status status : {Status::Done, Status::Failed, Status::Error, Status::Lost}) {
    for (const FaultRow& row : faults()) {
      const LaunchOutcome outcome{status,
                                  row.fault,
                                  "what \0 \xff happened",
                                  {"one", "", "three"},
                                  status == Status::Done,
                                  5,
                                  {{0x1234, 7}, {0, ~0u}}};
      const std::string bytes = bytes_of(outcome);
      base::ByteReader from(bytes);
      const LaunchOutcome back = read_outcome(from);
      EXPECT_TRUE(from.is_complete());
      EXPECT_EQ(back.status, status);
      EXPECT_EQ(back.fault, status == Status::Failed ? row.fault : LaunchOutcome{}.fault);
      EXPECT_EQ(back.message, outcome.message);
      EXPECT_EQ(back.warnings, outcome.warnings);
      EXPECT_EQ(back.covered, outcome.covered);
      EXPECT_EQ(back.spoilt, outcome.spoilt);
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        base::ByteReader cut(std::string_view(bytes).substr(0, size));
        const LaunchOutcome beginning = read_outcome(cut);
        EXPECT_EQ(cut.ok(), size == bytes_of_beginning(outcome)) << size;
        EXPECT_TRUE(!cut.ok() || beginning.message == outcome.message) << size;
      }
    }
  }
}

TEST(LaunchOutcome, LongTextsAreCutWhereTheyAreWritten) {
  LaunchOutcome outcome = LaunchOutcome::failed(Fault::Crash, std::string(1 << 20, 'm'));
  outcome.warnings.assign(1000, std::string(1 << 16, 'w'));
  outcome.covered.assign(2 * watch::Coverage::kMost, {7, 8});
  const std::string bytes = bytes_of(outcome);
  EXPECT_LT(bytes.size(), 200000u);
  base::ByteReader from(bytes);
  const LaunchOutcome back = read_outcome(from);
  EXPECT_TRUE(from.is_complete());
  EXPECT_EQ(back.message, outcome.message.substr(0, back.message.size()));
  EXPECT_FALSE(back.message.empty());
  EXPECT_FALSE(back.warnings.empty());
  EXPECT_EQ(back.covered.size(), watch::Coverage::kMost);
}

}  // namespace
}  // namespace negzero::protocol
