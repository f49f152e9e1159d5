// A kernel for a GPU alone as a program with CUDA declares it, beside one that the host has too; neither is launched.

#include <string>

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

const bool registered[] = {add("both.max", kernel::Place::Device), add("both.max", kernel::Place::Host),
                           add("alone.max", kernel::Place::Device)};

}  // namespace
