// No attack on the verdict passes, and each one's honest twin does.

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <negzero/confine/confinement_report.hpp>

#include "checked.hpp"

namespace negzero::attacks_test {
namespace {

enum class Seen {
  Caught,    ///< a finding, or an error; never exit status 0
  Confined,  ///< the same, where the system confines workers; elsewhere it may pass
};

struct Attack {
  const char* slug;
  Seen seen = Seen::Caught;
};

const Attack kAttacks[] = {
    // reaching.cu
    {"memory_search"},
    {"descriptor_search"},
    {"shared_memory_search"},
    {"process_search"},
    {"findings_read"},
    {"files_written"},
    {"oracle_patched"},
    {"parent_traced"},
    {"parent_signalled"},
    {"program_replaced"},
    {"descriptors_sent"},
    // replies.cu
    {"reply_early"},
    {"reply_twice"},
    {"reply_for_all"},
    {"reply_for_none"},
    {"reply_refused"},
    {"reply_error"},
    {"reply_lost"},
    {"reply_flood"},
    {"reply_dripped"},
    {"reply_and_exit"},
    {"requests_served"},
    {"reply_for_ever"},
    {"write_after_end"},
    {"memory_shrunk"},
    {"progress_forged"},
    {"inputs_cleared"},
    {"image_replaced"},
    // environment.cu
    {"rounding"},
    {"watch_control"},
    {"watch_off"},
    {"watch_patched", Seen::Confined},
    {"watch_replaced", Seen::Confined},
    {"limits"},
    // closed_memory.cu
    {"host_code"},
    {"host_code_mprotect", Seen::Confined},
    {"host_code_below", Seen::Confined},
    {"host_code_tagged", Seen::Confined},
    {"host_code_registers", Seen::Confined},
    {"host_code_sealed", Seen::Confined},
    {"host_code_mappings"},
    {"host_code_handler", Seen::Confined},
    {"host_code_blocked"},
    {"host_code_mapping"},
    {"host_code_mremap", Seen::Confined},
    {"host_code_proc", Seen::Confined},
    {"host_code_pipe"},
    {"host_code_descriptor"},
    // lasting.cu
    {"cache_by_pointer"},
    {"cache_by_first_elements"},
    {"drift_at_11"},
    {"first_stream"},
    {"finished_later"},
    {"finished_by_a_thread"},
    // leaving.cu
    {"nothing"},
    {"exit_after_verdict"},
    {"quick_exit"},
    {"exit_at_once"},
    {"printed_verdict"},
    {"thread_ended"},
    {"jump"},
    {"waits_for_ever"},
    {"spins_for_ever"},
    {"prints_for_ever"},
    {"stopped"},
    {"silent"},
    {"refusal"},
    {"thrown_number"},
    {"thrown_bad_alloc"},
};

constexpr const char* kCases = "24";

void expect_clean_streams(const Checked& checked) {
  EXPECT_EQ(checked.ran.signal, 0);
  EXPECT_EQ(control_byte(checked.ran.err), std::string::npos) << checked.ran.err;
}

TEST(Attacks, NonePasses) {
  const bool confines = confine::try_confinement(confine::Profile::Host).in_force.all();
  const Checked checked = check(NEGZERO_PAIRS, {"attack.*"}, cases_text(kCases), {"--jobs", "8"});
  expect_clean_streams(checked);
  EXPECT_EQ(checked.ran.code, 1) << checked.ran.err;
  EXPECT_EQ(checked.kernels.size(), std::size(kAttacks)) << "attacks and their table differ";
  for (const Attack& attack : kAttacks) {
    const std::string name = std::string("attack.") + attack.slug;
    ASSERT_TRUE(checked.kernels.contains(name)) << name;
    const bool caught = checked.count(name, "fail") + checked.count(name, "error") > 0;
    if (attack.seen == Seen::Confined && !confines) continue;
    EXPECT_TRUE(caught) << name << " passes: " << checked.kernels.at(name).dump(1);
  }
  EXPECT_EQ(left_over(), std::vector<std::string>());
}

/// The exit status is what CI looks at.
TEST(Attacks, NoneAloneExitsWithZero) {
  for (const char* slug : {"exit_after_verdict", "exit_at_once", "reply_and_exit", "reply_error", "reply_for_none",
                           "reply_lost", "requests_served", "thrown_bad_alloc", "parent_signalled", "thread_ended"}) {
    const Checked checked = check(NEGZERO_PAIRS, {std::string("attack.") + slug}, "4");
    expect_clean_streams(checked);
    EXPECT_TRUE(checked.ran.code == 1 || checked.ran.code == 3) << slug << " exits with " << checked.ran.code;
  }
}

TEST(Attacks, HonestTwinsPass) {
  const Checked checked = check(NEGZERO_PAIRS, {"honest.*"}, cases_text(kCases), {}, kPatiently);
  expect_clean_streams(checked);
  EXPECT_EQ(checked.ran.code, 0) << checked.ran.err;
  EXPECT_EQ(checked.kernels.size(), std::size(kAttacks));
  for (const auto& [name, kernel] : checked.kernels) {
    EXPECT_EQ(kernel["pass"], kernel["cases"]) << kernel.dump(1);
    EXPECT_GT(kernel["watched"], 0) << name;
  }
}

TEST(Attacks, BeforeMain) {
  const Checked attack = check(NEGZERO_BEFORE_MAIN, {"attack.*"}, "8");
  expect_clean_streams(attack);
  EXPECT_TRUE(attack.ran.code == 1 || attack.ran.code == 3) << attack.ran.out << attack.ran.err;
  EXPECT_GT(attack.count("attack.before_main", "fail") + attack.count("attack.before_main", "error"), 0);
  const Checked honest = check(NEGZERO_BEFORE_MAIN_HONEST, {"honest.*"}, "8");
  expect_clean_streams(honest);
  EXPECT_EQ(honest.ran.code, 0) << honest.ran.out << honest.ran.err;
  EXPECT_EQ(honest.count("honest.before_main", "pass"), 8);
}

TEST(Attacks, NamesOfTheCLibrary) {
  const Checked attack = check(NEGZERO_INTERPOSED, {"attack.*"}, "8");
  EXPECT_EQ(attack.ran.code, 1) << attack.ran.out << attack.ran.err;
  EXPECT_GT(attack.count("attack.interposed", "fail"), 0);
  const Checked honest = check(NEGZERO_INTERPOSED_HONEST, {"honest.*"}, "8");
  EXPECT_EQ(honest.ran.code, 0) << honest.ran.out << honest.ran.err;
  EXPECT_EQ(honest.count("honest.interposed", "pass"), 8);
}

TEST(Attacks, NamesOfOtherKernels) {
  for (const char* name : {"attack.wrong_first", "attack.replaced", "reduce.sum.tree.f32"}) {
    const Checked checked = check(NEGZERO_TWICE, {name}, "8");
    EXPECT_EQ(checked.ran.code, 1) << name << checked.ran.out << checked.ran.err;
    EXPECT_GT(checked.count(name, "fail"), 0) << name;
  }
  // The first of two is kept, and is right; that there are two is an error all the same.
  const Checked checked = check(NEGZERO_TWICE, {"attack.right_first"}, "8");
  EXPECT_EQ(checked.ran.code, 3) << checked.ran.out << checked.ran.err;
  EXPECT_FALSE(checked.document["errors"].empty());
}

/// What could be patched, interposed or called in the process of a kernel.
TEST(Attacks, WorkersHoldNothingThatJudges) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> symbols(
      ::popen("nm -C --defined-only '" NEGZERO_WORKER "' 2>&1", "r"), &::pclose);
  ASSERT_TRUE(symbols);
  std::array<char, 65536> line{};
  std::size_t lines = 0;
  while (std::fgets(line.data(), line.size(), symbols.get()) != nullptr) {
    ++lines;
    for (const char* module : {"negzero::oracle::", "negzero::exact::", "negzero::generate::", "negzero::property::",
                               "negzero::campaign::", "negzero::shrink::", "negzero::report::"}) {
      EXPECT_EQ(std::string(line.data()).find(module), std::string::npos) << line.data();
    }
  }
  EXPECT_GT(lines, 1000) << "nm found no symbols, which proves nothing";
}

}  // namespace
}  // namespace negzero::attacks_test
