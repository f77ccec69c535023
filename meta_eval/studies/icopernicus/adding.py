"""What a model wrote as further systems of a corpus."""

from collections.abc import Sequence
from dataclasses import replace

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.studies.icopernicus.generation import GeneratedStyle, reasons_in_words


def add_systems(corpus: Corpus, generated: Sequence[GeneratedStyle]) -> Corpus:
    """The corpus with what was generated as systems of their own.

    A style without any text is no system; its record says what is missing.

    Parameters
    ----------
    corpus : Corpus
    generated : sequence of GeneratedStyle

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        For a system that the corpus has already, and where no style has a text.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> corpus = Corpus((Document("d", "", "Rain.", {"ann": "rain"}),))
    >>> made = add_systems(corpus, [GeneratedStyle("M: 0-shot", {"d": {"ann": "wet"}}, {})])
    >>> made.documents[0].summaries
    {'M: 0-shot': {'ann': 'wet'}}
    """
    if there := [one.name for one in generated if one.name in corpus.systems]:
        raise InputError(
            f"the corpus has a system {there[0]!r} already: give the model another name (...,name=WORD), or "
            "start from the corpus without it"
        )
    if generated and not any(one.texts for one in generated):
        missing = reasons_in_words(generated[0].record["missing"])
        raise InputError(f"{generated[0].name} has no headline that can be read: {missing}")
    documents = tuple(
        replace(
            document,
            summaries={
                **document.summaries,
                **{one.name: one.texts[document.id] for one in generated if document.id in one.texts},
            },
        )
        for document in corpus.documents
    )
    return Corpus(documents, corpus.notes)
