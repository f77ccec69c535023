"""The human evaluation datasheet as a PDF of its own: what nobody has answered yet is no part of a report."""

from collections.abc import Sequence
from typing import IO

from meta_eval.publish.heds import SECTIONS, SOURCE, Entry
from meta_eval.publish.heds.writing import answer_lines, summary
from meta_eval.publish.pdf_page import Page

TITLE = "Human evaluation datasheet (HEDS 3.0)"


def write_datasheet_pdf(
    stream: IO[bytes], entries: Sequence[Entry], *, batch: str = "", about: str = ""
) -> None:
    """Write every question of the form with its answer, or the mark that it is the researcher's.

    The same input gives the same bytes on machines with the same fonts.
    """
    page = Page(f"{TITLE}: {batch}" if batch else TITLE)
    page.title_block([about])
    page.paragraphs([summary(entries), f"{SOURCE}."])
    for section, title in SECTIONS.items():
        page.heading(f"{section} {title}")
        for entry in (entry for entry in entries if entry.question.section == section):
            page.question(f"{entry.question.number} {entry.question.label}", answer_lines(entry))
    stream.write(page.as_bytes())
