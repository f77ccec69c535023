"""What site, library and scripts do not do: start shells, run texts, read pickles, use weak hashes."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("survey_site", "meta_eval", "manage.py", "gunicorn.conf.py")
FILES = sorted(
    path for name in CODE for path in ([ROOT / name] if name[-3:] == ".py" else (ROOT / name).rglob("*.py"))
)
SCRIPTS = sorted((ROOT / "static").rglob("*.js"))
RULES = {
    "no shell": (("S602", "S604", "S605", "S609"), []),
    "no text is run": (("S102", "S307"), ["meta_eval/measures/finding_plugins.py"]),
    "no pickle": (("S301", "S302", "S403"), []),
    "no weak hash": (("S303", "S324"), []),
    "no file is left open": (
        ("SIM115",),
        ["survey_site/api/ratings.py", "survey_site/reports/bundles/downloads.py"],
    ),
}
"""Of each promise the rules of ruff that find what breaks it, and the files in which that is meant: a measure
that somebody names is a file that is run, and two answers are files that Django closes once they are sent.
"""


def found(rules, *paths):
    """In which files these rules find something, whatever a comment there allows."""
    command = [Path(sys.executable).with_name("ruff"), "check", "--isolated", "--ignore-noqa", "--no-cache"]
    options = ["--output-format", "json", "--select", ",".join(rules)]
    done = subprocess.run([*command, *options, *paths], cwd=ROOT, capture_output=True, text=True, check=False)
    return sorted({one["filename"] for one in json.loads(done.stdout)})


@pytest.mark.parametrize("promise", RULES)
def test_what_a_rule_forbids_is_where_it_is_meant_alone(promise):
    rules, meant = RULES[promise]
    assert found(rules, *CODE) == [str(ROOT / path) for path in meant]


def calls():
    """The name of everything that is called, with the file where it is."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield (
                    getattr(node.func, "attr", getattr(node.func, "id", "")),
                    path.relative_to(ROOT).as_posix(),
                )


def test_no_template_is_made_of_a_text():
    """The library fills the files of its prompts, which are its own, and in which nothing can be computed."""
    makers = {"Template", "from_string", "Engine", "Environment"}
    assert [one for one in calls() if one[0] in makers] == [("Template", "meta_eval/llm/prompts.py")]


def test_hashes_are_strong_ones():
    text = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
    names = {name for one in text.values() for name in re.findall(r"hashlib(?:\.| import )(\w+)", one)}
    given = {name for one in text.values() for name in re.findall(r'algorithm="(\w+)"', one)}
    digests = {name for one in text.values() for name in re.findall(r'file_digest\(\w+, "(\w+)"', one)}
    salted = [call for one in text.values() for call in re.findall(r"salted_hmac\((?!.*algorithm=)", one)]
    assert (names, given, digests, salted) == (
        {"sha256", "blake2b", "file_digest"},
        {"sha256"},
        {"sha256"},
        [],
    )


def test_code_is_python_that_reaches_no_memory_by_itself():
    endings = {path.suffix for name in CODE[:2] for path in (ROOT / name).rglob("*") if path.is_file()}
    compiled = {".c", ".cc", ".cpp", ".h", ".pyx", ".pxd", ".rs", ".so", ".go", ".f90"}
    assert endings & compiled == set()
    text = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
    bare = re.compile(r"^\s*(?:import|from) (?:ctypes|cffi|_ctypes)\b", re.MULTILINE)
    assert [name for name, one in text.items() if bare.search(one)] == ["gunicorn.conf.py"]


def in_scripts(pattern):
    return [
        (path.name, one) for path in SCRIPTS for one in re.findall(pattern, path.read_text(encoding="utf-8"))
    ]


def test_scripts_run_no_text_and_set_no_property_of_a_computed_name():
    """So that nothing that they read can change what every object has."""
    assert len(SCRIPTS) > 10
    assert in_scripts(r"\beval\(|\bnew Function\(|__proto__|\.prototype\b|\w\[\w*[a-z_]\w*\]\s*=[^=>]") == []
    merged = in_scripts(r"Object\.(?:assign|fromEntries|defineProperty)\([^;]*;")
    assert merged == [("rating.js", 'Object.assign(field, { type: "hidden", name, value });')]
