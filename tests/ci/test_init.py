"""`negzero init`: what it writes into a project, and that the commands in it do what they are for. The services that
would run them (GitHub, ClusterFuzzLite) are not here."""

import json
import re
import shutil
import subprocess

import pytest
import yaml
from conftest import FAULTY, PROGRAM, RIGHT, SOURCE, project

FILES = {
    ".github/workflows/negzero.yml",
    ".github/workflows/clusterfuzzlite.yml",
    ".clusterfuzzlite/project.yaml",
    ".clusterfuzzlite/Dockerfile",
    ".clusterfuzzlite/build.sh",
    ".clusterfuzzlite/negzero_target.cc",
    "negzero/SKILL.md",
    "negzero/negzero.schema.json",
}


def written(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_names_the_files_that_declare_kernels(negzero, tmp_path):
    project(tmp_path, RIGHT)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "own.cu").write_text("// negzero: kernel own\n__global__ void own() {}\n")
    (tmp_path / "src" / "plain.cu").write_text("// negzero is not used here\n__global__ void plain() {}\n")
    project(tmp_path / "src", RIGHT, name="a $(touch pwned)")
    for folder in (".hidden", "build"):
        (tmp_path / folder).mkdir()
        project(tmp_path / folder, RIGHT)
    ran = negzero("init", tmp_path, "--action", "someone/negzero@v1", "--json")
    assert ran.returncode == 0, ran.stderr
    document = json.loads(ran.stdout)
    assert document["files"] == ["row_max.cu", "src/own.cu"]
    assert document["undeclared"] == ["src/plain.cu"]
    assert document["unnamed"] == ["src/a $(touch pwned).cu"]
    assert (set(document["written"]), document["kept"], document["questions"]) == (FILES, [], 0)
    workflow = yaml.safe_load((tmp_path / ".github/workflows/negzero.yml").read_text())
    step = workflow["jobs"]["negzero"]["steps"][1]
    assert step["uses"] == "someone/negzero@v1"
    assert step["with"]["files"].split() == ["row_max.cu", "src/own.cu"]
    build = (tmp_path / ".clusterfuzzlite/build.sh").read_text()
    assert re.search(r"files=\(\n  row_max.cu\n  src/own.cu\n\)", build)
    assert not any("touch" in (tmp_path / name).read_text() for name in FILES)


def test_workflows_give_the_action_what_it_takes(negzero, tmp_path):
    project(tmp_path, RIGHT)
    negzero("init", tmp_path)
    action = yaml.safe_load((SOURCE / "action.yml").read_text())
    for name in ("negzero.yml", "clusterfuzzlite.yml"):
        text = (tmp_path / ".github/workflows" / name).read_text()
        for step in (step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]):
            if "/negzero@" in step["uses"]:
                assert set(step["with"]) <= set(action["inputs"])
        outputs = re.findall(r"steps\.negzero\.outputs\.([\w-]+)", text)
        assert set(outputs) <= set(action["outputs"])
        assert not re.search(r"@[A-Z]+@", text), "something was not filled in"
    assert yaml.safe_load((tmp_path / ".clusterfuzzlite/project.yaml").read_text())["language"] == "c++"
    dockerfile = (tmp_path / ".clusterfuzzlite/Dockerfile").read_text()
    assert "ubuntu-24-04" in dockerfile and "ci/action.sh install" in dockerfile


def test_keeps_what_is_there(negzero, tmp_path):
    project(tmp_path, RIGHT)
    before = written(tmp_path)
    (tmp_path / "negzero").mkdir()
    (tmp_path / "negzero/SKILL.md").write_text("mine\n")
    ran = negzero("init", tmp_path)
    assert ran.returncode == 0
    assert "kept     negzero/SKILL.md" in ran.stdout and "each a ???" in ran.stdout
    assert (tmp_path / "negzero/SKILL.md").read_text() == "mine\n"
    assert written(tmp_path) == before | FILES, "and no other file, half written"
    again = json.loads(negzero("init", tmp_path, "--json").stdout)
    assert (again["written"], set(again["kept"])) == ([], FILES)
    assert set(json.loads(negzero("init", tmp_path, "--force", "--json").stdout)["written"]) == FILES
    assert (tmp_path / "negzero/SKILL.md").read_text() != "mine\n"


def test_says_where_no_file_declares_a_kernel(negzero, tmp_path):
    ran = negzero("init", tmp_path)
    assert ran.returncode == 0 and "no file declares a kernel" in ran.stdout
    workflow = yaml.safe_load((tmp_path / ".github/workflows/negzero.yml").read_text())
    lines = workflow["jobs"]["negzero"]["steps"][1]["with"]["files"].splitlines()
    assert all(line.startswith("#") for line in lines) and "negzero new FILE.cu" in lines[0]
    assert subprocess.run(["bash", "-n", tmp_path / ".clusterfuzzlite/build.sh"]).returncode == 0


def test_refuses_what_is_no_folder_and_no_action(negzero, tmp_path):
    assert negzero("init", tmp_path / "absent").returncode == 2
    for action in ("negzero", "a/b", "a/b@c@d", "a/b@$(id)", "a/b@v1\nrun: id"):
        ran = negzero("init", tmp_path, "--action", action)
        assert ran.returncode == 2 and "--action" in ran.stderr
    assert written(tmp_path) == set()


def test_what_it_writes_are_the_files_of_the_source(negzero, tmp_path):
    negzero("init", tmp_path)
    templates = SOURCE / "src/negzero/cli/templates"
    for own, name in [
        (SOURCE / "SKILL.md", "negzero/SKILL.md"),
        (SOURCE / "docs/schema/negzero.schema.json", "negzero/negzero.schema.json"),
        (templates / "fuzz_workflow.yml", ".github/workflows/clusterfuzzlite.yml"),
        (templates / "project.yaml", ".clusterfuzzlite/project.yaml"),
        (templates / "negzero_target.cc", ".clusterfuzzlite/negzero_target.cc"),
    ]:
        assert (tmp_path / name).read_bytes() == own.read_bytes(), own
    for own, name in [
        ("workflow.yml", ".github/workflows/negzero.yml"),
        ("Dockerfile", ".clusterfuzzlite/Dockerfile"),
        ("build.sh", ".clusterfuzzlite/build.sh"),
    ]:
        pieces = re.split("@[A-Z]+@", (templates / own).read_text())
        filled = "(.|\n)+".join(map(re.escape, pieces))
        assert len(pieces) > 1 and re.fullmatch(filled, (tmp_path / name).read_text()), own


# A driver that calls a target with the files it is given, where there is no clang with libFuzzer.
DRIVER = """#include <cstdint>
#include <fstream>
#include <iterator>
#include <vector>
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
}
"""


def engine(folder):
    """The compiler, its flags and the engine, as ClusterFuzzLite would set them."""
    (folder / "empty.cc").write_text('extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }')
    clang = shutil.which("clang++")
    if clang:
        words = [clang, "-fsanitize=fuzzer,address", folder / "empty.cc", "-o", folder / "empty"]
        if subprocess.run(words, capture_output=True).returncode == 0:
            return clang, "-O1 -fsanitize=address,fuzzer-no-link", "-fsanitize=fuzzer"
    (folder / "driver.cc").write_text(DRIVER)
    return shutil.which("g++"), "-O1", str(folder / "driver.cc")


@pytest.mark.parametrize("best", [RIGHT, FAULTY])
def test_the_fuzz_target_is_built_and_finds(negzero, compiles, tmp_path, tmp_path_factory, best):
    project(tmp_path, best)
    negzero("init", tmp_path)
    made = tmp_path_factory.mktemp("out")
    compiler, flags, fuzzing = engine(tmp_path_factory.mktemp("engine"))
    variables = {
        "OUT": str(made),
        "SRC": str(tmp_path),
        "CXX": compiler,
        "CXXFLAGS": flags,
        "LIB_FUZZING_ENGINE": fuzzing,
    }
    ran = negzero.run(["bash", "-eu", ".clusterfuzzlite/build.sh"], tmp_path, **variables)
    assert ran.returncode == 0, ran.stderr
    target = made / "negzero_row_max"
    assert b"LLVMFuzzerTestOneInput" in target.read_bytes(), "how ClusterFuzzLite knows a target"
    seeds = []
    for number in range(8):
        seeds.append(tmp_path / f"seed{number}")
        seeds[-1].write_bytes(bytes([number]))
    # The program and its compiler are gone there.
    negzero.environment |= {"PATH": "/nowhere", "NEGZERO_CACHE": "/nowhere"}
    ran = negzero.run([target, *seeds], made)
    if best == RIGHT:
        assert ran.returncode == 0, ran.stderr
    else:
        assert ran.returncode != 0
        assert "FAIL  row_max  wrong_value" in ran.stdout and "negzero ended with 1" in ran.stderr
    # A case file is replayed, and a damaged one is nothing.
    case = SOURCE / "corpus" / "regressions" / "A1_max_by_value_sign.safetensors"
    damaged = tmp_path / "damaged"
    damaged.write_bytes(case.read_bytes()[:200])
    assert negzero.run([target, damaged], made).returncode == 0


def test_the_program_that_the_target_copies_is_the_one_that_runs(negzero):
    assert json.loads(negzero("--version", "--json").stdout)["program"] == str(PROGRAM.resolve())
