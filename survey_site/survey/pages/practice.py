"""Worked examples for the instructions, and pairs to practise on; nothing of a practice is stored.

The texts here are ours and come in every language. An admin may write others (`examples`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext, override, pgettext
from django.utils.translation import gettext_noop as _

from survey_site.batches.states import Scale
from survey_site.common.languages import text_attributes
from survey_site.survey.models import PairUse
from survey_site.survey.pages.questionnaire import PairView, QuestionnaireView
from survey_site.survey.rating.validators import HIGHEST, LOWEST


@dataclass(frozen=True)
class Example:
    """Two texts and how similar we find them, `low` to `high` of 1 to 6, and why."""

    left: str
    right: str
    low: int
    high: int
    why: str

    def expected(self, scale: str) -> tuple[int, ...]:
        """The points that fit on a scale of this direction."""
        points = range(self.low, self.high + 1)
        flipped = (LOWEST + HIGHEST - point for point in points)
        return tuple(sorted(points if scale == Scale.SIMILARITY else flipped))


@dataclass(frozen=True)
class ExampleSet:
    """The examples of one use, all in one language."""

    language: str
    pairs: tuple[Example, ...]


@dataclass(frozen=True)
class WorkedExample:
    left: str
    right: str
    points: tuple[int, ...]
    why: str
    language: str

    @property
    def attributes(self) -> str:
        """`lang` and `dir` for the elements that hold its texts."""
        return text_attributes(self.language)

    @property
    def rating(self) -> str:
        return spoken_points(self.points)


@dataclass(frozen=True)
class Feedback:
    """What is said of one practice answer. value: None where none was given."""

    pair: PairView
    points: tuple[int, ...]
    why: str
    value: int | None = None

    @property
    def fits(self) -> bool:
        return self.value in self.points

    @property
    def off(self) -> int:
        """Points between the answer and the nearest that fits, never below 0; 0 where none was given."""
        return 0 if self.value is None else min(abs(self.value - point) for point in self.points)

    @property
    def is_higher(self) -> bool:
        """Whether the answer lies above all that fit."""
        return self.value is not None and self.value > max(self.points)

    @property
    def rating(self) -> str:
        return spoken_points(self.points)


@dataclass(frozen=True)
class PracticeFeedback:
    """What is said of each answer, in page order."""

    answers: tuple[Feedback, ...]

    @property
    def fitting(self) -> int:
        """How many answers are as we would rate."""
        return sum(one.fits for one in self.answers)

    @property
    def is_empty(self) -> bool:
        """Whether no pair was rated."""
        return all(one.value is None for one in self.answers)


EXAMPLES = (
    Example(
        _("Town library opens on Sundays"),
        _("From now on, the library in town can be visited on Sundays too"),
        6,
        6,
        _("Other words and another length, but a reader learns the same from both."),
    ),
    Example(
        _("Town library opens on Sundays"),
        _("Town library gets new roof"),
        2,
        3,
        _("Both are about the library, but they tell different things about it."),
    ),
    Example(
        _("Town library opens on Sundays"),
        _("Rain stops the final of the chess club"),
        1,
        1,
        _("They have nothing in common."),
    ),
)
PRACTICE = (
    Example(
        _("Ferry to the island is cancelled until Friday because of storms"),
        _("Storms keep the island ferry in port until Friday"),
        5,
        6,
        _("Both say that no ferry goes until Friday, and why. Only the wording differs."),
    ),
    Example(
        _("Ferry to the island is cancelled until Friday because of storms"),
        _("Fishermen wait in the harbour for the end of the storms"),
        2,
        3,
        _("The same weather, but another event: only one of them tells about the ferry."),
    ),
    Example(
        _("Bakers teach children how to make bread"),
        _("New timetable for the night buses"),
        1,
        1,
        _("They share neither topic nor event."),
    ),
)


BUILT_IN = {PairUse.EXAMPLE: EXAMPLES, PairUse.PRACTICE: PRACTICE}


def spoken_points(points: tuple[int, ...]) -> str:
    """The points as a rater reads them: 5 or 6."""
    return pgettext("between two points of the scale", " or ").join(map(str, points))


def built_in_examples(use: str, language: str) -> ExampleSet:
    """Our own examples in one of the site's languages."""
    with override(language):
        pairs = tuple(
            replace(one, left=gettext(one.left), right=gettext(one.right), why=gettext(one.why))
            for one in BUILT_IN[PairUse(use)]
        )
    return ExampleSet(language, pairs)


def worked_examples(scale: str, examples: ExampleSet) -> list[WorkedExample]:
    """The examples of the instructions, rated on a scale of this direction."""
    return [
        WorkedExample(one.left, one.right, one.expected(scale), one.why, examples.language)
        for one in examples.pairs
    ]


def practice_pairs(examples: ExampleSet, answers: Mapping[str, object] | None = None) -> QuestionnaireView:
    """The practice page, with the answers given so far; what is no point of the scale counts as none."""
    given = {str(code): str(value) for code, value in (answers or {}).items()}
    valid = {str(point): point for point in range(LOWEST, HIGHEST + 1)}
    pairs = (
        PairView(code := f"practice-{number}", number, one.left, one.right, valid.get(given.get(code, "")))
        for number, one in enumerate(examples.pairs, 1)
    )
    return QuestionnaireView("", "", tuple(pairs), examples.language)


def practice_feedback(page: QuestionnaireView, examples: ExampleSet, scale: str) -> PracticeFeedback:
    """How the answers of a practice page compare with ours."""
    pairs = zip(page.pairs, examples.pairs, strict=True)
    return PracticeFeedback(
        tuple(Feedback(pair, example.expected(scale), example.why, pair.value) for pair, example in pairs)
    )
