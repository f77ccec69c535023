"""What is judged in a person's place, and what of the person is known: a profile of their past judgments."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from random import Random
from typing import Literal, TypeVar

from meta_eval.errors import InputError
from meta_eval.llm.signing import digest_of

Profiles = Literal["own", "shuffled", "none"]
"""Whose past judgments a judge sees: the person's, another person's (a control), or nobody's."""

Letter = Literal["A", "B"]
LETTERS: tuple[Letter, Letter] = ("A", "B")


@dataclass(frozen=True, slots=True)
class Review:
    """What one `reviewer` wrote of one `item`, whose `text` they read, and the score they gave it."""

    reviewer: str
    item: str
    text: str
    review: str
    score: float


@dataclass(frozen=True, slots=True)
class ReviewCase:
    """A review to be foretold (`query`), and the person's others that a judge may see (`profile`)."""

    query: Review
    profile: tuple[Review, ...]

    @property
    def person(self) -> str:
        return self.query.reviewer

    @property
    def items(self) -> frozenset[str]:
        """What the profile is about."""
        return frozenset(one.item for one in self.profile)

    @property
    def subject(self) -> str:
        """What the query is about."""
        return self.query.item


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts `a` and `b` to one `premise`, and which one the `person` preferred in one `aspect`."""

    id: str
    person: str
    premise: str
    a: str
    b: str
    aspect: str
    choice: Letter


@dataclass(frozen=True, slots=True)
class ComparisonCase:
    """A choice to be foretold (`query`), and the person's others in the same aspect (`profile`)."""

    query: Comparison
    profile: tuple[Comparison, ...]

    @property
    def person(self) -> str:
        return self.query.person

    @property
    def items(self) -> frozenset[str]:
        """What the profile is about."""
        return frozenset(one.id for one in self.profile)

    @property
    def subject(self) -> str:
        """What the query is about."""
        return self.query.id


Case = TypeVar("Case", ReviewCase, ComparisonCase)
_One = TypeVar("_One")


def review_cases(reviews: Iterable[Review], *, size: int = 3, seed: int = 0) -> list[ReviewCase]:
    """`size` reviews of each person, drawn by `seed`, as their profile; each of the rest is a case.

    A review is in a profile or is foretold, never both, so that no answer stands in any profile. Who has no
    more than `size` reviews has no case.

    Parameters
    ----------
    reviews : iterable of Review
        At most one of each person and item.
    size : int
        Reviews in a profile, K in the paper, at least 1.
    seed : int

    Returns
    -------
    list of ReviewCase
        By person, then by item; the order of `reviews` changes nothing.

    Examples
    --------
    >>> found = review_cases([Review("ann", item, "text", "good", 7) for item in "abc"], size=2)
    >>> len(found), sorted([*found[0].items, found[0].subject])
    (1, ['a', 'b', 'c'])
    """
    by_person: dict[str, list[Review]] = defaultdict(list)
    for one in reviews:
        by_person[one.reviewer].append(one)
    cases = []
    for person, own in sorted(by_person.items()):
        ordered = sorted(own, key=lambda one: one.item)
        profile, queries = _parted(ordered, size, f"{seed}\x1f{person}")
        cases += [ReviewCase(query, profile) for query in queries]
    return cases


def comparison_cases(
    comparisons: Iterable[Comparison], *, size: int = 1, seed: int = 0
) -> list[ComparisonCase]:
    """As `review_cases`, of each person and aspect: `size` past choices, and each of the rest is a case.

    Examples
    --------
    >>> past = [Comparison(name, "ann", "", "x", "y", "ending", "A") for name in "abc"]
    >>> [len(case.profile) for case in comparison_cases(past)]
    [1, 1]
    """
    by_person: dict[tuple[str, str], list[Comparison]] = defaultdict(list)
    for one in comparisons:
        by_person[one.person, one.aspect].append(one)
    cases = []
    for (person, aspect), own in by_person.items():
        ordered = sorted(own, key=lambda one: one.id)
        profile, queries = _parted(ordered, size, f"{seed}\x1f{person}\x1f{aspect}")
        cases += [ComparisonCase(query, profile) for query in queries]
    return sorted(cases, key=lambda case: (case.person, case.subject, case.query.aspect))


def _parted(own: Sequence[_One], size: int, seed: str) -> tuple[tuple[_One, ...], list[_One]]:
    """`size` of what a person has, and the rest; nothing of either where nothing would be left."""
    if len(own) <= size:
        return (), []
    drawn = set(Random(seed).sample(range(len(own)), size))  # noqa: S311 - drawn again by anybody
    return (
        tuple(one for number, one in enumerate(own) if number in drawn),
        [one for number, one in enumerate(own) if number not in drawn],
    )


def with_profiles(cases: Sequence[Case], profiles: Profiles, *, seed: int = 0) -> list[Case]:
    """The same queries under other profiles.

    Parameters
    ----------
    cases : sequence of cases
    profiles : {"own", "shuffled", "none"}
        "shuffled": each person has the profile of another one, drawn by `seed`, the same person for all
        their queries where that is possible; a profile that is about the query's item is passed over, since
        it would say how that text was liked.
    seed : int

    Returns
    -------
    list of cases
        In the same order.

    Raises
    ------
    InputError
        Where a query has no other person's profile that it could have.

    Examples
    --------
    >>> cases = review_cases([Review(who, who + item, "t", "r", 5) for who in "ab" for item in "xyz"], size=2)
    >>> [case.profile[0].reviewer for case in with_profiles(cases, "shuffled")]
    ['b', 'a']
    """
    if profiles == "own":
        return list(cases)
    if profiles == "none":
        return [replace(case, profile=()) for case in cases]
    donors: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        donors[case.person].append(case)
    ring = sorted(donors)
    Random(seed).shuffle(ring)  # noqa: S311 - drawn again by anybody
    place = {person: number for number, person in enumerate(ring)}
    return [_of_another(case, ring, place[case.person], donors) for case in cases]


def _of_another(case: Case, ring: Sequence[str], place: int, donors: dict[str, list[Case]]) -> Case:
    """The case under the profile of the next person in the ring who has one that is not about its item."""
    for step in range(1, len(ring)):
        for donor in donors[ring[(place + step) % len(ring)]]:
            same_kind = not isinstance(case, ComparisonCase) or _aspect(donor) == _aspect(case)
            if same_kind and donor.profile and case.subject not in donor.items:
                return replace(case, profile=donor.profile)
    raise InputError(
        f"{case.person!r} cannot be given another person's profile: "
        + ("there is no other person" if len(ring) == 1 else f"each of them is about {case.subject!r}, too")
        + "; leave `shuffled` out"
    )


def _aspect(case: ReviewCase | ComparisonCase) -> str:
    return case.query.aspect if isinstance(case, ComparisonCase) else ""


def profiles_digest(cases: Iterable[Case]) -> str:
    """The first 16 digits of the SHA-256 of all profiles: who sees other past judgments is another judge.

    Examples
    --------
    >>> past = [Review("ann", item, "text", "good", 7) for item in "abc"]
    >>> len({profiles_digest(review_cases(past, size=2, seed=seed)) for seed in (0, 0, 1)})
    2
    """
    return digest_of([[astuple(one) for one in case.profile] for case in cases])


def split_persons(persons: Iterable[str], share: float, *, seed: int = 0) -> frozenset[str]:
    """The persons held out for the test: `share` of them, at least one, drawn by `seed`.

    Raises `InputError` where none would be left for tuning.

    Examples
    --------
    >>> len(split_persons("abcdefghij", 0.1))
    1
    """
    ordered = sorted(set(persons))
    count = max(1, round(share * len(ordered)))
    if count >= len(ordered):
        raise InputError(
            f"{count} of {len(ordered)} persons would be held out, and none be left for tuning: "
            "choose a smaller share"
        )
    return frozenset(Random(f"{seed}").sample(ordered, count))  # noqa: S311


def tuning_cases(
    cases: Sequence[Case], share: float | None, *, seed: int = 0
) -> tuple[list[Case], list[Case]]:
    """The cases to tune on, and those to test on: no person is in both, no text of a test query in tuning.

    A case of a tuning person goes into neither if it asks about a text that a test query is about, or shows
    one in its profile. Without a `share` of
    persons to hold out, all cases are for the test.
    """
    if share is None:
        return [], list(cases)
    held_out = split_persons((case.person for case in cases), share, seed=seed)
    test = [case for case in cases if case.person in held_out]
    asked = {case.subject for case in test}
    tuning = [
        case
        for case in cases
        if case.person not in held_out and case.subject not in asked and not case.items & asked
    ]
    return tuning, test
