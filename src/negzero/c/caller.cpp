// Calls a function of another language: what it is told of a launch, and what it answers.

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/printable.hpp>
#include <negzero/c/caller.hpp>
#include <negzero/c/plan_text.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/number/format.hpp>

namespace negzero::c {
namespace {

/// The words of a buffer's use, in the order of protocol::BufferUse.
constexpr std::array<const char*, 5> kUses{"input", "unread", "output", "initialised", "in_output"};

constexpr std::array<const char*, 3> kRoundings{"nearest", "downward", "upward"};

/// A plan as JSON (negzero.h).
std::string text_of(const protocol::LaunchPlan& plan, const char* phase, std::uint64_t index) {
  const protocol::Part part = protocol::part_of(plan);
  std::string text = fmt::format(R"({{"phase":"{}","index":{},"begin":{},"end":{},"buffers":{{)", phase, index,
                                 part.begin, part.begin + part.size_bytes);
  const char* comma = "";
  for (const protocol::PlannedBuffer& buffer : plan.buffers) {
    const std::uint64_t at = buffer.at + static_cast<std::uint64_t>(buffer.layout.offset) * buffer.element_bytes();
    text += comma;
    text += buffer_text(buffer.name, kUses[static_cast<std::size_t>(buffer.use)], number::format(buffer.format),
                        buffer.layout, at);
    comma = ",";
  }
  text += R"(},"scalars":)" + scalars_text(plan.operation);
  text += R"(,"configuration":{)";
  comma = "";
  for (const auto& [option, value] : plan.configuration) {
    text += fmt::format(R"({}"{}":{})", comma, option, value);
    comma = ",";
  }
  text += "}" + extents_text(plan.operation);
  if (plan.schedule.rounding != base::Rounding::Nearest) {
    text += fmt::format(R"(,"rounding":"{}")", kRoundings[static_cast<std::size_t>(plan.schedule.rounding)]);
  }
  return text + "}";
}

}  // namespace

Caller::Caller(const negzero_function& function, const std::fenv_t& environment)
    : function_(function),
      executor_([this](const run::Job& job, const protocol::LaunchPlan& plan,
                       std::byte* image) { return launch(job, plan, image); },
                [this](std::size_t size_bytes) { return memory(size_bytes); }, environment) {}

run::Called Caller::launch(const run::Job& job, const protocol::LaunchPlan& plan, std::byte* image) {
  const std::string text = text_of(plan, is_shrinking_ ? "shrink" : "search", index_);
  const std::vector<std::byte> file = file_of(job);
  std::array<char, 4096> message{};
  const negzero_launch launch{
      {text.data(), text.size()}, {file.data(), file.size()}, image, size_bytes_, message.data(), message.size()};
  const std::int32_t how = function_.launch(function_.user, &launch);
  message.back() = 0;
  switch (how) {
    case NEGZERO_RAN:
      return {};
    case NEGZERO_RAISED:
      return {run::Called::How::Raised, base::one_line(message.data())};
    case NEGZERO_REFUSED:
      return {run::Called::How::Refused, base::one_line(message.data())};
    case NEGZERO_CHANGED:
      return {run::Called::How::Changed, base::one_line(message.data())};
    default:
      return {.how = run::Called::How::Stopped};
  }
}

std::byte* Caller::memory(std::size_t size_bytes) {
  size_bytes_ = size_bytes;
  return static_cast<std::byte*>(function_.memory(function_.user, size_bytes));
}

void Caller::is_at(std::uint64_t index) {
  index_ = index;
  is_shrinking_ = false;
}

/// The case with its contract, so that the file says all that it is held to.
std::vector<std::byte> Caller::file_of(const run::Job& job) {
  if (!contract_ || !(*contract_ == *job.contract)) {
    contract_ = *job.contract;
    contract_text_ = contract::to_json(*contract_);
  }
  operation::Case value = *job.value;
  value.contract = contract_text_;
  value.contract_version = contract::kVersion;
  return case_file::write(value);
}

}  // namespace negzero::c
