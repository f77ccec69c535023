"""What docs/security.md claims is shown by tests that are there; what no test shows is said to be not met."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
CHAPTERS = [f"V{number}" for number in range(1, 18)]
"""Of ASVS 5.0."""
ROWS = re.findall(r"^\| ((?:V\d|metrics)[^|]*) \| ([^|]*) \| ([^|]*)\|$", PAGE, flags=re.MULTILINE)


@cache
def functions_of(file: str) -> frozenset[str]:
    path = ROOT / file
    if not path.exists():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def named(cell: str) -> list[tuple[str, str]]:
    return re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", cell)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_point_names_tests_that_exist_or_says_that_it_is_not_met(row):
    _, what, shown = row
    assert named(shown) or "**Not met**" in what
    assert [f"{file}::{test}" for file, test in named(shown) if test not in functions_of(file)] == []


def test_every_test_that_the_page_names_is_in_a_row():
    assert len(named(PAGE)) == sum(len(named(shown)) for _, _, shown in ROWS) > 50


def test_every_chapter_of_the_standard_is_spoken_of():
    headings = " ".join(re.findall(r"^## (.*)$", PAGE, flags=re.MULTILINE))
    assert [chapter for chapter in CHAPTERS if not re.search(rf"\b{chapter}\b", headings)] == []
