"""Readers' histories: what comes back from a file, and what is refused with its line."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.corpus.pens import read_pens_readers
from meta_eval.corpus.readers import ReaderHistory, read_readers, require_known_readers, write_readers
from meta_eval.errors import InputError

NAMES = st.text("abcäß字-9", min_size=1, max_size=8)
CORPUS = Corpus((Document("d", "", "Rain.", {"ann": "rain", "bob": "wet"}),))


def read(text):
    return read_readers(io.BytesIO(text.encode()), name="r.jsonl")


@settings(max_examples=30)
@given(st.dictionaries(NAMES, st.tuples(st.lists(NAMES), st.lists(NAMES)), min_size=1))
def test_histories_come_back_as_they_were_written(given_readers):
    readers = {
        name: ReaderHistory(name, tuple(history), tuple(articles))
        for name, (history, articles) in given_readers.items()
    }
    stream = io.StringIO()
    write_readers(readers.values(), stream)
    assert read(stream.getvalue()) == readers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "r.jsonl:1: must be an object with reader and history, not a list"),
        ('{"reader": "ann"}', "r.jsonl:1: lacks history"),
        ('{"reader": "ann", "history": [""]}', "r.jsonl:1: history, number 1: is empty: leave it out"),
        ('{"reader": "ann", "history": [3]}', "r.jsonl:1: history, number 1: must be a text, not a number"),
        ('{"reader": "ann", "history": "x"}', "r.jsonl:1: history must be a list, not a text"),
        ('{"reader": "ann", "history": [], "age": 3}', "r.jsonl:1: 'age' is no key of a reader; there are"),
        ('{"reader": "a", "history": []}\n' * 2, "r.jsonl:2: reader 'a' stands in the file before: leave"),
        ("", "r.jsonl: holds no readers"),
    ],
)
def test_faults_are_named_with_their_line(text, message):
    with pytest.raises(InputError) as caught:
        read(text)
    (fault,) = caught.value.faults
    assert str(fault).startswith(message)


def test_readers_and_corpus_must_know_each_other():
    readers = {"ann": ReaderHistory("ann", ("Rain",)), "eve": ReaderHistory("eve", ("Sun",))}
    assert require_known_readers(readers, CORPUS) == [
        "1 of 2 readers of the corpus have no history",
        "1 readers with a history are none of the corpus; they are passed over",
    ]
    with pytest.raises(InputError, match="none of the 1 readers with a history, 'eve' for one"):
        require_known_readers({"eve": readers["eve"]}, CORPUS)


def test_pens_clicks_become_titles_in_their_order_and_unknown_ones_are_counted():
    test = (
        "userid\tclicknewsID\tposnewID\trewrite_titles\n"
        "U1\tN2,N1,N9\tN1,N2,N1\tone;; ;;two\n"
        "U2\tN1\tN2\tthree\n"
    )
    news = "News ID\tHeadline\tNews body\nN1\tFirst  title\tbody\nN2\tSecond\tbody\n"
    found = read_pens_readers(test=io.BytesIO(test.encode()), news=io.BytesIO(news.encode()))
    assert found.readers == {
        "U1": ReaderHistory("U1", ("Second", "First title"), ("N1", "N1")),
        "U2": ReaderHistory("U2", ("First title",), ("N2",)),
    }
    assert (found.clicks, found.untitled) == (4, 1)
