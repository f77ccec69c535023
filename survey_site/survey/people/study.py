"""Who runs a study and what holds in it: facts of *Taking part* that people read before they agree.

Ethics boards ask for all of them, so whoever launches a batch is told which are missing.
"""

from dataclasses import dataclass

from django.utils.translation import gettext, gettext_noop

from survey_site.batches.models import Batch
from survey_site.common.languages import Text
from survey_site.survey.models import Participation

FACTS = {
    "researchers": gettext_noop("Who runs this study"),
    "contact": gettext_noop("Contact"),
    "approval": gettext_noop("Approval number"),
    "kept_for": gettext_noop("How long answers are kept"),
}
"""Label by field of `Participation`, in the order of the first page."""


@dataclass(frozen=True)
class Fact:
    """One line of the first page. label: in the page's language; text: in that which staff wrote in."""

    label: str
    text: Text


def study_facts(batch: Batch, participation: Participation) -> list[Fact]:
    """What was said of the study; nothing of what is empty."""
    said = {name: getattr(participation, name) for name in FACTS}
    return [Fact(gettext(FACTS[name]), Text(words, batch.language)) for name, words in said.items() if words]


def missing_facts(participation: Participation) -> list[str]:
    """Labels, in English, of the facts that nobody has filled in; empty where the first page has them all."""
    return [label for name, label in FACTS.items() if not getattr(participation, name).strip()]
