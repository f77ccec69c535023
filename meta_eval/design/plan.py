"""Survey plans (protocol 6): the document, reader pair and systems of each questionnaire, from a seed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil
from random import Random
from typing import Literal

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError

ReaderPair = tuple[str, str]

ControlKind = Literal["identical", "unrelated"]
IDENTICAL: ControlKind = "identical"
UNRELATED: ControlKind = "unrelated"
CONTROLS = (IDENTICAL, UNRELATED)


@dataclass(frozen=True, slots=True)
class PlannableDocument:
    """What planning needs to know of a document: who wrote a reference, and for whom each system wrote."""

    id: str
    readers: tuple[str, ...]
    readers_by_system: Mapping[str, Collection[str]]

    def reader_pairs(self, systems: Iterable[str]) -> list[ReaderPair]:
        """The reader pairs for which the gold pair and every system's pair exist."""
        complete = set(self.readers)
        for system in systems:
            complete &= set(self.readers_by_system.get(system, ()))
        return list(combinations(sorted(complete), 2))


@dataclass(frozen=True, slots=True)
class TextSource:
    """One text of a corpus: what `author`, a system or `GOLD`, wrote about a document for a reader."""

    document: str
    author: str
    reader: str


@dataclass(frozen=True, slots=True)
class PlannedControl:
    """A pair that checks raters and enters no score: one text twice, or texts of two documents."""

    kind: ControlKind
    texts: tuple[TextSource, TextSource]


@dataclass(frozen=True, slots=True)
class PlannedQuestionnaire:
    """One document, one reader pair and some systems; the gold pair is always among its items besides.

    `controls`, at most one of each kind, are what `meta_eval.design.controls` added.
    """

    document: str
    reader_a: str
    reader_b: str
    systems: tuple[str, ...]
    controls: tuple[PlannedControl, ...] = ()

    @property
    def items(self) -> int:
        return len(self.systems) + 1 + len(self.controls)


@dataclass(frozen=True, slots=True)
class SurveyPlan:
    """A reproducible survey: the same arguments give the same questionnaires in the same order."""

    questionnaires: tuple[PlannedQuestionnaire, ...]
    raters: int
    seed: int
    notes: tuple[str, ...] = field(default=())

    @property
    def items(self) -> int:
        """Items (text pairs) over all questionnaires, controls included."""
        return sum(questionnaire.items for questionnaire in self.questionnaires)

    @property
    def ratings(self) -> int:
        """Ratings once every questionnaire has its full number of raters."""
        return self.items * self.raters


@dataclass(frozen=True, slots=True)
class ItemPlacement:
    """Where one rater meets an item: `position` from 0; `flipped` when the second text stands first."""

    item: int
    position: int
    flipped: bool


def plannable_documents(corpus: Corpus) -> list[PlannableDocument]:
    """The corpus as `plan_survey` wants it.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    list of PlannableDocument
        Who read each document and for whom each system wrote; no texts.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> corpus = Corpus((Document("d", "", "", {"ann": "rain", "bob": "wind"}, {"A": {"ann": "sun"}}),))
    >>> plannable_documents(corpus)[0].readers
    ('ann', 'bob')
    """
    return [
        PlannableDocument(
            document.id,
            tuple(document.references),
            {system: frozenset(texts) for system, texts in document.summaries.items()},
        )
        for document in corpus.documents
    ]


def plan_survey(
    available: Sequence[PlannableDocument],
    *,
    systems: Sequence[str],
    documents: int | Sequence[str] | None = None,
    reader_pairs: int = 1,
    systems_per_questionnaire: int = 5,
    raters: int = 2,
    seed: int = 0,
) -> SurveyPlan:
    """Plan a survey: the document, reader pair and systems of each questionnaire.

    Each document is surveyed for `reader_pairs` reader pairs, drawn from those for which every system wrote
    for both readers. The systems of a (document, reader pair) are dealt over as few questionnaires as hold
    them, in parts as even as can be: each system is rated equally often, the gold pair once in every
    questionnaire. What is drawn for a document depends on the seed and its id alone, not on the other
    documents.

    Parameters
    ----------
    available : sequence of PlannableDocument
        From `plannable_documents`.
    systems : sequence of str
    documents : int, or sequence of str, optional
        How many to draw, or the ids to use; default: all that can be used.
    reader_pairs, systems_per_questionnaire, raters : int
        PerSEval is 1, 5 and 2; iCOPERNICUS is 3, 9 and 1.
    seed : int

    Returns
    -------
    SurveyPlan

    Raises
    ------
    InputError
        When there is nothing to plan or a document cannot be used, saying why.

    References
    ----------
    PerSEval, section 7.1 and appendix D; iCOPERNICUS, appendix E.2; protocol 6.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> references = {"ann": "rain", "bob": "wind"}
    >>> systems = {name: references for name in ("A", "B", "C")}
    >>> corpus = Corpus((Document("d", "", "", references, systems),))
    >>> plan = plan_survey(plannable_documents(corpus), systems="ABC", systems_per_questionnaire=2)
    >>> sorted(len(questionnaire.systems) for questionnaire in plan.questionnaires), plan.ratings
    ([1, 2], 10)
    """
    _check_numbers(systems, reader_pairs, systems_per_questionnaire, raters)
    pairs_by_document = {document.id: document.reader_pairs(systems) for document in available}
    usable = sorted(name for name, pairs in pairs_by_document.items() if len(pairs) >= reader_pairs)
    chosen = _choose_documents(documents, usable, pairs_by_document, reader_pairs, seed)
    questionnaires = [
        planned
        for name in chosen
        for planned in _plan_document(
            name,
            pairs=pairs_by_document[name],
            systems=systems,
            reader_pairs=reader_pairs,
            per_questionnaire=systems_per_questionnaire,
            seed=seed,
        )
    ]
    Random(f"{seed}/order").shuffle(questionnaires)
    return SurveyPlan(
        tuple(questionnaires), raters, seed, tuple(_notes(len(available), usable, reader_pairs))
    )


def shuffle_items(*, seed: int | str, items: int) -> tuple[ItemPlacement, ...]:
    """The order and the left/right orientation in which one rater meets items.

    Parameters
    ----------
    seed : int or str
    items : int
        How many.

    Returns
    -------
    tuple of ItemPlacement
        By position on the page.

    Examples
    --------
    >>> sorted(placement.item for placement in shuffle_items(seed=1, items=3))
    [0, 1, 2]
    """
    random = Random(f"{seed}/items")
    order = random.sample(range(items), items)
    return tuple(ItemPlacement(item, position, random.random() < 0.5) for position, item in enumerate(order))


def _check_numbers(systems: Sequence[str], reader_pairs: int, per_questionnaire: int, raters: int) -> None:
    if not systems:
        raise InputError("a survey needs at least one system")
    if len(set(systems)) < len(systems):
        raise InputError("a system is named twice in the survey")
    for name, number in (
        ("reader pairs per document", reader_pairs),
        ("systems per questionnaire", per_questionnaire),
        ("raters per questionnaire", raters),
    ):
        if number < 1:
            raise InputError(f"{name} must be at least 1, not {number}")


def _choose_documents(
    wanted: int | Sequence[str] | None,
    usable: Sequence[str],
    pairs_by_document: Mapping[str, Sequence[ReaderPair]],
    reader_pairs: int,
    seed: int,
) -> list[str]:
    if isinstance(wanted, int):
        if not 1 <= wanted <= len(usable):
            raise InputError(
                f"{wanted} documents are wanted; {len(usable)} of {len(pairs_by_document)} have at least "
                f"{reader_pairs} reader pair(s) for which every system wrote"
            )
        return sorted(Random(f"{seed}/documents").sample(list(usable), wanted))
    if wanted is None:
        if not usable:
            raise InputError(f"no document has {reader_pairs} reader pair(s) for which every system wrote")
        return list(usable)
    return _check_named(wanted, pairs_by_document, reader_pairs)


def _check_named(
    wanted: Sequence[str], pairs_by_document: Mapping[str, Sequence[ReaderPair]], reader_pairs: int
) -> list[str]:
    names = sorted(set(wanted))
    if not names:
        raise InputError("no document is named")
    unknown = [name for name in names if name not in pairs_by_document]
    if unknown:
        raise InputError(f"the corpus has no document {', '.join(unknown)}")
    short = [name for name in names if len(pairs_by_document[name]) < reader_pairs]
    if short:
        raise InputError(
            f"fewer than {reader_pairs} reader pair(s) for which every system wrote in: {', '.join(short)}"
        )
    return names


def _plan_document(
    name: str,
    *,
    pairs: Sequence[ReaderPair],
    systems: Sequence[str],
    reader_pairs: int,
    per_questionnaire: int,
    seed: int,
) -> list[PlannedQuestionnaire]:
    random = Random(f"{seed}/document/{name}")
    drawn = sorted(random.sample(list(pairs), reader_pairs))
    return [
        PlannedQuestionnaire(name, *pair, part)
        for pair in drawn
        for part in _deal(random.sample(list(systems), len(systems)), per_questionnaire)
    ]


def _deal(systems: Sequence[str], per_questionnaire: int) -> list[tuple[str, ...]]:
    """As few parts as hold the systems, their sizes differing by at most one."""
    parts = ceil(len(systems) / per_questionnaire)
    return [tuple(systems[part::parts]) for part in range(parts)]


def _notes(available: int, usable: Sequence[str], reader_pairs: int) -> list[str]:
    left_out = available - len(usable)
    if not left_out:
        return []
    return [
        f"{left_out} of {available} documents cannot be surveyed: "
        f"fewer than {reader_pairs} reader pair(s) for which every system wrote"
    ]
