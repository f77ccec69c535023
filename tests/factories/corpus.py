"""Small corpora for tests, made as rows with readable texts."""

from itertools import count

from survey_site.corpus.models import Corpus, Document, Reader, Reference, Summary, System
from survey_site.corpus.services import measure_texts
from survey_site.projects.models import Project
from tests.factories.accounts import first_project

_numbers = count(1)


def make_corpus(
    *,
    name: str = "Corpus",
    documents: int = 2,
    readers: int = 3,
    systems: int = 2,
    project: Project | None = None,
) -> Corpus:
    """A corpus in which every reader has a reference and every system a summary for every document.

    Keys are doc1.., reader1.., System1..; the summary of document i by system m for reader j is
    "summary i m j", the reference "reference i j".
    """
    number = next(_numbers)
    corpus = Corpus.objects.create(
        name=name, content_hash=f"{number:064d}", source="test", project=project or first_project()
    )
    system_rows = [
        System.objects.create(corpus=corpus, name=f"System{m}", position=m) for m in range(1, systems + 1)
    ]
    reader_rows = [Reader.objects.create(corpus=corpus, key=f"reader{j}") for j in range(1, readers + 1)]
    for i in range(1, documents + 1):
        document = Document.objects.create(
            corpus=corpus, key=f"doc{i}", position=i, title=f"Title {i}", body=f"Body of document {i}."
        )
        Reference.objects.bulk_create(
            Reference(document=document, reader=reader, text=f"reference {i} {j}")
            for j, reader in enumerate(reader_rows, 1)
        )
        Summary.objects.bulk_create(
            Summary(document=document, system=system, reader=reader, text=f"summary {i} {m} {j}")
            for m, system in enumerate(system_rows, 1)
            for j, reader in enumerate(reader_rows, 1)
        )
    measure_texts(corpus)
    return corpus
