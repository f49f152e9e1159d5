// The limits of a process, of its control groups (both versions) and of the machine.

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <sys/resource.h>

#include <negzero/run/memory_budget.hpp>

namespace negzero::run {

namespace {

constexpr std::uint64_t kNoLimit = MemorySources::kUnlimited;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream read;
  read << file.rdbuf();
  return read.str();
}

/// Returns the number at the beginning of `text`, or nothing ("max", a missing file).
std::optional<std::uint64_t> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

/// Returns the number behind `key` at the beginning of a line.
std::optional<std::uint64_t> number_after(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) return number_in(std::string_view(line).substr(key.size()));
  }
  return std::nullopt;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

/// Undoes the octal escapes of mountinfo: a space in a path is \040.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '\\' && i + 3 < text.size() && std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3) {
      result += static_cast<char>(code);
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// A mounted hierarchy of control groups that limits memory.
struct Hierarchy {
  bool unified = true;  ///< version 2
  std::string group;    ///< what is mounted: "/" or a group, as in a container
  std::string place;    ///< where
};

/// Reads lines such as "36 35 98:0 /group /place rw,noatime shared:1 - cgroup2 source options" (proc(5)).
std::vector<Hierarchy> hierarchies(const std::string& mounts) {
  std::vector<Hierarchy> result;
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skipped, group, place, type, source, options;
    words >> skipped >> skipped >> skipped >> group >> place;
    while (words >> skipped && skipped != "-") {
    }
    words >> type >> source >> options;
    if (type == "cgroup2" || (type == "cgroup" && has_word(options, "memory"))) {
      result.push_back({type == "cgroup2", unescaped(group), unescaped(place)});
    }
  }
  return result;
}

/// Returns the group of this process in one hierarchy, from lines such as "0::/a/b" and "4:memory:/a/b".
std::string own_group(const std::string& groups, bool unified) {
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : has_word(controllers, "memory")) return line.substr(second + 1);
  }
  return {};
}

/// Returns `group` as a path below the mounted one, or "" where it cannot be seen from here.
std::string below(const std::string& mounted, const std::string& group) {
  const std::string prefix = mounted == "/" ? "" : mounted;
  const bool is_below = group.starts_with(prefix) && (group.size() == prefix.size() || group[prefix.size()] == '/');
  if (!is_below || group.find("..") != std::string::npos) return {};
  std::string path = group.substr(prefix.size());
  while (path.ends_with('/')) path.pop_back();
  return path;
}

void lower(std::uint64_t& least, std::string& name, std::optional<std::uint64_t> bytes, const std::string& its_name) {
  if (!bytes || *bytes >= least) return;
  least = *bytes;
  name = its_name;
}

/// Takes one group's limits into account. `shown` is its path without the root of the sources.
void lower_by_group(MemoryBudget& budget, const std::string& folder, const std::string& shown, bool unified) {
  const std::uint64_t used =
      number_in(text_of(folder + (unified ? "/memory.current" : "/memory.usage_in_bytes"))).value_or(0);
  const std::uint64_t droppable =
      number_after(text_of(folder + "/memory.stat"), unified ? "inactive_file " : "total_inactive_file ").value_or(0);
  const std::uint64_t needed = used - std::min(used, droppable);
  const std::vector<std::string> names = unified ? std::vector<std::string>{"/memory.max", "/memory.high"}
                                                 : std::vector<std::string>{"/memory.limit_in_bytes"};
  for (const std::string& name : names) {
    const auto limit = number_in(text_of(folder + name));
    // Version 1 writes "none" as the largest number of pages.
    if (!limit || *limit >= kNoLimit / 4) continue;
    lower(budget.together_bytes, budget.together_limit, *limit - std::min(*limit, needed), shown + name);
  }
}

}  // namespace

MemorySources MemorySources::here() {
  const auto limit_of = [](auto resource) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
    return static_cast<std::uint64_t>(limit.rlim_cur);
  };
  MemorySources sources;
  sources.address_space_bytes = limit_of(RLIMIT_AS);
  sources.data_bytes = limit_of(RLIMIT_DATA);
  return sources;
}

std::uint64_t MemoryBudget::workers_that_fit(std::uint64_t wanted, std::uint64_t bytes_each) const noexcept {
  const std::uint64_t fit = bytes_each == 0 ? wanted : together_bytes / bytes_each;
  return std::max<std::uint64_t>(1, std::min(wanted, fit));
}

MemoryBudget memory_budget(const MemorySources& sources) {
  MemoryBudget budget;
  lower(budget.each_bytes, budget.each_limit, sources.address_space_bytes, "ulimit -v");
  lower(budget.each_bytes, budget.each_limit, sources.data_bytes, "ulimit -d");
  if (const auto kib = number_after(text_of(sources.root + "/proc/meminfo"), "MemAvailable:")) {
    lower(budget.together_bytes, budget.together_limit, *kib * 1024, "MemAvailable");
  }
  const std::string groups = text_of(sources.root + "/proc/self/cgroup");
  for (const Hierarchy& hierarchy : hierarchies(text_of(sources.root + "/proc/self/mountinfo"))) {
    std::string group = below(hierarchy.group, own_group(groups, hierarchy.unified));
    // The limits of all groups around it hold too.
    for (;;) {
      const std::string shown = hierarchy.place + group;
      lower_by_group(budget, sources.root + shown, shown, hierarchy.unified);
      if (group.empty()) break;
      group.erase(group.rfind('/'));
    }
  }
  return budget;
}

}  // namespace negzero::run
