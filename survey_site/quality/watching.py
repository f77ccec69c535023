"""What the monitor says of quality while a batch runs: agreement so far and how many raters are flagged.

Both read every rating, so they are computed for a page only when it asks, and then kept: for a minute, and
for longer where they took long, so that a monitor that is left open never keeps a process busy.
"""

import time
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache

from meta_eval.ratings.rows import rating_of_row
from meta_eval.stats.raters.agreement import Agreement, count_ratings
from meta_eval.stats.raters.agreement_sums import ALPHA
from survey_site.batches.models import Batch
from survey_site.quality.assessment import measure_so_far
from survey_site.quality.checks import check_raters, count_flagged
from survey_site.survey.rating_rows import rating_rows

KEPT_SECONDS = 60
LARGEST_SHARE = 0.05
"""Of the time that a process may spend on these numbers."""


@dataclass(frozen=True)
class QualitySoFar:
    """`agreement`: Krippendorff's alpha, ordinal. `flagged` of `checked` raters await a decision."""

    at: datetime
    agreement: Agreement
    units: int
    flagged: int
    checked: int


def quality_so_far(batch: Batch, *, now: datetime, compute: bool) -> QualitySoFar | None:
    """As computed within the last minute or, where `compute` asks for it, now; else None."""
    key = f"quality/so-far/{batch.pk}"
    found: QualitySoFar | None = cache.get(key)
    if found is None and compute:
        start = time.monotonic()
        found = _measure(batch, now)
        took = time.monotonic() - start
        cache.set(key, found, max(KEPT_SECONDS, took / LARGEST_SHARE))
    return found


def _measure(batch: Batch, now: datetime) -> QualitySoFar:
    agreement = measure_so_far(count_ratings(map(rating_of_row, rating_rows(batch))), batch.seed)
    checked = check_raters(batch)
    alpha = next(one for one in agreement.agreements if one.coefficient == ALPHA)
    return QualitySoFar(now, alpha, agreement.units, count_flagged(checked), len(checked))
