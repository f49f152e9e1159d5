// The folder of findings: cases are written there at once, and named by what they hold.

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/finding_files.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/files/writable.hpp>

namespace negzero::campaign {

std::vector<FailureFiles> failures_in(const std::string& directory) {
  std::map<std::string, FailureFiles> found;
  std::error_code code;
  for (std::filesystem::directory_iterator files(directory, code), end; !code && files != end; files.increment(code)) {
    const std::filesystem::path& path = files->path();
    const std::filesystem::path name = path.stem().stem(), what = path.stem().extension();
    if (path.extension() != ".safetensors") continue;
    std::string FailureFiles::*const member = what == ".original"  ? &FailureFiles::original
                                              : what == ".partial" ? &FailureFiles::partial
                                              : what == ".case"    ? &FailureFiles::shrunk
                                              : what == ".same"    ? &FailureFiles::same
                                                                   : nullptr;
    if (member != nullptr) found[name.string()].*member = path.string();
  }
  std::vector<FailureFiles> failures;
  for (auto& [name, files] : found) {
    files.name = name;
    failures.push_back(std::move(files));
  }
  return failures;
}

base::Status FindingFiles::open() const {
  if (const auto writable = files::check_writable_directory(directory_); !writable) {
    const char* const flag = named_ == Named::ByCause ? "--folder " : "--save ";
    return base::infrastructure_error(flag + writable.error().message);
  }
  files::remove_abandoned_files(directory_);
  return base::Ok{};
}

std::string FindingFiles::save(const operation::Case& value, const Cause& cause, std::string_view what) {
  std::error_code code;
  std::filesystem::create_directories(directory_,
                                      code);  // Where this fails, so does the writing, which says it better.
  const std::string name = named_ == Named::ByCause
                               ? cause.to_string()
                               : fmt::format("{}.{:08x}", verdict::name(cause.kind), content_hash(value) >> 32);
  std::string path = fmt::format("{}/{}.{}.{}.safetensors", directory_, value.kernel, name, what);
  if (named_ == Named::ByCause && std::filesystem::exists(path, code)) return path;
  const auto saved = case_file::save(path, value);
  if (saved) return path;
  const std::lock_guard lock(mutex_);
  if (unsaved_++ == 0) first_unsaved_ = saved.error().message;
  return "";
}

std::optional<base::Error> FindingFiles::problem() const {
  const std::lock_guard lock(mutex_);
  if (unsaved_ == 0) return std::nullopt;
  std::string others;
  if (unsaved_ > 1) others = fmt::format("; {} more of this run could not be written either", unsaved_ - 1);
  return base::infrastructure_error(first_unsaved_ + others);
}

}  // namespace negzero::campaign
