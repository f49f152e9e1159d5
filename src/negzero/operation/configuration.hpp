// A kernel's configuration: choices of a launch beside its operands, such as the algorithm of a library's call.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/operation/by_name.hpp>

namespace negzero::operation {

/// An *option* is one named whole number of a launch; a *configuration* is all options of a launch, in the order of
/// their names.
using Configuration = std::map<std::string, std::int64_t>;

/// By option, the values that it may have. The first is the simplest, and the default:
///     {{"algorithm", {0, 1, 2}}, {"workspace", {4194304, 0}}}
using Options = ByName<std::vector<std::int64_t>>;

inline constexpr std::size_t kMostOptions = 16;         ///< of a kernel, and of a case
inline constexpr std::size_t kMostOptionName = 32;      ///< in bytes
inline constexpr std::size_t kMostOptionValues = 4096;  ///< of one option

/// Whether `name` has 1 to kMostOptionName of a-z, 0-9 and _, and begins with a letter.
[[nodiscard]] bool is_option_name(std::string_view name) noexcept;

/// Why no launch can have such options: too many of them, a name that is no option's name, no value, too many values,
/// a value that comes twice. Nothing where they are well formed.
[[nodiscard]] std::optional<std::string> wrong_options(const Options& options);
/// Why no case can hold such a configuration: too many options, or a name that is no option's name.
[[nodiscard]] std::optional<std::string> wrong_configuration(const Configuration& configuration);

/// Why a kernel with these options must refuse a case's configuration: names the option, its value and the values
/// there are. An option that the kernel does not have means nothing for it.
[[nodiscard]] std::optional<std::string> outside(const Options& options, const Configuration& configuration);

/// All options of a kernel: those that the configuration names with its value, the others with their default. Requires
/// options that wrong_options() accepts.
[[nodiscard]] Configuration whole(const Options& options, const Configuration& configuration);
/// The part of a configuration that the kernel accepts and that is not its default: what a case of it says.
[[nodiscard]] Configuration accepted(const Options& options, const Configuration& configuration);

/// Sets an option of a case's configuration. The default is not stored.
void set_option(Configuration& configuration, const Options& options, std::string_view name, std::int64_t value);

/// How far a configuration is from the default: 0 where it names no option. Each option that it names counts 1, and
/// what lies before its value in the kernel's list.
[[nodiscard]] std::uint64_t complexity(const Options& options, const Configuration& configuration);
/// Gives `use` configurations of less complexity(), boldest first, while it returns true: all options are left out, or
/// one is, or one has an earlier value of the kernel's list (of a long list some of them). Returns whether `use` wanted
/// all.
bool each_simpler(const Options& options, const Configuration& configuration,
                  const std::function<bool(Configuration)>& use);

/// "algorithm 3, workspace 0": a configuration in one line.
[[nodiscard]] std::string describe(const Configuration& configuration);
/// "0 to 2", "4194304 or 0": the values of an option; of many the first and the last.
[[nodiscard]] std::string values_text(const std::vector<std::int64_t>& values);

}  // namespace negzero::operation
