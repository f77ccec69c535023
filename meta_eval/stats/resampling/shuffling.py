"""Human scores of ratings that say nothing about the systems: the null that a coefficient has to beat.

PerSEval-HJ contains a penalty in which no rating has a part, so it agrees with PerSEval whatever raters say.
How far a coefficient goes without them is found by shuffling: within each questionnaire the ratings change
places among the systems, and everything else stays as it is.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import permutations, product
from math import factorial, prod

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.stats.resampling.raters import RaterPanel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.resampling.weights import mean_scores

DEFAULT_SHUFFLES = 1_000
DRAWN_TURNS = 100
"""Of questionnaires whose turns cannot be laid out evenly; each costs the scoring of all documents once."""


def exchangeable_pairs(panel: RaterPanel) -> list[IntArray]:
    """The pairs that change places with each other: one array of numbers into `panel.pairs` a questionnaire.

    They are the systems' pairs of one document and reader pair that the same raters rated. The gold pair
    keeps its ratings: the null is that ratings do not tell the systems apart, whatever raters think of gold.
    """
    raters: dict[int, set[int]] = defaultdict(set)
    for item, rater in zip(panel.items.tolist(), panel.raters.tolist(), strict=True):
        raters[item].add(rater)
    groups: dict[tuple[str, str, str, frozenset[int]], list[int]] = defaultdict(list)
    for item, pair in enumerate(panel.pairs):
        if pair.system != GOLD:
            groups[pair.doc_id, pair.reader_a, pair.reader_b, frozenset(raters[item])].append(item)
    return [np.array(items, dtype=np.int64) for items in groups.values() if len(items) > 1]


def count_shuffles(groups: Sequence[IntArray]) -> int:
    """How many ways there are to shuffle, the ratings as they are among them."""
    return prod(factorial(len(items)) for items in groups)


def shuffle_divergences(
    panel: RaterPanel, *, rng: np.random.Generator, shuffles: int = DEFAULT_SHUFFLES
) -> tuple[FloatArray, bool]:
    """Divergences of shuffled ratings: (R, pairs), and whether these are all ways to shuffle.

    All ratings of a pair move together, so that raters agree as far as they did.

    Parameters
    ----------
    panel : RaterPanel
    rng : numpy.random.Generator
    shuffles : int
        How many are drawn; where there are not more ways than that, each of them is taken once.

    Returns
    -------
    sigma : array of shape (R, pairs)
        In [0, 1]; row by row the observed values in another order.
    exact : bool
        Whether the rows are all ways to shuffle.

    Raises
    ------
    InputError
        If no questionnaire has two systems.

    References
    ----------
    Perrella et al. 2024 (sentinels); Pesarin and Salmaso 2010, chapter 1 (exchangeability within strata).

    Examples
    --------
    >>> from meta_eval.ratings.divergences import human_divergences
    >>> from meta_eval.ratings.rating import Rating
    >>> from meta_eval.stats.resampling.raters import build_panel
    >>> ratings = [Rating("d", name, "ann", "bob", "p", value) for name, value in [("A", 1), ("B", 6)]]
    >>> panel = build_panel(ratings, human_divergences(ratings, scale="similarity"))
    >>> sigma, exact = shuffle_divergences(panel, rng=np.random.default_rng(0))
    >>> sigma.tolist(), exact
    ([[1.0, 0.0], [0.0, 1.0]], True)
    """
    groups = exchangeable_pairs(panel)
    orders, exact = draw_orders(groups, rng=rng, shuffles=shuffles)
    observed = panel.by_unit(np.ones((1, len(panel.strata))))[0]
    sigma = np.tile(observed, (len(orders[0]), 1))
    for items, order in zip(groups, orders, strict=True):
        sigma[:, items] = observed[items[order]]
    return sigma, exact


def draw_orders(
    groups: Sequence[IntArray], *, rng: np.random.Generator, shuffles: int
) -> tuple[list[IntArray], bool]:
    """For each group an order of its k pairs a shuffle (R, k), and whether these are all ways.

    Raises `InputError` where there is no group.
    """
    if not groups:
        raise InputError("no questionnaire has two systems whose ratings could change places")
    exact = count_shuffles(groups) <= shuffles
    return list(_all_orders(groups) if exact else _drawn_orders(groups, shuffles, rng)), exact


def _all_orders(groups: Sequence[IntArray]) -> Iterator[IntArray]:
    """For each group an order a row (R, k), so that the rows together are all combinations."""
    choices = [list(permutations(range(len(items)))) for items in groups]
    rows = list(product(*choices))
    for at in range(len(groups)):
        yield np.array([row[at] for row in rows], dtype=np.int64)


def _drawn_orders(groups: Sequence[IntArray], shuffles: int, rng: np.random.Generator) -> Iterator[IntArray]:
    for items in groups:
        yield np.argsort(rng.random((shuffles, len(items))), axis=1)


def shuffle_scores(
    scorer: PanelScorer, *, rng: np.random.Generator, shuffles: int = DEFAULT_SHUFFLES
) -> tuple[dict[str, FloatArray], bool]:
    """The human scores where ratings change places within their questionnaires.

    Parameters
    ----------
    scorer : scores the panel's ratings; a `RatersPartScorer` gives the raters' part of PerSEval-HJ
    rng : draws the shuffles
    shuffles : how many are drawn; where there are not more ways than that, each of them is taken once

    Returns
    -------
    scores : dict of (R, S) arrays by human score
    exact : whether these are all ways to shuffle

    Raises
    ------
    InputError : if no questionnaire has two systems

    References
    ----------
    Perrella et al. 2024 (sentinels); Pesarin and Salmaso 2010, chapter 1.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.measures import make_measure
    >>> from meta_eval.ratings.divergences import human_divergences
    >>> from meta_eval.ratings.rating import Rating
    >>> from meta_eval.scores.human import score_humans
    >>> from meta_eval.stats.resampling.raters import build_panel
    >>> own = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "rain in the south"}}
    >>> corpus = Corpus((Document("d", "", "Rain in the north, sun in the south.", own, systems),))
    >>> rated = {"p": {"user": 2, "A": 2, "B": 4}, "q": {"user": 1, "A": 2, "B": 5}}
    >>> ratings = [
    ...     Rating("d", name, "ann", "bob", rater, value)
    ...     for rater, values in rated.items()
    ...     for name, value in values.items()
    ... ]
    >>> divergences = human_divergences(ratings, scale="similarity")
    >>> human = score_humans(corpus, divergences, make_measure("rouge-l"))
    >>> scorer = PanelScorer.of_scores(human, build_panel(ratings, divergences), corpus)
    >>> found, exact = shuffle_scores(scorer, rng=np.random.default_rng(0))
    >>> found["degress_hj"].round(3).tolist(), exact
    ([[0.889, 0.333], [0.333, 0.889]], True)
    """
    panel = scorer.panel
    if _rates_one_pair(panel):
        return _scores_by_turns(scorer, rng, shuffles)
    sigma, exact = shuffle_divergences(panel, rng=rng, shuffles=shuffles)
    return scorer.system_scores(sigma), exact


def _rates_one_pair(panel: RaterPanel) -> bool:
    """Whether each system has one rated pair a document at most."""
    pairs = [(pair.doc_id, pair.system) for pair in panel.pairs]
    return len(set(pairs)) == len(pairs)


def _scores_by_turns(
    scorer: PanelScorer, rng: np.random.Generator, shuffles: int
) -> tuple[dict[str, FloatArray], bool]:
    """As `shuffle_scores`, where a system's score of a document hangs on one rating of its own alone.

    Then k systems of a questionnaire have k scores each, whatever the others got: scoring k turns of the
    ratings gives them all, and a shuffle only chooses among them.
    """
    panel = scorer.panel
    groups = exchangeable_pairs(panel)
    orders, exact = draw_orders(groups, rng=rng, shuffles=shuffles)
    turns = max(len(items) for items in groups)
    observed = panel.by_unit(np.ones((1, len(panel.strata))))[0]
    turned = np.tile(observed, (turns, 1))
    documents = {name: at for at, name in enumerate(scorer.documents)}
    systems = {name: at for at, name in enumerate(scorer.systems)}
    chosen = np.zeros((len(orders[0]), len(systems), len(documents)), dtype=np.int16)
    for items, order in zip(groups, orders, strict=True):
        size = len(items)
        for turn in range(size):
            turned[turn, items] = observed[np.roll(items, -turn)]
        for at, item in enumerate(items.tolist()):
            pair = panel.pairs[item]
            chosen[:, systems[pair.system], documents[pair.doc_id]] = (order[:, at] - at) % size
    by_turn = scorer.score(turned)
    return {
        name: mean_scores(np.take_along_axis(values, chosen.astype(np.intp), axis=0))
        for name, values in by_turn.items()
    }, exact


class RatersPartScorer(PanelScorer):
    """Scores a panel as `PanelScorer` does, but of PerSEval-HJ what the raters add to the penalty.

    A document's PerSEval-HJ less its mean over the turns of its questionnaires' ratings, which is what they
    give whichever system they were of. What is left is what raters could disagree about: the penalty alone
    gives 0, and so do raters who see no difference between the systems. The mean is that of all shuffles
    where a document has one or two questionnaires; of more it is close to that.
    """

    @cached_property
    def _turns(self) -> list[tuple[IntArray, BoolArray]]:
        """Each turn of the ratings, and the documents (P,) that it counts for."""
        return [
            (order, np.array([name in counted for name in self.documents]))
            for order, counted in turn_questionnaires(self.panel)
        ]

    def _score_some(self, sigma: FloatArray) -> dict[str, FloatArray]:
        parts = super()._score_some(sigma)
        observed = parts["perseval_hj"]
        total, count = observed.copy(), np.ones(len(self.documents))
        for order, counted in self._turns:
            turned = super()._score_some(sigma[:, order])["perseval_hj"]
            total += np.where(counted, turned, 0.0)
            count += counted
        parts["perseval_hj"] = np.where(self._shares, observed - total / count, np.nan)
        return parts

    @cached_property
    def _shares(self) -> BoolArray:
        """(S, P): where a system shares a questionnaire of the document with another."""
        marked = np.zeros((len(self.systems), len(self.documents)), dtype=np.bool_)
        documents = {name: at for at, name in enumerate(self.documents)}
        systems = {name: at for at, name in enumerate(self.systems)}
        for items in exchangeable_pairs(self.panel):
            for pair in (self.panel.pairs[item] for item in items.tolist()):
                marked[systems[pair.system], documents[pair.doc_id]] = True
        return marked


def turn_questionnaires(panel: RaterPanel) -> Iterator[tuple[IntArray, frozenset[str]]]:
    """Turns of each document's questionnaires: an order of `panel.pairs`, and the documents it counts for.

    A document with one questionnaire of k systems has k turns, one with two has all turns of the first with
    all of the second. Of more, all of k systems, the third is turned by a + b places where the first is by a
    and the second by b, the next by a + 2 b and so on, so that any two of them take all their turns together
    equally often; where that cannot be had, `DRAWN_TURNS` are drawn at random. The turn that leaves all
    ratings where they are is not among them.
    """
    by_document: dict[str, list[IntArray]] = defaultdict(list)
    for items in exchangeable_pairs(panel):
        by_document[panel.pairs[int(items[0])].doc_id].append(items)
    turns: dict[int, list[tuple[str, IntArray, IntArray]]] = defaultdict(list)
    for doc_id, groups in by_document.items():
        for at, orders in enumerate(_turns_of(groups)):
            turns[at].append((doc_id, np.concatenate(groups), orders))
    for at in sorted(turns)[1:]:
        order = np.arange(len(panel.pairs))
        for _, items, turned in turns[at]:
            order[items] = turned
        yield order, frozenset(doc_id for doc_id, _, _ in turns[at])


def _turns_of(groups: Sequence[IntArray]) -> Iterator[IntArray]:
    """Turn by turn: the pairs of a document whose ratings its pairs get."""
    for shifts in _shifts_of([len(items) for items in groups]):
        moved = [np.roll(items, -shift) for shift, items in zip(shifts, groups, strict=True)]
        yield np.concatenate(moved)


def _shifts_of(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """By how many places each questionnaire is turned, turn by turn; the first turns none."""
    most = max(sizes)
    if len(sizes) < 3:
        yield from product(*map(range, sizes))
    elif len(set(sizes)) == 1 and (len(sizes) == 3 or (_is_prime(most) and len(sizes) <= most + 1)):
        for a, b in product(range(most), repeat=2):
            rest = ((a + q * b) % most for q in range(1, len(sizes) - 1))
            yield a, b, *rest
    else:
        yield (0,) * len(sizes)
        rng = np.random.default_rng(list(sizes))
        yield from map(tuple, rng.integers(0, sizes, size=(DRAWN_TURNS, len(sizes))).tolist())


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))
