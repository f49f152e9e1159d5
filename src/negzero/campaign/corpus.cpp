// The cases of one kernel that showed something new: in a folder that several campaigns share, and in memory.

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/corpus.hpp>
#include <negzero/campaign/requested_cases.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/feature/feature.hpp>
#include <negzero/files/writable.hpp>

namespace negzero::campaign {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".safetensors";

}  // namespace

Corpus::Corpus(const std::string& folder, const kernel::Kernel& kernel, const EvaluationOptions& options)
    : directory_(folder + "/corpus/" + kernel.name),
      kernel_(kernel.name),
      contract_(contract::to_json(kernel.contract)),
      build_(build_of(kernel, options)) {}

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

void Corpus::forget(const std::string& file) { known_.erase(fs::path(file).filename().string()); }

void Corpus::record(const std::string& file, const Shown& shown) const {
  // What is not on record runs once more: that is no error.
  (void)save_shown(file, shown, build_);
}

bool Corpus::count(const Features& features) {
  ++counted_;
  bool is_new = false;
  for (const std::uint32_t feature : features) {
    if (const auto known = runs_.find(feature); known != runs_.end()) {
      ++known->second;
      continue;
    }
    const auto block = feature::code_block_of(feature);
    if (block && runs_.size() >= kMostFeatures) continue;
    if (block) blocks_.insert(*block);
    runs_.emplace(feature, 1);
    is_new = true;
  }
  return is_new;
}

base::Status Corpus::keep(const operation::Case& value, Shown shown, const std::string& file) {
  const Shown whole = shown;
  // A feature that count() did not take keeps no case.
  std::erase_if(shown.features, [this](std::uint32_t feature) { return !runs_.contains(feature); });
  operation::Case named = value;
  named.kernel = kernel_;
  named.contract = contract_;
  named.contract_version = contract::kVersion;
  const std::string name =
      file.empty() ? fmt::format("{:016x}{}", content_hash(named), kSuffix) : fs::path(file).filename().string();
  const auto kept = std::ranges::find(entries_, name, &Entry::name);
  if (kept != entries_.end()) {
    std::ranges::copy_if(shown.features, std::back_inserter(kept->shown.features), [&](std::uint32_t feature) {
      return std::ranges::find(kept->shown.features, feature) == kept->shown.features.end();
    });
    until_.clear();
    return base::Ok{};
  }
  entries_.push_back({file_of(value), name, std::move(shown)});
  if (!file.empty() || !known_.insert(name).second) return base::Ok{};
  std::error_code ignored;  // Where it cannot be made, the file says so better.
  fs::create_directories(directory_, ignored);
  const std::string path = directory_ + "/" + name;
  base::Status saved = case_file::save(path, named);
  if (saved) record(path, whole);
  return saved;
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
  for (const std::size_t place : drawn) {
    if (has_room(files, entries_[place].file.size())) files.push_back(entries_[place].file);
  }
  return files;
}

std::vector<bool> Corpus::needed() const {
  std::unordered_map<std::uint32_t, std::size_t> shown;
  for (const Entry& entry : entries_) {
    for (const std::uint32_t feature : entry.shown.features) ++shown[feature];
  }
  std::vector<bool> stays(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Features& features = entries_[i].shown.features;
    stays[i] = std::ranges::any_of(features, [&](std::uint32_t feature) { return shown[feature] == 1; });
    if (stays[i]) continue;
    for (const std::uint32_t feature : features) --shown[feature];
  }
  return stays;
}

std::vector<bool> Corpus::most_telling(std::size_t most) const {
  std::set<std::uint32_t> shown;
  std::vector<bool> stays(entries_.size());
  for (std::size_t taken = 0; taken < most; ++taken) {
    std::size_t best = 0, best_new = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto is_new = [&](std::uint32_t feature) { return !shown.contains(feature); };
      const auto shows = static_cast<std::size_t>(std::ranges::count_if(entries_[i].shown.features, is_new));
      if (shows > 0 && shows >= best_new) best = i, best_new = shows;  // Small ones come last.
    }
    if (best_new == 0) break;
    stays[best] = true;
    shown.insert(entries_[best].shown.features.begin(), entries_[best].shown.features.end());
  }
  return stays;
}

base::Result<std::size_t> Corpus::minimise(std::size_t most) {
  std::ranges::stable_sort(entries_, std::greater(), [](const Entry& entry) { return entry.file.size(); });
  const std::vector<bool> stays = most == 0 ? needed() : most_telling(most);
  std::vector<Entry> kept;
  std::unordered_map<std::uint32_t, std::uint64_t> runs;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (stays[i]) {
      for (const std::uint32_t feature : entries_[i].shown.features) runs[feature] = runs_.at(feature);
      kept.push_back(std::move(entries_[i]));
      continue;
    }
    std::error_code code;
    fs::remove(directory_ + "/" + entries_[i].name, code);
    std::error_code ignored;
    fs::remove(shown_path(directory_ + "/" + entries_[i].name), ignored);
    if (code) {
      return base::infrastructure_error(
          fmt::format("{}/{} cannot be removed: {}", directory_, entries_[i].name, code.message()));
    }
  }
  const std::size_t removed = entries_.size() - kept.size();
  entries_ = std::move(kept);
  until_.clear();
  runs_ = std::move(runs);
  blocks_.clear();
  for (const auto& [feature, times] : runs_) {
    if (const auto block = feature::code_block_of(feature)) blocks_.insert(*block);
  }
  return removed;
}

}  // namespace negzero::campaign
