"""How long the summaries of each system are: what a measure should not mistake for personalisation."""

from collections.abc import Iterator

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.measures.words.languages import words_of
from meta_eval.measures.words.splitting import Splitter
from meta_eval.measures.words.tokenisers import find_tokenizer


def mean_words(corpus: Corpus) -> dict[str, float]:
    r"""The mean number of words of each system's summaries.

    Over the readers of a document, then over documents, as scores are meant; of documents with two or more
    readers alone, because no other has a score. A word is what measures over words take in the languages of
    the corpus: in English a run of letters, digits and underscores (`\w+`).

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    dict
        By system, in the corpus' order; a system without any summary that counts is not in it.

    References
    ----------
    Perrella et al. (2024), whose sentinels are scores that cannot know what a metric is to measure.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> references = {"ann": "rain in the north", "bob": "sun"}
    >>> systems = {"A": {"ann": "Rain, rain!", "bob": "sun in the south"}, "B": references}
    >>> mean_words(Corpus((Document("d", "Weather", "Rain and sun.", references, systems),)))
    {'A': 3.0, 'B': 2.5}
    """
    languages = words_of(corpus.languages)
    splitter = find_tokenizer(languages.tokeniser if languages else "auto").splitter
    by_document: dict[str, list[float]] = {}
    for document in corpus.documents:
        if document.is_scored:
            for system, texts in document.summaries.items():
                by_document.setdefault(system, []).extend(_mean_words_of(list(texts.values()), splitter))
    return {name: float(np.mean(by_document[name])) for name in corpus.systems if by_document.get(name)}


def _mean_words_of(texts: list[str], splitter: Splitter) -> Iterator[float]:
    """The mean of the texts of one document, nothing where there are none."""
    if texts:
        yield float(splitter.number(texts).lengths.mean())
