"""How often a judge chooses as the persons did, aspect by aspect, and what the order of texts does to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.studies.perse.agreement import PersonDraws, interval_of, mean_of
from meta_eval.studies.perse.cases import Letter

Winner = Letter | Literal["tie"]


@dataclass(frozen=True, slots=True)
class ChosenCase:
    """A `person`'s choice in an `aspect` (`truth`) and the judge's, in the order given and `swapped`.

    `swapped` is the letter of the text chosen, not its place: "A" is the same text as in `choice`. Both are
    None where they are missing, or were not asked for.
    """

    person: str
    aspect: str
    truth: Letter
    choice: Winner | None
    swapped: Winner | None = None


def choice_agreement(
    cases: Sequence[ChosenCase], draws: PersonDraws, *, both_orders: bool = False
) -> dict[str, Any]:
    """How often a judge chooses as the persons did, by aspect, and what the order of the texts does to it.

    Parameters
    ----------
    cases : sequence of ChosenCase
    draws : PersonDraws
    both_orders : bool
        Whether each case was asked in both orders.

    Returns
    -------
    dict
        `aspects`: for each, `accuracy` (the share chosen right; a tie counts half), `n`, `ci_low`, `ci_high`
        (95 %, persons resampled). `accuracy`: the plain mean over the aspects. Both for the order as given,
        as the paper has it. With `both_orders` also `accuracy_both_orders`, in which a choice counts only
        where both orders agree and is a tie else, and `order`: `consistency` (the share that names the same
        text after the texts are changed over) and `bias_to_first` (the share of answers "A" less the share
        of persons' "A", in the order as given). `missing` counts cases without an answer.

    Examples
    --------
    >>> cases = [ChosenCase("ann", "ending", truth, "A", "B") for truth in ("A", "A", "B")]
    >>> found = choice_agreement(cases, PersonDraws(["ann"] * 3, resamples=0, seed=0), both_orders=True)
    >>> round(found["accuracy"]["estimate"], 3), found["order"]["consistency"]
    (0.667, 0.0)
    """
    given = _points([one.choice for one in cases], cases)
    found = {
        "cases": len(cases),
        "missing": int(np.isnan(given).sum()),
        **_accuracies("accuracy", given, cases, draws),
    }
    if not both_orders:
        return found
    winners = [_agreed(one) for one in cases]
    settled = _accuracies("accuracy_both_orders", _points(winners, cases), cases, draws)
    return {
        **found,
        "accuracy_both_orders": settled["accuracy_both_orders"],
        "aspects_both_orders": settled["aspects"],
        "missing_both_orders": sum(one is None for one in winners),
        "order": order_effects(cases),
    }


def order_effects(cases: Sequence[ChosenCase]) -> dict[str, Any]:
    """`consistency` over the cases answered in both orders, `bias_to_first` over those answered as given.

    Examples
    --------
    >>> order_effects([ChosenCase("ann", "ending", "B", "A", "A")])
    {'consistency': 1.0, 'answered_twice': 1, 'bias_to_first': 1.0}
    """
    twice = [one for one in cases if one.choice and one.swapped]
    once = [one for one in cases if one.choice]
    first = sum(one.choice == "A" for one in once) - sum(one.truth == "A" for one in once)
    return {
        "consistency": sum(one.choice == one.swapped for one in twice) / len(twice) if twice else None,
        "answered_twice": len(twice),
        "bias_to_first": first / len(once) if once else None,
    }


def _agreed(one: ChosenCase) -> Winner | None:
    """The text that both orders name, a tie where they name two, None where one has no answer."""
    if one.choice is None or one.swapped is None:
        return None
    return one.choice if one.choice == one.swapped else "tie"


def _points(winners: Sequence[Winner | None], cases: Sequence[ChosenCase]) -> FloatArray:
    """(C,): 1 for the right text, 0 for the other, a half for a tie, NaN for none."""
    points = {True: 1.0, False: 0.0}
    return np.array(
        [
            np.nan if winner is None else 0.5 if winner == "tie" else points[winner == one.truth]
            for winner, one in zip(winners, cases, strict=True)
        ],
        dtype=np.float64,
    )


def _accuracies(
    name: str, points: FloatArray, cases: Sequence[ChosenCase], draws: PersonDraws
) -> dict[str, Any]:
    aspects = list(dict.fromkeys(one.aspect for one in cases))
    of = np.array([aspects.index(one.aspect) for one in cases], dtype=np.int64)

    def share(at: IntArray, aspect: int) -> float | None:
        value = mean_of(points[at][of[at] == aspect])
        return None if np.isnan(value) else value

    def mean(at: IntArray) -> float | None:
        shares = [share(at, number) for number in range(len(aspects))]
        return None if None in shares else float(np.mean(shares))  # type: ignore[arg-type]

    every = np.arange(len(cases))
    return {
        "aspects": {
            aspect: {
                "accuracy": share(every, number),
                "n": int(np.isfinite(points[of == number]).sum()),
                **interval_of(draws.over(lambda at, number=number: share(at, number))),  # type: ignore[misc]
            }
            for number, aspect in enumerate(aspects)
        },
        name: {"estimate": mean(every), **interval_of(draws.over(mean))},
    }


def choice_gain(
    cases: Sequence[ChosenCase], others: Sequence[ChosenCase], draws: PersonDraws
) -> dict[str, Any]:
    """How much more often one judge chooses right than another, over the cases that both answered.

    Returns
    -------
    dict
        `estimate` (the share of right choices of the first less that of the second, all aspects pooled, a tie
        as half), `n`, and `ci_low`, `ci_high` over persons.

    Examples
    --------
    >>> right, wrong = (ChosenCase("ann", "ending", "A", choice) for choice in "AB")
    >>> choice_gain([right], [wrong], PersonDraws(["ann"], resamples=0, seed=0))["estimate"]
    1.0
    """
    first, second = (_points([one.choice for one in side], side) for side in (cases, others))
    gained = first - second

    def mean(at: IntArray) -> float | None:
        value = mean_of(gained[at])
        return None if np.isnan(value) else value

    return {
        "estimate": mean(np.arange(len(gained))),
        "n": int(np.isfinite(gained).sum()),
        **interval_of(draws.over(mean)),
    }


def alignments(cases: Sequence[ChosenCase], ids: Sequence[str]) -> list[dict[str, Any]]:
    """One record a comparison and person: the share of its aspects won by A, of the judge and the person.

    `aspects` counts those that the judge answered; both shares are over these. A tie is half a win.
    """
    groups: dict[tuple[str, str], list[ChosenCase]] = {}
    for one, name in zip(cases, ids, strict=True):
        groups.setdefault((one.person, name), []).append(one)
    won = {"A": 1.0, "tie": 0.5, "B": 0.0}
    records = []
    for (person, name), members in groups.items():
        answered = [(won[one.choice], won[one.truth]) for one in members if one.choice]
        judge, truth = (
            (sum(side) / len(answered) for side in zip(*answered, strict=True)) if answered else (None, None)
        )
        records.append(
            {"person": person, "comparison": name, "aspects": len(answered), "alignment": judge,
             "alignment_of_person": truth}
        )  # fmt: skip
    return records
