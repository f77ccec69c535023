"""How taking part ends for panel members: which code they take back, once there is nothing left to store."""

from dataclasses import dataclass
from typing import cast

from meta_eval.checks import fails_control
from meta_eval.design import ControlKind
from meta_eval.ratings import Scale
from survey_site.survey.models import Entry, Participation, Rater
from survey_site.survey.queries import RaterProgress, submitted_controls


@dataclass(frozen=True)
class Ending:
    """A code and, where the panel has an address for it, the link that carries it."""

    code: str
    address: str = ""


def panel_ending(
    entry: str, participation: Participation, progress: RaterProgress | None, rater: Rater | None = None
) -> Ending | None:
    """The end that somebody has reached who came by this link; None before it, and for all but panel members.

    progress, rater: None for a newcomer who comes too late. Completed is the limit per person, or the first
    questionnaire where there is none, or all that were to be had. Who failed the batch's number of controls
    gets another code for it.
    """
    if entry != Entry.PANEL or (progress and progress.open):
        return None
    if progress is None or not (progress.done or progress.available):
        return _ending(participation, participation.no_place_code)
    if progress.done >= (participation.limit or 1) or not progress.available:
        failed = rater is not None and _has_failed(participation, rater)
        return _ending(participation, participation.failed_code if failed else participation.completed_code)
    return None


def _has_failed(participation: Participation, rater: Rater) -> bool:
    least = participation.failed_controls
    return least is not None and count_failed(rater) >= least


def count_failed(rater: Rater) -> int:
    """How many controls this person rated as no careful one does, by the answers that they submitted."""
    scale = cast(Scale, rater.batch.scale)
    rated = submitted_controls(rater)
    return sum(fails_control(cast(ControlKind, kind), value, scale) for kind, value in rated)


def _ending(participation: Participation, code: str) -> Ending | None:
    return Ending(code, participation.return_address.replace("{code}", code)) if code else None
