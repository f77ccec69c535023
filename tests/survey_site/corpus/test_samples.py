"""The sample files of the import page: one corpus in each format that the page takes."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.files.base import ContentFile

from survey_site.corpus.files import read_file_source, read_pens_sources

SYSTEMS = ("lead", "tailored")


def sample(name):
    path = finders.find(f"samples/{name}")
    return ContentFile(Path(path).read_bytes(), name=name)


def test_every_sample_holds_the_same_corpus():
    lines, _ = read_file_source(sample("corpus.jsonl"), "corpus.jsonl")
    table, _ = read_file_source(sample("corpus.csv"), "corpus.csv")
    systems = {name: sample(f"hyps_{name}.txt") for name in SYSTEMS}
    pens, _ = read_pens_sources(sample("personalized_test.tsv"), systems, sample("news.tsv"))
    assert lines.content_hash == table.content_hash == pens.content_hash
    assert (len(lines.documents), lines.readers, lines.systems) == (2, ("U1", "U2", "U3"), SYSTEMS)
    assert [corpus.notes for corpus in (lines, table, pens)] == [()] * 3


@pytest.mark.django_db
def test_the_page_offers_every_sample(client, researcher):
    client.force_login(researcher)
    page = client.get("/corpora/import/").content.decode()
    folder = Path(finders.find("samples/corpus.jsonl")).parent
    assert sorted(re.findall(r'download="([^"]+)"', page)) == sorted(file.name for file in folder.iterdir())
