"""What raters read unless an admin writes something else, for each direction of the scale and language.

None of it says that the texts are summaries, who wrote them, or that one pair is a reference (protocol 6).
"""

from dataclasses import dataclass, fields

from django.conf import settings
from django.utils.translation import gettext, gettext_noop, override

from survey_site.batches.states import Scale


@dataclass(frozen=True)
class Wording:
    """The words of a questionnaire."""

    question: str
    low_label: str
    high_label: str
    instructions: str


PARTS = tuple(part.name for part in fields(Wording))

INSTRUCTIONS = gettext_noop(
    "Where an article is shown, read it first, so that you know what the texts are about. "
    "Then compare the two texts of each pair.\n\n"
    "Judge what the texts say: do they tell a reader the same thing, with the same emphasis? "
    "Style, length and small differences in wording matter little.\n\n"
    "Judge each pair for itself and use the whole scale. There are no right or wrong answers."
)

WORDING: dict[str, Wording] = {
    Scale.SIMILARITY: Wording(
        question=gettext_noop("How similar are the two texts in what they say?"),
        low_label=gettext_noop("Very low similarity"),
        high_label=gettext_noop("Very high similarity"),
        instructions=INSTRUCTIONS,
    ),
    Scale.DISSIMILARITY: Wording(
        question=gettext_noop("How different are the two texts in what they say?"),
        low_label=gettext_noop("Very similar"),
        high_label=gettext_noop("Very dissimilar"),
        instructions=INSTRUCTIONS,
    ),
}


def default_wording(scale: str, language: str) -> Wording:
    """The wording of a scale of this direction, in one of the site's languages."""
    source = WORDING.get(scale, WORDING[Scale.SIMILARITY])
    with override(language):
        return Wording(**{part: gettext(getattr(source, part)) for part in PARTS})


def default_wordings(scale: str) -> dict[str, Wording]:
    """The wording in every language of the site."""
    return {code: default_wording(scale, code) for code, _ in settings.LANGUAGES}
