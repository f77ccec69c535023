"""What one rater did, page by page, judged beside all others."""

from meta_eval.ratings.checks import GoldSeparation
from survey_site.batches.models import Batch
from survey_site.common.errors import NotFoundError
from survey_site.quality.checks import CheckedRater, check_pages, judge_rater
from survey_site.quality.kept import Known


def look_at_rater(batch: Batch, code: str, known: Known) -> CheckedRater:
    """The rater of this code. Raises NotFoundError for one of whom no submitted page says something.

    known: what was found out of all; what needs others beside the rater is taken from it.
    """
    pages = check_pages(batch, rater=code).get(code)
    if not pages:
        raise NotFoundError(
            "No rater of that name has submitted a questionnaire that says something of them."
        )
    own = next((one for one in known.raters if one.code == code), None)
    return judge_rater(
        batch,
        pages,
        own.gold if own else GoldSeparation(0),
        contrary=own is not None and own.contrary,
        marks_much=own is not None and own.marks_much,
    )
