"""What the rows can hold, checked before anything is written."""

from collections.abc import Iterator

from meta_eval.corpus import documents as values
from meta_eval.corpus.records import is_language_tag
from meta_eval.errors import Fault, InputError

MAX_NAME = 200
MAX_SOURCE = 500
MAX_LANGUAGE = 35
NO_LANGUAGE_TAG = "A language is given as a tag such as en, ar or pt-BR."


def validate_language(tag: str) -> None:
    """Raise InputError for what is no BCP 47 tag."""
    if not is_language_tag(tag):
        raise InputError([Fault("language", None, f"{NO_LANGUAGE_TAG} This is none: {tag[:40]!r}")])


def validate_names(corpus: values.Corpus) -> None:
    """Raise InputError for ids and names that are longer than the columns that keep them."""
    faults = [
        Fault("corpus", None, f"the {kind} {name[:40]!r}... is longer than {MAX_NAME} characters")
        for kind, name in _names(corpus)
        if len(name) > MAX_NAME
    ]
    if faults:
        raise InputError(faults)


def _names(corpus: values.Corpus) -> Iterator[tuple[str, str]]:
    yield from (("document id", document.id) for document in corpus.documents)
    yield from (("reader", reader) for reader in corpus.readers)
    yield from (("system name", system) for system in corpus.systems)
