"""Every folder of the library and every app of the site belongs to a layer, and stands on the page."""

import configparser
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / ".importlinter"
PAGE = ROOT / "docs" / "architecture.md"
REFERENCE = ROOT / "docs" / "finding-files.md"

CONTRACTS = {"meta_eval": "library-layers", "survey_site": "site-layers"}


def layers(package):
    """The names in each layer of a package, from the lowest to the highest."""
    config = configparser.ConfigParser()
    config.read(CONFIG)
    lines = config[f"importlinter:contract:{CONTRACTS[package]}"]["layers"].split("\n")
    return [sorted(line.split(" | ")) for line in reversed(lines) if line]


def folders(package):
    """The top-level folders of a package that hold code."""
    return sorted(file.parent.name for file in (ROOT / package).glob("*/__init__.py"))


def lint_imports(config, contract):
    """Check one contract in a process of its own: the linter keeps the output stream of its first run."""
    command = Path(sys.executable).with_name("lint-imports")
    options = ["--config", str(config), "--contract", contract, "--no-cache"]
    return subprocess.run([command, *options], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("package", "module"), [("meta_eval", "studies"), ("survey_site", "uploads")])
def test_a_module_that_no_layer_holds_breaks_the_contract(package, module, tmp_path):
    written, config = CONFIG.read_text(encoding="utf-8"), tmp_path / "importlinter"
    config.write_text(re.sub(rf"^    {module}\n", "", written, flags=re.MULTILINE), encoding="utf-8")
    assert lint_imports(CONFIG, CONTRACTS[package]).returncode == 0
    broken = lint_imports(config, CONTRACTS[package])
    assert broken.returncode == 1
    assert re.search(rf"^- {package}\.{module}$", broken.stdout, flags=re.MULTILINE)


def pages():
    """The page of the architecture, and the one that names a file for everything else."""
    return PAGE.read_text(encoding="utf-8") + REFERENCE.read_text(encoding="utf-8")


def rows_below(*heads):
    """The rows of every table of the pages whose first columns are called so, each as its cells."""
    tables = pages().split(f"| {' | '.join(heads)} |")[1:]
    rows = [row for table in tables for row in table.split("\n\n", 1)[0].splitlines() if row[:2] == "| "]
    return [row.removeprefix("| ").removesuffix(" |").split(" | ") for row in rows]


def test_each_task_of_the_pages_stands_once():
    tasks = [task for task, *_ in rows_below("you want to", "you open first", "and then")]
    assert len(tasks) > 60
    assert [task for task, count in Counter(tasks).items() if count > 1] == []


def test_each_path_of_the_pages_leads_somewhere():
    paths = re.findall(r"`((?:meta_eval|survey_site|templates|static|fixtures)/[^`\s<]+)`", pages())
    assert [path for path in dict.fromkeys(paths) if not list(ROOT.glob(path))] == []


@pytest.mark.parametrize("package", CONTRACTS)
def test_the_page_names_every_folder_with_what_is_in_it(package):
    table = pages().split("| you look for |", 1)[1].split("\n\n", 1)[0]
    places = {row.split("|")[-2] for row in table.splitlines()}
    named = set(re.findall(rf"`{package}/(\w+)", " ".join(places)))
    assert sorted(set(folders(package)) - named) == []


@pytest.mark.parametrize(("package", "head"), [("meta_eval", "folder"), ("survey_site", "app")])
def test_the_page_shows_the_layers_in_their_order(package, head):
    shown = [re.findall(r"`(\w+)`", layer) for layer, _ in rows_below(head, "what is in it")]
    assert [sorted(layer) for layer in shown] == layers(package)
