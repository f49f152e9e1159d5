// What all shards of a search have come to, read from the folder that they share.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/folder.hpp>

namespace negzero::campaign {

namespace {

namespace fs = std::filesystem;

/// "2-of-4.json": the second of four; nothing for any other name.
std::optional<Shard> shard_of(std::string_view name) {
  Shard shard;
  const auto number = [&](std::uint32_t& to, std::string_view behind) {
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), to);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    if (error != std::errc() || !name.starts_with(behind)) return false;
    name.remove_prefix(behind.size());
    return true;
  };
  if (!number(shard.number, "-of-") || !number(shard.count, ".json") || !name.empty()) return std::nullopt;
  return shard;
}

base::Result<std::vector<ShardEntry>> read_shards(const std::string& folder) {
  std::error_code code;
  const fs::file_status status = fs::status(folder, code);
  if (!fs::exists(status)) {
    return base::usage_error(
        fmt::format("{}: there is no such folder; name the one that `negzero fuzz --folder` was given", folder));
  }
  const std::string directory = folder + "/shards";
  std::vector<ShardEntry> shards;
  if (fs::is_directory(directory, code)) {
    for (fs::directory_iterator at(directory, code), end; !code && at != end; at.increment(code)) {
      const auto shard = shard_of(at->path().filename().string());
      if (!shard) continue;
      auto state = load_shard(shard_path(folder, *shard));
      if (!state) return state.error();
      if (*state) shards.push_back({*shard, **std::move(state)});
    }
    if (code) {
      return base::infrastructure_error(
          fmt::format("{}: cannot be read: {}; make it readable", directory, code.message()));
    }
  }
  if (shards.empty()) {
    return base::usage_error(
        fmt::format("{}: is no folder of a campaign: it holds no shards/I-of-N.json; name the one that `negzero fuzz "
                    "--folder` was given",
                    folder));
  }
  std::ranges::sort(shards, {}, [](const ShardEntry& each) { return std::tuple(each.shard.count, each.shard.number); });
  return shards;
}

void add(const KernelState& state, KernelTotal& to) {
  for (const Count& count : kCounts) to.*count.member += state.*count.member;
  add(state.options, to.options);
  for (const Arm& arm : state.arms.all()) {
    auto& all = to.arms.all();
    const auto known = std::ranges::find(all, arm.name, &Arm::name);
    Arm& sum = known == all.end() ? all.emplace_back(Arm{.name = arm.name}) : *known;
    sum.cases += arm.cases;
    sum.kept += arm.kept;
  }
}

std::uint64_t case_files_in(const std::string& directory) {
  std::uint64_t count = 0;
  std::error_code code;
  for (fs::directory_iterator at(directory, code), end; !code && at != end; at.increment(code)) {
    count += at->path().extension() == ".safetensors" ? 1 : 0;
  }
  return count;
}

}  // namespace

std::vector<FuzzPoint> together_over_time(const std::vector<ShardEntry>& shards) {
  std::vector<std::pair<std::uint64_t, std::size_t>> times;  // and whose
  for (std::size_t i = 0; i < shards.size(); ++i) {
    for (const FuzzPoint& point : shards[i].state.points) times.emplace_back(point.elapsed_ms, i);
  }
  std::ranges::stable_sort(times, {}, &std::pair<std::uint64_t, std::size_t>::first);
  std::vector<std::size_t> next(shards.size());
  std::vector<std::uint64_t> cases(shards.size());
  std::vector<FuzzPoint> points;
  FuzzPoint now;
  for (const auto& [time, shard] : times) {
    const FuzzPoint& point = shards[shard].state.points[next[shard]++];
    now.elapsed_ms = time;
    now.cases += point.cases - cases[shard];
    cases[shard] = point.cases;
    // A run that goes on knows its features only when it has read its corpus again.
    for (const auto member :
         {&FuzzPoint::features, &FuzzPoint::code_blocks, &FuzzPoint::corpus, &FuzzPoint::findings}) {
      now.*member = std::max(now.*member, point.*member);
    }
    if (!points.empty() && points.back().elapsed_ms == time) points.pop_back();
    points.push_back(now);
  }
  return points;
}

base::Result<FolderState> read_folder(const std::string& folder) {
  auto shards = read_shards(folder);
  if (!shards) return shards.error();
  FolderState state;
  state.shards = *std::move(shards);
  std::map<std::string, KernelTotal> kernels;
  for (const ShardEntry& entry : state.shards) {
    for (const auto& [name, kernel] : entry.state.kernels) add(kernel, kernels[name]);
  }
  for (auto& [name, kernel] : kernels) {
    kernel.name = name;
    kernel.corpus = case_files_in(folder + "/corpus/" + name);
    state.kernels.push_back(std::move(kernel));
  }
  state.points = together_over_time(state.shards);
  state.failures = failures_in(folder + "/findings");
  return state;
}

}  // namespace negzero::campaign
