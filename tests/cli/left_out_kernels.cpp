// The program with one kernel that is right and two that must be left out, for left_out_test.cpp.

#include <negzero/campaign/examiner.hpp>
#include <negzero/cli/app.hpp>
#include <negzero/kernel/kernel.hpp>

namespace {

using namespace negzero;

kernel::LaunchResult refuse(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  return kernel::LaunchResult::refuse("a kernel of the tests");
}

/// Where there are no updates, `out` is right as it is.
kernel::LaunchResult do_nothing(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  return kernel::LaunchResult::launched();
}

const bool right =
    kernel::registry().add({.name = "scatter.max.right",
                            .operation = "scatter.max",
                            .limits = {.formats = {{number::FormatId::F32}}, .extents = {{"updates", {.max = 0}}}},
                            .launch = do_nothing});
const bool wrong_limits = kernel::registry().add({.name = "scatter.max.narrow",
                                                  .operation = "scatter.max",
                                                  .limits = {.extents = {{"updates", {.multiple = 0}}}},
                                                  .launch = refuse});
const bool wrong_contract = kernel::registry().add({.name = "scatter.max.contradicts",
                                                    .operation = "scatter.max",
                                                    .contract = {.order = contract::Order::Model},
                                                    .launch = refuse});

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = campaign::serve_if_called(argc, argv)) return *status;
  return cli::run(argc, argv);
}
