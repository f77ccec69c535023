"""Lists of packages: the lock is of the list, and whatever names a version names the same."""

import re
from pathlib import Path

from tests.end_to_end.only_locked import requirements

ROOT = Path(__file__).parents[2]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_lock_has_the_pins_of_its_list_and_a_hash_of_each_package():
    listed, locked = requirements("requirements-base.txt"), requirements("requirements-base.lock")
    assert {name: locked.get(name) for name in listed} == listed
    entries = re.split(r"^(?=\w)", text_of("requirements-base.lock"), flags=re.MULTILINE)[1:]
    assert len(entries) == len(locked)
    assert [entry for entry in entries if "\n    --hash=sha256:" not in entry] == []
    assert [pin for pin in locked.values() if not re.fullmatch(r"==\S+", pin)] == []


def test_what_a_newcomer_installs_has_no_neural_part_and_the_whole_list_has():
    neural = {"torch", "transformers", "safetensors", "pot"}
    assert neural & {*requirements("requirements-base.txt"), *requirements("requirements-base.lock")} == set()
    assert set(requirements("requirements.txt")) == neural
    assert "-r requirements-base.txt" in text_of("requirements.txt").splitlines()
    assert "-r requirements.txt" in text_of("requirements-dev.txt").splitlines()


def test_the_image_and_make_install_the_lock_and_one_version_of_the_resolver():
    for name in ("Makefile", "Dockerfile"):
        assert re.search(r"--require-hashes -r requirements-base\.lock$", text_of(name), re.MULTILINE)
    (made,) = re.findall(r"^UV := (\S+)$", text_of("Makefile"), re.MULTILINE)
    assert re.findall(r"uv==([\d.]+)", text_of("Dockerfile")) == [made]


def test_no_file_says_to_install_a_package_that_is_nobodys_yet():
    """Whoever registers the free name would be installed by those who follow us. A wheel's file is none."""
    named = re.compile(r"install[^`\n]*[\s\"']concord-meta-eval\b|concord-meta-eval\[")
    patterns = ("README.md", "docs/*.md", "docs/*.ipynb", "meta_eval/**/*.py", "survey_site/**/*.py")
    pages = [path for pattern in patterns for path in ROOT.glob(pattern)]
    assert len(pages) > 500
    assert [path.name for path in pages if named.search(path.read_text(encoding="utf-8"))] == []
