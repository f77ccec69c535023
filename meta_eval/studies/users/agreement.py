"""MAA: whether the metric calls good what people call good (Wang et al. 2024, section 4.1)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.files.headers import lacking_columns
from meta_eval.files.names import plain_name
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.tables import read_table
from meta_eval.files.values import name_problem
from meta_eval.stats.resampling.intervals import percentile_interval
from meta_eval.stats.resampling.weights import draw_weights
from meta_eval.studies.users.comparing import LEAST_USERS, Resampling
from meta_eval.studies.users.metrics import Quality

Word = Literal["good", "bad"]
LABEL_COLUMNS = ("user", "approach", "rater", "label")
ALL = "all approaches"

_SAME = "all say the same, so chance would agree as well"
_NONE = "no summary has both a Q and a label that is no tie"
_FAULTS = 20
_CELLS = ("true_positives", "false_positives", "false_negatives", "true_negatives")


@dataclass(frozen=True, slots=True)
class Label:
    """What a person says of a summary."""

    user: str
    approach: str
    rater: str
    good: bool


def read_labels(source: Source, *, name: str | None = None) -> tuple[Label, ...]:
    """Read a CSV of labels with the columns `user`, `approach`, `rater` and `label` (good or bad).

    Parameters
    ----------
    source : path or binary stream
    name : str, optional
        What to call it in messages.

    Returns
    -------
    tuple of Label

    Raises
    ------
    InputError
        With every faulty row, and for a rater with two labels of one summary.

    Examples
    --------
    >>> from io import BytesIO
    >>> read_labels(BytesIO(b"user,approach,rater,label\\nann,single,r1,good\\n"))[0].good
    True
    """
    called, faults = source_name(source, name), Faults(_FAULTS)
    found: dict[tuple[str, ...], Label] = {}
    rows = read_table(source, called, faults, lambda header: lacking_columns(header, LABEL_COLUMNS))
    for line, row in rows:
        user, approach, rater, word = (plain_name(row[column]).strip() for column in LABEL_COLUMNS)
        problems = [
            f"the {column} {problem}"
            for column, value in zip(LABEL_COLUMNS, (user, approach, rater), strict=False)
            if (problem := name_problem(value))
        ]
        if word.lower() not in ("good", "bad"):
            problems.append(f"the label is {word!r}, not good or bad")
        if (user, approach, rater) in found:
            problems.append(f"rater {rater!r} has another label of this summary on a line before")
        for problem in problems:
            faults.add(called, line, problem)
        found[user, approach, rater] = Label(user, approach, rater, word.lower() == "good")
    faults.raise_if_any()
    if not found:
        raise InputError(f"{called} holds no label")
    return tuple(found.values())


def majorities(labels: Iterable[Label]) -> dict[tuple[str, str], bool | None]:
    """What most raters say of each summary, by user and approach; None for a tie.

    Examples
    --------
    >>> majorities([Label("u", "a", "r1", True), Label("u", "a", "r2", False)])
    {('u', 'a'): None}
    """
    said: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for label in labels:
        said[label.user, label.approach].append(label.good)
    return {
        key: None if 2 * sum(given) == len(given) else 2 * sum(given) > len(given)
        for key, given in said.items()
    }


def agree_with_people(
    qualities: Sequence[Quality], labels: Sequence[Label], *, resampling: Resampling | None = None
) -> list[dict[str, Any]]:
    """MAA of each approach and of all together, with what it must be read beside.

    Parameters
    ----------
    qualities : sequence of Quality
        `good` is the metric's prediction.
    labels : sequence of Label
        Several of one summary: the majority counts; ties are left out and counted.
    resampling : Resampling, optional
        Of the intervals: 95 %, percentiles over users.

    Returns
    -------
    list of dict
        `approach`, `summaries`, the four cells of the table, `maa`, `good_share` (of people: the accuracy of
        always saying good), `majority_share` (the accuracy of always saying the more frequent word), `kappa`
        (Cohen's, with `kappa_reason` where it is undefined), both intervals, and `left_out` by reason.

    Raises
    ------
    InputError
        Where no label is of a summary with a Q.

    Examples
    --------
    >>> from meta_eval.studies.users.metrics import Quality
    >>> known = {"words": 9, "tasks": 2, "answered": 2, "chance": 0.5, "accuracy": 1.0, "good": True}
    >>> qualities = [Quality(user=user, approach="ours", **known) for user in ("ann", "bob")]
    >>> labels = [Label("ann", "ours", "p", True), Label("bob", "ours", "p", False)]
    >>> agree_with_people(qualities, labels)[0]["maa"]
    0.5
    """
    said = majorities(labels)
    chosen = resampling or Resampling()
    approaches = list(dict.fromkeys(one.approach for one in qualities))
    groups: list[tuple[str, set[str]]] = [(approach, {approach}) for approach in approaches]
    if len(approaches) > 1:
        groups.append((ALL, set(approaches)))
    if not any(said.get((one.user, one.approach)) is not None and one.good is not None for one in qualities):
        raise InputError("no label is of a summary that was scored; are these files of one study?")
    return [_agreement(name, wanted, qualities, said, chosen) for name, wanted in groups]


def _agreement(
    name: str,
    wanted: set[str],
    qualities: Sequence[Quality],
    said: Mapping[tuple[str, str], bool | None],
    resampling: Resampling,
) -> dict[str, Any]:
    left_out: Counter[str] = Counter()
    cells: dict[str, list[float]] = {}
    scored = {(one.user, one.approach) for one in qualities}
    left_out["labels without a summary"] = sum(key[1] in wanted and key not in scored for key in said)
    for one in qualities:
        if one.approach not in wanted:
            continue
        key = (one.user, one.approach)
        if key not in said:
            left_out["summaries without a label"] += 1
        elif said[key] is None:
            left_out["summaries with a tie"] += 1
        elif one.good is None:
            left_out["summaries without a Q"] += 1
        else:
            people = cast(bool, said[key])
            place = (0 if people else 1) if one.good else (2 if people else 3)
            cells.setdefault(one.user, [0.0] * len(_CELLS))[place] += 1
    counts = np.array(list(cells.values()), dtype=np.float64).reshape(-1, len(_CELLS))
    total = counts.sum(axis=0)
    maa, kappa = (float(value[0]) if np.isfinite(value[0]) else None for value in _agree(total[None, :]))
    good = float(total[0] + total[2]) / float(total.sum()) if total.any() else None
    return {
        "approach": name,
        "summaries": int(total.sum()),
        **{cell: int(count) for cell, count in zip(_CELLS, total.tolist(), strict=True)},
        "maa": maa,
        **_ends("maa", counts, 0, resampling),
        "good_share": good,
        "majority_share": None if good is None else max(good, 1.0 - good),
        "kappa": kappa,
        **_ends("kappa", counts, 1, resampling),
        "kappa_reason": None if kappa is not None else _SAME if total.any() else _NONE,
        "left_out": {reason: count for reason, count in left_out.items() if count},
    }


def _agree(cells: FloatArray) -> tuple[FloatArray, FloatArray]:
    """MAA and Cohen's kappa (R,) of tables (R, 4); NaN where they are undefined."""
    hits, false, missed, rejected = cells.T
    total = cells.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (hits + rejected) / total
        chance = ((hits + false) * (hits + missed) + (missed + rejected) * (false + rejected)) / total**2
        kappa = np.where(chance < 1.0, (observed - chance) / (1.0 - chance), np.nan)
    return observed, kappa


def _ends(name: str, counts: FloatArray, which: int, resampling: Resampling) -> dict[str, float | None]:
    """The interval over users, from their tables (U, 4)."""
    if len(counts) < LEAST_USERS:
        return {f"{name}_ci_low": None, f"{name}_ci_high": None}
    weights = draw_weights(units=len(counts), resamples=resampling.resamples, rng=resampling.rng())
    found = percentile_interval(_agree(weights @ counts)[which])
    return {f"{name}_ci_low": found.low, f"{name}_ci_high": found.high}
