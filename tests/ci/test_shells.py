"""The man page and completion, which are made of the parser's own description: every flag of every command is in both,
and shells answer with them."""

import json
import re
import shutil
import subprocess

import pytest
from conftest import PROGRAM, SOURCE


@pytest.fixture
def help_texts(negzero):
    """The help of the program and of each command, by name."""
    top = json.loads(negzero("--help", "--json").stdout)["help"]
    names = re.findall(r"^  ([a-z]+) ", top[top.index("Subcommands:") :], re.MULTILINE)
    assert len(names) >= 14
    return {"": top} | {name: json.loads(negzero(name, "--help", "--json").stdout)["help"] for name in names}


def flags_of(text):
    """The flags at the beginning of the lines of a help text."""
    flags = set()
    for line in text.splitlines():
        if re.match(r"^  -", line):
            flags |= set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", re.split(r"\s{2,}|\s[A-Z]", line.strip())[0]))
    return flags


def man_sections(text):
    """The lines of a rendered page by command; "" has what is before the first."""
    sections, name = {"": []}, ""
    for line in text.splitlines():
        match = re.fullmatch(r"   negzero ([a-z]+)", line)
        if match:
            name = match.group(1)
        elif re.fullmatch(r"[A-Z ]+", line):
            name = ""
        sections.setdefault(name, []).append(line)
    return {name: "\n".join(lines) for name, lines in sections.items()}


def rendered(page):
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    words = ["groff", "-man", "-Tascii", "-ww", "-P-c", "-P-b", "-P-u", "-rLL=400n"]
    ran = subprocess.run(words, input=page, capture_output=True, text=True)
    return ran.stdout, ran.stderr


def test_the_man_page_has_every_flag_and_no_warning(negzero, help_texts):
    page = negzero("man").stdout
    text, warnings = rendered(page)
    assert warnings == ""
    sections = man_sections(text)
    flags = 0
    for name, help_text in help_texts.items():
        for flag in flags_of(help_text):
            pattern = rf"^ {{7}}(?:.*, )?{re.escape(flag)}\b"
            assert re.search(pattern, sections[name], re.MULTILINE), f"negzero {name} {flag}"
            flags += 1
    assert flags > 150
    assert "EXIT STATUS" in text and "130 interrupted" in text
    assert rendered(page.replace(".SH NAME", ".no_such_macro"))[1] != "", "groff warns"
    assert json.loads(negzero("man", "--json").stdout)["man"] == page


# Asks bash what it would offer behind these words.
ASK_BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_negzero
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def bash(negzero, tmp_path):
    script = tmp_path / "negzero.bash"
    script.write_text(negzero("completion", "bash").stdout)

    def ask(*words):
        ran = negzero.run(["bash", "-uc", ASK_BASH, "bash", script, "negzero", *words], tmp_path)
        assert ran.stderr == ""
        return set(ran.stdout.split("\n")) - {""}

    return ask


def test_bash_is_offered_every_flag_of_every_command(bash, help_texts):
    assert bash("") == set(help_texts) - {""}
    assert bash("ch") == {"check"}
    for name, help_text in help_texts.items():
        assert bash(*([name] if name else []), "-") == flags_of(help_text), name


def test_bash_is_offered_the_words_of_a_flag(bash):
    assert bash("check", "--executor", "") == {"auto", "host", "cuda"}
    assert bash("check", "--executor", "h") == {"host"}
    assert bash("check", "--executor", "=", "cu") == {"cuda"}, "as bash splits --executor=cu"
    assert bash("fuzz", "--folder", "x", "--watch", "a") == {"auto", "always"}
    assert bash("judge", "--elements", "") == {"all", "sample"}
    assert bash("check", "--cases", "") == set(), "a number"
    assert bash("completion", "") == {"bash", "zsh", "fish"}


def test_bash_is_offered_files_and_kernels(bash, tmp_path):
    for name in ("one.cu", "two words.cu", "other.nz"):
        (tmp_path / name).write_text("")
    files = {"one.cu", "two words.cu", "other.nz", "negzero.bash"}
    assert bash("check", "--junit", "o") == {"one.cu", "other.nz"}
    assert bash("show", "") == files
    assert bash("replay", "x", "y", "t") == {"two words.cu"}
    assert bash("list", "gem") == set() and "gemm.naive.f32" in bash("list", "kernels", "gem")
    assert "gemm.naive.f32" in bash("check", "--cases", "3", "gemm.n")
    assert bash("check", "--fail-fast", "on") == {"one.cu"}, "a flag without a value takes no word"
    assert bash("replay", "one.cu", "--kernel", "faulty.A1.") == {"faulty.A1.max_by_value_sign"}
    assert bash("new", "one.cu", "") == set(), "one file"


def test_zsh_reads_its_script(negzero, tmp_path):
    if not shutil.which("zsh"):
        pytest.skip("zsh is not installed")
    script = tmp_path / "_negzero"
    script.write_text(negzero("completion", "zsh").stdout)
    # The completion system runs inside zsh's editor alone; what it calls is replaced by what prints.
    ask = """
compdef() { }; compadd() { shift; print -l -- "$@" }; _files() { print FILES }
source $1; shift
words=("$@"); CURRENT=$#
_negzero
"""

    def offered(*words):
        ran = negzero.run(["zsh", "-fc", ask, "zsh", script, "negzero", *words], tmp_path)
        assert ran.stderr == ""
        return set(ran.stdout.split("\n")) - {""}

    assert {"check", "man"} <= offered("")
    assert offered("check", "--executor", "") == {"auto", "host", "cuda"}
    assert {"--cases", "-x", "--junit"} <= offered("check", "-")
    assert offered("check", "--junit", "") == {"FILES"}
    assert {"gemm.naive.f32", "FILES"} <= offered("check", "")


def test_fish_is_offered_the_same(negzero, tmp_path, help_texts):
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    script = tmp_path / "negzero.fish"
    script.write_text(negzero("completion", "fish").stdout)

    def offered(line):
        ran = negzero.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], tmp_path)
        assert ran.stderr == ""
        return {each.split("\t")[0] for each in ran.stdout.splitlines()}

    assert set(help_texts) - {""} == offered("negzero ")
    for name in ("check", "replay", "init"):
        long = {flag for flag in flags_of(help_texts[name]) if flag.startswith("--")}
        assert long == offered(f"negzero {name} --")
    assert offered("negzero check --executor ") == {"auto", "host", "cuda"}
    assert "gemm.naive.f32" in offered("negzero check gemm.n")


def test_the_version_says_what_is_in_the_program(negzero):
    text, document = negzero("--version").stdout, json.loads(negzero("--version", "--json").stdout)
    assert text.splitlines()[0] == f"negzero {document['negzero']}"
    assert document["executors"]["host"] is True and str(PROGRAM.resolve()) in text
    licences = {each["what"]: each["licence"] for each in document["licences"]}
    assert ("CUDA runtime" in licences) == document["executors"]["cuda"]
    table = (SOURCE / "python" / "licenses" / "THIRD_PARTY.md").read_text()
    rows = re.findall(r"^\| (?!what|-)([^|,]+?)(?: \(.*?\))?(?:,[^|]*)? \| ([^|]+?) \|$", table, re.MULTILINE)
    assert len(rows) >= 5
    for what, licence in rows:
        assert licence.startswith(licences[what]), f"{what}: the program and THIRD_PARTY.md differ"
        assert f"{what}: {licences[what]}" in text
