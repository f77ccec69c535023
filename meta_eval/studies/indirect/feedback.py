"""Ratings of summaries as OpenAI released them (Stiennon et al. 2020), in the form that the method reads.

The download has two folders of JSON lines. `axis_evals` holds what one worker gave one summary on several
axes, 1 to 7: what the indirect method needs. `comparisons` holds which of two summaries a worker chose: no
rating, so nothing there can be gold.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, GOLD
from meta_eval.corpus.records import id_problem
from meta_eval.errors import InputError
from meta_eval.files.json_files import read_json_lines
from meta_eval.files.reading import Faults
from meta_eval.files.values import is_number, kind_of, name_problem, text_problem

FOLDER, COMPARISONS = "axis_evals", "comparisons"
AXES = ("overall", "accuracy", "coverage", "coherence")
LOWEST, HIGHEST = 1, 7
Dataset = Literal["tldr", "cnndm"]
DATASETS: Mapping[Dataset, str] = {"tldr": "post", "cnndm": "article"}
"""What a document is about: a Reddit post, or a news article; the field of `info` that holds its text."""


@dataclass(frozen=True, slots=True)
class FeedbackRatings:
    """`records` in the form of `read_rated_summaries`, one a document; `counts` of what was read.

    Counts: `documents`, of which `tldr` and `cnndm`; `policies`, `annotators`, `ratings`. Beside them
    `other_texts`, ratings of a text that is not the one most rated of its policy and document and which are
    left out; `repeated`, ratings by the same annotator of the same summary, of which the mean stands;
    `unrated`, those without a value on the first axis.
    """

    records: Sequence[Mapping[str, Any]]
    counts: Mapping[str, int]


Marks = Mapping[str, float | None]
"""What was given on each axis; None where nothing was."""


@dataclass(slots=True)
class _Document:
    """A document as it fills: marks by policy, text of the summary and annotator."""

    dataset: Dataset
    title: str
    body: str
    marks: dict[str, dict[str, dict[str, list[Marks]]]] = field(default_factory=dict)

    def add(self, policy: str, text: str, annotator: str, marks: Marks) -> None:
        by_text = self.marks.setdefault(policy, {})
        by_text.setdefault(text, {}).setdefault(annotator, []).append(marks)


def read_feedback(
    folder: Path,
    *,
    dataset: Dataset | None = None,
    splits: Sequence[str] | None = None,
    fault_limit: int = DEFAULT_FAULT_LIMIT,
) -> FeedbackRatings:
    """Rated summaries from the released `axis_evals`, line by line; documents in the order they first occur.

    A policy has one summary of a document here: where it has several texts, that with the most ratings counts
    (the first of equally many). An annotator who rated a summary twice is taken at the mean. The policy `ref`
    is the reference that people wrote, rated like any other.

    Parameters
    ----------
    folder : path
        The download, or its folder `axis_evals`.
    dataset : {"tldr", "cnndm"}, optional
        Only Reddit posts, or only news articles; default: both.
    splits : sequence of str, optional
        Only lines of these splits (`valid1`, `valid2`, `test`); default: all.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    FeedbackRatings

    Raises
    ------
    InputError
        With every fault by file and line, and where there are no such files or no such lines.

    References
    ----------
    Stiennon et al., Learning to summarize from human feedback, NeurIPS 2020; PerSEval 6.1; protocol 9.

    Examples
    --------
    >>> import json
    >>> from tempfile import TemporaryDirectory
    >>> line = {
    ...     "info": {"id": "t3_a", "title": "Rain", "post": "It rained."},
    ...     "summary": {"text": " Rain.", "policy": "ref", "axes": {"overall": 7}},
    ...     "worker": "ann",
    ...     "split": "test",
    ... }
    >>> with TemporaryDirectory() as place:
    ...     _ = Path(place, "tldraxis1.json").write_text(json.dumps(line))
    ...     found = read_feedback(Path(place))
    >>> found.records[0]["systems"], found.counts["ratings"]
    ({'ref': 'Rain.'}, 1)
    """
    faults = Faults(fault_limit)
    reader = _Reader(faults, dataset, splits)
    for path in _find_files(folder):
        name = str(path.relative_to(folder))
        for number, record in read_json_lines(path, name, faults):
            reader.read(name, number, record)
    faults.raise_if_any()
    if not reader.documents:
        seen = ", ".join(sorted(reader.splits)) or "none"
        raise InputError(f"{folder} holds no ratings of that kind; splits there are: {seen}")
    return reader.finish()


def _find_files(folder: Path) -> list[Path]:
    """Files with ratings, by name; `InputError` says what to do where there are none."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder: name the one that the data was downloaded to")
    inner = folder / FOLDER
    found = sorted((inner if inner.is_dir() else folder).glob("*.json"))
    if found:
        return found
    what = f"holds {COMPARISONS} alone" if (folder / COMPARISONS).is_dir() else "has no .json files"
    raise InputError(f"{folder} {what}: the indirect method needs ratings, which are in {FOLDER}")


class _Reader:
    """Gathers lines into documents; whatever is wrong with one is a fault."""

    def __init__(self, faults: Faults, dataset: Dataset | None, splits: Sequence[str] | None) -> None:
        self._faults, self._dataset, self._wanted = faults, dataset, splits
        self.documents: dict[str, _Document] = {}
        self.splits: set[str] = set()

    def read(self, name: str, number: int, record: Any) -> None:
        problems = list(_problems(record))
        if not problems:
            problems = list(self._add(record))
        for problem in problems:
            self._faults.add(name, number, problem)

    def _add(self, record: Mapping[str, Any]) -> Iterator[str]:
        """The line's rating, if it is of what is asked for; yields what does not fit those before."""
        info, summary = record["info"], record["summary"]
        dataset, body = next(_bodies(info))
        self.splits.add(str(record.get("split")))
        if self._dataset not in (None, dataset) or (
            self._wanted is not None and record.get("split") not in self._wanted
        ):
            return
        new = _Document(dataset, (info.get("title") or "").strip(), body.strip())
        document = self.documents.setdefault(str(info["id"]), new)
        if document.body != new.body:
            yield f"document {info['id']!r} has another {DATASETS[dataset]} here than before"
            return
        marks = {axis: summary["axes"].get(axis) for axis in AXES}
        document.add(summary["policy"], summary["text"].strip(), str(record["worker"]), marks)

    def finish(self) -> FeedbackRatings:
        counts = dict.fromkeys(("other_texts", "repeated", "unrated"), 0)
        records = [_as_record(name, document, counts) for name, document in self.documents.items()]
        rows = [row for record in records for row in record["ratings"]]
        datasets = Counter[str](document.dataset for document in self.documents.values())
        totals = {
            "documents": len(records),
            **{str(name): datasets[name] for name in DATASETS},
            "policies": len({row["system"] for row in rows}),
            "annotators": len({row["annotator"] for row in rows}),
            "ratings": len(rows),
        }
        return FeedbackRatings(records, {**totals, **counts})


def _as_record(name: str, document: _Document, counts: dict[str, int]) -> dict[str, Any]:
    systems: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    for policy, by_text in document.marks.items():
        sizes = {text: sum(map(len, marks.values())) for text, marks in by_text.items()}
        text = max(sizes, key=lambda one: sizes[one])  # the first of equally many
        systems[policy] = text
        counts["other_texts"] += sum(sizes.values()) - sizes[text]
        for annotator, marks in by_text[text].items():
            row = {"annotator": annotator, "system": policy, **_mean_marks(marks)}
            counts["repeated"] += len(marks) - 1
            counts["unrated"] += row[AXES[0]] is None
            rows.append(row)
    return {
        "doc_id": name,
        "doc_summ": document.title,
        "doc_text": document.body,
        "systems": systems,
        "ratings": rows,
    }


def _mean_marks(marks: Sequence[Marks]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for axis in AXES:
        given = [value for one in marks if (value := one[axis]) is not None]
        found[axis] = fmean(given) if given else None
    return found


def _bodies(info: Mapping[str, Any]) -> Iterator[tuple[Dataset, str]]:
    """The text of a document, by what it is; null stands where there is none."""
    return ((name, info[key]) for name, key in DATASETS.items() if info.get(key) is not None)


def _problems(record: Any) -> Iterator[str]:
    """What of a line is not as released."""
    if not isinstance(record, dict):
        yield f"a rating must be a JSON object, not {kind_of(record)}"
        return
    if "summaries" in record or "choice" in record:
        yield (
            "is a comparison of two summaries, which is no rating: the indirect method needs those of "
            f"{FOLDER}"
        )
        return
    for key, problems_of in (("info", _info_problems), ("summary", _summary_problems)):
        if not isinstance(record.get(key), dict):
            yield f"field {key!r} must be an object, not {kind_of(record.get(key))}"
        else:
            yield from problems_of(record[key])
    if problem := id_problem(record.get("worker")):
        yield f"field 'worker' {problem}"


def _info_problems(info: Mapping[str, Any]) -> Iterator[str]:
    if problem := id_problem(info.get("id")):
        yield f"field 'id' of info {problem}"
    for key in ("title", *DATASETS.values()):
        if info.get(key) is not None and (problem := text_problem(info[key])):
            yield f"field {key!r} of info {problem}"
    if len(list(_bodies(info))) != 1:
        yield f"info must have either {' or '.join(DATASETS.values())}"


def _summary_problems(summary: Mapping[str, Any]) -> Iterator[str]:
    if problem := text_problem(summary.get("text")):
        yield f"field 'text' of summary {problem}"
    policy = summary.get("policy")
    if problem := name_problem(policy):
        yield f"field 'policy' of summary {problem}"
    elif policy == GOLD:
        yield f"field 'policy' of summary is {GOLD!r}, which names gold references"
    axes = summary.get("axes")
    if not isinstance(axes, dict):
        yield f"field 'axes' of summary must be an object, not {kind_of(axes)}"
        return
    for axis in AXES:
        value = axes.get(axis)
        if value is not None and not (is_number(value) and LOWEST <= value <= HIGHEST):
            yield f"{axis} is {value!r}, not a number from {LOWEST} to {HIGHEST}"
