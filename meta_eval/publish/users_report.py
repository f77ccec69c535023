"""The report on summaries of users: one order of blocks, drawn as an HTML page and as a PDF."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from meta_eval.publish.html_page import HtmlPage
from meta_eval.publish.pdf_page import Page
from meta_eval.report.tables.grid import Grid
from meta_eval.studies.users.agreement import Label, agree_with_people
from meta_eval.studies.users.comparing import Resampling, compare_approaches
from meta_eval.studies.users.decisions import SOURCE
from meta_eval.studies.users.results import Results
from meta_eval.studies.users.tables import (
    agreement_grid,
    cautions,
    comparison_grid,
    controls_grid,
    decisions_grid,
    kinds_grid,
    log_scores_grid,
    score_sentences,
    scores_grid,
)
from meta_eval.studies.users.trails import read_trail, trail_lines

REPORT_FILES = ("report.html", "report.pdf")
TRAILS = 10
"""Users whose trail a report shows, of each file; the files have them all."""


_OF_RUN = (
    "predictor", "at_least", "limit", "model", "prompt", "prompt_version", "prompt_digest", "questions",
    "answered", "left_out", "tasks_by_kind", "log_scores", "signature_line",
)  # fmt: skip
_OF_SCORES = (
    "approach", "summaries", "words", "qm", "ifm", "idm", "accuracy", "chance", "intervals", "controls",
    "over_other", "left_out",
)  # fmt: skip
"""What a report shows; results may hold more, which is not kept twice."""


class Blocks(Protocol):
    """What draws a report: an HTML file, a PDF, a page of the site."""

    def title_block(self, lines: Iterable[str]) -> None: ...

    def heading(self, text: str, level: int = 1) -> None: ...

    def paragraphs(self, texts: Iterable[str]) -> None: ...

    def note(self, text: str) -> None: ...

    def bullets(self, lines: Iterable[str]) -> None: ...

    def add_grid(self, grid: Grid, heading: str = "") -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """How summaries of one file came about: of how many users it tells, and the first of them."""

    name: str
    users: int
    first: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that a report shows, computed once: JSON can hold it, and every drawing is made from it."""

    run: dict[str, Any]
    scores: list[dict[str, Any]]
    users: int
    summaries: int
    compared: list[dict[str, Any]]
    agreement: list[dict[str, Any]] | None
    trails: list[Trail]

    def as_record(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        """What `as_record` gave."""
        return cls(**{**record, "trails": [Trail(**one) for one in record["trails"]]})


def find(
    results: Results,
    *,
    labels: Sequence[Label] | None = None,
    trails: Sequence[Path] = (),
    resampling: Resampling | None = None,
) -> Findings:
    """What a report shows of one run over tasks.

    Parameters
    ----------
    results : Results
        Of one run over tasks.
    labels : sequence of Label, optional
        People's, for the part on agreement.
    trails : sequence of Path
        Files of `users summarise`, for the part on how summaries came about.
    resampling : Resampling, optional
        Of the intervals between approaches and of agreement.

    Raises
    ------
    InputError
        For labels of none of the summaries, and a file that is no trail.
    """
    agreement = (
        None if labels is None else agree_with_people(results.qualities, labels, resampling=resampling)
    )
    several = len({one.approach for one in results.qualities}) > 1
    read = [(path.name, *read_trail(path, first=TRAILS)) for path in trails]
    return Findings(
        run={name: results.run[name] for name in _OF_RUN if name in results.run},
        scores=[{name: one[name] for name in _OF_SCORES if name in one} for one in results.scores],
        users=len({one.user for one in results.qualities}),
        summaries=len(results.qualities),
        compared=compare_approaches(results.qualities, limit=results.limit, resampling=resampling)
        if several
        else [],
        agreement=agreement,
        trails=[Trail(name=name, users=users, first=first) for name, users, first in read],
    )


def make_report(
    results: Results,
    *,
    title: str,
    labels: Sequence[Label] | None = None,
    trails: Sequence[Path] = (),
    resampling: Resampling | None = None,
) -> tuple[bytes, bytes]:
    """The report as HTML and as a PDF with a structure for screen readers: `find`, then both drawings.

    The same input gives the same bytes; a PDF on machines with the same fonts.
    """
    found = find(results, labels=labels, trails=trails, resampling=resampling)
    return report_html(found, title), report_pdf(found, title)


def report_html(found: Findings, title: str) -> bytes:
    """One HTML file that loads nothing."""
    page = HtmlPage(title)
    lay_out(page, found)
    return page.as_bytes()


def report_pdf(found: Findings, title: str) -> bytes:
    """A PDF with a structure for screen readers."""
    page = Page(title)
    lay_out(page, found)
    return page.as_bytes()


def lay_out(page: Blocks, found: Findings) -> None:
    """The blocks of the report, in their order."""
    run, scores = found.run, found.scores
    page.title_block(
        [
            f"UserSumBench: {found.users} users, {found.summaries} summaries, predictions by the "
            f"model “{run['predictor']}”",
            f"A summary is good where at least {_threshold(run['at_least'])} are answered right; it may have "
            f"{run['limit']} words.",
        ]
    )
    page.heading("Answer")
    page.paragraphs(score_sentences(scores))
    page.bullets(cautions(scores, run))
    page.add_grid(scores_grid(scores), "Scores")
    page.add_grid(controls_grid(scores), "Are they about their users?")
    page.add_grid(comparison_grid(found.compared), "Approaches beside each other")
    if found.agreement is not None:
        page.add_grid(agreement_grid(found.agreement), "Do people agree?")
        page.bullets(
            f"{one['approach']}: {count} {reason}"
            for one in found.agreement
            for reason, count in one["left_out"].items()
        )
    page.add_grid(kinds_grid(run), "Kinds of task")
    page.add_grid(log_scores_grid(run), "How sure the model was")
    page.add_grid(decisions_grid(), "Decisions")
    page.note(SOURCE + ".")
    for trail in found.trails:
        page.heading(f"How summaries came about: {trail.name}")
        page.note(f"The first {len(trail.first)} of {trail.users} users; {trail.name} has them all.")
        for record in trail.first:
            page.heading(f"{record['user']}, {record['approach']}", level=2)
            page.bullets(trail_lines(record))
    page.heading("How it was made")
    page.paragraphs(
        [
            f"Model {run['model']}, prompt {run['prompt']} version {run['prompt_version']} "
            f"({run['prompt_digest'][:16]}), {run['questions']} questions, {run['answered']} answered.",
            f"Signature: {run['signature_line']}",
        ]
    )


def _threshold(text: str) -> str:
    return f"{text.removesuffix('%')} % of its tasks" if text.endswith("%") else f"{text} tasks"
