"""A corpus as a table with a row a text."""

import pytest
from pandas import DataFrame, read_csv

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.corpus.tables import CORPUS_COLUMNS, read_corpus
from meta_eval.errors import InputError
from tests.meta_eval.files.test_workbooks import workbook

CORPUS = Corpus(
    (
        Document(
            "1", "Weather", "Rain and sun.", {"ann": "rain", "bob": "sun"}, {"A": {"ann": "=1+1"}}, "en"
        ),
        Document("2", "", "", {"ann": "fog"}, {"A": {"ann": "mist"}, "B": {"ann": "fog"}}),
    )
)


def test_a_corpus_is_the_same_as_frame_csv_and_excel(tmp_path):
    frame = CORPUS.to_frame()
    frame.to_csv(tmp_path / "c.csv", index=False)
    workbook(tmp_path / "c.xlsx", [list(frame.columns), *frame.to_numpy().tolist()])
    for source in (frame, tmp_path / "c.csv", tmp_path / "c.xlsx", read_csv(tmp_path / "c.csv")):
        corpus = read_corpus(source)
        assert corpus.documents == CORPUS.documents
        assert corpus.notes == (
            "system 'A' has no summary for 1 of 3 references",
            "system 'B' has no summary for 2 of 3 references",
        )


def frame(*rows: tuple) -> DataFrame:
    return DataFrame(rows, columns=[*CORPUS_COLUMNS, "doc_summ"])


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (("d", "", "A", "x", ""), "column reader is empty"),
        (
            ("d", "ann", "user", "x", ""),
            "the text of system 'user' for reader 'ann' of document 'd' stands twice",
        ),
        (("d", "ann", "A", "x", "Other"), "doc_summ of document 'd' is another than on the rows before"),
        (("e", "ann", "A", "x", ""), "document 'e': reader 'ann' has no reference text (key 'user')"),
        (("e", "ann", "user", None, ""), "document 'e': reader 'ann' has no reference text (key 'user')"),
    ],
)
def test_a_row_that_does_not_fit_is_named(row, fault):
    with pytest.raises(InputError) as caught:
        read_corpus(frame(("d", "ann", "user", "rain", "Weather"), row))
    assert str(caught.value) == f"the data frame:2: {fault}"


def test_columns_that_lack_and_an_empty_table_are_named():
    with pytest.raises(InputError) as caught:
        read_corpus(DataFrame({"doc_id": ["d"], "text": ["x"]}), name="texts")
    assert str(caught.value) == (
        "texts: the header lacks the columns reader, system; wanted is a corpus: JSONL, or a table with "
        "a row a text and the columns doc_id, reader, system, text"
    )
    with pytest.raises(InputError, match=r"^the data frame: holds no documents$"):
        read_corpus(frame())
