"""The whole report as one PDF to read and to print: answer, tables, figures, raters, methods."""

from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

from meta_eval.publish import pdf_tables as tables
from meta_eval.publish.bibliography import WORKS
from meta_eval.publish.heds import Entry
from meta_eval.publish.long_form import without_paths
from meta_eval.publish.methods import cited_works, methods_in_words
from meta_eval.publish.pdf_page import Page
from meta_eval.publish.robustness import members_in_words, robustness_tables
from meta_eval.publish.studies import studies
from meta_eval.report.beside import lay_out
from meta_eval.report.view import KINDS, View, choose_view
from meta_eval.scores.names import SCORES

Report = Mapping[str, Any]


ACCURACY_NOTE = (
    "1 − the mean distance of a summary from its reader's reference, which PerSEval's penalty is made of. "
    "Higher is better; in brackets the rank."
)
PUBLISHED_NOTE = (
    "In each cell ours, and in brackets the published number. Ranks: how alike ours and theirs rank, over n "
    "numbers. A difference is no error by itself: other texts or options give other numbers."
)


def write_pdf(
    stream: IO[bytes],
    report: Report,
    *,
    figures: Mapping[str, bytes] | None = None,
    datasheet: Sequence[Entry] = (),
    about: str = "",
    view: View | None = None,
) -> None:
    """Write the report; `figures` are PNG images by caption, `about` a line below the title.

    The `datasheet` follows at the end. `view` is what the figures show; tables that hold for one surrogate
    alone are of its surrogate.

    Tables are rounded as on the page. The same input gives the same bytes.
    """
    report = without_paths(report)
    page = Page(f"Report on {report['subject'].get('batch', '')}")
    page.title_block([*_subject(report), about])
    page.section("Answer", [report["answer"]["sentence"]])
    page.bullets(report["answer"]["cautions"])
    page.add_table(
        "By PerSEval, mean over surrogates",
        *tables.ranking(report),
        heading="Measures",
        note=tables.RANKING_NOTE,
    )
    page.add_table(
        "Each two measures: the first one's mean tau-b less the other's", *tables.comparisons(report)
    )
    for kind, title in KINDS.items():
        for number, printed in enumerate(tables.leaderboards(report, kind)):
            caption = f"{title} of each system, with its rank"
            note = "" if number else tables.leaderboard_note(report, kind)
            page.add_table(caption, *printed, "" if number else title, note)
        page.note(tables.correlations_caption(report, kind))
        for coefficient, header, rows in tables.correlations(report, kind):
            page.add_table(f"{coefficient} of {title} with {title}-HJ", header, rows)
        _add_robustness(page, report, view or choose_view(report, {}), kind)
    _add_accuracy(page, report)
    _add_studies(page, report, view or choose_view(report, {}))
    _add_published(page, report)
    page.add_figures(figures or {})
    page.add_table(
        "Agreement of the raters", *tables.agreement(report), heading="Raters", note=tables.AGREEMENT_NOTE
    )
    page.add_table("Left out or set apart", *tables.left_out(report), heading="Left out")
    page.section("Methods", [methods_in_words(report)])
    page.section("References", [_reference(key) for key in cited_works(report)])
    page.add_table("Signatures of the measures", *tables.signatures(report), heading="Signatures")
    if datasheet:
        page.add_datasheet(datasheet)
    stream.write(page.as_bytes())


def _add_robustness(page: Page, report: Report, view: View, kind: str) -> None:
    if SCORES[kind].studied != kind:
        page.note("EGISES is 1 − DEGRESS on both sides: what holds of its coefficients stands with DEGRESS.")
        return
    for found in robustness_tables(report, view, kind):
        note = " ".join(filter(None, [found.note, members_in_words(found.table)]))
        page.add_table(found.title, *tables.robustness(found), note=note)


def _add_accuracy(page: Page, report: Report) -> None:
    for number, printed in enumerate(tables.leaderboards(report, "accuracy")):
        heading, note = ("", "") if number else ("Accuracy", ACCURACY_NOTE)
        page.add_table("Accuracy of each system, with its rank", *printed, heading, note)


def _add_studies(page: Page, report: Report, view: View) -> None:
    shown = [study for study in studies(report, view) if study.rows]
    for number, study in enumerate(shown):
        heading = "" if number else "Further questions"
        page.add_table(study.title, study.header, study.rows, heading, study.note)


def _add_published(page: Page, report: Report) -> None:
    found = [part for table in report.get("published") or () for part in lay_out(table)]
    if not found:
        return
    page.section("Published numbers", [PUBLISHED_NOTE])
    for table in found:
        page.add_table(f"{table.title}: {table.file}", *tables.published(table))
        if not table.lines:
            page.note(f"{table.title}: {table.file}. Nothing of it matches.")
        for words in (*table.remarks, *table.only):
            page.note(words)


def _subject(report: Report) -> Iterator[str]:
    subject, found = report["subject"], report["ratings"]
    yield f"Corpus: {subject.get('corpus', '')}. Question: {subject.get('question') or 'not known'}"
    yield f"{found['ratings']} ratings. {report['scale']['in_words']}"
    if "source_file" in subject:
        yield f"Collected elsewhere, uploaded from {subject['source_file']}, SHA-256 {subject['source_hash']}"
    if "snapshot_hash" in subject:
        yield f"Frozen on {subject['frozen_at'][:10]}, SHA-256 {subject['snapshot_hash']}"
    if found["simulated_ratings"]:
        yield f"SIMULATED: a program, not people, made {found['simulated_ratings']} of these ratings."
    yield from (
        f"Not computed: {failure['side']} {failure['measure']}: {failure['reason']}"
        for failure in report["failures"]
    )


def _reference(key: str) -> str:
    work = WORKS[key]
    author, title = (text.replace("{\\'e}", "é").replace("\\&", "&") for text in (work.author, work.title))
    return f"{author.replace(' and ', '; ')} ({work.year}). {title}. {work.place}."
