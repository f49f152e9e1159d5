// A program's kernels as one object, and the rule of make that says what it was made of.

#include <span>
#include <string_view>

#include <fmt/format.h>

#include <negzero/files/safetensors.hpp>
#include <negzero/source/program.hpp>
#include <negzero/source/running.hpp>

namespace negzero::source {
namespace {

/// A path as make reads it.
std::string in_rule(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#' || c == '\\') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

}  // namespace

base::Status write_object(const Program& program, const std::string& path) {
  std::vector<std::string> words{"ld", "-r", "-o", path};
  words.insert(words.end(), program.objects.begin(), program.objects.end());
  auto ran = run_program(words);
  if (!ran) return ran.error();
  if (ran->status == 0) return base::Ok{};
  return base::infrastructure_error(fmt::format("{} cannot be written: {}", path, ran->errors));
}

base::Status write_rule(const Program& program, const std::string& object, const std::string& path) {
  std::string rule = in_rule(object) + ":";
  for (const std::string& read : program.read) rule += " \\\n  " + in_rule(read);
  rule += "\n";
  return files::write_file_atomically(path, std::as_bytes(std::span(rule)));
}

}  // namespace negzero::source
