"""All that is found out about the quality of a batch's ratings, as one value that can be stored.

It is made from every rating, which takes a while where there are very many; so it holds what pages show of a
rater in a list, and not the pages of each. What an admin has excluded is not in it: pages read that anew, so
that a decision shows at once.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec
import numpy as np

from meta_eval.ratings.checks import GoldSeparation
from meta_eval.stats.threads import one_thread
from survey_site.batches.models import Batch
from survey_site.quality.assessment import Assessment, assess_batch
from survey_site.quality.checks import CheckedRater, check_raters, count_all_controls
from survey_site.quality.controls import ControlCount


@dataclass(frozen=True)
class FoundRater:
    """A rater as the list shows them; see `CheckedRater`. pages: completed ones; submitted: all judged by.

    points: how often they gave each point of the scale; times: seconds a pair of each page that says it.
    """

    code: str
    flags: tuple[str, ...]
    pages: int
    submitted: int
    marks: int
    straight: int
    hurried: int
    timed: bool
    median_seconds: float
    gold: GoldSeparation
    gold_p: float | None
    contrary: bool
    marks_much: bool
    points: tuple[int, ...]
    times: tuple[float, ...]

    @property
    def median_duration(self) -> timedelta:
        return timedelta(seconds=self.median_seconds)


@dataclass(frozen=True)
class Findings:
    """raters: flagged ones first, then by code. controls: without what was excluded when it was made."""

    assessment: Assessment
    controls: tuple[ControlCount, ...]
    raters: tuple[FoundRater, ...]

    def without(self, code: str) -> "Findings":
        """The same, and nothing of this rater by their code: for somebody who withdraws."""
        return Findings(self.assessment, self.controls, tuple(one for one in self.raters if one.code != code))


def find_out(batch: Batch) -> Findings:
    """From the ratings as they are now: half a minute for a hundred thousand."""
    with one_thread():
        checked = check_raters(batch)
        return Findings(
            assessment=assess_batch(batch),
            controls=count_all_controls(checked, scale=batch.scale),
            raters=tuple(_found(one) for one in checked),
        )


def _found(one: CheckedRater) -> FoundRater:
    return FoundRater(
        code=one.rater.code,
        flags=tuple(one.flags),
        pages=len(one.pages),
        submitted=len(one.submitted),
        marks=one.marks,
        straight=one.straight,
        hurried=one.hurried,
        timed=one.timed,
        median_seconds=one.median_duration.total_seconds(),
        gold=one.gold,
        gold_p=one.gold_p,
        contrary=one.contrary,
        marks_much=one.marks_much,
        points=one.points,
        times=one.times,
    )


def pack(findings: Findings) -> bytes:
    return msgspec.msgpack.encode(findings, enc_hook=_plain)


def unpack(packed: bytes) -> Findings:
    """Raises msgspec.ValidationError for what an older version of this program packed in another form."""
    return _DECODER.decode(packed)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise NotImplementedError(f"{type(value).__name__} cannot be stored")


def _array(_kind: Any, value: Any) -> Any:
    return np.array(value, dtype=float)


_DECODER = msgspec.msgpack.Decoder(Findings, dec_hook=_array)
