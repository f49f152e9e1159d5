// The cases of one kernel that showed something new: in a folder that several campaigns share, and in memory.

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/corpus.hpp>
#include <negzero/campaign/requested_cases.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/tensor/writable.hpp>

namespace negzero::campaign {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".safetensors";

}  // namespace

Corpus::Corpus(const std::string& folder, const kernel::Kernel& kernel)
    : directory_(folder + "/corpus/" + kernel.name),
      kernel_(kernel.name),
      contract_(contract::to_json(kernel.contract)) {}

base::Result<std::vector<std::string>> Corpus::unknown_files() {
  std::vector<std::string> found;
  std::error_code code;
  fs::directory_iterator files(directory_, code);
  if (code == std::errc::no_such_file_or_directory) return found;
  for (; !code && files != fs::directory_iterator(); files.increment(code)) {
    const std::string name = files->path().filename().string();
    if (!name.ends_with(kSuffix) || !known_.insert(name).second) continue;
    found.push_back(files->path().string());
  }
  if (code) {
    return base::infrastructure_error(
        fmt::format("the corpus {} cannot be read: {}; make it readable", directory_, code.message()));
  }
  std::ranges::sort(found);
  return found;
}

bool Corpus::count(const Features& features) {
  ++counted_;
  bool is_new = false;
  for (const std::uint32_t feature : features) is_new = ++runs_[feature] == 1 || is_new;
  return is_new;
}

base::Status Corpus::keep(const operation::Case& value, Shown shown, const std::string& file) {
  operation::Case named = value;
  named.kernel = kernel_;
  named.contract = contract_;
  const std::string name =
      file.empty() ? fmt::format("{:016x}{}", content_hash(named), kSuffix) : fs::path(file).filename().string();
  entries_.push_back({file_of(value), name, std::move(shown)});
  if (!file.empty() || !known_.insert(name).second) return base::Ok{};
  std::error_code ignored;  // Where it cannot be made, the file says so better.
  fs::create_directories(directory_, ignored);
  return operation::save_case(directory_ + "/" + name, named);
}

double Corpus::worth(const Entry& entry) const {
  // What a case costs that takes no time to run.
  constexpr double kFixedUs = 100;
  double energy = 0;
  for (const std::uint32_t feature : entry.shown.features) {
    const auto runs = runs_.find(feature);
    if (runs != runs_.end()) energy += 1.0 / static_cast<double>(runs->second);
  }
  return energy / (static_cast<double>(entry.shown.took_us) + kFixedUs);
}

std::vector<std::string> Corpus::parents(std::size_t count, base::Random& random) {
  // Weighing all entries takes longer than a task, and hardly changes within a few.
  if (until_.size() != entries_.size() || counted_ > weighed_ + weighed_ / 16) {
    until_.clear();
    double sum = 0;
    for (const Entry& entry : entries_) until_.push_back(sum += worth(entry));
    weighed_ = counted_;
  }
  std::set<std::size_t> drawn;
  for (std::size_t i = 0; i < count && !entries_.empty(); ++i) {
    const auto at = std::ranges::upper_bound(until_, random.uniform() * until_.back());
    drawn.insert(std::min(static_cast<std::size_t>(at - until_.begin()), entries_.size() - 1));
  }
  std::vector<std::string> files;
  for (const std::size_t place : drawn) files.push_back(entries_[place].file);
  return files;
}

base::Result<std::size_t> Corpus::minimise() {
  std::unordered_map<std::uint32_t, std::size_t> shown;
  for (const Entry& entry : entries_) {
    for (const std::uint32_t feature : entry.shown.features) ++shown[feature];
  }
  std::ranges::stable_sort(entries_, std::greater(), [](const Entry& entry) { return entry.file.size(); });
  const auto can_go = [&](const Entry& entry) {
    return std::ranges::all_of(entry.shown.features, [&](std::uint32_t feature) { return shown[feature] > 1; });
  };
  std::size_t removed = 0;
  std::vector<Entry> kept;
  for (Entry& entry : entries_) {
    if (!can_go(entry)) {
      kept.push_back(std::move(entry));
      continue;
    }
    for (const std::uint32_t feature : entry.shown.features) --shown[feature];
    std::error_code code;
    fs::remove(directory_ + "/" + entry.name, code);
    if (code) {
      return base::infrastructure_error(
          fmt::format("{}/{} cannot be removed: {}", directory_, entry.name, code.message()));
    }
    ++removed;
  }
  entries_ = std::move(kept);
  until_.clear();
  return removed;
}

}  // namespace negzero::campaign
