"""wheel_facts.py WHEEL: holds a wheel to what is promised of it, and prints the facts."""

from __future__ import annotations

import io
import re
import sys
import zipfile

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

#: What every Linux with glibc has: glibc itself depends on libgcc_s.
SYSTEM = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1"}
LOADERS = ("ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1")


PROGRAM = "negzero/program/negzero"


def needs(binary: ELFFile) -> "set[str]":
    dynamic = next(section for section in binary.iter_sections() if isinstance(section, DynamicSection))
    return {tag.needed for tag in dynamic.iter_tags() if tag.entry.d_tag == "DT_NEEDED"}


def symbol_versions(library: ELFFile) -> str:
    """Returns the newest version of glibc that a symbol needs."""
    versions = library.get_section_by_name(".gnu.version_r")
    names = [auxiliary.name for _, auxiliaries in versions.iter_versions() for auxiliary in auxiliaries]
    numbers = [tuple(map(int, name[6:].split("."))) for name in names if re.fullmatch(r"GLIBC_[0-9.]+", name)]
    return "glibc " + ".".join(map(str, max(numbers)))


def main(path: str) -> int:
    """Prints the wheel's facts. Returns 0, or 1 and a line for each promise that it breaks."""
    broken = []
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        library = ELFFile(io.BytesIO(wheel.read("negzero/libnegzero.so")))
        program = ELFFile(io.BytesIO(wheel.read(PROGRAM)))
        if not wheel.getinfo(PROGRAM).external_attr >> 16 & 0o111:
            broken.append(f"holds {PROGRAM}, which may not be run")
    needed = needs(library) | needs(program)
    broken += [f"needs {name}, which other machines lack" for name in needed - SYSTEM - set(LOADERS)]
    symbols = library.get_section_by_name(".dynsym")
    exported = {
        symbol.name
        for symbol in symbols.iter_symbols()
        if symbol.entry.st_shndx != "SHN_UNDEF" and symbol.entry.st_info.bind in ("STB_GLOBAL", "STB_WEAK", "STB_LOOS")
    }
    broken += [f"exports {name}" for name in sorted(exported) if not re.fullmatch(r"negzero_[a-z]+", name)][:5]
    licences = [name for name in names if "licenses/" in name]
    for wanted in ("LICENSE", "THIRD_PARTY.md"):
        if not any(name.endswith(wanted) for name in licences):
            broken.append(f"carries no {wanted}")
    broken += [f"holds {name}" for name in names if re.search(r"(^|/)tests?/|^negzero/[^/]*\.(a|hpp|h|cmake)$", name)]
    for wanted in ("kit/kit.json", "kit/libnegzero_kit.a", "cmake/negzeroConfig.cmake"):
        if f"negzero/program/{wanted}" not in names:
            broken.append(f"lacks {wanted}, with which CUDA files are compiled")
    tag = re.search(r"-py3-none-((manylinux_\d+_\d+_\w+)(\.manylinux\w+)*)\.whl$", path)
    if not tag:
        broken.append("names no glibc that its symbols need, which auditwheel would")
    print(f"{path}: needs {', '.join(sorted(needed))}; {symbol_versions(library)}; exports {len(exported)} functions")
    for line in broken:
        print(f"BROKEN: the wheel {line}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
