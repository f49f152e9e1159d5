// Case files by the paths that a person types: found, read and checked, and written into lines to paste.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include <negzero/base/printable.hpp>
#include <negzero/base/random.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/files/input_file.hpp>
#include <negzero/judgement/default_contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::campaign {

namespace {

constexpr const char* kStandardInput = "/dev/stdin";
constexpr std::string_view kEnd = ".safetensors", kPartial = ".partial", kOriginal = ".original";

std::string without_end(std::string text, std::string_view end) {
  if (text.ends_with(end)) text.resize(text.size() - end.size());
  return text;
}

/// Whether a file that can be read does not even begin as safetensors do: with the length of a header, then a brace.
bool is_of_another_kind(const std::string& path) {
  std::error_code code;
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::filesystem::is_regular_file(path, code)) return false;
  std::array<char, 9> start{};
  file.read(start.data(), start.size());
  return file.gcount() < static_cast<std::streamsize>(start.size()) || start.back() != '{';
}

/// What a path leads to where no case can be read from there, or nothing. A pipe is read where the shell has made it
/// (/dev/stdin, `<(...)`): those have no name in any folder. Opening one that has a name would wait for a writer.
std::string_view unreadable_kind(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  switch (fs::status(path, code).type()) {
    case fs::file_type::fifo:
      (void)fs::canonical(path, code);
      return code ? "" : "a named pipe";
    case fs::file_type::socket:
      return "a socket";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    default:
      return "";
  }
}

/// Adds the cases that a path leads to; `where` begins each error.
base::Status add_files(const std::string& named, const std::string& where, std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  const std::string path = named == "-" ? kStandardInput : named;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::none) {
    return base::infrastructure_error(fmt::format("{}{}: cannot be read: {}", where, path, code.message()));
  }
  if (!fs::is_directory(status)) {
    if (!fs::exists(status)) {
      return base::usage_error(
          fmt::format("{}{}: there is no such file or directory; name a case file, as `negzero check` saves them under "
                      "findings/, or a folder of them",
                      where, path));
    }
    files.push_back(path);
    return base::Ok{};
  }
  const std::size_t before = files.size();
  for (fs::recursive_directory_iterator at(path, code), end; !code && at != end; at.increment(code)) {
    if (at->path().extension() == ".safetensors") files.push_back(at->path().string());
  }
  if (code) {
    return base::infrastructure_error(fmt::format("{}{}: cannot be read: {}", where, path, code.message()));
  }
  if (files.size() == before) {
    return base::undecided_error(fmt::format(
        "{}{}: no *.safetensors below this folder, so nothing was decided; name one that holds cases", where, path));
  }
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  return base::Ok{};
}

/// The flags of a line that runs a case on a kernel: where it is, and which it is.
std::string kernel_flags(const std::string& kernel, bool names_kernel) {
  std::string flags;
  if (const kernel::Kernel* const known = kernel::registry().find_anywhere(kernel)) {
    for (const std::string& named : known->build.named) flags += " --kernels " + shell_word(named);
  }
  return names_kernel ? flags + " --kernel " + shell_word(kernel) : flags;
}

}  // namespace

std::uint64_t content_hash(const operation::Case& value) { return base::mix_bytes(case_file::write(value)); }

std::string shell_word(const std::string& text) {
  const std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=:,@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  if (base::one_line(text) != text) {
    // What a terminal would obey or change is spelled out: the shell makes bytes of it again.
    std::string result = "$'";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte > 0x7e) {
        result += fmt::format("\\x{:02x}", byte);
      } else {
        result += c == '\'' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
      }
    }
    return result + "'";
  }
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

base::Result<operation::Case> load_case(const std::string& path) {
  if (const std::string_view kind = unreadable_kind(path); !kind.empty()) {
    return base::usage_error(
        fmt::format("{}: is {}, not a case file; name a case file, as `negzero check` saves them "
                    "under findings/",
                    path, kind));
  }
  auto value = case_file::load(path);
  if (!value && is_of_another_kind(path)) {
    return base::usage_error(fmt::format(
        "{}: this is no case file: a case file is a safetensors file, and `negzero check` writes them", path));
  }
  if (!value || value->contract.empty()) return value;
  const auto wrong = [&](const base::Error& error) {
    return base::usage_error(fmt::format(
        "{}: metadata contract: {}; mend that entry, or remove it for the kernel's own", path, error.message));
  };
  const auto contract = judgement::named_contract(*value);
  if (!contract) return wrong(contract.error());
  // A contract may be well formed and still ask for what no oracle of this version knows.
  if (value->operation.signature().is_declared) {
    if (const base::Status valid = contract::validate(*contract); !valid) return wrong(valid.error());
    return value;
  }
  if (const auto oracle = oracle::Oracle::make(*value, *contract); !oracle) return wrong(oracle.error());
  return value;
}

base::Result<std::vector<std::string>> lines_of_list(const std::string& list, const std::string& cure) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 26;
  const auto text = files::read_text(list == "-" ? kStandardInput : list, kMostBytes);
  if (!text) return base::Error{text.error().kind, "--list " + text.error().message};
  std::string_view rest = *text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // The byte order mark that some editors write.
  std::vector<std::string> lines(1);
  for (const char c : rest) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c == '\0') {
      return base::usage_error(fmt::format("--list {}: holds a NUL byte, so that it is no text; {}", list, cure));
    } else {
      lines.back() += c;
    }
  }
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
  }
  return lines;
}

base::Result<std::vector<std::string>> case_files(const std::vector<std::string>& paths, const std::string& list) {
  if (paths.empty() && list.empty()) {
    return base::usage_error("no case is named: name case files, folders of them, or a file of paths by --list");
  }
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (const auto added = add_files(path, "", files); !added) return added.error();
  }
  if (list.empty()) return files;
  const auto lines = lines_of_list(list, "write a path a line, or name case files as paths");
  if (!lines) return lines.error();
  for (std::size_t i = 0; i < lines->size(); ++i) {
    const std::string& path = (*lines)[i];
    if (path.find_first_not_of(" \t") == std::string::npos) continue;
    if (const auto added = add_files(path, fmt::format("--list {}, line {}: ", list, i + 1), files); !added) {
      return added.error();
    }
  }
  if (files.empty()) {
    return base::undecided_error(
        fmt::format("--list {}: names no case, so nothing was decided; write a path a line", list));
  }
  return files;
}

std::string replay_line(const std::string& command, const std::string& path, const std::string& kernel,
                        bool names_kernel) {
  return fmt::format("{} replay {}{}", shell_word(command), shell_word(path), kernel_flags(kernel, names_kernel));
}

std::string shrink_line(const std::string& command, const std::string& path, const std::string& kernel,
                        bool names_kernel) {
  return fmt::format("{} shrink {} -o {}{}", shell_word(command), shell_word(path), shell_word(finished_path(path)),
                     kernel_flags(kernel, names_kernel));
}

std::string export_line(const std::string& command, const std::string& path, const std::string& kernel) {
  return fmt::format("{} export {}{}", shell_word(command), shell_word(path), kernel_flags(kernel, false));
}

std::string partial_path(const std::string& path) {
  std::error_code code;
  // A device or a pipe has no neighbours that could be told apart by name.
  if (std::filesystem::exists(path, code) && !std::filesystem::is_regular_file(path, code)) return path;
  const std::string stem = without_end(without_end(path, kEnd), ".case");
  return stem.ends_with(kPartial) ? stem + std::string(kEnd) : stem + std::string(kPartial) + std::string(kEnd);
}

std::string finished_path(const std::string& path) {
  return without_end(without_end(without_end(path, kEnd), kPartial), kOriginal) + ".case" + std::string(kEnd);
}

}  // namespace negzero::campaign
