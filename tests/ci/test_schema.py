"""docs/schema/negzero.schema.json against what the program prints, and against documents that are wrong."""

import copy
import json
import re

import jsonschema
import pytest
from conftest import FAULTY, RIGHT, SOURCE, project

SCHEMA = json.loads((SOURCE / "docs" / "schema" / "negzero.schema.json").read_text())


def strict(schema):
    """The schema without the room that it leaves for keys of the future: what is printed today is all named."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "$schema" not in schema:
        result.setdefault("additionalProperties", False)
        if schema in [SCHEMA["$defs"][each["$ref"].rsplit("/", 1)[1]] for each in SCHEMA["oneOf"]]:
            result["properties"]["version"] = True  # of the whole document
    return result


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    from conftest import Program

    negzero = Program(tmp_path_factory.mktemp("program"), tmp_path_factory.getbasetemp() / "cache")
    folder = tmp_path_factory.mktemp("documents")
    regressions = SOURCE / "corpus" / "regressions"
    words = {
        "clean": ["check", "gemm.naive.f32", "--cases", "20", "--json"],
        "finding": ["check", "faulty.A1.*", "faulty.A9.*", "--cases", "100", "--save", "found", "--json"],
        "compared": ["compare", "gemm.tiled.f32", "gemm.split_k.f32", "--cases", "60", "--save", "found", "--json"],
        "pairs": ["compare", "--list", "pairs.txt", "--cases", "60", "--save", "found", "--json"],
        "replay": ["replay", regressions, "--json"],
        "recorded": ["replay", "case.safetensors", "--kernel", "scatter.max.*", "--record", "--json"],
        "skipped": ["replay", regressions, "--kernel", "scatter.max.*", "--json"],
        "searched": ["fuzz", "gemm.naive.f32", "faulty.A1.*", "--folder", "campaign", "--cases", "300", "--json"],
        "reported": ["report", "campaign", "--json"],
        "merged": ["fuzz", "gemm.naive.f32", "--folder", "campaign", "--merge", "--json"],
        "usage": ["check", "--bogus", "--json"],
        "undecided": ["check", "no.such.kernel", "--json"],
        "unavailable": ["check", "--executor", "cuda", "--json"],
    }
    (folder / "case.safetensors").write_bytes((regressions / "A1_max_by_value_sign.safetensors").read_bytes())
    (folder / "pairs.txt").write_text("gemm.tiled.f32 gemm.split_k.f32\ngemm.tiled.* gemm.naive.*\n")
    return {name: json.loads(negzero(*each, cwd=folder).stdout) for name, each in words.items()}


def test_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_real_documents_fit_and_all_their_keys_are_named(documents):
    for name, document in documents.items():
        for schema in (SCHEMA, strict(SCHEMA)):
            errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
            assert errors == [], f"{name}: {errors}"
    assert documents["finding"]["kernels"][0]["findings"] and documents["replay"]["results"], "nothing was looked at"
    assert documents["compared"]["differences"] and documents["pairs"]["pairs"][0]["differences"], "none differ"
    assert documents["searched"]["kernels"][0]["findings"] and documents["reported"]["findings"], "nothing was found"
    assert documents["merged"]["merged"], "nothing was merged"


def test_files_of_cuda_fit_too(negzero, compiles, tmp_path):
    for best, code in ((FAULTY, 1), (RIGHT, 0)):
        project(tmp_path, best, 'printf("its words\\n");')
        ran = negzero("check", "row_max.cu", "--cases", "100", "--json", cwd=tmp_path)
        assert ran.returncode == code, ran.stderr
        jsonschema.Draft202012Validator(strict(SCHEMA)).validate(json.loads(ran.stdout))


def at(document, path):
    for key in path[:-1]:
        document = document[key]
    return document, path[-1]


WRONG = [
    ("clean", ["version"], 3),
    ("clean", ["kernels"], {}),
    ("clean", ["kernels", 0, "decided"], "yes"),
    ("clean", ["kernels", 0, "decided"], None),
    ("clean", ["kernels", 0, "pass"], -1),
    ("clean", ["kernels", 0, "fail"], "0"),
    ("clean", ["kernels", 0, "name"], ""),
    ("clean", ["kernels", 0, "printed"], "x" * 4097),
    ("clean", ["executor"], "gpu"),
    ("clean", ["error"], {"kind": "usage", "message": "m"}),
    ("finding", ["kernels", 0, "findings", 0, "class"], "wrong_walue"),
    ("finding", ["kernels", 0, "findings", 0, "message"], ""),
    ("finding", ["kernels", 0, "findings", 0, "rule"], "no rule"),
    ("finding", ["kernels", 0, "findings", 0, "case"], 3),
    ("finding", ["kernels", 0, "findings", 0, "accepted"], {"entry": 1}),
    ("finding", ["kernels", 0, "findings", 0, "hit_rate"], 1.5),
    ("finding", ["kernels", 0, "findings"], None),
    ("compared", ["differences", 0, "cases"], 0),
    ("compared", ["identical"], None),
    ("pairs", ["pairs"], []),
    ("pairs", ["pairs", 0, "outcome"], "pass"),
    ("pairs", ["pairs", 0, "line"], 0),
    ("replay", ["results", 0, "status"], "expected"),
    ("replay", ["results", 0, "kernel"], None),
    ("replay", ["errors"], ["text", 3]),
    ("searched", ["kernels", 0, "arms"], None),
    ("searched", ["kernels", 0, "corpus"], -1),
    ("searched", ["shard"], "1"),
    ("searched", ["points"], {}),
    ("reported", ["findings", 0, "size"], "small"),
    ("reported", ["shards", 0, "cases"], "300"),
    ("merged", ["totals", "after"], None),
    ("merged", ["merged", 0, "failing"], 0),
    ("usage", ["error", "kind"], "finding"),
    ("usage", ["error", "message"], ""),
]


@pytest.mark.parametrize("name, path, value", WRONG, ids=lambda each: str(each)[:40])
def test_wrong_documents_are_refused(documents, name, path, value):
    document = copy.deepcopy(documents[name])
    inner, key = at(document, path)
    inner[key] = value
    assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)) != []


def test_documents_without_a_key_that_is_required_are_refused(documents):
    shapes, removed = SCHEMA["$defs"], 0
    for name, path, required in [
        ("clean", ["kernels", 0], shapes["kernel"]["required"]),
        ("finding", ["kernels", 0, "findings", 0], shapes["finding"]["required"]),
        ("compared", [], shapes["compare"]["required"]),
        ("pairs", ["pairs", 0], shapes["pair"]["required"]),
        ("replay", ["results", 0], shapes["result"]["required"] + ["verdict"]),
        ("searched", [], shapes["fuzz"]["required"]),
        ("searched", ["kernels", 0], shapes["searched"]["required"]),
        ("reported", [], shapes["report"]["required"]),
        ("merged", ["totals"], shapes["merge"]["properties"]["totals"]["required"]),
        ("usage", ["error"], shapes["error"]["properties"]["error"]["required"]),
    ]:
        for key in required:
            document = copy.deepcopy(documents[name])
            inner, last = at(document, [*path, key])
            del inner[last]
            assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)) != [], f"{name}: {key}"
            removed += 1
    assert removed > 20


def test_the_words_are_those_of_the_program():
    """Classes and statuses of the schema, from the tables that print them."""
    verdict = (SOURCE / "src/negzero/verdict/verdict.cpp").read_text()
    tables = re.findall(r"Words<(\w+), \d+> \w+\{\s*\{(.*?)\}\}", verdict, re.DOTALL)
    words = {name: re.findall(r'"(\w+)"', text) for name, text in tables}
    assert SCHEMA["$defs"]["class"]["enum"] == words["FailureClass"]
    assert SCHEMA["$defs"]["verdict"]["enum"] == words["VerdictKind"]


def test_the_skill_names_keys_and_codes_that_there_are():
    text = (SOURCE / "SKILL.md").read_text()
    known = json.dumps(SCHEMA)
    for key in re.findall(r"`(?:kernels\[\]|results\[\]|error)?[.]([a-z_]+)`", text):
        assert f'"{key}"' in known, key
    codes = re.findall(r"^\| (\d+) \|", text, re.MULTILINE)
    documented = re.findall(r"^\| (\d+) \|", (SOURCE / "docs/reference/exit_codes.md").read_text(), re.MULTILINE)
    assert codes == documented and len(codes) == 7
