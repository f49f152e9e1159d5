// The table of words and the table of names.

#include <algorithm>

#include <negzero/source/declaration_words.hpp>

namespace negzero::source {
namespace {

constexpr DeclarationWord kWords[] = {
    {"flags", "-I../include -DTILE=32",
     "flags as for nvcc, for the whole file. A relative folder is looked for beside the declaration, then beside the "
     "file",
     "none", true},
    {"include", "softmax_right.cu", "another CUDA file that is compiled with this one, such as a reference in F64",
     "none", true},
    {"kernel", "softmax.v2", "begins a declaration and gives the kernel its name in negzero", "", false},
    {"operation", "gemm",
     "what the kernel computes: a name of `negzero list operations`, or a line of your own, as in `softmax: y[rows, "
     "columns] <- x[rows, columns] each rows`. Behind bounds of indices it has words (`ascending from 0`, `distinct`, "
     "`permutation`, `none=-1`), and at its end elements that it `reads` and `writes` (docs/how-to/indices_and_pages.md)",
     "", false},
    {"about", "one warp a row", "a sentence for lists and findings", "nothing", false},
    {"formats", "a=F16 b=F16 d=F32",
     "the formats of tensors. Each further line is another combination, and makes a kernel of its own with the formats "
     "in its name: `softmax.v2.f16`",
     "F32; I32 for indices; for `c` of a gemm, the format of `d`", true},
    {"limits",
     "m % 64, 1 <= k <= 512, batch = 1, m = n, k <= 2 * n, n power_of_two, m * n <= 65536, k tiles 32, beta = zero",
     "the extents and scalars that the kernel takes. `tiles` limits nothing: extents are drawn around these sizes",
     "all", true},
    {"values", "x -1e4..1e4, p >= 0, lse <= 1e4 inf=negative, q -8..7",
     "the values that inputs may have, and the scalars of an operation of your own. A range holds finite values only, "
     "unless "
     "`inf=yes`, `inf=positive`, `inf=negative` or `nan=yes` is added. `x ..` is every finite value",
     "every value, infinities and NaN too", true},
    {"layout", "b column_major near, stride % 8, offset <= 64, align 16, shared batch",
     "how one tensor, or all of them, may lie in memory. First comes an order: `packed`, `row_major`, `column_major`, "
     "`row_or_column_major` or `any`. `near`: no tensor spans 2^31 elements. `stride` and `offset`, in elements, take "
     "`%` and `<=`, of every dimension with a second element, and of no empty tensor; `offset = 0`; `span <= N` "
     "elements. `align N`: the first "
     "element lies at a multiple of N bytes. "
     "`shared E`: along the extent E every element is the same memory. `broadcast no`: no two elements share memory",
     "`packed`, from the start of its memory", true},
    {"in_place", "c",
     "an input that always lies in the output's memory. With `perhaps` behind it, it lies there in some of the cases",
     "none", false},
    {"options", "algorithm 0 1 2, slices 1..8",
     "whole numbers that a launch chooses beside its operands. Each has a name (a-z, 0-9 and _) and the values that it "
     "may have. The first is the default; cases draw all of them",
     "none", true},
    {"contract", "order=ascending contraction=fused nan=ignore",
     "the numerics that the kernel promises: fields of `negzero list fields`, or one name of `negzero list contracts`",
     "the default of each field", true},
    {"reference", "softmax.right",
     "another declared kernel, usually in F64, with which the results of an operation of your own are compared",
     "values are not judged", false},
    {"error", "y ulps=4 relative=1e-6", "how far an output may be from the reference. `y any`: it may be anything",
     "the reference's value, rounded to nearest", true},
    {"nan", "any", "where the reference gives NaN, the kernel may give anything", "NaN exactly there", false},
    {"zero_signs", "true", "a zero has the sign of the reference's zero", "`false`", false},
    {"accept", "class=data_race reason=\"stores of equal values\" link=owner/repo#12",
     "a known finding: it is reported and makes no run fail. The fields are those of a ledger (docs/how-to/ci.md), "
     "such as "
     "`at=\"tile[i] = x[i];\"` for one line of source",
     "none", true},
    {"guessed", "launch, limits, operation",
     "the parts of a draft of `negzero new` that were not measured. Findings say so, and a run with no other findings "
     "exits "
     "with 4. Delete the line once you have confirmed them",
     "nothing is guessed", false},
    {"launch", "softmax<<<rows, 256, 0, stream>>>(x, y, columns);",
     "C++ statements that launch the kernel, or call the function of yours that does", "", false},
    {"torch", "y = softmax_cuda(x);", "a call of a PyTorch extension, with tensors of PyTorch, in place of `launch`",
     "`launch` is required", false},
};

constexpr LaunchName kNames[] = {
    {"b",
     "of a tensor: a pointer to its first element. Passed by itself as an argument, it has the pointer type of the "
     "parameter that takes it, if the elements of both have the same bytes: `at::Half*` or `uint16_t*` for F16, "
     "`c10::BFloat16*` for BF16, `unsigned "
     "char*` for F8, `unsigned*` for I32, `long long*` for I64. For others write `reinterpret_cast<float4*>(b)`. An "
     "initial tensor, such as `init` of scatter.add, has no name: the output's memory holds it"},
    {"negzero::element_of<decltype(b)>",
     "the type of a tensor's elements, for a template argument that no parameter gives, as in "
     "`softmax<negzero::element_of<decltype(x)>><<<rows, 256>>>(p, columns)`"},
    {"b_stride0, b_stride1 ... b_stride5",
     "the stride of one dimension of a tensor, in elements, a `std::int64_t`. Dimension 0 is the outermost. `b[i, j, "
     "l]` of a "
     "gemm's B, whose dimensions are batch, k and n, is `b[i * b_stride0 + j * b_stride1 + l * b_stride2]`"},
    {"k", "of an extent: an `int`"},
    {"alpha",
     "of a scalar: a number of the contract's `scalar_format`, or F32; an `int` or a `bool` where its line says that "
     "behind its name"},
    {"algorithm", "of an option: a `std::int64_t`"},
    {"stream", "a `cudaStream_t`"},
    {"negzero::refuse(\"why\")",
     "ends the launch: the kernel does not take the case. Inside the declared limits that is a finding"},
};

}  // namespace

std::span<const DeclarationWord> declaration_words() { return kWords; }

const DeclarationWord* find_declaration_word(std::string_view word) {
  const auto found = std::ranges::find(kWords, word, &DeclarationWord::word);
  return found == std::end(kWords) ? nullptr : found;
}

std::vector<std::string_view> all_declaration_words() {
  std::vector<std::string_view> result;
  for (const DeclarationWord& each : kWords) result.push_back(each.word);
  return result;
}

std::span<const LaunchName> launch_names() { return kNames; }

}  // namespace negzero::source
