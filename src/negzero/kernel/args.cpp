// What becomes of a name that a launch has not.

#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/kernel/args.hpp>

namespace negzero::kernel {

void throw_none(const char* what, std::string_view name, std::span<const std::string_view> names) {
  throw std::out_of_range(fmt::format("no {} '{}': there are {}", what, name,
                                      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace negzero::kernel
