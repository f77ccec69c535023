"""Who still takes part: somebody who has withdrawn is asked nothing more, and nothing of theirs is stored."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from survey_site.common.errors import GoneError
from survey_site.common.locking import locked
from survey_site.common.prepared import Parameter, prepared
from survey_site.survey.models import Rater


def require_taking_part(rater: Rater) -> None:
    """Raise GoneError for somebody who has withdrawn."""
    if rater.withdrawn_at:
        raise GoneError(
            _("You have withdrawn from this survey, and your answers are deleted."),
            action=_("There is nothing more to do. Thank you!"),
        )


def lock_rater(rater_id: int) -> Rater:
    """The rater's row, locked, as long as they take part.

    One person's requests wait for each other: two clicks claim one questionnaire, and nothing that is stored
    slips past a withdrawal at the same moment.
    """
    rater = _locked_raters.get(rater=rater_id)
    require_taking_part(rater)
    return rater


@prepared
def _locked_raters(rater: Parameter) -> QuerySet[Rater]:
    return locked(Rater.objects.select_related("batch__participation").filter(pk=rater).order_by())
