"""How taking part ends for panel members: which code they take back, once there is nothing left to store."""

from dataclasses import dataclass
from typing import cast

from meta_eval.design.plan import ControlKind
from meta_eval.ratings.checks import fails_control
from meta_eval.ratings.rating import Scale
from survey_site.survey.models import Entry, Participation, Rater
from survey_site.survey.people.participation import read_participation
from survey_site.survey.queries import RaterProgress, is_excluded, submitted_controls


@dataclass(frozen=True)
class Ending:
    """A code and, where the panel has an address for it, the link that carries it."""

    code: str
    address: str = ""


@dataclass(frozen=True)
class CodeToCome:
    """What a panel member is told who has reached no end yet.

    after: when the code for completed comes, as `code_after`. partial: whether one awaits them if they stop
    now; returned: whether they have stopped, or find nothing, without one, and are asked to return their
    submission on the panel.
    """

    after: int | None
    partial: bool
    returned: bool


def panel_ending(
    entry: str,
    participation: Participation,
    progress: RaterProgress | None,
    rater: Rater | None = None,
    *,
    stopped: bool = False,
) -> Ending | None:
    """The end that somebody has reached who came by this link; None before it, and for all but panel members.

    progress, rater: None for a newcomer who comes too late. Completed is the limit per person, or the first
    questionnaire where there is none, or all that were to be had. Who failed the batch's number of controls,
    or was excluded before completing, gets another code where the batch has one for it, and so does who has
    stopped after some of the questionnaires.
    """
    if entry != Entry.PANEL or (progress and progress.open):
        return None
    if progress is None or not (progress.done or progress.available):
        return _ending(participation, participation.no_place_code)
    if progress.done >= _needed(participation) or not progress.available:
        failed = rater is not None and _has_failed(participation, progress, rater)
        return _ending(participation, participation.failed_code if failed else participation.completed_code)
    return _ending(participation, participation.partial_code) if stopped and progress.done else None


def code_to_come(
    entry: str, participation: Participation, progress: RaterProgress, *, stopped: bool = False
) -> CodeToCome | None:
    """None for who has completed, or could complete no more, and for all but panel members."""
    needed, goes_on = _needed(participation), bool(progress.open or progress.available)
    if entry != Entry.PANEL or progress.done >= needed or (progress.done and not goes_on):
        return None
    return CodeToCome(
        after=code_after(entry, participation),
        partial=bool(progress.done and participation.partial_code),
        returned=not progress.open and (stopped or not goes_on),
    )


def code_after(entry: str, participation: Participation) -> int | None:
    """After how many questionnaires a panel member is given the code for completed; None where none is."""
    return _needed(participation) if entry == Entry.PANEL and participation.completed_code else None


def has_left_the_panel_waiting(rater: Rater) -> bool:
    """Whether somebody who withdrew had no code for completed to take back to the panel before."""
    done = rater.assignments.exclude(submitted_at=None).count()
    return rater.entry == Entry.PANEL and done < _needed(read_participation(rater.batch))


def _needed(participation: Participation) -> int:
    return participation.limit or 1


def _has_failed(participation: Participation, progress: RaterProgress, rater: Rater) -> bool:
    """Where the batch has a code for it: by the controls, or because an exclusion cut their work short."""
    least = participation.failed_controls
    if least is None:
        return False
    is_cut_short = progress.done < _needed(participation) and is_excluded(rater)
    return is_cut_short or count_failed(rater) >= least


def count_failed(rater: Rater) -> int:
    """How many controls this person rated as no careful one does, by the answers that they submitted."""
    scale = cast(Scale, rater.batch.scale)
    rated = submitted_controls(rater)
    return sum(fails_control(cast(ControlKind, kind), value, scale) for kind, value in rated)


def _ending(participation: Participation, code: str) -> Ending | None:
    return Ending(code, participation.return_address.replace("{code}", code)) if code else None
