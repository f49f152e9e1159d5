// `check FILE.py FILE.nz`: an extension of PyTorch, from the string in its module to a verdict.

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// `negated()` calls its kernel for every type of AT_DISPATCH; `words()` says what tensors are.
constexpr const char* kModule = R"py(import torch
from torch.utils.cpp_extension import load_inline

source = r"""
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

template <typename T>
__global__ void negate(const T* x, T* y, int64_t n) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = -x[i];
}

#define CHECK_INPUT(x) TORCH_CHECK((x).is_cuda() && x.is_contiguous(), #x " must be contiguous")

torch::Tensor negated(const torch::Tensor& x) {
  CHECK_INPUT(x);
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  auto y = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "negated", [&] {
    negate<scalar_t><<<(x.numel() + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

void words(const torch::Tensor& x) {
  const auto options = torch::TensorOptions().dtype(torch::kInt64).device(torch::kCUDA, 0);
  TORCH_CHECK(x.dim() == 2 && x.size(-1) == x.size(1) && x.stride(0) == x.size(1) && x.strides()[1] == 1);
  TORCH_CHECK(x.sizes() == torch::IntArrayRef({x.size(0), x.size(1)}) && x.element_size() == 4);
  TORCH_CHECK(x.dtype() == torch::kFloat32 && x.options().dtype() == torch::kFloat && x.device().is_cuda());
  TORCH_CHECK(x.view({-1}).dim() == 1 && x.flatten().numel() == x.numel() && x.unsqueeze(0).size(2) == x.size(1));
  TORCH_CHECK(x.unsqueeze(-1).squeeze(2).dim() == 2 && x.view({x.size(1), -1}).size(1) == x.size(0));
  TORCH_CHECK(torch::ones({1}, options).item<int64_t>() == 1 && torch::zeros({1}).item<float>() == 0);
  TORCH_CHECK(torch::full({1}, 0.5, torch::kHalf).item<at::Half>() == __float2half(0.5f));
  TORCH_CHECK(torch::empty({0, 3}).numel() == 0 && !torch::Tensor().defined());
  TORCH_CHECK(std::isnan(torch::empty({1}, torch::dtype(torch::kFloat64)).item<double>()));
  auto one = torch::ones({2}), two = one.clone().fill_(3);
  TORCH_CHECK(one.view({2, 1}).is_same(one) && one.data_ptr<float>() != two.data_ptr<float>());
  for (const auto& wrong : {+[](const torch::Tensor& x) { x.data_ptr<double>(); },
                            +[](const torch::Tensor& x) { (void)x.size(2); },
                            +[](const torch::Tensor& x) { (void)x.view({x.numel() + 1}); },
                            +[](const torch::Tensor& x) { x.clone().copy_(torch::empty({x.numel() + 1})); }}) {
    bool threw = false;
    try {
      wrong(x);
    } catch (const c10::Error&) {
      threw = true;
    }
    TORCH_CHECK(threw, "nothing was thrown");
  }
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("negated", &negated, "negates", py::arg("x")); }
"""

module = load_inline(name="negated", cpp_sources="", cuda_sources=source, functions=["negated"])
)py";

constexpr const char* kDeclarationOfModule = R"(kernel    negated.f32
operation scaled: y[rows, n] <- x[rows, n] each rows
formats   x=F32 y=F32
reference negated.right
limits    rows >= 1, n >= 1
error     y ulps=0
torch     words(x); y = negated(x);

kernel    negated.f16
operation scaled: y[rows, n] <- x[rows, n] each rows
formats   x=F16 y=F16
reference negated.right
limits    rows = 1, n >= 1
error     y ulps=0
torch     TORCH_CHECK(x.dim() == 1); y = negated(x);

kernel    negated.right
operation reference: y[rows, n] <- x[rows, n] each rows
formats   x=F64 y=F64
launch    negate<double><<<rows * n / 64 + 1, 64>>>(x, y, rows * n);
)";

class Extension : public CompilesFiles {
 protected:
  Extension() { write(directory_ / "negated.nz", kDeclarationOfModule); }

  Ran check(const std::string& module) {
    write(directory_ / "negated.py", module);
    return run({"check", directory_ / "negated.py", directory_ / "negated.nz", "--cases", "100", "--executor", "host",
                "--save", directory_ / "found"});
  }
};

TEST_F(Extension, RunsAsItIs) {
  const Ran ran = check(kModule);
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("2 kernels, 200 cases"));
}

TEST_F(Extension, AFindingNamesTheLineOfTheModule) {
  const Ran ran = check(replaced(kModule, "if (i < n)", "if (i <= n)"));
  EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("out of bounds"), HasSubstr("negated.py:11")));
}

TEST_F(Extension, ATensorThatNothingWroteIsNoAnswer) {
  const Ran ran =
      check(replaced(kModule, "y.data_ptr<scalar_t>(), x.numel()", "y.data_ptr<scalar_t>(), x.numel() - 1"));
  EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
}

TEST_F(Extension, AnAnswerWithoutAKernelIsNone) {
  const Ran ran = check(replaced(kModule, "  CHECK_INPUT(x);", "  if (x.numel() > 1) return x;"));
  EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("no kernel was launched"));
}

TEST_F(Extension, WhatItThrowsIsARefusal) {
  const Ran ran = check(replaced(kModule, "CHECK_INPUT(x);", "TORCH_CHECK(x.numel() % 2 == 0, \"odd: \", x.sizes());"));
  EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("odd: ["));
  const Ran shape = check(replaced(kModule, "torch::empty_like(x)", "torch::empty({x.numel() + 1}, x.options())"));
  EXPECT_EQ(shape.code, 1) << shape.err << shape.out;
  EXPECT_THAT(shape.out, HasSubstr("copy_ from ["));
}

TEST_F(Extension, AnErrorHasTheLineAndColumnOfTheModule) {
  const Ran ran = check(replaced(kModule, "y[i] = -x[i]", "y[i] = -z[i]"));
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("negated.py:11:22: "));
}

TEST_F(Extension, AModuleWithoutOneIsNamed) {
  const Ran ran = check("import torch\n");
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("negated.py has no string of CUDA for load_inline()"));
}

}  // namespace
}  // namespace negzero::cli_test
