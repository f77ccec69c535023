"""Which pairs a model rates, and the questions about them: two texts, and nothing of where they are from."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.errors import InputError
from meta_eval.llm.forms import Score
from meta_eval.llm.prompts import Prompt, fence
from meta_eval.llm.questions import Question, Request
from meta_eval.ratings.rating import RatedPair, rated_pair
from meta_eval.studies.judging.wording import Wording

EXPLAINED_TOKENS, BARE_TOKENS = 512, 48
"""The longest answer with an explanation, and without."""


@dataclass(frozen=True, slots=True)
class AskedPair:
    """One question: the pair, whether its second text stands first, and the number of the draw."""

    pair: RatedPair
    flipped: bool
    draw: int

    @property
    def id(self) -> str:
        """Of the answer; it is never sent."""
        pair = self.pair
        order = "ba" if self.flipped else "ab"
        return "\x1f".join((pair.doc_id, pair.system, pair.reader_a, pair.reader_b, order, str(self.draw)))


def corpus_pairs(
    corpus: Corpus, *, systems: Collection[str] | None = None, documents: int | None = None, seed: int = 0
) -> list[RatedPair]:
    """Every pair of texts that a system (or `GOLD`) wrote for two readers of a document.

    Parameters
    ----------
    corpus : Corpus
    systems : collection of str, optional
        Only these, and the gold pairs.
    documents : int, optional
        Only so many of those that have a pair, drawn by `seed`.

    Returns
    -------
    list of RatedPair
        Document by document, in the order of the corpus.

    Raises
    ------
    InputError
        For a system that the corpus does not have, and where there is no pair.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> corpus_pairs(Corpus((Document("d", "", "Rain and sun.", own, {"A": own}),)))[0]
    RatedPair(doc_id='d', system='user', reader_a='ann', reader_b='bob')
    """
    if unknown := sorted(set(systems or ()) - set(corpus.systems)):
        raise InputError(f"the corpus has no system {', '.join(map(repr, unknown))}")
    found = [pairs for one in corpus.documents if (pairs := list(_document_pairs(one, systems)))]
    if not found:
        raise InputError("the corpus has no document with two readers, so there is no pair to rate")
    if documents is not None and documents < len(found):
        # Drawing is reproducible, not secret.
        drawn = sorted(Random(seed).sample(range(len(found)), documents))  # noqa: S311
        found = [found[number] for number in drawn]
    return [pair for pairs in found for pair in pairs]


def _document_pairs(document: Document, systems: Collection[str] | None) -> Iterator[RatedPair]:
    for reader_a, reader_b in combinations(sorted(document.references), 2):
        for system in (GOLD, *document.summaries):
            texts = _texts(document, system)
            wanted = system == GOLD or systems is None or system in systems
            if wanted and reader_a in texts and reader_b in texts:
                yield rated_pair(document.id, system, reader_a, reader_b)


def pair_questions(
    corpus: Corpus,
    pairs: Iterable[RatedPair],
    *,
    wording: Wording,
    prompt: Prompt,
    explain: bool = False,
    both_orders: bool = True,
    draws: int = 1,
) -> list[tuple[AskedPair, Question]]:
    """The questions about pairs, each in both orders and as many draws as wanted.

    Parameters
    ----------
    corpus : Corpus
        Has the texts.
    pairs : iterable of RatedPair
    wording : Wording
        What raters read.
    prompt : Prompt
        Of `load_prompt("judge-pairs")`.
    explain : bool
        Whether a sentence of reasons is to stand before the rating.
    both_orders : bool
        Whether each pair is asked a second time with its texts changed over.
    draws : int
        How often each is asked.

    Returns
    -------
    list of (AskedPair, Question)
        What each question is about, and the question, which says nothing of it.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.llm.prompts import load_prompt
    >>> from meta_eval.studies.judging.wording import default_wording
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> corpus = Corpus((Document("d", "", "Rain and sun.", own, {"A": own}),))
    >>> wording, prompt = default_wording("similarity"), load_prompt("judge-pairs")
    >>> len(pair_questions(corpus, corpus_pairs(corpus), wording=wording, prompt=prompt))
    4
    """
    documents = {document.id: document for document in corpus.documents}
    form = Score(wording.ends.lowest, wording.ends.highest, explain="reason" if explain else None)
    most = EXPLAINED_TOKENS if explain else BARE_TOKENS
    found: list[tuple[AskedPair, Question]] = []
    for pair in pairs:
        document = documents[pair.doc_id]
        texts = _texts(document, pair.system)
        two = (texts[pair.reader_a], texts[pair.reader_b])
        for flipped in (False, True)[: 1 + both_orders]:
            messages = prompt.fill(form, **_places(document, two[::-1] if flipped else two, wording))
            for draw in range(draws):
                asked = AskedPair(pair, flipped, draw)
                found.append((asked, Question(asked.id, Request(messages, form, most, draw))))
    return found


def _places(document: Document, texts: Sequence[str], wording: Wording) -> dict[str, str]:
    shown = (document.title, document.body) if wording.document_shown else ()
    line = fence([*texts, *shown])
    article = "\n".join(filter(None, shown))
    return {
        "instructions": wording.instructions,
        "question": wording.question,
        "scale": wording.scale_line,
        "article": f"Article:\n{line}\n{article}\n{line}" if article else "",
        "fence": line,
        "first": texts[0],
        "second": texts[1],
    }


def _texts(document: Document, system: str) -> dict[str, str]:
    return dict(document.references if system == GOLD else document.summaries.get(system, {}))
