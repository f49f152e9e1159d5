"""templates.py FOLDER: writes lines.txt, a line of negzero for each trace template of a FlashInfer checkout at FOLDER.

A template states an operation of FlashInfer: its axes, what holds between them, its tensors and scalars
(flashinfer/trace/templates). The templates are imported as they are, on a CPU, with a stand-in for PyTorch where it is
not installed: their references, which are not called, name it. What a template does not state is in the tables below,
each entry from FlashInfer's documentation of the argument: which tensors hold indices, and what those stay below.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import re
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Templates without a line, and why.
NO_LINE = {
    "comm.allreduce_fusion_trace": "a collective: each rank holds a part of the sum",
    "comm.decode_cp_a2a_alltoall_trace": "a collective: ranks exchange rows",
    "comm.pcie_ipc_all_reduce_trace": "a collective: each rank holds a part of the sum",
}

#: Outputs that a random stream decides: their lines say what there is, and no reference can give their values.
RANDOM = ("samples", "accepted_token_ids")

#: Offsets: the last of them, or all below it, is the number of rows of which axis (the first that the template has).
OFFSETS = {
    "kv_indptr": ("num_kv_indices", "total_kv"),
    "qo_indptr": ("total_q",),
    "cu_seqlens": ("total_seq_len",),
    "cu_seqlens_q": ("total_q",),
    "cu_seqlens_k": ("total_k",),
    "cum_seq_lens_q": ("num_q_tokens", "num_tokens"),
    "cum_seq_lens_kv": ("num_kv_tokens",),
    "indptr": ("nnz",),
    "block_indptr": ("num_block_indices",),
    "checkpoint_cu_starts": ("num_checkpoints",),
    "m_indptr": ("cum_m",),
}

#: Indices: they stay below the first of these axes that the template has, and the words behind the bound.
INDICES = {
    "kv_indices": (("num_pages",), ""),
    "block_tables": (("num_pages", "total_num_pages"), "none=-1"),
    "page_table": (("num_pages",), "none=-1"),
    "src_page_table": (("num_pages",), ""),
    "batch_indices": (("batch_size",), ""),
    "row_to_batch": (("batch_size",), ""),
    "draft_token_ids": (("vocab_size",), ""),
    "initial_state_indices": (("source_pool_size", "pool_size", "state_pool_size"), "none=-1"),
    "ssm_state_indices": (("state_pool_size", "pool_size"), "none=-1"),
    "state_indices": (("state_pool_size", "pool_size", "num_slots", "num_pages"), ""),
}

#: Counts: at most the first of these axes.
COUNTS = {
    "kv_last_page_len": ("page_size",),
    "masked_m": ("max_m", "M_max"),
    "mask": ("M",),
    "topk_length": ("topk",),
    "extra_topk_length": ("extra_topk",),
}

FORMATS = {
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "int64": "I64",
    "int32": "I32",
    "int8": "I8",
    "uint8": "U8",
    "uint32": "U32",
    "bool": "BOOL",
}
#: The format of a tensor whose type a template leaves to the caller: the one that its tests use most.
USUAL = "BF16"

#: What a line has at most (docs/how-to/your_operation.md).
MOST_OPTIONAL, MOST_SCALARS = 8, 8

KINDS = {"float32": "", "int32": " int", "int64": " int", "bool": " bool"}


class _Anything:
    """Stands for whatever a template names of PyTorch; as a decorator it gives back the function."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> "_Anything":
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(f"{self._name}.{name}")

    def __call__(self, *arguments: Any, **_named: Any) -> Any:
        is_decorator = len(arguments) == 1 and isinstance(arguments[0], types.FunctionType)
        return arguments[0] if is_decorator else self

    def __or__(self, _other: object) -> "_Anything":
        return self

    __ror__ = __or__


class _StandIn(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for PyTorch where there is none, and for FlashInfer beyond its templates and their enumerations."""

    def __init__(self) -> None:
        self._has_torch = importlib.util.find_spec("torch") is not None

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> "importlib.machinery.ModuleSpec | None":
        root, _, rest = name.partition(".")
        is_missing = root == "torch" and not self._has_torch
        is_beyond = root == "flashinfer" and rest.split(".")[0] not in ("", "trace", "tllm_enums")
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if is_missing or is_beyond else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = types.ModuleType(spec.name)
        module.__dict__["__getattr__"] = _Anything(spec.name).__getattr__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def load(folder: Path) -> "dict[str, Any]":
    """Returns the templates of a checkout by file and name. Raises FileNotFoundError where there are none."""
    files = sorted((folder / "flashinfer/trace/templates").glob("[a-z]*.py"))
    if not files:
        raise FileNotFoundError(f"{folder}: no flashinfer/trace/templates there; name the root of a checkout")
    sys.meta_path.insert(0, _StandIn())
    # The package itself is not run: it loads kernels.
    for name in ("flashinfer", "flashinfer.trace", "flashinfer.trace.templates"):
        module = types.ModuleType(name)
        module.__path__ = [str(folder / name.replace(".", "/"))]
        sys.modules[name] = module
    template = importlib.import_module("flashinfer.trace.template").TraceTemplate
    found: "dict[str, Any]" = {}
    seen = set()
    for file in files:
        for name, value in vars(importlib.import_module(f"flashinfer.trace.templates.{file.stem}")).items():
            if isinstance(value, template) and id(value) not in seen:
                seen.add(id(value))
                found[f"{file.stem}.{name}"] = value
    return found


@dataclass
class Line:
    """The line of one template while it is put together."""

    name: str
    template: Any
    relations: "list[str]" = field(default_factory=list)
    formats: "dict[str, str]" = field(default_factory=dict)
    optional: int = 0  #: inputs that may be absent
    notes: "list[str]" = field(default_factory=list)  #: what of the template the line does not say

    def text(self) -> str:
        template = self.template
        self.axes = list(template.axes)
        outputs = {self._output_name(name): each for name, each in template.outputs.items()}
        inputs = {name: each for name, each in template.inputs.items() if hasattr(each, "dim_names")}
        shown = [self._tensor(name, each, True) for name, each in outputs.items()]
        taken = [self._tensor(name, each, False) for name, each in inputs.items()]
        taken += self._scalars(set(inputs) | set(outputs))
        self._constraints()
        used = set(re.findall(r"\w+", " ".join(shown + taken)))
        self._named(used & set(self.axes))
        if any(name in template.outputs for name in RANDOM):
            self.notes.append("a random stream decides the output")
        for axis, each in template.axes.items():
            if getattr(each, "value", None) is not None and axis in used:
                self._relate(f"{axis} = {each.value}")
        line = f"{self.name}: {', '.join(shown)} <- {', '.join(taken)}"
        return line + (f" with {', '.join(self.relations)}" if self.relations else "")

    def _output_name(self, name: str) -> str:
        """An output that is an input too: the input keeps its name, for what it holds before."""
        return f"{name}_after" if name in self.template.inputs else name

    def _tensor(self, name: str, each: Any, is_output: bool) -> str:
        shape = ", ".join(self._extent(axis) for axis in each.dim_names)
        bound = "" if is_output else self._bound(name, each.dim_names)
        if not bound:
            self.formats[name] = self._format(each)
        is_optional = each.optional and not is_output
        if is_optional and self.optional == MOST_OPTIONAL:
            self.notes.append(f"{name} may be absent: a line has at most {MOST_OPTIONAL} such inputs")
            is_optional = False
        self.optional += is_optional
        return f"{name}{'?' if is_optional else ''}[{shape}]{bound}"

    def _extent(self, axis: str) -> str:
        if not axis.isdigit():
            return axis
        name = {"1": "one", "2": "two"}.get(axis, f"of_{axis}")
        self._relate(f"{name} = {axis}")
        return name

    def _format(self, each: Any) -> str:
        if each.dtype is not None:
            return FORMATS[each.dtype]
        source = self.template.inputs.get(getattr(each, "dtype_from", None) or "")
        return self._format(source) if source is not None and source is not each else USUAL

    def _bound(self, name: str, shape: "list[str]") -> str:
        for table, form in ((OFFSETS, " <= {0} ascending from 0 to {0}"), (COUNTS, " <= {}")):
            for axis in table.get(name, ()):
                if axis in self.axes and axis not in shape:
                    return form.format(axis)
        axes, words = INDICES.get(name, ((), ""))
        for axis in axes:
            if axis in self.axes:
                return f" < {axis}{' ' if words else ''}{words}"
        return ""

    def _scalars(self, tensors: "set[str]") -> "list[str]":
        given = []
        for name, each in self.template.inputs.items():
            if hasattr(each, "dim_names"):
                continue
            if name in self.axes or (getattr(each, "param", None) or name) in self.axes:
                continue  # The axis says it.
            if each.dtype not in KINDS:
                self.notes.append(f"{name} is a {each.dtype}: an option of the launch")
            elif len(given) == MOST_SCALARS:
                self.notes.append(f"{name} is no scalar of the line, which has at most {MOST_SCALARS}")
            elif name not in tensors:
                given.append(f"{name}{KINDS[each.dtype]}")
        return given

    def _relate(self, relation: str) -> None:
        if relation not in self.relations:
            self.relations.append(relation)

    def _named(self, used: "set[str]") -> None:
        """What the names of axes say: K_div_128 is K / 128."""
        for axis in sorted(used):
            whole, found, part = axis.rpartition("_div_")
            if found and part.isdigit() and whole in used and not any(axis in each for each in self.relations):
                self._relate(f"{whole} = {part} * {axis}")

    def _constraints(self) -> None:
        for said in self.template.constraints or ():
            # Where an input is absent, so is what is said of it.
            text = re.sub(r"^\w+ is None or ", "", said).replace("//", "/").replace("==", "=")
            names = set(re.findall(r"[A-Za-z_]\w*", text))
            if re.search(r"\.(item|shape)|\[", text):
                continue  # The shape or the words of an index tensor say it.
            if names - set(self.axes) or re.search(r"\b(in|or|is|and)\b", text):
                self.notes.append(f"not in the line: {said}")
            else:
                self._relate(text)


def lines_of(folder: Path) -> "list[str]":
    """Returns the text of lines.txt, a line each."""
    written = []
    for where, template in load(folder).items():
        written.append(f"# {where}")
        if where in NO_LINE:
            written += [f"none: {NO_LINE[where]}", ""]
            continue
        line = Line(where.split(".")[1].removesuffix("_trace").strip("_"), template)
        written.append(f"operation {line.text()}")
        written.append("formats " + " ".join(f"{name}={each}" for name, each in line.formats.items()))
        written += [f"# {note}" for note in line.notes] + [""]
    return written


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    Path(__file__).with_name("lines.txt").write_text("\n".join(lines_of(Path(sys.argv[1]))))
