"""Rows of sentinels: scores that cannot know how personalised a summary is, against the raters."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelRow:
    """The coefficient of one sentinel with a human score, over `n` systems.

    `surrogate` is None in the row that is the mean over all `surrogates`, as the answer takes it of measures.
    Of random scores `estimate` is the mean over `draws` of them, `quantile` what 95 % of them do not exceed.
    """

    human: str
    surrogate: str | None
    sentinel: str
    measure: str | None
    shared_input: bool
    coefficient: str
    n: int
    surrogates: int
    estimate: float | None
    reason: str | None
    quantile: float | None = None
    draws: int | None = None
    shared: str | None = None
