"""Whether a measure sees the texts of a corpus: what it drops of them, said, and refused where it is most."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.errors import MeasureError
from meta_eval.measures.base import Measure
from meta_eval.measures.words.coverage import Seen, is_mostly_latin

MOST_UNSEEN = 0.005
"""A larger share of letters that are dropped, or not cut into words, is said: about one word in forty."""
BLIND = 0.5
"""Texts of which a larger share is not seen have no score."""
FEWEST_WORDS, LONG_ENOUGH = 2.0, 20
"""Fewer words a text are said, where texts have so many letters."""
ALONE = (
    "Without weighing distances by the documents (--normalise none, or so in the form of a report) the "
    "summaries can be scored."
)
HINT = (
    'Name the language of the corpus ("lang" of its documents, or of all of it on the site), or choose how '
    "words are found: unicode, or char (--tokeniser, or Words in the form of a report)."
)
HINT_OF_MODEL = (
    "Name the language of the corpus, by which bertscore chooses its model, or give the measure a model that "
    "knows the script (its option model, on the command line)."
)
HINT_OF_CODE = (
    "Mode kdm repeats the released code, whatever the language: take mode paper to choose how texts are read."
)
WORD_PIECES = "word pieces of its model"
"""What the words of a measure with a model are called."""


class UnseenTextsError(MeasureError):
    """A measure does not see the texts that it was to compare: its scores would rest on nothing."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a measure's tokeniser makes of the texts that are scored, by whose they are.

    `remark` says what the measure leaves out in the languages of the corpus, `hint` what can be done where it
    does not see them; `refuses` is False for the released code, which is repeated as it is.
    """

    tokenizer: str
    references: Seen
    systems: Mapping[str, Seen]
    documents: Seen | None = None
    remark: str = ""
    hint: str = HINT
    refuses: bool = True

    def record(self, system: str) -> dict[str, Any]:
        """Of one system, as its score's record holds it."""
        parts = {"summaries": self.systems[system], "references": self.references}
        parts |= {"documents": self.documents} if self.documents else {}
        return {name: _shares(seen) for name, seen in parts.items()}

    def reason(self, system: str) -> str | None:
        """Why a system has no score, None where it has."""
        if not self.refuses:
            return None
        for whose, seen in self._parts_of(system):
            if seen.unseen_share > BLIND:
                said = f"With its words ({self.tokenizer}) the measure {_said(whose, _shares(seen))}."
                alone = f" {ALONE}" if whose == "the documents" else ""
                return f"{said}{alone} {self.hint}"
        return None

    def _parts_of(self, system: str) -> Iterator[tuple[str, Seen]]:
        yield "the references", self.references
        if self.documents:
            yield "the documents", self.documents
        yield f"the summaries of {system}", self.systems[system]


def look_at(
    corpus: Corpus, measure: Measure, systems: Sequence[str], *, with_documents: bool
) -> Coverage | None:
    """What a measure sees of the texts that are scored; None where it cannot tell.

    `measure` is settled for the corpus here, as where distances are made.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.measures import make_measure
    >>> texts = {"ann": "今天下雨", "bob": "明天天晴"}
    >>> corpus = Corpus((Document("d", "", "", texts, {"A": texts}),))
    >>> look_at(corpus, make_measure("rouge-l"), ["A"], with_documents=False).references.dropped_share
    1.0
    """
    measure = measure.settle(corpus)
    scored = [document for document in corpus.documents if document.is_scored]
    of = partial(measure.look, words=True)
    references = of(text for document in scored for text in document.references.values())
    if references is None:
        return None
    signature = measure.signature
    return Coverage(
        tokenizer=WORD_PIECES if signature.model else signature.tokenizer or "",
        references=references,
        systems={system: seen for system in systems if (seen := of(_written(scored, system)))},
        documents=measure.look((one.text for one in scored), words=False) if with_documents else None,
        remark=_remark(measure, corpus, scored),
        hint=hint_of(signature.as_dict()),
        refuses=signature.mode == "paper",
    )


def _remark(measure: Measure, corpus: Corpus, scored: Iterable[Document]) -> str:
    """What the measure leaves out; where nobody names a language, what its model does with another script."""
    if any(corpus.languages) or not measure.signature.model:
        return measure.remark(corpus.languages)
    texts = (text for document in scored for text in document.references.values())
    said = "" if is_mostly_latin(texts) else measure.remark(["und"])
    return f"{said}; no document names its language" if said else ""


def _written(documents: Iterable[Document], system: str) -> Iterator[str]:
    """The summaries of a system."""
    return (text for document in documents for text in document.summaries.get(system, {}).values())


def hint_of(signature: Mapping[str, Any]) -> str:
    """What can be done where the measure with this signature does not see texts.

    Examples
    --------
    >>> hint_of({"measure": "jsd", "mode": "kdm"})[:35]
    'Mode kdm repeats the released code,'
    """
    if signature.get("mode") == "kdm":
        return HINT_OF_CODE
    return HINT_OF_MODEL if signature.get("model") else HINT


def says_unseen(reason: str) -> bool:
    """Whether the reason why there is no score is that the measure does not see the texts."""
    return reason.endswith((HINT, HINT_OF_MODEL))


def unseen_systems(coverage: Coverage | None) -> dict[str, str]:
    """Why systems have no score, by system: the measure does not see what it was to compare."""
    if coverage is None:
        return {}
    reasons = {system: coverage.reason(system) for system in coverage.systems}
    return {system: reason for system, reason in reasons.items() if reason}


def describe_seen(coverage: Coverage | None, system: str) -> dict[str, Any]:
    """What a system's record says: `coverage`, the `reason` where there is no score, and the `remark`."""
    if coverage is None:
        return {"coverage": None, "reason": None, "remark": None}
    return {
        "coverage": coverage.record(system),
        "reason": coverage.reason(system),
        "remark": coverage.remark or None,
    }


def describe_coverage(measure: str, coverages: Mapping[str, Mapping[str, Any]], hint: str = HINT) -> str:
    """The warning that a measure does not see all of the texts, or makes few words of them; or nothing.

    Parameters
    ----------
    measure : str
        What it is called.
    coverages : mapping
        `Coverage.record` of each system.
    hint : str
        What can be done, from `hint_of`.

    Returns
    -------
    str

    Examples
    --------
    >>> seen = {"letters": 90, "letters_dropped": 0.3, "letters_undivided": 0.0, "words_per_text": 4.0}
    >>> describe_coverage("ROUGE-L", {"A": {"summaries": seen}})[:58]
    'ROUGE-L drops 30.0 % of the letters of the summaries of A.'
    """
    parts: dict[str, Mapping[str, Any]] = {}
    for system, record in coverages.items():
        for name, seen in record.items():
            parts[f"the summaries of {system}" if name == "summaries" else f"the {name}"] = seen
    worst = max(parts, key=lambda whose: _unseen_share(parts[whose]), default=None)
    if worst is not None and _unseen_share(parts[worst]) > MOST_UNSEEN:
        return f"{measure} {_said(worst, parts[worst])}. {hint}"
    few = [whose for whose, seen in parts.items() if _has_few_words(seen)]
    if few:
        return (
            f"{measure} finds fewer than {FEWEST_WORDS:g} words a text in {few[0]}, so that it hardly tells "
            f"one text from another. {hint}"
        )
    return ""


def _shares(seen: Seen) -> dict[str, Any]:
    return {
        "texts": seen.texts,
        "letters": seen.letters,
        "letters_dropped": seen.dropped_share,
        "letters_undivided": seen.undivided_share,
        "words_per_text": seen.words_per_text,
    }


def _unseen_share(seen: Mapping[str, Any]) -> float:
    return float(seen["letters_dropped"] + seen["letters_undivided"])


def _has_few_words(seen: Mapping[str, Any]) -> bool:
    words = seen["words_per_text"]
    return words is not None and words < FEWEST_WORDS and seen["letters"] > LONG_ENOUGH * seen["texts"]


def _said(whose: str, seen: Mapping[str, Any]) -> str:
    dropped, undivided = seen["letters_dropped"], seen["letters_undivided"]
    if dropped >= undivided:
        return f"drops {100 * dropped:.1f} % of the letters of {whose}"
    return f"does not cut {100 * undivided:.1f} % of the letters of {whose} into words"
