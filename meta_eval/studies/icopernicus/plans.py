"""Which prompts are made: for whom, about which article, with which examples.

All three plain styles are asked about the same cases, and all three contrastive ones, so that styles compare.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Literal, TypeVar

from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.readers import Readers
from meta_eval.errors import InputError

PlanName = Literal["paper", "all"]
Item = TypeVar("Item")
EXAMPLES = 2
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

ALONE = "no other reader wrote for the document"
FEW = "fewer than two other documents for examples"
FEW_IN_COMMON = "a pair of readers with fewer than three documents in common"
SAME = "an example is about the target"


@dataclass(frozen=True, slots=True)
class Case:
    """One prompt's data: the `target` document, its one or two readers, and two documents for examples.

    `wanted` are the readers whose headline is used; the other one of a pair is there for the contrast.
    """

    target: str
    readers: tuple[str, ...]
    examples: tuple[str, ...]
    wanted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The cases, and how many (document, reader) or pairs of readers got none, by reason."""

    cases: tuple[Case, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)

    def only(self, documents: Collection[str]) -> "Plan":
        """The cases about some documents."""
        return Plan(tuple(case for case in self.cases if case.target in documents), self.dropped)


def plan_plain(
    corpus: Corpus, readers: Readers, *, plan: PlanName = "paper", seed: int = 0, examples: int = EXAMPLES
) -> Plan:
    """The cases of the plain styles, one reader each.

    Parameters
    ----------
    corpus : Corpus
    readers : mapping of str to ReaderHistory
        Whose `articles`, where they are known, say in which order a reader wrote; else the corpus' order.
    plan : {"paper", "all"}
        "paper": each reader's articles are cut into threes, two examples and a target; what is over is left
        out. "all": every document of every reader is a target, with two others of the reader drawn as
        examples.
    seed : int
        Of what is drawn.
    examples : int
        Of each target, from 1 to 8: "paper" cuts the articles into as many and one more.

    Returns
    -------
    Plan
        PENS: 6,798 cases by "paper", 20,599 references by "all" less those written twice.

    References
    ----------
    Patel et al., iCOPERNICUS, EMNLP 2024, section 4.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> texts = {"ann": "rain", "bob": "wet"}
    >>> corpus = Corpus(tuple(Document(name, "", "Rain.", texts) for name in "abcd"))
    >>> [(case.target, case.readers, case.examples) for case in plan_plain(corpus, {}).cases]
    [('c', ('ann',), ('a', 'b')), ('c', ('bob',), ('a', 'b'))]
    >>> plan_plain(corpus, {}).dropped
    {'a rest of fewer than three articles': 2}
    """
    written = articles_by_reader(corpus, readers)
    return _in_groups(written, examples) if plan == "paper" else _each_alone(written, seed, examples)


def _in_groups(written: Mapping[str, Sequence[str]], number: int) -> Plan:
    """The cases of each reader's articles, cut into groups of so many examples and a target."""
    cases: list[Case] = []
    dropped: dict[str, int] = defaultdict(int)
    for reader, articles in written.items():
        rest = len(articles) % (number + 1)
        if rest:
            dropped[f"a rest of fewer than {_NUMBERS[number + 1]} articles"] += rest
        for start in range(0, len(articles) - rest, number + 1):
            *examples, target = articles[start : start + number + 1]
            if target in examples:
                dropped[SAME] += 1
            else:
                cases.append(Case(target, (reader,), tuple(examples), (reader,)))
    return Plan(tuple(cases), dict(dropped))


def _each_alone(written: Mapping[str, Sequence[str]], seed: int, number: int) -> Plan:
    cases: list[Case] = []
    dropped = 0
    for reader, articles in written.items():
        different = list(dict.fromkeys(articles))
        for target in different:
            others = [article for article in different if article != target]
            if len(others) < number:
                dropped += 1
                continue
            examples = draw(others, number, seed, "plain", reader, target)
            cases.append(Case(target, (reader,), tuple(examples), (reader,)))
    few = FEW.replace("two", _NUMBERS[number])
    return Plan(tuple(cases), {few: dropped} if dropped else {})


def plan_contrastive(corpus: Corpus, *, plan: PlanName = "paper", seed: int = 0) -> Plan:
    """The cases of the contrastive styles, two readers each.

    Parameters
    ----------
    corpus : Corpus
    plan : {"paper", "all"}
        "paper": one case for each pair of readers with three documents in common or more, of which three are
        drawn: two examples and the target; both headlines are used. "all": every (document, reader) is a
        target, beside the reader of the document with whom it has most documents in common, the first by
        name of equals; a case that is both readers' own gives both headlines.
    seed : int
        Of what is drawn; each pair has a draw of its own.

    Returns
    -------
    Plan
        PENS: 5,246 cases by "paper", of 5,253 pairs.

    References
    ----------
    Patel et al., iCOPERNICUS, EMNLP 2024, section 4.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> texts = {"ann": "rain", "bob": "wet"}
    >>> corpus = Corpus(tuple(Document(name, "", "Rain.", texts) for name in "abc"))
    >>> [case.readers for case in plan_contrastive(corpus).cases]
    [('ann', 'bob')]
    """
    own: dict[str, set[str]] = {reader: set() for reader in sorted(corpus.readers)}
    for document in corpus.documents:
        for reader in document.references:
            own[reader].add(document.id)
    return _by_pair(own, seed) if plan == "paper" else _each_beside(corpus, own, seed)


def _by_pair(own: Mapping[str, set[str]], seed: int) -> Plan:
    cases: list[Case] = []
    dropped = 0
    for pair in combinations(own, 2):
        common = sorted(own[pair[0]] & own[pair[1]])
        if len(common) <= EXAMPLES:
            dropped += 1
            continue
        *examples, target = draw(common, EXAMPLES + 1, seed, "contrastive", *pair)
        cases.append(Case(target, pair, tuple(examples), pair))
    return Plan(tuple(cases), {FEW_IN_COMMON: dropped} if dropped else {})


def _each_beside(corpus: Corpus, own: Mapping[str, set[str]], seed: int) -> Plan:
    wanted: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    dropped: dict[str, int] = defaultdict(int)
    for document in corpus.documents:
        for reader in document.references:
            others = sorted(other for other in document.references if other != reader)
            if not others:
                dropped[ALONE] += 1
                continue
            partner = max(others, key=lambda other: len(own[reader] & own[other]))
            if len(own[reader] & own[partner]) <= EXAMPLES:
                dropped[FEW] += 1
                continue
            wanted.setdefault((document.id, tuple(sorted((reader, partner)))), []).append(reader)
    cases = []
    for (target, pair), readers in wanted.items():
        common = sorted(own[pair[0]] & own[pair[1]] - {target})
        examples = draw(common, EXAMPLES, seed, "contrastive", *pair, target)
        cases.append(Case(target, pair, tuple(examples), tuple(readers)))
    return Plan(tuple(cases), dict(dropped))


def articles_by_reader(corpus: Corpus, readers: Readers) -> dict[str, list[str]]:
    """The documents for which each reader wrote, in the reader's own order where that is known.

    Raises `InputError` where a reader's `articles` name a document that the corpus has no reference for.
    """
    there: dict[str, list[str]] = {reader: [] for reader in corpus.readers}
    for document in corpus.documents:
        for reader in document.references:
            there[reader].append(document.id)
    for reader, articles in there.items():
        listed = list(readers[reader].articles) if reader in readers else []
        if not listed:
            continue
        if stray := sorted(set(listed) - set(articles)):
            raise InputError(
                f"reader {reader!r} lists article {stray[0]!r}, for which the corpus has no reference of "
                "that reader: give the readers' file made with this corpus, or one without `articles`"
            )
        there[reader] = listed
    return there


def draw_documents(plans: Iterable[Plan], documents: int, *, seed: int) -> frozenset[str]:
    """So many target documents, drawn from those of two readers or more: others have no EGISES.

    Examples
    --------
    >>> cases = [Case("d", (reader,), (), (reader,)) for reader in ("ann", "bob")]
    >>> sorted(draw_documents([Plan((*cases, Case("e", ("ann",), (), ("ann",))))], 2, seed=0))
    ['d']
    """
    shared: set[str] = set()
    for plan in plans:
        readers: dict[str, set[str]] = defaultdict(set)
        for case in plan.cases:
            readers[case.target].update(case.wanted)
        shared |= {target for target, own in readers.items() if len(own) > 1}
    there = sorted(shared)
    return frozenset(draw(there, min(documents, len(there)), seed, "documents"))


def draw(items: Sequence[Item], number: int, seed: int, *key: str) -> list[Item]:
    """So many different items, in a drawn order that depends on the seed and the key alone.

    Examples
    --------
    >>> draw("abc", 2, 0, "ann", "bob") == draw("abc", 2, 0, "ann", "bob")
    True
    """
    digest = hashlib.sha256("\x1f".join((str(seed), *key)).encode()).digest()
    # Drawing is reproducible, not secret.
    return Random(digest).sample(items, number)  # noqa: S311
