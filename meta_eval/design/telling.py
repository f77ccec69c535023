"""Do the texts themselves tell the gold pair? How well one simple rule finds it by how texts are typed."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt

import numpy as np

from meta_eval.arrays import FloatArray

Pair = tuple[str, str]

_AFTER_A_LETTER = re.compile(r"[^\W\d_][^\w\s]")
_AFTER_A_SPACE = re.compile(r"(?<=\s)[.,;:!?%)\]]+(?=\s|$)|(?<=[(\[])\s")
_MARK = re.compile(r"[^\w\s]")
_ENDS = (".", "!", "?", "\u3002", "\u0964", "\u061f")
_UNTYPED = re.compile("[\u2018-\u201f\u2026\u2010-\u2015\u00ab\u00bb]")


def _by_word(pattern: re.Pattern[str]) -> Callable[[str], float]:
    """How often a pattern is found for each word."""
    return lambda text: len(pattern.findall(text)) / max(1, len(text.split()))


def _capitals(text: str) -> float:
    letters = [letter for letter in text if letter.isalpha()]
    return sum(letter.isupper() for letter in letters) / max(1, len(letters))


def _begins_small(text: str) -> float:
    return float(next((letter for letter in text if letter.isalnum()), "").islower())


FEATURES: Mapping[str, Callable[[str], float]] = {
    "the share of capital letters": _capitals,
    "the share of texts that begin with a small letter": _begins_small,
    "the number of spaces before marks for each word": _by_word(_AFTER_A_SPACE),
    "the number of marks right after a letter for each word": _by_word(_AFTER_A_LETTER),
    "the number of punctuation marks for each word": _by_word(_MARK),
    "the number of curly quotes and long dashes for each word": _by_word(_UNTYPED),
    "the share of texts that end with a full stop": lambda text: float(text.rstrip().endswith(_ENDS)),
    "the number of words": lambda text: float(len(text.split())),
}
"""What a rule may look at in a text: how it is typed and how long it is, not what it says."""

BY_CHANCE = 0.01
"""How often a rule as good as it must be would be found where gold and systems are typed alike."""


@dataclass(frozen=True, slots=True)
class Telling:
    """The single rule that parts gold pairs best from systems': `feature` at least `threshold`, or less.

    Of the `gold` gold pairs it marks `gold_marked`, of the `others` pairs of systems `others_marked`.
    `is_sure`: pairs that are typed alike would hardly show so good a rule by chance.
    """

    feature: str
    threshold: float
    at_least: bool
    gold: int
    others: int
    gold_marked: int
    others_marked: int
    is_sure: bool

    @property
    def gold_share(self) -> float:
        """Of the gold pairs how many it marks, from 0 to 1."""
        return self.gold_marked / self.gold

    @property
    def others_share(self) -> float:
        """Of the pairs of systems."""
        return self.others_marked / self.others

    @property
    def apart(self) -> float:
        """By how much the two shares differ: 0 tells nothing, 1 everything."""
        return self.gold_share - self.others_share

    @property
    def hits(self) -> float:
        """Of the pairs that it marks the share that is gold."""
        return self.gold_marked / max(1, self.gold_marked + self.others_marked)

    @property
    def by_chance(self) -> float:
        """Of all pairs the share that is gold."""
        return self.gold / (self.gold + self.others)


def tell_gold(gold: Sequence[Pair], others: Sequence[Pair]) -> Telling | None:
    """How well gold pairs are found by one feature and one threshold.

    The rule is the one that marks most of the gold pairs and fewest of the systems', by the difference of the
    two shares (Youden's J), over all features, thresholds and both directions. A pair's value is the mean of
    its two texts.

    Parameters
    ----------
    gold, others : sequence of pairs of texts
        Of the readers, and of systems; as raters see them.

    Returns
    -------
    Telling, or None
        None without pairs of both kinds.

    References
    ----------
    Kolmogorov-Smirnov: the difference is its statistic, `is_sure` its test with Bonferroni's correction.

    Examples
    --------
    >>> gold, others = ("Rain, then sun", "Sun, then rain"), ("rain , then sun", "sun , then rain")
    >>> found = tell_gold([gold] * 20, [others] * 80)
    >>> found.gold_share, found.others_share, found.by_chance
    (1.0, 0.0, 0.2)
    """
    if not gold or not others:
        return None
    return max((_best_rule(name, gold, others) for name in FEATURES), key=lambda rule: rule.apart)


def _best_rule(name: str, gold: Sequence[Pair], others: Sequence[Pair]) -> Telling:
    ours, theirs = _values(name, gold), _values(name, others)
    thresholds = np.unique(np.concatenate((ours, theirs)))
    marked, missed = _at_least(ours, thresholds), _at_least(theirs, thresholds)
    apart = marked / len(ours) - missed / len(theirs)
    at = int(np.argmax(np.abs(apart)))
    at_least = bool(apart[at] >= 0)
    hits, errors = int(marked[at]), int(missed[at])
    return Telling(
        name,
        float(thresholds[at]),
        at_least,
        len(ours),
        len(theirs),
        hits if at_least else len(ours) - hits,
        errors if at_least else len(theirs) - errors,
        bool(abs(apart[at]) >= _by_chance(len(ours), len(theirs))),
    )


def _values(name: str, pairs: Sequence[Pair]) -> FloatArray:
    measured = lru_cache(maxsize=None)(FEATURES[name])
    return np.array([(measured(first) + measured(second)) / 2 for first, second in pairs])


def _at_least(values: FloatArray, thresholds: FloatArray) -> FloatArray:
    """How many of the values are at least each threshold."""
    below = np.searchsorted(np.sort(values), thresholds, side="left")
    return np.asarray(len(values) - below, dtype=np.float64)


def _by_chance(gold: int, others: int) -> float:
    """The difference that one of the features reaches in `BY_CHANCE` of surveys that are typed alike."""
    level = BY_CHANCE / len(FEATURES)
    return sqrt(-log(level / 2) / 2 * (gold + others) / (gold * others))
