"""Exports of annotation tools, Label Studio's and Potato's, as files of ratings.

The library reads them (`meta_eval.ratings.exports`) as the command `import-ratings` does; the table that
comes of it is then checked as any other.
"""

import hashlib
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePath, PurePosixPath

from django.db import models

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import Fault, InputError
from meta_eval.files.writing import write_text
from meta_eval.ratings.exports import ExportedRatings, Taking, read_label_studio, read_potato
from meta_eval.ratings.exports.potato import INSTANCES, STATE
from survey_site.common.archives import Chosen, temporary_folder, unpack
from survey_site.common.workbooks import require_small_json
from survey_site.uploads.files import RatingFile, read_rating_file

ENDINGS = (".json", ".jsonl", ".csv", ".tsv")
"""By which Potato's files are told apart."""
_ANSWERS = "answers"
"""The folder of what an archive of Potato holds."""


class Tool(models.TextChoices):
    """What wrote a file of ratings."""

    TABLE = "table", "A table, or the SQLite file of the papers’ survey app"
    LABEL_STUDIO = "label-studio", "Label Studio’s export, as JSON"
    POTATO = "potato", "Potato’s output: one of its files, or the folder annotation_output as a ZIP archive"


@dataclass(frozen=True, kw_only=True)
class Export:
    """What is said of an export. id_key: the field by which Potato knows an item; items: which file of an
    archive holds its items, where they are sent in one.
    """

    tool: Tool
    taking: Taking
    id_key: str = "id"
    items: str = ""


def read_export(
    export: Export, sent: Chosen, corpus: Corpus, *, items: Chosen | None = None, now: datetime
) -> RatingFile:
    """The checked file. Raises InputError with every fault of the export, or of the table that comes of it.

    items: the file of items that Potato was given. The hash is that of the export as it was sent.
    """
    name, _ = sent
    with temporary_folder() as folder:
        path = _put(sent, folder, "export")
        given = _put(items, folder, "items") if items else None
        chosen = {path: name} | ({given: items[0]} if given and items else {})
        try:
            found = _read(export, path, given, folder)
        except InputError as error:
            faults = [replace(fault, file=_called(fault.file, folder, chosen)) for fault in error.faults]
            raise InputError(faults, more=error.more) from error
        table = folder / "ratings.csv"
        write_text(found.csv(), table)
        read = read_rating_file(table, corpus, name=f"{name}, as a table", now=now)
        said = {**_said(export), **({"items": _hash(given)} if given else {})}
        notes = (*_notes(export, found), *read.notes)
        return replace(read, name=name, content_hash=_hash(path), said=said, notes=notes)


def _called(file: str, folder: Path, chosen: Mapping[Path, str]) -> str:
    """What a file is called by whoever chose it, or inside their archive."""
    place = folder / file
    answers = folder / _ANSWERS
    return str(place.relative_to(answers)) if place.is_relative_to(answers) else chosen.get(place, file)


def named_pairs(lines: Iterable[str]) -> dict[str, str]:
    """By what stands before the last `=` of a line what stands behind it; empty lines are none.

    Raises InputError for a line that is none such.
    """
    found = {}
    for line in filter(str.strip, lines):
        name, equals, value = (part.strip() for part in line.rpartition("="))
        if not (name and equals and value):
            raise InputError(f"“{line.strip()}” is not of the form “name = value”")
        found[name] = value
    return found


def _put(chosen: Chosen, folder: Path, stem: str) -> Path:
    """The file in the folder, named after what it is for, with the ending by which Potato's are known."""
    name, content = chosen
    suffix = PurePath(name).suffix.lower()
    path = folder / f"{stem}{suffix if suffix in ENDINGS else '.json'}"
    with path.open("wb") as stream:
        shutil.copyfileobj(content, stream)
    return path


def _read(export: Export, path: Path, items: Path | None, folder: Path) -> ExportedRatings:
    if export.tool == Tool.LABEL_STUDIO:
        require_small_json(path, path.name)
        return read_label_studio(path, export.taking)
    answers = path
    if zipfile.is_zipfile(path):
        answers, inside = _unpacked(path, folder, export.items)
        items = items or inside
        if export.items and not inside:
            raise InputError(
                [Fault(path.name, None, f"holds no file {export.items!r}, named as that of items")]
            )
    if items is None:
        told = (
            "Potato’s output does not hold the fields of items: send its file of items too; "
            "a program sends one ZIP archive of both, and says with `items` which file of it has the items"
        )
        raise InputError([Fault(path.name, None, told)])
    for file in folder.rglob("*.json"):
        require_small_json(file, file.name)
    return read_potato(answers, items, export.taking, id_key=export.id_key)


def _unpacked(archive: Path, folder: Path, items: str) -> tuple[Path, Path | None]:
    """Potato's answers, a folder with one for each person or the only file; its items, if they are there."""
    answers = folder / _ANSWERS
    answers.mkdir()
    with archive.open("rb") as stream:
        unpack(archive.name, stream, folder, lambda member: _place(member, items))
    found = list(answers.iterdir())
    inside = next(iter(folder.glob("given.*")), None)
    return (found[0] if len(found) == 1 and found[0].is_file() else answers), inside


def _place(member: PurePosixPath, items: str) -> Path | None:
    """A person's file in a folder called as theirs; a file of all beside these; the items; nothing else."""
    suffix = member.suffix.lower()
    if items and str(member) == items:
        return Path(f"given{suffix if suffix in ENDINGS else '.json'}")
    if member.name in {STATE, INSTANCES}:
        person = member.parent if member.parent.name else PurePosixPath("nobody")
        is_outside = ".." in person.parts or person.is_absolute()
        return None if is_outside else Path(_ANSWERS, *person.parts, member.name)
    is_of_all = member.stem in {"annotations", "annotated_instances"} and suffix in ENDINGS
    return Path(_ANSWERS) / member.name if is_of_all else None


def _said(export: Export) -> Mapping[str, object]:
    """What beside the file decides which ratings come of it."""
    taking = export.taking
    return {
        "tool": str(export.tool),
        "fields": taking.named(),
        "asked": taking.question,
        "numbers": dict(taking.numbers),
        "id_key": export.id_key,
        **({"inside": export.items} if export.items else {}),
    }


def _notes(export: Export, found: ExportedRatings) -> list[str]:
    """What was taken of the export and what was not, in words."""
    whose = {Tool.LABEL_STUDIO: "Label Studio", Tool.POTATO: "Potato"}[export.tool]
    columns = ", ".join(f"{column} from {name!r}" for column, name in export.taking.named().items())
    notes = [f"Taken from the output of {whose}: answers to {found.question!r}, {columns}", found.taken]
    if found.renamed:
        notes.append(
            f"{found.renamed} of its raters named by number: addresses and ids of panels are not taken"
        )
    passed = [f"{count} passed over: {reason}" for reason, count in sorted(found.passed_over.items())]
    return [*notes, *passed]


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
