// Kernels as a program with CUDA declares them: one for a GPU alone, and, where NEGZERO_BOTH is defined, one that the
// host has too. None is launched.

#include <string>
#include <utility>

#include <negzero/kernel/kernel.hpp>

namespace {

using namespace negzero;

kernel::LaunchResult refuse(const kernel::Args&, kernel::Workspace&, engine::Stream&) {
  return kernel::LaunchResult::refuse("a kernel of the tests");
}

bool add(std::string name, kernel::Place place) {
  return kernel::registry().add({.name = std::move(name),
                                 .operation = "reduce.max",
                                 .limits = {.formats = {{number::FormatId::F32, number::FormatId::F32}}},
                                 .launch = refuse,
                                 .place = place});
}

const bool alone = add("alone.max", kernel::Place::Device);
#if defined(NEGZERO_BOTH)
const bool both[] = {add("both.max", kernel::Place::Device), add("both.max", kernel::Place::Host)};
#endif

}  // namespace
