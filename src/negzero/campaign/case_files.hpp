// Case files by the paths that a person types: found, read and checked, and written into lines to paste.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::campaign {

/// The case files named by the paths; a directory stands for every *.safetensors below it, in the order of their names,
/// and "-" for a case on standard input. Behind them come those that the lines of the text file `list` name, where it
/// is not empty ("-": standard input); lines without a word are skipped.
/// A path that does not exist is a usage error, as is no path at all; a directory or a list without a case is an error
/// of kind Undecided, one that cannot be read an infrastructure error.
[[nodiscard]] base::Result<std::vector<std::string>> case_files(const std::vector<std::string>& paths,
                                                                const std::string& list = "");

/// The lines of the text file that --list names ("-": standard input), with no end of line. Errors name the flag and
/// the file; `cure` says what the file is to hold. Usage error: it is no text. Infrastructure error: it cannot be read.
[[nodiscard]] base::Result<std::vector<std::string>> lines_of_list(const std::string& list, const std::string& cure);

/// case_file::load(), and the contract that the file may hold is one that can be judged by: what is wrong with a
/// file is known before anything runs. Usage errors name the file, the key, the value and a cure. Never waits for what
/// is no file: a named pipe, a socket or a device is a usage error; a pipe of the shell's (/dev/stdin) is read.
[[nodiscard]] base::Result<operation::Case> load_case(const std::string& path);

/// A number of the bytes of the case's file: names of files are made of it.
[[nodiscard]] std::uint64_t content_hash(const operation::Case& value);

/// Text as one word of a shell: as it is, in single quotes, or in bash's $'...' where a terminal would obey what it
/// holds.
[[nodiscard]] std::string shell_word(const std::string& text);

/// "negzero replay 'a file.safetensors' --kernels a/worker --kernel gemm.naive.f32", ready for a shell: runs the case
/// on `kernel`. --kernels is there where the user has named the program that holds it; --kernel where `names_kernel`,
/// for a case that names another one.
[[nodiscard]] std::string replay_line(const std::string& command, const std::string& path, const std::string& kernel,
                                      bool names_kernel = false);
/// "negzero shrink a.partial.safetensors -o a.case.safetensors": goes on where shrinking was interrupted. Flags as of
/// replay_line().
[[nodiscard]] std::string shrink_line(const std::string& command, const std::string& path, const std::string& kernel,
                                      bool names_kernel = false);

/// "negzero export a.case.safetensors --kernels softmax.cu": writes the case as code. Flags as of replay_line().
[[nodiscard]] std::string export_line(const std::string& command, const std::string& path, const std::string& kernel);

/// The name of a case whose shrinking was interrupted, so that nobody takes it for the smallest one: "a.safetensors"
/// and "a.case.safetensors" become "a.partial.safetensors". What is no file (/dev/stdout) keeps its name.
[[nodiscard]] std::string partial_path(const std::string& path);
/// The name of what shrinking such a case to its end gives: "a.case.safetensors".
[[nodiscard]] std::string finished_path(const std::string& path);

}  // namespace negzero::campaign
