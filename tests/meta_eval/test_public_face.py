"""What `import meta_eval` gives: the names that the README explains, each loaded when it is used."""

import doctest
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import meta_eval

ROOT = Path(__file__).parents[2]
WITH_EXAMPLES = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for path in (ROOT / "meta_eval").rglob("*.py")
    if re.search(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
)
HEAVY = ("torch", "transformers", "altair", "pandas", "xlsxwriter", "typst")


def modules_after(code: str) -> set[str]:
    program = f"import sys; {code}; print(' '.join(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(run.stdout.split())


def test_every_public_name_is_explained_in_the_readme_and_no_other():
    section = (
        (ROOT / "README.md").read_text(encoding="utf-8").split("### Use it from Python")[1].split("\n## ")[0]
    )
    named = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert sorted(named) == sorted(meta_eval.__all__)


@pytest.mark.parametrize("name", meta_eval.__all__)
def test_every_public_name_is_there_with_a_docstring(name):
    assert getattr(meta_eval, name).__doc__
    assert name in dir(meta_eval)


def test_what_is_not_there_is_said_as_of_any_module():
    with pytest.raises(AttributeError, match="module 'meta_eval' has no attribute 'scores_of_nobody'"):
        _ = meta_eval.scores_of_nobody


def test_importing_the_library_loads_nothing_else_but_its_version():
    loaded = modules_after("import meta_eval")
    assert {name for name in loaded if name.startswith("meta_eval.")} == {"meta_eval.version"}
    assert loaded.isdisjoint({*HEAVY, "numpy", "scipy"})


def test_the_public_names_load_no_models_and_no_figures():
    names = "[getattr(meta_eval, name) for name in meta_eval.__all__]"
    assert modules_after(f"import meta_eval; {names}").isdisjoint(HEAVY)


def test_every_public_name_is_explained_in_its_page():
    page = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    assert [name for name in meta_eval.__all__ if f"`{name}" not in page] == []


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_a_module_run(module):
    found = doctest.testmod(import_module(module))
    assert found.attempted
    assert not found.failed
