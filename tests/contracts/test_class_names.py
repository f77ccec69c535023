"""A class name means one thing: each public class of the library, and of the site, stands once."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ELSEWHERE = {
    "meta_eval": ("client/*",),  # records are called as the site's resources, which they are
    "survey_site": (
        "api/**/*",  # shapes of what is stored, called as it is
        "rehearsal/*",
        "**/models.py",
        "**/migrations/*",
        "**/management/commands/*",  # Django wants each to be called Command
        "common/*/base.py",  # and each database's backend to be called DatabaseWrapper
    ),
}


def homes_of_classes(package):
    """The files of a package that define each public class."""
    left_out = {file for pattern in ELSEWHERE[package] for file in (ROOT / package).glob(pattern)}
    found = defaultdict(list)
    for file in sorted(set((ROOT / package).rglob("*.py")) - left_out):
        for name in re.findall(r"^class ([A-Za-z]\w*)", file.read_text(encoding="utf-8"), re.MULTILINE):
            found[name].append(file.relative_to(ROOT).as_posix())
    return found


@pytest.mark.parametrize("package", ELSEWHERE)
def test_a_public_class_name_stands_once(package):
    homes = homes_of_classes(package)
    assert len(homes) > 300
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
