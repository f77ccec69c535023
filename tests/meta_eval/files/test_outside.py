"""Files from outside: each nasty one is refused at the line that is wrong, or read as it is meant."""

import pytest

from meta_eval.corpus.tables import read_corpus
from meta_eval.errors import InputError
from meta_eval.ratings.table import read_ratings
from meta_eval.report.published.reading import read_published
from tests.meta_eval.files.outside import FOLDER, Expected, expected, rated_corpus


def take(row: Expected) -> str:
    """What a file says that it gave."""
    if row.read_as == "corpus":
        return read_corpus(row.path).taken
    if row.read_as == "ratings":
        return read_ratings(row.path, rated_corpus()).taken
    return f"{len(read_published(row.path, 'perseval').values)} values"


@pytest.mark.parametrize("row", expected("corpus", "ratings", "published"), ids=lambda row: row.file)
def test_a_nasty_file_is_refused_at_its_line_or_read_as_it_is_meant(row):
    if row.taken:
        assert take(row) == row.taken
        return
    with pytest.raises(InputError) as caught:
        take(row)
    first = caught.value.faults[0]
    assert (first.file, str(first.line or "")) == (row.file, row.line)
    assert row.names in first.message


def test_every_file_of_the_folder_is_in_its_table():
    known = {row.file for row in expected("corpus", "ratings", "published")}
    there = {path.name for path in FOLDER.iterdir() if path.is_file()}
    assert there - known == {"__init__.py", "expected.csv", "corpus.jsonl"}
