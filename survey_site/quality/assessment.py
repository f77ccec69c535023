"""What the ratings so far say of the survey itself: how far raters agree, whether positions mattered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from meta_eval.ratings.rows import rating_of_row
from meta_eval.stats.rankings.position import PlacedRating, PositionEffects, measure_position_effects
from meta_eval.stats.raters.agreement import (
    CATEGORIES,
    AgreementReport,
    RatingCounts,
    count_ratings,
    measure_agreement,
)
from survey_site.batches.models import Batch
from survey_site.survey.rating_rows import rating_rows

LEAST_DOCUMENTS = 10
"""With fewer documents than this a resample of documents says little; pairs are resampled instead."""


@dataclass(frozen=True)
class TableRow:
    """One row of the table of two raters' ratings; `cells` are (count, shade 5 to 10)."""

    category: int
    cells: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class Assessment:
    """`resampled`: documents or pairs, what the intervals rest on. `repeated`: see `count_ratings`.

    positions: None where nobody knows where the items stood, as in a file that does not say it.
    """

    ratings: int
    agreement: AgreementReport
    resampled: str
    repeated: int
    positions: PositionEffects | None

    @property
    def categories(self) -> tuple[int, ...]:
        return CATEGORIES

    @property
    def table(self) -> list[TableRow]:
        """Two ratings of one pair in both orders, shaded by their number."""
        most = float(self.agreement.table.max()) or 1.0
        return [
            TableRow(category, tuple((float(n), 5 + round(5 * float(n) / most)) for n in row))
            for category, row in zip(CATEGORIES, self.agreement.table, strict=True)
        ]


def assess_batch(batch: Batch) -> Assessment:
    """Of the ratings as they are; the batch's seed draws the resamples, so the same ratings say the same."""
    return _assess(list(rating_rows(batch)), batch.seed)


def _assess(rows: Sequence[dict[str, Any]], seed: int) -> Assessment:
    counted = count_ratings(map(rating_of_row, rows))
    return Assessment(
        ratings=len(rows),
        agreement=measure_so_far(counted, seed),
        resampled="documents" if _by_document(counted) else "pairs",
        repeated=counted.repeated,
        positions=_measure_positions(rows, seed),
    )


def _measure_positions(rows: Sequence[dict[str, Any]], seed: int) -> PositionEffects | None:
    rows = [row for row in rows if not row["copied_from"]]
    if any(row["position"] is None or row["flipped"] is None for row in rows):
        return None
    return measure_position_effects(map(_as_placed, rows), rng=np.random.default_rng(seed))


def measure_so_far(counted: RatingCounts, seed: int) -> AgreementReport:
    """Agreement on what is rated; intervals over documents, or over pairs while there are few documents."""
    clusters = counted.documents if _by_document(counted) else None
    return measure_agreement(counted.counts, rng=np.random.default_rng(seed), clusters=clusters)


def _by_document(counted: RatingCounts) -> bool:
    return len(set(counted.documents)) >= LEAST_DOCUMENTS


def _as_placed(row: dict[str, Any]) -> PlacedRating:
    page = (row["questionnaire"], row["rater"])
    return PlacedRating(page, row["system"], row["position"], row["flipped"], row["rating"], row["rater"])
