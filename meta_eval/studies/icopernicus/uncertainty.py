"""Prompt paradoxes of a corpus, each with how sure it is: on what both styles of an order cover."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from meta_eval.distances.computing import DistanceSource
from meta_eval.errors import InputError
from meta_eval.scores.contributions import score_contributions
from meta_eval.scores.prompt_styles import ADVERSARIAL, STYLES, is_adversarial, model_and_style, split_system
from meta_eval.stats.significance.prompt_orders import Compared, OrderTest, compare_orders
from meta_eval.studies.icopernicus.paradoxes import StyleScores


def styled_systems(systems: Sequence[str]) -> list[str]:
    """Those named MODEL: STYLE, adversarial ones too; raises `InputError` where there is none.

    Examples
    --------
    >>> styled_systems(["NAML", "Zephyr: C-0-shot"])
    ['Zephyr: C-0-shot']
    """
    found = [name for name in systems if split_system(name) or is_adversarial(name)]
    if not found:
        raise InputError(
            "no system is named MODEL: STYLE, as in 'Zephyr: 0-shot': make such systems with `generate`, or "
            f"name yours so, with a style of {', '.join(STYLES)}"
        )
    return found


def egises_by_style(source: DistanceSource) -> StyleScores:
    """EGISES by model and style, of each style over all that it covers, as the paper has it.

    Parameters
    ----------
    source : DistanceSource
        Its systems are those of `styled_systems`.

    Returns
    -------
    mapping of model to mapping of style to float or None
        From 0 to 1, lower is better.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> own = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> corpus = Corpus((Document("d", "", "Rain and sun.", own, {"M: 0-shot": own}),))
    >>> egises_by_style(compute_distances(corpus, make_measure("rouge-l")))
    {'M': {'0-shot': 0.0}}
    """
    found: dict[str, dict[str, float | None]] = {}
    for name, score in score_contributions(source).system_scores().items():
        model, style = _model_and_style(name)
        found.setdefault(model, {})[style] = score.egises
    return found


def compare_adversarial(source: DistanceSource, **draws: int) -> Compared:
    """Each contrastive style against itself with a random User2, by model and style.

    A positive difference is worse with the random reader, as it should be for a probe that means something.
    """
    names = {_model_and_style(name): name for name in source.systems}
    there = {
        (model, style): (names[model, style], names[model, f"{style}{ADVERSARIAL}"])
        for model, style in names
        if (model, f"{style}{ADVERSARIAL}") in names
    }
    return dict(zip(there, compare_orders(source, list(there.values()), **draws), strict=True))


def order_record(found: OrderTest | None) -> dict[str, Any]:
    """What a record says of how sure an order is; null throughout where it cannot be told."""
    empty = OrderTest(0, None, None, None, None, None, None, None)
    values = asdict(found or empty)
    return {
        "documents": values["documents"],
        "shared_poorer_egises": values["poorer"],
        "shared_richer_egises": values["richer"],
        "difference": values["difference"],
        "ci_low": values["low"],
        "ci_high": values["high"],
        "p": values["p"],
        "p_adjusted": values["p_adjusted"],
        "verdict": found.verdict if found else None,
    }


def adversarial_record(found: OrderTest | None) -> dict[str, Any]:
    """The same of a random second reader: `worse`, `better` or `not decided`; differences in EGISES."""
    record = order_record(found)
    shared = ("shared_poorer_egises", "shared_richer_egises")
    words = {"paradox": "worse", "no paradox": "better"}
    verdict = record.pop("verdict")
    real, random = (record.pop(name) for name in shared)
    return {
        "shared_egises": real,
        "shared_random_egises": random,
        **record,
        "verdict": words.get(verdict, verdict),
    }


def _model_and_style(system: str) -> tuple[str, str]:
    """Of a system that `styled_systems` gave."""
    return model_and_style(system) or ("", system)
