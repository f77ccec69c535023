"""Where somebody is on their way from the link to the first questionnaire."""

from dataclasses import dataclass

from survey_site.survey.models import Participation
from survey_site.survey.people.background import asked_questions


@dataclass(frozen=True)
class SurveyStep:
    """number: from 1, of the `total` pages that come before the first questionnaire."""

    number: int
    total: int


def step_of(page: str, participation: Participation) -> SurveyStep | None:
    """The step that a page ("join", "about" or "practice") is; None where it is the only one, or none."""
    way = ["join"]
    way += ["about"] if asked_questions(participation) else []
    way += ["practice"] if participation.practice else []
    return SurveyStep(way.index(page) + 1, len(way)) if page in way and len(way) > 1 else None
