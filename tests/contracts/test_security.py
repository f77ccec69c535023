"""docs/security.md has a row for each requirement of ASVS 5.0.0, levels 1 and 2; its tests exist."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
ASKED, _, BEYOND = PAGE.partition("\n## Beyond level 2\n")
REQUIREMENTS = {
    **{"V1.1": 2, "V1.2": 9, "V1.3": 11, "V1.4": 3, "V1.5": 2},
    **{"V2.1": 3, "V2.2": 3, "V2.3": 4, "V2.4": 1},
    **{"V3.2": 2, "V3.3": 4, "V3.4": 6, "V3.5": 5, "V3.7": 2},
    **{"V4.1": 3, "V4.2": 1, "V4.3": 2, "V4.4": 4},
    **{"V5.1": 1, "V5.2": 3, "V5.3": 2, "V5.4": 3},
    **{"V6.1": 3, "V6.2": 12, "V6.3": 4, "V6.4": 4, "V6.5": 5, "V6.6": 3, "V6.8": 4},
    **{"V7.1": 3, "V7.2": 4, "V7.3": 2, "V7.4": 5, "V7.5": 2, "V7.6": 2},
    **{"V8.1": 2, "V8.2": 3, "V8.3": 1, "V8.4": 1},
    **{"V9.1": 3, "V9.2": 4},
    **{"V10.1": 2, "V10.2": 2, "V10.3": 4, "V10.4": 11, "V10.5": 5, "V10.6": 2, "V10.7": 3},
    **{"V11.1": 2, "V11.2": 3, "V11.3": 3, "V11.4": 4, "V11.5": 1, "V11.6": 1},
    **{"V12.1": 3, "V12.2": 2, "V12.3": 4},
    **{"V13.1": 1, "V13.2": 5, "V13.3": 2, "V13.4": 5},
    **{"V14.1": 2, "V14.2": 4, "V14.3": 3},
    **{"V15.1": 3, "V15.2": 3, "V15.3": 7},
    **{"V16.1": 1, "V16.2": 5, "V16.3": 4, "V16.4": 3, "V16.5": 3},
    **{"V17.1": 1, "V17.2": 4, "V17.3": 2},
}
"""Of each section how many are of levels 1 and 2: they are its first ones, numbered from 1; 253 in all."""
NUMBERS = [f"{section}.{number + 1}" for section, last in REQUIREMENTS.items() for number in range(last)]
STATES = ("Met", "**Partly met**", "**Not met**", "By the installation", "Does not apply")
NO_TEST = ("reading the code", "the page named", "this page")


def rows_of(text: str) -> list[tuple[str, str, str]]:
    """Of each row its number, what the site does, and what shows it."""
    found = re.findall(r"^\| (V[\d.]+) \| [^|]+ \| ([^|]+) \| ([^|]*)\|$", text, flags=re.MULTILINE)
    return [(number, what, shown.strip()) for number, what, shown in found]


ROWS = rows_of(PAGE)


@cache
def functions_of(file: str) -> frozenset[str]:
    path = ROOT / file
    if not path.exists():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def named(cell: str) -> list[tuple[str, str]]:
    return re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", cell)


def test_each_requirement_of_levels_1_and_2_has_one_row_in_order():
    assert len(NUMBERS) == 253
    assert [number for number, _, _ in rows_of(ASKED)] == NUMBERS
    assert {number for number, _, _ in rows_of(BEYOND)} & set(NUMBERS) == set()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_row_says_whether_it_is_met_and_what_shows_it(row):
    _, what, shown = row
    state = what.partition(":")[0]
    assert state in STATES
    if state in STATES[:2]:
        assert named(shown) or shown in NO_TEST
    assert [f"{file}::{test}" for file, test in named(shown) if test not in functions_of(file)] == []


def test_every_test_that_the_page_names_is_in_a_row():
    assert len(named(PAGE)) == sum(len(named(shown)) for _, _, shown in ROWS)


def test_the_page_counts_its_rows():
    counts = Counter(what.partition(":")[0] for _, what, _ in rows_of(ASKED))
    said = re.search(r"each of the (\d+) .*? Of these (.*?) do not apply", PAGE, flags=re.DOTALL)
    assert said
    assert int(said[1]) == len(NUMBERS)
    assert list(map(int, re.findall(r"\d+", said[2]))) == [counts[state] for state in STATES]
