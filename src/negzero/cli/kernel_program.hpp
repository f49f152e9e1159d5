// The programs that hold the kernels: where they are, and what they declare.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/source/kit.hpp>
#include <negzero/source/program.hpp>

namespace negzero::cli {

/// Fills the registry with what programs declare of their kernels; none of their code comes into this process.
/// Common::kernels: their paths; none: the program that lies beside this one, and nothing to do where kernels are
/// linked into this one. A file of CUDA, FILE.cu, is compiled to such a program first, with Common::compiler_flags as
/// to nvcc; a .nz behind it declares it. `executor` is the word of --executor: a program for a GPU takes nvcc.
/// `with_shipped`: that one too beside modules of Python, as a corpus has cases of both.
/// Errors: none of them can be started and holds kernels. What is wrong with one of several is among
/// Registry::errors(), as is a kernel that two of them have.
[[nodiscard]] base::Status know_kernels(Common& common, bool with_shipped, const std::string& executor);

/// Whether this program has kernels of its own, in it or in the program beside it. An installed one has none.
[[nodiscard]] bool brings_kernels();

/// Compiles a file of CUDA, and prints what its author should know. `declaration`: empty: beside the file, or in it.
[[nodiscard]] base::Result<source::Program> compiled(const std::string& file, const std::string& declaration,
                                                     bool is_for_gpu, const std::vector<std::string>& flags);

/// Whether a word names a file of CUDA: FILE.cu, or FILE.py with its declaration behind it or beside it, which holds an
/// extension of PyTorch.
[[nodiscard]] bool is_cuda_file(const std::vector<std::string>& words, std::size_t i);
/// Whether a path is called as the declaration of a file of CUDA is.
[[nodiscard]] bool is_declaration(std::string_view path);
/// Whether one of Common::kernels is a file of CUDA.
[[nodiscard]] bool has_cuda_file(const std::vector<std::string>& kernels);

/// The kit beside this program, as source::read_kit() has it.
[[nodiscard]] base::Result<source::Kit> own_kit();

/// Becomes the program that has the kernels in itself, with the same arguments, where this one has not: for
/// --in-process. Returns only with an error, or where there is nothing to do.
[[nodiscard]] base::Status hold_kernels(char** argv);

}  // namespace negzero::cli
