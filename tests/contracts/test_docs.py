"""The documentation names everything there is: what is missing in it fails here."""

import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from django.core.management import get_commands
from typer.main import get_command

from meta_eval.cli import app
from meta_eval.llm.models import ModelOptions, Reason
from meta_eval.measures import available_measures
from meta_eval.publish.long_form import EXPORT_COLUMNS
from meta_eval.publish.tables import MEANINGS, TABLE_TITLES
from survey_site.settings.table import SETTINGS
from survey_site.survey.rating_rows import RATING_COLUMNS

ROOT = Path(__file__).parents[2]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def code_words(page: str) -> set[str]:
    """What stands between backticks on a page."""
    return set(re.findall(r"`([^`\n]+)`", read(page)))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_documented(setting):
    assert setting.env in code_words("docs/settings.md")
    assert setting.help in read("docs/settings.md")


def management_commands() -> list[str]:
    return sorted(name for name, package in get_commands().items() if package.startswith("survey_site."))


def test_every_management_command_is_documented():
    headings = re.findall(r"^### `manage\.py ([\w-]+)", read("docs/commands.md"), flags=re.MULTILINE)
    assert headings == management_commands()


def library_commands() -> dict[str, object]:
    """Every command by the words that call it."""
    found = {}
    for name, command in get_command(app).commands.items():
        parts = getattr(command, "commands", {"": command})
        found |= {f"{name} {part}".strip(): inner for part, inner in parts.items()}
    return found


def test_every_library_command_and_option_is_documented():
    page = read("docs/commands.md")
    words = r"^### `python -m meta_eval ([a-z][a-z-]*(?: [a-z][a-z-]*)?)"
    headings = re.findall(words, page, flags=re.MULTILINE)
    assert headings == list(library_commands())
    for name, command in library_commands().items():
        section = page.split(f"### `python -m meta_eval {name}", 1)[1].split("\n### ", 1)[0]
        options = [
            option for parameter in command.params for option in parameter.opts if option.startswith("--")
        ]
        assert [option for option in options if option not in section] == []


def test_every_export_column_is_documented_with_its_meaning():
    page = read("docs/exports.md")
    for table, columns in EXPORT_COLUMNS.items():
        assert f"`{table}`" in page
        for column, meaning in columns.items():
            assert f"| `{column}` | {meaning} |" in page


def test_every_table_of_a_report_and_its_columns_are_documented_in_order():
    section = read("docs/exports.md").split("## Every table", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `([\w.]+)` \| (.+) \|$", section, flags=re.MULTILINE)
    tables = [(f"{name}.csv", title) for name, title in TABLE_TITLES.items()]
    assert rows == [*tables, *sorted(MEANINGS.items())]


def test_every_column_of_the_ratings_is_documented():
    section = read("docs/exports.md").split("## `ratings.csv`", 1)[1]
    assert re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE) == list(RATING_COLUMNS)


def test_every_measure_is_documented():
    words = code_words("docs/measures.md")
    for info in available_measures():
        assert {info.id, *info.options} <= words


def test_every_option_of_a_model_and_every_reason_is_documented():
    words = code_words("docs/models.md")
    assert {item.name for item in fields(ModelOptions)} - {"kind"} <= words
    rows = re.findall(
        r"^\| `([a-z ]+)` \|", read("docs/models.md").split("## Answers that are", 1)[1], re.MULTILINE
    )
    reasons = get_args(Reason)
    assert tuple(rows[: len(reasons)]) == reasons


@pytest.mark.parametrize("page", sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md")))
def test_links_between_pages_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", read(page))
    missing = [target for target in targets if not (ROOT / page).parent.joinpath(target).exists()]
    assert missing == []


def test_the_readme_links_lead_somewhere():
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", read("README.md"))
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("unit", sorted(path.name for path in ROOT.glob("docs/systemd/*.service")))
def test_services_of_systemd_start_what_is_there(unit):
    """Their programs are installed, and their commands are those that the pages name."""
    text = read(f"docs/systemd/{unit}")
    commands = re.findall(r"^Exec\w+=/srv/concord/\.venv/bin/(\S+) (\S+)", text, flags=re.MULTILINE)
    assert commands
    for program, first in commands:
        assert Path(sys.executable).parent.joinpath(program).exists()
        assert f"{program} {first}" in read("docs/deployment.md")
