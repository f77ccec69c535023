"""How generated systems came about: a file beside the corpus, one record a system."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import read_json
from meta_eval.files.values import is_number, kind_of

ENDING = ".llm.json"
ESTIMATED = "estimated"
_TEXTS = ("system", "model", "style", "tokens", "signature_line")
_COUNTS = ("asked", "answered", "texts")
_TALLIES = ("missing", "left_out", "not_planned")

Record = Mapping[str, Any]


def provenance_place(corpus: Path) -> Path:
    """Where the records of a corpus' generated systems stand.

    Examples
    --------
    >>> provenance_place(Path("pens/generated.jsonl")).name
    'generated.llm.json'
    """
    return corpus.with_suffix(ENDING)


def render_provenance(records: Iterable[Record]) -> str:
    """The file's text."""
    return json.dumps(list(records), ensure_ascii=False, indent=2) + "\n"


def read_provenance(path: Path) -> list[Record]:
    """Records of the file at a place; none where there is no file.

    Raises `InputError` for what `generate` would not have written.
    """
    if not path.exists():
        return []
    records, name = read_json(path), str(path)
    if not isinstance(records, list) or not records:
        message = f"must hold a list of records, as `generate` writes it, not {kind_of(records)}"
        raise InputError([Fault(name, None, message)])
    for number, record in enumerate(records, start=1):
        if problem := _problem(record):
            raise InputError([Fault(name, None, f"record {number} {problem}")])
    return records


def require_one_counting(records: Sequence[Record]) -> None:
    """Raises `InputError` where some prompts were cut by estimated tokens, others by exact ones."""
    estimated = [record["system"] for record in records if record["tokens"].startswith(ESTIMATED)]
    exact = [record["system"] for record in records if not record["tokens"].startswith(ESTIMATED)]
    if estimated and exact:
        raise InputError(
            f"the prompts of {estimated[0]} were cut by estimated tokens, those of {exact[0]} by exact ones, "
            "so the two do not compare: name a tokenizer for each model (...,tokenizer=FOLDER), or for none"
        )


def _problem(record: Any) -> str | None:
    if not isinstance(record, dict):
        return f"must be an object, not {kind_of(record)}"
    for name in _TEXTS:
        if not isinstance(record.get(name), str):
            return f"lacks the text {name!r}: wanted is what `generate` wrote beside its corpus"
    for name in _COUNTS:
        if type(record.get(name)) is not int:
            return f"lacks the number {name!r}: wanted is what `generate` wrote beside its corpus"
    for name in _TALLIES:
        tally = record.get(name, {})
        if not isinstance(tally, dict) or not all(is_number(count) for count in tally.values()):
            return f"has {name!r} that must be counts by reason"
    return None
