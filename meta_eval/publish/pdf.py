"""The whole report as one PDF to read and to print: a page that sums it up, tables, figures, methods."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import IO

from meta_eval.publish.bibliography import WORKS
from meta_eval.publish.figures import Picture
from meta_eval.publish.long_form import report_json, without_paths
from meta_eval.publish.methods import cited_works, details_in_words, methods_in_words
from meta_eval.publish.pdf_page import Page
from meta_eval.publish.pdf_summary import add_summary
from meta_eval.report.limits import limits_of_report
from meta_eval.report.numbers import LEVELS, UNSUPPORTED
from meta_eval.report.schema import Report
from meta_eval.report.shared import MARK, SAME_MEASURE
from meta_eval.report.tables.agreement import lay_out_agreement, lay_out_comparisons, lay_out_ranking
from meta_eval.report.tables.coefficients import (
    RATERS_NOTE,
    UNSUPPORTED_NOTE,
    given_note,
    lay_out_coefficients,
    penalty_note,
    with_surrogates,
)
from meta_eval.report.tables.further import lay_out_further
from meta_eval.report.tables.grid import Grid
from meta_eval.report.tables.judged import judged_sentences, lay_out_judged
from meta_eval.report.tables.participants import lay_out_participants
from meta_eval.report.tables.primary import lay_out_primary
from meta_eval.report.tables.prompts import lay_out_prompt_orders
from meta_eval.report.tables.published import lay_out_published
from meta_eval.report.tables.robustness import lay_out_robustness
from meta_eval.report.tables.scores import lay_out_accuracies, lay_out_leaderboard
from meta_eval.report.tables.sentinels import lay_out_sentinels
from meta_eval.report.tables.stand_in import STAND_IN_NOTE, lay_out_stand_in
from meta_eval.report.tables.stand_in_verdict import stand_in_sentence
from meta_eval.report.tables.studies import lay_out_left_out_counts, lay_out_signatures, lay_out_studies
from meta_eval.report.view import KINDS, View, choose_view
from meta_eval.scores.names import SCORES

PUBLISHED_NOTE = (
    "In each cell ours, and in brackets the published number. Ranks: how alike ours and theirs rank, over n "
    "numbers. A difference is no error by itself: other texts or options give other numbers."
)
_MOST_COLUMNS = 8


def write_pdf(
    stream: IO[bytes],
    report: Report,
    *,
    picture: Picture | None = None,
    figures: Sequence[Picture] = (),
    about: str = "",
    view: View | None = None,
) -> None:
    """Write the report; `picture` is of the answer, `about` a line below the title.

    The first page is a summary that stands alone. `view` is what the figures show; tables that hold for one
    surrogate alone are of its surrogate.

    Tables are rounded as on the page. The same input gives the same bytes on machines with the same fonts.
    """
    digest = hashlib.sha256(report_json(report).encode()).hexdigest()
    report = without_paths(report)
    seen = view or choose_view(report, {})
    page = Page(f"Report on {report.subject.get('batch', '')}")
    with page.summary():
        add_summary(page, report, picture, about=about, digest=digest)
    page.add_grid(lay_out_primary(report), heading="Declared primary")
    page.add_grid(lay_out_ranking(report), heading="Measures")
    page.add_grid(lay_out_comparisons(report))
    for kind, title in KINDS.items():
        _add_board(page, lay_out_leaderboard(report, kind), title)
        page.note(correlations_caption(report, kind))
        for grid in with_surrogates(lay_out_coefficients(report, kind)):
            page.add_grid(replace(grid, title=f"{grid.title} of {title} with {title}-HJ"))
        if SCORES[kind].studied == kind:
            page.add_grids(lay_out_robustness(report, seen, kind))
            page.add_grid(lay_out_sentinels(report, replace(seen, kind=kind)))
        else:
            page.note(
                "EGISES is 1 − DEGRESS on both sides: what holds of its coefficients stands with DEGRESS."
            )
    _add_board(page, lay_out_accuracies(report, ["accuracy"]), "Accuracy")
    page.add_grids(lay_out_studies(report, seen), "Further questions")
    page.add_grids(lay_out_further(report, seen))
    page.add_grid(lay_out_prompt_orders(report, seen), heading="Prompt paradoxes")
    _add_published(page, report)
    page.add_pictures(figures, heading="Figures")
    page.add_grid(lay_out_agreement(report), heading="Raters")
    _add_judge(page, report, seen)
    _add_models(page, report, seen)
    page.add_grid(lay_out_participants(report), heading="Participants")
    page.add_grid(lay_out_left_out_counts(report), heading="Left out")
    page.section("Methods", [methods_in_words(report)])
    page.section("Details of the methods", details_in_words(report))
    page.section("References", [_reference(key) for key in cited_works(report)])
    page.add_grid(lay_out_signatures(report), heading="Signatures")
    stream.write(page.as_bytes())


def _add_board(page: Page, board: Grid, heading: str) -> None:
    """One table, or one a side where both together are too wide for the page."""
    parts = [board]
    if len(board.columns) > _MOST_COLUMNS:
        groups = dict.fromkeys(column.group for column in board.columns)
        first, *rest = (board.of_group(group) for group in groups)
        parts = [first, *(replace(part, note="") for part in rest)]
    page.add_grids(parts, heading)


def correlations_caption(report: Report, kind: str) -> str:
    """What the numbers and marks of the tables of this score mean."""
    rows = [row for row in report.correlations if row.automatic == kind]
    inferred = [row for row in report.correlations if row.is_inferred]
    if not rows:
        return ""
    parts = ["Agreement with the raters, by measure (lines) and surrogate of the human score (columns)."]
    if report.inference and inferred:
        parts.append(f"Below each estimate its {report.inference.options.level:.0%} interval.")
        if any(row.p_raters is not None for row in rows):
            parts.append(f"Below that {RATERS_NOTE}")
        parts += limits_of_report(report)
        marks = ", ".join(f"{mark} p < {level}" for level, mark in reversed(LEVELS))
        parts.append(f"{marks}, adjusted over all coefficients of the score.")
        parts += filter(None, [report.answer.declared])
    if any(row.shared_input for row in rows):
        parts.append(f"{MARK} {SAME_MEASURE}")
    if report.inference and not all(row.may_be_supported(report.inference.options.alpha) for row in rows):
        parts.append(f"{UNSUPPORTED} {UNSUPPORTED_NOTE}")
    parts += filter(None, [penalty_note(rows), given_note(rows)])
    return " ".join(parts)


def _add_judge(page: Page, report: Report, view: View) -> None:
    """A judge of single summaries, where one was asked for."""
    if grids := lay_out_judged(report, view):
        page.section("Judged in readers' places", judged_sentences(report))
        page.add_grids(grids)


def _add_models(page: Page, report: Report, view: View) -> None:
    """Language models beside people, where they were asked for: each in a sentence, then the tables."""
    grids = lay_out_stand_in(report, view)
    if grids and report.inference:
        sentences = map(stand_in_sentence, report.inference.stand_in)
        page.section("Models beside people", [STAND_IN_NOTE, *sentences])
    for grid in grids:
        page.add_grid(grid)
        for words in grid.remarks:
            page.note(words)


def _add_published(page: Page, report: Report) -> None:
    grids = lay_out_published(report)
    if grids:
        page.section("Published numbers", [PUBLISHED_NOTE])
    for grid in grids:
        titled = replace(grid, title=f"{grid.title}: {grid.name}")
        page.add_grid(titled)
        if not grid.lines:
            page.note(f"{titled.title}. Nothing of it matches.")
        for words in grid.remarks:
            page.note(words)


def _reference(key: str) -> str:
    work = WORKS[key]
    author, title = map(_plain_letters, (work.author, work.title))
    return f"{author.replace(' and ', '; ')} ({work.year}). {title}. {work.place}."


_LETTERS = {"{\\'e}": "é", "{\\`e}": "è", "\\&": "&"}
"""What the bibliography writes as TeX."""


def _plain_letters(text: str) -> str:
    for written, letter in _LETTERS.items():
        text = text.replace(written, letter)
    return text
