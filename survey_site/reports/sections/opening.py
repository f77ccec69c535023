"""The first thing on a report's page: the answer, its picture, and what the ratings can carry."""

from collections.abc import Sequence
from dataclasses import dataclass

from meta_eval.publish.figures.describing import answer_alt
from meta_eval.publish.figures.picture import PictureRow, draw_picture, picture_rows
from meta_eval.report.opening import Carried, headline_and_rest, what_ratings_carry
from meta_eval.report.schema import Report


@dataclass(frozen=True)
class Opening:
    """The picture is drawn twice: for a page as wide as usual, and for a phone; `alt` says it in words."""

    headline: str
    rest: str
    wide: str
    narrow: str
    alt: str
    rows: Sequence[PictureRow]
    carried: Sequence[Carried]

    @property
    def has_bands(self) -> bool:
        return any(row.null_high is not None for row in self.rows)

    @property
    def has_ceilings(self) -> bool:
        return any(row.ceiling is not None for row in self.rows)

    @property
    def has_sentinels(self) -> bool:
        return any(row.sentinel for row in self.rows)


def open_report(report: Report) -> Opening:
    return Opening(
        *headline_and_rest(report.answer),
        draw_picture(report),
        draw_picture(report, narrow=True),
        answer_alt(report),
        picture_rows(report),
        what_ratings_carry(report),
    )
