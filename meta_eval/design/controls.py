"""Control items: pairs whose rating is known beforehand, put among the others of a plan to check raters.

An *identical* pair is one text twice; systems that write one summary for both readers make such pairs by
themselves, so it looks like any other. An *unrelated* pair is a text on the questionnaire's document beside
one by the same author on another document. Controls enter no score; `meta_eval.ratings.checks` judges them.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from meta_eval.corpus.documents import GOLD
from meta_eval.design.plan import (
    CONTROLS,
    IDENTICAL,
    ControlKind,
    PlannedControl,
    PlannedQuestionnaire,
    SurveyPlan,
    TextSource,
)
from meta_eval.errors import InputError

Texts = Mapping[TextSource, str]

LOOKED_AT = 20
"""Documents drawn for an unrelated pair; of their texts the one that shares the fewest words is taken, since
two reports of one event are not unrelated."""


def count_controls(questionnaires: int, share: int) -> int:
    """How many of the questionnaires carry a control.

    Parameters
    ----------
    questionnaires : int
    share : int
        Per cent of them, from 0 to 100; halves round up.

    Returns
    -------
    int

    Raises
    ------
    InputError
        For a share outside its range.

    Examples
    --------
    >>> count_controls(5, 50)
    3
    """
    if not 0 <= share <= 100:
        raise InputError(f"the share of questionnaires with a control lies from 0 to 100 %, not at {share}")
    return (questionnaires * share + 50) // 100


def add_controls(
    plan: SurveyPlan,
    texts: Texts,
    shares: Mapping[ControlKind, int],
    *,
    languages: Mapping[str, str] | None = None,
) -> SurveyPlan:
    """The plan with a control of each kind in a share of its questionnaires.

    A text that raters meet nowhere else in the survey is taken where there is one, then one from outside the
    page, and no author is preferred, so that a control says nothing about the pairs beside it. The same
    arguments give the same controls.

    Parameters
    ----------
    plan : SurveyPlan
    texts : mapping
        What the planned documents' readers and the planned systems wrote. Blank ones are never shown.
    shares : mapping of ControlKind to int
        Per cent of the questionnaires.
    languages : mapping of str to str, optional
        Of the documents, where known; both texts of a pair are in one language.

    Returns
    -------
    SurveyPlan

    Raises
    ------
    InputError
        Where a document has no text to show, or an unrelated pair would need a second document in its
        language.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.design.plan import TextSource, plan_survey, plannable_documents
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> corpus = Corpus((Document("d", "", "Rain and sun.", own, {"A": own, "B": own}),))
    >>> plan = plan_survey(plannable_documents(corpus), systems="AB", systems_per_questionnaire=2)
    >>> texts = {TextSource("d", who, name): own[name] for who in ("user", "A", "B") for name in own}
    >>> [one.kind for one in add_controls(plan, texts, {IDENTICAL: 100}).questionnaires[0].controls]
    ['identical']
    """
    desk = _Desk(plan, texts, languages or {})
    chosen = {kind: _choose(plan, kind, shares.get(kind, 0)) for kind in CONTROLS}
    questionnaires = tuple(
        replace(planned, controls=desk.make(planned, [kind for kind in CONTROLS if number in chosen[kind]]))
        for number, planned in enumerate(plan.questionnaires)
    )
    return replace(plan, questionnaires=questionnaires)


def _choose(plan: SurveyPlan, kind: ControlKind, share: int) -> set[int]:
    total = len(plan.questionnaires)
    return set(_seeded(plan.seed, kind).sample(range(total), count_controls(total, share)))


def _seeded(*parts: object) -> Random:
    return Random(f"controls/{'/'.join(map(str, parts))}")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A text that can be shown."""

    source: TextSource
    text: str


class _Desk:
    """The texts of a plan by document, and which of them raters meet anyway."""

    def __init__(self, plan: SurveyPlan, texts: Texts, languages: Mapping[str, str]) -> None:
        self._seed = plan.seed
        self._texts = texts
        self._languages = languages
        self._by_document: dict[str, list[_Candidate]] = defaultdict(list)
        for source in sorted(texts, key=lambda source: (source.document, source.author, source.reader)):
            if texts[source].strip():
                self._by_document[source.document].append(_Candidate(source, texts[source]))
        self._met = {text for planned in plan.questionnaires for text in self._shown(planned)}

    def make(self, planned: PlannedQuestionnaire, kinds: Iterable[ControlKind]) -> tuple[PlannedControl, ...]:
        """Controls of these kinds, no two with one first text if that can be."""
        page_key = f"{planned.document}/{planned.reader_a}/{planned.reader_b}/{','.join(planned.systems)}"
        page, controls = self._shown(planned), []
        for kind in kinds:
            random = _seeded(self._seed, kind, page_key)
            first = self._draw_first(planned.document, page, random)
            second = first if kind == IDENTICAL else self._draw_unrelated(first, random)
            page |= {first.text, second.text}
            controls.append(PlannedControl(kind, (first.source, second.source)))
        return tuple(controls)

    def _shown(self, planned: PlannedQuestionnaire) -> set[str]:
        """The texts on a page without its controls."""
        sources = (
            TextSource(planned.document, author, reader)
            for author in (GOLD, *planned.systems)
            for reader in (planned.reader_a, planned.reader_b)
        )
        return {self._texts[source] for source in sources if source in self._texts}

    def _draw_first(self, document: str, page: set[str], random: Random) -> _Candidate:
        candidates = self._by_document.get(document)
        if not candidates:
            raise InputError(f"document {document} has no text to make a control pair of")
        wishes = (
            lambda candidate: candidate.text not in page | self._met,
            lambda candidate: candidate.text not in page,
        )
        return random.choice(_prefer(candidates, *wishes))

    def _draw_unrelated(self, first: _Candidate, random: Random) -> _Candidate:
        here = first.source.document
        others = [
            document
            for document in self._by_document
            if document != here and self._languages.get(document) == self._languages.get(here)
        ]
        if not others:
            raise InputError(f"an unrelated pair needs a second document in the language of {here}")
        drawn = random.sample(others, min(LOOKED_AT, len(others)))
        candidates = [self._draw_like(first, document, random) for document in drawn]
        same = _prefer(candidates, lambda one: _script(one.text) == _script(first.text))
        return min(same, key=lambda one: _overlap(one.text, first.text))

    def _draw_like(self, first: _Candidate, document: str, random: Random) -> _Candidate:
        """A text on this document by the author of the first one, if there is one."""
        by_author = _prefer(
            self._by_document[document], lambda candidate: candidate.source.author == first.source.author
        )
        return random.choice(_prefer(by_author, lambda candidate: candidate.text not in self._met))


def _prefer(candidates: Sequence[_Candidate], *wishes: Callable[[_Candidate], bool]) -> Sequence[_Candidate]:
    """Those that fulfil the first wish that anything fulfils; all where none does."""
    for wish in wishes:
        if fulfilling := [candidate for candidate in candidates if wish(candidate)]:
            return fulfilling
    return candidates


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _overlap(text_a: str, text_b: str) -> float:
    """Shared words as a share of the shorter text's, 0 to 1."""
    words_a, words_b = _words(text_a), _words(text_b)
    return len(words_a & words_b) / max(1, min(len(words_a), len(words_b)))


def _script(text: str) -> str:
    """The writing most letters belong to, such as LATIN, for corpora that do not name their languages."""
    letters = Counter(unicodedata.name(letter, "").split(" ")[0] for letter in text if letter.isalpha())
    return letters.most_common(1)[0][0] if letters else ""
