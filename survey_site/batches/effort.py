"""What a plan asks of raters, before it is launched."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil, comb

from django.db.models import Count, F

from meta_eval.design.controls import count_controls
from survey_site.corpus.models import Corpus, Summary, System

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
    limit: questionnaires that one person may do, None for as many as there are.
    """

    questionnaires: int
    items: int
    raters: int
    minutes_each: float
    controls: int = 0
    limit: int | None = None

    @property
    def people(self) -> int:
        """The fewest people who can complete it all."""
        return max(self.raters, ceil(self.completions / self.limit) if self.limit else 1)

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
    def pairs_each(self) -> int:
        """Pairs of a questionnaire, as raters are told: of the fullest one, where they differ by one."""
        return ceil(self.items / self.questionnaires)

    @property
    def total_minutes(self) -> int:
        return ceil(self.completions * self.minutes_each)

    @property
    def hours(self) -> float:
        return self.completions * self.minutes_each / 60


def reading_load(corpus: Corpus, *, document_shown: bool) -> ReadingLoad:
    """What raters read; nothing of a document that they are not shown."""
    document = corpus.document_characters if document_shown else 0
    return ReadingLoad(document / CHARACTERS_PER_WORD, corpus.reference_characters / CHARACTERS_PER_WORD)


def count_parts(systems: int, each: int) -> int:
    """Questionnaires that one document and reader pair takes, `each` of the systems in one."""
    return ceil(systems / each)


def pairs_among(readers: int) -> int:
    """All pairs among so many readers of a document."""
    return comb(readers, 2)


def suitable_documents(corpus: Corpus, systems: Collection[System], reader_pairs: int) -> set[str]:
    """Keys of the documents that a plan of these settings may draw, as the library's plan chooses them:
    those with so many pairs of readers for whom each of the systems wrote.
    """
    complete = (
        Summary.objects.filter(document__corpus=corpus, system__in=systems)
        .filter(reader__references__document=F("document"))
        .values("document__key", "reader")
        .annotate(written=Count("pk"))
        .filter(written=len(systems))
        .order_by()
    )
    readers = Counter(complete.values_list("document__key", flat=True))
    return {key for key, count in readers.items() if pairs_among(count) >= reader_pairs}


def estimate_effort(
    load: ReadingLoad,
    *,
    documents: int,
    systems: int,
    reader_pairs: int,
    systems_per_questionnaire: int,
    raters: int,
    control_shares: Iterable[int] = (),
    limit: int | None = None,
) -> Effort:
    """Effort of a plan that deals `systems` evenly over questionnaires, gold in each (protocol 6).

    control_shares: for each kind of control the per cent of questionnaires that carry one; limit:
    questionnaires that one person may do.
    """
    parts = count_parts(systems, systems_per_questionnaire)
    questionnaires = documents * reader_pairs * parts
    controls = sum(count_controls(questionnaires, share) for share in control_shares)
    items = documents * reader_pairs * (systems + parts) + controls
    return Effort(questionnaires, items, raters, _minutes(load, items / questionnaires), controls, limit)


def _minutes(load: ReadingLoad, items: float) -> float:
    words = load.document + 2 * items * load.text
    return words / WORDS_PER_MINUTE + items * SECONDS_PER_PAIR / 60
