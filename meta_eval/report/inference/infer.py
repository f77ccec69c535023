"""How sure a report is: intervals, p-values, ceilings and what else contributions and ratings can tell.

A pure function of its inputs and a seed. Every part draws from a random stream of its own, so that one that
cannot be made changes no other. What a part returns is described in `meta_eval.report.assembling`.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable
from meta_eval.errors import InputError, MetaEvalError
from meta_eval.ratings.rating import Rating
from meta_eval.report.inference.ceilings import Ceilings
from meta_eval.report.inference.levels import correlate_levels
from meta_eval.report.inference.ranking import rank_measures
from meta_eval.report.inference.robustness import compare_intervals, correlate_families
from meta_eval.report.inference.studies import (
    study_ablation,
    study_aggregation,
    study_agreement,
    study_paradox,
    study_stability,
)
from meta_eval.report.inference.table import JointTable, add_sensitivity, strip_surrogates
from meta_eval.report.options import InferenceOptions
from meta_eval.scores.contributions import Contributions, score_contributions
from meta_eval.scores.human import HumanScores
from meta_eval.stats.table.schemes import RaterDraws

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class InferenceInputs:
    """`automatic` contributions over the whole corpus and `human` scores, by measure and surrogate.

    `matched` has each measure's distances over the rated documents `corpus`, restricted to rated pairs
    (`meta_eval.report.inference.table.restrict_to_rated`); `ratings` are all that were given.
    """

    automatic: Mapping[str, Contributions]
    matched: Mapping[str, DistanceTable]
    human: Mapping[str, HumanScores]
    corpus: Corpus
    ratings: Sequence[Rating]


InferenceProgress = Callable[[str, int, int], None]
"""Called with the part that begins, how many are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class _Workshop:
    """What the parts share: inputs, options, results so far, and a random stream for each part."""

    inputs: InferenceInputs
    options: InferenceOptions
    raters: RaterDraws
    made: dict[str, Any] = field(default_factory=dict)
    joint: list[JointTable] = field(default_factory=list)

    @classmethod
    def open(cls, inputs: InferenceInputs, options: InferenceOptions) -> "_Workshop":
        raters = RaterDraws(
            inputs.ratings, inputs.corpus, seed=(options.seed, _OF_RATERS), resamples=options.resamples
        )
        return cls(inputs, options, raters)

    def rng(self, part: str) -> np.random.Generator:
        return np.random.default_rng([self.options.seed, list(PARTS).index(part)])

    def table(
        self, part: str, automatic: Mapping[str, Contributions], human: Mapping[str, HumanScores]
    ) -> JointTable:
        """Both sides resampled in the stream of a part."""
        if not automatic or not human:
            raise InputError("there are scores of one side only, so nothing can be compared")
        return JointTable.resample(
            automatic, human, rng=self.rng(part), design=self.options.design, raters=self.raters
        )

    def first_table(self) -> JointTable:
        """That of the cells."""
        if not self.joint:
            raise InputError("there are no coefficients to look into")
        return self.joint[0]


_OF_RATERS = 2**16
"""The stream of the raters' draws, which all parts share: no part has this number."""


def infer_report(
    inputs: InferenceInputs,
    *,
    options: InferenceOptions | None = None,
    progress: InferenceProgress | None = None,
) -> dict[str, Any]:
    """The inference of a report as plain values, nothing rounded; the same inputs give the same values.

    A part that cannot be made is empty and named under `problems` with its reason.
    """
    shop = _Workshop.open(inputs, options or InferenceOptions())
    problems = []
    for done, (part, (make, empty)) in enumerate(PARTS.items()):
        if progress:
            progress(part, done, len(PARTS))
        try:
            shop.made.update(make(shop))
        except Exception as error:
            shop.made.update(empty)
            problems.append(_problem(part, error))
    if progress:
        progress("inference", len(PARTS), len(PARTS))
    return {"options": shop.options.as_dict(), "problems": problems, **shop.made}


def failed_inference(options: InferenceOptions, error: Exception) -> dict[str, Any]:
    """What stands in the place of an inference whose inputs could not be had."""
    empty = {key: value for _, values in PARTS.values() for key, value in values.items()}
    return {"options": options.as_dict(), "problems": [_problem("inputs", error)], **empty}


def _problem(part: str, error: Exception) -> dict[str, Any]:
    """Inputs that do not allow a part are no failure: trying again would change nothing."""
    if isinstance(error, MetaEvalError):
        return {"part": part, "reason": str(error), "failed": False}
    log.error("Part %s of an inference failed", part, exc_info=error)
    return {"part": part, "reason": f"Unexpected error ({type(error).__name__}): {error}", "failed": True}


def _cells(shop: _Workshop) -> dict[str, Any]:
    table = shop.table("cells", shop.inputs.automatic, shop.inputs.human)
    shop.joint.append(table)
    return dict(add_sensitivity(table.cells(), table))


def _ceilings(shop: _Workshop) -> dict[str, Any]:
    found = Ceilings.measure(
        shop.inputs.human,
        shop.inputs.ratings,
        shop.inputs.corpus,
        rng=shop.rng("ceilings"),
        splits=shop.options.splits,
        simulations=shop.options.simulations,
        coefficients=shop.options.design.coefficients,
    )
    return {"ceilings": found.rows, "cells": found.beside(shop.made["cells"])}


def _ranking(shop: _Workshop) -> dict[str, Any]:
    return dict(rank_measures(shop.first_table(), shop.made["cells"], alpha=shop.options.alpha))


def _matched(shop: _Workshop) -> dict[str, Any]:
    options = next((scores.options for scores in shop.inputs.human.values()), None)
    scores = {name: score_contributions(table, options) for name, table in shop.inputs.matched.items()}
    return {"matched": shop.table("matched", scores, shop.inputs.human).cells()}


def _bare(shop: _Workshop) -> dict[str, Any]:
    if not shop.inputs.human:
        raise InputError("there are scores of one side only, so nothing can be compared")
    people = {"": strip_surrogates(next(iter(shop.inputs.human.values())), shop.inputs.corpus)}
    cells = shop.table("bare", shop.inputs.automatic, people).cells(("degress_hj", "egises_hj"))
    return {"bare": [{**cell, "surrogate": None} for cell in cells]}


def _families(shop: _Workshop) -> dict[str, Any]:
    if not shop.options.families:
        return {"families": []}
    table = shop.first_table()
    return {"families": correlate_families(table, shop.options.families, rng=shop.rng("families"))}


def _levels(shop: _Workshop) -> dict[str, Any]:
    return {
        "levels": correlate_levels(
            shop.inputs.matched,
            shop.inputs.human,
            rng=shop.rng("levels"),
            resamples=shop.options.resamples,
            level=shop.options.level,
            coefficients=shop.options.design.coefficients,
        )
    }


def _agreement(shop: _Workshop) -> dict[str, Any]:
    return study_agreement(
        shop.inputs.ratings,
        rng=shop.rng("agreement"),
        resamples=shop.options.agreement_resamples,
        level=shop.options.level,
    )


PARTS: dict[str, tuple[Callable[[_Workshop], dict[str, Any]], dict[str, Any]]] = {
    "cells": (_cells, {"cells": [], "left_out_systems": []}),
    "ceilings": (_ceilings, {"ceilings": []}),
    "ranking": (_ranking, {"ranking": [], "comparisons": []}),
    "matched": (_matched, {"matched": []}),
    "bare": (_bare, {"bare": []}),
    "agreement": (_agreement, {"agreement": None}),
    "stability": (
        lambda shop: study_stability(shop.inputs.automatic, shop.rng("stability")),
        {"stability": []},
    ),
    "paradox": (lambda shop: study_paradox(shop.inputs.automatic), {"paradox": []}),
    "aggregation": (
        lambda shop: study_aggregation(shop.inputs.automatic, shop.inputs.human),
        {"aggregation": []},
    ),
    "ablation": (
        lambda shop: study_ablation(shop.inputs.matched, shop.inputs.human, shop.inputs.corpus),
        {"ablation": []},
    ),
    "interval_methods": (
        lambda shop: {"interval_methods": compare_intervals(shop.first_table())},
        {"interval_methods": []},
    ),
    "families": (_families, {"families": []}),
    "levels": (_levels, {"levels": []}),
}
"""Each part, and what stands in its place where it cannot be made."""
