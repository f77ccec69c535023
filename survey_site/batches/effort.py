"""What a plan asks of raters, before it is launched."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from django.db.models import Avg
from django.db.models.functions import Length

from meta_eval.controls import count_controls
from survey_site.corpus.models import Corpus, Document, Reference

WORDS_PER_MINUTE = 200
SECONDS_PER_PAIR = 10
CHARACTERS_PER_WORD = 6


@dataclass(frozen=True)
class ReadingLoad:
    """Mean words of a document and of one text of a pair, estimated from their lengths in characters."""

    document: float
    text: float


@dataclass(frozen=True)
class Effort:
    """Counts over the whole batch; minutes assume the reading speed and the seconds a pair above.

    controls: those of the items that check raters; they cost time like all others and enter no score.
    """

    questionnaires: int
    items: int
    raters: int
    minutes_each: float
    controls: int = 0

    @property
    def completions(self) -> int:
        """How many times some rater completes some questionnaire."""
        return self.questionnaires * self.raters

    @property
    def ratings(self) -> int:
        return self.items * self.raters

    @property
    def minutes_rounded(self) -> int:
        """Minutes a questionnaire, as raters are told: whole ones, at least 1."""
        return max(1, ceil(self.minutes_each))

    @property
    def total_minutes(self) -> int:
        return ceil(self.completions * self.minutes_each)

    @property
    def hours(self) -> float:
        return self.completions * self.minutes_each / 60


def reading_load(corpus: Corpus) -> ReadingLoad:
    document = Document.objects.filter(corpus=corpus).aggregate(
        characters=Avg(Length("title") + Length("body"))
    )["characters"]
    text = Reference.objects.filter(document__corpus=corpus).aggregate(characters=Avg(Length("text")))[
        "characters"
    ]
    return ReadingLoad((document or 0) / CHARACTERS_PER_WORD, (text or 0) / CHARACTERS_PER_WORD)


def estimate_effort(
    load: ReadingLoad,
    *,
    documents: int,
    systems: int,
    reader_pairs: int,
    systems_per_questionnaire: int,
    raters: int,
    control_shares: Iterable[int] = (),
) -> Effort:
    """Effort of a plan that deals `systems` evenly over questionnaires, gold in each (protocol 6).

    control_shares: for each kind of control the per cent of questionnaires that carry one.
    """
    parts = ceil(systems / systems_per_questionnaire)
    questionnaires = documents * reader_pairs * parts
    controls = sum(count_controls(questionnaires, share) for share in control_shares)
    items = documents * reader_pairs * (systems + parts) + controls
    return Effort(questionnaires, items, raters, _minutes(load, items / questionnaires), controls)


def _minutes(load: ReadingLoad, items: float) -> float:
    words = load.document + 2 * items * load.text
    return words / WORDS_PER_MINUTE + items * SECONDS_PER_PAIR / 60
