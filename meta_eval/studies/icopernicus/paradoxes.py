"""Paradoxes of iCOPERNICUS (EMNLP 2024; protocol 9): a richer prompt that does no better, by EGISES."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT
from meta_eval.errors import Fault, InputError
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.tables import read_table
from meta_eval.files.values import read_number
from meta_eval.scores.prompt_styles import (
    ADVERSARIAL,
    CONTRASTIVE,
    PAIRS,
    STYLES,
    Pair,
    Pairs,
    is_adversarial,
    model_and_style,
    styled_name,
)

_COLUMNS = (*STYLES, *(f"{style}{ADVERSARIAL}" for style in CONTRASTIVE))

StyleScores = Mapping[str, Mapping[str, float | None]]
"""EGISES (lower is better) by model and prompt style, also with a random User2; None where there is none."""


@dataclass(frozen=True, slots=True)
class PromptParadox:
    """One cell of the table; `is_paradox` is None, with a `reason`, where a score is missing."""

    model: str
    paradox: str
    poorer: str
    richer: str
    poorer_egises: float | None
    richer_egises: float | None
    is_paradox: bool | None
    reason: str | None


def find_paradoxes(egises: StyleScores, *, pairs: Pairs = "table") -> list[PromptParadox]:
    """Every paradox of every model: the richer prompt has an EGISES that is not lower.

    Parameters
    ----------
    egises : mapping
        EGISES by model and style; a style may be missing, or None.
    pairs : {"table", "section-3", "all"}

    Returns
    -------
    list of PromptParadox
        By model, and in the order of the pairs.

    Raises
    ------
    InputError
        For a style that is none of `STYLES`, or a score outside [0, 1].

    References
    ----------
    Patel et al. (2024) (iCOPERNICUS), section 3 and Table 4.

    Examples
    --------
    >>> found = find_paradoxes({"M": {"0-shot": 0.25, "2-shot w/o": 0.5}})
    >>> [(one.paradox, one.is_paradox) for one in found][:1]
    [('PX-1', True)]
    """
    _check(egises)
    return [
        _compare(model, paradox, pair, scores)
        for model, scores in egises.items()
        for paradox, pair in PAIRS[pairs].items()
    ]


def _compare(model: str, paradox: str, pair: Pair, scores: Mapping[str, float | None]) -> PromptParadox:
    poorer, richer = (scores.get(style) for style in pair)
    missing = [style for style, value in zip(pair, (poorer, richer), strict=True) if value is None]
    found = None if poorer is None or richer is None else richer >= poorer
    reason = f"no EGISES of {' and '.join(missing)}" if missing else None
    return PromptParadox(model, paradox, *pair, poorer, richer, found, reason)


@dataclass(frozen=True, slots=True)
class OrderSummary:
    """What an order does to the models, in points: 100 (EGISES of the poorer prompt - of the richer one).

    `gaining` models have a lower EGISES with the richer prompt, by `mean_gain` and at most `greatest_gain`;
    `others` do not, by `mean_loss` (0 or more); of `unknown` ones a score is missing.
    """

    paradox: str
    poorer: str
    richer: str
    gaining: int
    mean_gain: float | None
    greatest_gain: float | None
    others: int
    mean_loss: float | None
    unknown: int


def summarise_orders(egises: StyleScores, *, pairs: Pairs = "table") -> list[OrderSummary]:
    """How many models gain by the richer prompt of each order, how many do not, and by how much.

    Parameters
    ----------
    egises : mapping of str to mapping of str to float or None
        By model and style, from 0 to 1, lower is better.
    pairs : {"table", "section-3", "all"}

    Returns
    -------
    list of OrderSummary
        One for each order; no gain counts with the others, as a paradox does.

    Raises
    ------
    InputError
        As `find_paradoxes`.

    References
    ----------
    Patel et al., iCOPERNICUS, EMNLP 2024, section 5.

    Examples
    --------
    >>> found = summarise_orders({"A": {"0-shot": 0.5, "2-shot w/o": 0.4}, "B": {"0-shot": 0.5}})[0]
    >>> found.gaining, round(found.mean_gain, 6), found.others, found.unknown
    (1, 10.0, 0, 1)
    """
    found = find_paradoxes(egises, pairs=pairs)
    return [
        _summary(name, pair, [one for one in found if one.paradox == name])
        for name, pair in PAIRS[pairs].items()
    ]


def _summary(name: str, pair: Pair, found: Sequence[PromptParadox]) -> OrderSummary:
    boosts = [
        100 * (one.poorer_egises - one.richer_egises)
        for one in found
        if one.poorer_egises is not None and one.richer_egises is not None
    ]
    gains, losses = [one for one in boosts if one > 0], [-one for one in boosts if one <= 0]
    return OrderSummary(
        name,
        *pair,
        gaining=len(gains),
        mean_gain=fmean(gains) if gains else None,
        greatest_gain=max(gains, default=None),
        others=len(losses),
        mean_loss=fmean(losses) if losses else None,
        unknown=len(found) - len(boosts),
    )


@dataclass(frozen=True, slots=True)
class AdversarialChange:
    """What a random second reader does to a contrastive style: `change` in points, above 0 where it is worse.

    None, with a `reason`, where a score is missing.
    """

    model: str
    style: str
    egises: float | None
    random_egises: float | None
    change: float | None
    reason: str | None


def adversarial_changes(egises: StyleScores) -> list[AdversarialChange]:
    """100 (EGISES with a random User2 - EGISES) of each model and contrastive style that has either.

    Examples
    --------
    >>> found = adversarial_changes({"M": {"C-0-shot": 0.4, "C-0-shot, random User2": 0.41}})
    >>> [(one.style, round(one.change, 6)) for one in found]
    [('C-0-shot', 1.0)]
    """
    _check(egises)
    found = []
    for model, scores in egises.items():
        for style in CONTRASTIVE:
            real, random = scores.get(style), scores.get(f"{style}{ADVERSARIAL}")
            if f"{style}{ADVERSARIAL}" not in scores:
                continue
            missing = [
                name for name, value in ((style, real), (f"{style}{ADVERSARIAL}", random)) if value is None
            ]
            change = None if real is None or random is None else 100 * (random - real)
            reason = f"no EGISES of {' and '.join(missing)}" if missing else None
            found.append(AdversarialChange(model, style, real, random, change, reason))
    return found


def _check(egises: StyleScores) -> None:
    for model, scores in egises.items():
        for style, value in scores.items():
            if style not in STYLES and not is_adversarial(styled_name(model, style)):
                raise InputError(f"{model}: {style!r} is no prompt style; there are {', '.join(STYLES)}")
            if value is not None and not 0.0 <= value <= 1.0:
                raise InputError(f"{model}, {style}: an EGISES is from 0 to 1, not {value}")


def styles_of_systems(
    records: Iterable[Mapping[str, Any]],
    measure: str | None = None,
    *,
    key: str = "measure",
    score: str = "egises",
) -> StyleScores:
    """EGISES by model and style from records of `score`, whose systems are named MODEL: STYLE.

    Of records of `human` the `key` is surrogate and the `score` egises_hj. Raises `InputError` for another
    name, for a system that stands there twice, and where there are several measures and none is chosen.
    """
    rows = list(records)
    there = list(dict.fromkeys(record[key] for record in rows))
    if measure not in there and (measure or len(there) != 1):
        raise InputError(f"paradoxes are of one {key}: choose one of {', '.join(there)}")
    chosen = [record for record in rows if record[key] == (measure or there[0])]
    found: dict[str, dict[str, float | None]] = {}
    for record in chosen:
        split = model_and_style(record["system"])
        if split is None:
            raise InputError(f"system {record['system']!r} is not named MODEL: STYLE, as in 'Zephyr: 0-shot'")
        model, style = split
        if style in found.setdefault(model, {}):
            raise InputError(f"system {record['system']!r} stands in the records twice")
        found[model][style] = record[score]
    return found


def read_style_scores(
    source: Source, *, name: str | None = None, fault_limit: int = DEFAULT_FAULT_LIMIT
) -> StyleScores:
    """Read a CSV table with the column `model` and one column for each style; an empty cell is no score.

    Raises `InputError` with every fault.
    """
    name = source_name(source, name)
    faults = Faults(fault_limit)
    found: dict[str, Mapping[str, float | None]] = {}
    for line, row in read_table(source, name, faults, _header_problem):
        model = row["model"].strip()
        if not model or model in found:
            faults.add(name, line, f"model {model!r} is empty or stands in the table before")
        try:
            found[model] = {style: _number(row[style]) for style in _COLUMNS if style in row}
        except ValueError as error:
            faults.add(name, line, f"{error}")
    faults.raise_if_any()
    if not found:
        raise InputError([Fault(name, None, "holds no models")])
    return found


def _header_problem(columns: Sequence[str]) -> str | None:
    if "model" in columns and any(style in columns for style in STYLES):
        return None
    return f"the header needs the columns model and {', '.join(STYLES)}"


def _number(text: str) -> float | None:
    """Raises ValueError for what is neither a finite number nor empty."""
    if not text.strip():
        return None
    value = read_number(text)
    if value is None:
        raise ValueError(f"{text!r} is not a finite number")
    return value
