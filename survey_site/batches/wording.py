"""What raters read unless an admin writes something else, for each direction of the scale and language.

None of it says that the texts are summaries, who wrote them, or that one pair is a reference (protocol 6).
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache

from django.conf import settings
from django.utils.translation import gettext, gettext_noop, override

from survey_site.batches.states import Scale


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The words of a questionnaire; `label_2` to `label_5` those of the points between the ends."""

    question: str
    low_label: str
    label_2: str = ""
    label_3: str = ""
    label_4: str = ""
    label_5: str = ""
    high_label: str
    instructions: str


PARTS = tuple(part.name for part in fields(Wording))
MIDDLE_LABELS = ("label_2", "label_3", "label_4", "label_5")
LABELS = ("low_label", *MIDDLE_LABELS, "high_label")
"""The parts that stand at the points, from 1 to 6."""

INSTRUCTIONS = gettext_noop(
    "Where an article is shown, read it first, so that you know what the texts are about. "
    "Then compare the two texts of each pair.\n\n"
    "Judge what the texts say: do they tell a reader the same thing, with the same emphasis? "
    "Style, length and small differences in wording matter little.\n\n"
    "Judge each pair for itself and use the whole scale. There are no right or wrong answers."
)
PAIRS_INSTRUCTIONS = gettext_noop(
    "Compare the two texts of each pair.\n\n"
    "Judge what the texts say: do they tell a reader the same thing, with the same emphasis? "
    "Style, length and small differences in wording matter little.\n\n"
    "Judge each pair for itself and use the whole scale. There are no right or wrong answers."
)
"""Where the document is not shown."""
LOW_SIMILARITY = gettext_noop("Low similarity")
"""The papers' word for 1, whose other end is very high: PerSEval and iCOPERNICUS."""
THESIS_LABELS = {
    "low_label": gettext_noop("Very similar"),
    "label_2": gettext_noop("Similar"),
    "label_3": gettext_noop("Somewhat similar"),
    "label_4": gettext_noop("Somewhat dissimilar"),
    "label_5": gettext_noop("Dissimilar"),
    "high_label": gettext_noop("Very dissimilar"),
}
"""All six points of the thesis' form (figure 7.4)."""

WORDING: dict[str, Wording] = {
    Scale.SIMILARITY: Wording(
        question=gettext_noop("How similar are the two texts in what they say?"),
        low_label=gettext_noop("Very low similarity"),
        high_label=gettext_noop("Very high similarity"),
        instructions=INSTRUCTIONS,
    ),
    Scale.DISSIMILARITY: Wording(
        question=gettext_noop("How different are the two texts in what they say?"),
        low_label=THESIS_LABELS["low_label"],
        high_label=THESIS_LABELS["high_label"],
        instructions=INSTRUCTIONS,
    ),
}
_OURS = {
    *(words for wording in WORDING.values() for words in vars(wording).values() if words),
    *(PAIRS_INSTRUCTIONS, LOW_SIMILARITY, *THESIS_LABELS.values()),
}


def default_wording(scale: str, language: str, *, document_shown: bool = True) -> Wording:
    """The wording of a scale of this direction, in one of the site's languages."""
    source = vars(WORDING.get(scale, WORDING[Scale.SIMILARITY]))
    if not document_shown:
        source = source | {"instructions": PAIRS_INSTRUCTIONS}
    with override(language):
        return Wording(**{part: words and gettext(words) for part, words in source.items()})


def default_wordings(scale: str) -> dict[str, Wording]:
    """The wording in every language of the site."""
    return {code: default_wording(scale, code) for code, _ in settings.LANGUAGES}


def is_default_instructions(words: str) -> bool:
    """Whether these are our instructions, with or without the document, in any language of the site."""
    return any(
        _ours_by_words(code).get(words) in {INSTRUCTIONS, PAIRS_INSTRUCTIONS}
        for code, _ in settings.LANGUAGES
    )


def ours_in(words: str, language: str) -> str | None:
    """The same words of ours in `language`, whatever language of the site they are in; None for others'."""
    for code, _ in settings.LANGUAGES:
        if source := _ours_by_words(code).get(words):
            with override(language):
                return gettext(source)
    return None


@cache
def _ours_by_words(language: str) -> Mapping[str, str]:
    with override(language):
        return {gettext(words): words for words in sorted(_OURS)}
