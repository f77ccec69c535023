"""PerSE as a measure of summarisers: would this reader have written this headline themselves?

`perse` is the judge's score of a system's summary for a reader under the profile of that reader. `perse-own`
is that score less the score of the same summary under the profiles of the document's other readers: what
fitting the reader adds. A system that writes one text for all readers of a document scores exactly 0 there,
whatever the judge: each profile's score is once added and, spread over the others, once taken away.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any, Literal

from meta_eval.corpus.documents import Corpus, Document, select_systems
from meta_eval.errors import InputError
from meta_eval.llm.forms import Score
from meta_eval.llm.prompts import Prompt, fence
from meta_eval.llm.questions import Message, Question, Request
from meta_eval.measures.base import Signature
from meta_eval.studies.perse.judged import Draws
from meta_eval.studies.perse.questions import HIGHEST, LOWEST, REASON_TOKENS
from meta_eval.studies.perse.texts import first_words

PerseMeasure = Literal["perse", "perse-own"]
PROFILE_WORDS, ARTICLE_WORDS = 300, 700
FORM = Score(LOWEST, HIGHEST, explain="reason")
NO_DISTANCE = "a judge scores one text; without a distance of two texts there is no such score"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPlan:
    """What is asked about a corpus: all that decides which requests there are.

    `size` articles of a reader in a profile; `documents` only so many, drawn by `seed`; `only` these
    documents, those of a survey; `own` whether other readers' profiles are asked, too; `shuffled` gives each
    reader the profile of another one, as a control.
    """

    size: int = 3
    seed: int = 0
    documents: int | None = None
    only: tuple[str, ...] | None = None
    systems: tuple[str, ...] | None = None
    own: bool = True
    shuffled: bool = False
    draws: int = 1

    def as_record(self) -> dict[str, Any]:
        """The plan as JSON holds it; `SummaryPlan.from_record` reads it."""
        return {
            "size": self.size,
            "seed": self.seed,
            "documents": self.documents,
            "only": None if self.only is None else list(self.only),
            "systems": None if self.systems is None else list(self.systems),
            "own": self.own,
            "shuffled": self.shuffled,
            "draws": self.draws,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "SummaryPlan":
        lists = {name: None if record[name] is None else tuple(record[name]) for name in ("only", "systems")}
        return cls(**{**record, **lists})


@dataclass(frozen=True, slots=True)
class AskedSummary:
    """What an answer is about: the summary of a system for a `reader` of a document, read as `judge`."""

    doc_id: str
    system: str
    reader: str
    judge: str
    draw: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.doc_id, self.system, self.reader, self.judge


@dataclass(frozen=True, slots=True)
class SummaryQuestions:
    """The questions about a corpus, the documents that they are about, and what was left out.

    `histories` are those of the readers of these documents alone: nobody else's are shown.
    """

    questions: list[tuple[AskedSummary, Question]]
    documents: tuple[str, ...]
    systems: tuple[str, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    histories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def reader_profiles(corpus: Corpus, document: Document, plan: SummaryPlan) -> dict[str, tuple[Document, ...]]:
    """For each reader of a document, `size` others for which they wrote a headline, drawn by seed.

    The same for all systems; never the document itself. A reader of no other document has no profile.
    """
    found = {}
    for reader in document.references:
        others = [one for one in corpus.documents if one.id != document.id and reader in one.references]
        drawn = Random(f"{plan.seed}\x1f{document.id}\x1f{reader}")  # noqa: S311 - drawn again by anybody
        if others:
            found[reader] = tuple(drawn.sample(others, min(plan.size, len(others))))
    return found


Histories = Mapping[str, Sequence[str]]
"""The titles that each reader chose to read, first read first."""


def summary_questions(
    corpus: Corpus, plan: SummaryPlan, prompt: Prompt, histories: Histories | None = None
) -> SummaryQuestions:
    """Whether each summary is what the reader would have written, and what the document's others say of it.

    Parameters
    ----------
    corpus : Corpus
        Has the texts; documents with one reader are left out, as they are of all scores.
    plan : SummaryPlan
    prompt : Prompt
        Of `load_prompt("judge-summaries")`.
    histories : mapping, optional
        What readers read before, shown with their profiles; never the title of the document itself.

    Returns
    -------
    SummaryQuestions
        A request holds past headlines of a reader, the article and one summary: no system, no reader's name,
        and no reference of the article itself.

    Raises
    ------
    InputError
        For a system or document that the corpus does not have, and where nothing can be asked.

    Examples
    --------
    >>> from meta_eval.llm.prompts import load_prompt
    >>> references = {"ann": "rain", "bob": "sun"}, {"ann": "wind", "bob": "ice"}
    >>> documents = [Document(str(at), "", "Rain.", own, {"A": own}) for at, own in enumerate(references)]
    >>> corpus = Corpus(tuple(documents))
    >>> found = summary_questions(corpus, SummaryPlan(size=1), load_prompt("judge-summaries"))
    >>> found.documents, len(found.questions)
    (('0', '1'), 8)
    """
    systems = select_systems(corpus, plan.systems)
    documents = _chosen(corpus, plan)
    left_out = {"readers_without_profile": 0, "missing_summaries": 0}
    questions: list[tuple[AskedSummary, Question]] = []
    known: dict[str, tuple[str, ...]] = {}
    read = histories or {}
    for document in documents:
        profiles = reader_profiles(corpus, document, plan)
        known |= {name: tuple(read[name]) for name in profiles if name in read}
        left_out["readers_without_profile"] += len(document.references) - len(profiles)
        shown = _shown(profiles, plan)
        for reader in document.references:
            judges = list(profiles) if plan.own else [reader] if reader in profiles else []
            for system in systems:
                summary = document.summaries.get(system, {}).get(reader)
                if summary is None:
                    left_out["missing_summaries"] += 1
                    continue
                for judge in judges:
                    messages = _messages(prompt, document, summary, shown[judge], read)
                    for draw in range(plan.draws):
                        asked = AskedSummary(document.id, system, reader, judge, draw)
                        request = Request(messages, FORM, REASON_TOKENS, draw)
                        questions.append((asked, Question("\x1f".join((*asked.key, str(draw))), request)))
    if not questions:
        raise InputError(
            "nothing can be asked: no document has two readers, one of them with another document, and "
            "a summary for one of the two"
        )
    # Requests about one article under one profile begin alike, and servers keep what begins alike.
    questions.sort(key=lambda one: (one[0].doc_id, one[0].judge))
    named = tuple(one.id for one in documents)
    return SummaryQuestions(questions, named, systems, left_out, known)


def _chosen(corpus: Corpus, plan: SummaryPlan) -> list[Document]:
    if unknown := sorted(set(plan.only or ()) - {one.id for one in corpus.documents}):
        raise InputError(f"the corpus has no document {', '.join(map(repr, unknown))}")
    found = [one for one in corpus.documents if one.is_scored and (plan.only is None or one.id in plan.only)]
    if plan.documents is not None and plan.documents < len(found):
        drawn = sorted(Random(plan.seed).sample(range(len(found)), plan.documents))  # noqa: S311
        found = [found[number] for number in drawn]
    return found


def _shown(
    profiles: Mapping[str, tuple[Document, ...]], plan: SummaryPlan
) -> dict[str, tuple[str, tuple[Document, ...]]]:
    """Whose headlines each reader's profile shows: their own, or as a control the next reader's."""
    readers = list(profiles)
    owners = readers[1:] + readers[:1] if plan.shuffled else readers
    return {reader: (owner, profiles[owner]) for reader, owner in zip(readers, owners, strict=True)}


def _messages(
    prompt: Prompt,
    document: Document,
    summary: str,
    shown: tuple[str, tuple[Document, ...]],
    histories: Histories,
) -> tuple[Message, ...]:
    owner, profile = shown
    article = first_words(document.body or document.title, ARTICLE_WORDS)
    past = [(first_words(one.body or one.title, PROFILE_WORDS), one.references[owner]) for one in profile]
    read = [title for title in histories.get(owner, ()) if title.strip() != document.title.strip()]
    line = fence([article, summary, *read, *(text for two in past for text in two)])
    return prompt.fill(
        FORM,
        profile="\n\n".join(
            f"Article {number}:\n{line}\n{text}\n{line}\nHeadline {number}:\n{line}\n{headline}\n{line}"
            for number, (text, headline) in enumerate(past, start=1)
        ),
        history="Titles that this reader chose to read:\n{0}\n{1}\n{0}".format(line, "\n".join(read))
        if read
        else "",
        fence=line,
        article=article,
        summary=summary,
    )


Scores = Mapping[tuple[str, str, str, str], float]
"""Scores from 1 to 10 by document, system, reader and the reader whose profile judged."""


def scores_of(said: Mapping[tuple[str, str, str, str], Draws]) -> Scores:
    """The mean over draws of each judged summary that has an answer."""
    return {key: draws.mean for key, draws in said.items() if draws.mean is not None}


@dataclass(frozen=True, slots=True)
class PerseScore:
    """One system under one measure: `accuracy`, None where no document has it, and by document."""

    measure: PerseMeasure
    system: str
    accuracy: float | None
    by_document: Mapping[str, float]


def perse_scores(
    scores: Scores, documents: Collection[str], systems: Sequence[str], *, own: bool = True
) -> list[PerseScore]:
    """`perse` of each system, and with `own` also `perse-own`.

    Parameters
    ----------
    scores : mapping
        From 1 to 10.
    documents, systems : the scored ones
    own : bool
        Whether other readers' profiles were asked.

    Returns
    -------
    list of PerseScore
        g = (score - 1) / 9. `perse` is the mean over documents of the mean over readers of g under their own
        profile, in [0, 1]; `perse-own` takes from it the mean of g under the profiles of the document's
        other readers, in [-1, 1]. Readers count there, as readers and as judges, who have a score under
        their own profile: so one text for all has exactly 0 where it is missing for some readers, too.
        Computed as fractions, so that what cancels is exactly 0.

    Examples
    --------
    >>> judged = {("d", "m", j, k): 7 if j == k else 4 for j in ("ann", "bob") for k in ("ann", "bob")}
    >>> [round(one.accuracy, 3) for one in perse_scores(judged, ["d"], ["m"])]
    [0.667, 0.333]
    """
    table: dict[tuple[str, str], dict[tuple[str, str], Fraction]] = {}
    for (document, system, reader, judge), score in scores.items():
        table.setdefault((document, system), {})[reader, judge] = (Fraction(score) - 1) / 9
    found = []
    for measure in ("perse", "perse-own")[: 1 + own]:
        of_readers = _own_scores if measure == "perse" else _gains
        for system in systems:
            by_document = {}
            for document in documents:
                values = of_readers(table.get((document, system), {}))
                if values:
                    by_document[document] = sum(values, Fraction(0)) / len(values)
            whole = sum(by_document.values(), Fraction(0)) / len(by_document) if by_document else None
            found.append(
                PerseScore(
                    measure,  # type: ignore[arg-type]  # one of the two above
                    system,
                    None if whole is None else float(whole),
                    {name: float(value) for name, value in by_document.items()},
                )
            )
    return found


def _own_scores(judged: Mapping[tuple[str, str], Fraction]) -> list[Fraction]:
    return [value for (reader, judge), value in judged.items() if reader == judge]


def _gains(judged: Mapping[tuple[str, str], Fraction]) -> list[Fraction]:
    """For each reader with an own score, g under the own profile less the mean under the others' with one."""
    readers = [reader for reader, judge in judged if reader == judge]
    found = []
    for reader in readers:
        others = [judged[reader, judge] for judge in readers if judge != reader and (reader, judge) in judged]
        if others:
            found.append(judged[reader, reader] - sum(others, Fraction(0)) / len(others))
    return found


def score_records(
    scores: Sequence[PerseScore], *, signature: Signature, left_out: Mapping[str, int]
) -> list[dict[str, Any]]:
    """One record a system and measure, with the fields of `score`: `aggregate` and `correlate` take it.

    `degress`, `egises` and `perseval` are None, with the reason: a judge gives no distance of two texts.
    """
    return [
        {
            "system": one.system,
            "measure": one.measure,
            "documents": len(one.by_document),
            "accuracy": one.accuracy,
            "degress": None,
            "egises": None,
            "perseval": None,
            "reason": NO_DISTANCE,
            "left_out": dict(left_out),
            "signature": {**signature.as_dict(), "measure": one.measure},
        }
        for one in scores
    ]
