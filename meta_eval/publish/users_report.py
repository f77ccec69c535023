"""The report on summaries of users: one order of blocks, drawn as an HTML page and as a PDF."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from meta_eval.publish.html_page import HtmlPage
from meta_eval.publish.pdf_page import Page
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
    score_sentences,
    scores_grid,
)
from meta_eval.studies.users.trails import read_trail, trail_lines

REPORT_FILES = ("report.html", "report.pdf")
TRAILS = 10
"""Users whose trail a report shows, of each file; the files have them all."""


def make_report(
    results: Results,
    *,
    title: str,
    labels: Sequence[Label] | None = None,
    trails: Sequence[Path] = (),
    resampling: Resampling | None = None,
) -> tuple[bytes, bytes]:
    """The report as HTML and as a PDF with a structure for screen readers.

    Parameters
    ----------
    results : Results
        Of one run over tasks.
    title : str
        What stands above it.
    labels : sequence of Label, optional
        People's, for the part on agreement.
    trails : sequence of Path
        Files of `users summarise`, for the part on how summaries came about.
    resampling : Resampling, optional
        Of the intervals between approaches and of agreement.

    Returns
    -------
    (bytes, bytes)
        The same input gives the same bytes; a PDF on machines with the same fonts.

    Raises
    ------
    InputError
        For labels of none of the summaries, and a file that is no trail.
    """
    agreement = (
        None if labels is None else agree_with_people(results.qualities, labels, resampling=resampling)
    )
    several = len({one.approach for one in results.qualities}) > 1
    compared = (
        compare_approaches(results.qualities, limit=results.limit, resampling=resampling) if several else []
    )
    read = [(path.name, read_trail(path)) for path in trails]
    pages: tuple[HtmlPage | Page, ...] = (HtmlPage(title), Page(title))
    for page in pages:
        _lay_out(page, results, compared, agreement, read)
    html, pdf = (page.as_bytes() for page in pages)
    return html, pdf


def _lay_out(
    page: HtmlPage | Page,
    results: Results,
    compared: Sequence[dict[str, Any]],
    agreement: Sequence[dict[str, Any]] | None,
    trails: Sequence[tuple[str, Sequence[dict[str, Any]]]],
) -> None:
    run, scores = results.run, results.scores
    users = len({one.user for one in results.qualities})
    page.title_block(
        [
            f"UserSumBench: {users} users, {len(results.qualities)} summaries, predictions by the "
            f"model {run['predictor']}",
            f"A summary is good where at least {_threshold(run['at_least'])} are answered right; it may have "
            f"{run['limit']} words.",
        ]
    )
    page.heading("Answer")
    page.paragraphs(score_sentences(scores))
    page.bullets(cautions(scores, run))
    page.add_grid(scores_grid(scores), "Scores")
    page.add_grid(controls_grid(scores), "Are they about their users?")
    page.add_grid(comparison_grid(compared), "Approaches beside each other")
    if agreement is not None:
        page.add_grid(agreement_grid(agreement), "Do people agree?")
        page.bullets(
            f"{one['approach']}: {count} {reason}"
            for one in agreement
            for reason, count in one["left_out"].items()
        )
    page.add_grid(kinds_grid(run), "Kinds of task")
    page.add_grid(decisions_grid(), "Decisions")
    page.note(SOURCE + ".")
    for name, records in trails:
        page.heading(f"How summaries came about: {name}")
        page.note(f"The first {min(TRAILS, len(records))} of {len(records)} users; {name} has them all.")
        for record in records[:TRAILS]:
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
