// The launch of a kernel that registers itself in a file of negzero's tree, without negzero: its text with what it
// reaches of its own headers, and stand-ins for the words of negzero's.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <negzero/as_code/launch.hpp>

namespace negzero::as_code {

/// Reads a file by its path as kernels name it; nothing where it is not there.
using ReadSource = std::function<std::optional<std::string>(const std::string& path)>;

/// Returns the launch of the finding's kernel, which `file` registers. Registrations, contracts, limits and all else
/// that the launch does not reach are left out. Usage errors: a file that cannot be read, a header of negzero's that
/// has no stand-in, a registration that does not name the kernel and its launch in one place.
[[nodiscard]] base::Result<Launch> launch_of(const std::string& file, const ReadSource& read, const Finding& finding,
                                             const std::vector<Buffer>& buffers);

/// Returns the expression behind `.launch =`, `.faulty =` or `.twin =` of the registration of that kernel; nothing
/// where no registration of the text names it.
[[nodiscard]] std::optional<std::string> launch_expression(std::string_view text, std::string_view kernel);

}  // namespace negzero::as_code
