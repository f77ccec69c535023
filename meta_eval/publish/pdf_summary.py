"""The first page of a report's PDF, which stands alone: the answer, what carries it, how to check it."""

from collections.abc import Iterator

from meta_eval.publish.figures import Picture
from meta_eval.publish.methods_statistics import count_text
from meta_eval.publish.pdf_page import Page
from meta_eval.report.opening import headline_and_rest, what_ratings_carry
from meta_eval.report.schema import Report

VERIFY = (
    "To check it: the sealed bundle of this report holds what it was computed from, and "
    "“python -m meta_eval verify BUNDLE.zip” recomputes every number."
)


def add_summary(page: Page, report: Report, picture: Picture | None, *, about: str, digest: str) -> None:
    """`about` is a line below the title, `digest` the SHA-256 of the report as JSON."""
    page.title_block([*subject_lines(report), about])
    page.heading("Answer")
    headline, rest = headline_and_rest(report.answer)
    page.headline(headline)
    page.paragraphs([rest] if rest else [])
    page.add_pictures([picture] if picture else [])
    page.heading("What the ratings can carry", level=2)
    page.bullets(f"{one.title}: {one.text}" for one in what_ratings_carry(report))
    if cautions := [*filter(None, [report.answer.declared]), *report.answer.cautions]:
        page.heading("What to beware of", level=2)
        page.bullets(cautions)
    page.heading("How to cite and check it", level=2)
    page.bullets([_citation(report, about, digest), VERIFY])


def subject_lines(report: Report) -> Iterator[str]:
    """What was asked and rated, how much of it, and what could not be computed."""
    subject, counts = report.subject, report.ratings
    yield f"Corpus: {subject.get('corpus', '')}. Question: {subject.get('question') or 'not known'}"
    yield f"{_facts(report)}."
    yield f"{counts['ratings']} ratings. {report.scale.in_words}"
    if "source_file" in subject:
        yield f"Collected elsewhere, uploaded from {subject['source_file']}, SHA-256 {subject['source_hash']}"
    if "snapshot_hash" in subject:
        yield f"Frozen on {subject['frozen_at'][:10]}, SHA-256 {subject['snapshot_hash']}"
    if counts["simulated_ratings"]:
        yield f"SIMULATED: a program, not people, made {counts['simulated_ratings']} of these ratings."
    yield from (
        f"Not computed: {failure.side} {failure.measure}: {failure.reason}" for failure in report.failures
    )


def _facts(report: Report) -> str:
    """How much was compared and rated, as far as the report knows it."""
    subject, plan, counts = report.subject, report.plan, report.ratings
    systems = len({row.system for row in report.leaderboard})
    parts = [count_text(systems, "system"), f"{count_text(plan['documents'], 'document')} surveyed"]
    if "corpus_documents" in subject:
        parts[-1] += f" of {subject['corpus_documents']:,}"
    if "source_file" in subject:
        parts.append(f"{count_text(plan['pairs'], 'pair')} rated")
    else:
        parts.append(f"{counts['completions']:,} of {plan['completions_wanted']:,} questionnaires completed")
    if subject.get("raters_known", True):
        parts.append(count_text(counts["raters"], "rater"))
    return ", ".join(parts)


def _citation(report: Report, about: str, digest: str) -> str:
    named = about or f"report on {report.subject.get('batch', '')}"
    version = report.versions.get("meta_eval", "")
    return (
        f"To cite it: Concord {version}, {named[0].lower()}{named[1:]}. "
        f"SHA-256 of its report.json: {digest}. The works behind it are in its references."
    )
