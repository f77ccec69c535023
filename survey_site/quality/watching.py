"""What the monitor says of quality while a batch runs: agreement so far and how many raters are flagged."""

from dataclasses import dataclass

from meta_eval.stats.raters.agreement import Agreement
from meta_eval.stats.raters.agreement_sums import ALPHA
from survey_site.batches.models import Batch
from survey_site.quality.decided import decide_on, to_decide_on
from survey_site.quality.kept import Known


@dataclass(frozen=True)
class QualitySoFar:
    """`agreement`: Krippendorff's alpha, ordinal. `flagged` of `checked` raters await a decision."""

    agreement: Agreement
    units: int
    flagged: int
    checked: int


def quality_so_far(batch: Batch, known: Known) -> QualitySoFar | None:
    """None where nothing was found out yet."""
    if known.findings is None:
        return None
    agreement = known.findings.assessment.agreement
    alpha = next(one for one in agreement.agreements if one.coefficient == ALPHA)
    raters = decide_on(batch, known.findings)
    return QualitySoFar(alpha, agreement.units, len(to_decide_on(raters)), len(raters))
