"""The public test suites whose assertions are measured: their commits, what they want and the part that is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Suite:
    """A part of a project's tests."""

    repository: str  #: OWNER/NAME on GitHub
    commit: str
    tag: str  #: what the project calls the commit
    packages: Sequence[str]  #: of PyPI; the first one is what is tested, where `paths` does not hold it
    paths: Sequence[str]  #: of the repository, that are laid out; none where the package ships its tests
    tests: Sequence[str]  #: arguments of pytest
    also: Sequence[str] = ()  #: the project's own assertions, MODULE:FUNCTION
    imports: Sequence[str] = (".",)  #: folders of the repository that go on PYTHONPATH
    environment: Mapping[str, str] = field(default_factory=dict)
    on_gpu: bool = False  #: it needs one


#: What every suite wants.
COMMON = ("numpy==2.4.6", "pytest==9.2.0")
_TORCH = "torch==2.11.0"
_JAX = ("jax==0.10.2", "jaxlib==0.10.2")
_SCIPY = "scipy==1.17.1"
_SCIPY_HELPERS = "scipy._lib._array_api"

SUITES = {
    "jax": Suite(
        repository="jax-ml/jax",
        commit="990e6a0b84138346e6a38785412f36356e0e5dc3",
        tag="jax-v0.10.2",
        packages=(*_JAX, _SCIPY, "absl-py", "hypothesis", "portpicker", "matplotlib", "cloudpickle"),
        paths=("tests",),
        tests=(
            "tests/lax_numpy_indexing_test.py",
            "tests/custom_api_test.py",
            "tests/batching_test.py",
            "tests/lax_test.py",
        ),
        also=(
            "jax._src.test_util:JaxTestCase.assertAllClose",
            "jax._src.test_util:JaxTestCase.assertArraysAllClose",
        ),
        # JAX's own switches: one case of each generated test, and compiling that takes less time than running.
        environment={
            "JAX_NUM_GENERATED_CASES": "1",
            "JAX_SKIP_SLOW_TESTS": "1",
            "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
        },
    ),
    "torchao": Suite(
        repository="pytorch/ao",
        commit="5f2baf9d575cf732362594c998c399902942531f",
        tag="v0.18.0",
        packages=("torchao==0.18.0", _TORCH, "parameterized", "expecttest", "hypothesis", "transformers==5.24.0"),
        paths=("test",),
        tests=(
            "test/quantization/test_quant_primitives.py",
            "test/quantization/test_observer.py",
            "test/quantization/test_qat.py",
            "test/quantization/pt2e/test_affine_fake_quantize.py",
            "test/quantization/pt2e/test_learnable_fake_quantize.py",
            "test/prototype/module_swap_quantization",
            "test/prototype/test_smoothquant.py",
            "test/prototype/test_quantized_training.py",
            "test/float8/test_base.py",
            "-k",
            "not prepare_vs_convert",  # minutes each
        ),
    ),
    "liger": Suite(
        repository="linkedin/Liger-Kernel",
        commit="000be60929938fd1358e03524c6ab398b6d421bd",
        tag="v0.8.2",
        packages=("transformers==5.24.0", _TORCH, "triton==3.6.0"),
        paths=("src", "test", ":!test/resources"),
        # Losses in chunks are plain PyTorch; what else there is needs a GPU. The smaller shapes, in float32.
        tests=(
            "test/chunked_loss",
            "-k",
            "(31-123 or 47-32-128 or 2-2-8-8 or 1-2-8-16) and not bfloat16 and not dtype0 and not apo_loss"
            " and not False-True",
        ),
        also=("test.utils:assert_verbose_allclose",),
        imports=("src", "."),
        environment={"TORCH_COMPILE_DISABLE": "1"},
    ),
    "liger-gpu": Suite(
        repository="linkedin/Liger-Kernel",
        commit="ead96b618e5c67bddc6a6e9bcb99bfe6b5ab661c",
        tag="of August 21, 2026",
        packages=("transformers==5.17.0", _TORCH, "triton==3.6.0", "pytest-xdist"),
        paths=("src", "test", ":!test/resources"),
        tests=(
            "-n12",
            "test/transformers/test_rms_norm.py",
            "test/transformers/test_layer_norm.py",
            "test/transformers/test_geglu.py",
            "test/transformers/test_softmax.py",
        ),
        also=("test.utils:assert_verbose_allclose",),
        imports=("src", "."),
        on_gpu=True,
    ),
    "flashinfer": Suite(
        repository="flashinfer-ai/flashinfer",
        commit="a1aa676196f798435248d9ea205c67674476f473",
        tag="v0.6.9",
        packages=("flashinfer-python==0.6.9", _TORCH),
        paths=("tests",),
        tests=(
            "tests/utils/test_norm.py",
            "tests/utils/test_activation.py",
            "tests/utils/test_triton_cascade.py",
            "tests/attention/test_page.py",
            "tests/attention/test_logits_cap.py",
            "tests/attention/test_shared_prefix_kernels.py",
            "tests/attention/test_rope.py",
            "-k",
            "not fp4 and not sm1 and not blackwell",
        ),
        on_gpu=True,
    ),
    "optax": Suite(
        repository="google-deepmind/optax",
        commit="107e9ad20ca62bcbee1a8c016daab71c690a678c",
        tag="v0.2.8",
        packages=(*_JAX, _SCIPY, "chex==0.1.92", "absl-py", "scikit-learn", "flax==0.12.7"),
        paths=("optax",),
        tests=("optax/losses/_classification_test.py", "optax/losses/_regression_test.py", "optax/schedules"),
        also=("optax._src.test_utils:assert_trees_all_close",),
        environment={"JAX_DISABLE_MOST_OPTIMIZATIONS": "1"},
    ),
    "kornia": Suite(
        repository="kornia/kornia",
        commit="d6bb4bf0d8a043c2bb8cef0c346a1b006d100930",
        tag="v0.8.3",
        packages=("kornia==0.8.3", _TORCH, "onnx"),
        paths=("conftest.py", "testing", "tests"),
        tests=(
            "tests/geometry/liegroup",
            "tests/geometry/test_quaternion.py",
            "tests/geometry/test_conversions.py",
            "tests/geometry/test_linalg.py",
            "tests/geometry/camera",
            "tests/geometry/epipolar",
            "tests/geometry/transform",
            "tests/color",
            "tests/filters",
            "tests/enhance/test_adjust.py",
            "-k",
            "not gradcheck and not smoke",
        ),
        also=("testing.base:BaseTester.assert_close", "testing.base:assert_close"),
    ),
    "einops": Suite(
        repository="arogozhnikov/einops",
        commit="8e911db71f2e693a0c434b041180388c685ed06f",
        tag="v0.8.2",
        packages=(_TORCH, *_JAX),
        paths=("einops",),
        tests=("einops/tests", "-k", "not flax and not threading"),
        environment={"EINOPS_TEST_BACKENDS": "numpy,jax,torch"},
    ),
    "scipy": Suite(
        repository="scipy/scipy",
        commit="527eb7fd7953a1de068f94bf8b322f249b9405ae",
        tag="v1.17.1",
        packages=(_SCIPY, "hypothesis"),
        paths=(),
        tests=(
            "--pyargs",
            "scipy.linalg.tests.test_basic",
            "scipy.linalg.tests.test_decomp",
            "scipy.linalg.tests.test_matfuncs",
            "scipy.signal.tests.test_windows",
            "scipy.fft",
            "-k",
            "not (TestLstsq and 200)",
        ),
        also=tuple(
            f"{_SCIPY_HELPERS}:{name}"
            for name in ("xp_assert_close", "assert_almost_equal", "assert_array_almost_equal")
        ),
    ),
}
