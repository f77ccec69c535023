"""Whether a model knows the works that people reviewed: it is asked for their titles (the paper, appendix A).

What it knows it may have read reviews of, so agreement on these works is told apart from that on the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT
from meta_eval.errors import InputError
from meta_eval.files.headers import lacking_columns
from meta_eval.files.reading import Faults
from meta_eval.files.tables import read_table
from meta_eval.llm.asking import Answer
from meta_eval.llm.forms import Text
from meta_eval.llm.prompts import Prompt, fence
from meta_eval.llm.questions import Question, Request
from meta_eval.studies.folding import title_words
from meta_eval.studies.perse.agreement import PersonDraws, ScoredCase, score_agreement
from meta_eval.studies.perse.cases import ReviewCase

TITLE_TOKENS = 48
UNKNOWN = "unknown"
"""What a model is to answer where it does not know the work."""
FORM = Text()

Titles = Mapping[str, frozenset[str]]
"""The titles under which each item is known, case, punctuation and articles aside."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a model answered to the question for an item's title: `said`, or the `reason` why there is none.

    `memorised`: whether that is the title; None without an answer, and where "unknown" is the title itself.
    """

    item: str
    said: str | None
    memorised: bool | None
    reason: str | None = None

    def as_record(self, judge: str) -> dict[str, Any]:
        """As one line of a file."""
        return {
            "item": self.item,
            "judge": judge,
            "said": self.said,
            "memorised": self.memorised,
            "reason": self.reason,
        }


def read_titles(path: Path, cases: Iterable[ReviewCase]) -> dict[str, frozenset[str]]:
    """Titles from a CSV table with the columns `item` and `title`; an item may have several lines.

    Raises `InputError` for a table without these, an empty cell, and where no case is about one of its items.
    """
    faults, found = Faults(DEFAULT_FAULT_LIMIT), dict[str, set[str]]()
    rows = read_table(path, str(path), faults, lambda header: lacking_columns(header, ("item", "title")))
    for line, row in rows:
        item, title = row["item"].strip(), title_words(row["title"])
        if not item or not title:
            faults.add(str(path), line, "a line has an item and its title")
        else:
            found.setdefault(item, set()).add(" ".join(title))
    faults.raise_if_any()
    asked = {case.subject for case in cases}
    if not asked & found.keys():
        raise InputError(f"{path}: no review to be foretold is of an item that it names")
    return {item: frozenset(titles) for item, titles in found.items() if item in asked}


def title_questions(
    cases: Sequence[ReviewCase], titles: Titles, prompt: Prompt
) -> list[tuple[str, Question]]:
    """One question an item whose title is known: its text as judges see it, and nothing else.

    Parameters
    ----------
    cases : sequence of ReviewCase
    titles : mapping
        Of `read_titles`.
    prompt : Prompt
        Of `load_prompt("judge-title")`.

    Returns
    -------
    list of (str, Question)
        With the item, in the order of the cases.
    """
    texts: dict[str, str] = {}
    for case in cases:
        if case.subject in titles:
            texts.setdefault(case.subject, case.query.text)
    found = []
    for item, text in texts.items():
        messages = prompt.fill(FORM, fence=fence([text]), text=text)
        found.append((item, Question(f"title\x1f{item}", Request(messages, FORM, TITLE_TOKENS))))
    return found


def name_items(
    asked: Sequence[tuple[str, Question]], answers: Sequence[Answer], titles: Titles
) -> dict[str, Named]:
    """By item what the model called it; memorised is an item whose title it gave exactly.

    Examples
    --------
    >>> said = [("x", None), ("y", None)], [Answer("", "A Rain", None), Answer("", "unknown", None)]
    >>> found = name_items(*said, {"x": frozenset(["rain"]), "y": frozenset(["sun"])})
    >>> [one.memorised for one in found.values()]
    [True, False]
    """
    found = {}
    for (item, _), answer in zip(asked, answers, strict=True):
        said = answer.value if isinstance(answer.value, str) else None
        found[item] = Named(item, said, _is_title(said, titles[item]), answer.reason)
    return found


def _is_title(said: str | None, titles: frozenset[str]) -> bool | None:
    """Whether it is one of the titles; None where nobody can tell."""
    words = " ".join(title_words(said or ""))
    if said is None or (words == UNKNOWN and words in titles):
        return None
    return words in titles


def memorisation(
    scored: Sequence[ScoredCase],
    items: Sequence[str],
    named: Mapping[str, Named],
    draws: PersonDraws,
) -> dict[str, Any]:
    """How many items a model named, and its agreement with persons over these and over the others apart.

    Parameters
    ----------
    scored : sequence of ScoredCase
    items : sequence of str
        What each case is about.
    named : mapping
        Of `name_items`; a case about another item is in neither part.
    draws : PersonDraws
        Of the persons of all cases; those of a part are drawn as these are.

    Returns
    -------
    dict
        `items` asked about, `answered`, `memorised`, their `share` of those answered, and for the parts
        `memorised` and `others` what `score_agreement` gives; None for a part without cases.
    """
    answers = [one.memorised for one in named.values()]
    known = [one for one in answers if one is not None]
    parts: dict[str, dict[str, Any] | None] = {}
    for part, wanted in (("memorised", True), ("others", False)):
        own = [
            case
            for case, item in zip(scored, items, strict=True)
            if item in named and named[item].memorised is wanted
        ]
        parts[part] = score_agreement(own, draws.of([case.person for case in own])) if own else None
    return {
        "items": len(answers),
        "answered": len(known),
        "memorised": sum(known),
        "share": sum(known) / len(known) if known else None,
        "agreement": parts,
    }
