"""A methods paragraph to paste, its details for an appendix, and the works that both cite."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from meta_eval.publish.bibliography import WORKS, bibtex, cited
from meta_eval.publish.generated import generated_in_a_sentence
from meta_eval.publish.latex import escape_latex
from meta_eval.publish.long_form import without_paths
from meta_eval.publish.methods_details import EDP_READERS, ONE_TYPOGRAPHY, SHOWN_ONCE, WEIGHED, details_of
from meta_eval.publish.methods_statistics import count_text, listed, procedure_in_words
from meta_eval.ratings.rating import Ends
from meta_eval.report.answer import measure_title
from meta_eval.report.answerable import agreement_text, knows_plan
from meta_eval.report.limits import limits_of_report
from meta_eval.report.schema import Report
from meta_eval.scores.perseval import PenaltyOptions

Form = Literal["markdown", "latex"]

MOST_WORDS = 180
"""Of a methods paragraph, its citations not counted."""
_MOST_NAMED = 5
"""More measures than this are counted, not named; the details name them all."""
_LONGEST_QUESTION = 20
_USUAL = PenaltyOptions()
_KEY = rf"\[\[({'|'.join(WORKS)})\]\]"
_CITATION = re.compile(_KEY)
_CITED_TOGETHER = re.compile(rf"{_KEY}(?:\s*{_KEY})*")
"""Works cited one after the other, which share a bracket."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the paragraph. One with a `rank` is left out where room is short, the highest first."""

    text: str
    rank: int = 0


def methods_paragraph(report: Report, *, form: Form = "markdown") -> str:
    r"""How the study was done, in 120 to 180 words; cited as [@key] (Markdown) or \cite{key} (LaTeX)."""
    return _written([_paragraph(without_paths(report))], form)


def methods_details(report: Report, *, form: Form = "markdown") -> str:
    """Every option, count and limit behind the paragraph, for an appendix; cited in the same way."""
    return _written(details_of(without_paths(report)), form)


def methods_in_words(report: Report) -> str:
    """The paragraph with authors and years in place of keys."""
    return _with_authors(_paragraph(report))


def details_in_words(report: Report) -> list[str]:
    """The paragraphs of the details with authors and years in place of keys."""
    return [_with_authors(text) for text in details_of(report)]


def methods_bibtex(report: Report) -> str:
    """The works that paragraph and details cite."""
    return bibtex(cited_works(report))


def cited_works(report: Report) -> list[str]:
    """Keys of the works that paragraph and details cite, in order."""
    text = " ".join([_paragraph(report), *details_of(report)])
    return sorted({found[1] for found in _CITATION.finditer(text)})


def count_words(text: str) -> int:
    """The words of a paragraph without its citations: [[key]], [@key; @key] or \\cite{key,key}."""
    return len(re.sub(r"\s*(\[\[\w+\]\]|\[@[\w@; ]+\]|\\cite\{[\w,]+\})", "", text).split())


def _written(paragraphs: Sequence[str], form: Form) -> str:
    text = "\n\n".join(paragraphs if form == "markdown" else map(escape_latex, paragraphs))
    return _cite(text, _in_markdown if form == "markdown" else _in_latex) + "\n"


def _in_markdown(keys: Sequence[str]) -> str:
    return f"[@{'; @'.join(keys)}]"


def _in_latex(keys: Sequence[str]) -> str:
    return f"\\cite{{{','.join(keys)}}}"


def _with_authors(text: str) -> str:
    return _cite(text, lambda keys: f"({'; '.join(map(_author_year, keys))})")


def _cite(text: str, bracket: Callable[[Sequence[str]], str]) -> str:
    """The text with one bracket for all works that are cited together."""
    return _CITED_TOGETHER.sub(lambda found: bracket(_CITATION.findall(found[0])), text)


def _author_year(key: str) -> str:
    work = WORKS[key]
    authors = [name.partition(",")[0] for name in work.author.split(" and ")]
    names = f"{authors[0]} et al." if len(authors) > 2 else " and ".join(authors)
    return f"{names}, {work.year}"


def _paragraph(report: Report) -> str:
    """The sentences that must stand, and as many of the others as there is room for."""
    sentences = list(_sentences(report))
    while count_words(" ".join(one.text for one in sentences)) > MOST_WORDS:
        least = max(sentences, key=lambda one: one.rank)
        if not least.rank:
            break
        sentences.remove(least)
    return " ".join(one.text for one in sentences)


def _sentences(report: Report) -> Iterator[Sentence]:
    yield from _survey(report)
    yield from _ratings(report)
    yield from _scores(report)
    yield from (Sentence(text, rank) for text, rank in procedure_in_words(report))
    if report.answer.answerable is False:
        yield Sentence(f"The ratings carry no answer: {report.answer.reasons[0].why}.")
    version = report.versions.get("meta_eval", "")
    listed_there = "options and limits" if limits_of_report(report) else "every option"
    yield Sentence(f"The appendix lists {listed_there} (meta_eval {version}).")


def _survey(report: Report) -> Iterator[Sentence]:
    subject, plan = report.subject, report.plan
    systems = {row.system for row in report.leaderboard if row.side == "human"}
    yield Sentence(
        f"Raters judged {count_text(plan['pairs'], 'pair')} of texts on "
        f"{count_text(plan['documents'], 'document')} of the corpus “{subject['corpus']}”, written for "
        f"two readers by one of {count_text(len(systems), 'system')} or by the readers themselves (gold)."
    )
    yield from (Sentence(text, 3) for text in generated_in_a_sentence(report))
    if "source_file" in subject:
        yield Sentence("They were collected elsewhere; how they were sampled is not known.")
    elif not knows_plan(subject):
        yield Sentence("How raters and pairs were sampled is not known.")
    question = subject["question"]
    if question and len(question.split()) <= _LONGEST_QUESTION:
        yield Sentence(f"They were asked: “{question}”", 4)
    if "document_shown" in subject:
        yield Sentence(_DOCUMENT[subject["document_shown"]], 1)
    if subject.get("equal_pairs_once"):
        yield Sentence(SHOWN_ONCE, 1)
    if subject.get("one_typography"):
        yield Sentence(ONE_TYPOGRAPHY, 1)


_DOCUMENT = {
    True: "Raters could read the document beside its pairs.",
    False: "Raters saw the pairs alone, without the document.",
}


def _ratings(report: Report) -> Iterator[Sentence]:
    found, ends = report.ratings, Ends.from_record(report.options)
    known = report.subject.get("raters_known", True)
    who = count_text(found["raters"], "rater") if known else "They"
    asides = "; ".join(_asides(report))
    yield Sentence(
        f"{who} gave {count_text(found['ratings'], 'rating')} of {report.scale.direction} from "
        f"{ends.lowest} to {ends.highest}{f' ({asides})' if asides else ''}."
    )
    study = report.inference.agreement if report.inference else None
    told = any(reason.what == "agreement" for reason in report.answer.reasons[:1])
    if study and study.alpha and study.alpha.ci_low is not None and not told:
        yield Sentence(f"They agreed with {agreement_text(study)} [[krippendorff2004content]].")
    yield from _unrated(report)


def _asides(report: Report) -> Iterator[str]:
    """What was planned, where that is known, and what a program made."""
    planned, simulated = report.plan["raters_per_questionnaire"], report.ratings["simulated_ratings"]
    if knows_plan(report.subject):
        yield f"{planned} a pair {_were(planned)} planned"
    if simulated:
        yield f"{simulated:,} {_were(simulated)} simulated by a program"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


_UNRATED = {"pairs_unrated": "not rated", "pairs_too_few": "rated too seldom"}
"""What is left out of the human scores, of the counts of a report."""


def _unrated(report: Report) -> Iterator[Sentence]:
    counts = {row.what: row.count for row in report.left_out if row.count}
    parts = [
        f"{counts[what]:,} {_were(counts[what])} {said}" for what, said in _UNRATED.items() if what in counts
    ]
    if parts:
        planned = "planned " if knows_plan(report.subject) else ""
        yield Sentence(f"Of the {planned}pairs {listed(parts)}.", 2)
    if given_up := counts.get("pairs_not_judged"):  # they are among these
        yield Sentence(
            f"Raters could not judge {count_text(given_up, 'pair')}, which {_were(given_up)} given up.", 2
        )


def _scores(report: Report) -> Iterator[Sentence]:
    options = report.options
    names = [name for name in ("alpha", "beta", "gamma") if options[name] != getattr(_USUAL, name)]
    penalty = f" ({listed(f'{name} {options[name]:g}' for name in names)})" if names else ""
    least = count_text(options["min_raters"], "rating")
    yield Sentence(
        f"The mean rating r of a pair ({least} or more) became the divergence {report.scale.divergence}; "
        "divergences gave DEGRESS-HJ, EGISES-HJ [[vansh2023egises]] and PerSEval-HJ "
        f"[[dasgupta2024perseval]]{penalty}."
    )
    human, automatic = (_measures(report, side) for side in ("human", "automatic"))
    surrogates = "the same measures" if human == automatic else human
    yield Sentence(f"Automatic scores used {automatic}; distances that nobody rates came from {surrogates}.")
    yield Sentence(EDP_READERS[options["edp_readers"]], 6)
    yield Sentence(WEIGHED[options["normalise"] == "document"], 5)


def _measures(report: Report, side: str) -> str:
    names = list(dict.fromkeys(row.measure for row in report.signatures if row.side == side))
    if len(names) > _MOST_NAMED or not names:
        return count_text(len(names), "measure")
    return listed(f"{measure_title(name)}{cited(name)}" for name in names)
