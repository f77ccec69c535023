"""The command that makes word vectors for `jsd-oov` from a sentence encoder."""

import sys
from collections.abc import Iterator
from itertools import compress
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from meta_eval.cli.inputs import parse_measures, read_corpus
from meta_eval.cli.options import CorpusFile, PreprocessOption, TokeniserOption, file_place
from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.files.writing import write_text
from meta_eval.measures import signature_line
from meta_eval.measures.lexical import WordMeasure
from meta_eval.measures.sbert import SentenceCosine
from meta_eval.measures.words.vectors import write_vectors

LONGEST = 64
"""Word pieces of a word, special ones included; what is longer is cut there."""


def vectors(
    corpus_file: CorpusFile,
    model: Annotated[
        str,
        typer.Option(metavar="FOLDER", help="Sentence encoder: a folder, or its name on the hub."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The file of vectors.", callback=file_place)
    ],
    measure: Annotated[
        str,
        typer.Option("--measure", "-m", metavar="M", help="The measure whose words are encoded."),
    ] = "jsd-oov",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    special: Annotated[
        bool,
        typer.Option(
            "--special",
            help="Take the model's special word pieces into the mean, too.",
        ),
    ] = False,
    revision: Annotated[str | None, typer.Option(metavar="COMMIT", help="Of a model on the hub.")] = None,
    device: Annotated[str, typer.Option(metavar="D", help="auto, cpu, cuda:1, or all GPUs.")] = "auto",
) -> None:
    """Encode each word of a corpus by a sentence encoder, for jsd-oov's similarity=vectors."""
    words_of = parse_measures([measure], "paper", preprocess, tokeniser)[0]
    if not isinstance(words_of, WordMeasure):
        raise InputError(f"{words_of.id} does not compare words: name a measure that does, such as jsd-oov")
    encoder = SentenceCosine(model=model, revision=revision, device=device, max_length=LONGEST)
    signature = encoder.signature  # says what is wrong with the model before any work
    corpus = read_corpus(corpus_file)
    settled = words_of.in_languages(corpus.languages)
    words = settled.vocabulary(list(dict.fromkeys(_texts(corpus))))
    if not words:
        raise InputError(f"{corpus_file}: {words_of.id} finds no words in the texts of this corpus")
    found = encoder.embed_words(words, special=special)
    there = np.isfinite(found[:, 0])  # a vector is there or missing as a whole
    pooled = "all word pieces" if special else "word pieces without special ones"
    kept = dict(zip(compress(words, there.tolist()), found[there], strict=True))
    write_text(write_vectors(kept, f"{signature_line(signature)} (mean of {pooled})"), out)
    sys.stderr.write(f"{len(kept)} words of {words_of.id}, {found.shape[1]} numbers each\n")
    if lost := len(words) - len(kept):
        sys.stderr.write(f"note: the model finds no word piece in {lost} words; they have no vector\n")


def _texts(corpus: Corpus) -> Iterator[str]:
    """Documents, references and summaries."""
    for document in corpus.documents:
        yield document.text
        yield from document.references.values()
        for written in document.summaries.values():
            yield from written.values()
