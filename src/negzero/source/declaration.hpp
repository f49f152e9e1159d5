// What the author of a file says of its kernels: FILE.nz, or `// negzero:` lines of the file itself.
//
//     kernel    sgemm.v6
//     operation gemm
//     formats   a=F32 b=F32 d=F32
//     limits    batch = 1, m % 64, n % 64, k % 8, beta = zero
//     contract  order=any contraction=fused
//     accept    class=data_race reason="stores of equal values" link=owner/repo#12
//     launch    sgemm_v6<<<dim3(n / 64, m / 64), 256>>>(m, n, k, alpha, a, b, beta, d);
//
// Before the first kernel may be `flags -I.. -DNAME`, as to nvcc, and `include FILE`: more CUDA, such as a reference.
// A line is a word and what it says; one that begins with a blank goes on with the line before; '#' begins a comment.
// `kernel` begins the next declaration. What is missing has a default: F32 everywhere, tensors that are packed, row
// by row, the contract of `negzero list fields`. `torch y = f(x);` in place of `launch` calls an extension of PyTorch.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/verdict/ledger.hpp>

namespace negzero::source {

/// Some text of a declaration and the place where it begins.
struct Said {
  std::string text{};
  std::size_t line = 0, column = 0;
};

struct Declaration {
  std::string kernel{};
  std::string operation{};  ///< Signature::identity()
  std::string json{};       ///< an entry of kernel::declarations() (docs/reference/worker_protocol.md)
  std::vector<verdict::LedgerEntry> accepted{};
  Said launch{};               ///< one or more C++ statements, with the operation's names in scope
  bool is_of_tensors = false;  ///< they are those of a PyTorch extension: operands are torch::Tensor
  std::size_t line = 0;        ///< of `kernel`
};

/// All that is said of a file.
struct Declarations {
  std::vector<std::string> flags{};
  std::vector<std::string> includes{};
  std::vector<Declaration> kernels{};
};

/// Reads the declarations of a .nz file. Usage errors: "FILE:LINE: what is wrong, and what it may be".
[[nodiscard]] base::Result<Declarations> read_declarations(std::string_view text, const std::string& file);
/// The declarations in lines `// negzero: ...` of a CUDA file: its text with all others blank.
[[nodiscard]] std::string declaration_lines(std::string_view text);

}  // namespace negzero::source
