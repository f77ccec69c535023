"""Where each item stands on each rater's page, balanced over a whole survey.

An item's name is whatever items have in common that are to be balanced: its system, gold, a kind of control
item. Over all raters' pages of one length, each name stands equally often
in each position (to within one page) and its two texts are swapped equally often (to within one).

A page is a node, a name is as many nodes as it has groups of n pages, and an item is an edge between the two.
Colouring the edges with n positions so that no node has one position twice is always possible (König 1916);
a page then has each of its n positions once, and so has each group of a name's pages.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from random import Random

from meta_eval.design.plan import ItemPlacement
from meta_eval.errors import InputError

Page = tuple[int, int]
"""Questionnaire and rater, both counted from 0."""

Name = Hashable
Group = tuple[Name, int]


def balance_positions(
    questionnaires: Sequence[Sequence[Name]], *, raters: int, seed: int | str
) -> tuple[tuple[tuple[ItemPlacement, ...], ...], ...]:
    """Positions and sides of every item on every page, each item equally often in each.

    Parameters
    ----------
    questionnaires : sequence of sequences of str
        The items that each questionnaire names.
    raters : int
        Per questionnaire.
    seed : int or str
        The same arguments give the same result.

    Returns
    -------
    tuple
        Placements [questionnaire][rater], by position; `ItemPlacement.item` is an index into the
        questionnaire's names.

    Raises
    ------
    InputError
        For a questionnaire that names an item twice, and for fewer than one rater.

    Notes
    -----
    Time grows with the number of items.

    Examples
    --------
    >>> ((first, second),) = balance_positions([["user", "A"]], raters=2, seed=1)
    >>> sorted((first[0].item, second[0].item))
    [0, 1]
    """
    if raters < 1:
        raise InputError(f"raters per questionnaire must be at least 1, not {raters}")
    if doubled := [number for number, names in enumerate(questionnaires) if len(set(names)) < len(names)]:
        raise InputError(f"questionnaire {doubled[0] + 1} names an item twice")
    by_size: dict[int, list[int]] = defaultdict(list)
    for number, names in enumerate(questionnaires):
        by_size[len(names)].append(number)
    positions: dict[tuple[Page, Name], int] = {}
    for size, numbers in sorted(by_size.items()):
        positions |= _colour(questionnaires, numbers, raters, Random(f"{seed}/positions/{size}"))
    flips = _balance_sides(questionnaires, raters, Random(f"{seed}/sides"))
    return tuple(
        tuple(_page(names, (number, rater), positions, flips) for rater in range(raters))
        for number, names in enumerate(questionnaires)
    )


def _page(
    names: Sequence[Name],
    page: Page,
    positions: dict[tuple[Page, Name], int],
    flips: dict[tuple[int, Name], list[bool]],
) -> tuple[ItemPlacement, ...]:
    number, rater = page
    placed = [
        ItemPlacement(index, positions[page, name], flips[number, name][rater])
        for index, name in enumerate(names)
    ]
    return tuple(sorted(placed, key=lambda placement: placement.position))


def _colour(
    questionnaires: Sequence[Sequence[Name]], numbers: Sequence[int], raters: int, random: Random
) -> dict[tuple[Page, Name], int]:
    """The position of each name on each page of the questionnaires `numbers`, all of one length."""
    size = len(questionnaires[numbers[0]])
    shuffled = random.sample(list(numbers), len(numbers))
    met: dict[Name, int] = defaultdict(int)
    edges: list[tuple[Page, Group]] = []
    for number in shuffled:
        for rater in range(raters):
            for name in questionnaires[number]:
                edges.append(((number, rater), (name, met[name] // size)))
                met[name] += 1
    random.shuffle(edges)
    colouring = _Colouring(size, random)
    for page, group in edges:
        colouring.add(page, group)
    return {(page, group[0]): position for page, group, position in colouring.edges()}


class _Colouring:
    """A proper colouring of a bipartite graph whose nodes have at most `size` edges, grown edge by edge."""

    def __init__(self, size: int, random: Random) -> None:
        self._colours = range(size)
        self._random = random
        self._pages: dict[Page, dict[int, Group]] = defaultdict(dict)
        self._groups: dict[Group, dict[int, Page]] = defaultdict(dict)

    def edges(self) -> list[tuple[Page, Group, int]]:
        return [
            (page, group, colour) for page, groups in self._pages.items() for colour, group in groups.items()
        ]

    def add(self, page: Page, group: Group) -> None:
        """Colour one more edge: with a colour free at both ends, or after swapping two along a path."""
        free_here = [colour for colour in self._colours if colour not in self._pages[page]]
        free_there = [colour for colour in self._colours if colour not in self._groups[group]]
        common = [colour for colour in free_here if colour in free_there]
        if common:
            colour = self._random.choice(common)
        else:
            colour = self._random.choice(free_here)
            self._swap_from(group, colour, self._random.choice(free_there))
        self._pages[page][colour], self._groups[group][colour] = group, page

    def _swap_from(self, group: Group, taken: int, free: int) -> None:
        """Swap both colours on the path from `group` whose edges are `taken`, `free`, `taken`, ...

        The path cannot end at the page that the new edge comes from: it would arrive there by `taken`.
        """
        path: list[tuple[Page, Group, int]] = []
        while (page := self._groups[group].get(taken)) is not None:
            path.append((page, group, taken))
            following = self._pages[page].get(free)
            if following is None:
                break
            group = following
            path.append((page, group, free))
        for page, end, colour in path:
            del self._pages[page][colour], self._groups[end][colour]
        for page, end, colour in path:
            swapped = free if colour == taken else taken
            self._pages[page][swapped], self._groups[end][swapped] = end, page


def _balance_sides(
    questionnaires: Sequence[Sequence[Name]], raters: int, random: Random
) -> dict[tuple[int, Name], list[bool]]:
    """Whether each rater of a questionnaire meets an item's texts swapped: one of each two raters does.

    The last of an odd number of raters is balanced over the questionnaires of a name instead.
    """
    by_name: dict[Name, list[int]] = defaultdict(list)
    for number, names in enumerate(questionnaires):
        for name in names:
            by_name[name].append(number)
    flips: dict[tuple[int, Name], list[bool]] = {}
    for name, numbers in by_name.items():
        start = random.randrange(2)
        for turn, number in enumerate(random.sample(numbers, len(numbers))):
            firsts = [random.random() < 0.5 for _ in range(raters // 2)]
            both = [side for first in firsts for side in (first, not first)]
            flips[number, name] = [*both, bool((start + turn) % 2)][:raters]
    return flips
