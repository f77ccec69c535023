"""No pinned version is known to be faulty, by a committed list; what it cannot see: docs/security.md."""

import json
import re
from datetime import date
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
LIST = json.loads((ROOT / ".ci/advisories.json").read_text(encoding="utf-8"))
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]+\])?==(\S+)$", re.MULTILINE)


def pinned():
    """The version of each package that the requirements name."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("requirements*.txt"))]
    return {canonicalize_name(name): version for text in texts for name, version in PIN.findall(text)}


def faults_of(pins):
    """Each pinned version that an advisory is about, with what to do."""
    for one in LIST["advisories"]:
        version = pins.get(canonicalize_name(one["package"]))
        if version and Version(one["introduced"]) <= Version(version) < Version(one["fixed"]):
            yield f"{one['package']} {version}: {one['id']}, {one['summary']}; pin {one['fixed']} or later"


def test_no_pinned_version_has_a_known_fault():
    assert list(faults_of(pinned())) == []


@pytest.mark.parametrize("one", LIST["advisories"], ids=lambda one: one["id"])
def test_each_advisory_would_be_found_and_is_about_a_package_of_ours(one):
    assert set(one) == {"id", "package", "introduced", "fixed", "summary"}
    assert canonicalize_name(one["package"]) in pinned()
    found = [fault for fault in faults_of({one["package"]: one["introduced"]}) if one["id"] in fault]
    assert len(found) == 1
    assert [fault for fault in faults_of({one["package"]: one["fixed"]}) if one["id"] in fault] == []


def test_the_list_says_of_which_day_it_is():
    assert date.fromisoformat(LIST["as_of"])
    assert len({one["id"] for one in LIST["advisories"]}) == len(LIST["advisories"])
