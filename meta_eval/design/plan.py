"""Survey plans (protocol 6): the document, reader pair and systems of each questionnaire, from a seed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil, comb
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

    def complete_readers(self, systems: Iterable[str]) -> list[str]:
        """The readers who wrote a reference and for whom every system wrote."""
        complete = set(self.readers)
        for system in systems:
            complete &= set(self.readers_by_system.get(system, ()))
        return sorted(complete)


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
    readers: int | None = None,
    systems_per_questionnaire: int = 5,
    raters: int = 2,
    parts_together: bool = False,
    seed: int = 0,
) -> SurveyPlan:
    """Plan a survey: the document, reader pair and systems of each questionnaire.

    Each document is surveyed for `reader_pairs` reader pairs, drawn from those for which every system wrote
    for both readers; or, with `readers`, for all pairs among so many readers drawn. The systems of a
    (document, reader pair) are dealt over as few questionnaires as hold them, in parts as even as can be:
    each system is rated equally often, the gold pair once in every questionnaire. What is drawn for a
    document depends on the seed and its id alone, not on the other documents.

    Parameters
    ----------
    available : sequence of PlannableDocument
        From `plannable_documents`.
    systems : sequence of str
    documents : int, or sequence of str, optional
        How many to draw, or the ids to use; default: all that can be used.
    reader_pairs, systems_per_questionnaire, raters : int
        PerSEval is 1, 5 and 2; of iCOPERNICUS the last two are 9 and 1.
    readers : int, optional
        2 or more; iCOPERNICUS is 3. Then `reader_pairs` is not read.
    parts_together : bool
        Whether the questionnaires of a document and reader pair stand one after the other, as PerSEval hands
        them out, so that a survey that ends early leaves few documents without some of their systems.
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
    draw = _Draw(reader_pairs, readers, systems_per_questionnaire, seed)
    _check_numbers(systems, draw, raters)
    readers_by_document = {document.id: document.complete_readers(systems) for document in available}
    usable = sorted(name for name, complete in readers_by_document.items() if draw.suits(complete))
    chosen = _choose_documents(documents, usable, readers_by_document, draw)
    parts = [
        part for name in chosen for part in _plan_document(name, readers_by_document[name], systems, draw)
    ]
    blocks = parts if parts_together else [[planned] for part in parts for planned in part]
    Random(f"{seed}/order").shuffle(blocks)
    questionnaires = tuple(planned for block in blocks for planned in block)
    return SurveyPlan(questionnaires, raters, seed, tuple(_notes(len(available), len(usable), draw)))


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


@dataclass(frozen=True, slots=True)
class _Draw:
    """What is drawn of each document: any reader pairs, or all pairs among so many readers."""

    reader_pairs: int
    readers: int | None
    per_questionnaire: int
    seed: int

    @property
    def needed(self) -> str:
        """What a document must have, in words."""
        if self.readers is None:
            return f"{self.reader_pairs} reader pair(s) for which every system wrote"
        return f"{self.readers} readers for whom every system wrote"

    def suits(self, complete: Sequence[str]) -> bool:
        if self.readers is None:
            return comb(len(complete), 2) >= self.reader_pairs
        return len(complete) >= self.readers

    def pairs(self, complete: Sequence[str], random: Random) -> list[ReaderPair]:
        if self.readers is None:
            return sorted(random.sample(list(combinations(complete, 2)), self.reader_pairs))
        return list(combinations(sorted(random.sample(complete, self.readers)), 2))


def _check_numbers(systems: Sequence[str], draw: _Draw, raters: int) -> None:
    if not systems:
        raise InputError("a survey needs at least one system")
    if len(set(systems)) < len(systems):
        raise InputError("a system is named twice in the survey")
    for name, number, least in (
        ("reader pairs per document", draw.reader_pairs, 1),
        ("readers per document", draw.readers, 2),
        ("systems per questionnaire", draw.per_questionnaire, 1),
        ("raters per questionnaire", raters, 1),
    ):
        if number is not None and number < least:
            raise InputError(f"{name} must be at least {least}, not {number}")


def _choose_documents(
    wanted: int | Sequence[str] | None,
    usable: Sequence[str],
    readers_by_document: Mapping[str, Sequence[str]],
    draw: _Draw,
) -> list[str]:
    if isinstance(wanted, int):
        if not 1 <= wanted <= len(usable):
            raise InputError(
                f"{wanted} documents are wanted; {len(usable)} of {len(readers_by_document)} have at least "
                f"{draw.needed}"
            )
        return sorted(Random(f"{draw.seed}/documents").sample(list(usable), wanted))
    if wanted is None:
        if not usable:
            raise InputError(f"no document has {draw.needed}")
        return list(usable)
    return _check_named(wanted, readers_by_document, draw)


def _check_named(
    wanted: Sequence[str], readers_by_document: Mapping[str, Sequence[str]], draw: _Draw
) -> list[str]:
    names = sorted(set(wanted))
    if not names:
        raise InputError("no document is named")
    unknown = [name for name in names if name not in readers_by_document]
    if unknown:
        raise InputError(f"the corpus has no document {', '.join(unknown)}")
    short = [name for name in names if not draw.suits(readers_by_document[name])]
    if short:
        raise InputError(f"fewer than {draw.needed} in: {', '.join(short)}")
    return names


def _plan_document(
    name: str, complete: Sequence[str], systems: Sequence[str], draw: _Draw
) -> list[list[PlannedQuestionnaire]]:
    """For each reader pair of the document, the questionnaires that its systems are dealt over."""
    random = Random(f"{draw.seed}/document/{name}")
    return [
        [
            PlannedQuestionnaire(name, *pair, part)
            for part in _deal(random.sample(list(systems), len(systems)), draw.per_questionnaire)
        ]
        for pair in draw.pairs(complete, random)
    ]


def _deal(systems: Sequence[str], per_questionnaire: int) -> list[tuple[str, ...]]:
    """As few parts as hold the systems, their sizes differing by at most one."""
    parts = ceil(len(systems) / per_questionnaire)
    return [tuple(systems[part::parts]) for part in range(parts)]


def _notes(available: int, usable: int, draw: _Draw) -> list[str]:
    left_out = available - usable
    if not left_out:
        return []
    return [f"{left_out} of {available} documents cannot be surveyed: fewer than {draw.needed}"]
