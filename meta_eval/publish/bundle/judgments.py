"""What a judge's files in a bundle say against what its replies give again, row by row and line by line."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from meta_eval.publish.bundle.comparing import MISSING, BundleComparison
from meta_eval.publish.bundle.layout import JUDGE_FILE, JUDGE_REPLIES_FILE, JUDGMENTS_FILE
from meta_eval.publish.bundle.reading import BundleData
from meta_eval.publish.bundle.verification import Difference
from meta_eval.scores.judged import JUDGMENT_COLUMNS

_NAMED, _JUDGED = JUDGMENT_COLUMNS[:5], JUDGMENT_COLUMNS[5:]
STATED_DIGITS = 16
"""So many digits of a prompt's digest stand in a signature."""

Row = Mapping[str, str]


def compare_judgments(data: BundleData) -> Iterator[Difference]:
    """A difference for whatever the judge's files hold beside what follows from plan and replies, or lack.

    Nothing where there is no judge. Of another prompt than this version's no more is compared than whether
    the report names that one, too.
    """
    if data.judge is None:
        return
    if data.judge.outdated:
        yield from _compare_prompt(data, data.judge.prompt_digest[:STATED_DIGITS])
        return
    yield from _compare_records(data.judge_records, data.judge.as_records())
    yield from _compare_replies(data.judge_replies, data.judge.reply_lines())
    yield from _compare_rows(data.judgments, tuple(map(_as_text, data.judge.judgments())))


def _compare_prompt(data: BundleData, digest: str) -> Iterator[Difference]:
    """The prompt of the judge's file against that of the report's signatures, which have its first digits.

    Without this, a bundle with another digest would be left unchecked as that of another version.
    """
    judged = data.report.inference.judged if data.report.inference else None
    if judged is None:
        return
    for measure in dict.fromkeys([*judged.measures, *(row.measure for row in judged.systems)]):
        stated = judged.signatures.get(measure, {}).get("options", {}).get("prompt_digest", MISSING)
        if stated != digest:
            path = f"inference.judged.signatures.{measure}.options.prompt_digest"
            yield Difference(path, stated, digest, None)


def _compare_records(stored: Any, again: Any) -> Iterator[Difference]:
    """Of the plans and options; each record says the same of how the model was asked."""
    comparison = BundleComparison(lambda _path, _row: None, lambda _row: 0.0)
    comparison.compare(stored, again, JUDGE_FILE, {})
    yield from comparison.differences


def _compare_replies(stored: tuple[str, ...], again: list[str]) -> Iterator[Difference]:
    wanted = Counter(line.rstrip("\n") for line in again)
    for number, line in enumerate(stored, start=1):
        if not wanted[line]:
            yield Difference(f"{JUDGE_REPLIES_FILE}[line {number}]", line, MISSING, None)
        wanted[line] -= wanted[line] > 0
    for line in wanted.elements():
        yield Difference(JUDGE_REPLIES_FILE, MISSING, line, None)


def _compare_rows(stored: tuple[Row, ...], again: tuple[Row, ...]) -> Iterator[Difference]:
    """Row against row where a summary and profile has one; a row too many, equal or not, is named whole."""
    kept, wanted = _by_key(stored), _by_key(again)
    for key in dict.fromkeys([*kept, *wanted]):
        mine, other = kept.get(key, []), wanted.get(key, [])
        for row in [row for row in other if row in mine]:
            mine.remove(row)
            other.remove(row)
        path = f"{JUDGMENTS_FILE}[{', '.join(key)}]"
        if len(mine) == len(other) == 1:
            names = [name for name in _JUDGED if mine[0][name] != other[0][name]]
            yield from (Difference(f"{path}.{name}", mine[0][name], other[0][name], None) for name in names)
            continue
        yield from (Difference(path, dict(row), MISSING, None) for row in mine)
        yield from (Difference(path, MISSING, dict(row), None) for row in other)


def _by_key(rows: tuple[Row, ...]) -> dict[tuple[str, ...], list[Row]]:
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in _NAMED), []).append(row)
    return found


def _as_text(row: Mapping[str, Any]) -> dict[str, str]:
    """As the file has it."""
    return {name: _text(value) for name, value in row.items()}


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
