"""How generated systems came about: a file beside the corpus, one record a system."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import read_json
from meta_eval.files.values import is_number, json_value_problem, kind_of
from meta_eval.measures.signatures import signature_problem

ENDING = ".llm.json"
ESTIMATED = "estimated"
_TEXTS = ("system", "model", "style", "tokens", "signature_line")
_COUNTS = ("asked", "answered", "texts")
_TALLIES = ("missing", "left_out", "not_planned")

_SHOWN: Mapping[str, type] = {
    **dict.fromkeys(("plan", "several", "history"), str),
    **dict.fromkeys(("documents", "seed", "examples", "several_dropped"), int),
    **dict.fromkeys(("prompt_tokens", "completion_tokens"), int),
    **{"adversarial": bool, "fingerprints": list},
}
"""What else is told of a record, and what each must be where it is there."""
_WANTED = "wanted is what `generate` wrote beside its corpus"
_PLAN = ("plan", "several", "history", "documents", "seed")
_DRAWING = ("temperature", "top_p", "top_k", "structured", "max_tokens", "attempts")
_TOKENS = (("prompt_tokens", "of prompts"), ("completion_tokens", "of replies"))

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
    return check_provenance(read_json(path), str(path)) if path.exists() else []


def check_provenance(records: Any, name: str) -> list[Record]:
    """What a file of this name held, as records.

    Raises `InputError` for what `generate` would not have written, and for a system that stands there twice.
    """
    if not isinstance(records, list) or not records:
        message = f"must hold a list of records, as `generate` writes it, not {kind_of(records)}"
        raise InputError([Fault(name, None, message)])
    for number, record in enumerate(records, start=1):
        if problem := _problem(record):
            raise InputError([Fault(name, None, f"record {number} {problem}")])
    counts = Counter(record["system"] for record in records)
    if twice := [system for system, count in counts.items() if count > 1]:
        raise InputError([Fault(name, None, f"has {counts[twice[0]]} records of the system {twice[0]!r}")])
    return records


def require_of_corpus(records: Sequence[Record], corpus: Corpus, name: str) -> None:
    """Raises `InputError` where a corpus does not have as many texts of a system as its record says."""
    texts: Counter[str] = Counter()
    for document in corpus.documents:
        texts.update({system: len(written) for system, written in document.summaries.items()})
    require_counts(records, texts, name)


def require_counts(records: Sequence[Record], texts: Mapping[str, int], name: str) -> None:
    """The same by how many `texts` each system of the corpus has.

    A style of which no headline could be read has a record, and is no system.
    """
    faults = [
        Fault(
            name,
            None,
            f"says that {record['system']!r} has {record['texts']:,} texts, and the corpus has "
            f"{texts.get(record['system'], 0):,}: is it the file that `generate` wrote beside this corpus?",
        )
        for record in records
        if record["texts"] != texts.get(record["system"], 0)
    ]
    if faults:
        raise InputError(faults)


def record_in_words(record: Record) -> list[tuple[str, str]]:
    """How a system came about, as titles and what stands beside them; what a record does not say is left out.

    Examples
    --------
    >>> asked = {"asked": 12, "answered": 11, "texts": 11, "missing": {"unreadable": 1}}
    >>> record_in_words({"model": "m", "style": "0-shot", "tokens": "exact", **asked})[-1]
    ('Answers', '11 of 12 prompts; unreadable: 1; 11 texts in the corpus')
    """
    signed = record.get("signature") or {}
    options = signed.get("options") or {}
    prompt = _named("digest", options.get("prompt_digest"))
    told = (
        ("Model", _listed(record["model"], _named("revision", signed.get("revision")))),
        ("Prompt style", _style(record)),
        (
            "Prompt",
            _listed(prompt, _named("tokens", record["tokens"])),
        ),
        ("Which prompts", _listed(*(_named(name, record.get(name)) for name in _PLAN))),
        (
            "Settings",
            _listed(
                *(_named(name, options.get(name)) for name in _DRAWING), _named("seed", signed.get("seed"))
            ),
        ),
        ("Answers", _answers(record)),
        (
            "Prompts that were not made",
            _tallies({**record.get("not_planned", {}), **record.get("left_out", {})}),
        ),
        ("Tokens", _listed(*(_counted(record.get(name), said) for name, said in _TOKENS))),
        ("Builds that the server named", _listed(*map(str, record.get("fingerprints") or ()))),
    )
    return [(title, said) for title, said in told if said]


def _style(record: Record) -> str:
    examples = record.get("examples")
    return _listed(
        record["style"],
        _counted(examples, "examples"),
        "a random second reader" if record.get("adversarial") else "",
    )


def _answers(record: Record) -> str:
    answered = f"{record['answered']:,} of {record['asked']:,} prompts"
    dropped = record.get("several_dropped")
    parts = (
        answered,
        _tallies(record.get("missing", {})),
        f"{record['texts']:,} texts in the corpus",
        f"{dropped:,} more for the same reader and document" if dropped else "",
    )
    return "; ".join(filter(None, parts))


def _tallies(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{reason}: {count:,}" for reason, count in counts.items())


def _named(name: str, value: Any) -> str:
    return "" if value is None else f"{name.replace('_', ' ')} {value}"


def _counted(count: int | None, what: str) -> str:
    return "" if count is None else f"{count:,} {what}"


def _listed(*parts: str) -> str:
    return ", ".join(filter(None, parts))


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
    return next(_problems(record), None)


def _problems(record: dict[str, Any]) -> Iterator[str]:
    for name in _TEXTS:
        if not isinstance(record.get(name), str):
            yield f"lacks the text {name!r}: {_WANTED}"
    for name in _COUNTS:
        if type(record.get(name)) is not int:
            yield f"lacks the number {name!r}: {_WANTED}"
    for name in _TALLIES:
        tally = record.get(name, {})
        if not isinstance(tally, dict) or not all(is_number(count) for count in tally.values()):
            yield f"has {name!r} that must be counts by reason"
    for name, kind in _SHOWN.items():
        if record.get(name) is not None and type(record[name]) is not kind:
            yield f"has {name!r} that must not be {kind_of(record[name])}"
    if record.get("signature") is not None and (problem := signature_problem(record["signature"])):
        yield f"has a signature that {problem}"
    if problem := json_value_problem(record):
        yield problem
