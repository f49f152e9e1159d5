"""The GitHub Action: what its steps run, without GitHub; and that action.yml names what is there."""

import json
import os
import re
import xml.etree.ElementTree

import pytest
import yaml
from conftest import FAULTY, RIGHT, SOURCE, project

SCRIPT = SOURCE / "ci" / "action.sh"
ACTION = SOURCE / "action.yml"


def action(negzero, cwd, step="run", **inputs):
    """Runs a step of the action; returns what it answered, its outputs and its summary."""
    output, summary = cwd / "github_output", cwd / "github_summary"
    for file in (output, summary):
        file.write_text("")
    variables = {f"INPUT_{name.upper()}": value for name, value in inputs.items()}
    ran = negzero.run(
        ["bash", SCRIPT, step],
        cwd,
        GITHUB_OUTPUT=str(output),
        GITHUB_STEP_SUMMARY=str(summary),
        GITHUB_ACTIONS="true",
        NEGZERO_ACTION_HOME=str(cwd / "home"),
        **variables,
    )
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return ran, outputs, summary.read_text()


def test_a_faulty_file_is_a_finding_in_every_report(negzero, compiles, tmp_path):
    project(tmp_path, FAULTY)
    ran, outputs, summary = action(negzero, tmp_path, files="\n  row_max.cu\n\n# a comment\n", cases="200")
    assert ran.returncode == 1, ran.stderr
    assert outputs["exit-code"] == "1"
    assert int(outputs["findings"]) == 1
    suites = xml.etree.ElementTree.parse(tmp_path / outputs["folder"] / "check.xml").getroot()
    assert suites.get("failures") == "1"
    results = json.loads((tmp_path / outputs["sarif"]).read_text())["runs"][0]["results"]
    assert {result["level"] for result in results} == {"error"}
    assert "row&#95;max" in summary and "exit code 1" in summary
    assert list((tmp_path / outputs["folder"] / "findings").glob("*.case.safetensors"))


def test_a_right_file_is_clean(negzero, compiles, tmp_path):
    project(tmp_path, RIGHT)
    ran, outputs, summary = action(negzero, tmp_path, files="row_max.cu", cases="200")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (outputs["exit-code"], outputs["findings"]) == ("0", "0")
    assert json.loads((tmp_path / outputs["sarif"]).read_text())["runs"][0]["results"] == []
    assert "exit code 0" in summary


def test_a_corpus_and_a_search_count_too(negzero, compiles, tmp_path):
    project(tmp_path, FAULTY)
    found = negzero("check", "row_max.cu", "--cases", "200", "--save", "cases", cwd=tmp_path)
    assert found.returncode == 1, found.stderr
    project(tmp_path, RIGHT)
    inputs = {"files": "row_max.cu", "cases": "50", "corpus": "cases", "time": "1s", "campaign": "campaign"}
    ran, outputs, summary = action(negzero, tmp_path, **inputs)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    written = {file.name for file in (tmp_path / outputs["folder"]).iterdir()}
    assert {"replay.xml", "replay.md", "check.xml", "fuzz.xml", "fuzz.md"} <= written
    assert (tmp_path / "campaign" / "corpus").is_dir()
    assert summary.count("exit code 0") == 3
    project(tmp_path, FAULTY)
    ran, outputs, _ = action(negzero, tmp_path, **{**inputs, "cases": "1", "time": ""})
    assert ran.returncode == 1, "the corpus alone has seen it"
    # An empty corpus decides nothing, which is no pass.
    (tmp_path / "empty").mkdir()
    project(tmp_path, RIGHT)
    ran, outputs, summary = action(negzero, tmp_path, files="row_max.cu", cases="50", corpus="empty")
    assert (ran.returncode, outputs["exit-code"]) == (4, "4"), ran.stderr


def test_further_flags_and_wrong_ones(negzero, compiles, tmp_path):
    project(tmp_path, FAULTY)
    words = ["check", "row_max.cu", "--cases", "200", "--shrink-time", "0s", "--json"]
    findings = json.loads(negzero(*words, cwd=tmp_path).stdout)["kernels"][0]["findings"]
    known = [
        {"kernel": "row_max", "class": kind, "reason": "r", "link": "a/b#1"} for kind in {f["class"] for f in findings}
    ]
    (tmp_path / "known.json").write_text(json.dumps({"version": 1, "accepted": known}))
    ran, outputs, _ = action(negzero, tmp_path, files="row_max.cu", cases="200", args="--accept known.json --seed 1")
    assert (ran.returncode, outputs["findings"]) == (0, "0"), ran.stdout
    ran, outputs, summary = action(negzero, tmp_path, files="row_max.cu", args="--bogus", folder="other")
    assert (ran.returncode, outputs["exit-code"]) == (2, "2")
    assert "exit code 2" in summary and "the log says why" in summary
    ran, outputs, _ = action(negzero, tmp_path, files="\n# nothing\n")
    assert ran.returncode == 2 and "names nothing to check" in ran.stderr


def test_what_a_kernel_prints_is_no_command_of_github(negzero, compiles, tmp_path):
    # GitHub obeys such lines of a log, until a line that only this run knows.
    project(tmp_path, RIGHT, 'if (row == 0) printf("\\n::error::forged\\n::set-output name=exit-code::0\\n");')
    ran, _, summary = action(negzero, tmp_path, files="row_max.cu", cases="20")
    token = re.match(r"::stop-commands::([0-9a-f]{32})\n", ran.stdout).group(1)
    assert f"\n::{token}::\n" in ran.stdout
    assert not re.search(rf"^\s*::(?!stop-commands|{token})", ran.stdout + ran.stderr, re.MULTILINE)
    assert "::error::" not in summary


@pytest.mark.parametrize(
    "codes, counts",
    [("0 0", 0), ("0 1", 1), ("1 2", 2), ("130 1", 130), ("4 3", 3), ("4 77", 77), ("4 0", 4), ("0 137 2", 137)],
)
def test_the_code_that_counts(negzero, tmp_path, codes, counts):
    text = SCRIPT.read_text()
    worst = text[text.index("worst() {") : text.index("\nrun() {")]
    assert negzero.run(["bash", "-c", f"{worst}\nworst {codes}"], tmp_path).stdout == f"{counts}\n"


def test_installing_says_what_is_wrong(negzero, tmp_path):
    assert action(negzero, tmp_path, "install", install="none")[0].returncode == 0
    ran, _, _ = action(negzero, tmp_path, "install", install="negzero.tar")
    assert ran.returncode == 2 and "negzero.tar" in ran.stderr
    (tmp_path / "empty").mkdir()
    system = [folder for folder in os.environ["PATH"].split(":") if not os.path.exists(f"{folder}/negzero")]
    negzero.environment["PATH"] = ":".join(system)
    ran, _, _ = action(negzero, tmp_path, "install", install="none")
    assert ran.returncode == 3 and "no command here" in ran.stderr


def wrong_in(text):
    """What is wrong with a text of action.yml: expressions and scripts that name what is not there."""
    described = yaml.safe_load(text)
    wrong = []
    steps = described["runs"]["steps"]
    known = {f"inputs.{name}" for name in described["inputs"]}
    known |= {f"steps.{step['id']}.outputs" for step in steps if "id" in step}
    for expression in re.findall(r"\${{\s*(.*?)\s*}}", text):
        for word in re.findall(r"(?:inputs\.[\w-]+|steps\.[\w-]+\.outputs)", expression):
            if word not in known:
                wrong.append(word)
    script = SCRIPT.read_text()
    for step in steps:
        wrong += [word for word in re.findall(r"INPUT_\w+", str(step)) if word not in script]
        for path in re.findall(r"\$GITHUB_ACTION_PATH/([\w./-]+)", step.get("run", "")):
            if not os.access(SOURCE / path, os.X_OK):
                wrong.append(path)
        if "run" in step and "shell" not in step:
            wrong.append(f"{step} has no shell")
        if "${{" in step.get("run", ""):
            wrong.append(f"{step['run']}: an input in a script is code")
    for name, output in described["outputs"].items():
        if (
            not re.fullmatch(re.escape("${{ steps.run.outputs." + name + " }}"), output["value"])
            or f"{name}=" not in script
        ):
            wrong.append(name)
    used = {word for word in re.findall(r"inputs\.([\w-]+)", text)}
    return wrong + sorted(set(described["inputs"]) - used)


def test_action_yml_names_what_is_there():
    text = ACTION.read_text()
    assert wrong_in(text) == []
    assert yaml.safe_load(text)["runs"]["using"] == "composite"
    for before, after in [
        ("inputs.cases", "inputs.case"),
        ("  corpus:\n", "  corpora:\n"),
        ("ci/action.sh", "ci/actions.sh"),
        ("INPUT_TIME", "INPUT_TIMES"),
        ("id: cache", "id: cached"),
        ("INPUT_CAMPAIGN=~", 'X="${{ inputs.files }}" INPUT_CAMPAIGN=~'),
    ]:
        assert wrong_in(text.replace(before, after)) != [], f"not noticed: {before} -> {after}"


def test_the_page_about_it_has_the_same_inputs_and_outputs():
    described = yaml.safe_load(ACTION.read_text())
    page = (SOURCE / "docs" / "how-to" / "ci.md").read_text()
    section = page[page.index("## The action") : page.index("## ClusterFuzzLite")]
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.+?) \|", section, re.MULTILINE))
    assert set(rows) == set(described["inputs"])
    for name, said in rows.items():
        default = described["inputs"][name].get("default")
        assert default is None and said == "required" or default == said or default == "" and said.startswith("no"), (
            name
        )
    outputs = re.search(r"^Outputs are (.*?)\. ", section, re.MULTILINE).group(1)
    assert set(re.findall(r"`([\w-]+)`", outputs)) == set(described["outputs"])
    example = yaml.safe_load(re.search(r"```yaml\n(.*?)```", section, re.DOTALL).group(1))
    assert set(example["steps"][1]["with"]) <= set(described["inputs"])


def test_words_on_several_lines_are_all_given(negzero, compiles, tmp_path):
    project(tmp_path, RIGHT)
    ran, outputs, _ = action(negzero, tmp_path, files="row_max.cu", cases="50", args="--seed 7\n--nonsense\n")
    assert (ran.returncode, outputs["exit-code"]) == (2, "2"), ran.stderr
    assert "--nonsense" in ran.stderr


def test_reports_of_a_run_before_are_none_of_this_one(negzero, compiles, tmp_path):
    project(tmp_path, FAULTY)
    action(negzero, tmp_path, files="row_max.cu", cases="200")
    ran, outputs, summary = action(negzero, tmp_path, files="gone.cu")
    assert (ran.returncode, outputs["exit-code"], outputs["findings"]) == (2, "2", "0")
    assert "sarif" not in outputs
    assert "wrote no summary" in summary
