// Flags that several commands have.

#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include <negzero/cli/commands.hpp>

namespace negzero::cli {

/// A time. None at all is mostly nothing that a person can mean.
void add_duration(CLI::App* app, const std::string& flag, std::uint64_t& target, const std::string& help,
                  bool may_be_none = false);
/// A number from `low` to `high`.
CLI::Option* add_number(CLI::App* app, const std::string& flag, std::uint64_t& target, std::uint64_t low,
                        std::uint64_t high, const std::string& help);
void add_executor(CLI::App* app, std::string& executor, const std::string& help);
void add_watch(CLI::App* app, std::string& watch, const std::string& help);
void add_running(CLI::App* app, Running& running);
void add_making(CLI::App* command, Making& making);
void add_allow_not_judged(CLI::App* command, bool& allow);
CLI::Option* add_first_finding(CLI::App* command, bool& first_finding);
CLI::Option* add_accept(CLI::App* command, std::string& path);
/// `page`: other names of the first flag.
void add_reports(CLI::App* command, ReportFlags& reports, const std::string& page = "");

}  // namespace negzero::cli
