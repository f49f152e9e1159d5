// The table of rules.

#include <negzero/oracle/permitted.hpp>

namespace negzero::oracle {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> table{
      {"sum.exact", "No order of this sum rounds anything, so only the exact sum is right.",
       "S <= 2^p g, g >= eta: every partial sum is a multiple of g below 2^p g (docs/numerics.md section 2a)"},
      {"sum.hull", "The result lies between the least and the greatest of all orders of these few terms.",
       "Rounding is monotone (IEEE 754-2019 section 4), so the extremes follow by dynamic programming "
       "(docs/numerics.md section 2b)"},
      {"sum.any_order", "No order of this sum strays further than B from the exact sum.",
       "Rump, BIT 52, 2012; Jeannerod & Rump, SIAM J. Matrix Anal. Appl. 34, 2013 (docs/numerics.md section 2c)"},
      {"sum.tensor_core", "No order of a tensor core's steps strays further than B from the exact sum.",
       "Each step truncates its terms to 2^(E-F), adds them exactly and rounds once: measured on an H200, and Fasi, "
       "Higham, "
       "Mikaitis & Pranesh, PeerJ CS 7:e330, 2021 (docs/numerics.md section 2e)"},
      {"sum.sliced",
       "No order of this sum whose slices' sums may be stored in the narrower format strays further than B from the "
       "exact sum.",
       "A store errs by u_G of what it stores, or by underflow, and all stored sums together are at most S + B "
       "(docs/numerics.md section 2f)"},
      {"sum.ascending", "The chain in ascending k is followed step by step.",
       "Each step is one rounding (IEEE 754-2019 section 4), fused or not as declared (docs/numerics.md section 3)"},
      {"sum.overflow",
       "Partial sums of this sum overflow, in some orders or in all: infinities are permitted besides what numbers "
       "remain.",
       "P' >= T permits +Inf, N' >= T permits -Inf, both permit NaN (docs/numerics.md section 3)"},
      {"sum.special", "An infinity or NaN among the terms decides the sum.",
       "IEEE 754-2019 6.1, 6.2: Inf - Inf and Inf * 0 are NaN (docs/numerics.md section 3)"},
      {"sum.empty", "A sum of nothing is what the contract declares, +0 by default.",
       "docs/numerics.md section 1, empty"},
      {"gemm.k_zero", "With K = 0 the result is beta * C, or +0 where beta is zero: A, B and alpha do not matter.",
       "Reference BLAS, xGEMM (docs/numerics.md section 1, reads_c_at_beta_zero)"},
      {"gemm.alpha_zero", "With alpha = 0 the result is beta * C: A and B are not read.",
       "Reference BLAS, xGEMM (docs/numerics.md section 1, reads_a_b_at_alpha_zero)"},
      {"integer.wrap", "An integer sum is exact modulo 2^32.",
       "Addition modulo 2^32 is associative (docs/numerics.md section 2c)"},
      {"integer.saturate", "An integer sum is clamped at each addition.",
       "A clamp loses at most what P or N exceeds the range by (docs/numerics.md section 2c)"},
      {"output.overflow", "The conversion to the output's format overflows by its own threshold.",
       "IEEE 754-2019 7.4 and the contract's overflow policy (docs/numerics.md section 3)"},
      {"convert.rounded", "A conversion rounds a number once for each format that is declared.",
       "IEEE 754-2019 5.4.2: formatOf-convertFormat; 5.8 for integers (docs/numerics.md section 5)"},
      {"convert.special", "A conversion keeps NaN a NaN, and an infinity of either sign where the format has it.",
       "IEEE 754-2019 6.1, 6.2; to I32 as PTX cvt does: NaN gives 0, or -2^31 from F64, an infinity the end of the "
       "range"},
      {"zero.sign", "A zero result carries a sign that the contract permits.",
       "IEEE 754-2019 6.3; 9.6 for maximum and minimum (docs/numerics.md section 4)"},
      {"select.value", "A selection returns the value of one of its inputs.",
       "IEEE 754-2019 9.6: maximum and minimum with -0 < +0 (docs/numerics.md section 5)"},
      {"select.nan", "NaN among the inputs of a selection gives what the contract declares.",
       "IEEE 754-2019 9.6: maximum propagates NaN, maximumNumber ignores it (docs/numerics.md section 5)"},
      {"select.index", "The index points at a permitted value, ties as declared.", "docs/numerics.md section 1, ties"},
      {"select.beside", "An index that is given beside a value is one at which that value stands.",
       "docs/numerics.md section 5"},
      {"select.empty", "A selection from nothing is what the contract declares, the identity by default.",
       "docs/numerics.md section 1, empty"},
      {"scatter.untouched", "A location that no update names keeps its bits.", "docs/numerics.md section 5, n = 0"},
      {"counts.padding", "An element of the output that does not count may be anything.",
       "docs/numerics.md section 5, padding"},
      {"run.guard", "A launch writes its output and its workspace, nothing beside them and no input.",
       "Guard zones around every buffer, compared byte by byte after the launch"},
      {"run.unwritten", "A launch writes every element of its output.", "The output holds poison before the launch"},
      {"run.refused", "A request inside the declared limits is not refused.", "The kernel's own limits"},
      {"run.launch", "The launch is one that CUDA accepts, and the launch wrapper does not throw.",
       "CUDA C++ Programming Guide, technical specifications"},
      {"run.environment", "A launch and its wrapper leave rounding, flushing of subnormals and traps as they were.",
       "The host thread's floating-point environment: a GPU has no such state, and what runs next would inherit it"},
      {"run.state", "A launch does not depend on launches before it.",
       "The kernel is right in a fresh process, and wrong after the launches that the case's history names"},
      {"run.host_access", "Host code touches device memory by copies and launches alone.",
       "CUDA C++ Programming Guide, device memory: anything else is a segmentation fault on the host"},
      {"run.raised",
       "A function raises no exception, and gives arrays of the right shapes and formats, for a case inside its "
       "limits.",
       "The limits that check() was given"},
      {"run.barrier", "All threads of a block, or all named lanes of a warp, meet at the same barrier.",
       "CUDA C++ Programming Guide, synchronization functions"},
      {"run.shared", "Nothing is written beside a shared array.", "Guard zones between shared arrays"},
      {"run.hang", "A launch ends.", "A block starts within the time limit; a thread stays within its event budget"},
      {"run.crash", "A launch leaves its process, and its GPU, alive.", "Signals, exit codes, sticky CUDA errors"},
      {"run.repeat",
       "A kernel that promises determinism gives the same bits on a second run, threads in another order.",
       "docs/numerics.md section 1, determinism: the words of CUB"},
      {"run.bounds", "Every access of a watched run lies in a buffer, and inputs and padding are not written.",
       "The layouts of the case; CUDA C++ Programming Guide: anything else is undefined"},
      {"run.uninitialised", "A watched run reads no byte that nobody has written.",
       "Shared memory, workspace and outputs hold anything at first (CUDA C++ Programming Guide)"},
      {"run.forbidden_read", "A watched run reads no padding, and no input that the contract says is not read.",
       "Reference BLAS, xGEMM: C at beta = 0, A and B at alpha = 0 (docs/numerics.md section 1)"},
      {"run.race", "Two accesses of a watched run, one of them a write and not both atomic, are ordered.",
       "PTX ISA, memory consistency model: barriers, __syncwarp, fences with atomics"},
      {"run.misaligned", "The address of every access of a watched run is a multiple of its size.",
       "CUDA C++ Programming Guide, device memory accesses: an error on a GPU"},
  };
  return table;
}

}  // namespace negzero::oracle
