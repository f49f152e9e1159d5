// What the run of a corpus's case showed, as a file beside the case: a later search takes it from there, and runs again
// only what may show something else.
//
//   {"version": 1, "build": "9f86d081884c7d65", "took_us": 153, "features": [17, 4096, ...]}

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::campaign {

/// Features are numbers of feature::Feature.
using Features = std::vector<std::uint32_t>;

/// What the run of a case showed.
struct Shown {
  Features features{};
  std::uint64_t took_us = 0;
  friend bool operator==(const Shown&, const Shown&) = default;
};

/// Names everything but the case that features depend on, in 16 hexadecimal digits: the bytes of the program that holds
/// the kernel and of this one, which makes features; the kernel's contract; where it runs and whether it is watched.
/// Empty where a program cannot be read: then nothing is known to be the same.
[[nodiscard]] std::string build_of(const kernel::Kernel& kernel, const EvaluationOptions& options);

/// "FOLDER/corpus/KERNEL/HASH.shown.json" of "FOLDER/corpus/KERNEL/HASH.safetensors".
[[nodiscard]] std::string shown_path(const std::string& case_path);

/// Infrastructure error where it cannot be written.
[[nodiscard]] base::Status save_shown(const std::string& case_path, const Shown& shown, const std::string& build);
/// Nothing where there is no such file, where it is of another build, and where it is none: the case then runs again.
[[nodiscard]] std::optional<Shown> load_shown(const std::string& case_path, const std::string& build);

}  // namespace negzero::campaign
